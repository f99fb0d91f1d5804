/**
 * A table, whatever file it was: one header, and rows below it with the place of each. The header is the first line with two known
 * names, or the line above the first address; where the rows are given (`--rows`), it stands above them.
 */
import { CliError } from '../errors.ts';
import { count } from '../model/count.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { quote } from './quote.ts';

/** `line`: where it begins, from 1; in JSON, which item it is. `problem`: not as many cells as the header, or a formula without a value. */
export type Row = { line: number; cells: readonly string[]; problem?: string };

export type Table = {
  /** What messages call the file. */
  name: string;
  /** What it is, in words: "CSV with semicolons, windows-1252". */
  format: string;
  place: 'line' | 'row' | 'item';
  /** Names of the columns, trimmed; one may be empty, none stands twice. */
  header: readonly string[];
  /** In order; blank ones are left out. A row without a problem has a trimmed cell for each column. */
  rows: readonly Row[];
  /** What was passed over, for people. */
  notes: readonly Sentence[];
  /** How text was written, for a file of rejects; a comma and UTF-8 where the file was no delimited text. */
  delimiter: string;
  encoding: string;
};

/** `isKnown`: whether a text names a column, by itself or because the user says so. `rows`: what the rows are. */
export type HeaderNames = { isKnown(header: string): boolean; rows: 'students' | 'exams' };

/** Lines of the file, both included. */
export type RowRange = { from: number; to: number };

/** What a file is refused with. */
export function refused(what: Sentence, hint: Sentence, cause?: unknown): CliError {
  return new CliError('invalid_input', what, { hint, cause });
}

/** A row as a reader finds it. The rest is known of workbooks only; columns are counted from 0. */
export type FoundRow = {
  line: number;
  cells: readonly string[];
  hidden?: true;
  /** The first column with a formula whose value is not stored. */
  formula?: number;
  /** Columns that have their text from a merged cell that begins further left. */
  across?: ReadonlySet<number>;
  /** Some text comes from a merged cell that begins further up. */
  under?: true;
};

/** What a reader makes of a file: rows, the header among them unless the format has it elsewhere. */
export type Found = Pick<Table, 'format' | 'place'> &
  Partial<Pick<Table, 'header' | 'notes' | 'delimiter' | 'encoding'>> & { rows: readonly FoundRow[] };

/** Throws `invalid_input` for a table without a header or without rows, or with a header twice. `hidden`: the lines of hidden rows. */
export function tableOf(name: string, found: Found, names: HeaderNames, range?: RowRange): { table: Table; hidden: number[] } {
  const { format, place, delimiter = ',', encoding = 'utf-8' } = found;
  const filled = found.rows.filter(({ cells, formula }) => formula !== undefined || cells.some((cell) => cell.trim() !== ''));
  if (filled.length === 0) throw refused(sentence`${name} is empty.`, headerHint[names.rows]);
  const at = found.header ? -1 : headerAmong(filled, name, names, range);
  const header = found.header ?? namesIn(filled[at] as FoundRow);
  const where = sentence`${place} ${filled[at]?.line ?? 1}`;
  refuseRepeated(header, sentence`${name}, ${where}`);
  const below = filled.slice(at + 1);
  const isUsed = ({ line }: FoundRow) => !range || (line >= range.from && line <= range.to);
  const used = below.filter(isUsed);
  const left = below.filter((row) => !isUsed(row));
  if (used.length === 0) {
    const rows = range ? sentence`in lines ${range.from} to ${range.to}` : sentence`below it`;
    throw refused(sentence`${name} has a header (${where}) but no rows ${rows}.`, sentence`Add rows, or correct --rows.`);
  }
  const notes = [...(found.notes ?? [])];
  if (at > 0) notes.push(sentence`The header is in ${where}; the ${place}s above it are treated as a title.`);
  const lost = left.filter((row) => hasAddress(row, names)).length;
  if (left.length > 0) notes.push(sentence`--rows leaves out ${count(left.length, place)}, ${lost === 0 ? 'none' : lost} with an address.`);
  const rows = used.map((row) => fitted(row, header, place));
  const hidden = used.filter((row) => row.hidden).map(({ line }) => line);
  return { table: { name, format, place, header, rows, notes, delimiter, encoding }, hidden };
}

const headerHint: Readonly<Record<HeaderNames['rows'], Sentence>> = {
  students: sentence`Add a row with the names of the columns above the students, such as: email,name`,
  exams: sentence`Add a row with the names of the columns above the exams, such as: id,name,date,start,end`,
};

