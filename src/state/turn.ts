/** What one transaction does: a run that it writes to is read once, whatever is recorded for it, and written once at the end. */
import type { RunDatabase } from './run-database.ts';
import { type Claim, ClaimTaken, type StepEvent, TakenOver } from './state.ts';
import type { RunRow } from './state-tables.ts';

export class Turn {
  readonly database: RunDatabase;
  /** When the transaction began: from then on, nobody else could take a run over. Milliseconds since 1970. */
  readonly at: number;
  readonly #runs = new Map<string, RunRow>();

  constructor(database: RunDatabase, at: number) {
    this.database = database;
    this.at = at;
  }

  /** Undefined if there is no such run. What is changed in it is written at the end. */
  run(id: string): RunRow | undefined {
    const run = this.#runs.get(id) ?? this.database.get('runs', id);
    return run && this.begin(run);
  }

  /** The run, as long as nobody else has taken it over. Throws `TakenOver`. */
  own(id: string, epoch: number): RunRow {
    const run = this.run(id);
    if (run?.epoch !== epoch) throw new TakenOver();
    return run;
  }

  begin(run: RunRow): RunRow {
    this.#runs.set(run.id, run);
    return run;
  }

  /** Deletes a run with all that is recorded of it, except for its claims. */
  drop(id: string): void {
    this.#runs.delete(id);
    for (const table of ['runs', 'steps', 'events', 'listed'] as const) this.database.drop(table, id);
  }

  /** Adds an event, also one of a process from which the run was taken: it has happened. */
  event(run: RunRow, epoch: number, at: number, event: StepEvent): void {
    run.events += 1;
    run.lastEvent += 1;
    run.lastAt = at;
    this.database.put('events', { ...event, at, epoch, run: run.id, i: run.lastEvent });
  }

  /** Throws `ClaimTaken` if another step has one of them; then none of them was made. */
  claimAll(claims: readonly Claim[]): void {
    const made = claims.map((claim) => {
      const there = this.database.get('claims', claim.origin, claim.scope, claim.key, claim.number);
      if (there && (there.run !== claim.run || there.n !== claim.n)) throw new ClaimTaken(there);
      return { ...claim, ...there, epoch: claim.epoch, at: claim.at };
    });
    for (const claim of made) this.database.put('claims', claim);
  }

  finish(): void {
    for (const run of this.#runs.values()) this.database.put('runs', run);
  }
}
