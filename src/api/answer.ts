/**
 * The answer to a request as it came: its status, its JSON, the record in it; or the failure in its place, in words of ours with the code of
 * Node or OpenSSL, and what to do next.
 */
import { CliError } from '../errors.ts';
import { durationInWords } from '../model/duration.ts';
import { idTypeOf } from '../model/id.ts';
import { booleanIn, isJsonObject, type Json, type JsonObject, parseJson, stringifyJson } from '../model/json.ts';
import { maskSecretKeys, type Secrets } from '../model/secrets.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { type Dialect, resourceNames, wrappers } from './dialect.ts';
import type { Operation, Resource } from './operations.ts';

/** `headers`: names in lower case; repeated ones joined with a comma. `body`: of a failure, as much as has come. */
export type HttpAnswer = { status: number; headers: Readonly<Record<string, string>>; body: Buffer };

export type Reply = {
  status: number;
  /** From the sending to the whole answer, in milliseconds. */
  took: number;
  /** By how much the service's clock is ahead of this machine's, in milliseconds; undefined where its answer does not say. */
  ahead: number | undefined;
  headers: HttpAnswer['headers'];
  /** The body: JSON, or the text of what is none; undefined where there is no body. Without the secrets of this process. */
  data: Json | undefined;
  /** Why nobody can use the body, as a continuation of "The service answered with …". */
  broken?: string | undefined;
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

/** By this machine's clock, in milliseconds since 1970. */
type Moments = { sent: number; received: number };

/** `secrets`: what must not stand in it; in the data of a success only unless it was requested. */
export function replyOf({ status, headers, body }: HttpAnswer, { sent, received }: Moments, secrets: Secrets): Reply {
  const isFailure = !isSuccess({ status });
  const read = readBody({ status, headers, body });
  // Text that is no JSON may be JSON that was cut short.
  const masked = typeof read.data === 'string' ? secrets.maskedWords(read.data) : secrets.maskedIn(read.data);
  const data = secrets.revealed && !isFailure ? read.data : masked;
  const broken = read.broken && secrets.maskedWords(read.broken);
  const said = broken === undefined ? secrets.maskedWords(wordsOf(data)) : `its answer is ${broken}.`;
  const [took, ahead] = [received - sent, clockAhead(headers, { sent, received })];
  return { status, took, ahead, headers, data, broken, words: isFailure || saysNo(data) ? said : '' };
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function readBody({ status, headers, body }: HttpAnswer): { data?: Json; broken?: string } {
  let text: string;
  try {
    text = utf8.decode(body);
  } catch {
    return { broken: 'text that is not UTF-8' };
  }
  if (/html/i.test(headers['content-type'] ?? '') || /^\s*<(!doctype|html|head|body)/i.test(text))
    return { broken: 'HTML instead of JSON' };
  if (text.trim() === '') return {};
  try {
    return { data: parseJson(text) };
  } catch (error) {
    const isCut = isSuccess({ status }) && /^\s*[[{"]/.test(text);
    return { data: text, ...(isCut ? { broken: `JSON that cannot be read (${(error as Error).message})` } : {}) };
  }
}

/** Characters of a sentence: foreign text is cut before anything else is done with it; and texts of a document. */
const [longestText, textsAtMost] = [500, 10];

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

/** A success that says no: `success` or `ok` is false, in any notation, or `error` or `errors` holds something. No other field says so. */
export function saysNo(data: Json | undefined): boolean {
  if (!isJsonObject(data)) return false;
  const { success, ok, error = null, errors = null } = data;
  const says = (problem: Json) => !['null', 'false', '0', '""', '[]', '{}'].includes(stringifyJson(problem));
  return booleanIn(success) === false || booleanIn(ok) === false || says(error) || says(errors);
}

/** Seconds for which a cache on the way has kept an answer; 0 for one that comes from the service. */
export function ageOf({ age = '' }: Reply['headers']): number {
  return Number.parseInt(age, 10) || 0;
}

/** The Date header counts whole seconds and takes time to arrive: a smaller difference is ignored. Milliseconds. */
const agreement = 5000;

/** By the Date of an answer that comes from the service, which a copy does not tell; to the second, 0 within the duration of the request. */
function clockAhead(headers: Reply['headers'], { sent, received }: Moments): number | undefined {
  const there = ageOf(headers) > 0 ? Number.NaN : Date.parse(headers.date ?? '');
  if (Number.isNaN(there)) return undefined;
  const ahead = there < sent ? there + 1000 - sent : Math.max(0, there - received);
  return Math.abs(ahead) < agreement ? 0 : Math.round(ahead / 1000) * 1000;
}

export function clockDifference(ahead: number): Sentence {
  const [span, minute] = [Math.abs(ahead), 60_000];
  // A span that is shown in minutes is not one less for a part of a second.
  const by = durationInWords(span < 10 * minute ? span : Math.round(span / minute) * minute);
  return sentence`The service's clock is ${by} ${ahead > 0 ? 'ahead of' : 'behind'} this machine's`;
}

/** The record in an answer: bare, or in a field of its resource's name, or of another usual one. */
export function unwrap(data: Json | undefined, { resource }: Operation, dialect: Dialect): Json | undefined {
  if (!isJsonObject(data)) return data;
  const names = Object.hasOwn(data, dialect.idKey) ? [] : [...resourceNames[resource].one, ...wrappers];
  const record = names.map((name) => data[name]).find(isJsonObject) ?? data;
  return recordOf(record, dialect);
}

/** The record in an item of a list: bare, or in such a field and nothing beside it. */
export function unwrapItem(item: JsonObject, operation: Operation, dialect: Dialect): JsonObject {
  return Object.keys(item).length === 1 ? (unwrap(item, operation, dialect) as JsonObject) : recordOf(item, dialect);
}

/** The record with its ID in the field `id`, whatever the service calls that field. */
function recordOf(item: JsonObject, { idKey }: Dialect): JsonObject {
  if (idKey === 'id') return item;
  const { id: _another, ...fields } = item;
  const id = fields[idKey];
  return id === undefined ? fields : { id, ...fields };
}

export function problemOf(resource: Resource, item: Json | undefined): string | undefined {
  if (isJsonObject(item)) return item.id === undefined || idTypeOf(item.id) ? undefined : `id is ${kindOf(item.id)}`;
  return resource === 'proctor' && idTypeOf(item) ? undefined : `it is ${kindOf(item)}`;
}

export function kindOf(value: Json | undefined): string {
  if (Array.isArray(value)) return 'a list';
  if (isJsonObject(value)) return 'an object';
  return value === undefined ? 'an empty body' : value === null ? 'null' : `a ${typeof value}`;
}

/** `unreachable`: no connection, or none beyond the proxy. `name`: it could not be resolved. `broken`: the answer is not whole. */
type FailureKind = 'unreachable' | 'name' | 'tls' | 'timeout' | 'broken' | 'interrupted';

/**
 * A request without a whole answer. `started`: any part of it may have been sent; false is proof that none was. `lasting`: it would fail
 * again. `hint`: what to do, if more is known than the standard hint.
 */
export class TransportFailure extends Error {
  override readonly name = 'TransportFailure';
  readonly kind: FailureKind;
  readonly started: boolean;
  readonly lasting: boolean;
  readonly hint: Sentence | undefined;

  constructor(kind: FailureKind, message: string, started: boolean, cause?: unknown, hint?: Sentence, lasting = false) {
    super(message, { cause });
    this.kind = kind;
    this.started = started;
    this.lasting = lasting || kind === 'tls' || kind === 'interrupted';
    this.hint = hint;
  }
}

type Coded = Error & { code?: string; reason?: string; errors?: Coded[] };

const tlsCode = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|EPROTO|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE)|PATH_LENGTH)/;

/** Translates an error of undici or Node. `proxy`: the address of the proxy on the way. */
export function failureOf(cause: Coded, started: boolean, proxy?: string): TransportFailure {
  const code = cause.errors?.[0]?.code ?? cause.code ?? '';
  const failure = (kind: FailureKind, message: string, hint?: Sentence, lasting = false) =>
    new TransportFailure(kind, message, started, cause, hint, lasting);
  const [to, through] = proxy === undefined ? ['', ''] : [` to the proxy ${proxy}`, ` through the proxy ${proxy}`];
  const ofProxy = proxy === undefined ? undefined : checkProxy;
  const [, refusal] = /^Proxy response \((\d+)\)/.exec(cause.message) ?? [];
  // Only a failure of the proxy itself (5xx) may be temporary.
  if (refusal !== undefined)
    return failure('unreachable', `the proxy ${proxy} refused to connect to the service (${refusal})`, ofProxy, Number(refusal) < 500);
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return failure('broken', 'the answer is larger than 64 MB', smallerPages, true);
  // Without Node's advice, which names options of Node, and without names of a foreign certificate.
  const reason = code.startsWith('ERR_SSL') && cause.reason ? cause.reason : cause.message.split(/[;:]/)[0];
  if (tlsCode.test(code)) return failure('tls', `the secure connection${through} failed: ${reason} (${code})`, checkTls(code));
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') return failure('timeout', `the connection${through} timed out`);
  if (started) return failure('broken', 'the connection broke before the answer was complete');
  if (code === 'ECONNREFUSED') return failure('unreachable', `the connection${to} was refused`, ofProxy);
  if (!proxy && (code === 'ENOTFOUND' || code === 'EAI_AGAIN')) return failure('name', 'its name could not be resolved', checkName);
  return failure('unreachable', `the connection${to} failed (${code.startsWith('UND_') ? cause.message : code || cause.message})`, ofProxy);
}

const checkProxy = sentence`Check HTTPS_PROXY (http://USER:PASSWORD@HOST:PORT) and NO_PROXY, the hosts that are reached without it.`;
const checkName = sentence`Check the network, and the spelling of the base URL. Where it is set: proctor-cli config list`;
const smallerPages = sentence`If it is a list, ask for smaller pages: proctor-cli config set dialect.listQuery per_page=1000`;

function checkTls(code: string): Sentence {
  if (/EXPIRED|NOT_YET_VALID/.test(code))
    return sentence`Compare the clock of this machine (date -u); if it is right, the service needs a new certificate.`;
  if (/ALTNAME|HOSTNAME|SSL|EPROTO/.test(code))
    return sentence`Another server may be answering there, or one without TLS: check host and port with: proctor-cli config get baseUrl`;
  return sentence`For a private certificate authority, set its PEM file: proctor-cli config set caFile FILE`;
}

export function badAnswer(does: string, status: number, what: string, hint?: Sentence): CliError {
  return new CliError('bad_answer', sentence`The service answered the request to ${does} with ${what} (${status}).`, { status, hint });
}
