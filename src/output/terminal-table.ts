/**
 * A table that fits its terminal: the widest cells are shortened first; where that is not enough,
 * columns are left out from the right, and a note names them.
 */
import { sentence } from '../text/sentence.ts';
import { heading } from './cell.ts';
import { between, layOut } from './cli-table.ts';
import { painter } from './colors.ts';
import { clip, clipMiddle, type Measure } from './measure.ts';
import type { Column, Row } from './row.ts';
import type { View } from './view.ts';

/** The narrowest column: a column that needs to be narrower is left out. The first column and times are never cut. Characters. */
const leastWidth = 8;
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
  const { rows, columns, head, texts, measure } = sheet;
  // An empty cell counts as one character, so that it keeps its place.
  const widthOf: Measure = (text) => Math.max(1, measure(text));
  const natural = head.map((title, index) => texts.reduce((widest, row) => Math.max(widest, widthOf(row[index] ?? '')), widthOf(title)));
  const least = natural.map((width, index) => {
    if (index === 0 || columns[index]?.as === 'time') return width;
    const texts = sheet.texts.map((row) => row[index] ?? '');
    return Math.min(width, leastFor(texts, widthOf));
  });
  const widths = fitted(natural, least, (!plain && stdout.columns) || Number.POSITIVE_INFINITY);
  if (widths.length < columns.length) {
    const missing = columns.slice(widths.length).map(heading).join(', ');
    note(sentence`Columns that do not fit: ${missing}. Choose columns with --columns, or show all with --output json.`);
  }
  const clips = widths.map((width, index) =>
    clipFor(
      texts.map((row) => row[index] ?? ''),
      width,
      measure,
    ),
  );
  const lines = [head, ...texts].map((row, line) =>
    widths.map((width, index) => (line === 0 ? clip : (clips[index] ?? clip))(row[index] ?? '', width, measure)),
  );
  const paint = painter(color);
  return layOut(lines, widths, widthOf, (text, line, index) => {
    const [row, column] = [rows[line - 1], columns[index]];
    return row && column ? paint.value(text, row, column) : paint.label(text);
  });
}

/** How the texts of a column are cut: at the end, or in the middle where more of them differ then. */
function clipFor(texts: readonly string[], width: number, measure: Measure): typeof clip {
  const cut = [...new Set(texts)].filter((text) => measure(text) > width);
  const different = (by: typeof clip) => new Set(cut.map((text) => by(text, width, measure))).size;
  const atEnd = different(clip);
  return atEnd < cut.length && different(clipMiddle) > atEnd ? clipMiddle : clip;
}

/** The least width at which different texts still differ after they are cut; `leastWidth` if no allowed width does that. */
function leastFor(texts: readonly string[], measure: Measure): number {
  const different = [...new Set(texts)];
  if (different.length > toldApartAtMost) return leastWidth;
  for (let width = leastWidth; width <= toldApartWithin; width++) {
    const cut = clipFor(different, width, measure);
    if (new Set(different.map((text) => cut(text, width, measure))).size === different.length) return width;
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
