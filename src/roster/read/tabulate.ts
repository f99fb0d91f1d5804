/**
 * Makes a table of records: finds the header, leaves blank rows out, counts the others, and marks a row that has more
 * or fewer cells than there are columns.
 */
import { CliError } from '../../errors.ts';
import { count } from '../../model/count.ts';
import { isSecretHeader } from '../../model/secret-keys.ts';
import { sentence } from '../../text/sentence.ts';
import { aloneIn, type Body, refuseHeader, refuseSecondTable } from './divisions.ts';
import { findHeader, type HeaderNames, headRecords, isAddress, isBlank, namesIn } from './header.ts';
import { quote, quoteAll } from './quote.ts';
import { placeOf, type Record, type Table, type TableContent, type TableRow } from './source-table.ts';

export async function tabulate(content: TableContent, names: HeaderNames): Promise<Omit<Table, 'close'>> {
  const { name, format, kind, notes = [] } = content;
  const head = await headOf(content.records());
  if (content.header) {
    if (head.length === 0)
      throw new CliError('invalid_input', sentence`${name} contains no students.`, { hint: 'Add the students below the header.' });
    const body = { content, header: content.header, headerLine: 0, names };
    return { name, format, kind, notes, header: content.header, rows: () => rowsOf(body) };
  }
  const found = findHeader(head, name, names);
  const header = namesIn(found);
  const title = found === head[0] ? [] : [`The header is in line ${found.line}; the lines above it are treated as a title.`];
  const body = { content, header, headerLine: found.line, names };
  return { name, format, kind, notes: [...notes, ...title], header, rows: () => rowsOf(body) };
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

/** The rows below the line of the header. Cells without text at the end of a row, or of the header, count nothing. */
async function* rowsOf(body: Body): AsyncGenerator<TableRow[]> {
  const { content, header, headerLine, names } = body;
  const least = content.kind === 'xlsx' ? 0 : header.findLastIndex((cell) => cell !== '') + 1;
  // An object has its keys with it: nothing in the file divides the items.
  const isJson = content.kind === 'json' || content.kind === 'ndjson';
  let row = 0;
  let isAfterBlank = false;
  for await (const records of content.records()) {
    const rows: TableRow[] = [];
    for (const record of records) {
      const { line } = record;
      if (line < headerLine) continue;
      refuseFormula(body, record);
      if (line === headerLine) continue;
      isAfterBlank ||= isBlank(record) || record.sheet?.afterGap === true;
      if (isBlank(record)) continue;
      refuseHeader(body, record);
      row += 1;
      const cells = record.sheet?.across ? withinColumns(record, header) : record.cells;
      const alone = isJson ? undefined : aloneIn(cells);
      const used = cells.findLastIndex((cell) => cell.trim() !== '') + 1;
      const isWhole = cells.length >= least && used <= header.length;
      if (isAfterBlank && alone === undefined && !(isWhole && (names.rows === 'exams' || cells.some(isAddress))))
        refuseSecondTable(body, record);
      isAfterBlank = false;
      rows.push({
        row,
        line,
        ...(isWhole ? { cells: filled(cells, header.length) } : { cells, ragged: raggedness(content, cells, used, header) }),
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
