/**
 * From a request to a result, in the order of a run: the lock of the command, an open run of the same command, the locks of the places,
 * the steps of other runs there, the plan, the look at what is there already, the gate, the question. While a question is open no lock is
 * held: after the yes all of it begins again, with what was answered. Then the steps are recorded, sent, and looked at.
 */
import { momentOf } from '../api/known.ts';
import { filled } from '../api/operations.ts';
import { atOnce } from '../api/pacer.ts';
import { planned } from '../api/request.ts';
import type { Context, Result } from '../command.ts';
import { CliError, isInterruption } from '../errors.ts';
import { canAsk } from '../host/host.ts';
import { firstInLine, firstLines } from '../model/first-of.ts';
import { type JsonObject, stringifyJson } from '../model/json.ts';
import { runOrigin } from '../model/run-origin.ts';
import { typedCommand } from '../model/shell-quote.ts';
import { whoRuns } from '../model/who-runs.ts';
import type { NewRun, Run } from '../record/index.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { lookFirst } from './creates.ts';
import { ExamGate, questionOf, refusalOf } from './gate.ts';
import { isLeft } from './history.ts';
import { lastLook } from './last-look.ts';
import { look } from './look.ts';
import { leave, lookUp, settleOthers, takeUp } from './open-runs.ts';
import { holding, lockCommand, lockPlaces, placesOf } from './places.ts';
import { Asks, againOf, type Ended, type Place, plannedAnew, type Refused, type RunRequest } from './request.ts';
import { itemsOf, newItem, rowOf } from './rows.ts';
import { type Change, type More, orReadError, type Running, remember, runningOf, settle, type World } from './running.ts';
import { isSoAlready, sendStep } from './send.ts';
import { isOpen, isUnknown } from './states.ts';
import {
  awaited,
  creates,
  examOfStep,
  type Item,
  isUnsettled,
  kindOf,
  listedAs,
  oldValues,
  type Plan,
  requestOf,
  resourceOf,
  type Step,
  targeted,
} from './step.ts';
import { StopRule } from './stop-rule.ts';
import { changesExam, examsHalfMoved, refuseHalfMoved, refuseOldAmount, refuseRepeated } from './times.ts';

/** What a person has said yes to, the steps that they have seen, and the plan that was told last. */
type Answers = { agreed: Set<string>; seen: Set<string>; told?: string };

export async function carryOut(context: Context, request: RunRequest): Promise<Result> {
  const { dryRun, noInput } = context.globals;
  if (request.needsYes && !dryRun && !canAsk(context.host, noInput)) await context.confirm(() => sentence`Confirm`);
  const world = await worldOf(context);
  if (dryRun) return dryRunOf(world, request);
  const ended = await untilAnswered(context, (answers) => attempt(world, request, answers));
  return request.result(ended);
}

export async function worldOf(context: Context): Promise<World> {
  const settings = context.settings();
  const [client, writer, record] = [await context.client(), await context.uninterruptedClient(), await context.record()];
  const settleTime = Math.max(2 * settings.timeoutMilliseconds, 10_000);
  const origin = runOrigin(settings);
  return { context, client, writer, record, host: context.host, origin, zone: context.zone(), settleTime };
}

