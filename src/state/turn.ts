/**
 * What one commit does: rows that were read at its beginning, and what is to be written at its end. A run that it writes
 * to is read once, whatever is recorded for it, and written once.
 */
import { type Claim, type ClaimName, ClaimTaken, type StepEvent, TakenOver } from './state.ts';
import type { Rows } from './state-tables.ts';
import type { Found, Need, Transaction } from './store.ts';

export type Standing = Rows['standings'];

/** What an operation on claims reads: all numbers of a name. */
export function claimsNamed(origin: string, { scope, key }: Pick<ClaimName, 'scope' | 'key'>): Need {
  return ['claims', origin, scope, key];
}

export class Turn {
  readonly at: number;
  readonly seq: number;
  readonly #isTakenOver: boolean;
  readonly #found: Found;
  readonly #standings = new Map<string, Standing>();
  readonly #claims = new Map<string, Rows['claims']>();
  readonly #events: Rows['events'][] = [];
  readonly #steps: Rows['steps'][] = [];
  readonly #ended: string[] = [];

  constructor({ at, seq, isTakenOver }: Pick<Transaction, 'at' | 'seq' | 'isTakenOver'>, found: Found) {
    this.at = at;
    this.seq = seq;
    this.#isTakenOver = isTakenOver;
    this.#found = found;
  }

  /** Undefined if there is no such run. What is changed in it is written at the end. */
  standing(run: string): Standing | undefined {
    const standing = this.#standings.get(run) ?? this.#found.get('standings', run);
    if (standing) this.#standings.set(run, standing);
    return standing;
  }

  /** Whether a run is still of the process that took it at this epoch. */
  isOwn(run: string, epoch: number): boolean {
    return !this.#isTakenOver && this.standing(run)?.epoch === epoch;
  }

  /** The run, as long as nobody else has taken it over. Throws `TakenOver`. */
  own(run: string, epoch: number): Standing {
    const standing = this.standing(run);
    if (!standing || !this.isOwn(run, epoch)) throw new TakenOver();
    return standing;
  }

  /** Adds an event, also one of a process from which the run was taken: it has happened. */
  event(standing: Standing, epoch: number, at: number, event: StepEvent): void {
    standing.events += 1;
    standing.lastEvent += 1;
    standing.lastAt = at;
    this.#events.push({ ...event, at, epoch, run: standing.run, i: standing.lastEvent });
  }

  addSteps(steps: readonly Rows['steps'][]): void {
    for (const step of steps) this.#steps.push(step);
  }

  /** The claims of a name that have not ended. */
  claims(origin: string, name: Pick<ClaimName, 'scope' | 'key'>): Claim[] {
    const found = this.#found.all('claims', origin, name.scope, name.key);
    const made = [...this.#claims.values()].filter((one) => one.origin === origin && one.scope === name.scope && one.key === name.key);
    const byNumber = new Map([...found, ...made].map((claim) => [claim.number, claim]));
    return [...byNumber.values()].filter(({ ended }) => !ended);
  }

  /** Throws `ClaimTaken` if another step has one of them; then none of them was made. */
  claimAll(claims: readonly Claim[]): void {
    const made = claims.map((claim) => {
      const there = this.claims(claim.origin, claim).find(({ number }) => number === claim.number);
      if (there && (there.run !== claim.run || there.n !== claim.n)) throw new ClaimTaken(there);
      return { ...claim, ...there, epoch: claim.epoch, at: claim.at };
    });
    for (const claim of made) this.putClaim(claim);
  }

  putClaim(claim: Rows['claims']): void {
    this.#claims.set(JSON.stringify([claim.origin, claim.scope, claim.key, claim.number]), claim);
  }

  /** The IDs that were listed when a run was planned are of no use any more. */
  endListed(run: string): void {
    this.#ended.push(run);
  }

  /** Writes all of it; resolves when the transaction has taken it. */
  async writeTo(transaction: Transaction): Promise<void> {
    await transaction.put('standings', this.#standings.values());
    if (this.#steps.length > 0) await transaction.add('steps', this.#steps);
    if (this.#events.length > 0) await transaction.add('events', this.#events);
    const [ended, open] = [
      [...this.#claims.values()].filter((claim) => claim.ended),
      [...this.#claims.values()].filter((claim) => !claim.ended),
    ];
    // A name that somebody else claims at this moment cannot be added twice.
    const made = open.filter((claim) => !this.#isFound(claim));
    if (made.length > 0) await transaction.add('claims', made);
    const changed = open.filter((claim) => this.#isFound(claim));
    if (changed.length > 0) await transaction.put('claims', changed);
    await this.#end(
      transaction,
      ended.filter((claim) => this.#isFound(claim)),
    );
  }

  /** Whoever may not erase leaves the rows behind. */
  async #end(transaction: Transaction, claims: readonly Rows['claims'][]): Promise<void> {
    if (transaction.erases) {
      for (const { origin, scope, key, number } of claims) await transaction.drop('claims', origin, scope, key, number);
      for (const run of this.#ended) await transaction.drop('listed', run);
      return;
    }
    if (claims.length > 0) await transaction.put('claims', claims);
    if (this.#ended.length > 0)
      await transaction.put(
        'listed',
        this.#ended.map((run) => ({ run, ids: [] })),
      );
  }

  #isFound({ origin, scope, key, number }: Claim): boolean {
    return this.#found.all('claims', origin, scope, key).some((found) => found.number === number);
  }
}
