/**
 * No state, because `PROCTOR_STATE=none` says so: nothing is kept, so that a run has one step at most and cannot be
 * resumed. Claims and locks hold among nobody.
 */
import { randomBytes } from 'node:crypto';
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { sentence } from '../text/sentence.ts';
import type { HeldRun, RecordedEvent, RunRecord, State, StepEvent, StepRecord } from './state.ts';
import { StudentKeys } from './student-keys.ts';

export function noState(host: Pick<Host, 'now' | 'pid' | 'machine'>): State {
  const keys = new StudentKeys(randomBytes(32));
  let kept: { run: RunRecord; steps: StepRecord[]; events: RecordedEvent[]; listed: Set<string> } | undefined;
  const of = (id: string) => (kept?.run.id === id ? kept : undefined);

  const held = ({ run, steps, events }: NonNullable<typeof kept>): HeldRun => {
    const add = (event: StepEvent) => {
      run.lastAt = host.now();
      events.push({ ...event, at: run.lastAt, epoch: run.epoch });
      return run.lastAt;
    };
    return {
      run,
      intend: async (n, event) => add({ n, event }),
      record: add,
      endClaim() {},
      settleClaim() {},
      async addSteps(more) {
        run.steps = steps.push(...atMostOne(more, steps.length));
      },
      async flush() {},
      async close(state) {
        run.state = state;
      },
    };
  };

  return {
    place: 'none',
    studentKey: (address) => keys.studentKey(address),
    digest: (text) => keys.digest(text),
    async begin({ identity: _, ...run }, given, listed = []) {
      const [at, steps] = [host.now(), atMostOne(given, 0)];
      const holder = `process ${host.pid} on ${host.machine}`;
      kept = {
        run: { ...run, id: 'none', epoch: 1, holder, state: 'open', at, lastAt: at, steps: steps.length },
        ...{ steps, events: [], listed: new Set(listed) },
      };
      return held(kept);
    },
    runsOf: async () => [],
    async take(id) {
      const known = of(id);
      if (!known) throw new CliError('not_found', sentence`No run ${JSON.stringify(id)}: PROCTOR_STATE=none keeps no record of runs.`);
      known.run.epoch += 1;
      return held(known);
    },
    runs: async () => [],
    run: async (id) => of(id)?.run,
    steps: async (id) => of(id)?.steps ?? [],
    events: async (id) => of(id)?.events ?? [],
    listed: async (id) => of(id)?.listed ?? new Set(),
    claims: async () => [],
    lock: async () => ({ release() {} }),
    forget: async () => ({ runs: 0, steps: 0 }),
    async close() {},
  };
}

/** Reads no more steps than it takes to know. */
function atMostOne(steps: Iterable<StepRecord>, already: number): StepRecord[] {
  const taken: StepRecord[] = [];
  for (const step of steps) {
    if (already + taken.push(step) <= 1) continue;
    throw new CliError(
      'invalid_config',
      'With PROCTOR_STATE=none, a command sends one request that changes something, and this one needs more.',
      {
        hint: 'Nothing was sent. Keep a record of runs, in a folder on a local disk: unset PROCTOR_STATE; export PROCTOR_STATE_DIR=FOLDER',
      },
    );
  }
  return taken;
}
