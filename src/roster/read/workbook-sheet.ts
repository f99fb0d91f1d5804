/** The rows of one sheet of a workbook, as records in portions. */
import type { Bytes } from './encoding.ts';
import { isAddress } from './header.ts';
import type { Record, SheetRecord } from './source-table.ts';
import { longestRecord } from './text-lines.ts';
import { cellText, type Styles } from './workbook-cells.ts';
import { type Handlers, parsing, tooMuch, unreadable } from './workbook-xml.ts';

/** The limit of Excel itself. */
const mostRows = 1 << 20;
const mostMerged = 100_000;

/** What must be known of a sheet before its rows can be read. */
export type SheetSurvey = {
  /** They stand behind the rows in the file. */
  merged: readonly MergedRange[];
  /** Hidden rows with a text, and the first of their numbers. */
  hidden: number;
  firstHidden: readonly number[];
  isEmpty: boolean;
  hasAddresses: boolean;
};

export async function surveySheet(file: Bytes, styles: Styles): Promise<SheetSurvey> {
  const merged: MergedRange[] = [];
  const firstHidden: number[] = [];
  let [hidden, isEmpty, hasAddresses] = [0, true, false];
  for await (const records of rawRecords(file, styles, merged)) {
    for (const { line, cells, sheet } of records) {
      if (cells.length === 0 && sheet?.formula === undefined) continue;
      isEmpty = false;
      hasAddresses ||= cells.some(isAddress);
      if (!sheet?.hidden) continue;
      hidden += 1;
      if (firstHidden.length < 5) firstHidden.push(line);
    }
  }
  return { merged, hidden, firstHidden, isEmpty, hasAddresses };
}

/** The rows with the texts of merged cells wherever they reach. */
export async function* sheetRecords(file: Bytes, styles: Styles, ranges: readonly MergedRange[]): AsyncGenerator<Record[]> {
  const merged = new MergedCells(ranges, () => {
    throw unreadable(file.name, 'its merged cells overlap');
  });
  for await (const records of rawRecords(file, styles)) {
    for (const record of records) record.sheet = { ...record.sheet, ...merged.fill(record.line, record.cells) };
    yield records;
  }
}

type RawRecord = Record & { cells: string[] };

/** The rows as they are stored. */
async function* rawRecords(file: Bytes, styles: Styles, merged?: MergedRange[]): AsyncGenerator<RawRecord[]> {
  let records: RawRecord[] = [];
  let record: RawRecord = { line: 0, cells: [] };
  let column = 0;
  let type = '';
  let style = 0;
  let value = '';
  let isFormula = false;
  let taking = false;
  let spoken = 0;
  /** Characters in the row so far. */
  let length = 0;
  const handlers: Handlers = {
    open(tag, attributes) {
      if (tag === 'row') {
        // A number that does not increase would hide the row behind an earlier one.
        const number = Number(attributes.r);
        const line = Number.isInteger(number) && number > record.line ? number : record.line + 1;
        if (line > mostRows) throw unreadable(file.name, `it has more than ${mostRows} rows`);
        const hidden = isTrue(attributes.hidden) || Number(attributes.ht ?? 1) === 0;
        const afterGap = line > record.line + 1;
        record = { line, cells: [], sheet: { ...(hidden && { hidden }), ...(afterGap && { afterGap }) } };
        column = 0;
        length = 0;
      } else if (tag === 'c') {
        column = columnOf(attributes.r?.match(/^[A-Z]{1,4}/)?.[0] ?? '') || column + 1;
        type = attributes.t ?? 'n';
        style = Number(attributes.s ?? 0);
        value = '';
        isFormula = false;
      } else if (tag === 'f') isFormula = true;
      else if (tag === 'rPh') spoken += 1;
      else if (tag === 'v' || tag === 't') taking = spoken === 0;
      else if (tag === 'mergeCell' && merged) {
        const range = mergedRange(attributes.ref ?? '');
        if (range) merged.push(range);
        if (merged.length > mostMerged) throw unreadable(file.name, `it has more than ${mostMerged} merged cells`);
      }
    },
    text(part) {
      if (taking) value += part;
      if (value.length > longestRecord) throw unreadable(file.name, tooMuch);
    },
    close(tag) {
      if (tag === 'v' || tag === 't') taking = false;
      else if (tag === 'rPh') spoken -= 1;
      else if (tag === 'c') {
        const { line, cells } = record;
        const at = Math.min(column, mostColumns + 1);
        // A formula whose value is an empty text says so by its type.
        if (isFormula && value === '' && type !== 'str') record.sheet = { formula: at - 1, ...record.sheet };
        const text = cellText(type, value, style, styles);
        if (text === undefined) throw unreadable(file.name, `a cell of row ${line} refers to a text that is missing`);
        length += text.length;
        if (length > longestRecord) throw unreadable(file.name, `row ${line} is longer than a million characters`);
        if (text === '') return;
        while (cells.length < at - 1) cells.push('');
        cells[at - 1] = text;
      } else if (tag === 'row') records.push(record);
    },
  };
  for await (const _ of parsing(file, handlers)) {
    yield records;
    records = [];
  }
  yield records;
}

