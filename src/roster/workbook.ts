/** Excel workbooks (ECMA-376) as Excel, LibreOffice and Google write them: one sheet, with merged cells, dates and hidden rows. */
import { CliError } from '../errors.ts';
import { sentence } from '../text/sentence.ts';
import { cellFormat, cellText, type Styles, unescaped } from './cell-text.ts';
import { openParts, type Parts } from './parts.ts';
import { quote, quoteAll } from './quote.ts';
import { type Found, type FoundRow, isAddress, refused } from './table.ts';

type Sheet = { name: string; path: string; isVisible: boolean };
type SheetRow = FoundRow & { cells: string[]; across?: Set<number> };

/** `wanted`: the name of a sheet, or its number among the visible ones. */
export async function workbookTable(bytes: Buffer, name: string, wanted: string | undefined): Promise<Found> {
  try {
    return await tableIn(await openParts(bytes), name, wanted);
  } catch (error) {
    if (error instanceof CliError || (error instanceof TypeError && !('code' in error))) throw error;
    const why = (error as Error).message.replace(/\.$/, '');
    throw refused(sentence`${name} cannot be read as a workbook: ${why}.`, sentence`Save it again, or save the sheet as CSV.`, error);
  }
}

async function tableIn(parts: Parts, name: string, wanted: string | undefined): Promise<Found> {
  if (!parts.has('xl/workbook.xml'))
    throw refused(sentence`${name} is an archive without a workbook.`, sentence`Unpack it, or save it as .xlsx or CSV.`);
  const styles: Styles = { strings: await sharedStrings(parts), formats: await cellFormats(parts), since1904: false };
  const sheets = await sheetsIn(parts, styles);
  const visible = sheets.filter(({ isVisible }) => isVisible);
  const named = sheets.find((sheet) => sheet.name.trim().toLowerCase() === wanted?.trim().toLowerCase()) ?? visible[Number(wanted) - 1];
  const filled: (Sheet & { rows: SheetRow[] })[] = [];
  for (const sheet of named ? [named] : wanted === undefined ? visible : []) {
    const rows = await sheetRows(parts, sheet.path, styles);
    if (named || rows.length > 0) filled.push({ ...sheet, rows });
  }
  const withAddresses = filled.filter(({ rows }) => rows.some(({ cells }) => cells.some(isAddress)));
  const [sheet, ...more] = withAddresses.length > 0 ? withAddresses : filled;
  const namesOf = (all: readonly Sheet[]) => quoteAll(all.map((one) => one.name));
  if (!sheet || more.length > 0) {
    const none = wanted === undefined ? 'no visible sheet with rows' : `no sheet ${quote(wanted)}`;
    const what = sheet ? `several sheets with rows: ${namesOf([sheet, ...more])}` : `${none}. Its sheets: ${namesOf(visible) || 'none'}`;
    throw refused(sentence`${name} has ${what}.`, sentence`Choose the sheet that has the rows: --sheet NAME`);
  }
  const others = named ? [] : visible.filter(({ path }) => path !== sheet.path);
  const note = sentence`Reading sheet ${quote(sheet.name)}; the workbook also has ${namesOf(others)}. --sheet NAME selects another.`;
  return { format: `Excel workbook, sheet ${quote(sheet.name)}`, place: 'row', rows: sheet.rows, notes: others.length > 0 ? [note] : [] };
}

async function sheetsIn(parts: Parts, styles: Styles): Promise<Sheet[]> {
  const sheets: Sheet[] = [];
  const targets = new Map<string, string>();
  await parts.each('xl/_rels/workbook.xml.rels', (tag, { Id = '', Target = '' }) => {
    if (tag === 'Relationship') targets.set(Id, Target.startsWith('/') ? Target.slice(1) : `xl/${Target}`);
  });
  await parts.each('xl/workbook.xml', (tag, attributes) => {
    if (tag === 'workbookPr') styles.since1904 = isTrue(attributes.date1904);
    if (tag !== 'sheet') return;
    const [, relation = ''] = Object.entries(attributes).find(([key]) => key === 'id' || key.endsWith(':id')) ?? [];
    const { name = '', state = 'visible' } = attributes;
    sheets.push({ name, path: targets.get(relation) ?? `of ${name}`, isVisible: state === 'visible' });
  });
  return sheets;
}

