/** The rows of one sheet of a workbook, as records in portions. */
import type { Bytes } from './encoding.ts';
import { longestRecord } from './lines.ts';
import type { Record } from './table.ts';
import { cellText, type Styles } from './workbook-cells.ts';
import { type Handlers, parsing, tooMuch, unreadable } from './workbook-xml.ts';

/** Cells beyond this column are combined into one, so that the row is longer than any header. */
const mostColumns = 1024;
/** The limit of Excel itself. */
const mostRows = 1 << 20;

export async function* sheetRecords(file: Bytes, styles: Styles): AsyncGenerator<Record[]> {
  let records: Record[] = [];
  let line = 0;
  let cells: string[] = [];
  let column = 0;
  let type = '';
  let style = 0;
  let value = '';
  let taking = false;
  let spoken = 0;
  /** Characters in the row so far. */
  let length = 0;
  const handlers: Handlers = {
    open(tag, attributes) {
      if (tag === 'row') {
        // A number that does not increase would hide the row behind an earlier one.
        const number = Number(attributes.r);
        line = Number.isInteger(number) && number > line ? number : line + 1;
        if (line > mostRows) throw unreadable(file.name, `it has more than ${mostRows} rows`);
        cells = [];
        column = 0;
        length = 0;
      } else if (tag === 'c') {
        column = columnOf(attributes.r ?? '') || column + 1;
        type = attributes.t ?? 'n';
        style = Number(attributes.s ?? 0);
        value = '';
      } else if (tag === 'rPh') spoken += 1;
      else if (tag === 'v' || tag === 't') taking = spoken === 0;
    },
    text(part) {
      if (taking) value += part;
      if (value.length > longestRecord) throw unreadable(file.name, tooMuch);
    },
    close(tag) {
      if (tag === 'v' || tag === 't') taking = false;
      else if (tag === 'rPh') spoken -= 1;
      else if (tag === 'c') {
        const text = cellText(type, value, style, styles);
        if (text === undefined) throw unreadable(file.name, `a cell of row ${line} refers to a text that is missing`);
        length += text.length;
        if (length > longestRecord) throw unreadable(file.name, `row ${line} is longer than a million characters`);
        if (text === '') return;
        const at = Math.min(column, mostColumns + 1);
        while (cells.length < at - 1) cells.push('');
        cells[at - 1] = text;
      } else if (tag === 'row') records.push({ line, cells });
    },
  };
  for await (const _ of parsing(file, handlers)) {
    yield records;
    records = [];
  }
  yield records;
}

/** Column number, from 1, of a reference such as AB12. */
function columnOf(reference: string): number {
  let column = 0;
  for (const letter of reference.match(/^[A-Z]+/)?.[0] ?? '') column = 26 * column + letter.charCodeAt(0) - 64;
  return column;
}
