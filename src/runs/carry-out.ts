/**
 * From a request to a result, in the order of a run: the lock of the command, an open run of the same command, the locks of the places,
 * the steps of other runs there, the plan, the look at what is there already, the gate, the question. Then the steps are recorded and sent.
 */
import { momentOf } from '../api/client.ts';
import { operations } from '../api/operations.ts';
import { planned } from '../api/request.ts';
import type { Context, Result } from '../command.ts';
import { whoRuns } from '../config/record-options.ts';
import { CliError, orError } from '../errors.ts';
import { canAsk } from '../host/host.ts';
import { type JsonObject, stringifyJson } from '../model/json.ts';
import type { NewRun, Run } from '../record/index.ts';
import { sentence } from '../text/sentence.ts';
import { askFirst, judged, untilAnswered } from './asking.ts';
import { newItem, rowOf } from './item.ts';
import { lookFirst } from './look-first.ts';
import { perform } from './perform.ts';
import { examsIn, holding, lockCommand, lockPlaces, recordedPlaces } from './places.ts';
import { type Answers, againOf, type Ended, movesTimes, type Place, plannedAnew, type RunRequest, runningRefusal } from './request.ts';
import { type More, remember, runningOf, StopRule, type World } from './running.ts';
import { isSoAlready } from './send.ts';
import { creates, kindOf, listedAs, oldValues, type Plan, requestOf, resourceOf, type Step } from './step.ts';

export async function carryOut<P extends Plan>(context: Context, request: RunRequest<P>): Promise<Result> {
  const { dryRun, noInput } = context.globals;
  let plan: P | undefined;
  const planning = async (world: World) => {
    plan = await request.plan(world);
    return plan;
  };
  if (request.needsYes && !dryRun && !canAsk(context.host, noInput)) await context.confirm(() => sentence`Confirm`);
  const world = await worldOf(context);
  if (dryRun || request.check) return dryRunOf(world, request);
  const ended = await untilAnswered(context, (answers) => attempt(world, { ...request, plan: planning }, answers));
  return request.result(ended, plan);
}

export async function worldOf(context: Context): Promise<World> {
  const settings = context.settings();
  const [client, writer, record] = [await context.client(), await context.uninterruptedClient(), await context.record()];
  const settleTime = Math.max(2 * settings.timeoutMilliseconds, 10_000);
  // The embedded service has another port each time.
  const origin = settings.sandbox ? 'sandbox' : settings.origin;
  return { context, client, writer, record, host: context.host, origin, zone: context.zone(), settleTime, reads: new Map() };
}

