/**
 * Excel workbooks (ECMA-376): the rows of one sheet, streamed; only the shared strings
 * are held. A cell formatted as a date becomes the local time that Excel shows, without a zone, so that
 * the rules for times decide what instant it is.
 */
import { SaxesParser } from 'saxes';
import { CliError } from '../../errors.ts';
import { sentence } from '../../text/sentence.ts';
import type { Archive } from './archive.ts';
import { type Bytes, decoded } from './encoding.ts';
import type { KnownHeader } from './header.ts';
import { longestRecord } from './lines.ts';
import { quote, quoteAll } from './quote.ts';
import type { Record, TableContent } from './table.ts';
import { headOf } from './tabulate.ts';

type Attributes = { [name: string]: string };
type Handlers = { open?(name: string, attributes: Attributes): void; close?(name: string): void; text?(text: string): void };

/** Unpacked size beyond which texts are not held in memory. Bytes. */
const mostText = 256 << 20;
/** The same for each part beside the sheets: names, formats, relations. */
const mostDescription = 32 << 20;
/** Cells beyond it are all taken for one, which makes the row longer than any header. */
const mostColumns = 1024;
/** What Excel itself can hold. */
const mostRows = 1 << 20;
const mostStrings = 10_000_000;
/** Elements inside each other; a sheet has seven. */
const deepest = 100;

type WorkbookSheet = { name: string; relation: string; visible: boolean };
export type SheetChoice = { sheet?: string | undefined; known: KnownHeader };

export async function readWorkbook(archive: Archive, name: string, { sheet: wanted, known }: SheetChoice): Promise<TableContent> {
  const sheets: WorkbookSheet[] = [];
  let since1904 = false;
  await read(part(archive, 'xl/workbook.xml', name), {
    open(tag, attributes) {
      if (tag === 'workbookPr') since1904 = ['1', 'true'].includes(attributes.date1904 ?? '');
      if (tag === 'sheet') {
        const relation = Object.entries(attributes).find(([key]) => key === 'id' || key.endsWith(':id'))?.[1] ?? '';
        sheets.push({ name: attributes.name ?? '', relation, visible: (attributes.state ?? 'visible') === 'visible' });
      }
    },
  });
  const visible = sheets.filter((sheet) => sheet.visible);
  const chosen = wanted === undefined ? visible : [sheetNamed(wanted, sheets, visible, name)];
  if (chosen.length === 0)
    throw new CliError('invalid_input', sentence`${name} has no visible sheet.`, {
      hint: 'Show the sheet with the students, and save it.',
    });
  const targets = new Map<string, string>();
  await read(part(archive, 'xl/_rels/workbook.xml.rels', name), {
    open(tag, attributes) {
      if (tag === 'Relationship') targets.set(attributes.Id ?? '', attributes.Target ?? '');
    },
  });
  const styles = { strings: await sharedStrings(archive, name), formats: await cellFormats(archive), since1904 };
  const recordsOf = (sheet: WorkbookSheet) => () => recordsIn(sheet);
  async function* recordsIn({ relation }: WorkbookSheet): AsyncGenerator<Record[]> {
    const target = targets.get(relation) ?? '';
    const file = part(archive, target.startsWith('/') ? target.slice(1) : `xl/${target}`, name);
    yield* sheetRecords(file, styles);
  }
  const sheet = await firstWithHeader(chosen, recordsOf, known);
  const others = visible.filter((one) => one !== sheet).map((one) => one.name);
  return {
    format: `Excel workbook, sheet ${quote(sheet.name)}`,
    kind: 'xlsx',
    encoding: undefined,
    notes:
      wanted === undefined && others.length > 0
        ? [`Reading sheet ${quote(sheet.name)}; the workbook also has ${quoteAll(others)}. --sheet NAME selects another.`]
        : [],
    records: recordsOf(sheet),
  };
}

/** The first sheet with a header that is known, past covers and notes; the first of all where none has one. */
async function firstWithHeader(
  sheets: readonly WorkbookSheet[],
  recordsOf: (sheet: WorkbookSheet) => () => AsyncGenerator<Record[]>,
  known: KnownHeader,
): Promise<WorkbookSheet> {
  const [first, ...more] = sheets as [WorkbookSheet, ...WorkbookSheet[]];
  for (const sheet of more.length > 0 ? sheets : []) {
    // Another sheet may be damaged; it matters if it is the one that is read.
    const head = await headOf(recordsOf(sheet)()).catch((): Record[] => []);
    if (head.some((record) => isHeader(record, known))) return sheet;
  }
  return first;
}

