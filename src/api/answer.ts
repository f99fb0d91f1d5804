/**
 * The text, the JSON and the resource of an answer. A success whose body does not match the specification is
 * an error, or an unknown outcome if the request was a write.
 */
import { isJsonObject, type Json, type JsonObject, parseJson } from '../model/json.ts';
import type { Secrets } from '../model/secrets.ts';
import { badAnswer } from './answer-errors.ts';
import { type Dialect, resourceNames, wrappers } from './dialect.ts';
import { isHtml } from './error-words.ts';
import type { HttpAnswer } from './http.ts';
import type { Operation } from './operations.ts';
import type { Outgoing } from './request.ts';

/** When a request left and when its answer began, by this machine's clock: milliseconds since 1970. */
export type Moments = { sent: number; received: number };

export type Answer = Moments & {
  status: number;
  /** The body; undefined where there is none. */
  data: Json | undefined;
  /** Names in lower case. */
  headers: Record<string, string>;
  /** The address of the created resource (the Location header). */
  location?: string;
  /** The time on the service's clock: the Date header, unless the answer is old. */
  date?: string;
};

/** The text of a body. If it is not UTF-8, throws `bad_answer`, or `outcome_unknown` for a write. */
export function textOf(answer: HttpAnswer, outgoing: Outgoing): string {
  if (!isSuccess(answer)) return answer.body.toString();
  try {
    return utf8.decode(answer.body);
  } catch {
    throw badAnswer(outgoing.does, answer.status, 'text that is not UTF-8');
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Seconds for which a cache on the way has kept an answer (the Age header); 0 for one that comes from the service. */
export function ageOf(headers: Readonly<Record<string, string>>): number {
  return Number.parseInt(headers.age ?? '', 10) || 0;
}

/** The Date of an answer that comes from the service. The Date of a copy says when it was made, not what time it is. */
export function dateOf(headers: Readonly<Record<string, string>>): string | undefined {
  return ageOf(headers) > 0 ? undefined : headers.date;
}

export function isSuccess({ status }: Pick<HttpAnswer, 'status'>): boolean {
  return status >= 200 && status <= 299;
}

export function dataOf(
  text: string,
  answer: HttpAnswer,
  outgoing: Outgoing,
  { open, secrets }: { open: boolean; secrets: Secrets },
): Json | undefined {
  if (isHtml(answer, text)) throw badAnswer(outgoing.does, answer.status, 'HTML instead of JSON', { html: secrets.maskedWords(text) });
  if (text.trim() === '') {
    // The answer to a create may have a Location and no body.
    if (open || answer.status === 204 || answer.headers.location !== undefined) return undefined;
    throw badAnswer(outgoing.does, answer.status, 'an empty body');
  }
  try {
    return parseJson(text);
  } catch (error) {
    if (open && !/^\s*[[{"]/.test(text)) return text;
    throw badAnswer(outgoing.does, answer.status, `JSON that cannot be read (${(error as Error).message})`);
  }
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
