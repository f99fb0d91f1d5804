/** What is asked before steps are sent: under no lock, and again where a step was not shown. */
import { filled } from '../api/operations.ts';
import type { Context } from '../command.ts';
import { count } from '../model/count.ts';
import { stringifyJson } from '../model/json.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import type { ExamGate } from './gate.ts';
import { ConfirmationRequired, type Confirmations, type Ended, type Refused, type RunRequest, runningRefusal } from './request.ts';
import type { World } from './running.ts';
import { creates, type Plan, type Step } from './step.ts';

type Judged = { plan: Plan; running: readonly Refused[]; gate: ExamGate | undefined };

/** Asks with no lock held. Throws `needs_confirmation`; `interrupted` for a no. */
export async function untilAnswered(context: Context, act: (answers: Confirmations) => Promise<Ended>): Promise<Ended> {
  const answers: Confirmations = { agreed: new Set(), seen: new Set() };
  for (;;) {
    try {
      return await act(answers);
    } catch (error) {
      if (!(error instanceof ConfirmationRequired)) throw error;
      const { key, words, typed, steps = [] } = error.question;
      await context.confirm(() => words, typed);
      answers.agreed.add(key);
      for (const step of steps) answers.seen.add(keyOf(step));
    }
  }
}

/** `running`: the exams that would lose something, unless that is held back. */
export async function judged(world: World, { holdBack }: Pick<RunRequest, 'holdBack'>, plan: Plan): Promise<Judged> {
  // What is new takes nothing from anybody.
  const isNew = plan.steps.every((step) => !step.raw && (step.made || creates(step)));
  const gate = isNew ? undefined : new (await import('./gate.ts')).ExamGate(world);
  const running = gate && !plan.refused ? await gate.judgePlan(plan) : [];
  const isHeldBack = holdBack && running.length > 0 && world.context.globals.duringExam === undefined;
  return isHeldBack ? { plan: holdBack(plan, running), running: [], gate } : { plan, running, gate };
}

/** Throws `exam_running`, or asks. */
export async function askFirst(
  { context }: World,
  { tell, question, typed }: Pick<RunRequest, 'tell' | 'question' | 'typed'>,
  { plan, running, gate }: Judged,
  answers: Confirmations,
): Promise<void> {
  const { agreed, seen } = answers;
  const { duringExam, yes } = context.globals;
  if (running.length > 0 && duringExam === undefined) throw runningRefusal(running, 'Nothing was sent.');
  const changes = plan.steps.filter((step) => !seen.has(keyOf(step)));
  const told = changes.map(keyOf).join();
  if (told !== '' && told !== answers.told) await tell?.(plan);
  answers.told = told;
  if (seen.size > 0 && told !== '') context.warn(sentence`${count(changes.length, 'request')} changed while the question was open.`);
  for (const { exam, says } of running) {
    const key = `gate ${exam}`;
    if (!yes && !agreed.has(key))
      throw new ConfirmationRequired({ key, words: sentence`${says} Send it ${context.place()}?`, typed: exam });
    gate?.permit(exam);
  }
  const words = yes || changes.length === 0 ? undefined : await question?.(plan);
  if (words === undefined) return;
  throw new ConfirmationRequired({ key: 'plan', words: sentence`${words} ${context.place()}?`, typed: typed?.(plan), steps: plan.steps });
}

/** By this, a step that was shown is known again. */
function keyOf({ operation, before: _, restore: __, ...step }: Step): string {
  return stringifyJson([operation.id, step]);
}

export function stepInWords({ operation, params, email, about }: Step): Sentence {
  const whom = about ?? email;
  return sentence`${filled(operation.does, params)}${whom === undefined ? '' : ` (${whom})`}`;
}
