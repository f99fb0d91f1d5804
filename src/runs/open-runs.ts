/**
 * Open runs: one that this process takes up, under the lock of its command, is looked up, and left as far as it has come, resumed or ended.
 * What is left of others in the places of a run stands in its way. What is asked before steps are sent is asked alike of a new run.
 */
import { filled, operations } from '../api/operations.ts';
import type { Context } from '../command.ts';
import { CliError, isInterruption } from '../errors.ts';
import { count, firstInLine } from '../model/count.ts';
import { stringifyJson } from '../model/json.ts';
import { typedCommand } from '../model/shell-quote.ts';
import { LockHeld, type Run } from '../record/index.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { blockedBy, isLeft } from './ended.ts';
import { ExamGate, questionOf, refusalOf } from './gate.ts';
import { type Item, isUnknown, itemsOf } from './item.ts';
import { look } from './look.ts';
import { endedOf, leave, perform } from './perform.ts';
import { examsIn, holding, lockCommand, lockPlaces, placesOf } from './places.ts';
import { type Answers, Asks, againOf, type Ended, type Place, type Refused, type RunRequest } from './request.ts';
import { type Change, type More, type Running, runningOf, StopRule, settle, type World } from './running.ts';
import { creates, examOfStep, kindOf, type Plan, type Step } from './step.ts';
import { changesExam, examsHalfMoved } from './times.ts';

async function takeUp(world: World, run: Run, gate = new ExamGate(world)): Promise<Running> {
  const items = await itemsOf(world.record, run.id);
  const wasThere = new Set((run.more as More).listed);
  const stop = new StopRule(world.host);
  // Since it was planned, somebody may have added what it is yet to create.
  const readAt = { wall: 0, elapsed: 0 };
  return runningOf(world, { run: await world.record.take(run), items, gate, stop, wasThere, readAt });
}

async function lookUp(world: World, run: Run, gate?: ExamGate): Promise<Running> {
  const running = await takeUp(world, run, gate);
  await look(running, running.items);
  return running;
}

/** Throws `unfinished` where a run that has to be finished is open in one of these exams. `digest`: of the command itself. */
export async function settleOthers(world: World, places: readonly Place[], digest: string): Promise<void> {
  const { record, origin } = world;
  const exams = examsIn(places);
  const inExams = exams.length === 0 ? [] : await record.find(origin, { exams, states: ['planned', 'sending', 'unknown'] });
  const newExams = places.includes('exams')
    ? await record.find(origin, { ops: [operations.createExam.id], states: ['sending', 'unknown'] })
    : [];
  const byRun = Map.groupBy([...inExams, ...newExams], ({ run }) => run);
  for (const [id, rows] of byRun) {
    const run = await record.run(id);
    if (run.digest === digest || run.state !== 'open') continue;
    const settle = async () => {
      if (rows.some(({ state }) => state !== 'planned') && (await leave(await lookUp(world, run))) !== 'open') return;
      if (againOf(run.kind) === 'anew') return;
      throw blockedBy(id, 'unfinished', sentence`Run ${id} (${run.command}) is unfinished, with steps in exam ${rows[0]?.exam ?? ''}.`);
    };
    await holding(record.lock([run.digest], world.context.recorded()), settle).catch((error: unknown) => {
      // It is at work, and has the locks of its own places.
      if (!(error instanceof LockHeld)) throw error;
    });
  }
}

/** The open run of a command. A run of which nothing was sent is dropped without a word. */
export async function openRunOf({ record }: World, digest: string): Promise<Run | undefined> {
  for (const run of await record.runs({ digest, states: ['open'] })) {
    const steps = await record.steps(run.id);
    if (steps.some(({ state }) => state !== 'planned')) return run;
    await record.drop(run.id);
  }
  return undefined;
}

export async function recordedPlaces({ record }: World, run: Run): Promise<Place[]> {
  return placesOf((await itemsOf(record, run.id)).map(({ step }) => step));
}

/** Looks up what is unknown of a run, and gives up the rest: the same command plans it anew. What stays unknown keeps the run open. */
export async function endBefore(world: World, before: Run): Promise<Ended> {
  const running = await lookUp(world, before);
  const { why } = running.stop;
  if (why && isInterruption(why)) throw why;
  const isSentAnew = (item: Item) => isUnknown(item) && creates(item.step) === undefined && kindOf(item.step) !== 'mails';
  await giveUp(running, (item) => item.state === 'planned' || isSentAnew(item));
  await leave(running);
  return endedOf(running);
}

