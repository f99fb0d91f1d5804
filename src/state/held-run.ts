/** A run that this process holds: its lock, its epoch, and what is recorded of it. */
import type { GroupCommit } from './group-commit.ts';
import type { HeldLock } from './lock.ts';
import { changedClaimValues, claimKey, claimOf, type RunRow, stepValues } from './run-rows.ts';
import { sql } from './schema.ts';
import type { Claim, ClaimName, HeldRun, RunRecord, StepEvent, StepRecord } from './state.ts';
import type { StudentKeys } from './student-keys.ts';
import type { Turn } from './turn.ts';

type Holding = { commits: GroupCommit; keys: StudentKeys; now(): number; lock: HeldLock; run: RunRecord };

type Named = Pick<ClaimName, 'scope' | 'key'> & Partial<Claim>;

export function heldRun({ commits, keys, now, lock, run: held }: Holding): HeldRun {
  const { id, epoch, origin } = held;
  /** The claims of steps that are not settled: a renewal makes them young again. */
  const open = new Map<number, readonly ClaimName[]>();
  const claim = (turn: Turn, n: number, names: readonly ClaimName[]) =>
    turn.claimAll(
      names.map(({ scope, key, number }) => ({
        ...{ origin, scope, key, number, run: id, n, epoch, at: turn.at, done: false, session: null, shownKey: null },
      })),
    );

  /** Queues something about the claims that a step has on a name, as long as the run is ours. */
  const withClaims = (name: Named, n: number, act: (turn: Turn, claim: Claim) => void) => {
    const { scope, key } = name;
    open.delete(n);
    commits.post((turn) => {
      if (turn.run(id)?.epoch !== epoch) return;
      const claims = [...turn.database.rows(sql.claimsOfKey, origin, scope, key)].map(claimOf);
      for (const each of claims) if (n === 0 ? isGone(each, name) : each.run === id && each.n === n) act(turn, each);
    });
  };

  return {
    run: held,
    intend(n: number, event: string, claims: readonly ClaimName[] = []) {
      return commits.add((turn) => {
        const run = turn.own(id, epoch);
        claim(turn, n, claims);
        if (claims.length > 0) open.set(n, claims);
        run.state = 'open';
        turn.event(run, epoch, turn.at, { n, event });
        return turn.at;
      });
    },
    renew: (n: number) =>
      commits.add((turn) => {
        const run = turn.own(id, epoch);
        claim(turn, n, open.get(n) ?? []);
        run.lastAt = turn.at;
        turn.changed(run);
        return turn.at;
      }),
    record(event: StepEvent) {
      const at = now();
      commits.post((turn) => {
        const run = turn.run(id);
        if (run) turn.event(run, epoch, at, event);
      });
    },
    endClaim: (name, n) => withClaims(name, n, (turn, each) => turn.database.run(sql.dropClaim, ...claimKey(each))),
    settleClaim: (name, n, found) =>
      withClaims(name, n, (turn, each) => turn.database.run(sql.setClaim, ...changedClaimValues({ ...each, ...found, done: true }))),
    addSteps: (steps: Iterable<StepRecord>) =>
      commits.addInParts(function* (turn) {
        const run = turn.own(id, epoch);
        run.state = 'open';
        yield* writeSteps(turn, run, steps, keys);
      }),
    flush: () => commits.flush(),
    async close(state: RunRecord['state']) {
      try {
        await commits.add((turn) => {
          const run = turn.own(id, epoch);
          Object.assign(run, { state, lastAt: turn.at });
          if (state === 'finished') {
            turn.database.run(sql.dropListed, id);
            run.listed = 0;
          }
          turn.changed(run);
        });
      } finally {
        lock.release();
      }
    },
  };
}

/** Whether a claim is what `name` says of it, and no request is open for it: that one stays, whoever has it. */
function isGone(claim: Claim, { run = claim.run, n = claim.n, number = claim.number }: Named): boolean {
  return claim.done && claim.run === run && claim.n === n && claim.number === number;
}

/** Rows that are written before other work of this process goes on. */
const rowsInOneGo = 1000;

export function* writeSteps(turn: Turn, run: RunRow, steps: Iterable<StepRecord>, keys: StudentKeys): Generator<void, void> {
  turn.changed(run);
  for (const step of steps) {
    turn.database.run(sql.addStep, ...stepValues(run.id, step, keys));
    run.steps += 1;
    if (run.steps % rowsInOneGo === 0) yield;
  }
}
