/**
 * The layout of a table by cli-table3, with two of its limits worked around. It measures text as Unicode 12 did
 * and would misplace Thai or Hindi names and newer emoji: it lays out placeholders as wide as the cells, which
 * then replace them. Its time grows with the square of the rows (20,000 rows: 28 s): it gets them in blocks (2 s).
 */
import Table from 'cli-table3';
import type { Measure } from './measure.ts';

export const between = '  ';
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
/** One column wide, in every version of Unicode. Cells replace it in a single pass, so they may contain it. */
const placeholder = '\ue000';
const rowsPerBlock = 50;

/** The lines of a table with columns of the given widths; `paint` colours a cell after it is placed. */
export function layOut(
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
