/** The answer to a request as it came: its status, its JSON, the record in it. What it means is for the reader to say. */
import { booleanIn } from '../model/boolean.ts';
import { idTypeOf } from '../model/id.ts';
import { isJsonObject, type Json, type JsonObject, parseJson, stringifyJson, textOfJson } from '../model/json.ts';
import { maskSecretKeys } from '../model/secret-keys.ts';
import type { Secrets } from '../model/secrets.ts';
import { type Dialect, resourceNames, wrappers } from './dialect.ts';
import type { HttpAnswer } from './http.ts';
import type { Operation, Resource } from './operations.ts';

/** When a request left and when its answer came, by this machine's clock: milliseconds since 1970. */
export type Moments = { sent: number; received: number };

export type Reply = Moments & {
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  /** The body: JSON, or the text of what is none; undefined where there is no body. Without the secrets of this process. */
  data: Json | undefined;
  /** Why nobody can use the body of a success, as a continuation of "The service answered with …". */
  broken?: string;
  /** What the service says of a failure, in its own words: a sentence, or empty. */
  words: string;
};

export function isSuccess({ status }: Pick<Reply, 'status'>): boolean {
  return status >= 200 && status <= 299;
}

/** Whether the service may have carried the request out all the same: a failure of its own, a time-out, a client that was gone. */
export function isUnclear(status: number): boolean {
  return status >= 500 || status === 408 || status === 425 || status === 499;
}

/** The part of a failure's body that is read: enough for the service's message. Bytes. */
const failureRead = 256 << 10;

/** `secrets`: what must not stand in it; in the data of a success only unless it was requested. */
export function replyOf({ status, headers, body }: HttpAnswer, moments: Moments, secrets: Secrets): Reply {
  const isFailure = !isSuccess({ status });
  const came = { status, headers, ...moments };
  const read = readBody({ status, headers, body: isFailure ? body.subarray(0, failureRead) : body });
  const broken = read.broken === undefined ? {} : { broken: secrets.maskedWords(read.broken) };
  if (isFailure && read.broken !== undefined) return { ...came, data: undefined, words: `its answer is ${broken.broken}.` };
  const data = secrets.revealed && !isFailure ? read.data : masked(read.data, secrets);
  const words = isFailure || saysNo(data) ? secrets.maskedWords(wordsOf(data)) : '';
  return { ...came, data, ...broken, words };
}

function masked(data: Json | undefined, secrets: Secrets): Json | undefined {
  // Text that is no JSON may be JSON that was cut short.
  return typeof data === 'string' ? secrets.maskedWords(data) : secrets.maskedIn(data);
}

type Body = { data?: Json; broken?: string };

const utf8 = new TextDecoder('utf-8', { fatal: true });

