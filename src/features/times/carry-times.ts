/**
 * Times that change together, as one run: shown with old and new, asked about, set step by step, and reported in a row for each time. Who
 * was mailed the old times is named with the command that mails the new ones.
 */
import type { Context, Result, Row } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { firstInLine, firstLines } from '../../model/count.ts';
import { restrictionKeys, restrictionsOf } from '../../model/fields.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { statusOf } from '../../model/status.ts';
import { instantOf, showTime } from '../../model/time.ts';
import { carryOut, type Ended, type Item, oldValues, type Plan, type RunRequest, type Step } from '../../runs/index.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { severalResult } from '../writes/results.ts';

/** `says`: what is said besides the new times. `question`: undefined where no question is asked. */
export type TimesPlan = Plan & { says?: readonly Sentence[]; question?: Sentence | undefined };

/** `did`: the word for a time that is set. `show`: what became of the steps; by default a row for each time. */
type Carrying = Pick<RunRequest<TimesPlan>, 'kind' | 'identity' | 'places' | 'plan' | 'amount' | 'check' | 'tell'> & {
  again?: boolean | undefined;
  did?: string;
  show?(ended: Ended): Promise<Result>;
};

export function carryTimes(context: Context, { did = 'set', again, show, ...request }: Carrying): Promise<Result> {
  return carryOut(context, {
    tell: (plan) => tellTimes(context, plan),
    ...request,
    consents: { again },
    question: ({ question }) => question,
    async result(given, plan) {
      const ended = { ...given, items: given.items.map(orReset) };
      const result = await (show ? show(ended) : timesResult(context, ended, did));
      if (!result.failure) tellMailed(context, plan);
      return result;
    },
  });
}

/** Old and new times, and what is said besides. */
export function tellTimes(context: Context, plan: TimesPlan): void {
  const byTarget = Map.groupBy(plan.steps, ({ operation, params }) => `${operation.resource} ${params.id}`);
  const changes = [...byTarget.values()].flatMap((of) => inWords(of, context.zone()));
  for (const text of firstLines(changes, (line) => line)) context.say(text);
  for (const text of plan.says ?? []) context.warn(text);
  if (plan.steps.length === 0) context.say('No time has to be changed.');
}

function timesResult(context: Context, ended: Ended, did: string): Promise<Result> {
  const rowsOf = ({ step }: Item) => {
    const old = oldValues(step);
    return Object.entries(step.body ?? {}).map(([field, to]): Row => ({ field, from: old[field] ?? null, to }));
  };
  const resource = ended.items.some(({ step }) => step.operation.resource === 'exam') ? 'exam' : 'session';
  return severalResult(context, ended, { did, resource, columns: context.columns, rowsOf });
}

/** Only times were sent, and a service that resets a restriction with them has changed more than that (specification 2.1, rule 2). */
export function orReset(item: Item): Item {
  const { step, state, shown, id = '' } = item;
  if (state !== 'done' || shown === undefined || step.operation.resource !== 'exam') return item;
  const [was, is] = [restrictionsOf(oldValues(step)), restrictionsOf(shown)];
  const isReset = (key: (typeof restrictionKeys)[number]) => was[key] !== undefined && is[key] !== undefined && was[key] !== is[key];
  const reset = restrictionKeys.filter((key) => !Object.hasOwn(step.body ?? {}, key) && isReset(key));
  if (reset.length === 0) return item;
  const flags = reset.map((key) => `--${was[key] ? '' : 'no-'}${key.replaceAll('_', '-')}`).join(' ');
  const what = sentence`Exam ${id} has its new times, but ${reset.join(', ')} changed with them.`;
  const hint = sentence`Set it again: proctor-cli ${typedCommand('exams update', [id], flags)}`;
  return { ...item, state: 'failed', reason: 'different', error: new CliError('partly_done', what, { hint }) };
}

const labels: Record<string, string> = { start_time: 'start', end_time: 'end', open_time: 'opens', close_time: 'closes' };

/** "exam 5: end 11:00 → 11:15"; settings as they are. `of`: the steps of one exam or session. */
function inWords(of: readonly Step[], zone: string): Sentence[] {
  const [{ operation, params, email, expectsExam }] = of as readonly [Step];
  const old = Object.assign({}, ...of.map(oldValues).reverse());
  const body: JsonObject = Object.assign({}, ...of.map((step) => step.body));
  const shown = (value: Json = null) => (instantOf(value) === undefined ? String(value ?? 'none') : showTime(value, zone));
  // Without a time of its own, a session closes with its exam.
  const isAlong = (field: string) => field === 'close_time' && expectsExam?.end_time !== undefined && (old[field] ?? null) === null;
  const changes = Object.entries(body).flatMap(([field, to]) => {
    const before = isAlong(field) ? `with the exam (${shown(expectsExam?.end_time)})` : shown(old[field]);
    return before === shown(to) ? [] : `${labels[field] ?? field} ${before} → ${shown(to)}`;
  });
  const who = [operation.resource, params.id, email].filter(Boolean).join(' ');
  return changes.length === 0 ? [] : [sentence`${who}: ${changes.join(', ')}`];
}

/** Students who wait for an exam, and were mailed times that change now: all of an exam that moves, else those whose own windows move. */
export function tellMailed({ host, say }: Context, { steps, readings = new Map() }: Plan = { steps: [] }): void {
  const mailed = [...Map.groupBy(steps, ({ exam }) => exam ?? '')].flatMap(([exam, of]): [string, number][] => {
    const hasBegun = ({ operation, expects, expectsExam }: Step) =>
      (instantOf((operation.resource === 'exam' ? expects : expectsExam)?.start_time) ?? Infinity) <= host.now();
    if (of.some(hasBegun)) return [];
    const isWhole = of.some(({ operation }) => operation.resource === 'exam');
    const moved = new Set(of.map(({ params }) => params.id));
    const { sessions = [] } = readings.get(exam) ?? {};
    const number = sessions.filter(({ id, data }) => statusOf(data.status) === 'mail_sent' && (isWhole || moved.has(id))).length;
    return number === 0 ? [] : [[exam, number]];
  });
  if (mailed.length === 0) return;
  const exams = mailed.map(([exam]) => exam).slice(0, 5);
  const who = firstInLine(mailed, ([exam, number]) => `exam ${exam} (${number})`, exams.length);
  const again = typedCommand('exams send-emails', exams, '--resend');
  say(sentence`Students of ${who} were mailed the old times. To mail all of them the new ones: proctor-cli ${again}`);
}
