/**
 * Rows in an order that people expect: numbers as numbers, times as times whatever their offset, texts without
 * case and accents and with their numbers as numbers. Rows that have no value come last in either direction, and
 * rows that are equal keep their order.
 */
import { folded } from '../text/fold.ts';
import { fieldAt, isExactNumber, type Json, type JsonObject, textOfJson } from './json.ts';
import { instantOf } from './time.ts';

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
