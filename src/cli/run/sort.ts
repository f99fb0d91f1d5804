/** The order of --sort, by fields that a list has. */
import type { Column, Row } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { fieldAt, isExactNumber, type Json, type JsonObject, textOfJson } from '../../model/json.ts';
import { nearest } from '../../model/nearest.ts';
import { instantOf } from '../../model/time.ts';
import { folded } from '../../text/fold.ts';
import { sentence } from '../../text/sentence.ts';

/** The rows in the order of `name,-start_time`. Throws `usage` for a field that no row has. */
export async function inOrder(rows: AsyncIterable<Row>, columns: readonly Column[], sort: string): Promise<Row[]> {
  const keys = sortKeys(sort, columns);
  const all = await Array.fromAsync(rows);
  const declared = columns.map(({ key }) => key);
  const lacks = ({ key }: SortKey) => !declared.includes(key) && all.every((row) => fieldAt(row as JsonObject, key) === undefined);
  const unknown = all.length > 0 ? keys.find(lacks) : undefined;
  if (!unknown) return sortedBy(all, keys);
  const titles = columns.flatMap(({ title }) => title?.replaceAll(' ', '_') ?? []);
  const meant = nearest(unknown.key, new Set([...declared, ...all.flatMap((row) => Object.keys(row)), ...titles]));
  throw new CliError('usage', sentence`--sort does not know ${JSON.stringify(unknown.key)}: no row has such a field.`, {
    hint: sentence`${meant ? `Did you mean ${meant}? ` : ''}List the fields with: --columns help`,
  });
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
    const isMeant = ({ key, title = key }: Column) => [key, title.replaceAll(' ', '_')].some((each) => each.toLowerCase() === spelled);
    const column = columns.find(({ key }) => key === name) ?? columns.find(isMeant);
    return { key: column?.key ?? name, descending, time: column?.as === 'time' };
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
      const order = compared(a.values[index], b.values[index], descending);
      if (order !== 0) return order;
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

/** What is missing comes last, in either order. */
function compared(a: Sortable, b: Sortable, descending: boolean): number {
  if (!a || !b) return Number(!a) - Number(!b);
  // Made at the first use: it takes longer than the start of a command that sorts nothing.
  texts ??= new Intl.Collator('en', { numeric: true });
  const isText = typeof a.value === 'string' && typeof b.value === 'string';
  const order =
    a.rank - b.rank || (isText ? texts.compare(`${a.value}`, `${b.value}`) : Number(a.value > b.value) - Number(a.value < b.value));
  return descending ? -order : order;
}
