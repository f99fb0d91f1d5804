/**
 * A run that this process carries out. It may be written only while this process's locks are its own: another one that finds it dead
 * takes them, and what the first one records from then on is refused. Everything that is saved in one turn of the event loop, or during
 * a commit, shares the next one.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { CliError } from '../errors.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { type Db, patience, places, put, type Query } from './db.ts';
import type { Keys } from './keys.ts';
import { type Run, type RunState, rowOfRun, rowOfStep, type StepRow } from './rows.ts';

export class TakenOver extends CliError<Sentence, Sentence> {
  constructor() {
    super('already_running', sentence`Another proctor-cli has taken this run over; nothing more was sent from here.`, {
      hint: sentence`Wait until it has ended. Look at the run with: proctor-cli runs list`,
    });
  }
}

type Holding = { db: Db; keys: Keys; now(): number; locks: ReadonlySet<string> };

export class HeldRun {
  readonly run: Run;
  readonly #holding: Holding;
  #isThere: boolean;
  #unsaved = new Map<number, StepRow>();
  /** The write that has begun last, and the one after it, for which steps are collected. */
  #last: Promise<unknown> = Promise.resolve();
  #next: Promise<void> | undefined;
  #failed: { error: unknown } | undefined;

  constructor(run: Run, holding: Holding, isThere: boolean) {
    this.run = run;
    this.#holding = holding;
    this.#isThere = isThere;
  }

  /** Resolves once these are durable. Throws `TakenOver`, and what the database throws; from then on nothing is recorded any more. */
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
      this.#holding.db.patience = this.run.state === 'open' ? patience.after : patience.before;
    } catch (error) {
      this.#failed = { error };
      throw error;
    }
  }

  #commit(steps: readonly StepRow[]): Promise<void> {
    const { db, keys, locks, now } = this.#holding;
    const { run } = this;
    run.lastAt = now();
    const rows = steps.map((step) => rowOfStep(step, run.id, keys));
    const [own, at] = [`(SELECT count(*) FROM locks WHERE holder = $1 AND name IN (${places(locks.size, 2) || 'NULL'}))`, locks.size + 2];
    const held = [db.holder, ...locks];
    const work = async (query: Query) => {
      const mine = this.#isThere
        ? await query(
            `UPDATE runs SET state = $${at}, last_at = $${at + 1} WHERE id = $${at + 2} AND ${own} = ${locks.size} RETURNING id`,
            [...held, ...[run.state, run.lastAt, run.id]],
          )
        : await query(`SELECT 1 AS id WHERE ${own} = ${locks.size}`, held);
      if (mine.length === 0) throw new TakenOver();
      // What is kept of a run may be long: it is written at its beginning and at its end.
      if (!this.#isThere || run.state !== 'open') await put(query, 'runs', ['id'], [rowOfRun(run, keys)]);
      await put(query, 'steps', ['run', 'n'], rows);
      if (run.state !== 'open') await query('UPDATE runs SET steps = (SELECT count(*) FROM steps WHERE run = $1) WHERE id = $1', [run.id]);
    };
    return db.transaction(work);
  }
}
