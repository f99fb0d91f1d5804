/** From a request to a result, in the order of a run. */
import { momentOf } from '../api/client.ts';
import { operations } from '../api/operations.ts';
import { planned } from '../api/request.ts';
import type { Context, Result } from '../command.ts';
import { whoRuns } from '../config/record-options.ts';
import { CliError, orError } from '../errors.ts';
import { type JsonObject, stringifyJson } from '../model/json.ts';
import type { NewRun, Run } from '../record/index.ts';
import { sentence } from '../text/sentence.ts';
import { askFirst, judged, untilAnswered } from './confirm.ts';
import { isUnknown, newExecution, rowOf } from './execution.ts';
import { checkExisting } from './existing-records.ts';
import { examsIn, holding, lockCommand, lockScopes, recordedLocks } from './locks.ts';
import { perform } from './perform.ts';
import {
  blockedBy,
  type Confirmations,
  type Ended,
  type LockScope,
  movesTimes,
  plannedAnew,
  type RunRequest,
  rerunPolicyOf,
  runningRefusal,
} from './request.ts';
import { type RunOptions, remember, runningOf, type World } from './running.ts';
import { isSoAlready } from './send.ts';
import { creates, kindOf, oldValues, type Plan, requestOf, type Step, targetOf } from './step.ts';

export async function executePlan<P extends Plan>(context: Context, request: RunRequest<P>): Promise<Result> {
  const { dryRun, noInput } = context.globals;
  let last: P | undefined;
  const plan = async (world: World) => {
    last = await request.plan(world);
    return last;
  };
  if (request.needsYes && !dryRun && noInput) await context.confirm(() => sentence`Confirm`);
  const world = await worldOf(context, request.operands);
  if (dryRun || request.check) return dryRunOf(world, request);
  const ended = await untilAnswered(context, (answers) => attempt(world, { ...request, plan }, answers));
  return request.result(ended, last);
}

export async function worldOf(context: Context, operands?: readonly string[]): Promise<World> {
  const { timeoutMilliseconds, service } = context.settings();
  return {
    context,
    client: await context.client(),
    writer: await context.uninterruptedClient(),
    record: await context.record(),
    host: context.host,
    origin: service,
    command: context.recorded(operands),
    zone: context.zone(),
    settleTimeMs: Math.max(2 * timeoutMilliseconds, 10_000),
    reads: new Map(),
  };
}

async function attempt(world: World, request: RunRequest, answers: Confirmations): Promise<Ended> {
  const { record, context } = world;
  const digest = digestOf(world, request);
  // Whoever undoes a run is at its command, too.
  const undone = request.undoOf === undefined ? [] : [(await record.run(request.undoOf)).digest];
  return holding(lockCommand(world, [digest, ...undone]), async () => {
    const before = await openRunOf(world, digest);
    if (before && rerunPolicyOf(request.kind) === 'resume') {
      (await import('./times.ts')).refuseOldAmount(world, request, before);
      context.say(sentence`Run ${before.id} of the same command is unfinished; it is resumed.`);
      const { continueRun: goOn } = await import('./open-runs.ts');
      return holding(lockScopes(world, await recordedLocks(world, before)), () => goOn(world, before, answers));
    }
    const own = await request.locks(world);
    const places = before ? [...own, ...(await recordedLocks(world, before))] : own;
    return holding(lockScopes(world, places), async () => {
      const ended = before && (await endOpenRun(world, request.kind, before, answers));
      if (ended) return ended;
      await settleOthers(world, places, digest);
      return begin(world, { ...request, locks: () => own }, digest, answers);
    });
  });
}

/** A run of which nothing was sent is dropped without a word. */
async function openRunOf({ record }: World, digest: string): Promise<Run | undefined> {
  for (const run of await record.runs({ digest, states: ['open'] })) {
    const steps = await record.steps(run.id);
    if (steps.some(({ state }) => state !== 'planned')) return run;
    await record.drop(run.id);
  }
  return undefined;
}

/** Resolves to the run where nothing of the command is left to do. */
async function endOpenRun(world: World, kind: string, run: Run, answers: Confirmations): Promise<Ended | undefined> {
  const { abandonRun: endBefore, finishTimes } = await import('./open-runs.ts');
  const hasTimes = rerunPolicyOf(kind) === 'times';
  const ended = await (hasTimes ? finishTimes(world, run, answers) : endBefore(world, run));
  if (ended.stopped && hasTimes) throw ended.stopped;
  const isUnseen = ended.items.some((item) => isUnknown(item) && kindOf(item.step) === 'other');
  if (isUnseen) throw blockedBy(run.id, 'outcome_unknown', sentence`Run ${run.id} has sent the same request, and its outcome is unknown.`);
  const isDone = !plannedAnew.has(kind) && ended.items.every(({ state, reason }) => state === 'done' && reason === undefined);
  const left = isDone ? 'all of it is done now' : 'what is left of it is planned again';
  world.context.say(sentence`Run ${run.id} of the same command was unfinished; ${left}.`);
  return isDone ? ended : undefined;
}