async function attempt(world: World, request: RunRequest, answers: Answers): Promise<Ended> {
  const { record, context } = world;
  const digest = digestOf(world, request);
  // Whoever undoes a run is at its command, too.
  const undone = request.undoOf === undefined ? [] : [(await record.run(request.undoOf)).digest];
  return holding(lockCommand(world, [digest, ...undone], request.operands), async () => {
    const before = await openRunOf(world, digest);
    if (before && againOf(request.kind) === 'resume') {
      (await import('./times.ts')).refuseOldAmount(world, request, before);
      context.say(sentence`Run ${before.id} of the same command is unfinished; it is resumed.`);
      return (await import('./open-runs.ts')).goOn(world, before, answers);
    }
    const places = [...(await request.places(world)), ...(before ? await recordedPlaces(world, before) : [])];
    return holding(lockPlaces(world, places, request.operands), async () => {
      if (before) {
        const { endBefore, finishTimes } = await import('./open-runs.ts');
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

/** The open run of a command. A run of which nothing was sent is dropped without a word. */
async function openRunOf({ record }: World, digest: string): Promise<Run | undefined> {
  for (const run of await record.runs({ digest, states: ['open'] })) {
    const steps = await record.steps(run.id);
    if (steps.some(({ state }) => state !== 'planned')) return run;
    await record.drop(run.id);
  }
  return undefined;
}

/** Throws `unfinished` where a run that has to be finished is open in one of these places. `digest`: of the command itself. */
async function settleOthers(world: World, places: readonly Place[], digest: string): Promise<void> {
  const { record, origin } = world;
  const exams = examsIn(places);
  const inExams = exams.length === 0 ? [] : await record.find(origin, { exams, states: ['planned', 'sending', 'unknown'] });
  const newExams = places.includes('exams')
    ? await record.find(origin, { ops: [operations.createExam.id], states: ['sending', 'unknown'] })
    : [];
  for (const [id, rows] of Map.groupBy([...inExams, ...newExams], ({ run }) => run)) {
    const run = await record.run(id);
    if (run.digest === digest || run.state !== 'open') continue;
    await (await import('./open-runs.ts')).settleOther(world, run, rows);
  }
}

function digestOf({ record, origin }: World, { kind, identity }: Pick<RunRequest, 'kind' | 'identity'>): string {
  return record.keys.digest(stringifyJson([origin, kind, identity]));
}

async function begin(world: World, request: RunRequest, digest: string, answers: Answers): Promise<Ended> {
  const { record, host } = world;
  const said = { consents: request.consents ?? {}, agreed: answers.agreed };
  const readAt = momentOf(host);
  const looked = await lookFirst(world, await request.plan(world), said);
  if (looked.there) return { ...nothingSent, there: looked.there };
  await refuseEarlier(world, request, looked, answers.agreed);
  const ready = await judged(world, request, looked);
  const { plan, gate } = ready;
  if (plan.refused || plan.steps.length === 0) {
    await request.tell?.(plan);
    if (plan.refused) throw plan.refused;
    return nothingSent;
  }
  for (const reading of plan.readings?.values() ?? []) remember(world, reading, readAt, plan.steps);
  await askFirst(world, request, ready, answers);
  refuseWithoutRecord(world, request, plan);
  const targets = plan.steps.filter((step) => !creates(step)).map((step) => listedAs(resourceOf(step), step.params.id ?? ''));
  const wasThere = new Set([...targets, ...(plan.looked ?? []).flatMap((roll) => roll.wasThere)]);
  const items = plan.steps.map((step, index) => newItem(step, index, host.now()));
  const rows = items.map((item) => rowOf(item, record));
  const asks = request.needsYes || (await request.question?.(plan)) !== undefined;
  const run = await record.begin(newRun(world, request, digest, { listed: [...wasThere], asks, isPart: plan.isPart === true }), rows);
  return perform(runningOf(world, { run, items, gate, stop: new StopRule(host), wasThere, readAt }));
}

/** Throws where times were changed before: in part, or by the same amount. */
async function refuseEarlier(world: World, request: RunRequest, plan: Plan, agreed: ReadonlySet<string>): Promise<void> {
  if (plan.refused || (request.amount === undefined && !movesTimes.has(request.kind))) return;
  const { refuseHalfMoved, refuseRepeated } = await import('./times.ts');
  await refuseHalfMoved(world, request, plan);
  await refuseRepeated(world, request, plan.steps, agreed);
}

function newRun({ context, host, origin }: World, { kind, operands, undoOf, amount }: RunRequest, digest: string, kept: More): NewRun {
  const { duringExam: reason } = context.globals;
  const said = reason === undefined ? {} : { reason: context.secrets.maskedWords(reason) };
  const more: More = { ...kept, ...said, ...(amount === undefined ? {} : { amount }) };
  const [command, { profile }] = [context.recorded(operands), context.settings()];
  return { origin, digest, kind, command, profile, who: whoRuns(host), undoOf: undoOf ?? null, more: more as unknown as JsonObject };
}

export const nothingSent: Ended = { run: undefined, again: 'anew', items: [], stopped: undefined };

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
async function tellOpenRun(world: World, request: RunRequest): Promise<void> {
  const { context, record } = world;
  const [before] = await record.runs({ digest: digestOf(world, request), states: ['open'] });
  const flag = request.check ? '--check' : '--dry-run';
  if (before) context.say(sentence`Run ${before.id} of the same command is unfinished; without ${flag} it is looked up first.`);
}

/** Takes no lock, settles and records nothing. Of a dry run, the requests that would be sent, and why they would be refused. */
async function dryRunOf(world: World, request: RunRequest): Promise<Result> {
  const { context, client, zone } = world;
  await tellOpenRun(world, request);
  const looked = await lookFirst(world, await request.plan(world), { consents: request.consents ?? {}, agreed: new Set() });
  if (looked.there) return planned(client, []);
  const { plan, running: taking } = await judged(world, request, looked);
  if (request.check) return request.check();
  const running = context.globals.duringExam === undefined ? taking : [];
  const earlier = (await orError(refuseEarlier(world, request, plan, new Set()))) ?? undefined;
  const failure = plan.refused ?? earlier ?? (running.length > 0 ? runningRefusal(running, 'Nothing was sent.') : undefined);
  await request.tell?.(plan);
  const words = failure || plan.steps.length === 0 ? undefined : await request.question?.(plan);
  if (words !== undefined) context.say(sentence`Without --dry-run it asks: ${words} ${context.place()}?`);
  // None for what is shown to be so already.
  const sent = plan.steps.filter((step) => !isSoAlready(step, oldValues(step), zone));
  const requests = { ...planned(client, sent.map(requestOf)), ...(failure ? { failure } : {}) };
  return request.dryRun?.(plan, requests) ?? requests;
}
