/**
 * A table that fits its terminal: columns that identify a row (IDs, names, states) get their room first. Headings take several
 * lines, the other cells are shortened, columns without a value are left out, then others from the right, which a note names.
 */
import Table from 'cli-table3';
import { sentence } from '../text/sentence.ts';
import { heading } from './cell.ts';
import { painter } from './colors.ts';
import { type Clip, type Clips, clipsBy, type Measure } from './measure.ts';
import type { Column, Row } from './row.ts';
import type { View } from './view.ts';

/** The narrowest cells: a column that needs to be narrower is left out. The first column and times are never cut. Characters. */
const leastWidth = 8;
/** What identifies a row is whole up to this width: other columns are left out before. */
const identifiesWithin = 40;
/** A column keeps up to this width if its texts then still differ; with more than so many texts they are not compared. */
const toldApartWithin = 14;
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
  // Where no other column can give way, the terminal breaks the lines.
  const isAlone = sheet.columns.length === 1 && sheet.columns[0]?.whole === true;
  const available = (!plain && !isAlone && stdout.columns) || Number.POSITIVE_INFINITY;
  const all = widthsOf(sheet, available, widthOf, clips);
  const valued = all.kept.length === sheet.columns.length ? sheet : withValues(sheet);
  const { kept, widths } = valued === sheet ? all : widthsOf(valued, available, widthOf, clips);
  const { columns, head, texts } = chosenFrom(valued, (index) => kept.includes(index));
  if (columns.length < valued.columns.length) {
    const missing = valued.columns.filter((column) => !columns.includes(column)).map(heading);
    note(sentence`Columns that do not fit: ${missing.join(', ')}. Choose columns with --columns, or show all with --output json.`);
  }
  const columnOf = (index: number) => texts.map((row) => row[index] ?? '');
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
function withValues(sheet: Sheet): Sheet {
  return chosenFrom(sheet, (index) => index === 0 || sheet.texts.some((row) => row[index] !== '-'));
}

function chosenFrom({ columns, head, texts, ...sheet }: Sheet, isChosen: (index: number) => boolean): Sheet {
  const chosen = <T>(parts: readonly T[]) => parts.filter((_, index) => isChosen(index));
  return { ...sheet, columns: chosen(columns), head: chosen(head), texts: texts.map(chosen) };
}

/** The columns that fit, by their places, and their widths. What identifies a row is whole, the narrower columns before the wider ones. */
function widthsOf({ columns, head, texts }: Sheet, available: number, widthOf: Measure, clips: Clips) {
  const cells = columns.map((_, index) => texts.map((row) => row[index] ?? ''));
  const widest = cells.map((column) => column.reduce((width, text) => Math.max(width, widthOf(text)), 1));
  const withHeading = (heading: (title: string) => number) => head.map((title, index) => Math.max(widest[index] ?? 0, heading(title)));
  const whole = withHeading(widthOf);
  const word = (title: string) => Math.max(...wordsOf(title).map(widthOf));
  const natural = total(whole) <= room([...whole.keys()], available) ? whole : withHeading(word);
  const least = columns.map(({ as, whole, identifies }, index) => {
    if (index === 0) return natural[index] ?? 0;
    const isWhole = as === 'time' || whole === true;
    const limit = identifies ? identifiesWithin : toldApartWithin;
    const width = isWhole ? (widest[index] ?? 0) : Math.min(widest[index] ?? 0, leastFor(cells[index] ?? [], limit, clips));
    return Math.max(Math.min(leastWidth, word(head[index] ?? '')), width);
  });
  const first = [...columns.keys()].filter((index) => index === 0 || columns[index]?.identifies);
  const wanted = widest.map((width) => Math.min(width, identifiesWithin));
  for (const index of first.toSorted((one, other) => (wanted[one] ?? 0) - (wanted[other] ?? 0))) {
    const before = least[index] ?? 0;
    least[index] = Math.max(before, wanted[index] ?? 0);
    if (room(first, available) < total(first.map((each) => least[each] ?? 0))) least[index] = before;
  }
  return fitted(natural, least, first, available);
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

/** How the texts of a column are cut: at the end, or further left where more of them differ then. Of an address the end matters. */
function clipFor(texts: readonly string[], width: number, { end, middle, start }: Clips, key?: string): Clip {
  if (key === 'url') return start;
  if (key === 'command') return end;
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

/** As many columns as fit, these first, and their widths, none below its least. */
function fitted(natural: readonly number[], least: readonly number[], first: readonly number[], available: number) {
  const kept: number[] = [];
  for (const place of new Set([...first, ...natural.keys()])) {
    const all = [...kept, place];
    if (kept.length === 0 || total(all.map((each) => least[each] ?? 0)) <= room(all, available)) kept.push(place);
  }
  kept.sort((one, other) => one - other);
  let widest = Math.min(Math.max(...natural), available);
  const widths = () => kept.map((place) => Math.max(least[place] ?? 0, Math.min(natural[place] ?? 0, widest)));
  while (widest > 0 && total(widths()) > room(kept, available)) widest--;
  return { kept, widths: widths().map((width) => Math.min(width, available)) };
}

/** What a line has for the cells of these columns. */
function room(places: readonly number[], available: number): number {
  return available - between.length * (places.length - 1);
}

function total(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0);
}

const between = '  ';
const noFrame = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: between,
};
/** cli-table3 measures text as Unicode 12 did, and would misplace Thai names. One column wide, in every version of Unicode. Cells replace it in a single pass, so they may contain it. */
const placeholder = '\ue000';
const rowsPerBlock = 50;

/** The lines of a table with columns of the given widths; `paint` colours a cell after it is placed. */
function layOut(
  lines: readonly string[][],
  widths: readonly number[],
  widthOf: Measure,
  paint: (text: string, line: number, column: number) => string,
): string {
  const options = { chars: noFrame, style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] }, colWidths: [...widths] };
  let drawn = '';
  for (let start = 0; start < lines.length; start += rowsPerBlock) {
    const table = new Table(options);
    for (const texts of lines.slice(start, start + rowsPerBlock))
      table.push(texts.map((text) => (text === '' ? '' : placeholder.repeat(widthOf(text)))));
    for (const line of table.toString().split('\n')) drawn += `${line.trimEnd()}\n`;
  }
  const cells = lines.flatMap((texts, line) => texts.flatMap((text, column) => (text === '' ? [] : paint(text, line, column))));
  let next = 0;
  return drawn.replace(/\ue000+/g, () => cells[next++] ?? '');
}
