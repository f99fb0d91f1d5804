/**
 * Runs that are shares of one whole, each carried out by a process of its own: what has become of a share by its record, and which
 * process is the last to end, so that the whole is reported once.
 */
import { CliError } from '../errors.ts';
import type { RunRecord } from '../state/state.ts';
import { endedOf, nothingToDo } from './ended.ts';
import type { Reading } from './reading.ts';
import { recordedRun } from './recorded.ts';
import { asRecorded, type Recorded } from './resume.ts';
import { type Ended, identityOf, type RunRequest } from './run-request.ts';
import type { Steps } from './step.ts';
import { waitForLock } from './wait-for-lock.ts';
import type { World } from './world.ts';

type Share = Pick<RunRequest, 'kind' | 'identity' | 'whole'>;

/** The latest run of a share if that is open or of the same whole. */
export async function runOfShare({ state, origin }: Pick<World, 'state' | 'origin'>, share: Share): Promise<RunRecord | undefined> {
  const runs = await state.runsOf(origin, identityOf(share));
  const whole = state.digest(share.whole ?? '');
  return runs.find((run) => run.state === 'open') ?? runs.find((run) => run.whole === whole);
}

/** How a recorded run ended, with its steps as the input says them now. `readings`: made since. Without a run, nothing had to be sent. */
export async function endedAsRecorded(
  { state }: Pick<World, 'state'>,
  run: RunRecord | undefined,
  stepsOf: (recorded: Recorded) => { steps: Steps; readings: ReadonlyMap<string, Reading> },
): Promise<Ended> {
  if (!run) return nothingToDo(undefined);
  const recorded = await recordedRun(state, run.id);
  const { steps, readings } = stepsOf(asRecorded(run, recorded, state));
  const { book } = recorded.foldedOnto(steps);
  return endedOf(run.id, { book, stopped: undefined, readings, milliseconds: 0 }, { withBody: false });
}

/** How long the processes that end at the same moment wait for each other. Milliseconds. */
const atTheEnd = 60_000;

/** Whether other processes are at a lock of which this process has a part. */
export async function areOthersAt({ state }: Pick<World, 'state'>, lock: string): Promise<boolean> {
  return (await state.holders(lock)) > 1;
}

/**
 * Called while this process still has its part of `lock`, and released after that part: the processes that end leave it one after
 * the other, so that one of them is the last.
 */
export async function leaveInTurn(world: Pick<World, 'state' | 'context'>, lock: string): Promise<{ isLast: boolean; release(): void }> {
  const { state, context } = world;
  try {
    const quietly = { ...context, say() {} };
    const turn = await waitForLock(quietly, atTheEnd, () => state.lock(`end ${lock}`, context.recorded()));
    return { isLast: !(await areOthersAt(world, lock)), release: () => turn.release() };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { isLast: false, release() {} };
  }
}
