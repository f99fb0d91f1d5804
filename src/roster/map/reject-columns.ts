/** The columns that a rejects file adds to those of its roster; they say nothing about a student. */
import type { Table } from '../read/source-table.ts';

export const rejectHeaders = ['reject_line', 'reject_code', 'reject_reason'] as const;

export function isRejectHeader(header: string): boolean {
  return rejectHeaders.some((one) => one === header);
}

/**
 * Whether these lines were judged when their roster was imported: a rejects file has only students. A line with too many or too few
 * cells was not judged.
 */
export async function isJudgedBefore(table: Table): Promise<boolean> {
  const index = table.header.indexOf('reject_code');
  if (index < 0) return false;
  for await (const rows of table.rows()) {
    if (rows.some(({ cells }) => (cells[index] ?? '').split(' ').includes('ragged') || (cells[index] ?? '').trim() === '')) return false;
  }
  return true;
}
