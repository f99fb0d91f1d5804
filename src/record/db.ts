/**
 * What the record of runs needs of a database, SQLite on this machine (`sqlite.ts`) or PostgreSQL for a team (`postgres.ts`): the same
 * statements in both. Statements name their values `$1`, `$2` …
 */
import { setTimeout as pause } from 'node:timers/promises';
import { CliError, type ErrorCode } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { type Sentence, sentence } from '../text/sentence.ts';

export type Value = string | number | null;
export type Row = Readonly<Record<string, Value>>;
export type Query = (sql: string, values?: readonly Value[]) => Promise<Row[]>;

export type Db = {
  /** Where it is, for messages. */
  readonly place: string;
  /** By which other processes know that this one is alive: its process ID, and a random part. */
  readonly holder: string;
  /** What to do without it, and what is lost then. */
  readonly withoutIt: Sentence;
  /** How long it is waited for while it is away or busy. Milliseconds. */
  patience: number;
  /**
   * One transaction after the other, durable when it resolves. `work` may be called again, where another process was in its way or the
   * answer to its commit was lost: what it writes is the same each time; once it has thrown, it sends nothing more. Throws
   * `state_failed`, `state_unavailable`, `state_damaged`.
   */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>;
  /** From now on other processes see that this one is alive. Within a transaction. */
  live(): void;
  isAlive(query: Query, holder: string): Promise<boolean>;
  /** After an erasure: leaves nothing of it in the bytes. */
  compact(): Promise<void>;
  close(): Promise<void>;
};

/** A record that cannot be used, and why. */
export function refused(place: string, why: string, hint: string, code: ErrorCode = 'state_failed', cause?: unknown) {
  return new CliError(code, sentence`The state ${place} cannot be used: ${why}.`, { hint: sentence`${hint}`, cause });
}

/** Before a request was sent, while there are outcomes to record, and what an interruption leaves of it. Milliseconds. */
export const patience = { before: 15_000, after: 120_000, interrupted: 5_000 } as const;

/** Does it again while that may help, with growing pauses of `longest` milliseconds at most. */
export async function patiently<T>(
  { sleep, random }: Pick<Host, 'sleep' | 'random'>,
  { milliseconds, longest }: { milliseconds: number; longest: number },
  act: () => T | Promise<T>,
  mayPass: (error: unknown, waited: number) => boolean,
): Promise<T> {
  for (let [tries, waited, most] = [0, 0, milliseconds]; ; tries += 1) {
    const began = performance.now();
    try {
      return await act();
    } catch (error) {
      if (!mayPass(error, waited) || waited >= most) throw error;
    }
    const wait = Math.min(2 ** tries, longest) * (0.5 + random());
    waited += performance.now() - began + wait;
    await sleep(wait).catch(async () => {
      most = Math.min(most, waited + patience.interrupted);
      await pause(wait);
    });
  }
}

/** Rows of one statement: so few that SQLite need not compile it anew for each number of rows. Statements that may be on their way at once. */
const atOnce = { rows: 10, statements: 100 } as const;

/** Adds rows, or replaces those with the same key. All of them have the same columns. */
export async function put(query: Query, table: string, key: readonly string[], rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  const set = columns.filter((column) => !key.includes(column)).map((column) => `${column} = excluded.${column}`);
  const statement = (part: readonly Row[]) => {
    const lists = part.map((_, at) => `(${places(columns.length, at * columns.length + 1)})`);
    return query(
      `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${lists.join(', ')} ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${set.join(', ')}`,
      part.flatMap((row) => columns.map((column) => row[column] ?? null)),
    );
  };
  for (const some of parts(rows, atOnce.rows * atOnce.statements)) {
    const sent = await Promise.allSettled(parts(some, atOnce.rows).map(statement));
    for (const one of sent) if (one.status === 'rejected') throw one.reason;
  }
}

function parts<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size));
}

/** `$3, $4, $5`: the places of several values, the first of which is the third of its statement. */
export function places(count: number, first = 1): string {
  return Array.from({ length: count }, (_, at) => `$${first + at}`).join(', ');
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
