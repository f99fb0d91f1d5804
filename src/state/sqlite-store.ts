/**
 * The store on this machine: one SQLite database in the state folder, and kernel locks on files beside it. No transaction
 * outlives its turn of the event loop: what is done in one never waits for anything else.
 */

import type { Host } from '../host/host.ts';
import { notInUse } from './moved.ts';
import { patiently, type RunDatabase } from './run-database.ts';
import type { RunLocks } from './run-locks.ts';
import { isStateFailure, stateFailure } from './state-failure.ts';
import { FoundRows, oneAtATime, type Reads, type Store, type Transaction } from './store.ts';

export const sql = {
  addMeta: `INSERT INTO meta VALUES (?, ?, ?, 0, '')`,
  meta: 'SELECT id, schema_version, key_print, seq, moved_to FROM meta',
  nextSeq: 'UPDATE meta SET seq = seq + 1 RETURNING seq, moved_to',
  seq: 'SELECT seq + 1, moved_to FROM meta',
  setSeq: 'UPDATE meta SET seq = ?',
  setMoved: 'UPDATE meta SET moved_to = ?',
  setMeta: 'UPDATE meta SET id = ?, key_print = ?, seq = ?, moved_to = ?',
} as const;

type Options = {
  database: RunDatabase;
  locks: RunLocks;
  host: Pick<Host, 'now' | 'sleep' | 'random'>;
  /** Called after each commit, with its number. Where it is absent, commits are not counted. */
  committed?: ((seq: number) => void) | undefined;
};

export function sqliteStore({ database, locks, host, committed }: Options): Store {
  const { place } = database;
  const alone = oneAtATime();
  const inWords = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      // An error of the caller's, such as in a plan that is made while it is written, stays as it is.
      throw isStateFailure(error) ? stateFailure(place, error) : error;
    }
  };
  const transacted = <T>(begin: string, work: () => Promise<T>) =>
    alone(() =>
      inWords(async () => {
        await patiently(host, place, () => database.exec(begin));
        try {
          return await work();
        } finally {
          database.rollback();
        }
      }),
    );
  const reads: Reads = {
    get: async (table, ...key) => database.get(table, ...key),
    all: async (table, ...key) => [...database.all(table, ...key)],
  };
  const writes: Omit<Transaction, 'at' | 'seq'> = {
    ...reads,
    isTakenOver: false,
    erases: true,
    async add(table, rows) {
      for (const row of rows) database.add(table, row);
    },
    async put(table, rows) {
      for (const row of rows) database.put(table, row);
    },
    async drop(table, ...key) {
      database.drop(table, ...key);
    },
  };

  return {
    place,
    ahead: 0,
    read: (work) =>
      transacted('BEGIN', async () => {
        const result = await work(reads);
        database.exec('COMMIT');
        return result;
      }),
    write: (needs, work) =>
      transacted('BEGIN IMMEDIATE', async () => {
        const [seq = 0, movedTo = ''] = database.row(committed ? sql.nextSeq : sql.seq) ?? [];
        if (movedTo !== '') throw notInUse(place, String(movedTo));
        const found = new FoundRows();
        for (const need of needs) found.set(need, [...database.all(...need)]);
        const result = await work({ ...writes, at: host.now(), seq: Number(seq) }, found);
        database.exec('COMMIT');
        committed?.(Number(seq));
        return result;
      }),
    lock: (name, what) => locks.hold(name, what),
    locks: () => locks.held(),
    scrub: () =>
      alone(() =>
        inWords(() =>
          patiently(host, place, () => {
            database.emptyLog();
            database.exec('VACUUM');
            database.emptyLog();
          }),
        ),
      ),
    async close() {
      await alone(async () => {
        locks.releaseAll();
        database.close();
      });
    },
  };
}
