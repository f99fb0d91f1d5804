/** Open runs: what is left of them is looked up, then resumed or ended. */
import { isInterruption } from '../errors.ts';
import { firstInLine } from '../model/count.ts';
import { LockHeld, type Run, type StepRow } from '../record/index.ts';
import { sentence } from '../text/sentence.ts';
import { askFirst, judged, stepInWords, untilAnswered } from './confirm.ts';
import { type Execution, isRetryable, isUnknown, loadExecutions, type Reason } from './execution.ts';
import { holding, lockCommand, lockScopes, recordedLocks } from './locks.ts';
import { endedOf, leave, perform } from './perform.ts';
import { blockedBy, type Confirmations, type Ended, rerunPolicyOf } from './request.ts';
import { type Running, type RunOptions, runningOf, transition, type World } from './running.ts';
import { examOfStep, kindOf, notSent } from './step.ts';
import { changesExam, examsHalfMoved } from './times.ts';
import { verify } from './verify.ts';

async function loadRun(world: World, run: Run): Promise<Running> {
  const { record } = world;
  return runningOf(world, {
    items: await loadExecutions(record, run.id),
    run: await record.take(run),
    gate: undefined,
    wasThere: new Set((run.more as RunOptions).listed),
    // Somebody may have added since what it is yet to create.
    readAt: { wall: 0, elapsed: 0 },
  });
}

async function lookUp(world: World, run: Run): Promise<Running> {
  const running = await loadRun(world, run);
  await verify(running);
  return running;
}

/** A run of another command. Throws `unfinished` where it has to be finished first. */
export async function settleOther(world: World, run: Run, rows: readonly StepRow[]): Promise<void> {
  const settle = async () => {
    const isBegun = rows.some(({ state }) => state !== 'planned');
    if (isBegun && (await leave(await lookUp(world, run))) !== 'open') return;
    if (rerunPolicyOf(run.kind) === 'anew') return;
    const what = sentence`Run ${run.id} (${run.command}) is unfinished, with steps in exam ${rows[0]?.exam ?? ''}.`;
    throw blockedBy(run.id, 'unfinished', what);
  };
  await holding(world.record.lock([run.digest], world.command), settle).catch((error: unknown) => {
    // It is at work, and has the locks of its own places.
    if (!(error instanceof LockHeld)) throw error;
  });
}

/** Looks up what is unknown, and gives up the rest. What stays unknown keeps the run open. */
export async function abandonRun(world: World, before: Run): Promise<Ended> {
  const running = await lookUp(world, before);
  const { why } = running.stop;
  if (why && isInterruption(why)) throw why;
  const isSentAnew = (item: Execution) => isUnknown(item) && ['update', 'deletion', 'pool'].includes(kindOf(item.step));
  await giveUp(running, (item) => item.state === 'planned' || isSentAnew(item));
  await leave(running);
  return endedOf(running);
}

async function giveUp(running: Running, isMeant: (item: Execution) => boolean, reason: Reason = 'given_up'): Promise<void> {
  const left = running.items.filter(isMeant);
  await Promise.all(left.map((item) => transition(running, item, { reason })));
}

/** Finishes changes of times that were begun: computed anew, windows would move twice. */
export async function finishTimes(world: World, run: Run, answers: Confirmations): Promise<Ended> {
  const running = await lookUp(world, run);
  const begun = examsHalfMoved(running.items);
  const isOfTimes = ({ step }: Execution) => changesExam(step) && begun.has(examOfStep(step));
  await giveUp(running, (item) => item.state === 'planned' && !isOfTimes(item));
  const isLeftOver = running.items.some((item) => isOfTimes(item) && (item.state === 'planned' || isRetryable(item)));
  await leave(running);
  return isLeftOver ? continueRun(world, run, answers, isOfTimes) : abandonRun(world, run);
}

/** What is left of a run is judged and asked about like a new plan. */
export async function continueRun(world: World, run: Run, answers: Confirmations, isMeant = (_: Execution) => true): Promise<Ended> {
  const running = await lookUp(world, run);
  const left = running.items.filter((item) => item.state === 'planned' || (isRetryable(item) && isMeant(item)));
  if (left.length === 0) return perform(running);
  const steps = left.map(({ step }) => step);
  const { asks } = run.more as RunOptions;
  const words = sentence`Go on with run ${run.id} (${run.command}): ${firstInLine(steps, stepInWords, 5)},`;
  try {
    const ready = await judged(world, {}, { steps });
    running.gate = ready.gate;
    await askFirst(world, { question: () => (asks ? words : undefined) }, ready, answers);
  } catch (error) {
    // The run stays as it was.
    await leave(running);
    throw error;
  }
  const again = left.filter(isRetryable);
  for (const item of again) await transition(running, item, { state: 'planned', seen: false, owned: false });
  return perform(running);
}

/** Finishes a run, or tries again what an ended one has not done. Throws `already_running`. */
export function resumeRun(world: World, run: Run): Promise<Ended> {
  const resume = (answers: Confirmations) =>
    underLocks(world, run, (now) => {
      const again = now.state === 'open' ? rerunPolicyOf(now.kind) : 'resume';
      if (again === 'times') return finishTimes(world, now, answers);
      return again === 'anew' ? abandonRun(world, now) : continueRun(world, now, answers);
    });
  return untilAnswered(world.context, resume);
}

/** After one more look, a run is ended as it stands. Throws `already_running`. */
export function closeRun(world: World, run: Run): Promise<Ended> {
  return underLocks(world, run, async (now) => {
    const ended = await abandonRun(world, now);
    if (ended.stopped) return ended;
    const running = await loadRun(world, await world.record.run(run.id));
    await giveUp(running, isRetryable);
    await giveUp(running, isUnknown, 'closed');
    await leave(running);
    return ended;
  });
}

async function underLocks(world: World, run: Run, act: (now: Run) => Promise<Ended>): Promise<Ended> {
  refuseOtherService(world, run);
  return holding(lockCommand(world, [run.digest]), async () => {
    const now = await world.record.run(run.id);
    return holding(lockScopes(world, await recordedLocks(world, now)), () => act(now));
  });
}

export function refuseOtherService({ origin }: World, run: Run): void {
  if (run.origin === origin) return;
  const show = sentence`Use its profile: proctor-cli runs show ${run.id} --profile ${run.profile}`;
  throw notSent(sentence`Run ${run.id} was made at ${run.origin}, not at ${origin}.`, show);
}