const isTrue = (text: string | undefined) => text === '1' || text === 'true';

/** Cells beyond this column are combined into one, so that the row is longer than any header. */
const mostColumns = 1024;

/** Rows from 1, as Excel counts them; columns from 0. */
type MergedRange = { top: number; bottom: number; left: number; right: number };

/** The range of a reference such as B2:C4; undefined where there is none. */
function mergedRange(reference: string): MergedRange | undefined {
  const [, left = '', top = '', right = '', bottom = ''] =
    /^\$?([A-Z]{1,3})\$?(\d{1,7}):\$?([A-Z]{1,3})\$?(\d{1,7})$/.exec(reference) ?? [];
  const range = { top: Number(top), bottom: Number(bottom), left: columnOf(left) - 1, right: Math.min(columnOf(right), mostColumns) - 1 };
  return range.left >= 0 && range.right >= range.left && range.bottom >= range.top ? range : undefined;
}

/** Number, from 1, of a column such as AB; 0 for none. */
function columnOf(letters: string): number {
  let column = 0;
  for (const letter of letters) column = 26 * column + letter.charCodeAt(0) - 64;
  return column;
}

/** Fills the rows of one sheet in their order. */
class MergedCells {
  readonly #starting = new Map<number, MergedRange[]>();
  readonly #overlapping: () => never;
  #open: (MergedRange & { text: string })[] = [];

  /** `overlapping` throws: no spreadsheet writes overlapping ranges, and filling them could take endless time. */
  constructor(ranges: readonly MergedRange[], overlapping: () => never) {
    this.#overlapping = overlapping;
    for (const range of ranges) {
      const others = this.#starting.get(range.top);
      if (others) others.push(range);
      else this.#starting.set(range.top, [range]);
    }
  }

  /** Fills the cells of a row. A row without cells of its own stays empty: a merged cell may reach below the table. */
  fill(line: number, cells: string[]): Pick<SheetRecord, 'across' | 'under'> {
    this.#open = this.#open.filter(({ bottom }) => bottom >= line);
    for (const range of this.#starting.get(line) ?? []) this.#open.push({ ...range, text: cells[range.left] ?? '' });
    const covered = this.#open.reduce((sum, { left, right }) => sum + right - left + 1, 0);
    if (covered > mostColumns) this.#overlapping();
    if (covered === 0 || cells.length === 0) return {};
    const across = new Set<number>();
    let under = false;
    for (const { top, left, right, text } of this.#open) {
      while (cells.length <= right) cells.push('');
      for (let column = left; column <= right; column += 1) {
        cells[column] = text;
        if (column > left) across.add(column);
      }
      under ||= top < line && text !== '';
    }
    return { ...(across.size > 0 && { across }), ...(under && { under: true as const }) };
  }
}
