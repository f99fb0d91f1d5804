/**
 * From a request to a result: an open run of the same command is found before anything is computed; the plan is made, looked at,
 * judged by the gate, shown and asked about; after the yes it is computed again, and carried out as a run.
 */
import { planned } from '../api/request.ts';
import { stateIfThere } from '../bridge.ts';
import type { Context, Result } from '../command.ts';
import { CliError } from '../errors.ts';
import { canAsk } from '../host/host.ts';
import { count } from '../model/count.ts';
import { runOrigin } from '../model/run-origin.ts';
import { typedCommand } from '../model/shell-quote.ts';
import type { Claim, RunRecord, State } from '../state/state.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { asked, type Prepared } from './ask-plan.ts';
import { Book, type Outcome } from './book.ts';
import { drive, settleParts } from './drive.ts';
import { shown } from './dry-run.ts';
import { endedOf, nothingToDo } from './ended.ts';
import { ExamGate } from './gate/exam-gate.ts';
import { lookFirst } from './look-first.ts';
import { recordOf } from './recorded.ts';
import { doneInPart, givenAway, heldOf, resumedParts } from './resume.ts';
import { resumeWith, settleAndGiveUp } from './resume-run.ts';
import { identityOf, type RunRequest } from './run-request.ts';
import { settled, settleUnknown } from './settle.ts';
import { createsExam, createsStudent, eachStep, listedAs, type Plan, targetOf } from './step.ts';
import { isGood } from './step-states.ts';
import type { World } from './world.ts';

export async function carryOut(context: Context, request: RunRequest): Promise<Result> {
  const world: World = { ...(await worldOf(context, request.settleTime)), keep: request.keep };
  const held: { release(): void }[] = [];
  try {
    const names = context.globals.dryRun ? [] : (request.locks ?? []).toSorted();
    for (const name of names) held.push(await world.state.lock(name, context.recorded()));
    return await resumeOrBegin(world, request);
  } finally {
    for (const lock of held) lock.release();
  }
}

/** The open run that the same command would resume. */
export async function openRun(context: Context, request: Pick<RunRequest, 'kind' | 'identity'>): Promise<RunRecord | undefined> {
  const runs = await (await stateIfThere(context))?.runsOf(runOrigin(context.settings()), identityOf(request));
  return runs?.find(({ state }) => state === 'open');
}

async function resumeOrBegin(world: World, request: RunRequest): Promise<Result> {
  const { context } = world;
  const runs = await world.state.runsOf(world.origin, identityOf(request));
  const open = runs.find(({ state }) => state === 'open');
  if (context.globals.dryRun) {
    if (open && request.again !== 'anew')
      context.say(sentence`Run ${open.id} of the same command is unfinished; without --dry-run it is resumed.`);
    return begin(world, request);
  }
  if (open && request.again !== 'anew') {
    const says = sentence`Run ${open.id} of the same command is unfinished; it is resumed.`;
    const resuming = { ...request, resendAbsent: request.resendAbsent || request.sendsAbsent, says };
    if (request.again !== 'finish') return resumeWith(world, open, resuming);
    let earlier: CliError | undefined;
    let goesOn = false;
    const result = await resumeWith(world, open, {
      ...resuming,
      result(ended) {
        const of = [...ended.outcomes()].filter(({ state }) => state !== 'given_up');
        earlier = ended.failure({ did: 'done', idType: undefined, of });
        const waiting = waitingFor(of);
        goesOn = !ended.stopped && of.every(({ state, index }) => isGood(state) || waiting.has(index));
        return goesOn ? { kind: 'nothing' } : request.result(ended);
      },
    });
    if (!goesOn) return result;
    const now = await begin(world, request);
    return now.failure || !earlier ? now : { ...now, failure: earlier };
  }
  if (open) await settleAndGiveUp(world, open, request);
  const rest = request.again === 'complete' ? await restOf(world, request) : undefined;
  return rest ? resumeWith(world, rest.record, { ...request, says: rest.says }, true) : begin(world, request);
}

/** An exam that nobody has consented to create again holds up nothing but what belongs to it. */
function waitingFor(outcomes: readonly Outcome[]): ReadonlySet<number> {
  const waiting = new Set<number>();
  for (const { step, state, index } of outcomes) {
    const isExam = state === 'absent' && createsExam(step);
    if (isExam || (state === 'planned' && step.made && waiting.has(step.made.by))) waiting.add(index);
  }
  return waiting;
}

