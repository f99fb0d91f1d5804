/** The columns that a file of rejects adds to those of its roster; they say nothing about a student. */
import type { Row, Table } from './table.ts';

export const rejectHeaders = ['reject_line', 'reject_reason'] as const;

export function isRejectHeader(header: string): boolean {
  return rejectHeaders.some((one) => one === header);
}

/** The cells of a rejected line. One with too many or too few cells was not judged: its columns are, once it is corrected; so it has no number. */
export function rejectCells({ line, problem }: Row, reason: string): [line: string, reason: string] {
  return problem === undefined ? [String(line), reason] : ['', `line ${line}: ${reason}`];
}

/** Whether these lines were judged when their roster was read: its undeclared columns were declared then, and a few lines of them look different. */
export function wasJudged({ header, rows }: Table): boolean {
  const [line = -1, reason = -1] = rejectHeaders.map((one) => header.indexOf(one));
  return line >= 0 && reason >= 0 && rows.every(({ cells }) => /^\d+$/.test(cells[line] ?? '') && cells[reason] !== '');
}
