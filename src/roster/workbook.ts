/** Reads an Excel workbook (XML in a ZIP archive), as Excel, LibreOffice and Google write it. */
import { setImmediate as turn } from 'node:timers/promises';
import { SaxesParser } from 'saxes';
import { type Entry, fromBufferPromise } from 'yauzl';
import { CliError } from '../errors.ts';
import { quoteAll } from '../model/count.ts';
import { typedOption } from '../model/shell-quote.ts';
import { quote } from '../text/characters.ts';
import { sentence } from '../text/sentence.ts';
import { type Budget, budgetOf, type Found, type Row, refused } from './table.ts';

/** Calls `element` at the end of each element of a part; false where there is no such part. */
type Parse = (path: string, element: EachElement) => Promise<boolean>;
/** `tag`: without its prefix. `text`: of the cell or string so far, without hints on pronunciation. */
type EachElement = (tag: string, attributes: Attributes, text: string) => void;
type Attributes = { readonly [name: string]: string };
type CellFormat = 'day' | 'time' | 'length' | 'percent';
type Styles = { strings: readonly string[]; formats: readonly (CellFormat | undefined)[]; since1904: boolean; take: Budget };

export async function workbookTable(bytes: Buffer, name: string, wanted: string | undefined, interrupted?: AbortSignal): Promise<Found> {
  try {
    return await tableIn(await opened(bytes, interrupted), name, wanted);
  } catch (error) {
    if (error instanceof CliError || (error instanceof TypeError && !('code' in error))) throw error;
    const why = (error as Error).message.replace(/\.$/, '');
    throw refused(sentence`${name} cannot be read as a workbook: ${why}.`, sentence`Save it again, or save the sheet as CSV.`, error);
  }
}

async function tableIn(parse: Parse, name: string, wanted: string | undefined): Promise<Found> {
  const targets = new Map<string, string>();
  await parse('xl/_rels/workbook.xml.rels', (tag, { Id = '', Target = '' }) => {
    if (tag === 'Relationship') targets.set(Id, Target.startsWith('/') ? Target.slice(1) : `xl/${Target}`);
  });
  const sheets: { name: string; path: string; isVisible: boolean }[] = [];
  let since1904 = false;
  const isWorkbook = await parse('xl/workbook.xml', (tag, attributes) => {
    const { date1904, name: title = '', state = 'visible' } = attributes;
    if (tag === 'workbookPr') since1904 = isTrue(date1904);
    if (tag !== 'sheet') return;
    const [, relation = ''] = Object.entries(attributes).find(([key]) => /^(.*:)?id$/.test(key)) ?? [];
    sheets.push({ name: title, path: targets.get(relation) ?? `sheet ${title}`, isVisible: state === 'visible' });
  });
  if (!isWorkbook) throw refused(sentence`${name} is an archive without a workbook.`, sentence`Unpack it, or save it as .xlsx or CSV.`);
  const strings: string[] = [];
  await parse('xl/sharedStrings.xml', (tag, _, text) => void (tag === 'si' && strings.push(unescaped(text))));
  const styles = { strings, formats: await cellFormats(parse), since1904, take: budgetOf(name) };

  const visible = sheets.filter(({ isVisible }) => isVisible);
  const found: { title: string; rows: Row[] }[] = [];
  const key = wanted?.trim().toLowerCase();
  const named = sheets.find((sheet) => sheet.name.trim().toLowerCase() === key) ?? visible[Number(key) - 1];
  for (const one of wanted === undefined ? visible : [named]) {
    const rows = one && (await sheetRows(parse, one.path, styles));
    if (rows && (named || rows.length > 0)) found.push({ title: one.name, rows });
  }
  const [sheet, ...more] = found;
  if (sheet && more.length === 0) return { format: `Excel workbook, sheet ${quote(sheet.title)}`, place: 'row', rows: sheet.rows };
  const titles = sheet ? found.map(({ title }) => title) : visible.map((one) => one.name);
  const missing = wanted === undefined ? 'no visible sheet with rows' : `no sheet ${quote(wanted)}`;
  const has = sheet ? 'several sheets with rows' : missing;
  const what = sentence`${name} has ${has}. Its sheets: ${quoteAll(titles) || 'none'}.`;
  const options = titles.map((title) => typedOption('--sheet', title)).join(' or ') || '--sheet NAME';
  throw refused(what, sentence`Choose the sheet: ${options}`);
}

