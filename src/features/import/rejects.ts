/**
 * The rejects file: each rejected row as it came, with its place and the reason, as CSV. Once corrected, it
 * is imported as it is: its header maps as the original's does, and the three columns are passed over.
 * Secrets are masked, and what a spreadsheet would take for a formula is guarded.
 */

import { type OutputRule, type Write, writeOutputFile } from '../../files/output-file.ts';
import { csvRecord } from '../../model/csv-record.ts';
import { isSecretHeader, mask } from '../../model/secret-keys.ts';
import { isRejectHeader, rejectHeaders } from '../../roster/map/reject-columns.ts';
import type { Table, TableRow } from '../../roster/read/source-table.ts';
import { rejectsFile } from './output-files.ts';
import type { InvalidField, Validated } from './validate.ts';

export type Reject = { code: string; reason: string };

const bufferSize = 1 << 16;

/** Several problems of a row in one. */
function rejectOf(problems: readonly InvalidField[]): Reject | undefined {
  if (problems.length === 0) return undefined;
  return { code: problems.map(({ code }) => code).join(' '), reason: problems.map(({ reason }) => reason).join('; ') };
}

/**
 * Writes the rows that are invalid, and those that the service rejected, by their number, to a private
 * file that is there whole or not at all. Checks the table once more, so that no row has to be kept
 * in memory until then. Throws `output_failed`, or `usage` where the rule forbids the place.
 */
export async function writeRejects(
  path: string,
  rule: OutputRule,
  table: Table,
  { checked }: Pick<Validated, 'checked'>,
  rejected: ReadonlyMap<number, Reject> = new Map(),
): Promise<void> {
  await writeOutputFile(rejectsFile(path), rule, (to) => writeAll(to, table, checked, rejected));
}

async function writeAll(to: Write, table: Table, checked: Validated['checked'], rejected: ReadonlyMap<number, Reject>): Promise<void> {
  const kept = table.header.flatMap((header, index) => (isRejectHeader(header) ? [] : [{ index, secret: isSecretHeader(header) }]));
  // The mark lets spreadsheets see that it is UTF-8.
  let text = `\ufeff${csvRecord([...kept.map(({ index }) => table.header[index] ?? ''), ...rejectHeaders])}\r\n`;
  for await (const rows of checked()) {
    for (const { row, problems } of rows) {
      const reject = rejectOf(problems) ?? rejected.get(row.row);
      if (!reject) continue;
      text += `${csvRecord([...cellsOf(row, kept), String(row.line), reject.code, reject.reason, ...beyondHeader(row, table)])}\r\n`;
      if (text.length < bufferSize) continue;
      await to(text);
      text = '';
    }
  }
  await to(text);
}

function cellsOf(row: TableRow, kept: readonly { index: number; secret: boolean }[]): string[] {
  const from = firstSecret(row, kept.find(({ secret }) => secret)?.index, kept.length);
  return kept.map(({ index, secret }) => {
    const cell = row.cells[index] ?? '';
    return cell !== '' && (secret || index >= from) ? mask : cell;
  });
}

/**
 * Cells without a header, behind the others: the row is invalid until they are gone. Those of a row that was too long are to be
 * put where they belong; a row that was too short gets one, since it would be valid once it is filled up.
 */
function beyondHeader(row: TableRow, { header }: Table): string[] {
  if (!row.ragged) return [];
  if (row.cells.length <= header.length) return ['some cells of this row were missing: put each under its header, then delete this cell'];
  const cells = row.cells.slice(header.length);
  return header.some(isSecretHeader) ? cells.map((cell) => (cell === '' ? '' : mask)) : cells;
}

/** From which cell on a ragged row may hold a secret: its cells may have moved by as many as are missing. */
function firstSecret({ ragged, cells }: TableRow, secret: number | undefined, columns: number): number {
  return ragged && secret !== undefined ? secret - Math.max(0, columns - cells.length) : Number.POSITIVE_INFINITY;
}
