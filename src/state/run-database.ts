/**
 * One connection to the database of runs. Statements are compiled on first use and kept. SQLite itself never waits:
 * that would stop the whole process, which has answers to receive meanwhile; `patiently` waits in its place.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { Host } from '../host/host.ts';
import { parseJson, stringifyJson } from '../model/json.ts';
import { DatabaseSync, type StatementSync } from './sqlite.ts';
import { busyTooLong, DamagedRow, isBusy } from './state-failure.ts';
import { type Rows, statements, type Table } from './state-tables.ts';

type Value = string | number;

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

  /** Adds a row, or replaces the one with its key. */
  put<T extends Table>(table: T, row: Rows[T]): void {
    const { key, put } = statements[table];
    const record: Record<string, unknown> = { ...row };
    const values = key.map((name) => record[name] as Value);
    for (const name of key) delete record[name];
    values.push(stringifyJson(record));
    this.#statement(put).run(...values, sumOf(table, values));
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

/** SQLite notices a page whose structure is damaged, but not a digit of an ID that has become another one, and such an ID would be sent. */
function sumOf(table: Table, values: readonly Value[]): number {
  return crc32([table, ...values].join('\n'));
}

function checkSum(table: Table, row: readonly Value[]): void {
  if (sumOf(table, row.slice(0, -1)) !== row.at(-1)) throw new DamagedRow(`a row of ${table} has changed by itself`);
}

function rowOf<T extends Table>(table: T, row: readonly Value[]): Rows[T] {
  checkSum(table, row);
  const record = parseJson(row.at(-2) as string) as Record<string, unknown>;
  for (const [at, name] of statements[table].key.entries()) record[name] = row[at];
  return record as Rows[T];
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
