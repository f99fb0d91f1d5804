/** The request of an operation: its path, query and body. */
import { CliError } from '../errors.ts';
import { type Json, type JsonObject, stringifyJson, withSortedKeys } from '../model/json.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { filled, type Method, type Operation } from './operations.ts';

/** `params`: of the path. */
export type RequestInput = {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: JsonObject | undefined;
};

/** `note`: what an earlier answer will show. */
export type RequestStep = RequestInput & { operation: Operation; note?: string };

/** `path`: below the base URL, with the query. `does`, `look`: as in `Operation`. */
export type Request = { method: Method; path: string; body?: Json; does: string; look?: string };

export type PlannedRequest = { method: Method; url: string; headers: Record<string, string>; body?: Json };

/** Throws `invalid_input` for an ID that would change the path. */
export function requestFor(operation: Operation, { params = {}, query = {}, body }: RequestInput): Request {
  const { method, look } = operation;
  const path = operation.path.replace(/:(\w+)/g, (_, name: string) => pathSegment(params[name] ?? ''));
  const search = Object.keys(query).length === 0 ? '' : `?${new URLSearchParams(query)}`;
  const request: Request = { method, path: path + search, does: filled(operation.does, params) };
  if (look) request.look = look(params);
  if (body !== undefined) request.body = body;
  return request;
}

/** The order of fields and of the query says nothing. */
export function isSameRequest(one: Request, other: Request): boolean {
  const [a, b] = [one, other].map(({ method, path, body }) => {
    const { pathname, searchParams } = new URL(path, 'http://path');
    searchParams.sort();
    return stringifyJson(withSortedKeys([method, pathname, String(searchParams), body ?? null]));
  });
  return a === b;
}

/** Refused where a server might read it as more than one segment of a path. */
export function pathSegment(id: string): string {
  if (/^[^/\\\p{Cc}\p{Cs}]*$/u.test(id) && !/^(\s*|\.+)$/.test(id)) return encodeURIComponent(id);
  const why = 'it is empty, only dots, or has a slash or a control character';
  const message = sentence`${JSON.stringify(id)} is no ID that a path can name: ${why}.`;
  throw new CliError('invalid_input', message, { hint: 'Give the ID as the service lists it.' });
}

export function checkBeforeRetryHint({ look }: Pick<Request, 'look'>): Sentence {
  if (look === undefined) return sentence`Check the resource before you run the command again.`;
  return sentence`Before you run the command again, check with: proctor-cli ${look}`;
}