/** Asks what has to be asked, with no lock held, and begins again after each yes. Throws `needs_confirmation`, and `interrupted` for a no. */
async function untilAnswered(context: Context, act: (answers: Answers) => Promise<Ended>): Promise<Ended> {
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

async function attempt(world: World, request: RunRequest, answers: Answers): Promise<Ended> {
  const { record, context } = world;
  const digest = digestOf(world, request);
  // Whoever undoes a run is at its command, too.
  const undone = request.undoOf === undefined ? [] : [(await record.run(request.undoOf)).digest];
  return holding(lockCommand(world, [digest, ...undone], request.operands), async () => {
    const before = await openRunOf(world, digest);
    if (before && againOf(request.kind) === 'resume') {
      refuseOldAmount(world, request, before);
      context.say(sentence`Run ${before.id} of the same command is unfinished; it is resumed.`);
      return goOn(world, before, answers);
    }
    const places = [...(await request.places(world)), ...(before ? await recordedPlaces(world, before) : [])];
    return holding(lockPlaces(world, places, request.operands), async () => {
      if (before) {
        const ended = await (againOf(request.kind) === 'times' ? finishTimes(world, before, answers) : endBefore(world, before));
        if (ended.stopped && againOf(request.kind) === 'times') throw ended.stopped;
        const isDone = !plannedAnew.has(request.kind) && ended.items.every(({ state, reason }) => state === 'done' && reason === undefined);
        const left = isDone ? 'all of it is done now' : 'what is left of it is planned again';
        context.say(sentence`Run ${before.id} of the same command was unfinished; ${left}.`);
        if (isDone) return ended;
      }
      await settleOthers(world, places, digest);
      return begin(world, request, digest, answers);
    });
  });
}

async function recordedPlaces({ record }: World, run: Run): Promise<Place[]> {
  return placesOf((await itemsOf(record, run.id)).map(({ step }) => step));
}

function digestOf({ record, origin }: World, { kind, identity }: Pick<RunRequest, 'kind' | 'identity'>): string {
  return record.keys.digest(stringifyJson([origin, kind, identity]));
}

/** The open run of a command. A run of which nothing was sent is dropped without a word. */
async function openRunOf({ record }: World, digest: string): Promise<Run | undefined> {
  for (const run of await record.runs({ digest, states: ['open'] })) {
    const steps = await record.steps(run.id);
    if (steps.some(({ state }) => state !== 'planned')) return run;
    await record.drop(run.id);
  }
  return undefined;
}

async function begin(world: World, request: RunRequest, digest: string, answers: Answers): Promise<Ended> {
  const { record, host } = world;
  const gate = new ExamGate(world);
  const said = { consents: request.consents ?? {}, agreed: answers.agreed };
  const readAt = momentOf(host);
  const looked = await lookFirst(world, await request.plan(world), said);
  if (looked.is !== 'free') return { ...nothingSent, there: looked };
  await refuseHalfMoved(world, request, looked.plan);
  const { plan, running } = await judged(world, request, gate, looked.plan);
  if (plan.refused || plan.steps.length === 0) {
    await request.tell?.(plan);
    if (plan.refused) throw plan.refused;
    return nothingSent;
  }
  for (const reading of plan.readings?.values() ?? []) remember(world.client, reading, readAt, plan.steps);
  await refuseRepeated(world, request, plan.steps, answers.agreed);
  await askFirst(world, request, { plan, running, gate, answers });
  refuseWithoutRecord(world, request, plan);
  const wasThere = new Set(looked.wasThere);
  for (const step of plan.steps)
    if (!creates(step) && step.params.id !== undefined) wasThere.add(listedAs(resourceOf(step), step.params.id));
  const items = plan.steps.map((step, index) => newItem(step, index, host.now()));
  const rows = items.map((item) => rowOf(item, record));
  const asks = request.needsYes || (await request.question?.(plan)) !== undefined;
  const run = await record.begin(newRun(world, request, digest, { listed: [...wasThere], asks }), rows);
  return perform(runningOf(world, { run, items, gate, stop: new StopRule(host), wasThere, readAt }));
}

function newRun({ context, host, origin }: World, { kind, operands, undoOf, amount }: RunRequest, digest: string, kept: More): NewRun {
  const { duringExam: reason } = context.globals;
  const said = reason === undefined ? {} : { reason: context.secrets.maskedWords(reason) };
  const more: More = { ...kept, ...said, ...(amount === undefined ? {} : { amount }) };
  const [command, { profile }] = [context.recorded(operands), context.settings()];
  return { origin, digest, kind, command, profile, who: whoRuns(host), undoOf: undoOf ?? null, more: more as unknown as JsonObject };
}

const nothingSent: Ended = { run: undefined, again: 'anew', items: [], stopped: undefined };

function endedOf({ run: { run }, items, stop }: Running): Ended {
  return { run: run.id, again: againOf(run.kind), items, stopped: stop.why };
}

/** The plan, and the running exams from which it would take something: of a timetable, the plan without these lines. */
async function judged({ context }: World, { holdBack }: Pick<RunRequest, 'holdBack'>, gate: ExamGate, plan: Plan) {
  const running = plan.refused ? [] : await gate.judgePlan(plan);
  const isLeftOut = holdBack !== undefined && running.length > 0 && context.globals.duringExam === undefined;
  return isLeftOut ? { plan: holdBack(plan, running), running: [] } : { plan, running };
}

/** Asks what has to be asked before these steps are sent; throws `exam_running`. */
async function askFirst(
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

/** Sends what is planned, as much at a time as the pacer allows, and looks at what was sent, until nothing is left that may be sent. */
async function perform(given: Running): Promise<Ended> {
  const { client, context, host, items, stop } = given;
  const total = items.filter(({ state }) => state === 'planned').length;
  const progress = total > 1 ? context.progress(total) : undefined;
  const ticked = new Set<Item>();
  const running: Running = {
    ...given,
    tick(item) {
      if (isOpen(item) || ticked.has(item)) return;
      ticked.add(item);
      progress?.tick(item.state === 'done');
    },
  };
  const tried = new Set<Item>();
  const tellWait = () => {
    const isSending = items.some(({ state }) => state === 'sending');
    if (isSending) context.say('The requests under way are awaited, 5 s at most. Another Ctrl-C ends this at once.');
  };
  host.interrupted.addEventListener('abort', tellWait, { once: true });
  try {
    for (;;) {
      await look(running, items);
      const unsettled = new Set(items.filter(isUnsettled).map(({ index }) => index));
      const isLastTurn = !items.some(({ index, step }) => !step.last && unsettled.has(index));
      const isReady = ({ state, step }: Item) =>
        state === 'planned' && (step.last ? isLastTurn : !awaited(step).some((by) => unsettled.has(by)));
      const ready = items.filter((item) => isReady(item) && !tried.has(item));
      if (ready.length === 0 || stop.why) break;
      await target(running);
      const send = async (item: Item) => {
        tried.add(item);
        await sendStep(running, item);
      };
      await client.pacer.each(spread(ready), send, atOnce(total));
      if (stop.endsLooking) break;
    }
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    stop.stop(error);
  } finally {
    host.interrupted.removeEventListener('abort', tellWait);
    progress?.end();
  }
  const missed = stop.why ? undefined : await lastLook(given);
  if (missed) stop.stop(missed);
  await leave(given).catch((error: unknown) => {
    if (!(error instanceof CliError)) throw error;
    stop.stop(error);
  });
  for (const taken of await Promise.all(given.places.values())) if (!(taken instanceof CliError)) await taken.release();
  return endedOf(given);
}

/** What a step creates in a new exam is recorded as of that exam before anything is sent to it: who is owed an open time is found by it. */
async function target({ items, run, record }: Running): Promise<void> {
  const placed = items.filter((item) => {
    if (item.state !== 'planned') return false;
    const { exam } = item.step;
    item.step = targeted(item.step, items);
    return item.step.exam !== exam;
  });
  if (placed.length > 0) await run.save(placed.map((item) => rowOf(item, record)));
}

/** In turn from each exam, so that none waits for the reading of one. */
function spread(items: readonly Item[]): Item[] {
  const byExam = [...Map.groupBy(items, ({ step }) => examOfStep(step)).values()];
  const ranks = new Map(byExam.flatMap((of) => of.map((item, rank) => [item, rank] as const)));
  return items.toSorted((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0));
}

/** Looks up what is unknown of a run, and gives up the rest: the same command plans it anew. What stays unknown keeps the run open. */
async function endBefore(world: World, before: Run): Promise<Ended> {
  const running = await lookUp(world, before);
  const { items, stop } = running;
  if (stop.why && isInterruption(stop.why)) throw stop.why;
  const isSentAnew = (item: Item) => isUnknown(item) && creates(item.step) === undefined && kindOf(item.step) !== 'mails';
  await giveUp(
    running,
    items.filter((item) => item.state === 'planned' || isSentAnew(item)),
  );
  await leave(running);
  return endedOf(running);
}

/** All of them are recorded with one commit. */
async function giveUp(running: Running, items: readonly Item[], change: Change = { state: 'skipped', reason: 'given_up' }): Promise<void> {
  await Promise.all(items.map((item) => settle(running, item, change)));
}

/** What is left of changes of times that were begun is carried out: computed anew, windows would move twice. The rest is given up. */
async function finishTimes(world: World, run: Run, answers: Answers): Promise<Ended> {
  const running = await lookUp(world, run);
  const begun = examsHalfMoved(running.items);
  const isOfTimes = ({ step }: Item) => changesExam(step) && begun.has(examOfStep(step) ?? '');
  await giveUp(
    running,
    running.items.filter((item) => item.state === 'planned' && !isOfTimes(item)),
  );
  const isLeftOver = running.items.some((item) => isOfTimes(item) && (item.state === 'planned' || isLeft(item)));
  await leave(running);
  return isLeftOver ? goOn(world, run, answers, isOfTimes) : endBefore(world, run);
}

/** Goes on with a run under the lock of its command: what is left of it is the plan, looked at, judged and asked about like a new one. */
async function goOn(world: World, run: Run, answers: Answers, isMeant = (_: Item) => true): Promise<Ended> {
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
    await giveUp(running, running.items.filter(isLeft));
    await giveUp(running, running.items.filter(isUnknown), { state: 'failed', reason: 'closed' });
    await leave(running);
    return ended;
  });
}