async function cellFormats(parse: Parse): Promise<Styles['formats']> {
  const known = new Map(builtIn);
  let formats: (CellFormat | undefined)[] = [];
  await parse('xl/styles.xml', (tag, { numFmtId, formatCode = '' }) => {
    if (tag === 'numFmt') known.set(Number(numFmtId), cellFormat(formatCode));
    // The styles of cells, which follow the named ones, repeat what these show.
    else if (tag === 'cellStyleXfs') formats = [];
    else if (tag === 'xf') formats.push(known.get(Number(numFmtId)));
  });
  return formats;
}

/** Formats without a code in the file (ECMA-376 part 1, 18.8.30): shares, days, times, a length. */
const builtInFormats = { '0%': [9, 10], d: [14, 15, 16, 17], h: [18, 19, 20, 21, 22], '[h]': [46] };
const builtIn = Object.entries(builtInFormats).flatMap(([code, ids]) => ids.map((id) => [id, cellFormat(code)] as const));

function cellFormat(code: string): CellFormat | undefined {
  // No bracket inside brackets, which would take quadratic time.
  const letters = code.replace(/"[^"]*"|\\.|_.|\*.|\[(?!(?:h+|m+|s+)\])[^\][]*\]/gi, '');
  if (letters.includes('%')) return 'percent';
  if (/\[[hms]+\]/i.test(letters)) return 'length';
  if (/[hs]/i.test(letters)) return 'time';
  return /[dmy]/i.test(letters) ? 'day' : undefined;
}

/** The rows with a text. A merged cell's text stands in its first column, in each row. */
async function sheetRows(parse: Parse, path: string, styles: Styles): Promise<Row[]> {
  const rows = new Map<number, Row & { cells: string[] }>();
  const merged: string[] = [];
  let cells: string[] = [];
  let problem: string | undefined;
  let isFormula = false;
  let [line, column] = [0, 0];
  const put = (into: string[], at: number, text: string) => {
    styles.take(Math.max(1, at + 1 - into.length), text.length);
    while (into.length < at) into.push('');
    into[at] = text;
  };
  const endCell = ({ r = '', t = 'n', s = '0' }: Attributes, value: string) => {
    column = columnOf(/^[A-Z]{1,4}/.exec(r)?.[0] ?? '') || column + 1;
    // A formula whose value is an empty text says so by its type.
    if (isFormula && value === '' && t !== 'str')
      problem ??= `column ${column} has a formula without a stored value; open and save the workbook in Excel or LibreOffice`;
    isFormula = false;
    const text = cellText(t, value, Number(s), styles);
    if (text === undefined) throw new Error(`cell ${column} of row ${line + 1} refers to a text that is missing`);
    if (text !== '') put(cells, column - 1, text);
  };
  const endRow = ({ r, hidden, ht = '1' }: Attributes) => {
    // A number that does not increase would hide the row behind an earlier one, and no record can hold any size.
    line = /^\d{1,7}$/.test(r ?? '') && Number(r) > line ? Number(r) : line + 1;
    const isHidden = isTrue(hidden) || Number(ht) === 0;
    if (cells.length > 0 || problem !== undefined) rows.set(line, { line, cells, problem, hidden: isHidden });
    [cells, problem, column] = [[], undefined, 0];
  };
  const isThere = await parse(path, (tag, attributes, value) => {
    if (tag === 'f') isFormula = true;
    else if (tag === 'c') endCell(attributes, value);
    else if (tag === 'row') endRow(attributes);
    else if (tag === 'mergeCell') merged.push(attributes.ref ?? '');
  });
  if (!isThere) throw new Error(`${quote(path)} is missing`);
  const absent: string[] = [];
  for (const reference of merged) {
    const [, letters = '', top, bottom] = /^([A-Z]{1,3})(\d{1,7}):[A-Z]{1,3}(\d{1,7})$/.exec(reference) ?? [];
    const at = columnOf(letters) - 1;
    const text = rows.get(Number(top))?.cells[at] ?? '';
    for (let below = Number(top) + 1; text !== '' && below <= Math.min(Number(bottom), line); below += 1)
      put(rows.get(below)?.cells ?? absent, at, text);
  }
  return [...rows.values()];
}

const isTrue = (text: string | undefined) => text === '1' || text === 'true';

