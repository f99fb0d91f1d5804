/**
 * A table that fits its terminal: the widest cells are shortened first; where that is not enough,
 * columns are left out from the right, and a note names them.
 */
import Table from 'cli-table3';
import { sentence } from '../text/sentence.ts';
import { heading } from './cell.ts';
import { painter } from './colors.ts';
import { clip, clipMiddle, type Measure } from './measure.ts';
import type { Column, Row } from './row.ts';
import type { View } from './view.ts';

/** A column is left out rather than made narrower than this; the first column and times are never cut: half of them says nothing. */
const leastWidth = 8;
/** Where so much tells the texts of a column apart, it keeps that much; more texts than that are not compared. */
const toldApartWithin = 14;
const toldApartAtMost = 500;
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
const standIn = '\ue000';
const linesAtOnce = 50;

export type Sheet = {
  rows: readonly Row[];
  columns: readonly Column[];
  head: readonly string[];
  /** The cells of each row, in the order of the columns. */
  texts: readonly (readonly string[])[];
  measure: Measure;
};

/** The lines of a table, coloured; `view.note` tells which columns found no room. */
export function drawTable(sheet: Sheet, { color, plain, stdout, note }: View): string {
  const { rows, columns, head, texts, measure } = sheet;
  // One even where nothing is seen, so that every cell keeps its place.
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

/**
 * cli-table3 measures as Unicode 12 did and would misplace Thai or Hindi names and newer emoji. So
 * it lays out stand-ins as wide as the cells measure, and these then take their places. Its time
 * grows with the square of the rows: it gets a few at once.
 */
function layOut(
  lines: readonly string[][],
  widths: readonly number[],
  widthOf: Measure,
  paint: (text: string, line: number, column: number) => string,
): string {
  const options = { chars: noFrame, style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] }, colWidths: [...widths] };
  let drawn = '';
  for (let start = 0; start < lines.length; start += linesAtOnce) {
    const table = new Table(options);
    for (const texts of lines.slice(start, start + linesAtOnce)) table.push(texts.map((text) => standIn.repeat(widthOf(text))));
    drawn += `${table.toString().replace(/ +$/gm, '')}\n`;
  }
  const cells = lines.flatMap((texts, line) => texts.map((text, column) => paint(text, line, column)));
  let next = 0;
  return drawn.replace(/\ue000+/g, () => cells[next++] ?? '');
}

/** How the texts of a column are cut: at the end, or in the middle where more of them differ then. */
function clipFor(texts: readonly string[], width: number, measure: Measure): typeof clip {
  const cut = [...new Set(texts)].filter((text) => measure(text) > width);
  const different = (by: typeof clip) => new Set(cut.map((text) => by(text, width, measure))).size;
  const atEnd = different(clip);
  return atEnd < cut.length && different(clipMiddle) > atEnd ? clipMiddle : clip;
}

/** The least width: at which texts that differ still differ once they are cut, where that is within bounds. */
function leastFor(texts: readonly string[], measure: Measure): number {
  const different = [...new Set(texts)];
  if (different.length > toldApartAtMost) return leastWidth;
  for (let width = leastWidth; width <= toldApartWithin; width++) {
    const cut = clipFor(different, width, measure);
    if (new Set(different.map((text) => cut(text, width, measure))).size === different.length) return width;
  }
  return leastWidth;
}

/** The widths, none below its least, at which as many of the first columns as possible fit into a line. */
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
