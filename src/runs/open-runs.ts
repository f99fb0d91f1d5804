/** Open runs: what is left of them is looked up, then resumed or ended. */
import { isInterruption, orElse, orGone } from '../errors.ts';
import { nameOf } from '../model/describe.ts';
import { keyOf } from '../model/listing.ts';
import { typedCommand } from '../model/shell-quote.ts';
import { LockHeld, type Run, type StepRow } from '../record/index.ts';
import { valueOption } from '../roster/row-filters.ts';
import { firstInLine, type Sentence, sentence } from '../text/sentence.ts';
import { ActiveRun, type RunOptions } from './active-run.ts';
import { askFirst, judgedByGate, stepInWords, untilAnswered } from './confirm.ts';
import { type Engine, freshMs } from './engine.ts';
import { type Execution, idIn, isUnknown, loadExecutions, type Reason, stepInItsExam } from './execution.ts';
import { type ExistingRecords, existingIn } from './existing-records.ts';
import { holding, lockCommand, lockScopes, recordedLocks } from './locks.ts';
import { endedOf, perform, recordEnd } from './perform.ts';
import { blockedBy, type Confirmations, type Ended, type GivenUp, type RunRequest, runKindOf } from './request.ts';
import { retryable } from './retry.ts';
import { isFulfilled, rulesOf } from './steps/index.ts';
import { changesExam } from './steps/moved-times.ts';
import { mailingCommand } from './steps/send-mails.ts';
import { created, isCreate, isUpdate, type Plan, resourceOf, targetOf, wantedBy } from './steps/step.ts';
import { examsHalfMoved, halfMovedError, movedHalf, refuseOldAmount } from './times.ts';
import { verify } from './verify.ts';

export { refuseForgottenHalf } from './times.ts';
export { undoLocks, undoPlan } from './undo-plan.ts';

async function loadRun(engine: Engine, run: Run): Promise<ActiveRun> {
  const { record } = engine;
  const executions = await loadExecutions(record, run.id);
  const { listed } = run.more as RunOptions;
  const writer = await record.take(run);
  return Object.assign(new ActiveRun(engine, writer, executions), { wasThere: new Set(listed) });
}

async function lookUp(engine: Engine, run: Run): Promise<ActiveRun> {
  const active = await loadRun(engine, run);
  await verify(active);
  return active;
}

/** A run of another command. Throws `unfinished` where it has to be finished first. */
export async function settleOther(engine: Engine, run: Run, rows: readonly StepRow[]): Promise<void> {
  const settle = async () => {
    const isBegun = rows.some(({ state }) => state !== 'planned');
    if (isBegun && (await recordEnd(await lookUp(engine, run))) !== 'open') return;
    if (runKindOf(run.kind).rerun === 'replan') return;
    const what = sentence`Run ${run.id} (${run.command}) is unfinished, with steps in exam ${rows[0]?.exam ?? ''}.`;
    throw blockedBy(run.id, 'unfinished', what);
  };
  await holding(engine.record.lock([run.digest], engine.command), settle).catch((error: unknown) => {
    // The run is at work, and has its own locks.
    if (!(error instanceof LockHeld)) throw error;
  });
}

/** Looks up what is unknown, and leaves the rest as it is. */
export async function settleRun(engine: Engine, run: Run): Promise<void> {
  const active = await lookUp(engine, run);
  await recordEnd(active);
  const { why } = active.stop;
  if (why) throw why;
}

/** Ends a run as it stands. */
export async function endRun(engine: Engine, run: Run): Promise<void> {
  const active = await loadRun(engine, await engine.record.run(run.id));
  const again = new Set(retryable(active.executions));
  await giveUp(active, (execution) => execution.state === 'planned' || again.has(execution));
  await giveUp(active, isUnknown, 'closed');
  await recordEnd(active);
}

/** Looks up what is unknown, and gives up the rest. What stays unknown keeps the run open. */
export async function giveUpRest(engine: Engine, before: Run): Promise<Ended> {
  const run = await lookUp(engine, before);
  const { why } = run.stop;
  if (why && isInterruption(why)) throw why;
  const isSentAnew = (execution: Execution) => isUnknown(execution) && rulesOf(execution.step).resend === 'planned anew';
  await giveUp(run, (execution) => execution.state === 'planned' || isSentAnew(execution));
  await recordEnd(run);
  return endedOf(run);
}

