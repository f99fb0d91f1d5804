/** --columns: any field, a nested one by its path (`address.city`); `help` lists them. --sort: the order by such fields. */
import { CliError, expected } from '../errors.ts';
import { fieldAt, isExactNumber, isJsonObject, type Json, type JsonObject, textOfJson } from '../model/json.ts';
import { didYouMean } from '../model/nearest.ts';
import { instantOf } from '../model/time.ts';
import { folded } from '../text/fold.ts';
import { sentence } from '../text/sentence.ts';
import type { Column, Row } from './cell.ts';
import { mapped } from './layout.ts';
import type { Answer, View } from './result.ts';

/** So many rows of a stream are held back until each requested field has occurred. */
const lookahead = 1000;

const toListFields = 'List the fields with: --columns help';

export async function chooseColumns(answer: Answer, wanted: string, { format, afterWrite }: View): Promise<Answer> {
  // A live result has no rows yet.
  if (wanted.trim() === 'help') return describe(answer.live ? { ...answer, rows: [] } : answer);
  if (format.reader === 'command') return answer;
  const keys = [...new Set(wanted.split(',').map((key) => key.trim()))].filter((key) => key !== '');
  const pick = (row: Row): Row => Object.fromEntries(keys.map((key) => [key, fieldAt(row as JsonObject, key)]));
  const columns = keys.map((key) => answer.columns.find((column) => column.key === key) ?? { key });
  // The result of a write is shown even if --columns is wrong.
  const given = afterWrite ? { ...answer, rows: await Array.fromAsync(answer.rows) } : answer;
  try {
    if (keys.length === 0) throw new CliError('usage', 'The option --columns names no column.', { hint: toListFields });
    const checked = whereFound('--columns', keys, given, answer.live ? 1 : format.streams ? lookahead : undefined);
    const rows = mapped(afterWrite ? await Array.fromAsync(checked) : checked, pick);
    return { ...answer, only: undefined, rows, columns, chosen: true };
  } catch (error) {
    if (!afterWrite) throw error;
    afterWrite.warn(sentence`warning: ${expected(error).message} All columns are shown.`);
    return given;
  }
}

type Sheet = Pick<Answer, 'rows' | 'columns'>;

/** The rows, once each key that an option names is declared or found. Throws `usage` where there are rows and none has a key. */
async function* whereFound(option: string, keys: readonly string[], { rows, columns }: Sheet, limit?: number): AsyncGenerator<Row> {
  const declared = columns.map(({ key }) => key);
  let missing = keys.filter((key) => !declared.includes(key));
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
  const titled = columns.find(({ title }) => title?.toLowerCase() === unknown.toLowerCase());
  const meant = titled ? `Did you mean ${titled.key}? ` : didYouMean(unknown, known);
  throw new CliError('usage', sentence`${option} does not know ${JSON.stringify(unknown)}: no row has such a field.`, {
    hint: sentence`${meant}${toListFields}`,
  });
}

/** All fields of the rows, those inside others by their path. */
function paths(rows: readonly Row[], prefix = ''): Set<string> {
  const found = new Set<string>();
  for (const [key, value] of rows.flatMap(Object.entries)) {
    found.add(prefix + key);
    if (isJsonObject(value)) for (const path of paths([value], `${prefix}${key}.`)) found.add(path);
  }
  return found;
}

async function describe({ rows, columns }: Answer): Promise<Answer> {
  const all = await Array.fromAsync(rows);
  const names = new Set([...columns.map(({ key }) => key), ...paths(all)]);
  const fields = Array.from(names, (name) => ({ name }));
  return { kind: 'list', rows: fields, columns: [{ key: 'name' }], chosen: true, only: undefined, id: 'name', live: false };
}

/** The rows in the order of `name,-start_time`. Throws `usage` for a field that no row has. */
export async function sorted(rows: AsyncIterable<Row>, columns: readonly Column[], sort: string): Promise<Row[]> {
  const keys = sort.split(',').flatMap((text): SortKey[] => {
    const [, minus, key = ''] = /^(-?)(.*)$/s.exec(text.trim()) ?? [];
    return key === '' ? [] : [{ key, descending: minus === '-' }];
  });
  if (keys.length === 0) throw new CliError('usage', '--sort names no field.', { hint: toListFields });
  const names = keys.map(({ key }) => key);
  return sortedBy(await Array.fromAsync(whereFound('--sort', names, { rows, columns })), keys);
}

export type SortKey = { key: string; descending: boolean };

type Sortable = { rank: number; value: SortValue } | undefined;
type SortValue = number | bigint | string;

let texts: Intl.Collator | undefined;

export function sortedBy<T extends Readonly<Record<string, unknown>>>(rows: readonly T[], keys: readonly SortKey[]): T[] {
  const prepared = rows.map((row) => ({ row, values: keys.map(({ key }) => sortable(fieldAt(row as JsonObject, key))) }));
  prepared.sort((a, b) => keys.reduce((order, { descending }, at) => order || sortOrder(a.values[at], b.values[at], descending), 0));
  return prepared.map(({ row }) => row);
}

const ranks = { number: 0, time: 1, text: 2 } as const;

function sortable(value: Json | undefined): Sortable {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'number' || typeof value === 'bigint') return { rank: ranks.number, value };
  if (isExactNumber(value)) return { rank: ranks.number, value: Number(value.rawJSON) };
  const instant = typeof value === 'string' ? instantOf(value) : undefined;
  if (instant !== undefined) return { rank: ranks.time, value: instant };
  return { rank: ranks.text, value: folded(textOfJson(value)) };
}

/** What is missing comes last, in either order. */
function sortOrder(a: Sortable, b: Sortable, descending: boolean): number {
  if (!a || !b) return Number(!a) - Number(!b);
  const order = a.rank - b.rank || orderOfValues(a.value, b.value);
  return descending ? -order : order;
}

function orderOfValues(a: SortValue, b: SortValue): number {
  // Made at the first use: it takes longer than the start of a command that sorts nothing.
  texts ??= new Intl.Collator('en', { numeric: true });
  if (typeof a === 'string' && typeof b === 'string') return texts.compare(a, b);
  return Number(a > b) - Number(a < b);
}
