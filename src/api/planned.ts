/**
 * The output of `--dry-run`: always a list of requests, even for one request, so that scripts read each
 * command alike.
 */
import type { Client } from './client.ts';
import type { PlannedRequest, RawRequest, RequestStep } from './request.ts';

/** A request that was not sent; `note` names values that are known only after earlier requests. */
type Unsent = PlannedRequest & { note?: string };

/** The steps as a result. A column that no request fills is left out. */
export function planned(client: Client, steps: readonly (RequestStep | RawRequest)[]) {
  const rows = steps.map((step) => unsent(client, step));
  const filled = (key: 'body' | 'note') => (rows.some((row) => row[key] !== undefined) ? [{ key }] : []);
  const columns = [{ key: 'method' }, { key: 'url' }, { key: 'headers', detail: true as const }, ...filled('body'), ...filled('note')];
  const [first] = rows;
  return { kind: 'list' as const, rows, columns, id: null, ...(first && rows.length === 1 ? { alone: { row: first, columns } } : {}) };
}

function unsent(client: Client, step: RequestStep | RawRequest): Unsent {
  if (!('operation' in step)) return client.planRaw(step);
  const { operation, note, ...input } = step;
  return { ...client.plan(operation, input), ...(note === undefined ? {} : { note }) };
}
