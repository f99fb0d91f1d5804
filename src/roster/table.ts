/** A table, whatever file it was: a header and the rows below it. */
import { CliError } from '../errors.ts';
import { foldedText } from '../text/fold.ts';
import { count, quote, type Sentence, sentence } from '../text/sentence.ts';

/** `line`: where it begins, from 1; in JSON, which item it is. `problem`: why its cells are not read. */
export type TableRow = { line: number; cells: readonly string[]; problem?: string | undefined; hidden?: boolean };

export type Table = {
  /** What messages call the file. */
  name: string;
  /** "CSV with semicolons, windows-1252". */
  format: string;
  place: 'line' | 'row' | 'item';
  /** Trimmed; a name may be empty, none stands twice. */
  header: readonly string[];
  /** The rows that are not blank. A row without a problem has a trimmed cell for each column. */
  rows: readonly TableRow[];
  notes: readonly Sentence[];
  /** What a file of rejects is written with; a comma and UTF-8 if the file was no delimited text. */
  delimiter: string;
  encoding: string;
  /** The time zone of its times, if the file says it. */
  zone?: string | undefined;
};

/** `isKnown`: whether a text names a column, by itself or because the user says so. */
export type HeaderNames = { isKnown(header: string): boolean; rows: 'students' | 'exams' };

export type RowRange = { from: number; to: number };

export function refusedFile(what: Sentence, hint: Sentence, cause?: unknown): CliError {
  return new CliError('invalid_input', what, { hint, cause });
}

/**
 * A cell counts that a short row lacks, and a text as often as cells show it. `each`: for a byte of the file. No roster
 * is packed so densely.
 */
const limits = {
  cells: { least: 100_000, each: 3, most: 2_000_000 },
  characters: { least: 4_000_000, each: 128, most: 32_000_000 },
} as const;

export type Budget = (cells: number, characters?: number) => void;

/** The memory that one file may take, whatever its format. It counts, and throws `invalid_input` beyond the limit. */
export function budgetOf(name: string, { length }: Buffer): Budget {
  const taken = { cells: 0, characters: 0 };
  const limit = ({ least, each, most }: (typeof limits)[keyof typeof limits]) => Math.min(Math.max(least, each * length), most);
  const most = { cells: limit(limits.cells), characters: limit(limits.characters) };
  return (cells, characters = 0) => {
    taken.cells += cells;
    taken.characters += characters;
    const beyond = (['cells', 'characters'] as const).find((each) => taken[each] > most[each]);
    if (beyond === undefined) return;
    const what = sentence`${name} has more than ${most[beyond]} ${beyond}, counting short rows and merged cells.`;
    throw refusedFile(what, sentence`Leave out columns and rows that are not needed, or split the file.`);
  };
}

/** What a reader makes of a file. The header is among the rows, or on its own (JSON). */
export type ParsedTable = Pick<Table, 'format' | 'place' | 'rows'> & Partial<Pick<Table, 'header' | 'delimiter' | 'encoding' | 'zone'>>;

