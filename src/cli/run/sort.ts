/** The order of --sort. */
import type { Column, Row } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { fieldAt, isExactNumber, type Json, type JsonObject, textOfJson } from '../../model/json.ts';
import { instantOf } from '../../model/time.ts';
import { toListFields, whereFound } from '../../output/choose-columns.ts';
import { folded } from '../../text/fold.ts';

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
