/**
 * What the state needs of a database: transactions over rows. `sqlite-store.ts` is one on this machine, `postgres/` one
 * for a team; nothing else knows which of the two it is.
 */
import type { HeldLock, Holder } from './lock.ts';
import type { Key, Rows, Table } from './state-tables.ts';

/** The rows of a table whose key begins with these values. */
export type Need = readonly [table: Table, ...key: Key[]];

/** Rows that were read before. Throws for rows that were not asked for. */
export type Found = {
  get<T extends Table>(table: T, ...key: Key[]): Rows[T] | undefined;
  all<T extends Table>(table: T, ...key: Key[]): Rows[T][];
};

export type Reads = {
  get<T extends Table>(table: T, ...key: Key[]): Promise<Rows[T] | undefined>;
  /** In the order of their keys. */
  all<T extends Table>(table: T, ...key: Key[]): Promise<Rows[T][]>;
};

export type Transaction = Reads & {
  /** When it began, by the clock of the store: from then on, nobody else could take a run over. Milliseconds since 1970. */
  readonly at: number;
  /** The number of the commit: more than that of every commit before. */
  readonly seq: number;
  /** Another process has taken something from this one, because it gave no sign of life: nothing is its own any more. */
  readonly isTakenOver: boolean;
  /** Whether whoever records a run also erases what is of no use any more; in a team, another role does that. */
  readonly erases: boolean;
  /** Adds rows with new keys. */
  add<T extends Table>(table: T, rows: Iterable<Rows[T]>): Promise<void>;
  /** Adds rows, or replaces those with the same key. */
  put<T extends Table>(table: T, rows: Iterable<Rows[T]>): Promise<void>;
  drop(table: Table, ...key: Key[]): Promise<void>;
};

export type NamedLock = { name: string; holder?: Holder };

/** Transactions of one process come one after the other. Each method throws what `stateFailure` makes of an error. */
export type Store = {
  /** Where it is, for messages. */
  readonly place: string;
  /** How far its clock is ahead of this machine's. Milliseconds. */
  readonly ahead: number;
  /** Reads one state of the database. `work` may be called again. */
  read<T>(work: (reads: Reads) => Promise<T>): Promise<T>;
  /**
   * `needs`: what is read for `work` at the beginning. Resolves when all of it is durable. Where nothing of it was written,
   * `work` is called again, unless it can be done `once` only.
   */
  write<T>(
    needs: readonly Need[],
    work: (transaction: Transaction, found: Found) => Promise<T> | T,
    options?: { once?: boolean },
  ): Promise<T>;
  /** Takes a lock until it is released, or this process has ended. Throws `already_running`, which names the holder. */
  lock(name: string, what: { command: string; run?: string }): Promise<HeldLock>;
  /** The locks that are held. */
  locks(): Promise<NamedLock[]>;
  /** After an erasure: nothing of it is left in the bytes. */
  scrub(): Promise<void>;
  close(): Promise<void>;
};

/** Rows by what was asked for. */
export class FoundRows implements Found {
  readonly #rows = new Map<string, unknown[]>();

  set<T extends Table>(need: Need, rows: Rows[T][]): void {
    this.#rows.set(JSON.stringify(need), rows);
  }

  get<T extends Table>(table: T, ...key: Key[]): Rows[T] | undefined {
    return this.all(table, ...key)[0];
  }

  all<T extends Table>(table: T, ...key: Key[]): Rows[T][] {
    const rows = this.#rows.get(JSON.stringify([table, ...key]));
    if (!rows) throw new Error(`${table} was not asked for`);
    return rows as Rows[T][];
  }
}

/** Calls work one after the other. */
export function oneAtATime(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work);
    last = next.catch(() => {});
    return next;
  };
}
