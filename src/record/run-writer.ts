/**
 * A run that this process carries out. It is written only while the locks are its own: another process
 * may have taken them. What is saved in one turn, or during a commit, shares the next commit.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { CliError } from '../errors.ts';
import { type Db, places, put, waitsMs } from './db.ts';
import type { Keys } from './keys.ts';
import { type Run, type RunState, rowOfRun, rowOfStep, type StepRow } from './rows.ts';

type Holding = { db: Db; keys: Keys; now(): number; locks: ReadonlySet<string> };

export class RunWriter {
  readonly run: Run;
  readonly #holding: Holding;
  #isThere: boolean;
  #unsaved = new Map<number, StepRow>();
  /** The write that began last, and the one that collects steps. */
  #last: Promise<unknown> = Promise.resolve();
  #next: Promise<void> | undefined;
  #failed: { error: unknown } | undefined;

  constructor(run: Run, holding: Holding, isThere: boolean) {
    this.run = run;
    this.#holding = holding;
    this.#isThere = isThere;
  }

  /** Resolves once they are durable. Once it threw, nothing more is recorded. Throws `already_running`. */
  save(steps: readonly StepRow[]): Promise<void> {
    for (const step of steps) this.#unsaved.set(step.n, step);
    if (!this.#next) {
      this.#next = this.#last.then(() => turn()).then(() => this.#write());
      this.#last = this.#next.catch(() => {});
    }
    return this.#next;
  }

  async close(state: RunState): Promise<void> {
    this.run.state = state;
    await this.save([]);
  }

  async #write(): Promise<void> {
    const steps = [...this.#unsaved.values()];
    this.#unsaved = new Map();
    this.#next = undefined;
    if (this.#failed) throw this.#failed.error;
    try {
      await this.#commit(steps);
      this.#isThere = true;
      this.#holding.db.patience = this.run.state === 'open' ? waitsMs.after : waitsMs.before;
    } catch (error) {
      this.#failed = { error };
      throw error;
    }
  }

  #commit(steps: readonly StepRow[]): Promise<void> {
    const { db, keys, locks, now } = this.#holding;
    const { run } = this;
    run.lastAt = now();
    const hasEnded = run.state !== 'open';
    const rows = steps.map((step) => rowOfStep(step, run.id, keys));
    const held = [db.holder, ...locks];
    const names = places(locks.size, 2) || 'NULL';
    const own = `(SELECT count(*) FROM locks WHERE holder = $1 AND name IN (${names})) = ${locks.size}`;
    const [state, lastAt, id] = [2, 3, 4].map((at) => `$${locks.size + at}`);
    const update = `UPDATE runs SET state = ${state}, last_at = ${lastAt} WHERE id = ${id} AND ${own} RETURNING id`;
    return db.transaction(async (query) => {
      const mine = this.#isThere
        ? await query(update, [...held, run.state, run.lastAt, run.id])
        : await query(`SELECT 1 AS id WHERE ${own}`, held);
      if (mine.length === 0)
        throw new CliError('already_running', 'Another proctor-cli has taken this run over; nothing more was sent from here.', {
          hint: 'Wait until it has ended. Look at the run with: proctor-cli runs list',
        });
      // What is kept of a run may be long: it is written at its beginning and at its end.
      if (!this.#isThere || hasEnded) await put(query, 'runs', ['id'], [rowOfRun(run, keys)]);
      await put(query, 'steps', ['run', 'n'], rows, ['student']);
      const counted = 'UPDATE runs SET steps = (SELECT count(*) FROM steps WHERE run = $1) WHERE id = $1';
      if (hasEnded) await query(counted, [run.id]);
    });
  }
}
