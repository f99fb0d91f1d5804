/**
 * Opens a table in any format. Its bytes decide the format, not its name. Reads JSON, NDJSON and text with separators, in UTF-8,
 * by its mark, or as --encoding says.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import { type CsvError, parse } from 'csv-parse/sync';
import { CliError } from '../errors.ts';
import { markedEncoding } from '../host/inputs.ts';
import { unguarded } from '../model/csv-record.ts';
import { orNone } from '../model/invalid-value.ts';
import { isJsonObject, type Json, parseJson, repeatedName, textOfJson, withPowersAsText } from '../model/json.ts';
import { isSecretHeader, maskSecretKeys } from '../model/secrets.ts';
import { count, firstInLine, quote, type Sentence, sentence } from '../text/sentence.ts';
import {
  type Budget,
  budgetOf,
  type HeaderNames,
  type ParsedTable,
  type RowRange,
  refusedFile,
  type Table,
  type TableRow,
  tableOf,
} from './table.ts';

export type OpenOptions = {
  encoding?: string | undefined;
  /** Name of the sheet, or its number among the visible ones. */
  sheet?: string | undefined;
  rows?: string | undefined;
  /** Whether hidden rows count; without it they stop the file. */
  askHidden?: ((what: Sentence) => Promise<boolean>) | undefined;
  interrupted?: AbortSignal;
  /** Does work of one turn, which may be long. */
  atOnce?: (<T>(work: () => T) => Promise<T>) | undefined;
};

const otherFormats = {
  '1f8b': ['compressed', 'Unpack it first.'],
  '25504446': ['a PDF', 'Export the roster as CSV or .xlsx.'],
} as const;

/** Throws `invalid_input`, with the place. */
export async function openTable(bytes: Buffer, name: string, names: HeaderNames, options: OpenOptions = {}): Promise<Table> {
  const { encoding, sheet, rows, askHidden, interrupted, atOnce = async (work) => work() } = options;
  const range = rows === undefined ? undefined : rangeIn(rows);
  const magic = bytes.toString('hex', 0, 4);
  if (magic === 'd0cf11e0') throw refusedFile(...inContainer(bytes, name));
  for (const [beginning, [what, hint]] of Object.entries(otherFormats))
    if (magic.startsWith(beginning)) throw refusedFile(sentence`${name} is ${what}, which cannot be read.`, sentence`${hint}`);
  const isWorkbook = magic === '504b0304';
  if (!isWorkbook && sheet !== undefined)
    throw new CliError('usage', sentence`${name} is not an Excel workbook and has no sheets.`, { hint: 'Leave out --sheet.' });
  const { workbookTable } = isWorkbook ? await import('./workbook.ts') : {};
  const found = await workbookTable?.(bytes, name, sheet, interrupted);
  const table = await atOnce(() =>
    tableOf(name, found ?? textTable(bytes, name, encoding, names.isKnown), budgetOf(name, bytes), names, range),
  );
  return withoutHidden(table, range ? async () => true : askHidden);
}

/** A file of files, whose names are in UTF-16. */
function inContainer(bytes: Buffer, name: string): [what: Sentence, hint: Sentence] {
  const has = (stream: string) => bytes.includes(Buffer.from(`${stream}\0`, 'utf16le'));
  if (has('EncryptedPackage')) return [sentence`${name} is locked by a password.`, sentence`Save it without a password.`];
  const what = has('Workbook') || has('Book') ? 'an old Excel workbook (.xls)' : 'an old Office document';
  return [sentence`${name} is ${what}, which cannot be read.`, sentence`Save it as .xlsx or CSV.`];
}

function rangeIn(text: string): RowRange {
  const [, from, to] = /^(\d{1,7})-(\d{1,7})$/.exec(text.trim()) ?? [];
  const range = { from: Number(from), to: Number(to) };
  if (range.from >= 1 && range.to >= range.from) return range;
  const what = sentence`--rows takes the first and the last line of the roster, not ${quote(text)}.`;
  throw new CliError('usage', what, { hint: 'For example: --rows 2-58' });
}

/** Throws `invalid_input` where nobody says whether hidden rows count. */
async function withoutHidden(table: Table, ask: OpenOptions['askHidden']): Promise<Table> {
  const hidden = table.rows.filter((row) => row.hidden);
  if (hidden.length === 0) return table;
  const range = `${table.rows[0]?.line}-${table.rows.at(-1)?.line}`;
  const rows = count(hidden.length, 'hidden row');
  const what = sentence`${table.name} has ${rows} (${firstInLine(hidden, ({ line }) => String(line), 20)})`;
  const hint = sentence`Show or delete them, and save the file. To count them: --rows ${range}`;
  if (!ask) throw refusedFile(sentence`${what}; a filter hides rows.`, hint);
  const counts = await ask(what);
  const note = sentence`${rows} ${counts ? `included, as with --rows ${range}` : 'left out'}.`;
  const used = table.rows.filter((row) => counts || !row.hidden);
  return { ...table, rows: used, notes: [...table.notes, note] };
}

