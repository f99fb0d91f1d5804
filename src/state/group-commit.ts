/**
 * Everything that is written in one turn of the event loop shares one transaction, at the end of that turn. Invariants:
 * a promise resolves only once its commit is on the disk; what is queued first is written first; after a commit that
 * failed nothing more is written, and every call fails with the same error.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { patiently, type RunDatabase } from './run-database.ts';
import { sql } from './schema.ts';
import { isStateFailure, stateFailure } from './state-failure.ts';
import { Turn } from './turn.ts';

/** Thrown by a part of a commit that is refused by itself: it has written nothing, and the others go through. */
export type Refusal = new (...given: never[]) => Error;

/** `parts` writes in parts, in a transaction of its own; between two of them other work of this process goes on. */
type Job = { settle(result: unknown): void; refuse(error: unknown): void } & (
  | { work(turn: Turn): unknown; parts?: undefined }
  | { parts(turn: Turn): Generator<void, unknown>; work?: undefined }
);

export type GroupCommitOptions = {
  database: RunDatabase;
  host: Pick<Host, 'now' | 'sleep' | 'random'>;
  refusals: readonly Refusal[];
  /** Called after each commit, with its number. Where it is absent, commits are not counted. */
  committed?: ((seq: number) => void) | undefined;
};

export class GroupCommit {
  readonly #options: GroupCommitOptions;
  #queue: Job[] = [];
  /** Writing, or about to. */
  #running: Promise<void> | undefined;
  #inParts: Promise<void> | undefined;
  #failed: CliError | undefined;

  constructor(options: GroupCommitOptions) {
    this.#options = options;
  }

  /** Queues a part of the next commit. Resolves to its result once that is durable; rejects with a refusal, or `state_failed`. */
  add<T>(work: (turn: Turn) => T): Promise<T> {
    return this.#promised((job) => ({ ...job, work }));
  }

  /** The same for one too long to be written in one go, in a commit of its own. What the generator itself throws only ends this one. */
  addInParts<T>(parts: (turn: Turn) => Generator<void, T>): Promise<T> {
    return this.#promised((job) => ({ ...job, parts }));
  }

  /** Queues a part that nobody waits for. Throws `state_failed` after a failed commit. */
  post(work: (turn: Turn) => void): void {
    if (this.#failed) throw this.#failed;
    this.#enqueue({ work, settle() {}, refuse() {} });
  }

  /** Resolves once everything that was queued is durable. */
  async flush(): Promise<void> {
    while (this.#running) await this.#running;
    if (this.#failed) throw this.#failed;
  }

  /** Reads one state of the database, without what is being written. */
  read<T>(work: () => T): Promise<T> {
    return this.alone(() => this.#readNow(work));
  }

  /** Does what cannot be part of a transaction that is being written in parts, and waits for other processes. */
  async alone<T>(work: () => T): Promise<T> {
    const { database, host } = this.#options;
    try {
      for (;;) {
        while (this.#inParts) await this.#inParts;
        const result = await patiently(host, database.place, () => (this.#inParts ? undefined : { value: work() }));
        if (result) return result.value;
      }
    } catch (error) {
      throw isStateFailure(error) ? stateFailure(database.place, error) : error;
    }
  }

  #readNow<T>(work: () => T): T {
    const { database } = this.#options;
    try {
      database.exec('BEGIN');
      const result = work();
      database.exec('COMMIT');
      return result;
    } catch (error) {
      database.rollback();
      throw error;
    }
  }

  #promised<T>(job: (ends: Pick<Job, 'settle' | 'refuse'>) => Job): Promise<T> {
    if (this.#failed) return Promise.reject(this.#failed);
    return new Promise<T>((resolve, reject) => {
      this.#enqueue(job({ settle: resolve as (result: unknown) => void, refuse: reject }));
    });
  }

  #enqueue(job: Job): void {
    this.#queue.push(job);
    this.#running ??= new Promise((resolve) => {
      setImmediate(() => void this.#writeAll().finally(resolve));
    });
  }

  async #writeAll(): Promise<void> {
    const { database, host } = this.#options;
    let group: Job[] = [];
    try {
      while (this.#queue.length > 0) {
        if (!this.#beginAtOnce()) await patiently(host, database.place, () => database.exec('BEGIN IMMEDIATE'));
        const turn = new Turn(database, host.now());
        group = this.#nextGroup();
        if (group[0]?.parts) await this.#writeParts(turn, group[0]);
        else this.#writeGroup(turn, group as Extract<Job, { parts?: undefined }>[]);
      }
    } catch (error) {
      database.rollback();
      const failed = stateFailure(database.place, error);
      this.#failed = failed;
      for (const job of [...group, ...this.#queue.splice(0)]) job.refuse(failed);
    } finally {
      this.#running = undefined;
    }
  }

  /** Without leaving the turn, where nobody else writes. */
  #beginAtOnce(): boolean {
    try {
      this.#options.database.exec('BEGIN IMMEDIATE');
      return true;
    } catch {
      // The same statement says again what is wrong with it.
      return false;
    }
  }

  /** All up to the next one that is written in parts, or that one. */
  #nextGroup(): Job[] {
    const inParts = this.#queue.findIndex(({ parts }) => parts);
    return this.#queue.splice(0, inParts < 0 ? this.#queue.length : Math.max(1, inParts));
  }

  #writeGroup(turn: Turn, group: Extract<Job, { parts?: undefined }>[]): void {
    const results = group.map(({ work }) => {
      try {
        return { value: work(turn) };
      } catch (error) {
        if (!this.#options.refusals.some((refusal) => error instanceof refusal)) throw error;
        return { error };
      }
    });
    this.#commit(turn);
    for (const [index, { error, value }] of results.entries()) {
      if (error === undefined) group[index]?.settle(value);
      else group[index]?.refuse(error);
    }
  }

  async #writeParts(turn: Turn, job: Extract<Job, { work?: undefined }>): Promise<void> {
    let done = () => {};
    this.#inParts = new Promise((resolve) => {
      done = resolve;
    });
    try {
      const parts = job.parts(turn);
      let part = parts.next();
      for (; !part.done; part = parts.next()) await nextTurn();
      this.#commit(turn);
      job.settle(part.value);
    } catch (error) {
      if (isStateFailure(error)) throw error;
      this.#options.database.rollback();
      job.refuse(error);
    } finally {
      this.#inParts = undefined;
      done();
    }
  }

  #commit(turn: Turn): void {
    const { database, committed } = this.#options;
    turn.finish();
    const [seq] = (committed && database.row(sql.nextSeq)) ?? [];
    database.exec('COMMIT');
    committed?.(seq as number);
  }
}