/** One more look at what is unknown of a run, which goes on where it was. Throws `already_running`. */
export function lookAgain(world: World, run: Run): Promise<unknown> {
  return underCommand(world, run, async (now) => leave(await lookUp(world, now)));
}

/** Acts on a run as it is now, while no other process is at its command. */
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

function refuseWithoutRecord({ context }: World, { amount }: RunRequest, { steps }: Plan): void {
  if (context.settings().state !== 'none') return;
  const isHarmless = (step: Step) => ['update', 'deletion'].includes(kindOf(step)) && !step.raw && amount === undefined;
  if (steps.length === 1 && steps.every(isHarmless)) return;
  throw new CliError(
    'invalid_config',
    'With PROCTOR_STATE=none, only one update or one deletion is sent: without a record, it would be unknown later what was created or mailed.',
    { hint: 'Nothing was sent. Keep a record of runs, in a folder on a local disk: unset PROCTOR_STATE; export PROCTOR_STATE_DIR=FOLDER' },
  );
}

/** Names an open run of the same command: `--dry-run` and `--check` leave it as it is. */
export async function tellOpenRun(world: World, request: Pick<RunRequest, 'kind' | 'identity'>): Promise<void> {
  const { context, record } = world;
  const [before] = await record.runs({ digest: digestOf(world, request), states: ['open'] });
  const flag = context.globals.dryRun ? '--dry-run' : '--check';
  if (before) context.say(sentence`Run ${before.id} of the same command is unfinished; without ${flag} it is looked up first.`);
}