function readBody({ status, headers, body }: HttpAnswer): Body {
  const coding = headers['content-encoding']?.trim() ?? '';
  if (!/^(identity)?$/i.test(coding))
    return { broken: `a compressed body (Content-Encoding: ${coding.slice(0, 40)}), although none was requested` };
  const text = isSuccess({ status }) ? strictly(body) : leniently(body);
  if (text === undefined) return { broken: 'text that is not UTF-8' };
  if (/html/i.test(headers['content-type'] ?? '') || /^\s*<(!doctype|html|head|body)/i.test(text)) {
    const title = /<title[^<>]*>([^<]{1,80})/i.exec(text)?.[1]?.trim();
    return { broken: `HTML instead of JSON${title === undefined ? '' : ` (a page titled "${title}")`}` };
  }
  if (text.trim() === '') return {};
  try {
    return { data: parseJson(text) };
  } catch (error) {
    return {
      data: text,
      ...(isSuccess({ status }) && /^\s*[[{"]/.test(text) ? { broken: `JSON that cannot be read (${(error as Error).message})` } : {}),
    };
  }
}

function strictly(body: Uint8Array): string | undefined {
  try {
    return utf8.decode(body);
  } catch {
    return undefined;
  }
}

/** The words of a failure in another encoding are shown as far as they can be; bytes are not. */
function leniently(body: Uint8Array): string | undefined {
  const text = new TextDecoder().decode(body);
  const hasControls = Array.from(text.slice(0, 500)).some((character) => character < '\t');
  return text.includes('\ufffd') && hasControls ? undefined : text;
}

/** Foreign text is cut before anything else is done with it. Characters of a sentence. */
const longestText = 500;
/** Texts of a document that are shown. */
const textsAtMost = 10;

/** Every text in a document, each with the path that leads to it; empty where it has none. */
export function wordsOf(data: Json | undefined): string {
  const texts: string[] = [];
  const visit = (value: Json | undefined, path: string) => {
    if (texts.length === textsAtMost) return;
    if (Array.isArray(value)) for (const item of value) visit(item, path);
    else if (isJsonObject(value)) for (const [key, item] of Object.entries(value)) visit(item, path === '' ? key : `${path}.${key}`);
    else if (typeof value === 'string' && /[\p{L}\p{N}]/u.test(value))
      texts.push(`${path === '' ? '' : `${path}: `}${value.slice(0, longestText)}`);
  };
  visit(data === undefined ? data : maskSecretKeys(data), '');
  const line = texts.join('; ').replace(/\s+/g, ' ').trim();
  if (line === '') return '';
  const short = line.length > longestText ? `${line.slice(0, longestText)}…` : line;
  return /[.!?…]$/.test(short) ? short : `${short}.`;
}

/**
 * A success that says no: `success` or `ok` is false, in any notation, or `error` or `errors` holds something. No other field of a
 * body says whether a request was carried out.
 */
export function saysNo(data: Json | undefined): boolean {
  if (!isJsonObject(data)) return false;
  return booleanIn(data.success) === false || booleanIn(data.ok) === false || !isEmpty(data.error) || !isEmpty(data.errors);
}

function isEmpty(problem: Json | undefined): boolean {
  if (Array.isArray(problem)) return problem.length === 0;
  if (isJsonObject(problem)) return Object.keys(problem).length === 0;
  return problem === undefined || problem === null || problem === false || problem === 0 || problem === '';
}

/** Seconds for which a cache on the way has kept an answer (the Age header); 0 for one that comes from the service. */
export function ageOf(headers: Readonly<Record<string, string>>): number {
  return Number.parseInt(headers.age ?? '', 10) || 0;
}

/** The time on the service's clock: the Date of an answer that comes from the service, which a copy does not tell. */
export function dateOf({ headers }: Pick<Reply, 'headers'>): string | undefined {
  return ageOf(headers) > 0 ? undefined : headers.date;
}

type Named = Pick<Operation, 'resource'>;

/** The record in an answer: bare, or in a field of its resource's name, or of another usual one. */
export function unwrap(data: Json | undefined, { resource }: Named, dialect: Dialect): Json | undefined {
  if (!isJsonObject(data)) return data;
  const names = Object.hasOwn(data, dialect.idKey) ? [] : [...resourceNames[resource].one, ...wrappers];
  const record = names.map((name) => data[name]).find(isJsonObject) ?? data;
  return recordOf(record, dialect);
}

/** The record in an item of a list: bare, or in such a field and nothing beside it. */
export function unwrapItem(item: JsonObject, operation: Named, dialect: Dialect): JsonObject {
  return Object.keys(item).length === 1 ? (unwrap(item, operation, dialect) as JsonObject) : recordOf(item, dialect);
}

/** The record with its ID in the field `id`, whatever the service calls that field. */
function recordOf(item: JsonObject, { idKey }: Dialect): JsonObject {
  if (idKey === 'id') return item;
  const { id: _another, ...fields } = item;
  const id = fields[idKey];
  return id === undefined ? fields : { id, ...fields };
}

/** Characters of a value that are shown. */
const shownAtMost = 60;

/** The reason why an item cannot be used, in words; undefined if it can. `masked`: JSON text as a message may show it. */
export function problemOf(resource: Resource, item: Json | undefined, masked: (json: string) => string): string | undefined {
  if (!isJsonObject(item)) {
    if (resource === 'proctor' && idTypeOf(item)) return undefined;
    if (Array.isArray(item)) return 'it is a list';
    return `it is ${item === undefined ? 'nothing' : masked(textOfJson(item)).slice(0, shownAtMost)}`;
  }
  const { id } = item;
  if (id === undefined || idTypeOf(id)) return undefined;
  const shown = masked(stringifyJson(id));
  return `id is ${shown.length > shownAtMost ? `${shown.slice(0, shownAtMost - 3)}…` : shown}`;
}
