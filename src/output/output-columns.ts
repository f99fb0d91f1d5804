/**
 * The fields of rows, and what --columns makes of them: any field can be requested, declared or not, and a nested
 * one by its path (`address.city`). All formats show the same fields.
 */

import { CliError } from '../errors.ts';
import type { Format } from '../model/format.ts';
import { isJsonObject } from '../model/json.ts';
import { nearest } from '../model/nearest.ts';
import { visible } from '../text/characters.ts';
import { sentence } from '../text/sentence.ts';
import type { Column, Row } from './row.ts';
import type { Answer, View } from './view.ts';

/** Rows of a stream that are held back while a requested, undeclared field has not occurred. */
const lookahead = 1000;

/**
 * The answer with the requested columns only; for `help`, the list of its fields. The format `id` always shows the
 * ID.
 */
export async function choose(answer: Answer, wanted: string, format: Format): Promise<Answer> {
  // A live result has no rows yet: the columns are listed without them.
  if (wanted.trim() === 'help') return describe(answer.live ? { ...answer, rows: [] } : answer);
  if (format === 'id') return answer;
  const keys = [...new Set(wanted.split(',').map((key) => key.trim()))].filter((key) => key !== '');
  if (keys.length === 0) {
    throw new CliError('usage', 'The option --columns names no column.', { hint: 'List the fields of the answer with: --columns help' });
  }
  const declared = new Map(answer.columns.map((column) => [column.key, column]));
  const columns = keys.map((key): Column => declared.get(key) ?? { key });
  const undeclared = keys.filter((key) => !declared.has(key));
  const limit = answer.live ? 1 : format === 'ndjson' || format === 'csv' ? lookahead : Number.POSITIVE_INFINITY;
  const { only: _, ...rest } = answer;
  return {
    ...rest,
    rows: undeclared.length > 0 ? whereFound(answer.rows, undeclared, [...declared.keys()], limit) : answer.rows,
    columns,
    chosen: true,
    shown: (row) => pick(answer.shown(row), keys),
  };
}

/**
 * The same after a write: what it has changed is shown in any case, with all columns if one of those requested is unknown,
 * which `warn` is told.
 */
export async function chooseOrAll(answer: Answer, wanted: string, format: Format, warn: View['note']): Promise<Answer> {
  const whole = { ...answer, rows: await collected(answer.rows) };
  try {
    const chosen = await choose(whole, wanted, format);
    return { ...chosen, rows: await collected(chosen.rows) };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    warn(sentence`warning: ${error.message} All columns are shown.`);
    return whole;
  }
}

async function collected(rows: Answer['rows']): Promise<Row[]> {
  const all: Row[] = [];
  for await (const row of rows) all.push(row);
  return all;
}

/** The keys of the rows except the given ones, in the order of their first occurrence. */
export function otherKeys(rows: readonly Row[], given: readonly string[]): string[] {
  const keys = new Set<string>();
  for (const row of rows) for (const key of Object.keys(row)) keys.add(key);
  for (const key of given) keys.delete(key);
  return [...keys];
}

/** A row of the given fields only; a field that the row lacks is left out. */
function pick(row: Row, keys: readonly string[]): Row {
  const picked: [string, unknown][] = [];
  for (const key of keys) {
    const value = at(row, key);
    if (value !== undefined) picked.push([key, value]);
  }
  return Object.fromEntries(picked);
}

/** The value of a field, or of a nested one. */
function at(row: Row, path: string): unknown {
  if (Object.hasOwn(row, path)) return row[path];
  return path.split('.').reduce<unknown>((value, key) => (holds(value, key) ? value[key] : undefined), row);
}

function holds(value: unknown, key: string): value is Row {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key);
}

/** The rows, once each of the keys was found in one of them; throws `usage` when there are rows and none has a key. */
async function* whereFound(rows: Answer['rows'], keys: readonly string[], declared: readonly string[], limit: number): AsyncGenerator<Row> {
  let missing: readonly string[] = keys;
  const held: Row[] = [];
  for await (const row of rows) {
    if (missing.length === 0) {
      yield row;
      continue;
    }
    held.push(row);
    missing = missing.filter((key) => at(row, key) === undefined);
    if (missing.length > 0 && held.length === limit) throw unknownColumn(missing[0] ?? '', held, declared);
    if (missing.length === 0) yield* held.splice(0);
  }
  if (missing.length > 0 && held.length > 0) throw unknownColumn(missing[0] ?? '', held, declared);
}

function unknownColumn(key: string, rows: readonly Row[], declared: readonly string[]): CliError {
  const meant = nearest(key, new Set([...declared, ...paths(rows)]));
  return new CliError('usage', sentence`Unknown column "${visible(key)}": no row has such a field.`, {
    hint: sentence`${meant ? `Did you mean ${visible(meant)}? ` : ''}List the fields of the answer with: --columns help`,
  });
}

/** All fields of the rows, those inside others by their path. */
function paths(rows: readonly Row[]): Set<string> {
  const found = new Set<string>();
  const add = (row: Row, prefix: string) => {
    for (const [key, value] of Object.entries(row)) {
      found.add(prefix + key);
      if (isJsonObject(value)) add(value, `${prefix}${key}.`);
    }
  };
  for (const row of rows) add(row, '');
  return found;
}

/** The list of the fields of an answer: their names, and whether a table shows them by default. */
async function describe(answer: Answer): Promise<Answer> {
  const rows = await collected(answer.rows);
  const byDefault = new Set(answer.columns.filter((column) => answer.kind === 'one' || !column.detail).map((column) => column.key));
  const names = new Set([...answer.columns.map((column) => column.key), ...paths(rows)]);
  const isShown = (name: string) => byDefault.has(name) || (answer.kind === 'one' && rows.some((row) => Object.hasOwn(row, name)));
  return {
    kind: 'list',
    rows: [...names].map((name) => ({ name, default: isShown(name) })),
    shown: (row) => row,
    columns: [{ key: 'name' }, { key: 'default', as: 'boolean' }],
    chosen: true,
    only: 'name',
  };
}
