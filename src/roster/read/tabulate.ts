/**
 * Makes a table of records: finds the header, leaves blank rows out, counts the others, and marks a
 * row that has more or fewer cells than there are columns.
 */
import { CliError } from '../../errors.ts';
import { count } from '../../model/count.ts';
import { isSecretHeader } from '../../model/secret-keys.ts';
import { sentence } from '../../text/sentence.ts';
import { findHeader, headRecords, isBlank, type KnownHeader } from './header.ts';
import { quoteAll } from './quote.ts';
import type { Record, Table, TableContent, TableRow } from './table.ts';

export async function tabulate(
  content: TableContent,
  name: string,
  known: KnownHeader,
): Promise<Omit<Table, 'digest' | 'beside' | 'close'>> {
  const { format, kind, encoding, notes = [] } = content;
  const head = await headOf(content.records());
  if (content.header) {
    if (head.length === 0)
      throw new CliError('invalid_input', sentence`${name} contains no students.`, { hint: 'Add the students below the header.' });
    return { name, format, kind, encoding, notes, header: content.header, rows: () => rowsOf(content, content.header ?? [], 0) };
  }
  const found = findHeader(head, name, known);
  const header = found.cells.map((cell) => cell.trim());
  const title = found === head[0] ? [] : [`The header is in line ${found.line}; the lines above it are treated as a title.`];
  return { name, format, kind, encoding, notes: [...notes, ...title], header, rows: () => rowsOf(content, header, found.line) };
}

/** The first records that are not blank. */
export async function headOf(records: AsyncGenerator<Record[]>): Promise<Record[]> {
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
async function* rowsOf(content: TableContent, header: readonly string[], headerLine: number): AsyncGenerator<TableRow[]> {
  const least = content.kind === 'xlsx' ? 0 : header.findLastIndex((cell) => cell !== '') + 1;
  let row = 0;
  for await (const records of content.records()) {
    const rows: TableRow[] = [];
    for (const { line, cells } of records) {
      if (line <= headerLine || isBlank({ line, cells })) continue;
      row += 1;
      if (cells.length === header.length) rows.push({ row, line, cells });
      else {
        const used = cells.findLastIndex((cell) => cell.trim() !== '') + 1;
        const whole = cells.length >= least && used <= header.length;
        rows.push(
          whole
            ? { row, line, cells: filled(cells, header.length) }
            : { row, line, cells, ragged: raggedness(content, cells, used, header) },
        );
      }
    }
    if (rows.length > 0) yield rows;
  }
}

function filled(cells: readonly string[], length: number): readonly string[] {
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
