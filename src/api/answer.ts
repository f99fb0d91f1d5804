/** The answer to a request: its status, its JSON, the record in it; or the failure in its place. */
import { CliError } from '../errors.ts';
import { durationInWords } from '../model/duration.ts';
import { orNone } from '../model/invalid-value.ts';
import { booleanIn, fieldAt, idTypeOf, isJsonObject, type Json, type JsonObject, parseJson, stringifyJson } from '../model/json.ts';
import { maskSecretKeys, type Secrets } from '../model/secrets.ts';
import { spaced } from '../text/fold.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { type Dialect, resourceNames, wrappers } from './dialect.ts';
import type { AnsweredResource, Operation } from './operations.ts';

/** Bytes. */
export const largestAnswer = 64_000_000;

/** `headers`: repeated ones joined. `body`: unpacked; of a failure, as much as came. `broken`: why it could not be unpacked. */
export type HttpAnswer = { status: number; headers: Readonly<Record<string, string>>; body: Buffer; broken: string | undefined };

export type Reply = {
  status: number;
  tookMs: number;
  /** By how much the service's clock is ahead of this machine's. */
  clockAheadMs: number | undefined;
  headers: HttpAnswer['headers'];
  /** The body as JSON, or else as text. */
  data: Json | undefined;
  /** What is wrong with the body; continues "answered with …". */
  broken: string | undefined;
  /** What the service says of a failure: a sentence, or empty. */
  words: string;
};

export function isSuccess({ status }: Pick<Reply, 'status'>): boolean {
  return status >= 200 && status <= 299;
}

/** Whether the service may have carried out the request all the same. */
export function isUnclear(status: number): boolean {
  return status >= 500 || status === 408 || status === 425 || status === 499;
}

/** Too many requests for now. */
export function isLimit({ status, headers }: Pick<Reply, 'status' | 'headers'>): boolean {
  return status === 429 || (status === 403 && headers['retry-after'] !== undefined);
}

/** Milliseconds since 1970. */
type Moments = { sent: number; received: number };