/** The run of the same command that has done only a part. On a terminal, a person chooses between the rest and all of it. */
async function restOf(world: World, request: RunRequest): Promise<{ record: RunRecord; says: Sentence } | undefined> {
  const { host, globals } = world.context;
  const partly = await doneInPart(world, identityOf(request));
  if (!partly) return undefined;
  const { record, done } = partly;
  const did = sentence`Run ${record.id} of the same command has done ${done} of ${count(record.steps, 'step')}`;
  // All of it was sent, and not all of it was proven.
  const [only, says] =
    done === record.steps
      ? ['Only check the result again?', 'only the result is checked again']
      : ['Try only the others?', 'only the others are tried again'];
  const asks = !globals.yes && canAsk(host, globals.noInput);
  if (asks && !(await host.prompts.confirm(sentence`${did}. ${only}`))) return undefined;
  return { record, says: sentence`${did}; ${says}.` };
}

/** `state`: the one to use in place of the context's. */
export async function worldOf(context: Context, settleTime?: number, state?: State): Promise<World> {
  const settings = context.settings();
  const [client, writer] = await Promise.all([context.client(), context.uninterruptedClient()]);
  const world: World = {
    context,
    client,
    writer,
    host: context.host,
    state: state ?? (await context.state()),
    settings,
    origin: runOrigin(settings),
    zone: context.zone(),
    settleTime: settleTime ?? 2 * settings.timeoutMilliseconds,
    settleOther: (claim, options) => settleOther(world, claim, options),
  };
  return world;
}

async function begin(world: World, request: RunRequest): Promise<Result> {
  const { context } = world;
  const gate = new ExamGate(world);
  const [latest] = await world.state.runsOf(world.origin, identityOf(request));
  const looked = await lookFirst(world, await request.plan(world), request.consents ?? {});
  if (looked.is !== 'free') {
    const result = await request.result(nothingToDo(looked));
    return context.globals.dryRun ? planned(world.client, []) : result;
  }
  let prepared: Prepared = looked;
  if (looked.plan.steps.length === 0 && !(context.globals.dryRun && request.show)) {
    await request.tell?.(looked.plan);
    return request.result(nothingToDo(undefined));
  }
  const refused = prepared.plan.refused ?? (await strangerIn(world, request, prepared.plan)) ?? (await gate.judgePlan(prepared.plan));
  if (context.globals.dryRun || prepared.plan.refused || !refused) await request.tell?.(prepared.plan);
  if (context.globals.dryRun) return shown(world, request, prepared.plan, refused);
  if (refused) throw refused;
  prepared = await asked(world, request, gate, prepared);
  await refuseBegunMeanwhile(world, request, latest);
  return send(world, request, gate, prepared);
}

/** Two at once would both do it: the other one was not there yet when this one looked for its open run. */
async function refuseBegunMeanwhile({ state, origin }: World, request: RunRequest, before: RunRecord | undefined): Promise<void> {
  const [last] = await state.runsOf(origin, identityOf(request));
  if (!last || last.id === before?.id) return;
  throw new CliError('changed_meanwhile', sentence`The same command has begun meanwhile, as run ${last.id}.`, {
    hint: sentence`Nothing was sent from here. Look at it: proctor-cli ${typedCommand('runs show', [last.id])}`,
  });
}

/** Off a terminal, nobody sees whose session it is by now. */
async function strangerIn(world: World, request: RunRequest, { steps }: Plan): Promise<CliError | undefined> {
  const { globals, host } = world.context;
  const given = await givenAway(world, identityOf(request), { named: request.identity, steps });
  if (!given) return undefined;
  const { id, run, now } = given;
  const what = sentence`Session ${id} was another student's when run ${run} of the same command was made; it now belongs to ${now}.`;
  if (canAsk(host, globals.noInput) && !globals.yes && !globals.dryRun) {
    world.context.warn(what);
    return undefined;
  }
  return new CliError('changed_meanwhile', what, {
    hint: sentence`Nothing was sent. Check it with: proctor-cli ${typedCommand('sessions get', [id])}`,
  });
}