/** Throws `invalid_input` where the header is missing or has a name twice, or no row is below it. */
export function tableOf(name: string, found: ParsedTable, take: Budget, names: HeaderNames, range?: RowRange): Table {
  const { place, delimiter = ',', encoding = 'utf-8' } = found;
  const filled = found.rows.map(withoutFormulas).filter((row) => row.problem !== undefined || textsIn(row).length > 0);
  if (filled.length === 0) throw refusedFile(sentence`${name} is empty.`, headerHint(names));
  const at = found.header ? -1 : headerAmong(filled, name, names, range);
  const header = found.header ?? filled[at]?.cells.map((cell) => cell.trim()) ?? [];
  const where = sentence`${place} ${filled[at]?.line ?? 1}`;
  const before = new Set<string>();
  const twice = header.find((one) => one !== '' && before.size === before.add(foldedText(one)).size);
  if (twice !== undefined)
    throw refusedFile(sentence`${name}, ${where}: the header ${quote(twice)} stands twice.`, sentence`Rename or remove one of them.`);
  const below = filled.slice(at + 1);
  const isUsed = ({ line }: TableRow) => !range || (line >= range.from && line <= range.to);
  const used = below.filter(isUsed);
  if (used.length === 0) {
    const rows = range ? `in lines ${range.from} to ${range.to}` : 'below it';
    throw refusedFile(sentence`${name} has a header (${where}) but no rows ${rows}.`, sentence`Add rows, or correct --rows.`);
  }
  const notes: Sentence[] = [];
  if (at > 0) notes.push(sentence`The header is in ${where}; the ${place}s above it are treated as a title.`);
  const left = below.filter((row) => !isUsed(row));
  const lost = left.filter((row) => hasAddress(row, names)).length || 'none';
  if (left.length > 0) notes.push(sentence`--rows leaves out ${count(left.length, place)}, ${lost} with an address.`);
  take(header.length * used.length);
  const rows = used.map((row) => withAllCells(row, header, place));
  return { ...found, name, header, rows, notes, delimiter, encoding };
}

/** Which keep a spreadsheet from reading a number: `="0012045"`. */
function withoutFormulas(row: TableRow): TableRow {
  const isFormula = (cell: string) => cell.startsWith('="');
  return row.cells.some(isFormula) ? { ...row, cells: row.cells.map((cell) => cell.replace(/^="([^"]*)"$/, '$1')) } : row;
}

const textsIn = ({ cells }: TableRow) => cells.filter((cell) => cell.trim() !== '');

function headerHint({ rows }: HeaderNames): Sentence {
  const columns = rows === 'students' ? 'email,name' : 'id,name,date,start,end';
  return sentence`Add a row with the names of the columns above the ${rows}, such as: ${columns}`;
}

export const isAddress = (cell: string) => /\S@\S/.test(cell);

/** A header may have an @ in it, too. */
const hasAddress = ({ cells }: TableRow, { isKnown }: HeaderNames) => cells.some((cell) => isAddress(cell) && !isKnown(cell));

/** The header is the first line with two known names; with a range, the nearest above it. */
function headerAmong(rows: readonly TableRow[], name: string, names: HeaderNames, range: RowRange | undefined): number {
  const known = (row: TableRow) => textsIn(row).filter(names.isKnown).length;
  const isNamed = (row: TableRow) => known(row) > 1 && !hasAddress(row, names);
  const isIn = ({ line }: TableRow) => range !== undefined && line >= range.from;
  const first = rows.findIndex((row, at) => hasAddress(row, names) || (at > 0 && isIn(row) && known(row) === 0));
  const from = range ? rows.findIndex(isIn) : first;
  const above = from < 0 ? rows : rows.slice(0, range ? from + 1 : from);
  let at = range ? above.findLastIndex(isNamed) : above.findIndex(isNamed);
  // If no line has known headings, the header is the line above the first address, or the first line with several texts.
  const several = rows.findIndex((row) => textsIn(row).length > 1);
  if (at < 0) at = first < 0 ? Math.max(0, several) : first - 1;
  if (at >= 0) return at;
  const what = sentence`${name} has no header: line ${rows[first]?.line}, the first with an e-mail address, has none above it.`;
  throw refusedFile(what, headerHint(names));
}

/** A row with a cell for each column: spreadsheets leave out empty ones at its end. */
function withAllCells(row: TableRow, header: readonly string[], place: Table['place']): TableRow {
  const { cells, problem } = row;
  if (problem !== undefined) return row;
  const used = cells.findLastIndex((cell) => cell.trim() !== '') + 1;
  if (used <= header.length) return { ...row, cells: header.map((_, index) => cells[index]?.trim() ?? '') };
  const how = place === 'row' ? 'give each column a header' : 'correct its separators, and quote cells that contain one';
  return { ...row, problem: `the ${place} has ${count(used, 'cell')}, but the header ${header.length}; ${how}` };
}

export const placeOf = ({ place }: Table, { line }: TableRow) => `${place} ${line}`;
