/** The question before steps are sent: asked under no lock, and again if a step was not shown. */
import { examOf } from '../api/client.ts';
import { filled } from '../api/operations.ts';
import { readRecord } from '../api/reading.ts';
import type { Context } from '../command.ts';
import { orElse } from '../errors.ts';
import { setsTimes, windowInForce } from '../model/fields.ts';
import { type JsonObject, textIn } from '../model/json.ts';
import { typedCommand } from '../model/shell-quote.ts';
import { phaseOf } from '../model/status.ts';
import { showTime } from '../model/time.ts';
import { count, firstLines, type Sentence, sentence } from '../text/sentence.ts';
import { type Engine, serviceNow } from './engine.ts';
import { newExecution } from './execution.ts';
import type { ExamGate } from './gate.ts';
import { ConfirmationRequired, type Confirmations, type Ended, mayAsk, type Refused, type RunRequest, runningRefusal } from './request.ts';
import { rulesOf } from './steps/index.ts';
import { bodyOf, hasTwoReadings, isCreate, isLasting, notSent, operationOf, type Plan, resourceOf, type Step } from './steps/step.ts';

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
  const closed = told === '' ? [] : await closedWindows(engine, plan);
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

/** What a plan closes that is open, or new. Throws `invalid_input` for a student's own times the wrong way round. */
export async function closedWindows({ client, host, reads, zone }: Engine, { steps, readings }: Plan): Promise<Sentence[]> {
  const now = serviceNow({ client, host });
  const ofExams = steps.filter((step) => resourceOf(step) === 'exam');
  // An update has been read for the plan, and its exam for the gate.
  const known = (resource: 'exam' | 'session', id = '') => client.known.shown(resource, id)?.data;
  const read = (exam: string) => orElse(readRecord(client, 'exam', exam, { once: true }), () => undefined);
  const judge = async (step: Step): Promise<Sentence[]> => {
    const { id, exam } = newExecution(step, 0);
    const [body, isExam, isNew] = [bodyOf(step), resourceOf(step) === 'exam', isCreate(step)];
    if (!setsTimes(body) || (id === undefined && !isNew)) return [];
    const session = isExam ? {} : (readings?.get(exam ?? '')?.withId(id)?.data ?? known('session', id) ?? {});
    const of = exam ?? examOf(session, client);
    const shown = known('exam', of) ?? (isNew && of ? await reads.once(`times of ${of}`, Infinity, () => read(of)) : undefined) ?? {};
    const isSame = (other: Step) => other === step || (other.exam !== undefined && other.exam === step.exam);
    const planned: JsonObject = Object.assign({}, shown, ...ofExams.filter(isSame).map(bodyOf));
    const own: JsonObject = isExam ? {} : { ...('method' in step && step.method === 'PUT' ? {} : session), ...body };
    const [before, { open, close }] = [windowInForce(shown, session), windowInForce(planned, own)];
    const isWaiting = (phaseOf(session.status) ?? 'waiting') === 'waiting';
    if (!isWaiting || close > Math.max(open, now) || before.close <= Math.max(before.open, now)) return [];
    const [from, by] = isExam ? ['its start', 'its end'] : ['START FROM', 'START BY'];
    const why = close <= now ? 'is over' : `is not after ${from} (${showTime(open / 1000, zone)})`;
    const name = isExam ? textIn(planned[client.dialect.examNameKey]) : step.student.email;
    const who = [isExam ? 'exam' : 'session', id, name].filter(Boolean).join(' ');
    const what = sentence`This leaves no time to start ${who}: ${by} (${showTime(close / 1000, zone)}) ${why}.`;
    if (close > open || [own.open_time, own.close_time].some((time = null) => time === null)) return [what];
    const set = typedCommand('sessions update', [id ?? 'ID'], '--open-time TIME --close-time TIME');
    throw notSent(what, sentence`Give both of its times: proctor-cli ${set}`);
  };
  return firstLines([...new Set((await client.pacer.map(steps, judge)).flat())], (text) => text);
}
