/**
 * The check sum of a row. SQLite notices a page whose structure is damaged, but not a digit of an ID that has become
 * another one, and such an ID would be sent.
 */
import { crc32 } from 'node:zlib';
import type { Table } from './schema.ts';

export type Value = string | number | null;

/** What SQLite cannot know: a row whose content was damaged, or that is missing. */
export class DamagedRow extends Error {
  override readonly name = 'DamagedRow';
}

export function sumOf(table: Table, values: readonly Value[]): number {
  return crc32(JSON.stringify([table, ...values]));
}

/** The values and their sum, as a row is inserted. Text is stored as UTF-8, which has no halves of characters. */
export function summed(table: Table, values: readonly Value[]): Value[] {
  const stored = values.map((value) => (typeof value === 'string' ? value.toWellFormed() : value));
  return [...stored, sumOf(table, stored)];
}

/** The values of a row that was read, without their sum. Throws `DamagedRow`. */
export function unsummed(table: Table, row: readonly Value[]): Value[] {
  const values = row.slice(0, -1);
  if (sumOf(table, values) !== row.at(-1)) throw new DamagedRow(`a row of ${table} has changed by itself`);
  return values;
}
