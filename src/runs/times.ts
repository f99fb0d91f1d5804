/**
 * Changes of times by earlier runs. One that was done in part would move windows twice if it was
 * computed anew. An amount (`--by`) that was set within the hour is more likely a repeated command
 * than a second alarm.
 */
import { CliError } from '../errors.ts';
import { inCI } from '../host/host.ts';
import { firstInLine } from '../model/count.ts';
import { type ExamTime, examTimes } from '../model/fields.ts';
import type { JsonObject } from '../model/json.ts';
import { instantOf, sameInstant, showTime } from '../model/time.ts';
import type { Run } from '../record/index.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { type Execution, isRetryable, isWritten, loadExecutions } from './execution.ts';
import { examsIn } from './locks.ts';
import { blockedBy, ConfirmationRequired, mayAsk, movesTimes, type RunRequest } from './request.ts';
import { type RunOptions, serviceAge, type World } from './running.ts';
import { examOfStep, kindOf, nameOf, oldValues, type Plan, resourceOf, type Step, targetOf } from './step.ts';

/** The times of an exam that a step gives another value. */
export function movedBy(step: Step): ExamTime[] {
  const { body = {}, raw } = step;
  if (raw || kindOf(step) !== 'update' || resourceOf(step) !== 'exam') return [];
  const old = oldValues(step);
  return examTimes.filter((time) => {
    const [from, to] = [instantOf(old[time]), instantOf(body[time])];
    return from !== undefined && to !== undefined && from !== to;
  });
}

/** Whether it changes an exam, or a window that moves along with it. */
export function changesExam(step: Step): boolean {
  return kindOf(step) === 'update' && (resourceOf(step) === 'exam' || step.expectsExam !== undefined);
}

/** Exams whose times a run has begun to change. */
export function examsHalfMoved(items: readonly Execution[]): ReadonlySet<string | undefined> {
  const moved = items.filter(({ step }) => movedBy(step).length > 0);
  const begun = items.filter(({ step, state }) => changesExam(step) && state !== 'planned' && state !== 'skipped');
  const isBegun = new Set(begun.map(({ step }) => examOfStep(step)));
  return new Set(moved.map(({ step }) => examOfStep(step)).filter((exam) => isBegun.has(exam)));
}

/** Throws `unfinished` where a run has changed an exam's times in part. */
export async function refuseHalfMoved(world: World, { kind, locks: places }: RunRequest, { readings }: Plan): Promise<void> {
  const { record, origin, client } = world;
  if (!movesTimes.has(kind)) return;
  for (const exam of examsIn(await places(world))) {
    const isStill = (item: Execution) => {
      const { step } = item;
      const id = step.params.id ?? item.id ?? '';
      const shown = readings?.get(exam)?.withId(id) ?? client.known.shown(resourceOf(step), id);
      return isWritten(item) && isSet(step, shown?.data ?? {});
    };
    for (const run of await record.runs({ exam, states: ['partial'] })) {
      if (run.origin !== origin) continue;
      const items = await loadExecutions(record, run.id);
      const of = items.filter(({ step }) => examOfStep(step) === exam && changesExam(step));
      const isHalf = of.some(({ step }) => movedBy(step).length > 0) && of.some(isRetryable);
      if (!isHalf || !of.some(isStill)) continue;
      throw blockedBy(run.id, 'unfinished', sentence`Run ${run.id} (${run.command}) has changed the times of exam ${exam} in part.`);
    }
  }
}

const hour = 3_600_000;

/** Within the hour by the service's clock, or whenever where it shows none. Throws `already_moved`, or asks. */
export async function refuseRepeated(
  world: World,
  { kind, amount, consents = {} }: RunRequest,
  steps: readonly Step[],
  agreed: ReadonlySet<string>,
): Promise<void> {
  const { context, record, origin, host, zone } = world;
  if (amount === undefined || consents.again || steps.length === 0) return;
  if (inCI(host) && (await record.isNew()))
    throw refused(sentence`No run is recorded here, so it is unknown whether an earlier job has done this.`);
  const targets = Map.groupBy(steps, targetOf);
  const isYoung = (item: Execution) => (serviceAge(world, item) ?? 0) <= hour;
  const isStill = (item: Execution) => isYoung(item) && isSet(item.step, oldValues(targets.get(targetOf(item.step))?.[0]));
  for (const run of await record.runs()) {
    if (run.kind !== kind || run.origin !== origin || (run.more as RunOptions).amount !== amount) continue;
    const items = await loadExecutions(record, run.id);
    const set = items.filter(isStill).map(({ step }) => nameOf(resourceOf(step), step.params.id));
    if (set.length === 0) continue;
    const which = firstInLine([...new Set(set)], (each) => each, 5);
    const what = sentence`Run ${run.id} (${run.command}) has done the same at ${showTime(run.at / 1000, zone)}: ${which}.`;
    const key = `amount ${run.id}`;
    if (agreed.has(key)) return;
    if (items.some(isRetryable)) throw blockedBy(run.id, 'already_moved', what);
    if (mayAsk(context)) throw new ConfirmationRequired({ key, words: sentence`${what} Do it once more?` });
    throw refused(what);
  }
}

function refused(what: Sentence): CliError {
  return new CliError('already_moved', what, { hint: 'Nothing was sent. To do it all the same, add --again.' });
}

/** Whether a target shows what an earlier step has set. */
function isSet({ body = {} }: Step, shown: JsonObject): boolean {
  return Object.entries(body).some(([field, value]) => sameInstant(value, shown[field]));
}

/** After an hour, what is left may have been done in another way. Throws `unfinished`. */
export function refuseOldAmount({ context, host }: World, { amount, consents = {} }: RunRequest, run: Run): void {
  if (amount === undefined || consents.again || mayAsk(context) || host.now() - run.at <= hour) return;
  const at = showTime(run.at / 1000, context.zone());
  throw blockedBy(run.id, 'unfinished', sentence`Run ${run.id} of the same command is unfinished since ${at}.`);
}
