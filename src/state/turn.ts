/**
 * What one transaction knows of the runs that it writes to: each is read once, whatever is recorded for it, and its row
 * written once at the end.
 */

import type { RunDatabase } from './run-database.ts';
import {
  changedClaimValues,
  changedRunValues,
  claimKey,
  claimOf,
  claimValues,
  eventValues,
  type RunRow,
  runOf,
  runValues,
} from './run-rows.ts';
import { sql } from './schema.ts';
import { type Claim, ClaimTaken, type StepEvent, TakenOver } from './state.ts';

export class Turn {
  /** When the transaction began: from then on, nobody else could take a run over. Milliseconds since 1970. */
  readonly at: number;
  readonly database: RunDatabase;
  readonly #runs = new Map<string, RunRow>();
  readonly #changed = new Set<RunRow>();

  constructor(database: RunDatabase, at: number) {
    this.database = database;
    this.at = at;
  }

  /** Undefined if there is no such run. */
  run(id: string): RunRow | undefined {
    const known = this.#runs.get(id);
    if (known) return known;
    const row = this.database.row(sql.run, id);
    if (!row) return undefined;
    const run = runOf(row);
    this.#runs.set(id, run);
    return run;
  }

  /** The run, as long as nobody else has taken it over. Throws `TakenOver`. */
  own(id: string, epoch: number): RunRow {
    const run = this.run(id);
    if (run?.epoch !== epoch) throw new TakenOver();
    return run;
  }

  begin(run: RunRow): void {
    this.database.run(sql.addRun, ...runValues(run));
    this.#runs.set(run.id, run);
  }

  /** Its row is written at the end of the transaction. */
  changed(run: RunRow): void {
    this.#changed.add(run);
  }

  /** A run that is deleted. */
  dropped(id: string): void {
    const run = this.#runs.get(id);
    if (run) this.#changed.delete(run);
    this.#runs.delete(id);
  }

  /** Adds an event, also one of a process from which the run was taken: it has happened. */
  event(run: RunRow, epoch: number, at: number, event: StepEvent): void {
    run.lastEvent += 1;
    run.events += 1;
    run.lastAt = at;
    this.changed(run);
    this.database.run(sql.addEvent, ...eventValues(run.id, run.lastEvent, { ...event, at, epoch }));
  }

  /** Throws `ClaimTaken` if another step has one of them; then none of them was made. */
  claimAll(claims: readonly Claim[]): void {
    const [only] = claims;
    if (only && claims.length === 1) this.#claim(only);
    if (claims.length < 2) return;
    this.database.exec('SAVEPOINT claims');
    try {
      for (const claim of claims) this.#claim(claim);
    } catch (error) {
      // Any other error ends the whole transaction.
      if (error instanceof ClaimTaken) this.database.exec('ROLLBACK TO SAVEPOINT claims; RELEASE SAVEPOINT claims');
      throw error;
    }
    this.database.exec('RELEASE SAVEPOINT claims');
  }

  #claim(claim: Claim): void {
    if (this.database.run(sql.addClaim, ...claimValues(claim)) > 0) return;
    const row = this.database.row(sql.claim, ...claimKey(claim));
    const there = row && claimOf(row);
    if (there && (there.run !== claim.run || there.n !== claim.n)) throw new ClaimTaken(there);
    this.database.run(sql.setClaim, ...changedClaimValues({ ...claim, ...there, epoch: claim.epoch, at: claim.at }));
  }

  finish(): void {
    for (const run of this.#changed) this.database.run(sql.setRun, ...changedRunValues(run));
  }
}
