/** Carries out the request of a command, from its locks to its result, in the order of a run. */
import type { Client } from '../api/client.ts';
import { momentOf } from '../api/known.ts';
import { operations, type PlannedRequest, type Request, type RequestStep, requestFor } from '../api/operations.ts';
import type { Context, Result } from '../command.ts';
import { whoRuns } from '../config/record-options.ts';
import { CliError, expected, isInterruption, orElse } from '../errors.ts';
import { type JsonObject, stringifyJson, withSortedKeys } from '../model/json.ts';
import { typedVariable } from '../model/shell-quote.ts';
import { fixedOffset } from '../model/time.ts';
import type { NewRun, Run } from '../record/index.ts';
import { capitalised, type Sentence, sentence } from '../text/sentence.ts';
import { ActiveRun, type RunOptions } from './active-run.ts';
import { askFirst, closedWindows, judgedByGate, untilAnswered } from './confirm.ts';
import { type Engine, FreshReads } from './engine.ts';
import { type Execution, isUnknown, isWritten, meaningOf, newExecution, rowOf } from './execution.ts';
import { examsIn, holding, lockCommand, lockScopes, recordedLocks } from './locks.ts';
import { perform } from './perform.ts';
import type { Confirmations, Consented, Ended, LockScope, RunRequest } from './request.ts';
import { ConfirmationRequired, mayAsk, requestUnknown, runKindOf, runningRefusal } from './request.ts';
import { isFulfilled, isUndoable, rulesOf } from './steps/index.ts';
import { changesExam } from './steps/moved-times.ts';
import { nameOfTarget } from './steps/rules.ts';
import { listedAs, type Plan, previousOf, requestOf, resourceOf, type Step } from './steps/step.ts';
import { isSomebodyElses } from './steps/target.ts';

export async function executePlan<P extends Plan>(context: Context, request: RunRequest<P>): Promise<Result> {
  const { dryRun, noInput } = context.globals;
  let last: P | undefined;
  const plan = async (engine: Engine) => {
    last = await request.plan(engine);
    return last;
  };
  if (request.needsYes && !dryRun && noInput) await context.confirm(() => sentence`Confirm`);
  const engine = await engineOf(context, request.operands);
  const offset = fixedOffset(engine.zone);
  if (offset !== undefined) context.warn(sentence`warning: The time zone ${engine.zone} is ${offset} in summer and in winter.`);
  if (dryRun || request.check) return dryRunOf(engine, request);
  try {
    const ended = await untilAnswered(context, (answers) => attempt(engine, { ...request, plan }, answers));
    const result = await request.result(ended, last);
    return engine.hasFinished && result.failure ? { ...result, failure: inPart(result.failure) } : result;
  } catch (error) {
    throw engine.hasFinished && error instanceof CliError ? inPart(error) : error;
  }
}

/** The error of a command that had finished an earlier run before it was refused. */
function inPart(error: CliError): CliError {
  const { code, message, status, items } = error;
  if (code === 'outcome_unknown' || isInterruption(error)) return error;
  const hint = sentence`The unfinished change of times was finished. ${error.hint}`;
  return new CliError('partly_done', message, { hint, status, items, cause: error });
}

export async function engineOf(context: Context, operands?: readonly string[]): Promise<Engine> {
  const { timeoutMilliseconds, service } = context.settings();
  const client = await context.client();
  const engine = {
    context,
    client,
    writer: await context.uninterruptedClient(),
    record: await context.record(),
    host: context.host,
    origin: service,
    command: context.recorded(operands),
    zone: context.zone(),
    settleTimeMs: Math.max(2 * timeoutMilliseconds, 10_000),
    hasFinished: false,
  };
  return { ...engine, reads: new FreshReads(engine) };
}

