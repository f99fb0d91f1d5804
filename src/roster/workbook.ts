/** Reads an Excel workbook as Excel, LibreOffice and Google write it. What could be shown in two ways stops it, with the cell. */
import { CliError } from '../errors.ts';
import { columnOf, lettersOf } from '../files/column-letters.ts';
import { type Attributes, openPackage, type Package, partName, relationsOf, type XmlAttributes } from '../files/office-file.ts';
import { typedOption } from '../model/shell-quote.ts';
import { quote, quoteAll, sentence } from '../text/sentence.ts';
import { builtInFormats, type CellFormat, formatOf, shownNumber, shownText } from './cell-format.ts';
import { type Budget, budgetOf, type ParsedTable, refusedFile, type TableRow } from './table.ts';

const longestTitle = 200;

type Styles = { strings: readonly string[]; formats: readonly (CellFormat | undefined)[]; since1904: boolean; take: Budget };

export async function workbookTable(
  bytes: Buffer,
  name: string,
  wanted: string | undefined,
  interrupted?: AbortSignal,
): Promise<ParsedTable> {
  try {
    return await tableIn(await openPackage(bytes, interrupted), name, budgetOf(name, bytes), wanted);
  } catch (error) {
    if (error instanceof CliError || (error instanceof TypeError && !('code' in error))) throw error;
    const why = (error as Error).message.replace(/\.$/, '');
    throw refusedFile(sentence`${name} cannot be read as a workbook: ${why}.`, sentence`Save it again, or save the sheet as CSV.`, error);
  }
}

async function tableIn(file: Package, name: string, take: Budget, wanted: string | undefined): Promise<ParsedTable> {
  const part = await workbookPart(file, name);
  const relations = await relationsOf(file, part);
  const byId = new Map(relations.map((one) => [one.id, one]));
  if (byId.size < relations.length) throw new Error('it has two relations of one name');
  const sheets: { name: string; part: string | undefined; isVisible: boolean }[] = [];
  let since1904 = false;
  const isThere = await file.parse(part, (path, { date1904, name: title = '', state = 'visible', '#id': relation }) => {
    if (path === 'workbook/workbookPr') since1904 = isTrue(date1904);
    if (path !== 'sheets/sheet') return;
    const found = byId.get(relation ?? '');
    // Charts and dialogs have no rows.
    if (found && found.kind !== 'worksheet') return;
    // Excel takes 31.
    if (title.length > longestTitle) throw new Error(`a sheet has a name of more than ${longestTitle} characters`);
    sheets.push({ name: title, part: found?.part, isVisible: state === 'visible' });
  });
  if (!isThere) throw refusedFile(...noWorkbook(name));
  const partsOf = (kind: string) => relations.filter((one) => one.kind === kind).map((one) => one.part);
  const strings: string[] = [];
  for (const each of partsOf('sharedStrings'))
    await file.parse(each, (path, _, { t }) => void (path === 'sst/si' && strings.push(unescaped(t))));
  const styles = { strings, formats: await cellFormats(file, partsOf('styles')), since1904, take };

  const visible = sheets.filter(({ isVisible }) => isVisible);
  const found: { title: string; rows: TableRow[] }[] = [];
  const key = wanted?.trim().toLowerCase();
  const named = sheets.find((sheet) => sheet.name.trim().toLowerCase() === key) ?? visible[Number(key) - 1];
  for (const one of wanted === undefined ? visible : [named]) {
    const rows = one && (await sheetRows(file, one, styles));
    if (rows && (named || rows.length > 0)) found.push({ title: one.name, rows });
  }
  const [sheet, ...more] = found;
  if (sheet && more.length === 0) {
    // `--to` writes such a sheet.
    const about = sheets.find((one) => !one.isVisible && one.name === 'about');
    const zone = about && (await sheetRows(file, about, styles)).find(({ cells }) => cells[0] === 'zone')?.cells[1];
    return { format: `Excel workbook, sheet ${quote(sheet.title)}`, place: 'row', rows: sheet.rows, zone };
  }
  const listed = wanted === undefined ? sheets : visible;
  const titles = sheet ? found.map(({ title }) => title) : listed.map((one) => one.name);
  const missing = wanted === undefined ? 'no visible sheet with rows' : `no sheet ${quote(wanted)}`;
  const has = sheet ? 'several sheets with rows' : missing;
  const what = sentence`${name} has ${has}. Its sheets: ${quoteAll(titles) || 'none'}.`;
  const offered = titles.slice(0, 8).map((title) => typedOption('--sheet', title));
  throw refusedFile(what, sentence`Choose the sheet: ${offered.join(' or ') || '--sheet NAME'}`);
}