function isHeader({ cells }: Record, known: KnownHeader): boolean {
  const filled = cells.filter((cell) => cell.trim() !== '');
  const found = filled.filter(known).length;
  return found > 1 || (found === 1 && filled.length === 1);
}

/** The sheet of this name, or of this number among the visible ones. */
function sheetNamed(wanted: string, sheets: readonly WorkbookSheet[], visible: readonly WorkbookSheet[], name: string): WorkbookSheet {
  const found = sheets.find((sheet) => sheet.name.trim().toLowerCase() === wanted.trim().toLowerCase());
  const numbered = /^\d+$/.test(wanted) ? visible[Number(wanted) - 1] : undefined;
  if (found ?? numbered) return (found ?? numbered) as WorkbookSheet;
  const names = quoteAll(visible.map((sheet) => sheet.name));
  throw new CliError('invalid_input', sentence`${name} has no sheet ${quote(wanted)}. Its sheets: ${names}.`, {
    hint: 'Choose one: --sheet NAME',
  });
}

function unreadable(name: string, why: string, cause?: unknown): CliError {
  return new CliError('invalid_input', sentence`${name} cannot be read: ${why}.`, { hint: 'Save the workbook again.', cause });
}

function part(archive: Archive, path: string, name: string): Bytes & { size: number } {
  const entry = archive.entry(path);
  if (entry && !path.startsWith('xl/worksheets/') && entry.size > mostDescription) {
    throw new CliError('invalid_input', sentence`${entry.name} is larger than ${mostDescription >> 20} MB.`, {
      hint: 'Save the sheet as CSV.',
    });
  }
  if (entry) return entry;
  throw new CliError('invalid_input', sentence`${name} is an incomplete Excel workbook: ${quote(path)} is missing.`, {
    hint: 'Save it again as .xlsx, or as CSV.',
  });
}

async function read(file: Bytes, handlers: Handlers): Promise<void> {
  for await (const _ of parsing(file, handlers));
}

/** Feeds a part through the XML parser, and yields after each chunk. Names come without their prefix. */
async function* parsing(file: Bytes, { open, close, text }: Handlers): AsyncGenerator<void> {
  const parser = new SaxesParser();
  let depth = 0;
  /** Characters since the parser last came to the end of anything. */
  let pending = 0;
  const local = (name: string) => name.slice(name.indexOf(':') + 1);
  const refuse = (why: string, cause?: unknown): never => {
    throw unreadable(file.name, why, cause);
  };
  parser.on('error', (error) => {
    // Not the parser's own words: they quote what stands there.
    const [, line, column] = /^(\d+):(\d+):/.exec(error.message) ?? [];
    refuse(`it is incomplete XML (line ${line ?? 1}, column ${column ?? 1})`, error);
  });
  parser.on('opentag', (tag) => {
    pending = 0;
    depth += 1;
    if (depth > deepest) refuse(`elements are nested more than ${deepest} levels deep`);
    open?.(local(tag.name), tag.attributes as Attributes);
  });
  parser.on('closetag', (tag) => {
    pending = 0;
    depth -= 1;
    close?.(local(tag.name));
  });
  if (text) {
    parser.on('text', text);
    parser.on('cdata', text);
  }
  try {
    for await (const chunk of decoded(file, 'utf-8')) {
      parser.write(chunk);
      pending += chunk.length;
      if (pending > 2 * longestRecord) refuse(tooMuch);
      yield;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_ENCODING_INVALID_ENCODED_DATA') refuse('it is not UTF-8', error);
    throw error;
  }
  parser.close();
}

const tooMuch = 'it contains a text of more than a million characters';

/** Texts that cells refer to by number. Those for the pronunciation of others are left out. */
async function sharedStrings(archive: Archive, name: string): Promise<string[]> {
  const file = archive.entry('xl/sharedStrings.xml');
  if (!file) return [];
  if (file.size > mostText) {
    throw new CliError('invalid_input', sentence`${name} contains more than ${mostText >> 20} MB of text.`, {
      hint: 'Save the sheet as CSV.',
    });
  }
  const strings: string[] = [];
  let text = '';
  let taking = false;
  let spoken = 0;
  await read(file, {
    open(tag) {
      if (tag === 'si') text = '';
      else if (tag === 'rPh') spoken += 1;
      else if (tag === 't') taking = spoken === 0;
    },
    text(part) {
      if (taking) text += part;
      if (text.length > longestRecord) throw unreadable(file.name, tooMuch);
    },
    close(tag) {
      if (tag === 't') taking = false;
      else if (tag === 'rPh') spoken -= 1;
      else if (tag === 'si') strings.push(unescaped(text));
      if (strings.length > mostStrings) throw unreadable(file.name, `it contains more than ${mostStrings} texts`);
    },
  });
  return strings;
}

/** Excel writes characters that XML cannot hold as _x000D_. */
function unescaped(text: string): string {
  return text.includes('_x') ? text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16))) : text;
}