async function attempt(engine: Engine, request: RunRequest, answers: Confirmations): Promise<Ended> {
  const { record, context } = engine;
  const digest = digestOf(engine, request);
  // Whoever undoes a run is at its command, too.
  const undone = request.undoOf === undefined ? [] : [(await record.run(request.undoOf)).digest];
  return holding(lockCommand(engine, [digest, ...undone]), async () => {
    const before = await openRunOf(engine, digest);
    if (before && runKindOf(request.kind).rerun === 'resume') {
      context.say(sentence`Run ${before.id} of the same command is unfinished; it is resumed.`);
      const { continueRun } = await import('./open-runs.ts');
      return holding(lockScopes(engine, await recordedLocks(engine, before)), () => continueRun(engine, before, answers, { request }));
    }
    const own = await request.locks(engine);
    const places = before ? [...own, ...(await recordedLocks(engine, before))] : own;
    return holding(lockScopes(engine, places), async () => {
      const ended = before && (await endOpenRun(engine, request.kind, before, answers));
      if (ended) return ended;
      await settleOthers(engine, places, [digest, ...undone]);
      return planAndPerform(engine, { ...request, locks: () => own }, digest, answers);
    });
  });
}

/** A run of which nothing was sent is dropped without a word. */
async function openRunOf({ record }: Engine, digest: string): Promise<Run | undefined> {
  for (const run of await record.runs({ digest, states: ['open'] })) {
    const steps = await record.steps(run.id);
    if (steps.some(({ state }) => state !== 'planned')) return run;
    await record.drop(run.id);
  }
  return undefined;
}

/** Resolves to the run where nothing of the command is left to do. */
async function endOpenRun(engine: Engine, kind: string, run: Run, answers: Confirmations): Promise<Ended | undefined> {
  const { giveUpRest, finishTimes } = await import('./open-runs.ts');
  const { rerun, fromFile } = runKindOf(kind);
  const hasTimes = rerun === 'finish times';
  const ended = await (hasTimes ? finishTimes(engine, run, answers) : giveUpRest(engine, run));
  if (ended.items.some(isUndoable)) answers.earlier = [...ended.earlier, run.id];
  engine.hasFinished ||= ended.items.some((item) => item.sentByThisProcess && isWritten(item));
  if (ended.stopped && hasTimes) throw ended.stopped;
  // A change of times that failed is no step of the new plan, which begins with what the exam shows.
  const isMissed = ({ state, error, reason, step }: Execution) =>
    state === 'failed' && (error || (reason === 'changed' && changesExam(step)));
  const missed = hasTimes ? ended.items.find(isMissed) : undefined;
  if (missed) {
    const what = missed.error?.message ?? sentence`${capitalised(nameOfTarget(missed))}: ${meaningOf(missed.state, missed.reason)}.`;
    throw new CliError('partly_done', what, { hint: 'Run the same command again: it leaves that out.' });
  }
  // Typed again, the ID means whom it meant.
  const stranger = fromFile ? undefined : ended.items.find(isSomebodyElses)?.error;
  if (stranger) throw stranger;
  const isUnseen = ended.items.some((item) => isUnknown(item) && !rulesOf(item.step).isVerifiable);
  if (isUnseen) throw requestUnknown(run.id);
  if (fromFile) answers.givenUp = { run, items: ended.items.filter(({ reason }) => reason === 'given_up') };
  const isDone = !fromFile && ended.items.every(({ state, reason }) => state === 'done' && reason === undefined);
  const left = isDone ? 'all of it is done now' : 'what is left of it is planned again';
  engine.context.say(sentence`Run ${run.id} of the same command was unfinished; ${left}.`);
  return isDone ? ended : undefined;
}

/** Throws `unfinished` where another run in these places has to be finished first. */
async function settleOthers(engine: Engine, places: readonly LockScope[], own: readonly string[]): Promise<void> {
  const { record, origin } = engine;
  const exams = examsIn(places);
  const rows = exams.length === 0 ? [] : await record.find(origin, { exams, states: ['planned', 'sending', 'unknown'] });
  if (places.includes('exams'))
    for (const row of await record.find(origin, { ops: [operations.createExam.id], states: ['sending', 'unknown'] })) rows.push(row);
  for (const [id, of] of Map.groupBy(rows, ({ run }) => run)) {
    const run = await record.run(id);
    if (own.includes(run.digest) || run.state !== 'open') continue;
    await (await import('./open-runs.ts')).settleOther(engine, run, of);
  }
}