/** `--dry-run`: takes no lock, settles and records nothing; the requests that would be sent, and why they would be refused. */
async function dryRunOf(world: World, request: RunRequest): Promise<Result> {
  const { context, client, zone } = world;
  await tellOpenRun(world, request);
  const looked = await lookFirst(world, await request.plan(world), { consents: request.consents ?? {}, agreed: new Set() });
  if (looked.is !== 'free') return planned(client, []);
  const { plan, running: taking } = await judged(world, request, new ExamGate(world), looked.plan);
  const running = context.globals.duringExam === undefined ? taking : [];
  const repeated = (await orReadError(refuseRepeated(world, request, plan.steps, new Set()))) ?? undefined;
  const failure = plan.refused ?? repeated ?? (running.length > 0 ? refusalOf(running, 'Nothing was sent.') : undefined);
  await request.tell?.(plan);
  const words = failure || plan.steps.length === 0 ? undefined : await request.question?.(plan);
  if (words !== undefined) context.say(sentence`Without --dry-run it asks: ${words} ${context.place()}?`);
  // None for what is shown to be so already.
  const sent = plan.steps.filter((step) => !isSoAlready(step, oldValues(step), zone));
  const requests = { ...planned(client, sent.map(requestOf)), ...(failure ? { failure } : {}) };
  return request.dryRun?.(plan, requests) ?? requests;
}

/** Steps that are alike are one for whoever has seen the plan. */
function keyOf({ operation, before: _, restore: __, ...step }: Step): string {
  return stringifyJson([operation.id, step]);
}

function stepInWords({ operation, params, email, about }: Step): Sentence {
  const whom = about ?? email;
  return sentence`${filled(operation.does, params)}${whom === undefined ? '' : ` (${whom})`}`;
}

function changeInWords(step: Step): Sentence {
  const { body } = step;
  const values = body && Object.keys(body).length > 0 ? `, and now sends ${stringifyJson(body)}` : '';
  return sentence`The request to ${stepInWords(step)} has changed${values}.`;
}