/** Throws `unfinished` where another run in these places has to be finished first. */
async function settleOthers(world: World, places: readonly LockScope[], digest: string): Promise<void> {
  const { record, origin } = world;
  const exams = examsIn(places);
  const rows = exams.length === 0 ? [] : await record.find(origin, { exams, states: ['planned', 'sending', 'unknown'] });
  if (places.includes('exams'))
    rows.push(...(await record.find(origin, { ops: [operations.createExam.id], states: ['sending', 'unknown'] })));
  for (const [id, of] of Map.groupBy(rows, ({ run }) => run)) {
    const run = await record.run(id);
    if (run.digest === digest || run.state !== 'open') continue;
    await (await import('./open-runs.ts')).settleOther(world, run, of);
  }
}

function digestOf({ record, origin }: World, { kind, identity }: RunRequest): string {
  return record.keys.digest(stringifyJson([origin, kind, identity]));
}

async function begin(world: World, request: RunRequest, digest: string, answers: Confirmations): Promise<Ended> {
  const { record, host } = world;
  const { agreed } = answers;
  const readAt = momentOf(host);
  const looked = await checkExisting(world, await request.plan(world), { consents: request.consents ?? {}, agreed });
  if (looked.there) return { ...nothingSent, there: looked.there };
  await refuseEarlier(world, request, looked, agreed);
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
  const targets = plan.steps.filter((step) => !creates(step)).map(targetOf);
  const wasThere = new Set([...targets, ...(plan.looked ?? []).flatMap((roll) => roll.wasThere)]);
  const items = plan.steps.map((step, index) => newExecution(step, index, host.now()));
  const rows = items.map((item) => rowOf(item, record));
  const more: RunOptions = {
    listed: [...wasThere],
    asks: request.needsYes || (await request.question?.(plan)) !== undefined,
    isPart: plan.isPart === true,
  };
  const run = await record.begin(newRun(world, request, digest, more), rows);
  return perform(runningOf(world, { run, items, gate, wasThere, readAt }));
}

/** Throws where times were changed before: in part, or by the same amount. */
async function refuseEarlier(world: World, request: RunRequest, plan: Plan, agreed: ReadonlySet<string>): Promise<void> {
  if (plan.refused || (request.amount === undefined && !movesTimes.has(request.kind))) return;
  const { refuseHalfMoved, refuseRepeated } = await import('./times.ts');
  await refuseHalfMoved(world, request, plan);
  await refuseRepeated(world, request, plan.steps, agreed);
}

function newRun({ context, host, origin, command }: World, request: RunRequest, digest: string, more: RunOptions): NewRun {
  const { kind, undoOf = null, amount } = request;
  const { duringExam } = context.globals;
  if (duringExam !== undefined) more.reason = context.secrets.maskedWords(duringExam);
  if (amount !== undefined) more.amount = amount;
  const { profile } = context.settings();
  return { origin, digest, kind, command, profile, who: whoRuns(host), undoOf, more: more as unknown as JsonObject };
}

export const nothingSent: Ended = { run: undefined, rerun: 'anew', items: [], stopped: undefined };

function refuseWithoutRecord({ context }: World, { amount }: RunRequest, { steps }: Plan): void {
  if (context.settings().state !== 'none') return;
  const isHarmless = (step: Step) => !step.raw && ['update', 'deletion'].includes(kindOf(step));
  if (steps.length === 1 && amount === undefined && steps.every(isHarmless)) return;
  throw new CliError(
    'invalid_config',
    'With PROCTOR_STATE=none, only one update or one deletion is sent: nothing would show later what was created or mailed.',
    { hint: 'Nothing was sent. Keep a record of runs, in a folder on a local disk: unset PROCTOR_STATE; export PROCTOR_STATE_DIR=FOLDER' },
  );
}

/** Takes no lock, settles and records nothing. */
async function dryRunOf(world: World, request: RunRequest): Promise<Result> {
  const { context, client, record, zone } = world;
  const [open] = await record.runs({ digest: digestOf(world, request), states: ['open'] });
  const flag = request.check ? '--check' : '--dry-run';
  if (open) context.say(sentence`Run ${open.id} of the same command is unfinished; without ${flag} it is looked up first.`);
  const agreed = new Set<string>();
  const looked = await checkExisting(world, await request.plan(world), { consents: request.consents ?? {}, agreed });
  if (looked.there) return planned(client, []);
  const { plan, running } = await judged(world, request, looked);
  if (request.check) return request.check();
  const isHeld = running.length > 0 && context.globals.duringExam === undefined;
  const earlier = (await orError(refuseEarlier(world, request, plan, agreed))) ?? undefined;
  const failure = plan.refused ?? earlier ?? (isHeld ? runningRefusal(running, 'Nothing was sent.') : undefined);
  await request.tell?.(plan);
  const words = failure || plan.steps.length === 0 ? undefined : await request.question?.(plan);
  if (words !== undefined) context.say(sentence`Without --dry-run it asks: ${words} ${context.place()}?`);
  const sent = plan.steps.filter((step) => !isSoAlready(step, oldValues(step), zone));
  const requests = { ...planned(client, sent.map(requestOf)), failure };
  return request.dryRun?.(plan, requests) ?? requests;
}