/** From 1, for a column such as AB; 0 for none. */
const columnOf = (letters: string) => [...letters].reduce((column, letter) => 26 * column + letter.charCodeAt(0) - 64, 0);

/** A date becomes the local time that Excel shows. Undefined for a text that is missing. */
function cellText(type: string, value: string, style: number, { strings, formats, since1904 }: Styles): string | undefined {
  if (value === '') return '';
  if (type === 's') return strings[Number(value)];
  if (type === 'b') return value === '1' ? 'true' : 'false';
  const number = Number(value);
  if (type !== 'n' || !Number.isFinite(number)) return unescaped(value);
  const format = formats[style];
  // 0.25 is 25%; 1/3 is rounded to as many digits as a share can have.
  if (format === 'percent') return `${Number((number * 100).toFixed(3))}%`;
  // A time without a day may be a length: Excel writes 15 minutes as 00:15.
  if (number >= 0 && (format === 'length' || (format === 'time' && number < 1))) {
    const seconds = Math.round(number * 86_400);
    return `${Math.floor(seconds / 3600)}${new Date(seconds * 1000).toISOString().slice(13, 19)}`;
  }
  // Days since the end of 1899, or since the beginning of 1904.
  const date = new Date(Math.round((number - 25_569 + (since1904 ? 1462 : 0)) * 86_400) * 1000);
  if ((format !== 'day' && format !== 'time') || Number.isNaN(date.getTime())) return String(number);
  return date.toISOString().slice(0, format === 'day' && Number.isInteger(number) ? 10 : 19);
}

/** Excel writes characters that XML cannot contain as _x000D_. */
function unescaped(text: string): string {
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** Bytes of all parts. Rows that hardly differ unpack to 86 times as much, others to 10 or 20 times. */
const mostUnpacked = ({ length }: Buffer) => Math.min(Math.max(4 << 20, 90 * length), 256 << 20);
/** What an empty part counts. A workbook has some ten. */
const leastPart = 10_000;
const mostEntries = 10_000;

async function opened(bytes: Buffer, interrupted?: AbortSignal): Promise<Parse> {
  const zip = await fromBufferPromise(bytes, { lazyEntries: true });
  const entries = new Map<string, Entry>();
  const most = mostUnpacked(bytes);
  let unpacked = 0;
  if (zip.entryCount > mostEntries) throw new Error(`it has more than ${mostEntries} parts`);
  for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry);
  return async (path, element) => {
    const entry = entries.get(path);
    if (!entry) return false;
    // A part may be named often.
    unpacked += Math.max(leastPart, entry.uncompressedSize);
    if (unpacked > most) throw new Error(`it unpacks to more than ${most >> 20} MB`);
    const decoder = new TextDecoder('utf-8', { fatal: true });
    const parser = xmlParser(path, element);
    for await (const piece of await zip.openReadStreamPromise(entry)) {
      // Signals are heard between two turns.
      await turn();
      interrupted?.throwIfAborted();
      parser.write(decoder.decode(piece, { stream: true }));
    }
    parser.write(decoder.decode());
    parser.close();
    return true;
  };
}

/** Elements in each other; a sheet has about five. */
const deepest = 100;

function xmlParser(path: string, element: EachElement): SaxesParser {
  const parser = new SaxesParser();
  const open: string[] = [];
  let [text, hints] = ['', 0];
  const take = (piece: string) => {
    if (['t', 'v'].includes(open.at(-1) ?? '') && hints === 0) text += piece;
  };
  // The parser's message quotes the text.
  parser.on('error', ({ message }) => {
    throw new Error(`${quote(path)} is incomplete XML (line ${/^\d+/.exec(message)?.[0] ?? 1})`);
  });
  parser.on('text', take);
  parser.on('cdata', take);
  parser.on('opentag', ({ name }) => {
    const tag = name.slice(name.indexOf(':') + 1);
    if (open.push(tag) > deepest) throw new Error(`${quote(path)} is nested more than ${deepest} levels deep (line ${parser.line})`);
    if (tag === 'rPh') hints += 1;
    if (['c', 'si'].includes(tag)) text = '';
  });
  parser.on('closetag', ({ attributes }) => {
    const tag = open.pop() ?? '';
    if (tag === 'rPh') hints -= 1;
    element(tag, attributes as Attributes, text);
  });
  return parser;
}