function digestOf({ record, origin }: Engine, { kind, identity }: RunRequest): string {
  return record.keys.digest(stringifyJson(withSortedKeys([origin, kind, identity])));
}

/** Plans of several kinds look themselves. */
async function checkPlan(engine: Engine, plan: Plan, consented: Consented): Promise<Plan> {
  const [first] = plan.steps;
  if (!first || plan.existing) return plan;
  try {
    return (await rulesOf(first).checkPlan?.(engine, plan, consented)) ?? plan;
  } catch (error) {
    if (!(error instanceof ConfirmationRequired) && expected(error).code !== 'already_mailed') throw error;
    // Steps that are refused because their exam runs are not asked about.
    const { running } = await judgedByGate(engine, {}, plan);
    throw running.length > 0 && engine.context.globals.duringExam === undefined ? runningRefusal(running, 'Nothing was sent.') : error;
  }
}

async function planAndPerform(engine: Engine, request: RunRequest, digest: string, answers: Confirmations): Promise<Ended> {
  const { record, host } = engine;
  const { agreed } = answers;
  const readAt = momentOf(host);
  const checkedPlan = await checkPlan(engine, await request.plan(engine), { consents: request.consents ?? {}, agreed });
  if (checkedPlan.there && checkedPlan.steps.length === 0) return { ...nothingSent, there: checkedPlan.there };
  const repeats = await refuseEarlier(engine, request, checkedPlan);
  const ready = await judgedByGate(engine, request, checkedPlan);
  const { plan, gate } = ready;
  const { givenUp } = answers;
  const lost = givenUp && (await (await import('./open-runs.ts')).leftBehind(engine, plan, givenUp));
  const left = lost && new CliError('differences', lost.what, { hint: lost.hint });
  if (left && answers.shown.size === 0 && (plan.refused || mayAsk(engine.context))) engine.context.warn(left.message);
  if (plan.refused || plan.steps.length === 0) {
    await request.tell?.(plan);
    if (plan.refused) throw plan.refused;
    return { ...nothingSent, earlier: answers.earlier, stopped: left };
  }
  const executions = plan.steps.map((step) => newExecution(step, host.now()));
  for (const reading of plan.readings?.values() ?? []) engine.reads.remember(reading, readAt, executions);
  await askFirst(engine, request, { ...ready, repeats }, answers);
  refuseWithoutRecord(engine, request, plan);
  await request.beforeRun?.();
  const targets = executions.flatMap(({ step, id }) => (id === undefined ? [] : listedAs(resourceOf(step), id)));
  const wasThere = new Set([...targets, ...(plan.existing ?? []).flatMap((records) => records.wasThere)]);
  const rows = executions.map((execution) => rowOf(execution, record));
  const { duringExam } = engine.context.globals;
  const more: RunOptions = {
    ...(duringExam !== undefined && { reason: engine.context.secrets.maskedWords(duringExam) }),
    ...(request.amount !== undefined && { amount: request.amount }),
    listed: [...wasThere],
    asks: request.needsYes || (await request.question?.(plan)) !== undefined,
    isPart: plan.isPart === true,
    earlier: answers.earlier,
  };
  const lists = (plan.existing ?? []).map(({ reading }) => reading);
  const writer = await record.startRun(newRun(engine, request, digest, more), rows);
  const ended = await perform(Object.assign(new ActiveRun(engine, writer, executions), { gate, wasThere, lists, readAt }));
  return { ...ended, stopped: ended.stopped ?? left, there: plan.there };
}

