/**
 * The database of runs: its tables and its statements, in SQL that PostgreSQL reads as well, where `?` is `$1` and a
 * table has no WITHOUT ROWID. A row is its key, the rest of its record as JSON, and a check sum of both. That a table is its own only
 * index is on purpose: a damaged index beside a sound table would hide rows.
 */
import type { Claim, RecordedEvent, RunRecord, StepRecord } from './state.ts';

/** Counts up with each change that an older program cannot read. */
export const schemaVersion = 1;
/** SQLite's mark of the program that a file belongs to: "PRun". */
export const applicationId = 0x5052756e;

/** The record of each table. The reason of a run and the personal values of a step are sealed. */
export type Rows = {
  /**
   * `number`: one more than that of the run before, because clocks are set back. With the numbers of its steps and events, so that none can
   * be missing unnoticed; the next event has the number after `lastEvent`.
   */
  runs: RunRecord & { number: number; digest: string; events: number; lastEvent: number };
  steps: Omit<StepRecord, 'personal'> & { run: string; personal: string | null };
  events: RecordedEvent & { run: string; i: number };
  claims: Claim;
  /** The IDs listed when a run was planned. */
  listed: { run: string; ids: string[] };
};
export type Table = keyof Rows;
export type RunRow = Rows['runs'];

const keys = {
  runs: { id: 'TEXT' },
  steps: { run: 'TEXT', n: 'INTEGER' },
  events: { run: 'TEXT', i: 'INTEGER' },
  claims: { origin: 'TEXT', scope: 'TEXT', key: 'TEXT', number: 'INTEGER' },
  listed: { run: 'TEXT' },
} as const satisfies { [T in Table]: { [K in keyof Rows[T]]?: string } };

export const tables = Object.keys(keys) as Table[];

export const sql = {
  addMeta: 'INSERT INTO meta VALUES (?, ?, ?, 0)',
  meta: 'SELECT id, schema_version, key_print, seq FROM meta',
  nextSeq: 'UPDATE meta SET seq = seq + 1 RETURNING seq',
  setSeq: 'UPDATE meta SET seq = ?',
} as const;

/** What creates each table, as SQLite is given it. */
export const created: readonly string[] = [
  'CREATE TABLE meta (id TEXT PRIMARY KEY, schema_version INTEGER NOT NULL, key_print TEXT NOT NULL, seq BIGINT NOT NULL) WITHOUT ROWID',
  ...tables.map((table) => {
    const columns = Object.entries({ ...keys[table], record: 'TEXT', sum: 'BIGINT' }).map(([name, type]) => `${name} ${type} NOT NULL`);
    return `CREATE TABLE ${table} (${columns.join(', ')}, PRIMARY KEY (${Object.keys(keys[table]).join(', ')})) WITHOUT ROWID`;
  }),
];

/** For each table the fields of its key, and its statements; `select` and `drop`: of the rows whose key begins with that many values. */
export const statements = Object.fromEntries(
  tables.map((table) => {
    const key = Object.keys(keys[table]);
    const beginning = [...key.keys(), key.length].map((count) =>
      count === 0 ? '' : ` WHERE ${key.slice(0, count).join(' = ? AND ')} = ?`,
    );
    const put = `INSERT INTO ${table} VALUES (${'?, '.repeat(key.length)}?, ?)
      ON CONFLICT (${key.join(', ')}) DO UPDATE SET record = excluded.record, sum = excluded.sum`;
    const select = beginning.map((where) => `SELECT * FROM ${table}${where} ORDER BY ${key.join(', ')}`);
    return [table, { key, put, select, drop: beginning.map((where) => `DELETE FROM ${table}${where}`) }];
  }),
) as Record<Table, { key: string[]; put: string; select: string[]; drop: string[] }>;
