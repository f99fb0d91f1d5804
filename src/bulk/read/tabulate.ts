/**
 * Makes a table of records: finds the header, leaves blank rows out, counts the others, and refuses a
 * row that has more or fewer cells than there are columns.
 */
import { CliError } from '../../errors.ts';
import { count } from '../../model/count.ts';
import { sentence } from '../../text/sentence.ts';
import { findHeader, headRecords, isBlank, type KnownHeader } from './header.ts';
import type { Content, Record, Row, Table } from './table.ts';

export async function tabulate(content: Content, name: string, known: KnownHeader): Promise<Omit<Table, 'digest' | 'beside' | 'close'>> {
  const { format, kind, encoding, notes = [] } = content;
  const head = await headOf(content.records());
  if (content.header) {
    if (head.length === 0) throw new CliError('invalid_input', sentence`${name} has no students in it.`, { hint: 'Add some.' });
    return { name, format, kind, encoding, notes, header: content.header, rows: () => rowsOf(content, content.header ?? [], 0, name) };
  }
  const found = findHeader(head, name, known);
  const header = found.cells.map((cell) => cell.trim());
  const title = found === head[0] ? [] : [`The header stands in line ${found.line}; what stands above it is taken for a title.`];
  return { name, format, kind, encoding, notes: [...notes, ...title], header, rows: () => rowsOf(content, header, found.line, name) };
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

/** The rows below the line of the header. */
async function* rowsOf(content: Content, header: readonly string[], headerLine: number, name: string): AsyncGenerator<Row[]> {
  let row = 0;
  for await (const records of content.records()) {
    const rows: Row[] = [];
    for (const { line, cells } of records) {
      if (line <= headerLine || isBlank({ line, cells })) continue;
      const whole = content.kind === 'xlsx' ? padded(cells, header.length) : cells;
      if (whole.length !== header.length) throw ragged(content, name, line, whole.length, header.length);
      row += 1;
      rows.push({ row, line, cells: whole });
    }
    if (rows.length > 0) yield rows;
  }
}

/** A row of a sheet ends with its last cell that holds something. */
function padded(cells: readonly string[], length: number): readonly string[] {
  const used = cells.findLastIndex((cell) => cell !== '') + 1;
  return Array.from({ length: Math.max(length, used) }, (_, index) => cells[index] ?? '');
}

function ragged({ kind }: Content, name: string, line: number, cells: number, columns: number): CliError {
  const longer = cells > columns;
  const place = `${name}, line ${line}, column ${(longer ? columns : cells) + 1}`;
  const separators = longer
    ? 'Put a cell that contains the separator in quotes.'
    : 'Add the separators that are missing; where a spreadsheet left them out, save it as .xlsx.';
  return new CliError('invalid_input', sentence`${place}: the row has ${count(cells, 'cell')}, and the header ${columns}.`, {
    hint: kind === 'xlsx' ? 'Give the column a header, or empty the cell.' : separators,
  });
}
