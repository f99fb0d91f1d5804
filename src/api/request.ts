/**
 * Builds the request of an operation: path, query and body. An ID becomes one segment of
 * the path, or is refused.
 */
import { CliError } from '../errors.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { sentence } from '../text/sentence.ts';
import { filled, type Method, type Operation, type Repeat, type TypedLook, typedLook } from './operations.ts';

/** The input of one request besides its operation. */
export type RequestInput = {
  /** Values of the `:name` segments of the path. */
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: JsonObject;
  write?: WriteHooks;
};

/** What a write of a run passes: see `src/runs/step-sender.ts`. It is sent once; what it may rely on is checked when it leaves. */
export type WriteHooks = {
  /** Awaited once the request is the next to leave. */
  prepare(): Promise<void>;
  /** What keeps it from being sent; asked when its moment has come, and again at the request-start event. */
  withheld(): CliError | undefined;
};

/** One request of a command, as data: `--dry-run` prints it, the real run performs it. `note` names what an earlier answer will show. */
export type RequestStep = RequestInput & { operation: Operation; note?: string };

/** A request as it would be sent, for the dry run. */
export type PlannedRequest = { method: Method; url: string; headers: Record<string, string>; body?: Json };

/** A request of `api METHOD PATH`. */
export type RawRequest = {
  method: Method;
  /** Path and query below the base URL. */
  path: string;
  body?: Json;
  repeat: Repeat;
  does: string;
  look?: TypedLook;
};

/** The request that has to be sent for an operation. */
export type Outgoing = RawRequest & {
  /** A write of a run. */
  write?: WriteHooks;
};

/** Path, query and body of an operation's request. Throws `invalid_input` for an ID that would change the path. */
export function outgoingFor(operation: Operation, { params = {}, query = {}, body, write }: RequestInput): Outgoing {
  const path = operation.path.replace(/:(\w+)/g, (_, name: string) => pathSegment(params[name] ?? ''));
  const search = Object.keys(query).length === 0 ? '' : `?${new URLSearchParams(query)}`;
  return {
    method: operation.method,
    path: path + search,
    repeat: operation.repeat,
    does: filled(operation.does, params),
    ...(operation.look === undefined ? {} : { look: typedLook(operation.look, params) }),
    ...(body === undefined ? {} : { body }),
    ...(write === undefined ? {} : { write }),
  };
}

/** An ID as one segment of a path: encoded, or refused where a server might read it as something else. */
export function pathSegment(id: string): string {
  const refuse = (why: string) =>
    new CliError('invalid_input', sentence`The ID ${JSON.stringify(id)} ${why}.`, { hint: 'Give the ID as the service lists it.' });
  if (id.trim() === '') throw refuse('is empty');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[/\\\u0000-\u001f\u007f]/.test(id)) throw refuse('contains a slash or a control character, which would lead to another path');
  if (/^\.+$/.test(id)) throw refuse('consists of dots, which would lead to another path');
  if (!id.isWellFormed()) throw refuse('is not valid text');
  return encodeURIComponent(id);
}