const noWorkbook = (name: string) =>
  [sentence`${name} is an archive without a workbook.`, sentence`Unpack it, or save it as .xlsx or CSV.`] as const;

/** Throws for an archive of another kind. */
async function workbookPart(file: Package, name: string): Promise<string> {
  const asXlsx = sentence`Save it as .xlsx or CSV.`;
  if (file.names.has('mimetype') && file.names.has('content.xml'))
    throw refusedFile(sentence`${name} is an OpenDocument file (.ods), which cannot be read.`, asXlsx);
  const [main, another] = (await relationsOf(file)).filter(({ kind }) => kind === 'officeDocument');
  if (!main || another) throw refusedFile(...noWorkbook(name));
  const types = new Set<string>();
  let own = '';
  await file.parse('[content_types].xml', (path, { PartName = '', ContentType = '' }) => {
    if (path !== 'Types/Override') return;
    if (partName(PartName) === main.part) own = ContentType;
    if (isMain(ContentType)) types.add(partName(PartName));
  });
  if (/binary/i.test(own) || main.part.endsWith('.bin'))
    throw refusedFile(sentence`${name} is a binary Excel workbook (.xlsb), which cannot be read.`, asXlsx);
  // One reader goes by the types of the parts, another by their relations.
  if ([...types].some((part) => part !== main.part)) throw new Error('it has several workbooks');
  if (own !== '' && !isMain(own)) throw refusedFile(...noWorkbook(name));
  return main.part;
}

const isMain = (type: string) => /^application\/vnd\.(openxmlformats-officedocument\.spreadsheetml|ms-excel)\..*\.main\+xml$/i.test(type);

/** Excel takes some 250. */
const mostFormats = 300;

async function cellFormats(file: Package, parts: readonly string[]): Promise<Styles['formats']> {
  const known = new Map(builtInFormats);
  const ids: number[] = [];
  for (const each of parts)
    await file.parse(each, (path, { numFmtId, formatCode = '' }) => {
      if (known.size > mostFormats) throw new Error(`it has more than ${mostFormats} formats of numbers`);
      if (path === 'numFmts/numFmt') known.set(Number(numFmtId), formatOf(formatCode));
      else if (path === 'cellXfs/xf') ids.push(Number(numFmtId ?? 0));
    });
  return ids.map((id) => known.get(id));
}

/** What a row takes besides its cells, as so many of them. */
const ofRow = 4;

type Sheet = { name: string; part: string | undefined };

