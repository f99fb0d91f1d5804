/**
 * The body of a write, once checked: known fields in their stored form, unknown ones untouched. Fields
 * that the request cannot set are ignored silently, as the specification allows for level_of_suspicion
 * (4.5, rule 5).
 */
import type { Dialect } from '../api/dialect.ts';
import { type FieldRule, refusal, ruleOf, type WritableResource, type Writing } from '../model/fields.ts';
import { isJsonObject, type Json, type JsonObject, parseJson } from '../model/json.ts';
import { type FieldProblem, invalid, ServiceProblem } from './problem.ts';
import type { RecordContent } from './stored-records.ts';
import { readTime } from './stored-times.ts';

export type RecordChange = Pick<RecordContent, 'fields' | 'extra'>;

/** Pairs of times; the second must not come before the first. */
const spans = { exam: ['start_time', 'end_time'], session: ['open_time', 'close_time'] } as const;

/** The object in a body. Throws a 400 `Problem` if it is not JSON, a 422 one if it is not an object. */
export function readObject(body: string): JsonObject {
  let value: Json;
  try {
    value = parseJson(body);
  } catch (error) {
    throw new ServiceProblem(400, 'bad_json', `The body is not JSON: ${(error as Error).message}.`);
  }
  if (!isJsonObject(value)) throw new ServiceProblem(422, 'invalid', 'The body must be a JSON object.');
  return value;
}

type Target = { resource: WritableResource; writing: Writing };

export function readChange(body: string, { resource, writing }: Target, dialect: Dialect): RecordChange {
  const fields: [string, Json][] = [];
  const extra: [string, Json][] = [];
  const problems: FieldProblem[] = [];
  for (const [field, value] of Object.entries(readObject(body))) {
    if (field === dialect.idKey || (resource === 'session' && field === dialect.sessionExamKey)) continue;
    const rule = ruleOf(resource, field);
    if (!rule) {
      extra.push([field, value]);
    } else if (!refusal(resource, writing, field)) {
      const { expected, read } = readers[rule.type];
      const stored = read(value, dialect);
      if (stored === undefined) problems.push({ field, message: expected });
      else fields.push([field, stored]);
    }
  }
  if (problems.length > 0) throw invalid(problems);
  return { fields: Object.fromEntries(fields), extra: Object.fromEntries(extra) };
}

type Reader = { expected: string; read(value: Json, dialect: Dialect): Json | undefined };

/**
 * Readers of the values of each type: they return the stored form, or undefined for an invalid value.
 * Null clears a value.
 */
const readers: Record<FieldRule['type'], Reader> = {
  boolean: { expected: 'must be true or false', read: (value) => (typeof value === 'boolean' ? value : undefined) },
  number: { expected: 'must be a number', read: (value) => (typeof value === 'number' ? value : undefined) },
  text: {
    expected: 'must be an e-mail address',
    read: (value) => (value === null || (typeof value === 'string' && emailAddress.test(value)) ? value : undefined),
  },
  time: {
    expected: 'must be a point in time with its offset, such as 2026-11-21T09:00:00Z',
    read: (value, dialect) => (value === null ? null : readTime(value, dialect.timeFormat)),
  },
};

const emailAddress = /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u;

/** Throws a 422 `Problem` if a record ends before it begins. */
export function checkSpan(resource: WritableResource, fields: JsonObject): void {
  const [first, last] = spans[resource];
  const [begin, end] = [fields[first], fields[last]];
  if (typeof begin === 'string' && typeof end === 'string' && Date.parse(end) < Date.parse(begin)) {
    throw invalid([{ field: last, message: `(${end}) must not come before ${first} (${begin})` }]);
  }
}