/** Throws where times were changed before: in part, or by the same amount; of the latter, a person is asked. */
async function refuseEarlier(engine: Engine, request: RunRequest, plan: Plan): Promise<Sentence | undefined> {
  if (!runKindOf(request.kind).times) return undefined;
  const { refuseHalfMoved, refuseRepeated } = await import('./times.ts');
  await refuseHalfMoved(engine, request, plan);
  return refuseRepeated(engine, request, plan.steps);
}

function newRun({ context, host, origin, command }: Engine, request: RunRequest, digest: string, more: RunOptions): NewRun {
  const { kind, undoOf = null } = request;
  const { profile } = context.settings();
  return { origin, digest, kind, command, profile, who: whoRuns(host), undoOf, more: more as unknown as JsonObject };
}

export const nothingSent: Ended = { run: undefined, rerun: 'replan', items: [], earlier: [], stopped: undefined };

function refuseWithoutRecord({ context }: Engine, { amount }: RunRequest, { steps }: Plan): void {
  if (context.settings().state !== 'none') return;
  const isIdempotent = (step: Step) => !step.typed && rulesOf(step).isIdempotent;
  if (steps.length === 1 && amount === undefined && steps.every(isIdempotent)) return;
  throw new CliError(
    'invalid_config',
    'PROCTOR_STATE=none allows one update or one deletion only: nothing would show later what was created or mailed.',
    { hint: sentence`Nothing was sent. Keep a record of runs, in a folder on a local disk: ${typedVariable('PROCTOR_STATE', 'FOLDER')}` },
  );
}

/** Takes no lock, settles and records nothing. */
async function dryRunOf(engine: Engine, request: RunRequest): Promise<Result> {
  const { context, client, record } = engine;
  const [open] = await record.runs({ digest: digestOf(engine, request), states: ['open'] });
  const flag = request.check ? '--check' : '--dry-run';
  if (open) context.say(sentence`Run ${open.id} of the same command is unfinished; without ${flag} it is looked up first.`);
  const agreed = new Set<string>();
  const checkedPlan = await checkPlan(engine, await request.plan(engine), { consents: request.consents ?? {}, agreed });
  if (checkedPlan.there && checkedPlan.steps.length === 0) return plannedRequests(client, []);
  const { plan, running } = await judgedByGate(engine, request, checkedPlan);
  if (request.check) return request.check();
  const isHeld = running.length > 0 && context.globals.duringExam === undefined;
  const earlier = await orElse(refuseEarlier(engine, request, plan), (error) => error);
  const refused = earlier instanceof CliError ? earlier : undefined;
  const failure = plan.refused ?? refused ?? (isHeld ? runningRefusal(running, 'Nothing was sent.') : undefined);
  await request.tell?.(plan);
  for (const text of await closedWindows(engine, plan)) context.warn(text);
  const words = failure || plan.steps.length === 0 ? undefined : await request.question?.(plan);
  if (words !== undefined) context.say(sentence`Without --dry-run it asks: ${words} ${context.place()}?`);
  const sent = plan.steps.filter((step) => !isFulfilled(step, previousOf(step)));
  const all = sent.map((step) => requestOf(step, client.dialect));
  const requests = { ...plannedRequests(client, all), failure };
  return request.dryRun?.(plan, requests) ?? requests;
}

/** The output of `--dry-run`: always a list. */
export function plannedRequests(client: Client, steps: readonly (RequestStep | Request)[]) {
  const rows = steps.map((step): PlannedRequest & { note?: string | undefined } =>
    'operation' in step ? { ...client.plan(requestFor(step.operation, step)), note: step.note } : client.plan(step),
  );
  const optional = (['body', 'note'] as const).filter((key) => rows.some((row) => row[key] !== undefined));
  const columns = [{ key: 'method' }, { key: 'url' }, { key: 'headers', detail: true as const }, ...optional.map((key) => ({ key }))];
  const [row] = rows;
  const sheet = row && rows.length === 1 ? { sheet: { row, columns } } : {};
  return { kind: 'list' as const, rows, columns, id: null, ...sheet };
}