async function giveUp(running: Running, isMeant: (item: Item) => boolean, change?: Change): Promise<void> {
  const left = running.items.filter(isMeant);
  await Promise.all(left.map((item) => settle(running, item, change ?? { state: 'skipped', reason: 'given_up' })));
}

/** What is left of changes of times that were begun is carried out: computed anew, windows would move twice. The rest is given up. */
export async function finishTimes(world: World, run: Run, answers: Answers): Promise<Ended> {
  const running = await lookUp(world, run);
  const begun = examsHalfMoved(running.items);
  const isOfTimes = ({ step }: Item) => changesExam(step) && begun.has(examOfStep(step) ?? '');
  await giveUp(running, (item) => item.state === 'planned' && !isOfTimes(item));
  const isLeftOver = running.items.some((item) => isOfTimes(item) && (item.state === 'planned' || isLeft(item)));
  await leave(running);
  return isLeftOver ? goOn(world, run, answers, isOfTimes) : endBefore(world, run);
}

/** Goes on with a run under the lock of its command: what is left of it is the plan, looked at, judged and asked about like a new one. */
export async function goOn(world: World, run: Run, answers: Answers, isMeant = (_: Item) => true): Promise<Ended> {
  return holding(lockPlaces(world, await recordedPlaces(world, run)), async () => {
    const gate = new ExamGate(world);
    const running = await lookUp(world, run, gate);
    const toSend = () => running.items.filter((item) => item.state === 'planned' || (isLeft(item) && isMeant(item)));
    const steps = toSend().map(({ step }) => step);
    if (steps.length === 0) return perform(running);
    const { asks } = run.more as More;
    const words = sentence`Go on with run ${run.id} (${run.command}): ${firstInLine(steps, stepInWords, 5)},`;
    try {
      const { plan, running: taking } = await judged(world, {}, gate, { steps });
      await askFirst(world, { question: () => (asks ? words : undefined) }, { plan, running: taking, gate, answers });
    } catch (error) {
      // While a question is open, and after a refusal, the run is as it was.
      await leave(running);
      throw error;
    }
    for (const item of toSend()) if (isLeft(item)) await settle(running, item, { state: 'planned', seen: false, ours: false });
    return perform(running);
  });
}

/** `runs resume`: finishes a run, or tries again what was not done of one that has ended. Throws `already_running`. */
export function resumeRun(world: World, run: Run): Promise<Ended> {
  return untilAnswered(world.context, (answers) =>
    underCommand(world, run, async (now) => {
      const again = now.state === 'open' ? againOf(now.kind) : 'resume';
      if (again === 'times') return holding(lockPlaces(world, await recordedPlaces(world, now)), () => finishTimes(world, now, answers));
      return again === 'anew' ? endOf(world, now) : goOn(world, now, answers);
    }),
  );
}

/** Looks up what is unknown, under the locks of the places, and gives up the rest. */
async function endOf(world: World, run: Run): Promise<Ended> {
  return holding(lockPlaces(world, await recordedPlaces(world, run)), () => endBefore(world, run));
}

/** `runs close`: one more look, then the run is ended as it stands. What stays unknown is in the items. Throws `already_running`. */
export function closeRun(world: World, run: Run): Promise<Ended> {
  return underCommand(world, run, async (now) => {
    const ended = await endOf(world, now);
    if (ended.stopped) return ended;
    const running = await takeUp(world, await world.record.run(run.id));
    await giveUp(running, isLeft);
    await giveUp(running, isUnknown, { state: 'failed', reason: 'closed' });
    await leave(running);
    return ended;
  });
}

async function underCommand<T>(world: World, run: Run, act: (now: Run) => Promise<T>): Promise<T> {
  refuseOtherService(world, run);
  return holding(lockCommand(world, [run.digest]), async () => act(await world.record.run(run.id)));
}

export function refuseOtherService({ origin }: World, run: Run): void {
  if (run.origin !== origin)
    throw new CliError('invalid_input', sentence`Run ${run.id} was made at ${run.origin}, not at ${origin}.`, {
      hint: sentence`Nothing was sent. Use its profile: proctor-cli ${typedCommand('runs show', [run.id])} --profile ${run.profile}`,
    });
}

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
  if (answers.seen.size > 0 && told !== '')
    context.warn(sentence`${count(changes.length, 'request')} changed while the question was open.`);
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
