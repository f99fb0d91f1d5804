/**
 * A table that fits its terminal: headings take several lines and the widest cells are shortened first; where that is
 * not enough, columns without a value are left out, then others from the right, which a note names.
 */
import { sentence } from '../text/sentence.ts';
import { heading } from './cell.ts';
import { between, layOut } from './cli-table.ts';
import { painter } from './colors.ts';
import { type Clip, type Clips, clipsBy, type Measure } from './measure.ts';
import type { Column, Row } from './row.ts';
import type { View } from './view.ts';

/** The narrowest column: a column that needs to be narrower is left out. The first column and times are never cut. Characters. */
const leastWidth = 8;
/** A column keeps up to this width if its texts then still differ; with more than so many texts they are not compared. */
const toldApartWithin = 14;
/** The same for names and states: other columns are left out before two of them look alike. */
const namesToldApartWithin = 40;
const holdsNames = /(^|_)(name|status|state)$/;
const toldApartAtMost = 500;

export type Sheet = {
  rows: readonly Row[];
  columns: readonly Column[];
  head: readonly string[];
  /** The cells of each row, in the order of the columns. */
  texts: readonly (readonly string[])[];
  measure: Measure;
};

/** The lines of a table, coloured; `view.note` gets the columns that do not fit. */
export function drawTable(sheet: Sheet, { color, plain, stdout, note }: View): string {
  const { rows, measure } = sheet;
  // A column of empty cells is one character wide.
  const widthOf: Measure = (text) => Math.max(1, measure(text));
  const clips = clipsBy(measure);
  const available = (!plain && stdout.columns) || Number.POSITIVE_INFINITY;
  const whole = columnsOf(sheet, widthOf, clips);
  const fits = total(whole.natural) + between.length * (whole.natural.length - 1) <= available;
  const parted = fits ? whole : columnsOf(sheet, widthOf, clips, wordsOf);
  const all = fitted(parted.natural, parted.least, available);
  const { columns, head, texts, columnOf, natural, least } =
    all.length === sheet.columns.length ? parted : columnsOf(withValues(sheet), widthOf, clips, wordsOf);
  const widths = fitted(natural, least, available);
  if (widths.length < columns.length) {
    const missing = columns.slice(widths.length).map(heading).join(', ');
    note(sentence`Columns that do not fit: ${missing}. Choose columns with --columns, or show all with --output json.`);
  }
  const columnClips = widths.map((width, index) => clipFor(columnOf(index), width, clips, columns[index]?.key));
  const headings = headLines(
    widths.map((width, index) => inWidth(head[index] ?? '', width, widthOf).map((text) => clips.end(text, width))),
  );
  const cells = texts.map((row) => widths.map((width, index) => (columnClips[index] ?? clips.end)(row[index] ?? '', width)));
  const paint = painter(color);
  return layOut([...headings, ...cells], widths, widthOf, (text, line, index) => {
    const [row, column] = [rows[line - headings.length], columns[index]];
    return row && column ? paint.value(text, row, column) : paint.label(text);
  });
}

/** The first column, and those of which a row has a value. */
function withValues({ columns, head, texts, ...sheet }: Sheet): Sheet {
  const kept = columns.map((_, index) => index === 0 || texts.some((row) => row[index] !== '-'));
  const chosen = <T>(parts: readonly T[]) => parts.filter((_, index) => kept[index]);
  return { ...sheet, columns: chosen(columns), head: chosen(head), texts: texts.map(chosen) };
}

/** The parts of a heading that stay on a line: a word, also one that a hyphen ends. */
function wordsOf(title: string): string[] {
  return title.split(/ |(?<=[^ ]-)/);
}

/** A heading in lines of a width, as many words in each as it has room for. */
function inWidth(title: string, width: number, widthOf: Measure): string[] {
  const lines = [''];
  for (const word of wordsOf(title)) {
    const line = lines.at(-1) ?? '';
    const longer = line === '' || line.endsWith('-') ? line + word : `${line} ${word}`;
    if (line !== '' && widthOf(longer) > width) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

/** The lines of all headings, which end on the same line. */
function headLines(headings: readonly (readonly string[])[]): string[][] {
  const height = Math.max(...headings.map(({ length }) => length));
  return Array.from({ length: height }, (_, line) => headings.map((lines) => lines[line - height + lines.length] ?? ''));
}

/** The columns of a sheet with the widths that they would take, and the least ones that they can do with. `parts`: of a heading. */
function columnsOf({ columns, head, texts }: Sheet, widthOf: Measure, clips: Clips, parts = (title: string) => [title]) {
  const columnOf = (index: number) => texts.map((row) => row[index] ?? '');
  const natural = head.map((title, index) =>
    [...parts(title), ...columnOf(index)].reduce((widest, text) => Math.max(widest, widthOf(text)), 0),
  );
  const least = natural.map((width, index) => {
    if (index === 0 || columns[index]?.as === 'time' || columns[index]?.whole) return width;
    const limit = holdsNames.test(columns[index]?.key ?? '') ? namesToldApartWithin : toldApartWithin;
    return Math.min(width, leastFor(columnOf(index), limit, clips));
  });
  return { columns, head, texts, columnOf, natural, least };
}

/** How the texts of a column are cut: at the end, or further left where more of them differ then. Of an address the end matters. */
function clipFor(texts: readonly string[], width: number, { end, middle, start }: Clips, key?: string): Clip {
  if (key === 'url') return start;
  const cut = [...new Set(texts)].filter((text) => end(text, width) !== text);
  const different = (by: Clip) => new Set(cut.map((text) => by(text, width))).size;
  let best = { by: end, apart: different(end) };
  for (const by of [middle, start]) {
    if (best.apart === cut.length) break;
    const apart = different(by);
    if (apart > best.apart) best = { by, apart };
  }
  return best.by;
}

/** The least width, up to a limit, at which different texts still differ after they are cut; `leastWidth` if no such width does that. */
function leastFor(texts: readonly string[], limit: number, clips: Clips): number {
  const different = [...new Set(texts)];
  if (different.length > toldApartAtMost) return leastWidth;
  for (let width = leastWidth; width <= limit; width++) {
    const by = clipFor(different, width, clips);
    if (new Set(different.map((text) => by(text, width))).size === different.length) return width;
  }
  return leastWidth;
}

/** The widths, none below its least, with which as many of the first columns as possible fit into a line. */
function fitted(natural: readonly number[], least: readonly number[], available: number): readonly number[] {
  for (let count = natural.length; count > 1; count--) {
    let widest = Math.min(Math.max(...natural), available);
    const widths = () => natural.slice(0, count).map((width, index) => Math.max(least[index] ?? 0, Math.min(width, widest)));
    const room = available - between.length * (count - 1);
    while (widest > leastWidth && total(widths()) > room) widest--;
    if (total(widths()) <= room) return widths();
  }
  return natural.slice(0, 1).map((width) => Math.min(width, available));
}

function total(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0);
}
