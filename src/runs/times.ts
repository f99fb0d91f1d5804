/**
 * Changes of times by earlier runs. One that was done in part would move windows twice if it was
 * computed anew. An amount (`--by`) that was set within the hour is more likely a repeated command
 * than a second alarm.
 */
import { CliError } from '../errors.ts';
import { inCI } from '../host/host.ts';
import { replacedBy } from '../model/compare.ts';
import { nameOf } from '../model/describe.ts';
import { spelledDuration } from '../model/duration.ts';
import type { JsonObject } from '../model/json.ts';
import { typedCommand, typedOption } from '../model/shell-quote.ts';
import { instantOf, sameInstant, showTime } from '../model/time.ts';
import type { Run, RunRecord, StepFilter } from '../record/index.ts';
import { firstInLine, largest, type Sentence, sentence } from '../text/sentence.ts';
import type { RunOptions } from './active-run.ts';
import { type Engine, provenAge, serviceAge } from './engine.ts';
import { type Execution, executionOf, idIn, isWritten, leftBy, loadExecutions } from './execution.ts';
import { examsIn } from './locks.ts';
import { blockedBy, mayAsk, type RunRequest, runKindOf, undoHint } from './request.ts';
import { retryable } from './retry.ts';
import { changesExam, examTimesMovedBy } from './steps/moved-times.ts';
import { bodyOf, isUpdate, listedAs, type Plan, previousOf, resourceOf, type Step, showsAll, targetOf } from './steps/step.ts';

/** Exams whose times a run has begun to change. */
export function examsHalfMoved(executions: readonly Execution[]): ReadonlySet<string | undefined> {
  const moved = executions.filter(({ step }) => examTimesMovedBy(step).length > 0);
  const begun = executions.filter(({ step, state }) => changesExam(step) && state !== 'planned' && state !== 'skipped');
  const isBegun = new Set(begun.map(({ exam }) => exam));
  return new Set(moved.map(({ exam }) => exam).filter((exam) => isBegun.has(exam)));
}

/** Throws `unfinished` where a run has changed an exam's times in part. */
export async function refuseHalfMoved(engine: Engine, { locks }: RunRequest, { readings }: Plan): Promise<void> {
  const { record, origin } = engine;
  for (const exam of examsIn(await locks(engine))) {
    for (const run of await record.runs({ exam, states: ['partial'], origin })) {
      const executions = (await loadExecutions(record, run.id)).filter((each) => each.exam === exam);
      if ((await movedHalf(engine, executions, readings)).length === 0) continue;
      const what = inPart(run, exam);
      if (retryable(executions).length > 0) throw blockedBy(run.id, 'unfinished', what);
      throw new CliError('unfinished', what, { hint: sentence`Nothing was sent. ${undoHint(run.id)}` });
    }
  }
}

function inPart({ id, command }: Run, exam: string): Sentence {
  return sentence`Run ${id} (${command}) has changed the times of exam ${exam} in part.`;
}

/**
 * Forgotten, half of an amount would be added a second time by the same command. What another service shows is not known: whoever
 * asks there (`command`) gets an answer. Throws `unfinished`.
 */
export async function refuseForgottenHalf(
  record: RunRecord,
  origin: string,
  about: Pick<StepFilter, 'exams' | 'students'>,
  { engine, command }: { engine: () => Promise<Engine>; command: string },
): Promise<void> {
  for (const [id, rows] of Map.groupBy(await record.find(about.exams && origin, about), ({ run }) => run)) {
    const run = await record.run(id);
    if (run.state !== 'partial' || ((run.more as RunOptions).amount === undefined && runKindOf(run.kind).times !== 'moved')) continue;
    const updates = (await loadExecutions(record, id)).filter(({ step }) => isUpdate(step));
    const concerned = new Set(rows.map(({ n }) => n));
    for (const [exam = '', executions] of Map.groupBy(updates, (each) => each.exam)) {
      if (!executions.some(({ step }) => concerned.has(step.number))) continue;
      const isElsewhere = run.origin !== origin;
      const left = isElsewhere ? leftHalf(executions) : await standingHalf(await engine(), executions);
      if (left.length === 0) continue;
      const finish = sentence`To finish it: proctor-cli ${typedCommand('runs resume', [id])}`;
      const elsewhere = sentence`Use the profile of ${run.origin}: proctor-cli ${command} ${typedOption('--profile', run.profile)}`;
      const hint = isElsewhere ? elsewhere : retryable(executions).length > 0 ? finish : undoHint(id);
      throw new CliError('unfinished', sentence`${inPart(run, exam)} Nothing was erased.`, { hint });
    }
  }
}

/** The steps whose targets still show the old times, while other targets of the run show the new ones. */
export async function movedHalf(engine: Engine, executions: readonly Execution[], readings?: Plan['readings']): Promise<Execution[]> {
  const ofTimes = executions.filter(({ step }) => changesExam(step));
  return ofTimes.some(({ step }) => examTimesMovedBy(step).length > 0) ? standingHalf(engine, ofTimes, readings) : [];
}

/** The same, also where none of the steps moves the exam itself. */
async function standingHalf(engine: Engine, ofTimes: readonly Execution[], readings?: Plan['readings']): Promise<Execution[]> {
  const shows = async ({ step, id = '', exam = '' }: Execution, values: JsonObject | undefined) => {
    const times = replacedBy(Object.keys(bodyOf(step)), values ?? bodyOf(step));
    const listed = readings?.get(exam)?.withId(id)?.data;
    const isWhole = listed !== undefined && showsAll(listed, times);
    const shown = isWhole ? listed : (await engine.reads.record(resourceOf(step), id))?.data;
    return shown !== undefined && isShown(times, shown);
  };
  const left = leftHalf(ofTimes);
  if (left.length === 0) return [];
  const standing = await engine.client.pacer.map(ofTimes.filter(hasSet), (execution) => shows(execution, leftBy(execution)));
  if (!standing.includes(true)) return [];
  const unmoved = await engine.client.pacer.map(left, (execution) => shows(execution, previousOf(execution.step)));
  return left.filter((_, at) => unmoved[at]);
}

