/**
 * The body of a write, once checked, and what the service says where it cannot do as it is asked. Fields that a request cannot
 * set are ignored silently, as the specification allows for level_of_suspicion (4.5, rule 5).
 */
import * as z from 'zod/mini';
import type { Dialect } from '../api/dialect.ts';
import { type FieldRule, refusal, ruleOf, type WritableResource, type Writing } from '../model/fields.ts';
import { isJsonObject, type Json, type JsonObject, parseJson } from '../model/json.ts';
import { isoUtc } from './store.ts';

/** An answer that is no success: its HTTP status, a code for programs and a sentence for people. */
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

/** The body was understood, and these of its fields are invalid. */
export function invalid(...errors: { field: string; message: string }[]): Problem {
  return new Problem(422, 'invalid', errors.map(({ field, message }) => `${field} ${message}.`).join(' '), { errors });
}

/** Throws a `Problem` if the body is not JSON, or not an object. */
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

/** The fields that a body sets: those of the specification in their stored form, all others untouched. */
export function readFields(body: string, resource: WritableResource, writing: Writing, dialect: Dialect): JsonObject {
  const fields: [string, Json][] = [];
  const problems: { field: string; message: string }[] = [];
  for (const [field, value] of Object.entries(readObject(body))) {
    if (field === dialect.idKey || (resource === 'session' && field === dialect.sessionExamKey)) continue;
    if (refusal(resource, writing, field)) continue;
    const rule = ruleOf(resource, field);
    const stored = rule ? readers[rule.type].read(value, dialect) : value;
    if (stored !== undefined) fields.push([field, stored]);
    else if (rule) problems.push({ field, message: readers[rule.type].expected });
  }
  if (problems.length > 0) throw invalid(...problems);
  return Object.fromEntries(fields);
}

const Address = z.nullable(z.string().check(z.regex(/^[^\s@\p{C}]+@[^\s@\p{C}]+$/u)));

/** How a value of each type is stored; undefined for an invalid one. Null clears a value. */
const readers: Record<FieldRule['type'], { expected: string; read(value: Json, dialect: Dialect): Json | undefined }> = {
  boolean: { expected: 'must be true or false', read: (value) => z.boolean().safeParse(value).data },
  number: { expected: 'must be a number', read: (value) => z.number().safeParse(value).data },
  text: { expected: 'must be an e-mail address', read: (value) => Address.safeParse(value).data },
  time: {
    expected: 'must be a point in time with its offset, such as 2026-11-21T09:00:00Z',
    read: (value, { timeFormat }) => (value === null ? null : readTime(value, timeFormat)),
  },
};

/** The data of a record. Throws a `Problem` if it ends before it begins. */
export function inOrder(resource: WritableResource, data: JsonObject): JsonObject {
  const [first, last] = resource === 'exam' ? ['start_time', 'end_time'] : ['open_time', 'close_time'];
  const { [first]: begin, [last]: end } = data;
  if (typeof begin === 'string' && typeof end === 'string' && Date.parse(end) < Date.parse(begin))
    throw invalid({ field: last, message: `(${end}) must not come before ${first} (${begin})` });
  return data;
}

const isoWithOffset = /^(\d{4})-(\d\d)-(\d\d)[T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/** The stored form of a point in time; undefined if the value is not one. */
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