async function giveUp(run: ActiveRun, isMeant: (execution: Execution) => boolean, reason: Reason = 'given_up'): Promise<void> {
  await Promise.all(run.executions.filter(isMeant).map((execution) => run.transition(execution, { is: reason })));
}

/** Finishes changes of times that were begun: computed anew, windows would move twice. */
export async function finishTimes(engine: Engine, before: Run, answers: Confirmations): Promise<Ended> {
  const run = await lookUp(engine, before);
  const begun = examsHalfMoved(run.executions);
  const isOfTimes = ({ step, exam }: Execution) => changesExam(step) && begun.has(exam);
  await giveUp(run, (execution) => execution.state === 'planned' && !isOfTimes(execution));
  const isLeftOver = [...run.executions.filter(({ state }) => state === 'planned'), ...retryable(run.executions)].some(isOfTimes);
  await recordEnd(run);
  return isLeftOver ? continueRun(engine, before, answers, { isMeant: isOfTimes }) : giveUpRest(engine, before);
}

/** `request`: that of the same command, for which an amount may be too old. */
type Continuing = { isMeant?: (execution: Execution) => boolean; request?: RunRequest };

/** Continues a run: what is left of it is judged and asked about like a new plan. */
export async function continueRun(engine: Engine, before: Run, answers: Confirmations, continuing: Continuing = {}): Promise<Ended> {
  const { isMeant = () => true, request } = continuing;
  const run = await lookUp(engine, before);
  const failed = new Set(retryable(run.executions).filter(isMeant));
  const left = run.executions.filter((each) => each.state === 'planned' || failed.has(each));
  if (left.length === 0) return perform(run);
  const steps = left.map(stepInItsExam);
  const { asks } = run.options;
  const words = sentence`Resume run ${before.id} (${before.command}): ${firstInLine(steps, stepInWords, 5)},`;
  try {
    const ready = await judgedByGate(engine, {}, { steps });
    if (request) refuseOldAmount(engine, request, before, run.executions);
    run.gate = ready.gate;
    await askFirst(engine, { question: () => (asks ? words : undefined) }, { ...ready, repeats: undefined }, answers);
  } catch (error) {
    // The run stays as it was.
    await recordEnd(run);
    throw error;
  }
  const again = { is: 'planned', facts: { seen: false, owned: false } } as const;
  for (const execution of failed) await run.transition(execution, again);
  return perform(run);
}

/** Finishes a run, or tries again what an ended one has not done. Throws `already_running`. */
export function resumeRun(engine: Engine, run: Run): Promise<Ended> {
  const resume = (answers: Confirmations) =>
    underLocks(engine, run, (now) => {
      const again = now.state === 'open' ? runKindOf(now.kind).rerun : 'resume';
      if (again === 'finish times') return finishTimes(engine, now, answers);
      return again === 'replan' ? giveUpRest(engine, now) : continueRun(engine, now, answers);
    });
  return untilAnswered(engine.context, resume);
}

/** After one more look, a run is ended as it stands. Throws `already_running`. */
export function closeRun(engine: Engine, run: Run): Promise<Ended> {
  return underLocks(engine, run, async (now) => {
    const ended = await giveUpRest(engine, now);
    const { stopped } = ended;
    // More looks at a list that is not whole show no more.
    if (stopped && stopped.code !== 'list_in_doubt') return ended;
    await endRun(engine, now);
    const left = await movedHalf(engine, await loadExecutions(engine.record, now.id));
    return { ...ended, stopped: left.length > 0 ? halfMovedError(now.id, left) : stopped };
  });
}

async function underLocks(engine: Engine, run: Run, act: (now: Run) => Promise<Ended>): Promise<Ended> {
  return holding(lockCommand(engine, [run.digest]), async () => {
    const now = await engine.record.run(run.id);
    return holding(lockScopes(engine, await recordedLocks(engine, now)), () => act(now));
  });
}

type LeftBehind = { what: Sentence; hint: Sentence };

