/**
 * Makes a table of records: finds the header, leaves blank rows out, counts the others, and marks a row that has more
 * or fewer cells than there are columns. What divides or ends a table stops the whole of it, because the rows around
 * it may not belong together: a heading, a header that is repeated.
 */
import { CliError } from '../../errors.ts';
import { count } from '../../model/count.ts';
import { isSecretHeader } from '../../model/secret-keys.ts';
import { sentence } from '../../text/sentence.ts';
import { findHeader, type HeaderNames, headRecords, isAddress, isBlank, namesIn, textsIn } from './header.ts';
import { quote, quoteAll } from './quote.ts';
import { placeOf, type Record, type Table, type TableContent, type TableRow } from './table.ts';

export async function tabulate(content: TableContent, names: HeaderNames): Promise<Omit<Table, 'digest' | 'beside' | 'close'>> {
  const { name, format, kind, encoding, notes = [] } = content;
  const head = await headOf(content.records());
  if (content.header) {
    if (head.length === 0)
      throw new CliError('invalid_input', sentence`${name} contains no students.`, { hint: 'Add the students below the header.' });
    const body = { content, header: content.header, headerLine: 0, names };
    return { name, format, kind, encoding, notes, header: content.header, rows: () => rowsOf(body) };
  }
  const found = findHeader(head, name, names);
  const header = namesIn(found);
  const title = found === head[0] ? [] : [`The header is in line ${found.line}; the lines above it are treated as a title.`];
  const body = { content, header, headerLine: found.line, names };
  return { name, format, kind, encoding, notes: [...notes, ...title], header, rows: () => rowsOf(body) };
}

/** The first records that are not blank. */
async function headOf(records: AsyncGenerator<Record[]>): Promise<Record[]> {
  const head: Record[] = [];
  for await (const portion of records) {
    for (const record of portion) {
      if (!isBlank(record)) head.push(record);
      if (head.length === headRecords) return head;
    }
  }
  return head;
}

type Body = { content: TableContent; header: readonly string[]; headerLine: number; names: HeaderNames };

/** The rows below the line of the header. Cells without text at the end of a row, or of the header, count nothing. */
async function* rowsOf(body: Body): AsyncGenerator<TableRow[]> {
  const { content, header, headerLine } = body;
  const least = content.kind === 'xlsx' ? 0 : header.findLastIndex((cell) => cell !== '') + 1;
  // An object has its keys with it: nothing in the file divides the items.
  const isJson = content.kind === 'json' || content.kind === 'ndjson';
  let row = 0;
  for await (const records of content.records()) {
    const rows: TableRow[] = [];
    for (const record of records) {
      const { line } = record;
      if (line < headerLine) continue;
      refuseFormula(body, record);
      if (line === headerLine || isBlank(record)) continue;
      refuseHeader(body, record);
      row += 1;
      const cells = record.sheet?.across ? withinColumns(record, header) : record.cells;
      const alone = isJson ? undefined : aloneIn(cells);
      const used = cells.findLastIndex((cell) => cell.trim() !== '') + 1;
      rows.push({
        row,
        line,
        ...(cells.length >= least && used <= header.length
          ? { cells: filled(cells, header.length) }
          : { cells, ragged: raggedness(content, cells, used, header) }),
        ...(alone !== undefined && { alone }),
      });
    }
    if (rows.length > 0) yield rows;
  }
}

/** Without the copies of a cell that is merged into a column without a name. */
function withinColumns({ cells, sheet }: Record, header: readonly string[]): readonly string[] {
  return cells.map((cell, index) => (sheet?.across?.has(index) && (header[index] ?? '') === '' ? '' : cell));
}

function refuseFormula({ content, header }: Body, { line, sheet }: Record): void {
  if (sheet?.formula === undefined) return;
  const name = header[sheet.formula] ?? '';
  const place = `${placeOf(content, { line })}, column ${sheet.formula + 1}${name === '' ? '' : ` (${quote(name)})`}`;
  throw new CliError('invalid_input', sentence`${content.name}, ${place}: a formula without a stored value.`, {
    hint: 'Open the workbook in Excel or LibreOffice, save it there, and run the command again.',
  });
}

/** Refuses a second header: names of columns under their own, or two of the vocabulary where no address is. */
function refuseHeader({ content, header, names }: Body, record: Record): void {
  const { line, cells } = record;
  const repeated = cells.filter((cell, index) => cell.trim() !== '' && cell.trim().toLowerCase() === header[index]?.toLowerCase());
  const isRepeated = repeated.length > 1 || (repeated.length === 1 && namedIn(header) === 1);
  if (!isRepeated && (cells.some(isAddress) || [...textsIn(record)].filter(names.known).length < 2)) return;
  throw new CliError('invalid_input', sentence`${content.name}, ${placeOf(content, { line })}: the row is a second header.`, {
    hint: 'Import the part above it and the part below it each by itself; or remove the row if they belong together.',
  });
}

const namedIn = (header: readonly string[]) => header.filter((cell) => cell !== '').length;

/** The text of a row that has only one, unless it is an address, however misspelt. */
function aloneIn(cells: readonly string[]): string | undefined {
  const text = cells.find((cell) => cell.trim() !== '')?.trim() ?? '';
  if (cells.some((cell) => cell.trim() !== '' && cell.trim() !== text)) return undefined;
  const isAddress = text.includes('@') && (!/\s/.test(text) || text.endsWith('>'));
  return isAddress ? undefined : text;
}

/** Refuses the whole file for a row with one text alone: a heading says which of the others are meant. */
export function refuseAlone({ name, kind, header }: Pick<Table, 'name' | 'kind' | 'header'>, { line, alone }: TableRow): void {
  if (alone === undefined) return;
  // In a row whose cells have moved, the text may be a password.
  const shown = header.some(isSecretHeader) ? 'a single text' : quote(alone);
  throw new CliError(
    'invalid_input',
    sentence`${name}, ${placeOf({ kind }, { line })}: the row contains nothing but ${shown}; it may be a heading, a footer or an incomplete student.`,
    { hint: 'Complete or remove the row. If it divides the students, check first which part is to be imported.' },
  );
}

function filled(cells: readonly string[], length: number): readonly string[] {
  if (cells.length === length) return cells;
  return Array.from({ length }, (_, index) => cells[index] ?? '');
}

function raggedness(
  { kind }: TableContent,
  cells: readonly string[],
  used: number,
  header: readonly string[],
): NonNullable<TableRow['ragged']> {
  const columns = header.length;
  const longer = used > columns;
  const number = longer ? used : cells.length;
  const what = `the row has ${count(number, 'cell')}, but the header ${columns}`;
  // The cells of a longer row have moved: one of them may be a password.
  const beyond = longer && !header.some(isSecretHeader) ? `; additional cells: ${quoteAll(cells.slice(columns, used), 3)}` : '';
  const separators = longer
    ? 'quote cells that contain the separator'
    : 'add the missing separators; if a spreadsheet left them out, save it as .xlsx';
  const hint = kind === 'xlsx' ? 'give the column a header, or clear the cell' : separators;
  return { column: (longer ? columns : cells.length) + 1, reason: `${what}${beyond}; ${hint}` };
}
