/**
 * Everything that is written in one turn of the event loop, or while a commit is under way, shares the next commit.
 * Invariants: a promise resolves only once its commit is durable; what is queued first is written first; after a commit
 * that failed nothing more is written, and every call fails with the same error.
 */
import { ClaimTaken, TakenOver } from './state.ts';
import type { Need, Store, Transaction } from './store.ts';
import { Turn } from './turn.ts';

type Job = { needs: readonly Need[]; work(turn: Turn): unknown; settle(result: unknown): void; refuse(error: unknown): void };

export class GroupCommit {
  readonly #store: Store;
  #queue: Job[] = [];
  /** Writing, or about to. */
  #running: Promise<void> | undefined;
  #failed: { error: unknown } | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * Queues a part of the next commit. Resolves to its result once that is durable. Rejects with `ClaimTaken` and `TakenOver`
   * of `work`, which has written nothing then while the others go through; any other error ends the state.
   */
  add<T>(needs: readonly Need[], work: (turn: Turn) => T): Promise<T> {
    return new Promise<T>((settle, refuse) => this.#enqueue({ needs, work, settle: settle as Job['settle'], refuse }));
  }

  /** Queues a part that nobody waits for. Throws `state_failed` after a failed commit. */
  post(needs: readonly Need[], work: (turn: Turn) => void): void {
    this.#enqueue({ needs, work, settle() {}, refuse() {} });
  }

  /** A commit of its own, after all that is queued. A failure ends the state, as above. `once`: as in `Store.write`. */
  async alone<T>(work: (transaction: Transaction) => Promise<T>, options: { once?: boolean } = {}): Promise<T> {
    await this.flush();
    try {
      const act = (transaction: Transaction) => {
        if (transaction.isTakenOver) throw new TakenOver();
        return work(transaction);
      };
      return await this.#store.write([], act, options);
    } catch (error) {
      if (!(error instanceof TakenOver)) this.#failed ??= { error };
      throw error;
    }
  }

  /** Resolves once everything that was queued is durable. */
  async flush(): Promise<void> {
    while (this.#running) await this.#running;
    if (this.#failed) throw this.#failed.error;
  }

  #enqueue(job: Job): void {
    if (this.#failed) throw this.#failed.error;
    this.#queue.push(job);
    this.#running ??= new Promise((resolve) => {
      setImmediate(() => void this.#writeAll().finally(resolve));
    });
  }

  async #writeAll(): Promise<void> {
    while (this.#queue.length > 0) {
      const jobs = this.#queue;
      this.#queue = [];
      try {
        for (const end of await this.#write(jobs)) end();
      } catch (error) {
        this.#failed = { error };
        for (const job of [...jobs, ...this.#queue.splice(0)]) job.refuse(error);
      }
    }
    this.#running = undefined;
  }

  /** Resolves to how each job ends. */
  #write(jobs: readonly Job[]): Promise<(() => void)[]> {
    return this.#store.write(
      jobs.flatMap(({ needs }) => needs),
      async (transaction, found) => {
        const turn = new Turn(transaction, found);
        const ends = jobs.map(({ work, settle, refuse }) => {
          try {
            const result = work(turn);
            return () => settle(result);
          } catch (error) {
            if (!(error instanceof ClaimTaken || error instanceof TakenOver)) throw error;
            return () => refuse(error);
          }
        });
        await turn.writeTo(transaction);
        return ends;
      },
    );
  }
}