/** What was given up, is not there, and is not planned again; undefined for nothing. */
export async function leftBehind(engine: Engine, plan: Plan, { run, items }: GivenUp): Promise<LeftBehind | undefined> {
  const { client, reads } = engine;
  // A student who is planned for another exam by now is not left behind.
  const keyIn = ({ step, id }: Pick<Execution, 'step' | 'id'>) =>
    isCreate(step) ? `new ${created(step)} ${keyOf(wantedBy(step), client.dialect)}` : `${resourceOf(step)} ${id}`;
  const planned = new Set(plan.steps.map((step) => keyIn({ step, id: idIn(targetOf(step)) })));
  const findings = new Map<string | undefined, Promise<ExistingRecords<string | undefined>>>();
  const existing = (exam: string | undefined) => {
    const found = findings.get(exam) ?? existingIn(engine, exam, exam === undefined ? undefined : plan.readings?.get(exam));
    findings.set(exam, found);
    return found;
  };
  const isLeft = async (item: Execution) => {
    const { step, id, exam } = item;
    if (planned.has(keyIn(item))) return false;
    // A student of an exam that was not created, or that no read shows, is not named: the exam is.
    const isNowhere = created(step) === 'session' && exam === undefined;
    const records = isCreate(step) && !isNowhere ? await orGone(existing(exam)) : undefined;
    if (isCreate(step)) return records !== undefined && !(await records.find(wantedBy(step)));
    const shown = isUpdate(step) && id !== undefined ? await reads.record(resourceOf(step), id) : undefined;
    return shown !== undefined && !isFulfilled(step, shown.data);
  };
  const seen = await client.pacer.map(items, isLeft);
  const left = new Map(items.filter((_, at) => seen[at]).map((item) => [studentOrTarget(item), item]));
  if (left.size === 0) return undefined;
  const which = firstInLine([...left], ([name, { step }]) => (step.line === undefined ? name : `line ${step.line}, ${name}`), 5);
  const what = sentence`Run ${run.id} of the same command left ${left.size} undone, and this plan does not have them: ${which}.`;
  return { what, hint: await planAnewHint(engine, run, items) };
}

/** The address or number of the student whom a step is about; else its exam or session. */
function studentOrTarget({ step, id }: Execution): string {
  return step.student.email ?? step.student.number ?? nameOf(resourceOf(step), id);
}

/** The way to plan anew what was given up or undone. It leaves out students who have left the exam since, who would be created again. */
export async function planAnewHint(engine: Engine, run: Run, executions: readonly Execution[]): Promise<Sentence> {
  const { command, kind } = run;
  if (command === kind) return sentence`runs forget has erased the values of its command: type it anew.`;
  const mailing = mailingCommand(executions);
  if (mailing !== undefined) return sentence`To mail the others: proctor-cli ${mailing}`;
  const left = await orElse(leftSince(engine, executions), () => []);
  const names = left.map(studentOrTarget);
  const who = firstInLine(names, (name) => name, 3);
  // The record has the name of a file without its folder, so the command cannot be printed whole.
  if (runKindOf(kind).fromFile && kind !== 'runs undo') {
    const why = left.length === 0 ? '' : `, and without those who have left since (COLUMN: the header above ${who})`;
    const without = left.length === 0 ? '' : ` ${valueOption('--except', 'COLUMN', names)}`;
    return sentence`To plan the rest anew, run the same command again, with the path of its file${why}: ${command}${without}`;
  }
  const isWhole = !/ [A-Z=_-]+( |$)/.test(command);
  const withValues = isWhole ? '' : ', with your values for the words in capitals';
  const find = typedCommand('sessions find', names.slice(0, 1));
  const twice = left.length === 0 ? '' : `. It creates ${who} again; then find and delete them: proctor-cli ${find}`;
  return sentence`To plan the rest anew${withValues}: proctor-cli ${command}${twice}`;
}

/** The students whom these steps created or found, and who are no longer in the exam: moved, or deleted. */
async function leftSince({ client, reads }: Engine, executions: readonly Execution[]): Promise<Execution[]> {
  const isLeft = async ({ step, exam, id }: Execution) => {
    if (created(step) !== 'session' || exam === undefined || id === undefined) return false;
    const reading = await orGone(reads.students(exam, freshMs));
    return !reading?.withId(id) && !reading?.of(wantedBy(step)).length && !(await reads.record('session', id));
  };
  const seen = await client.pacer.map(executions, isLeft);
  return executions.filter((_, at) => seen[at]);
}
