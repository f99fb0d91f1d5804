/** Times that change together, as one run. */
import type { Context, Result } from '../../command.ts';
import { windowTitles } from '../../model/fields.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { statusOf } from '../../model/status.ts';
import { instantOf, showTime } from '../../model/time.ts';
import {
  bodyOf,
  type Ended,
  type Execution,
  executePlan,
  type Plan,
  previousOf,
  type RunRequest,
  resourceOf,
  type Step,
  targetOf,
} from '../../runs/index.ts';
import { students as countedStudents, firstInLine, firstLines, type Sentence, sentence } from '../../text/sentence.ts';
import { severalResult, timeRows } from '../crud/results.ts';

/** `says`: what is said besides the new times. */
export type TimesPlan = Plan & { says?: readonly Sentence[]; question?: Sentence | undefined };

type WhyOf = (step: Step) => string | undefined;

/** `did`: the word for a time that is set. `whyOf`: how its new time comes about. `show`: makes the result, by default a row for each time. */
type TimesRequest = Omit<RunRequest<TimesPlan>, 'question' | 'result'> & {
  did?: string;
  whyOf?: WhyOf;
  show?(ended: Ended): Promise<Result>;
};

/** Tells and asks, carries out the plan, and names the exams whose students were mailed the old times. */
export function changeTimes(context: Context, { did = 'set', whyOf, show, ...request }: TimesRequest): Promise<Result> {
  return executePlan(context, {
    tell: (plan) => tellTimes(context, plan, whyOf),
    ...request,
    question: ({ question }) => question,
    async result(given, plan) {
      const result = await (show ? show(given) : timesResult(context, given, did, whyOf));
      if (!result.failure && plan) tellMailed(context, plan);
      return result;
    },
  });
}

export function tellTimes(context: Context, plan: TimesPlan, whyOf: WhyOf = () => undefined): void {
  const isOfSeveral = new Set(plan.steps.map(({ exam }) => exam)).size > 1;
  tellChanges(context, plan.steps, isOfSeveral, whyOf);
  for (const text of plan.says ?? []) context.warn(text);
  if (plan.steps.length === 0) context.say('No time has to be changed.');
}

/** `isOfSeveral`: whether the exam of a session is named. */
export function tellChanges({ say, zone }: Context, steps: readonly Step[], isOfSeveral: boolean, whyOf: WhyOf = () => undefined): void {
  const byTarget = Map.groupBy(steps, (step) => `${resourceOf(step)} ${targetOf(step)}`);
  const changes = [...byTarget.values()].flatMap((of) => stepsInWords(of, zone(), whyOf, isOfSeveral));
  for (const text of firstLines(changes, (line) => line)) say(text);
}

function timesResult(context: Context, ended: Ended, did: string, whyOf: WhyOf = () => undefined): Promise<Result> {
  const rowsOf = (item: Execution) => {
    const said = item.state === 'done' && item.reason === undefined ? whyOf(item.step) : undefined;
    return timeRows(item).map((row) => (said === undefined ? row : { ...row, reason: said }));
  };
  const resource = ended.items.some(({ step }) => isOfExam(step)) ? 'exam' : 'session';
  return severalResult(context, ended, { did, resource, columns: context.columns, rowsOf });
}

function isOfExam(step: Step): boolean {
  return resourceOf(step) === 'exam';
}

const labels: Record<string, string> = { start_time: 'start', end_time: 'end', ...windowTitles };

/** "exam 5: end 11:00 → 11:15". `steps`: of one exam or session. */
function stepsInWords(steps: readonly Step[], zone: string, whyOf: WhyOf, isOfSeveral: boolean): Sentence[] {
  const [first] = steps as readonly [Step];
  const old: JsonObject = Object.assign({}, ...steps.map(previousOf).reverse());
  const body: JsonObject = Object.assign({}, ...steps.map(bodyOf));
  const shown = (value: Json = null) => (value === null ? 'none' : showTime(value, zone));
  const shownBefore = (field: string) => {
    const until = first.requires.exam.end_time;
    const isAlong = field === 'close_time' && (old[field] ?? null) === null && until !== undefined;
    return isAlong ? `(${shown(until)})` : shown(old[field]);
  };
  const order = Object.keys(labels);
  const sorted = Object.entries(body).toSorted(([one], [other]) => order.indexOf(one) - order.indexOf(other));
  const changes = sorted.flatMap(([field, to]) => {
    const before = shownBefore(field);
    return before === shown(to) ? [] : `${labels[field] ?? field} ${before} → ${shown(to)}`;
  });
  const place = isOfSeveral && !isOfExam(first) && typeof first.exam === 'string' ? `exam ${first.exam}, ` : '';
  const who = place + [resourceOf(first), targetOf(first), first.student.email].filter(Boolean).join(' ');
  const why = whyOf(first) === undefined ? '' : ` (${whyOf(first)})`;
  return changes.length === 0 ? [] : [sentence`${who}: ${changes.join(', ')}${why}`];
}

/** Names the students who were mailed the old times of exams that have not begun. */
export function tellMailed({ host, say }: Context, { steps, readings }: Plan): void {
  const hasBegun = (step: Step) => {
    const { target, exam } = step.requires;
    const start = instantOf((isOfExam(step) ? target : exam).start_time);
    return start !== undefined && start <= host.now();
  };
  const mailed: [exam: string, number: number][] = [];
  for (const [exam, ofExam] of Map.groupBy(steps, (step) => (typeof step.exam === 'string' ? step.exam : ''))) {
    if (ofExam.some(hasBegun)) continue;
    const isWhole = ofExam.some(isOfExam);
    const moved = new Set<unknown>(ofExam.map(targetOf));
    const { all: sessions = [] } = readings?.get(exam) ?? {};
    const students = sessions.filter(({ data }) => statusOf(data.status) === 'mail_sent');
    const number = students.filter(({ id }) => isWhole || moved.has(id)).length;
    if (number > 0) mailed.push([exam, number]);
  }
  if (mailed.length === 0) return;
  const exams = mailed.map(([exam]) => exam).slice(0, 5);
  const who = firstInLine(mailed, ([exam, number]) => `exam ${exam} (${countedStudents(number)})`, exams.length);
  const again = typedCommand('exams send-emails', exams, '--resend');
  say(sentence`Mailed with the old times: ${who}. To mail all of them the new times: proctor-cli ${again}`);
}
