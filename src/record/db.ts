/** What the record needs of a database, SQLite or PostgreSQL. Statements name their values `$1`, `$2` … */
import { setTimeout as pause } from 'node:timers/promises';
import { CliError, type ErrorCode } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { sentence } from '../text/sentence.ts';

export type DbValue = string | number | null;
export type DbRow = Readonly<Record<string, DbValue>>;
export type Query = (sql: string, values?: readonly DbValue[]) => Promise<DbRow[]>;

export type Db = {
  readonly place: string;
  /** The name of this process for others: its process ID, and a random part. */
  readonly holder: string;
  /** The command that moves a damaged record away. */
  readonly moveAway: string;
  /** How long it is waited for while it is away or busy. Milliseconds. */
  patience: number;
  /**
   * One transaction after the other, durable when it resolves. `work` may be called again, where the
   * answer to a commit was lost: it writes the same each time, and sends nothing once it has thrown.
   * Throws `state_failed`, `state_unavailable`, `state_damaged`.
   */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>;
  /** Shows to others that this process is alive. Within a transaction. */
  live(): void;
  isAlive(query: Query, holder: string): Promise<boolean>;
  /** Leaves nothing in the bytes of what was erased. */
  compact(): Promise<void>;
  close(): Promise<void>;
};

/** The error of a record that cannot be used. Without `hint`, it has the hint of its code. */
export function stateRefused(place: string, why: string, hint?: string, code: ErrorCode = 'state_failed', cause?: unknown): CliError {
  const what = sentence`The state ${place} cannot be used: ${why}.`;
  return new CliError(code, what, hint === undefined ? { cause } : { hint: sentence`${hint}`, cause });
}

/** Before requests, while there are outcomes to record, after an interruption. Milliseconds. */
export const waitsMs = { before: 15_000, after: 120_000, interrupted: 5_000 } as const;

/** Acts again while that may help, with growing pauses of at most `longest` milliseconds. A database that was given up is tried once. */
export async function patiently<T>(
  { sleep, random }: Pick<Host, 'sleep' | 'random'>,
  db: Pick<Db, 'patience'>,
  longest: number,
  act: () => T | Promise<T>,
  mayPass: (error: unknown, waited: number) => boolean,
): Promise<T> {
  for (let [tries, waited, most] = [0, 0, db.patience]; ; tries += 1) {
    const began = performance.now();
    try {
      return await act();
    } catch (error) {
      if (!mayPass(error, waited)) throw error;
      if (waited >= most) {
        db.patience = 0;
        throw error;
      }
    }
    const wait = Math.min(2 ** tries, longest) * (0.5 + random());
    waited += performance.now() - began + wait;
    await sleep(wait).catch(async () => {
      most = Math.min(most, waited + waitsMs.interrupted);
      await pause(wait);
    });
  }
}

/** SQLite is slow with many values in a statement; a server takes many statements at once. */
const batch = { rows: 10, statements: 100 } as const;

/** Adds or replaces rows, all with the same columns. `kept`: what never changes, so that no index on it is written again. */
export async function put(
  query: Query,
  table: string,
  key: readonly string[],
  rows: readonly DbRow[],
  kept: readonly string[] = [],
): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  const others = columns.filter((column) => !key.includes(column) && !kept.includes(column));
  const set = others.map((column) => `${column} = excluded.${column}`).join(', ');
  const statement = (part: readonly DbRow[]) => {
    const lists = part.map((_, at) => `(${places(columns.length, at * columns.length + 1)})`);
    const insert = `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${lists.join(', ')}`;
    const values = part.flatMap((row) => columns.map((column) => row[column] ?? null));
    return query(`${insert} ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${set}`, values);
  };
  for (const some of chunks(chunks(rows, batch.rows), batch.statements)) {
    const sent = await Promise.allSettled(some.map(statement));
    for (const one of sent) if (one.status === 'rejected') throw one.reason;
  }
}

function chunks<T>(all: readonly T[], size: number): T[][] {
  const count = Math.ceil(all.length / size);
  return Array.from({ length: count }, (_, at) => all.slice(at * size, (at + 1) * size));
}

/** Placeholders such as `$3, $4, $5`. */
export function places(count: number, first = 1): string {
  return Array.from({ length: count }, (_, at) => `$${first + at}`).join(', ');
}

export function oneAtATime(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work);
    last = next.catch(() => {});
    return next;
  };
}
