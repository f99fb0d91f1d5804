/**
 * What has to be asked before steps are sent. While a question is open no lock is held: after the yes all of it begins again, with what was
 * answered, and is asked again where a step is there that was not shown.
 */
import { filled } from '../api/operations.ts';
import type { Context } from '../command.ts';
import { firstLines } from '../model/count.ts';
import { stringifyJson } from '../model/json.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { type ExamGate, questionOf, refusalOf } from './gate.ts';
import { Asks, type Ended, type Refused, type RunRequest } from './request.ts';
import type { World } from './running.ts';
import type { Plan, Step } from './step.ts';

/** What a person has said yes to, the steps that they have seen, and the plan that was told last. */
export type Answers = { agreed: Set<string>; seen: Set<string>; told?: string };

/** Asks what has to be asked, with no lock held, and begins again after each yes. Throws `needs_confirmation`, and `interrupted` for a no. */
export async function untilAnswered(context: Context, act: (answers: Answers) => Promise<Ended>): Promise<Ended> {
  const answers: Answers = { agreed: new Set(), seen: new Set() };
  for (;;) {
    try {
      return await act(answers);
    } catch (error) {
      if (!(error instanceof Asks)) throw error;
      await context.confirm(() => error.question.words, error.question.typed);
      answers.agreed.add(error.question.key);
      for (const step of error.steps) answers.seen.add(keyOf(step));
    }
  }
}

/** The plan, and the running exams from which it would take something: of a timetable, the plan without these lines. */
export async function judged({ context }: World, { holdBack }: Pick<RunRequest, 'holdBack'>, gate: ExamGate, plan: Plan) {
  const running = plan.refused ? [] : await gate.judgePlan(plan);
  const isLeftOut = holdBack !== undefined && running.length > 0 && context.globals.duringExam === undefined;
  return isLeftOut ? { plan: holdBack(plan, running), running: [] } : { plan, running };
}

/** Asks what has to be asked before these steps are sent; throws `exam_running`. */
export async function askFirst(
  { context }: World,
  { tell, question, typed }: Pick<RunRequest, 'tell' | 'question' | 'typed'>,
  { plan, running, gate, answers }: { plan: Plan; running: readonly Refused[]; gate: ExamGate; answers: Answers },
): Promise<void> {
  const { duringExam, yes } = context.globals;
  if (running.length > 0 && duringExam === undefined) throw refusalOf(running, 'Nothing was sent.');
  const changes = plan.steps.filter((step) => !answers.seen.has(keyOf(step)));
  const told = changes.map(keyOf).join();
  if (told !== '' && told !== answers.told) await tell?.(plan);
  answers.told = told;
  if (answers.seen.size > 0) for (const line of firstLines(changes, changeInWords)) context.warn(line);
  for (const refused of running) {
    const asked = questionOf(refused, context.place());
    if (!yes && !answers.agreed.has(asked.key)) throw new Asks(asked);
    gate.permit(refused.exam);
  }
  const words = yes || changes.length === 0 ? undefined : await question?.(plan);
  if (words === undefined) return;
  throw new Asks({ key: 'plan', words: sentence`${words} ${context.place()}?`, typed: typed?.(plan) }, plan.steps);
}

/** Steps that are alike are one for whoever has seen the plan. */
function keyOf({ operation, before: _, restore: __, ...step }: Step): string {
  return stringifyJson([operation.id, step]);
}

export function stepInWords({ operation, params, email, about }: Step): Sentence {
  const whom = about ?? email;
  return sentence`${filled(operation.does, params)}${whom === undefined ? '' : ` (${whom})`}`;
}

function changeInWords(step: Step): Sentence {
  const { body } = step;
  const values = body && Object.keys(body).length > 0 ? `, and now sends ${stringifyJson(body)}` : '';
  return sentence`The request to ${stepInWords(step)} has changed${values}.`;
}
