/** The question before steps are sent: asked under no lock, and again if a step was not shown. */
import { filled } from '../api/operations.ts';
import type { Context } from '../command.ts';
import { count, type Sentence, sentence } from '../text/sentence.ts';
import type { Engine } from './engine.ts';
import { newExecution } from './execution.ts';
import type { ExamGate } from './gate.ts';
import { ConfirmationRequired, type Confirmations, type Ended, mayAsk, type Refused, type RunRequest, runningRefusal } from './request.ts';
import { shutOut } from './shut-out.ts';
import { rulesOf } from './steps/index.ts';
import { hasTwoReadings, isLasting, operationOf, type Plan, type Step } from './steps/step.ts';

type Judged = { plan: Plan; running: readonly Refused[]; gate: ExamGate | undefined };
/** `repeats`: that a run has done the same. It begins the question. */
type Asked = Judged & { repeats: Sentence | undefined };

/** Asks with no lock held. Throws `needs_confirmation`; `interrupted` for a no. */
export async function untilAnswered(context: Context, act: (answers: Confirmations) => Promise<Ended>): Promise<Ended> {
  const answers: Confirmations = { agreed: new Set(), shown: new Set(), told: '', givenUp: undefined, earlier: [] };
  for (;;) {
    try {
      return await act(answers);
    } catch (error) {
      if (!(error instanceof ConfirmationRequired)) throw error;
      const { key, words, typed, steps = [] } = error.question;
      await context.confirm(() => words, typed);
      answers.agreed.add(key);
      for (const step of steps) answers.shown.add(keyOf(step));
    }
  }
}

/** `running`: the exams that would lose something, unless that is held back. */
export async function judgedByGate(engine: Engine, { holdBack }: Pick<RunRequest, 'holdBack'>, plan: Plan): Promise<Judged> {
  const isHarmless = plan.steps.every((step) => !hasTwoReadings(step) && !rulesOf(step).mayTake(step));
  const gate = isHarmless ? undefined : new (await import('./gate.ts')).ExamGate(engine);
  const running = gate && !plan.refused ? await gate.judgePlan(plan) : [];
  const isHeldBack = holdBack && running.length > 0 && engine.context.globals.duringExam === undefined;
  return isHeldBack ? { plan: holdBack(plan, running), running: [], gate } : { plan, running, gate };
}

/** Throws `exam_running`, or asks. */
export async function askFirst(
  engine: Engine,
  { tell, question, typed, undoOf }: Pick<RunRequest, 'tell' | 'question' | 'typed' | 'undoOf'>,
  { plan, running, gate, repeats }: Asked,
  answers: Confirmations,
): Promise<void> {
  const { context } = engine;
  const { agreed, shown } = answers;
  const { duringExam, yes } = context.globals;
  if (running.length > 0 && duringExam === undefined) throw runningRefusal(running, 'Nothing was sent.');
  const changes = plan.steps.filter((step) => !shown.has(keyOf(step)));
  const told = changes.map(keyOf).join();
  const closed = told === '' ? [] : await shutOut(engine, plan);
  if (told !== '' && told !== answers.told) {
    await tell?.(plan);
    for (const text of closed) context.warn(text);
  }
  answers.told = told;
  if (shown.size > 0 && told !== '') context.warn(sentence`${count(changes.length, 'request')} changed while the question was open.`);
  const asked = yes || changes.length === 0 ? undefined : await question?.(plan);
  const isNews = changes.length > 0 && (closed.length > 0 || repeats !== undefined);
  const words = asked ?? (isNews && mayAsk(context) ? sentence`Send it` : undefined);
  const word = typed?.(plan);
  const permitted = running.filter(({ exam }) => yes || agreed.has(`gate ${exam}`));
  for (const { exam } of permitted) gate?.permit(exam);
  const [first, ...others] = running.filter((each) => !permitted.includes(each));
  const isAll = others.length === 0 && (word === undefined || word === first?.exam);
  const steps = isAll || !first ? plan.steps : [];
  const lasting = plan.steps.every(isLasting) ? ', which cannot be undone,' : ' (deletions cannot be undone)';
  const forGood = undoOf === undefined && plan.steps.some(isLasting) ? lasting : '';
  const once = sentence`${(isAll || !first ? words : undefined) ?? 'Send it'}${forGood} ${context.place()}?`;
  const asks = repeats === undefined ? once : sentence`${repeats} ${once}`;
  if (first)
    throw new ConfirmationRequired({ key: `gate ${first.exam}`, words: sentence`${first.says} ${asks}`, typed: first.exam, steps });
  if (words !== undefined) throw new ConfirmationRequired({ key: 'plan', words: asks, typed: word, steps });
}

/** Two steps with the same key are the same to a person who is asked, whatever their numbers. A label is what was shown of a step. */
function keyOf(step: Step): string {
  const requires = step.label === undefined ? step.requires : {};
  const withoutNumbers = { ...step, requires, number: 0, dependsOn: [], previous: {}, students: [], survivor: undefined };
  return JSON.stringify(withoutNumbers, (key, value) => (key === 'createdBy' ? 0 : typeof value === 'bigint' ? String(value) : value));
}

export function stepInWords(step: Step): Sentence {
  const whom = step.label ?? step.student.email;
  const { id, exam } = newExecution(step, 0);
  const does = filled(operationOf(step).does, { id: id ?? exam ?? '', exam_id: exam ?? '' });
  return sentence`${does}${whom === undefined ? '' : ` (${whom})`}`;
}
