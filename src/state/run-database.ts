/**
 * One connection to the database of runs. Statements are compiled on first use and kept. SQLite itself never waits:
 * that would stop the whole process, which has answers to receive meanwhile; `patiently` waits in its place.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Host } from '../host/host.ts';
import type { Value } from './row-sums.ts';
import { DatabaseSync, type StatementSync } from './sqlite.ts';
import { busyTooLong, isBusy } from './state-failure.ts';

export class RunDatabase {
  readonly place: string;
  readonly #connection: InstanceType<typeof DatabaseSync>;
  readonly #statements = new Map<string, StatementSync>();

  /** The file has to be there already: SQLite would create it for everybody to read. */
  constructor(place: string) {
    this.place = place;
    this.#connection = new DatabaseSync(place, { timeout: 0 });
    // What is deleted is overwritten. Sorting and rebuilding leave nothing in a folder for temporary files.
    this.#connection.exec('PRAGMA busy_timeout = 0; PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; PRAGMA synchronous = FULL');
  }

  get isOpen(): boolean {
    return this.#connection.isOpen;
  }

  exec(text: string): void {
    this.#connection.exec(text);
  }

  /** Runs a statement; the number of rows that it has changed. */
  run(text: string, ...values: Value[]): number {
    return Number(this.#statement(text).run(...values).changes);
  }

  row(text: string, ...values: Value[]): Value[] | undefined {
    return this.#statement(text).get(...values) as unknown as Value[] | undefined;
  }

  rows(text: string, ...values: Value[]): Iterable<Value[]> {
    return this.#statement(text).iterate(...values) as unknown as Iterable<Value[]>;
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
export const patience = 30_000;

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
