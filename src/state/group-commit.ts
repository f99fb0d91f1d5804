/**
 * Everything that is written in one turn of the event loop shares one transaction, at the end of that turn. Invariants:
 * a promise resolves only once its commit is on the disk; what is queued first is written first; after a commit that
 * failed nothing more is written, and every call fails with the same error. No transaction outlives its turn, so that
 * reads and writes of this process never meet.
 */
import type { Host } from '../host/host.ts';
import { patiently, type RunDatabase } from './run-database.ts';
import { ClaimTaken, TakenOver } from './state.ts';
import { isStateFailure, stateFailure } from './state-failure.ts';
import { sql } from './state-tables.ts';
import { Turn } from './turn.ts';

type Job = { work(turn: Turn): unknown; settle(result: unknown): void; refuse(error: unknown): void };

export type GroupCommitOptions = {
  database: RunDatabase;
  host: Pick<Host, 'now' | 'sleep' | 'random'>;
  /** Called after each commit, with its number. Where it is absent, commits are not counted. */
  committed?: ((seq: number) => void) | undefined;
};

export class GroupCommit {
  readonly #options: GroupCommitOptions;
  #queue: Job[] = [];
  /** Writing, or about to. */
  #running: Promise<void> | undefined;
  #failed: { error: unknown } | undefined;

  constructor(options: GroupCommitOptions) {
    this.#options = options;
  }

  /**
   * Queues a part of the next commit. Resolves to its result once that is durable. Rejects with `ClaimTaken` and `TakenOver`
   * of `work`, which has written nothing then while the others go through; any other error ends the state.
   */
  add<T>(work: (turn: Turn) => T): Promise<T> {
    return new Promise<T>((settle, refuse) => this.#enqueue({ work, settle: settle as Job['settle'], refuse }));
  }

  /** Queues a part that nobody waits for. Throws `state_failed` after a failed commit. */
  post(work: (turn: Turn) => void): void {
    this.#enqueue({ work, settle() {}, refuse() {} });
  }

  /** Resolves once everything that was queued is durable. */
  async flush(): Promise<void> {
    while (this.#running) await this.#running;
    if (this.#failed) throw this.#failed.error;
  }

  /** Reads one state of the database. */
  read<T>(work: () => T): Promise<T> {
    return this.#alone(() => {
      const { database } = this.#options;
      try {
        database.exec('BEGIN');
        const result = work();
        database.exec('COMMIT');
        return result;
      } finally {
        database.rollback();
      }
    });
  }

  /** Builds the file anew, without what was deleted. Throws `state_failed` while other processes do not let it, half a minute long. */
  scrub(): Promise<void> {
    return this.#alone(() => {
      const { database } = this.#options;
      database.emptyLog();
      database.exec('VACUUM');
      database.emptyLog();
    });
  }

  async #alone<T>(work: () => T): Promise<T> {
    const { database, host } = this.#options;
    try {
      return await patiently(host, database.place, work);
    } catch (error) {
      throw this.#failure(error);
    }
  }

  #enqueue(job: Job): void {
    if (this.#failed) throw this.#failed.error;
    this.#queue.push(job);
    this.#running ??= new Promise((resolve) => {
      setImmediate(() => void this.#writeAll().finally(resolve));
    });
  }

  async #writeAll(): Promise<void> {
    const { database, host } = this.#options;
    try {
      while (this.#queue.length > 0) await patiently(host, database.place, () => this.#write());
    } catch (error) {
      database.rollback();
      this.#failed = { error: this.#failure(error) };
      for (const job of this.#queue.splice(0)) job.refuse(this.#failed.error);
    } finally {
      this.#running = undefined;
    }
  }

  #write(): void {
    const { database, host, committed } = this.#options;
    database.exec('BEGIN IMMEDIATE');
    const turn = new Turn(database, host.now());
    const ends = this.#queue.map(({ work, settle, refuse }) => {
      try {
        const result = work(turn);
        return () => settle(result);
      } catch (error) {
        if (!(error instanceof ClaimTaken || error instanceof TakenOver)) throw error;
        return () => refuse(error);
      }
    });
    turn.finish();
    const [seq] = (committed && database.row(sql.nextSeq)) ?? [];
    database.exec('COMMIT');
    this.#queue = [];
    committed?.(seq as number);
    for (const end of ends) end();
  }

  /** An error of the caller's, such as in a plan that is made while it is written, stays as it is. */
  #failure(error: unknown): unknown {
    return isStateFailure(error) ? stateFailure(this.#options.database.place, error) : error;
  }
}