/** The texts that cells refer to by number. */
async function sharedStrings(parts: Parts): Promise<string[]> {
  const strings: string[] = [];
  const path = 'xl/sharedStrings.xml';
  if (parts.has(path)) await parts.each(path, (tag, _, text) => void (tag === 'si' && strings.push(unescaped(text))));
  return strings;
}

/** What each cell style shows. */
async function cellFormats(parts: Parts): Promise<Styles['formats']> {
  const codes = new Map<number, string>();
  let formats: ReturnType<typeof cellFormat>[] = [];
  if (!parts.has('xl/styles.xml')) return [];
  await parts.each('xl/styles.xml', (tag, { numFmtId, formatCode = '' }) => {
    const id = Number(numFmtId);
    if (tag === 'numFmt') codes.set(id, formatCode);
    // What named styles show is repeated in the styles of cells, which stand behind them.
    else if (tag === 'cellStyleXfs') formats = [];
    else if (tag === 'xf') formats.push(cellFormat(id, codes.get(id)));
  });
  return formats;
}

/** Cells of a sheet, filled and empty; a row of Excel can have 16,384. */
const mostCells = 10_000_000;
const mostColumns = 1024;

/** The rows with a text, with the texts of merged cells wherever they reach. */
async function sheetRows(parts: Parts, path: string, styles: Styles): Promise<SheetRow[]> {
  const rows = new Map<number, SheetRow>();
  const merged: string[] = [];
  let row: SheetRow = { line: 0, cells: [] };
  let [line, column, size, isFormula] = [0, 0, 0, false];
  const count = (cells: number) => {
    size += cells;
    if (size > mostCells) throw new Error(`it has more than ${mostCells} cells, or merged cells that overlap`);
  };
  await parts.each(path, (tag, attributes, value) => {
    if (tag === 'f') isFormula = true;
    else if (tag === 'mergeCell') merged.push(attributes.ref ?? '');
    else if (tag === 'row') {
      // A number that does not increase would hide the row behind an earlier one.
      const number = Number(attributes.r);
      line = Number.isInteger(number) && number > line ? number : line + 1;
      const isHidden = isTrue(attributes.hidden) || Number(attributes.ht ?? 1) === 0;
      if (row.cells.length > 0 || row.formula !== undefined) rows.set(line, { ...row, line, ...(isHidden && { hidden: true }) });
      row = { line: 0, cells: [] };
      column = 0;
    } else if (tag === 'c') {
      const { r = '', t = 'n', s = '0' } = attributes;
      column = columnOf(/^[A-Z]{1,4}/.exec(r)?.[0] ?? '') || column + 1;
      // A formula whose value is an empty text says so by its type.
      if (isFormula && value === '' && t !== 'str') row.formula ??= column - 1;
      isFormula = false;
      const text = cellText(t, value, Number(s), styles);
      if (text === undefined) throw new Error(`cell ${column} of row ${line + 1} refers to a text that is missing`);
      if (text === '') return;
      count(Math.max(0, column - row.cells.length));
      while (row.cells.length < column - 1) row.cells.push('');
      row.cells[column - 1] = text;
    }
  });
  for (const reference of merged) fillMerged(rows, line, reference, count);
  return [...rows.values()];
}

const isTrue = (text: string | undefined) => text === '1' || text === 'true';

/** Number, from 1, of a column such as AB; 0 for none. */
function columnOf(letters: string): number {
  return [...letters].reduce((column, letter) => 26 * column + letter.charCodeAt(0) - 64, 0);
}

/** Gives the text of a merged cell, such as B2:C4, to each row and column that it covers. Rows without cells stay empty. */
function fillMerged(rows: ReadonlyMap<number, SheetRow>, last: number, reference: string, count: (cells: number) => void): void {
  const [, from = '', top, to = '', bottom] = /^\$?([A-Z]{1,3})\$?(\d{1,7}):\$?([A-Z]{1,3})\$?(\d{1,7})$/.exec(reference) ?? [];
  const [left, right] = [columnOf(from) - 1, Math.min(columnOf(to), mostColumns) - 1];
  const text = rows.get(Number(top))?.cells[left] ?? '';
  for (let line = Number(top); line <= Math.min(Number(bottom), last); line += 1) {
    count(Math.max(1, right - left + 1));
    const row = rows.get(line);
    if (!row) continue;
    while (row.cells.length <= right) row.cells.push('');
    row.cells.fill(text, left, right + 1);
    row.across ??= new Set();
    for (let column = left + 1; column <= right; column += 1) row.across.add(column);
    if (line > Number(top) && text !== '') row.under = true;
  }
}
