/**
 * One connection to the database of runs. Statements are compiled on first use and kept. SQLite itself never waits:
 * that would stop the whole process, which has answers to receive meanwhile; `patiently` waits in its place.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseSync, type StatementSync } from '../files/sqlite.ts';
import type { Host } from '../host/host.ts';
import { busyTooLong, isBusy } from './state-failure.ts';
import { checkSum, keyOf, type Rows, rowOf, type Table, tables, valuesOf } from './state-tables.ts';

type Value = string | number;

/** The statements of a table; `select` and `drop`: of the rows whose key begins with that many values. */
const statements = Object.fromEntries(
  tables.map((table) => {
    const key = keyOf(table);
    const beginning = [...key.keys(), key.length].map((count) =>
      count === 0 ? '' : ` WHERE ${key.slice(0, count).join(' = ? AND ')} = ?`,
    );
    const add = `INSERT INTO ${table} VALUES (${'?, '.repeat(key.length)}?, ?)`;
    const put = `${add} ON CONFLICT (${key.join(', ')}) DO UPDATE SET record = excluded.record, sum = excluded.sum`;
    const select = beginning.map((where) => `SELECT * FROM ${table}${where} ORDER BY ${key.join(', ')}`);
    return [table, { add, put, select, drop: beginning.map((where) => `DELETE FROM ${table}${where}`) }];
  }),
) as Record<Table, { add: string; put: string; select: string[]; drop: string[] }>;

export class RunDatabase {
  readonly place: string;
  readonly #connection: InstanceType<typeof DatabaseSync>;
  readonly #statements = new Map<string, StatementSync>();

  /** The file has to be there already: SQLite would create it for everybody to read. */
  constructor(place: string) {
    this.place = place;
    this.#connection = new DatabaseSync(place, { timeout: 0 });
    // What is deleted is overwritten. Sorting and rebuilding leave nothing in a folder for temporary files.
    try {
      this.exec('PRAGMA busy_timeout = 0; PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; PRAGMA synchronous = FULL');
    } catch (error) {
      this.close();
      throw error;
    }
  }

  add<T extends Table>(table: T, row: Rows[T]): void {
    this.#statement(statements[table].add).run(...valuesOf(table, row));
  }

  /** Adds a row, or replaces the one with its key. */
  put<T extends Table>(table: T, row: Rows[T]): void {
    this.#statement(statements[table].put).run(...valuesOf(table, row));
  }

  /** Throws `DamagedRow`, as `all` does. */
  get<T extends Table>(table: T, ...key: Value[]): Rows[T] | undefined {
    const values = this.row(statements[table].select[key.length] ?? '', ...key);
    return values && rowOf(table, values);
  }

  /** The rows whose key begins with these values, in the order of their keys. */
  *all<T extends Table>(table: T, ...key: Value[]): Generator<Rows[T], void> {
    for (const values of this.#select(table, ...key)) yield rowOf(table, values);
  }

  /** The rows of a table as they are, in the order of their keys. */
  values(table: Table): Iterable<Value[]> {
    return this.#select(table);
  }

  addValues(table: Table, values: readonly Value[]): void {
    this.#statement(statements[table].add).run(...values);
  }

  /** Reads all rows, and throws `DamagedRow` for one that has changed. */
  check(table: Table): void {
    for (const values of this.#select(table)) checkSum(table, values);
  }

  /** Deletes those rows. */
  drop(table: Table, ...key: Value[]): void {
    this.#statement(statements[table].drop[key.length] ?? '').run(...key);
  }

  exec(text: string): void {
    this.#connection.exec(text);
  }

  /** The first row of a statement. */
  row(text: string, ...values: Value[]): Value[] | undefined {
    return this.#statement(text).get(...values) as unknown as Value[] | undefined;
  }

  /** Moves all commits from the log beside it into the file. Throws as SQLite does while another process needs the log. */
  emptyLog(): void {
    const [isInUse] = this.row('PRAGMA wal_checkpoint(TRUNCATE)') ?? [];
    if (isInUse !== 0) throw Object.assign(new Error('the log is in use'), { errcode: 5 });
  }

  rollback(): void {
    try {
      if (this.#connection.isTransaction) this.#connection.exec('ROLLBACK');
    } catch {}
  }

  close(): void {
    this.#statements.clear();
    if (this.#connection.isOpen) this.#connection.close();
  }

  #select(table: Table, ...key: Value[]): Iterable<Value[]> {
    return this.#statement(statements[table].select[key.length] ?? '').iterate(...key) as unknown as Iterable<Value[]>;
  }

  #statement(text: string): StatementSync {
    let statement = this.#statements.get(text);
    if (!statement) {
      statement = this.#connection.prepare(text);
      statement.setReturnArrays(true);
      this.#statements.set(text, statement);
    }
    return statement;
  }
}

/** Milliseconds that others may take, all together: a commit takes a few, and a plan of a million steps some seconds. */
const patience = 30_000;

/**
 * Does what is refused while another process uses the database, again and again, with pauses in which this process goes
 * on. Throws `state_failed` after half a minute. An interruption ends no wait: what has happened must be recorded.
 */
export async function patiently<T>(host: Pick<Host, 'sleep' | 'random'>, place: string, act: () => T): Promise<T> {
  for (let waited = 0; ; ) {
    try {
      return act();
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
    if (waited >= patience) throw busyTooLong(place, patience / 1000);
    const wait = 1 + host.random() * 9;
    waited += wait;
    await host.sleep(wait).catch(() => pause(wait));
  }
}
