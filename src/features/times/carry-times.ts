/** Times that change together, as one run. */
import type { Context, Result, Row } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { firstInLine, firstLines } from '../../model/count.ts';
import { restrictionKeys, restrictionsOf } from '../../model/fields.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { statusOf } from '../../model/status.ts';
import { instantOf, showTime } from '../../model/time.ts';
import { type Ended, type Execution, executePlan, oldValues, type Plan, type RunRequest, resourceOf, type Step } from '../../runs/index.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { severalResult } from '../writes/results.ts';

/** `says`: what is said besides the new times. */
export type TimesPlan = Plan & { says?: readonly Sentence[]; question?: Sentence | undefined };

/** `did`: the word for a time that is set. `show`: by default, a row for each time. */
type Carrying = Omit<RunRequest<TimesPlan>, 'question' | 'result'> & {
  did?: string;
  show?(ended: Ended): Promise<Result>;
};

export function carryTimes(context: Context, { did = 'set', show, ...request }: Carrying): Promise<Result> {
  return executePlan(context, {
    tell: (plan) => tellTimes(context, plan),
    ...request,
    question: ({ question }) => question,
    async result(given, plan) {
      const ended = { ...given, items: given.items.map(orReset) };
      const result = await (show ? show(ended) : timesResult(context, ended, did));
      if (!result.failure && plan) tellMailed(context, plan);
      return result;
    },
  });
}

export function tellTimes(context: Context, plan: TimesPlan): void {
  const byTarget = Map.groupBy(plan.steps, (step) => `${resourceOf(step)} ${step.params.id}`);
  const changes = [...byTarget.values()].flatMap((steps) => inWords(steps, context.zone()));
  for (const text of firstLines(changes, (line) => line)) context.say(text);
  for (const text of plan.says ?? []) context.warn(text);
  if (plan.steps.length === 0) context.say('No time has to be changed.');
}

function timesResult(context: Context, ended: Ended, did: string): Promise<Result> {
  const rowsOf = ({ step }: Execution) => {
    const old = oldValues(step);
    const sent = Object.entries(step.body ?? {});
    return sent.map(([field, to]): Row => ({ field, from: old[field] ?? null, to }));
  };
  const resource = ended.items.some(({ step }) => isOfExam(step)) ? 'exam' : 'session';
  return severalResult(context, ended, { did, resource, columns: context.columns, rowsOf });
}

function isOfExam(step: Step): boolean {
  return resourceOf(step) === 'exam';
}

/** Failed where the service has reset restrictions along with times (specification 2.1, rule 2). */
export function orReset(item: Execution): Execution {
  const { step, state, shown, id = '' } = item;
  if (state !== 'done' || !shown || !isOfExam(step)) return item;
  const was = restrictionsOf(oldValues(step));
  const is = restrictionsOf(shown);
  const isSent = (key: string) => Object.hasOwn(step.body ?? {}, key);
  const reset = restrictionKeys.filter((key) => !isSent(key) && was[key] !== undefined && is[key] === !was[key]);
  if (reset.length === 0) return item;
  const flags = reset.map((key) => `--${was[key] ? '' : 'no-'}${key.replaceAll('_', '-')}`).join(' ');
  const what = sentence`Exam ${id} has its new times, but ${reset.join(', ')} changed with them.`;
  const hint = sentence`Set it again: proctor-cli ${typedCommand('exams update', [id], flags)}`;
  return { ...item, state: 'failed', reason: 'different', error: new CliError('partly_done', what, { hint }) };
}

const labels: Record<string, string> = {
  start_time: 'start',
  end_time: 'end',
  open_time: 'opens',
  close_time: 'closes',
};

/** "exam 5: end 11:00 → 11:15". `steps`: of one exam or session. */
function inWords(steps: readonly Step[], zone: string): Sentence[] {
  const [{ operation, params, email, expectsExam }] = steps as readonly [Step];
  const old: JsonObject = Object.assign({}, ...steps.map(oldValues).reverse());
  const body: JsonObject = Object.assign({}, ...steps.map((step) => step.body));
  const shown = (value: Json = null) => (value === null ? 'none' : showTime(value, zone));
  const shownBefore = (field: string) => {
    const until = expectsExam?.end_time;
    // Without a time of its own, a session closes with its exam.
    const isAlong = field === 'close_time' && (old[field] ?? null) === null && until !== undefined;
    return isAlong ? `with the exam (${shown(until)})` : shown(old[field]);
  };
  const changes = Object.entries(body).flatMap(([field, to]) => {
    const before = shownBefore(field);
    return before === shown(to) ? [] : `${labels[field] ?? field} ${before} → ${shown(to)}`;
  });
  const who = [operation.resource, params.id, email].filter(Boolean).join(' ');
  return changes.length === 0 ? [] : [sentence`${who}: ${changes.join(', ')}`];
}

/** Of exams that have not begun. */
export function tellMailed({ host, say }: Context, { steps, readings }: Plan): void {
  const hasBegun = (step: Step) => {
    const start = instantOf((isOfExam(step) ? step.expects : step.expectsExam)?.start_time);
    return start !== undefined && start <= host.now();
  };
  const mailed: [exam: string, number: number][] = [];
  for (const [exam, ofExam] of Map.groupBy(steps, (step) => step.exam ?? '')) {
    if (ofExam.some(hasBegun)) continue;
    const isWhole = ofExam.some(isOfExam);
    const moved = new Set(ofExam.map(({ params }) => params.id));
    const { sessions = [] } = readings?.get(exam) ?? {};
    const students = sessions.filter(({ data }) => statusOf(data.status) === 'mail_sent');
    const number = students.filter(({ id }) => isWhole || moved.has(id)).length;
    if (number > 0) mailed.push([exam, number]);
  }
  if (mailed.length === 0) return;
  const exams = mailed.map(([exam]) => exam).slice(0, 5);
  const who = firstInLine(mailed, ([exam, number]) => `exam ${exam} (${number})`, exams.length);
  const again = typedCommand('exams send-emails', exams, '--resend');
  say(sentence`Students of ${who} were mailed the old times. To mail all of them the new ones: proctor-cli ${again}`);
}