/** Secrets are masked, but for those of a success that were asked for. */
export function replyOf(answer: HttpAnswer, moments: Moments, secrets: Secrets): Reply {
  const { status, headers } = answer;
  const isFailure = !isSuccess(answer);
  const read = readBody(answer);
  // Text that is no JSON may be JSON that was cut short.
  const masked = typeof read.data === 'string' ? secrets.maskedWords(read.data) : secrets.maskedIn(read.data);
  const data = secrets.revealed && !isFailure ? read.data : masked;
  const broken = read.broken && secrets.maskedWords(read.broken);
  const said = () => (broken === undefined ? secrets.maskedWords(textsInAnswer(data)) : `its answer is ${broken}.`);
  const words = isFailure || saysNo(data) ? said() : '';
  const tookMs = moments.received - moments.sent;
  return { status, tookMs, clockAheadMs: clockAhead(headers, moments), headers, data, broken, words };
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function readBody({ status, headers, body, broken: packed }: HttpAnswer): Pick<Reply, 'data' | 'broken'> {
  if (packed !== undefined) return { data: undefined, broken: packed };
  const text = orNone(() => utf8.decode(body));
  if (text === undefined) return { data: undefined, broken: 'text that is not UTF-8' };
  // Some services send JSON, and empty answers, under the type of pages.
  const isOther = /html/i.test(headers['content-type'] ?? '') && /^\s*[^[{\s]/.test(text);
  const isHtml = isOther || /^\s*<(!doctype|html|head|body)/i.test(text);
  if (isHtml) return { data: undefined, broken: 'HTML instead of JSON' };
  if (text.trim() === '') return { data: undefined, broken: undefined };
  try {
    return { data: parseJson(text), broken: undefined };
  } catch (error) {
    if (!isSuccess({ status }) || !/^\s*[[{"]/.test(text)) return { data: text, broken: undefined };
    return { data: text, broken: `JSON that cannot be read (${(error as Error).message})` };
  }
}

/** Characters of foreign text, and texts of a document. */
const [longestText, textsAtMost] = [500, 10];

/** Paths that say no more than the text itself. */
const plainKeys: ReadonlySet<string> = new Set(['', 'error', 'message', 'detail']);

/** The texts in a document, each behind its path, as a sentence; or empty. What its summary says is not said again. */
export function textsInAnswer(data: Json | undefined): string {
  const texts: (readonly [path: string, text: string])[] = [];
  const visit = (value: Json | undefined, path: string) => {
    if (texts.length === textsAtMost) return;
    if (Array.isArray(value)) for (const item of value) visit(item, path);
    else if (isJsonObject(value)) for (const [key, item] of Object.entries(value)) visit(item, path === '' ? key : `${path}.${key}`);
    else if (typeof value === 'string' && /[\p{L}\p{N}]/u.test(value)) texts.push([path, value.slice(0, longestText + 1)]);
  };
  visit(maskSecretKeys(data), '');
  const summary = texts.map(([path, text]) => (plainKeys.has(path) ? text.toLowerCase() : '')).join('; ');
  const isSaid = (path: string, text: string) => {
    const key = path.slice(path.lastIndexOf('.') + 1);
    return path.includes('.') && summary.includes((plainKeys.has(key) || key === 'field' ? text : `${key} ${text}`).toLowerCase());
  };
  const inWords = texts.flatMap(([path, text]) => (isSaid(path, text) ? [] : (plainKeys.has(path) ? '' : `${path}: `) + text));
  const line = spaced(inWords.join('; ').replace(/\.(?=; )/g, ''));
  if (line === '') return '';
  const short = line.length > longestText ? `${line.slice(0, longestText)}…` : line;
  return /[.!?…]$/.test(short) ? short : `${short}.`;
}

const empty = ['null', 'false', '0', '""', '[]', '{}'];

/** A success that says no. The status of a record is its own. */
export function saysNo(data: Json | undefined): boolean {
  if (!isJsonObject(data)) return false;
  const { id, status, success, ok, error = null, errors = null } = data;
  if (id === undefined && (status === 'error' || status === 'fail')) return true;
  if ([success, ok].some((value) => booleanIn(value) === false)) return true;
  return [error, errors].some((problem) => !empty.includes(stringifyJson(problem)));
}

/** Seconds in a cache; 0 for an answer of the service. */
export function ageOf({ age = '' }: Reply['headers']): number {
  return Number.parseInt(age, 10) || 0;
}

/** Milliseconds since 1970; NaN for another form than those of HTTP: `Date.parse` finds a date in "see 2099". */
export function httpDate(text = ''): number {
  return /^\w+, \d\d[ -]\w{3}[ -]\d+ [\d:]{8} GMT$/.test(text) ? Date.parse(text) : Number.NaN;
}

/** A smaller difference may be the way of the answer. Milliseconds. */
const agreement = 5000;

/** Milliseconds since 1970; undefined where it is not shown, or by a copy of a cache. */
export function dateOf(headers: Reply['headers']): number | undefined {
  const there = ageOf(headers) > 0 ? Number.NaN : httpDate(headers.date);
  return Number.isNaN(there) ? undefined : there;
}

function clockAhead(headers: Reply['headers'], { sent, received }: Moments): number | undefined {
  const there = dateOf(headers);
  if (there === undefined) return undefined;
  // The date is in whole seconds.
  const ahead = there < sent ? there + 1000 - sent : Math.max(0, there - received);
  return Math.abs(ahead) < agreement ? 0 : Math.round(ahead / 1000) * 1000;
}

export function clockDifference(aheadMs: number): Sentence {
  const minute = 60_000;
  const span = Math.abs(aheadMs);
  // The words cut off the seconds: 59 min 59 s is an hour.
  const by = durationInWords(span < 10 * minute ? span : Math.round(span / minute) * minute);
  const where = aheadMs > 0 ? 'ahead of' : 'behind';
  return sentence`The service's clock is ${by} ${where} this machine's`;
}

/** The record in an answer: bare, or in a field with a usual name, or with that of the lists. */
export function unwrap(data: Json | undefined, operation: Operation, dialect: Dialect): Json | undefined {
  if (!isJsonObject(data)) return data;
  const names = Object.hasOwn(data, dialect.idKey) ? [] : [...resourceNames[operation.resource].one, ...wrappers, dialect.listKey];
  const inner = names.map((name) => fieldAt(data, name)).find(isJsonObject);
  return inner ? unwrap(inner, operation, dialect) : recordOf(data, dialect);
}

/** The record in an item of a list, where such a field stands alone. */
export function unwrapItem(item: Json, operation: Operation, dialect: Dialect): Json {
  const hasMore = isJsonObject(item) && Object.keys(item).length > 1;
  return hasMore ? recordOf(item, dialect) : (unwrap(item, operation, dialect) as Json);
}

/** The record with its ID as `id`. */
function recordOf(item: JsonObject, { idKey }: Dialect): JsonObject {
  if (idKey === 'id') return item;
  const { id: _another, ...fields } = item;
  const id = fields[idKey];
  return id === undefined ? fields : { id, ...fields };
}

/** What is wrong with a record; a proctor may be an ID. */
export function recordProblem(resource: AnsweredResource, item: Json | undefined): string | undefined {
  if (isJsonObject(item)) return item.id === undefined || idTypeOf(item.id) ? undefined : `id is ${jsonKind(item.id)}`;
  return resource === 'proctor' && idTypeOf(item) ? undefined : `it is ${jsonKind(item)}`;
}

export function jsonKind(value: Json | undefined): string {
  if (Array.isArray(value)) return 'a list';
  if (isJsonObject(value)) return 'an object';
  if (value === null) return 'null';
  return value === undefined ? 'an empty body' : `a ${typeof value}`;
}

type FailureDetails = { cause?: unknown; hint?: Sentence | undefined; lasting?: boolean };

/**
 * A request without a whole answer. `started`: any part of it may have been sent; false is proof
 * that none was. `lasting`: it would fail again.
 */
export class TransportFailure extends Error {
  override readonly name = 'TransportFailure';
  readonly kind: 'network' | 'timeout' | 'interrupted';
  readonly started: boolean;
  readonly lasting: boolean;
  readonly hint: Sentence | undefined;

  constructor(kind: TransportFailure['kind'], message: string, started: boolean, details: FailureDetails = {}) {
    super(message, { cause: details.cause });
    this.kind = kind;
    this.started = started;
    this.lasting = details.lasting ?? false;
    this.hint = details.hint;
  }
}

export function badAnswer(does: string, status: number, what: string, hint?: Sentence, cause?: unknown): CliError {
  return new CliError('bad_answer', sentence`The service answered the request to ${does} with ${what} (${status}).`, {
    status,
    hint,
    cause,
  });
}
