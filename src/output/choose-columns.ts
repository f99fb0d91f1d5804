/**
 * What --columns makes of the rows: any field can be requested, declared or not, and a nested one by its path (`address.city`).
 * All formats show the same fields; `help` lists them.
 */
import { CliError } from '../errors.ts';
import { fieldAt, isJsonObject, type JsonObject } from '../model/json.ts';
import { didYouMean } from '../model/nearest.ts';
import { sentence } from '../text/sentence.ts';
import type { Column, Row } from './cell.ts';
import type { Answer, View } from './result.ts';
import { mapped } from './view.ts';

/** Rows of a stream that are held back while a requested, undeclared field has not occurred. */
const lookahead = 1000;

/** The answer with the requested columns only. The format `id` always shows the ID. */
export async function choose(answer: Answer, wanted: string, { format, afterWrite }: View): Promise<Answer> {
  // A live result has no rows yet: the columns are listed without them.
  if (wanted.trim() === 'help') return describe(answer.live ? { ...answer, rows: [] } : answer);
  if (format === 'id') return answer;
  const keys = [...new Set(wanted.split(',').map((key) => key.trim()))].filter((key) => key !== '');
  const pick = (row: Row): Row => Object.fromEntries(keys.map((key) => [key, fieldAt(row as JsonObject, key)]));
  const declared = new Map(answer.columns.map((column) => [column.key, column]));
  const undeclared = keys.filter((key) => !declared.has(key));
  // What a write has changed is shown in any case.
  const rows = afterWrite ? await Array.fromAsync(answer.rows) : answer.rows;
  const limit = answer.live ? 1 : format === 'ndjson' || format === 'csv' ? lookahead : Number.POSITIVE_INFINITY;
  try {
    if (keys.length === 0) {
      throw new CliError('usage', 'The option --columns names no column.', { hint: 'List the fields of the answer with: --columns help' });
    }
    const checked = undeclared.length > 0 ? whereFound(rows, undeclared, [...declared.keys()], limit) : rows;
    return {
      ...answer,
      only: undefined,
      rows: mapped(afterWrite ? await Array.fromAsync(checked) : checked, pick),
      columns: keys.map((key): Column => declared.get(key) ?? { key }),
      chosen: true,
    };
  } catch (error) {
    if (!afterWrite || !(error instanceof CliError)) throw error;
    afterWrite.warn(sentence`warning: ${error.message} All columns are shown.`);
    return { ...answer, rows };
  }
}

/** The rows, once each of the keys was found in one of them; throws `usage` when there are rows and none has a key. */
async function* whereFound(rows: Answer['rows'], keys: readonly string[], declared: readonly string[], limit: number): AsyncGenerator<Row> {
  let missing = keys;
  const held: Row[] = [];
  for await (const row of rows) {
    held.push(row);
    missing = missing.filter((key) => fieldAt(row as JsonObject, key) === undefined);
    if (missing.length === 0) yield* held.splice(0);
    else if (held.length === limit) break;
  }
  const [unknown] = missing;
  if (unknown === undefined || held.length === 0) return;
  const known = new Set([...declared, ...paths(held)]);
  throw new CliError('usage', sentence`Unknown column "${unknown}": no row has such a field.`, {
    hint: sentence`${didYouMean(unknown, known)}List the fields of the answer with: --columns help`,
  });
}

/** All fields of the rows, those inside others by their path. */
function paths(rows: readonly Row[], prefix = ''): string[] {
  const found = rows.flatMap((row) =>
    Object.entries(row).flatMap(([key, value]) => [prefix + key, ...(isJsonObject(value) ? paths([value], `${prefix}${key}.`) : [])]),
  );
  return [...new Set(found)];
}

async function describe({ rows, columns }: Answer): Promise<Answer> {
  const all = await Array.fromAsync(rows);
  const names = new Set([...columns.map(({ key }) => key), ...paths(all)]);
  return { kind: 'list', rows: Array.from(names, (name) => ({ name })), columns: [{ key: 'name' }], chosen: true, id: 'name', live: false };
}