export function textTable(bytes: Buffer, name: string, named: string | undefined, isKnown: HeaderNames['isKnown']): ParsedTable {
  const { text, encoding } = decodedFile(bytes, name, named);
  const beginning = text.slice(0, 1000).trimStart();
  if (/^<(!doctype|!--|html|head|body|table|\?xml)/i.test(beginning))
    throw refusedFile(sentence`${name} is a web page or XML, despite its name.`, sentence`Save it as .xlsx or CSV from a spreadsheet.`);
  const isArray = /^\[\s*[[{\]"]/.test(beginning);
  const take = budgetOf(name, bytes);
  take(0, text.length);
  const isJson = isArray || /^\{\s*["}]/.test(beginning);
  const found = isJson ? jsonTable(text, name, isArray, take) : delimited(text, name, isKnown, take);
  const format = encoding === 'utf-8' ? found.format : `${found.format}, ${encoding}`;
  return { ...found, format, encoding };
}

const lineEnd = /\r\n|\n|\r/;

const oddWord = /[^\s,;"<>@]{0,40}[^\0-\x7f][^\s,;"<>@]{0,40}/;

/** Whether the bytes say their encoding, by a mark of UTF-16 or as valid UTF-8: then --encoding is not meant for this file. */
export function saysEncoding(bytes: Buffer): boolean {
  return markedEncoding(bytes) !== 'utf-8' || (isUtf8(bytes) && !bytes.includes(0));
}

function decodedFile(bytes: Buffer, name: string, named: string | undefined): { text: string; encoding: string } {
  const encoding = named === undefined ? markedEncoding(bytes) : encodingNamed(named);
  const text = new TextDecoder(encoding).decode(bytes);
  // Text in another encoding is almost never valid UTF-8 by chance.
  if (!encoding.startsWith('utf') && isUtf8(bytes) && !isAscii(bytes))
    throw refusedFile(sentence`${name} is UTF-8, and not ${encoding}.`, sentence`Leave out --encoding.`);
  const at = text.search(encoding === 'utf-8' && isUtf8(bytes) ? /\0/ : /[\0\ufffd]/);
  if (at < 0) return { text, encoding };
  const lines = text.slice(0, at).split(lineEnd);
  const place = sentence`${name}, line ${lines.length}, character ${(lines.at(-1)?.length ?? 0) + 1}`;
  if (text[at] === '\0')
    throw refusedFile(
      sentence`${place}: NUL character.`,
      sentence`If it is UTF-16, add: --encoding utf-16${at % 2 === 0 ? 'be' : 'le'}. Otherwise remove it.`,
    );
  const isSecret = text
    .slice(0, 64 << 10)
    .split(/[,;|\t\r\n"]/)
    .some(isSecretHeader);
  const shown = isSecret
    ? 'not shown, as a column holds secrets'
    : quote(oddWord.exec(new TextDecoder('windows-1252').decode(bytes))?.[0] ?? '');
  const hint = sentence`As windows-1252, the first word in doubt is ${shown}: if that is right, add --encoding windows-1252. Otherwise name the encoding of the file, or save it as UTF-8.`;
  throw refusedFile(sentence`${place}: invalid ${encoding.toUpperCase()}.`, hint);
}

/** The standard's name for cp1252, latin1, l9 and the like. */
function encodingNamed(name: string): string {
  const known = orNone(() => new TextDecoder(name.trim()).encoding);
  if (known !== undefined) return known;
  throw new CliError('usage', sentence`Unknown encoding ${quote(name)}.`, { hint: 'For example: --encoding windows-1252' });
}

/** A key of any of the objects is a column. */
function jsonTable(text: string, name: string, isArray: boolean, take: Budget): ParsedTable {
  const place = isArray ? 'item' : 'line';
  const inLine = (line: string, index: number) => (line.trim() === '' ? {} : parsedJson(line, `${name}, line ${index + 1}`));
  const values = isArray ? (parsedJson(text, name) as Json[]) : text.split(lineEnd).map(inLine);
  const records = values.map((value, index) => {
    if (isJsonObject(value)) return new Map(Object.entries(value));
    throw refusedFile(sentence`${name}, ${place} ${index + 1}: not an object.`, jsonHint);
  });
  const header = [...new Set(records.flatMap((record) => [...record.keys()]))];
  take(header.length * records.length);
  const cellsOf = (record: ReadonlyMap<string, Json>) => header.map((key) => textOfJson(maskSecretKeys(record.get(key) ?? '')));
  const rows = records.map((record, index) => ({ line: index + 1, cells: cellsOf(record) }));
  return { format: isArray ? 'JSON' : 'NDJSON', place, header, rows };
}

const jsonHint = sentence`Give an array of objects, such as [{"email":"a@example.org"}], or a whole object on each line.`;

function parsedJson(text: string, name: string): Json {
  try {
    const value = parseJson(text, withPowersAsText);
    const repeated = repeatedName(text);
    if (repeated !== undefined) throw new SyntaxError(`the key ${quote(repeated)} stands twice in one object`);
    return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw refusedFile(sentence`${name}: invalid JSON, ${error.message.replace('line 1, ', '')}.`, jsonHint, error);
  }
}

/** `="0012045"` without quotes around it. */
const textFormula = /(^|[,;\t|\r\n])="([^"\r\n]*)"(?=[,;\t|\r\n]|$)/g;

const delimiters: Readonly<Record<string, string>> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'bars' };

function delimited(text: string, name: string, isKnown: HeaderNames['isKnown'], take: Budget): ParsedTable {
  const [, declared] = /^sep=([^"\s\w]|\t)(?=\r|\n|$)/i.exec(text) ?? [];
  const delimiter = declared ?? delimiterOf(text, isKnown);
  const { rows, fault } = separated(text.replaceAll(textFormula, '$1"$2"'), delimiter, take);
  if (fault)
    throw refusedFile(sentence`${name}, ${fault}.`, sentence`Close each quote, quote whole cells, and double the quotes inside them.`);
  const format = `CSV with ${delimiters[delimiter] ?? quote(delimiter)}`;
  return { format, place: 'line', delimiter, rows: declared === undefined ? rows : rows.slice(1) };
}

/** The delimiter with which most headers are known; of several, the one with which most lines have the same number of cells. */
function delimiterOf(text: string, isKnown: HeaderNames['isKnown']): string {
  const score = (delimiter: string) => {
    // A wrong delimiter may fail at a quote in the middle of a cell: the rows before it count.
    const { rows } = separated(text.slice(0, 64 << 10), delimiter, () => {}, 40);
    const sizes = rows.map(({ cells }) => cells.length).filter((size) => size > 1);
    const alike = sizes.map((size) => sizes.filter((other) => other === size).length);
    const known = rows.map(({ cells }) => cells.filter(isKnown).length);
    return 2 * Math.max(0, ...known) + Math.max(0, ...alike) / Math.max(1, rows.length);
  };
  const scores = Object.keys(delimiters).map((delimiter) => ({ delimiter, score: score(delimiter) }));
  return scores.reduce((best, each) => (each.score > best.score ? each : best)).delimiter;
}

const faults: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote that starts here is never closed',
  INVALID_OPENING_QUOTE: 'a cell has a quote in the middle',
  CSV_INVALID_CLOSING_QUOTE: 'a quote is closed before the cell ends',
};

/** An address, and a student's number. */
const whoIs = [/^"?[^\s@"]+@[^\s@"]+"?$/, /^"?[\w/.-]{0,20}\d{4}"?$/];

/** Whether a line in a cell is a row like its own (`own`: the forms of its cells): the quote of a line below has closed the cell, and students would be lost. */
function isLike(own: readonly (readonly boolean[])[], inside: readonly string[]): boolean {
  const isOne = (text: string, at: number) => whoIs.some((form, which) => own[at]?.[which] && form.test(text));
  return inside.length > 1 && inside.length >= own.length && inside.some(isOne);
}

/** RFC 4180 with any delimiter and line ends. `fault`: what ends the rows, with its place. */
function separated(text: string, delimiter: string, take: Budget, most = -1): { rows: TableRow[]; fault: Sentence | undefined } {
  const rows: TableRow[] = [];
  let line = 1;
  const on_record = (cells: string[]) => {
    take(cells.length);
    rows.push({ line, cells: cells.map(unguarded) });
    const lines = cells.map((cell) => cell.split(lineEnd));
    const isBroken = lines.some(({ length }) => length > 1);
    const own = isBroken ? cells.map((cell) => whoIs.map((form) => form.test(cell))) : [];
    const column = lines.findIndex(([, ...below]) => below.some((text) => isLike(own, text.split(delimiter))));
    if (column >= 0) throw Object.assign(new Error(), { code: 'CSV_QUOTE_NOT_CLOSED', column });
    line += lines.reduce((sum, { length }) => sum + length - 1, 1);
    return null;
  };
  try {
    parse(text, { delimiter, record_delimiter: ['\r\n', '\n', '\r'], relax_column_count: true, to: most, on_record });
    return { rows, fault: undefined };
  } catch (error) {
    if (error instanceof CliError) throw error;
    const { code, column } = error as CsvError;
    return { rows, fault: sentence`line ${line}, column ${Number(column) + 1}: ${faults[code] ?? 'the row cannot be read'}` };
  }
}
