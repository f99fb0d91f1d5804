/** A record of a CSV file that is read again: what a spreadsheet would take for a formula is guarded, and numbers are left as they are. */
import { guarded } from './formula.ts';

const number = /^[+-]?\d+([.,]\d+)?$/;

export function csvRecord(cells: readonly string[], delimiter = ','): string {
  return cells.map(field).join(delimiter);
}

function field(cell: string): string {
  const safe = number.test(cell) ? cell : guarded(cell);
  return /[",;|\t\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