/** The rows with a text. A merged cell's text stands in its first column, in each row. */
async function sheetRows({ parse }: Package, { name, part }: Sheet, styles: Styles): Promise<TableRow[]> {
  const rows = new Map<number, TableRow & { cells: string[] }>();
  const lines = new Set<number>();
  const merged: string[] = [];
  let cells: string[] = [];
  let problem: string | undefined;
  let isFormula = false;
  let [line, last, column] = [0, 0, 0];
  const stop = (why: string) => {
    throw new Error(`cell ${lettersOf(column)}${line} ${why}`);
  };
  const put = (into: string[], at: number, text: string) => {
    styles.take(Math.max(1, at + 1 - into.length), text.length);
    while (into.length < at) into.push('');
    into[at] = text;
  };
  const beginRow = ({ r = String(line + 1) }: Attributes) => {
    if (!/^[1-9]\d{0,6}$/.test(r) || Number(r) > mostRows || lines.has(Number(r)))
      throw new Error(`the row after row ${line} has the number ${quote(r)}`);
    line = Number(r);
    lines.add(line);
    last = Math.max(last, line);
    [cells, problem, column] = [[], undefined, 0];
  };
  const endCell = (attributes: Attributes, texts: XmlAttributes) => {
    const { r = `${lettersOf(column + 1)}${line}`, t } = attributes;
    const [, letters = '', below] = cellPlace.exec(r) ?? [];
    column = columnOf(letters);
    if (column < 1 || column > mostColumns || Number(below) !== line) throw new Error(`row ${line} has a cell ${quote(r)}`);
    if (cells[column - 1]) stop('stands twice');
    // A formula whose value is an empty text says so by its type.
    if (isFormula && texts.v === '' && t !== 'str')
      problem ??= `column ${column} has a formula without a stored value; open and save the workbook in Excel or LibreOffice`;
    isFormula = false;
    const text = cellText(attributes, texts, styles, stop);
    if (text !== '') put(cells, column - 1, text);
  };
  const endRow = ({ hidden, ht = '1' }: Attributes) => {
    const isHidden = isTrue(hidden) || Number(ht) === 0;
    if (cells.length === 0 && problem === undefined) return;
    styles.take(ofRow);
    rows.set(line, { line, cells, problem, hidden: isHidden });
  };
  const ended = (path: string, attributes: Attributes, texts: XmlAttributes) => {
    if (path === 'c/f') isFormula = true;
    else if (path === 'row/c') endCell(attributes, texts);
    else if (path === 'sheetData/row') endRow(attributes);
    else if (path === 'mergeCells/mergeCell') merged.push(attributes.ref ?? '');
  };
  const begun = (path: string, attributes: Attributes) => {
    if (path === 'sheetData/row') beginRow(attributes);
  };
  if (part === undefined || !(await parse(part, ended, begun))) throw new Error(`the part of its sheet ${quote(name)} is missing`);
  const absent: string[] = [];
  for (const reference of merged) {
    const [from = '', to = from] = reference.split(':');
    const [[, letters = '', top], [, , bottom]] = [cellPlace.exec(from) ?? [], cellPlace.exec(to) ?? []];
    if (bottom === undefined || top === undefined) throw new Error(`there are no cells ${quote(reference)} to merge`);
    const at = columnOf(letters) - 1;
    const text = rows.get(Number(top))?.cells[at] ?? '';
    for (let below = Number(top) + 1; text !== '' && below <= Math.min(Number(bottom), last); below += 1)
      put(rows.get(below)?.cells ?? absent, at, text);
  }
  return [...rows.values()].sort((one, other) => one.line - other.line);
}

function isTrue(text = '0'): boolean {
  const isSo = ['1', 'true', 't', 'on'].includes(text);
  if (isSo || ['0', 'false', 'f', 'off'].includes(text)) return isSo;
  throw new Error(`it has ${quote(text)} in place of true or false`);
}

const [mostRows, mostColumns] = [1 << 20, 1 << 14];
const cellPlace = /^([A-Z]{1,3})([1-9]\d{0,6})$/i;

const [numeric, isoDate] = [/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i, /^(\d{4}-\d\d-\d\d)?(T?\d\d:\d\d(:\d\d([.]\d+)?)?)?$/];

/** `stop`: with a clause about the cell. */
function cellText({ t: type = 'n', s = '0' }: Attributes, { v, t }: XmlAttributes, styles: Styles, stop: (why: string) => never): string {
  const { strings, formats, since1904 } = styles;
  if (type === 'inlineStr' && v !== '') return stop('is a text with another value');
  const notShown = () => stop('has a number format that cannot be read');
  const shown = (text: string) => shownText(text, formats[Number(s)]) ?? notShown();
  if (type === 'inlineStr') return shown(unescaped(t));
  if (v === '') return t === '' ? '' : stop('has a text that is not of its type');
  // The value may be a secret, and is not shown.
  const unfit = () => stop(`has a value that does not fit its type ${quote(type)}`);
  if (type === 's') return shown(strings[/^\d+$/.test(v) ? Number(v) : -1] ?? stop('refers to a text that is missing'));
  if (type === 'str') return shown(unescaped(v));
  if (type === 'b') return ({ 1: 'true', true: 'true', 0: 'false', false: 'false' } as const)[v] ?? unfit();
  if (type === 'e') return v;
  if (type === 'd') return isoDate.test(v) ? v : unfit();
  const number = Number(v);
  if (type !== 'n' || !numeric.test(v.trim()) || !Number.isFinite(number)) return unfit();
  if (!/^\d+$/.test(s) || (Number(s) > 0 && Number(s) >= formats.length)) return stop(`has a format that is missing`);
  return shownNumber(number, formats[Number(s)], since1904) ?? notShown();
}

/** Excel writes characters that XML cannot contain as _x000D_. */
function unescaped(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
}
