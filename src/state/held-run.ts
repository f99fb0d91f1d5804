/** A run that this process holds: its lock, its epoch, and what is recorded of it. */
import type { GroupCommit } from './group-commit.ts';
import type { HeldLock } from './lock.ts';
import type { Claim, ClaimName, HeldRun, RunRecord, StepRecord } from './state.ts';
import type { Rows } from './state-tables.ts';
import type { Need } from './store.ts';
import type { StudentKeys } from './student-keys.ts';
import { claimsNamed } from './turn.ts';

type Holding = {
  commits: GroupCommit;
  keys: StudentKeys;
  now(): number;
  /** How far the clock of the store is ahead of this machine's. Milliseconds. */
  ahead: number;
  lock: HeldLock;
  run: RunRecord;
};

type Named = Pick<ClaimName, 'scope' | 'key'> & Partial<Claim>;

export function heldRun({ commits, keys, now, ahead, lock, run: held }: Holding): HeldRun {
  const { id, epoch, origin } = held;
  const itself: Need = ['standings', id];

  /** Queues something about the claims that a step has on a name, as long as the run is ours. */
  const withClaims = (name: Named, n: number, change: (claim: Claim) => Rows['claims']) => {
    commits.post([itself, claimsNamed(origin, name)], (turn) => {
      if (!turn.isOwn(id, epoch)) return;
      for (const each of turn.claims(origin, name))
        if (n === 0 ? isGone(each, name) : each.run === id && each.n === n) turn.putClaim(change(each));
    });
  };

  return {
    run: held,
    intend: (n, event, claims = []) =>
      commits.add([itself, ...claims.map((name) => claimsNamed(origin, name))], (turn) => {
        const standing = turn.own(id, epoch);
        turn.claimAll(
          claims.map(({ scope, key, number }) => ({
            ...{ origin, scope, key, number, run: id, n, epoch, at: turn.at, done: false, session: null, shownKey: null },
          })),
        );
        standing.state = 'open';
        turn.event(standing, epoch, turn.at, { n, event });
        return turn.at - ahead;
      }),
    record(event) {
      const at = now() + ahead;
      commits.post([itself], (turn) => {
        const standing = turn.standing(id);
        if (standing) turn.event(standing, epoch, at, event);
      });
    },
    endClaim: (name, n) => withClaims(name, n, (each) => ({ ...each, ended: true })),
    settleClaim: (name, n, found) => withClaims(name, n, (each) => ({ ...each, ...found, done: true })),
    async addSteps(steps) {
      const records = [...sealedSteps(steps, id, keys)];
      await commits.add([itself], (turn) => {
        const standing = turn.own(id, epoch);
        standing.state = 'open';
        standing.steps += records.length;
        turn.addSteps(records);
      });
    },
    flush: () => commits.flush(),
    async close(state) {
      try {
        await commits.add([itself], (turn) => {
          Object.assign(turn.own(id, epoch), { state, lastAt: turn.at });
          if (state === 'finished') turn.endListed(id);
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

export function* sealedSteps(steps: Iterable<StepRecord>, run: string, keys: StudentKeys): Generator<Rows['steps'], void> {
  for (const { personal, ...step } of steps) yield { ...step, run, personal: personal && keys.seal(personal, `${run}/${step.n}`) };
}
