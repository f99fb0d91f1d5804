/** The body of a write. Fields that it cannot set are ignored (specification 4.5, rule 5). */
import * as z from 'zod/mini';
import type { Dialect } from '../api/dialect.ts';
import { type FieldRule, ruleAgainst, ruleOf, type WritableResource, type Writing } from '../model/fields.ts';
import { isJsonObject, type Json, type JsonObject, parseJson } from '../model/json.ts';
import { isoUtc } from './store.ts';

/** An answer that is no success. */
export class Problem extends Error {
  readonly status: 400 | 401 | 404 | 422;
  readonly body: JsonObject;

  constructor(status: Problem['status'], error: string, message: string, more: JsonObject = {}) {
    super(message);
    this.status = status;
    this.body = { error, message, ...more };
  }
}

export function notFound(message: string): Problem {
  return new Problem(404, 'not_found', message);
}

type FieldError = { field: string; message: string };

export function invalidFields(...errors: FieldError[]): Problem {
  const message = errors.map((error) => `${error.field} ${error.message}.`).join(' ');
  return new Problem(422, 'invalid', message, { errors });
}

/** Throws a `Problem`. */
export function readObject(body: string): JsonObject {
  let value: Json;
  try {
    value = parseJson(body);
  } catch (error) {
    throw new Problem(400, 'bad_json', `The body is not JSON: ${(error as Error).message}.`);
  }
  if (!isJsonObject(value)) throw new Problem(422, 'invalid', 'The body must be a JSON object.');
  return value;
}

/** The fields that a body sets: known ones as they are stored, others as they are. */
export function readFields(body: string, resource: WritableResource, writing: Writing, dialect: Dialect): JsonObject {
  const fields: [string, Json][] = [];
  const problems: FieldError[] = [];
  for (const [field, value] of Object.entries(readObject(body))) {
    const isId = field === dialect.idKey || (resource === 'session' && field === dialect.sessionExamKey);
    if (isId || ruleAgainst(resource, writing, field)) continue;
    const rule = ruleOf(resource, field);
    const stored = rule ? readers[rule.type].read(value, dialect) : value;
    if (stored !== undefined) fields.push([field, stored]);
    else if (rule) problems.push({ field, message: readers[rule.type].expected });
  }
  if (problems.length > 0) throw invalidFields(...problems);
  return Object.fromEntries(fields);
}

const Address = z.nullable(z.string().check(z.regex(/^[^\s@\p{C}]+@[^\s@\p{C}]+$/u)));

/** `read`: the value as it is stored; undefined if it is invalid. */
type FieldReader = { expected: string; read(value: Json, dialect: Dialect): Json | undefined };

const readers: Record<FieldRule['type'], FieldReader> = {
  boolean: { expected: 'must be true or false', read: (value) => z.boolean().safeParse(value).data },
  number: { expected: 'must be a number', read: (value) => z.number().safeParse(value).data },
  text: { expected: 'must be text', read: (value) => z.nullable(z.string()).safeParse(value).data },
  address: { expected: 'must be an e-mail address', read: (value) => Address.safeParse(value).data },
  time: {
    expected: 'must be a point in time with its offset, such as 2026-11-21T09:00:00Z',
    read: (value, { timeFormat }) => (value === null ? null : readTime(value, timeFormat)),
  },
};

/** Throws a `Problem`. */
export function timesInOrder(resource: WritableResource, data: JsonObject): JsonObject {
  const [first, last] = resource === 'exam' ? ['start_time', 'end_time'] : ['open_time', 'close_time'];
  const { [first]: begin, [last]: end } = data;
  if (typeof begin === 'string' && typeof end === 'string' && Date.parse(end) < Date.parse(begin))
    throw invalidFields({ field: last, message: `(${end}) must not come before ${first} (${begin})` });
  return data;
}

const isoWithOffset = /^(\d{4})-(\d\d)-(\d\d)[T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

function readTime(value: Json, format: string): string | undefined {
  const milliseconds = format === 'epoch-s' && typeof value === 'number' ? value * 1000 : parseIso(value);
  return Math.abs(milliseconds) <= 8.64e15 ? isoUtc(milliseconds) : undefined;
}

function parseIso(value: Json): number {
  const [text = '', year, month, day] = (typeof value === 'string' && isoWithOffset.exec(value)) || [];
  // Date.parse turns 30 February into 2 March.
  const dayExists = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day);
  return dayExists ? Date.parse(text) : Number.NaN;
}
