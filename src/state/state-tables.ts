/**
 * The database of runs: its tables and their rows. A row is its key, the rest of its record as JSON, and a check sum of
 * both. That a table is its own only index is on purpose: a damaged index beside a sound table would hide rows.
 * Runs, steps and events are only ever added; what changes is in `standings`, `claims` and `listed`.
 */
import { crc32 } from 'node:zlib';
import { parseJson, stringifyJson } from '../model/json.ts';
import type { Claim, RecordedEvent, RunRecord, StepRecord } from './state.ts';
import { DamagedRow } from './state-failure.ts';

/** Counts up with each change that an older program cannot read. */
export const schemaVersion = 1;

type Standing = Pick<RunRecord, 'epoch' | 'holder' | 'state' | 'lastAt' | 'steps'>;

/** The record of each table. The reason of a run and the personal values of a step are sealed. */
export type Rows = {
  /** `number`: more than that of the runs before, because clocks are set back. */
  runs: Omit<RunRecord, keyof Standing> & { number: number; digest: string };
  /**
   * How a run is now. With the numbers of its steps and events, so that none can be missing unnoticed; the next event
   * has the number after `lastEvent`.
   */
  standings: Standing & { run: string; events: number; lastEvent: number };
  steps: Omit<StepRecord, 'personal'> & { run: string; personal: string | null };
  events: RecordedEvent & { run: string; i: number };
  /** `ended`: nobody has it any more. */
  claims: Claim & { ended?: true };
  /** The IDs listed when a run was planned. */
  listed: { run: string; ids: string[] };
};
export type Table = keyof Rows;
/** A part of a row's key. */
export type Key = string | number;

export const keys = {
  runs: { id: 'TEXT' },
  standings: { run: 'TEXT' },
  steps: { run: 'TEXT', n: 'INTEGER' },
  events: { run: 'TEXT', i: 'INTEGER' },
  claims: { origin: 'TEXT', scope: 'TEXT', key: 'TEXT', number: 'INTEGER' },
  listed: { run: 'TEXT' },
} as const satisfies { [T in Table]: { [K in keyof Rows[T]]?: string } };

export const tables = Object.keys(keys) as Table[];

/** What creates each table; `end`: what stands after the columns. */
export function createTables(name: (table: string) => string, end = ''): string[] {
  return [
    `CREATE TABLE ${name('meta')} (id TEXT PRIMARY KEY, schema_version INTEGER NOT NULL, key_print TEXT NOT NULL, seq BIGINT NOT NULL, moved_to TEXT NOT NULL)${end}`,
    ...tables.map((table) => {
      const columns = Object.entries({ ...keys[table], record: 'TEXT', sum: 'BIGINT' }).map(
        ([column, type]) => `${column} ${type} NOT NULL`,
      );
      return `CREATE TABLE ${name(table)} (${columns.join(', ')}, PRIMARY KEY (${Object.keys(keys[table]).join(', ')}))${end}`;
    }),
  ];
}

export function keyOf(table: Table): readonly string[] {
  return Object.keys(keys[table]);
}

/** The values of a row as a table has them. */
export function valuesOf<T extends Table>(table: T, row: Rows[T]): Key[] {
  const record: Record<string, unknown> = { ...row };
  const values = keyOf(table).map((name) => record[name] as Key);
  for (const name of keyOf(table)) delete record[name];
  values.push(stringifyJson(record));
  return [...values, sumOf(table, values)];
}

/** Throws `DamagedRow`. */
export function rowOf<T extends Table>(table: T, values: readonly Key[]): Rows[T] {
  checkSum(table, values);
  const record = parseJson(values.at(-2) as string) as Record<string, unknown>;
  for (const [at, name] of keyOf(table).entries()) record[name] = values[at];
  return record as Rows[T];
}

/** A database notices a page whose structure is damaged, but not a digit of an ID that has become another one, and such an ID would be sent. */
export function checkSum(table: Table, values: readonly Key[]): void {
  if (sumOf(table, values.slice(0, -1)) !== values.at(-1)) throw new DamagedRow(`a row of ${table} has changed by itself`);
}

function sumOf(table: Table, values: readonly Key[]): number {
  return crc32([table, ...values].join('\n'));
}