export const isAddress = (cell: string) => /\S@\S/.test(cell);

/** A header may have an @ in it, too. */
const hasAddress = ({ cells }: FoundRow, { isKnown }: HeaderNames) => cells.some((cell) => isAddress(cell) && !isKnown(cell));

/** Its different texts: a merged cell counts once. */
const textsIn = ({ cells }: FoundRow) => [...new Set(cells.map((cell) => cell.trim()))].filter((cell) => cell !== '');

/** The place of the header among rows that are not blank: two known names, the nearest above a range; or above the first row. */
function headerAmong(rows: readonly FoundRow[], name: string, names: HeaderNames, range: RowRange | undefined): number {
  const known = (row: FoundRow | undefined) => (row && !hasAddress(row, names) ? textsIn(row).filter(names.isKnown).length : 0);
  const student = rows.findIndex((row) => hasAddress(row, names));
  const from = range ? rows.findIndex(({ line }) => line >= range.from) : student;
  const above = rows.slice(0, from < 0 ? undefined : range ? from + 1 : from);
  let at = range ? above.findLastIndex((row) => known(row) > 1) : above.findIndex((row) => known(row) > 1);
  const isAbove = range && from > 0 && from < (student < 0 ? rows.length : student) && known(rows[from]) === 0;
  const first = isAbove ? from : student;
  if (at < 0)
    at =
      first < 0
        ? Math.max(
            0,
            rows.findIndex((row) => textsIn(row).length > 1),
          )
        : first - 1;
  // A cell that is merged down from the first line of a header names its column in the last line, too.
  while (at >= 0 && rows[at + 1]?.under && rows[at + 1]?.line === (rows[at]?.line ?? 0) + 1) at += 1;
  if (at >= 0) return at;
  const { line, cells } = rows[student] as FoundRow;
  const several = cells.join().split('@').length > 2 ? '. Or put each address on a line of its own.' : '';
  const what = sentence`${name} has no header: line ${line}, the first with an e-mail address, has none above it.`;
  throw refused(what, sentence`${headerHint[names.rows]}${several}`);
}

/** The names of the columns: a name that is merged across several is that of the first. */
function namesIn({ cells, across }: FoundRow): string[] {
  return cells.map((cell, index) => (across?.has(index) ? '' : cell.trim()));
}

function refuseRepeated(header: readonly string[], place: Sentence): void {
  const folded = header.map((name) => name.toLowerCase());
  const index = folded.findIndex((name, at) => name !== '' && folded.indexOf(name) < at);
  if (index < 0) return;
  const other = folded.indexOf(folded[index] ?? '') + 1;
  const what = sentence`${place}, column ${index + 1}: the header ${quote(header[index] ?? '')} is also that of column ${other}.`;
  throw refused(what, sentence`Rename or remove one of the two columns.`);
}

/** A row with a cell for each column. In text, one with fewer cells than names has lost a separator: its cells may have moved. */
function fitted({ line, cells: found, across, formula }: FoundRow, header: readonly string[], place: Table['place']): Row {
  // A cell that is merged into a column without a name is not copied there.
  const cells = across ? found.map((cell, index) => (across.has(index) && !header[index] ? '' : cell)) : found;
  const used = cells.findLastIndex((cell) => cell.trim() !== '') + 1;
  const least = place === 'line' ? header.findLastIndex((cell) => cell !== '') + 1 : 0;
  const broken = (problem: string) => ({ line, cells, problem });
  const unlike = (number: number) => `the ${place} has ${count(number, 'cell')}, but the header ${header.length}`;
  if (formula !== undefined)
    return broken(`column ${formula + 1} has a formula without a stored value; open and save the workbook in Excel or LibreOffice`);
  if (used > header.length)
    return broken(
      `${unlike(used)}; ${place === 'row' ? 'give the column a header, or clear the cell' : 'quote cells that contain the separator'}`,
    );
  if (cells.length < least)
    return broken(`${unlike(cells.length)}; add the missing separators; if a spreadsheet left them out, save it as .xlsx`);
  return { line, cells: header.map((_, index) => cells[index]?.trim() ?? '') };
}

/** Where a row stands, for people. */
export function placeOf({ place }: Pick<Table, 'place'>, { line }: Pick<Row, 'line'>): string {
  return `${place} ${line}`;
}
