/**
 * The rows of a list as the line wants them: those that pass the filter, in the order of --sort, as many as
 * --limit allows. Without --sort each row is handed on as it arrives, and reading ends with the last one wanted.
 */
import type { Column, Row, RowFilter } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { fieldAt, isExactNumber, type Json, type JsonObject, textOfJson } from '../../model/json.ts';
import { nearest } from '../../model/nearest.ts';
import { instantOf } from '../../model/time.ts';
import { folded } from '../../text/fold.ts';
import { sentence } from '../../text/sentence.ts';

export type Arrangement = { filter: RowFilter | undefined; sort: string | undefined; limit: number | undefined };

export async function* arranged(
  rows: AsyncIterable<Row>,
  columns: readonly Column[],
  { filter, sort, limit = Number.POSITIVE_INFINITY }: Arrangement,
): AsyncGenerator<Row> {
  const keys = sort === undefined ? undefined : sortKeys(sort, columns);
  const sorted = keys ? inOrder(rows, columns, keys, filter) : filter ? passing(rows, filter) : rows;
  let left = limit;
  for await (const row of sorted) {
    yield row;
    left -= 1;
    if (left <= 0) break;
  }
  filter?.end?.();
}

async function* passing(rows: AsyncIterable<Row>, { keep }: RowFilter): AsyncGenerator<Row> {
  for await (const row of rows) if (keep(row)) yield row;
}

async function* inOrder(
  rows: AsyncIterable<Row>,
  columns: readonly Column[],
  keys: readonly SortKey[],
  filter: RowFilter | undefined,
): AsyncGenerator<Row> {
  const kept: Row[] = [];
  const declared = new Set(columns.map(({ key }) => key));
  let unseen = keys.filter(({ key }) => !declared.has(key));
  const fields = new Set(declared);
  let empty = true;
  for await (const row of rows) {
    empty = false;
    // Rows that the filter drops count as well: a field exists even if no chosen row has it.
    if (unseen.length > 0) for (const key of Object.keys(row)) fields.add(key);
    unseen = unseen.filter(({ key }) => fieldAt(row as JsonObject, key) === undefined);
    if (!filter || filter.keep(row)) kept.push(row);
  }
  const [unknown] = unseen;
  const titles = columns.flatMap(({ title = '' }) => (title === '' ? [] : [title.replaceAll(' ', '_')]));
  if (unknown && !empty) throw unknownKey(unknown.key, [...fields, ...titles]);
  yield* sortedBy(kept, keys);
}

/** The keys of `name,-start_time`: a heading stands for its field, a minus turns the order round. Throws `usage`. */
function sortKeys(text: string, columns: readonly Column[]): SortKey[] {
  const words = text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '' && word !== '-');
  if (words.length === 0) throw new CliError('usage', '--sort names no field.', { hint: 'List the fields with: --columns help' });
  return words.map((word) => {
    const descending = word.startsWith('-');
    const name = descending ? word.slice(1) : word;
    const spelled = name.toLowerCase().replace(/[\s-]/g, '_');
    const column =
      columns.find(({ key }) => key === name) ??
      columns.find(({ key, title = key }) => [key, title.replaceAll(' ', '_')].some((each) => each.toLowerCase() === spelled));
    return { key: column?.key ?? name, descending, time: column?.as === 'time' };
  });
}

function unknownKey(key: string, fields: readonly string[]): CliError {
  const meant = nearest(key, fields);
  return new CliError('usage', sentence`--sort does not know ${JSON.stringify(key)}: no row has such a field.`, {
    hint: sentence`${meant ? `Did you mean ${meant}? ` : ''}List the fields with: --columns help`,
  });
}

/** `time`: numbers are times as well, as services write them that count seconds. */
export type SortKey = { key: string; descending: boolean; time: boolean };

/** A value as it is compared: first by its rank, then by itself. */
type Sortable = { rank: number; value: number | bigint | string } | undefined;

let texts: Intl.Collator | undefined;

export function sortedBy<T extends Readonly<Record<string, unknown>>>(rows: readonly T[], keys: readonly SortKey[]): T[] {
  const prepared = rows.map((row) => ({ row, values: keys.map(({ key, time }) => sortable(fieldAt(row as JsonObject, key), time)) }));
  prepared.sort((a, b) => {
    for (const [index, { descending }] of keys.entries()) {
      const [first, second] = [a.values[index], b.values[index]];
      if (first === undefined || second === undefined) {
        if (first !== second) return first === undefined ? 1 : -1;
        continue;
      }
      const order = compared(first, second);
      if (order !== 0) return descending ? -order : order;
    }
    return 0;
  });
  return prepared.map(({ row }) => row);
}

const ranks = { number: 0, time: 1, text: 2, boolean: 3 } as const;

function sortable(value: Json | undefined, time: boolean): Sortable {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'boolean') return { rank: ranks.boolean, value: Number(value) };
  const instant = time || typeof value === 'string' ? instantOf(value) : undefined;
  if (instant !== undefined) return { rank: ranks.time, value: instant };
  if (typeof value === 'number' || typeof value === 'bigint') return { rank: ranks.number, value };
  if (isExactNumber(value)) return { rank: ranks.number, value: Number(value.rawJSON) };
  return { rank: ranks.text, value: folded(textOfJson(value)) };
}

function compared(a: NonNullable<Sortable>, b: NonNullable<Sortable>): number {
  if (a.rank !== b.rank) return a.rank - b.rank;
  if (typeof a.value === 'string' && typeof b.value === 'string') {
    // Made at the first use: it takes longer than the start of a command that sorts nothing.
    texts ??= new Intl.Collator('en', { numeric: true });
    return texts.compare(a.value, b.value);
  }
  return a.value < b.value ? -1 : a.value > b.value ? 1 : 0;
}
