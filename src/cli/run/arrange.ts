/**
 * The rows of a list as the line wants them: those that pass the filter, in the order of --sort, as many as
 * --limit allows. Without --sort each row is handed on as it arrives, and reading ends with the last one wanted.
 */
import type { Column, Row, RowFilter } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { fieldAt, type JsonObject } from '../../model/json.ts';
import { nearest } from '../../model/nearest.ts';
import { type SortKey, sortedBy } from '../../model/sorting.ts';
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
