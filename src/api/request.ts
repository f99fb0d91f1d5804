/** Builds the request of an operation: path, query and body. An ID becomes one segment of the path, or is refused. */
import { CliError } from '../errors.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { filled, type Method, type Operation } from './operations.ts';

/** `params`: the values of the `:name` segments of its path. */
export type RequestInput = { params?: Record<string, string>; query?: Record<string, string>; body?: JsonObject };

/** One request of a command. `note`: what an earlier answer will show. */
export type RequestStep = RequestInput & { operation: Operation; note?: string };

/**
 * A request of an operation, or of `api METHOD PATH`. `path`: below the base URL, with the query; `does`: continues "could not …";
 * `look`: the command that shows whether it was carried out.
 */
export type Request = { method: Method; path: string; body?: Json; does: string; look?: string };

export type PlannedRequest = { method: Method; url: string; headers: Record<string, string>; body?: Json };

/** Throws `invalid_input` for an ID that would change the path. */
export function requestFor(operation: Operation, { params = {}, query = {}, body }: RequestInput): Request {
  const path = operation.path.replace(/:(\w+)/g, (_, name: string) => pathSegment(params[name] ?? ''));
  const search = Object.keys(query).length === 0 ? '' : `?${new URLSearchParams(query)}`;
  return {
    method: operation.method,
    path: path + search,
    does: filled(operation.does, params),
    ...(operation.look === undefined ? {} : { look: operation.look(params) }),
    ...(body === undefined ? {} : { body }),
  };
}

/** An ID as one segment of a path: encoded, or refused where a server might read it as something else. */
export function pathSegment(id: string): string {
  if (/^[^/\\\p{Cc}\p{Cs}]*$/u.test(id) && !/^(\s*|\.+)$/.test(id)) return encodeURIComponent(id);
  const what = sentence`${JSON.stringify(id)} is no ID that a path can name: it is empty, only dots, or has a slash or a control character.`;
  throw new CliError('invalid_input', what, { hint: 'Give the ID as the service lists it.' });
}

export function lookFirst({ look }: Pick<Request, 'look'>): Sentence {
  return look === undefined
    ? sentence`Check the resource before you run the command again.`
    : sentence`Before you run the command again, check with: proctor-cli ${look}`;
}

/** The output of `--dry-run`: always a list, so that scripts read each command alike. Empty columns are left out. */
export function planned(client: { plan(request: Request): PlannedRequest }, steps: readonly (RequestStep | Request)[]) {
  const rows = steps.map((step): PlannedRequest & { note?: string | undefined } =>
    'operation' in step ? { ...client.plan(requestFor(step.operation, step)), note: step.note } : client.plan(step),
  );
  const optional = (['body', 'note'] as const).filter((key) => rows.some((row) => row[key] !== undefined));
  const columns = [{ key: 'method' }, { key: 'url' }, { key: 'headers', detail: true as const }, ...optional.map((key) => ({ key }))];
  const [first] = rows;
  return { kind: 'list' as const, rows, columns, id: null, ...(first && rows.length === 1 ? { sheet: { row: first, columns } } : {}) };
}
