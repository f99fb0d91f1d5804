/**
 * What `--dry-run` prints in place of sending: always a list of requests, one request included, so
 * that a script reads each command alike.
 */
import type { PlannedRequest } from './request.ts';

/** A request that was not sent; `note` says what is known only once others are. */
export type Unsent = Omit<PlannedRequest, 'headers'> & { headers?: Record<string, string>; note?: string };

/** The requests as a result. A column that no request fills is left out. */
export function planned(rows: readonly Unsent[]) {
  const filled = (key: 'body' | 'note') => (rows.some((row) => row[key] !== undefined) ? [{ key }] : []);
  const columns = [{ key: 'method' }, { key: 'url' }, { key: 'headers', detail: true as const }, ...filled('body'), ...filled('note')];
  const [first] = rows;
  return { kind: 'list' as const, rows, columns, id: null, ...(first && rows.length === 1 ? { alone: first } : {}) };
}