/** Also where the service has made another value of what was sent. */
function hasSet(execution: Execution): boolean {
  return isWritten(execution) || (execution.reason === 'different' && execution.owned);
}

/** By what is recorded: what was not set, where something was. */
function leftHalf(ofTimes: readonly Execution[]): readonly Execution[] {
  return ofTimes.some(hasSet) ? ofTimes.filter(({ state }) => state === 'failed' || state === 'skipped') : [];
}

/** The error of a run that was closed while an exam is half moved. */
export function halfMovedError(run: string, left: readonly Execution[]): CliError {
  const which = firstInLine(left, ({ step, id }) => nameOf(resourceOf(step), id), 5);
  const what = sentence`Run ${run} is closed, and has changed times only in part: ${which} ${left.length === 1 ? 'is' : 'are'} as before.`;
  return new CliError('partly_done', what, { hint: undoHint(run) });
}

const hourMs = 3_600_000;

/** Unless an hour has passed since, by the service's clock, too. Throws `already_moved`, or returns what begins the question. */
export async function refuseRepeated(
  engine: Engine,
  { kind, amount, consents = {} }: RunRequest,
  steps: readonly Step[],
): Promise<Sentence | undefined> {
  const { context, record, origin, host, zone } = engine;
  if (amount === undefined || consents.again || steps.length === 0) return undefined;
  if (inCI(host) && (await record.isNew()))
    throw refused(sentence`No run is recorded here, so it is unknown whether an earlier job has done this.`);
  const keyOf = (step: Step, id = idIn(targetOf(step)) ?? '') => listedAs(resourceOf(step), id);
  const targets = Map.groupBy(steps, (step) => keyOf(step));
  const isStill = async ({ id: run, more }: Run, execution: Execution) => {
    const { step, id } = execution;
    const [again] = targets.get(keyOf(step, id)) ?? [];
    const set = (more as RunOptions).amount;
    // For a share that can mean two things, its length is printed.
    const isSame = again && (set === amount || (amount.endsWith('%') && set === spelledDuration(movedBy(again))));
    if (!isSame || provenAge(engine, execution) > hourMs) return false;
    return isShown(bodyOf(step), previousOf(again)) || isShown(await timesSince(engine, run, execution), previousOf(again));
  };
  for (const run of await record.runs({ origin })) {
    if (run.kind !== kind) continue;
    const executions = await loadExecutions(record, run.id);
    const still = await engine.client.pacer.map(executions, (each) => isStill(run, each));
    const set = executions.filter((_, at) => still[at]).map(({ step, id }) => nameOf(resourceOf(step), id));
    if (set.length === 0) continue;
    const which = firstInLine([...new Set(set)], (each) => each, 5);
    const what = sentence`Run ${run.id} (${run.command}) has done the same at ${showTime(run.at / 1000, zone)}: ${which}.`;
    if (retryable(executions).length > 0) throw blockedBy(run.id, 'already_moved', what);
    if (mayAsk(context)) return sentence`${what} Once more:`;
    throw refused(what);
  }
  return undefined;
}

/** The times that a step has set, as later runs from here have moved them on; its undo has taken them back. */
async function timesSince({ record, origin }: Engine, run: string, { step, id = '', at }: Execution): Promise<JsonObject> {
  const own = new Set([run, ...(await record.runs({ undoOf: run })).map((undo) => undo.id)]);
  const rows = (await record.find(origin, { ids: [id] })).filter((row) => !own.has(row.run));
  const later = rows.map(executionOf).filter((other) => isWritten(other) && other.at >= at && resourceOf(other.step) === resourceOf(step));
  let times = bodyOf(step);
  for (const other of later.toReversed()) {
    if (isShown(times, previousOf(other.step))) times = { ...times, ...bodyOf(other.step) };
  }
  return times;
}

function refused(what: Sentence): CliError {
  return new CliError('already_moved', what, { hint: 'Nothing was sent. To do it all the same, add --again.' });
}

/** By how many milliseconds it moves a time that is shown. */
function movedBy(step: Step): number {
  const [[field = '', to] = []] = Object.entries(bodyOf(step));
  return (instantOf(to) ?? Number.NaN) - (instantOf(previousOf(step)[field]) ?? Number.NaN);
}

/** Whether a target shows one of these times. */
function isShown(times: JsonObject, shown: JsonObject): boolean {
  return Object.entries(times).some(([field, value]) => sameInstant(value, shown[field]));
}

/** After an hour by the service's clock, what is left may have been done in another way. Throws `unfinished`. */
export function refuseOldAmount(engine: Engine, { amount, consents = {} }: RunRequest, run: Run, executions: readonly Execution[]): void {
  const { context } = engine;
  if (amount === undefined || consents.again || mayAsk(context)) return;
  const ages = executions.flatMap((execution) => serviceAge(engine, execution) ?? []);
  if (ages.length > 0 && largest(ages) <= hourMs) return;
  const at = showTime(run.at / 1000, context.zone());
  throw blockedBy(run.id, 'unfinished', sentence`Run ${run.id} of the same command is unfinished since ${at}.`);
}
