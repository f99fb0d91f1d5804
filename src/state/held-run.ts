/** A run that this process holds: its lock, its epoch, and what is recorded of it. */
import type { GroupCommit } from './group-commit.ts';
import type { HeldLock } from './lock.ts';
import type { Claim, ClaimName, HeldRun, RunRecord, StepRecord } from './state.ts';
import type { RunRow } from './state-tables.ts';
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
      const claims = [...turn.database.all('claims', origin, scope, key)];
      for (const each of claims) if (n === 0 ? isGone(each, name) : each.run === id && each.n === n) act(turn, each);
    });
  };

  return {
    run: held,
    intend: (n, event, claims = []) =>
      commits.add((turn) => {
        const run = turn.own(id, epoch);
        claim(turn, n, claims);
        if (claims.length > 0) open.set(n, claims);
        run.state = 'open';
        turn.event(run, epoch, turn.at, { n, event });
        return turn.at;
      }),
    renew: (n) =>
      commits.add((turn) => {
        const run = turn.own(id, epoch);
        claim(turn, n, open.get(n) ?? []);
        run.lastAt = turn.at;
        return turn.at;
      }),
    record(event) {
      const at = now();
      commits.post((turn) => {
        const run = turn.run(id);
        if (run) turn.event(run, epoch, at, event);
      });
    },
    endClaim: (name, n) =>
      withClaims(name, n, ({ database }, { scope, key, number }) => database.drop('claims', origin, scope, key, number)),
    settleClaim: (name, n, found) => withClaims(name, n, ({ database }, each) => database.put('claims', { ...each, ...found, done: true })),
    addSteps: (steps) =>
      commits.add((turn) => {
        const run = turn.own(id, epoch);
        run.state = 'open';
        addSteps(turn, run, steps, keys);
      }),
    flush: () => commits.flush(),
    async close(state) {
      try {
        await commits.add((turn) => {
          Object.assign(turn.own(id, epoch), { state, lastAt: turn.at });
          if (state === 'finished') turn.database.drop('listed', id);
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

export function addSteps({ database }: Turn, run: RunRow, steps: Iterable<StepRecord>, keys: StudentKeys): void {
  for (const { personal, ...step } of steps) {
    database.put('steps', { ...step, run: run.id, personal: personal && keys.seal(personal, `${run.id}/${step.n}`) });
    run.steps += 1;
  }
}