type CellFormat = 'day' | 'time' | 'percent';

/** For each cell style, whether it shows a day, or also a time of day; undefined for plain numbers. */
async function cellFormats(archive: Archive): Promise<(CellFormat | undefined)[]> {
  const file = archive.entry('xl/styles.xml');
  if (!file) return [];
  const custom = new Map<number, CellFormat | undefined>();
  const formats: (CellFormat | undefined)[] = [];
  let inCells = false;
  await read(file, {
    open(tag, attributes) {
      const id = Number(attributes.numFmtId);
      if (tag === 'numFmt') custom.set(id, cellFormat(attributes.formatCode ?? ''));
      else if (tag === 'cellXfs') inCells = true;
      else if (tag === 'xf' && inCells) formats.push(custom.has(id) ? custom.get(id) : builtIn(id));
    },
    close(tag) {
      if (tag === 'cellXfs') inCells = false;
    },
  });
  return formats;
}

/** The formats that have numbers of their own (ECMA-376 part 1, 18.8.30). */
function builtIn(id: number): CellFormat | undefined {
  if (id === 9 || id === 10) return 'percent';
  if ((id >= 18 && id <= 22) || (id >= 32 && id <= 35) || (id >= 45 && id <= 47)) return 'time';
  return (id >= 14 && id <= 17) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58) ? 'day' : undefined;
}

function cellFormat(code: string): CellFormat | undefined {
  // No bracket inside brackets: otherwise a row of them would be scanned again from each.
  const letters = code.replace(/"[^"]*"|\\.|_.|\*.|\[(?!h|m|s)[^\][]*\]/gi, '');
  if (letters.includes('%')) return 'percent';
  if (/[hs]/i.test(letters)) return 'time';
  return /[dmy]/i.test(letters) ? 'day' : undefined;
}

type Styles = { strings: readonly string[]; formats: readonly (CellFormat | undefined)[]; since1904: boolean };

async function* sheetRecords(file: Bytes, styles: Styles): AsyncGenerator<Record[]> {
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
        // A number that does not count on would hide the row behind an earlier one.
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

/** The text of a cell; undefined if it refers to a missing one. */
function cellText(type: string, value: string, style: number, { strings, formats, since1904 }: Styles): string | undefined {
  if (type === 's') return value === '' ? '' : strings[Number(value)];
  if (type === 'b') return value === '1' ? 'true' : 'false';
  if (type !== 'n') return unescaped(value);
  const format = formats[style];
  const number = Number(value);
  if (value === '' || !Number.isFinite(number)) return value;
  // As Excel shows it: a quarter is 25%, and binary fractions end where it rounds them.
  if (format === 'percent') return `${Number((number * 100).toPrecision(12))}%`;
  return format ? localTime(number + (since1904 ? 1462 : 0), format) : String(number);
}

/** A day number of Excel (whole days since the end of 1899) as ISO 8601 without a zone. */
function localTime(days: number, format: 'day' | 'time'): string {
  const date = new Date(Math.round((days - 25_569) * 86_400) * 1000);
  if (Number.isNaN(date.getTime())) return String(days);
  return date.toISOString().slice(0, format === 'day' && Number.isInteger(days) ? 10 : 19);
}