async function send(world: World, request: RunRequest, gate: ExamGate, { plan, listed, stale }: Prepared): Promise<Result> {
  const { state } = world;
  const { withBody = true } = request;
  refuseWithoutState(world, plan);
  const targets = new Set<string>();
  const run = await state.begin(
    {
      ...heldOf(world, request.kind, world.context.recorded()),
      identity: identityOf(request),
      undoOf: request.undoOf,
      began: request.began,
    },
    records(plan, { state, withBody, targets }),
    withListed(plan, listed, targets),
  );
  for (const claim of stale) run.endClaim(claim, 0);
  const driven = await drive({
    world,
    run,
    book: new Book(plan.steps),
    gate,
    readings: plan.readings,
    listed: new Set([...listed, ...targets]),
    resendAbsent: request.resendAbsent ?? false,
    shownKeys: new Map(),
    wholeProof: request.wholeProof ?? false,
  });
  return request.result(endedOf(run.run.id, driven, request));
}

/** Without a record, a create could be repeated without anybody knowing. */
function refuseWithoutState({ state }: World, { steps }: Plan): void {
  const step = steps.at(0);
  if (state.place !== 'none' || !step) return;
  if (!createsStudent(step) && !createsExam(step)) return;
  throw new CliError(
    'invalid_config',
    'With PROCTOR_STATE=none, only one update or one deletion is sent: without a record, it would be unknown later what was created or mailed.',
    {
      hint: 'Nothing was sent. Keep a record of runs, in a folder on a local disk: unset PROCTOR_STATE; export PROCTOR_STATE_DIR=FOLDER',
    },
  );
}

/** `targets`: gets what the plan changes or deletes and no reading has: it was there before, so no create can have made it. */
function* records(
  { steps, readings }: Plan,
  { state, withBody, targets }: { state: World['state']; withBody: boolean; targets: Set<string> },
) {
  for (const [index, step] of eachStep(steps)) {
    const target = step.made ? undefined : targetOf(step, step.params);
    const isRead = target?.resource === 'session' && readings?.get(step.exam ?? '')?.withId(target.id) !== undefined;
    if (target && !isRead) targets.add(listedAs(target.resource, target.id));
    yield recordOf(index, step, state, { withBody });
  }
}

function* withListed({ readings }: Plan, listed: readonly string[], targets: ReadonlySet<string>): Generator<string> {
  yield* listed;
  yield* targets;
  for (const reading of readings?.values() ?? []) for (const { id } of reading.sessions) if (id !== undefined) yield id;
}

/** How often a claim that is waited for is looked at. Milliseconds. */
const lookEvery = 1000;

/**
 * While another run's claim on a student is young, its request may be in flight; an old one is of a process that has ended, and is settled.
 * `waits`: until it has come to its end, or is old. `resendAbsent`: what its run has sent without effect is given up there.
 */
async function settleOther(world: World, claim: Claim, { waits, resendAbsent }: { waits: boolean; resendAbsent: boolean }): Promise<void> {
  const { state, settings, host } = world;
  for (;;) {
    const claims = await state.claims(claim.origin, claim.scope);
    const now = claims.find(({ key, number, run }) => key === claim.key && number === claim.number && run === claim.run);
    if (!now || now.done) return;
    const left = settings.timeoutMilliseconds + world.settleTime - (host.now() - now.at);
    if (left <= 0) break;
    if (!waits) return;
    await host.sleep(Math.min(left, lookEvery));
  }
  const record = await state.run(claim.run);
  if (!record) return;
  try {
    const parts = await resumedParts(world, record, new ExamGate(world), {});
    const settle = settleParts(parts);
    await settleUnknown(settle);
    const { book, run } = parts;
    for (const { key, number, scope, n } of await state.claims(claim.origin, claim.scope)) {
      if (book.steps.length < n || scope !== claim.scope) continue;
      // It never left: nothing of it can arrive any more.
      if (book.state(n - 1) === 'planned') run.endClaim({ key, scope }, n);
      else if (book.state(n - 1) === 'absent' && resendAbsent && key === claim.key && number === claim.number)
        settled(settle, n - 1, 'given_up');
    }
    await run.flush();
    await run.close(book.isOpen ? 'open' : 'finished');
  } catch (error) {
    // It is at work after all.
    if (!(error instanceof CliError) || error.code !== 'already_running') throw error;
  }
}
