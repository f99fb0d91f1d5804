/**
 * From a request to a result: an open run of the same command is found before anything is computed; the plan is made, looked at,
 * judged by the gate, shown and asked about; after the yes it is computed again, and carried out as a run.
 */
import { operations } from '../api/operations.ts';
import { planned } from '../api/planned.ts';
import type { Context, Result } from '../command.ts';
import { CliError, type ErrorCode, isInterruption } from '../errors.ts';
import { canAsk } from '../host/host.ts';
import { count } from '../model/count.ts';
import { firstLines } from '../model/first-of.ts';
import { stringifyJson } from '../model/json.ts';
import { typedCommand } from '../model/shell-quote.ts';
import { runOrigin } from '../state/run-origin.ts';
import type { RunRecord, State } from '../state/state.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { Book, type Outcome } from './book.ts';
import { type Driven, drive, giveUp } from './drive.ts';
import { ExamGate } from './gate/exam-gate.ts';
import { leftOf } from './left.ts';
import { type Consents, type Looked, lookFirst } from './look-first.ts';
import type { Reading } from './reading.ts';
import { recordOf } from './recorded.ts';
import { isSoAlready } from './relies.ts';
import { doneInPart, givenAway, heldOf, planRest, type Recorded, type Resumption, refuseElsewhere, resumedParts } from './resume.ts';
import { type FailureWords, runFailure } from './run-failure.ts';
import { settleOther } from './settle-other.ts';
import { createsExam, createsStudent, eachStep, listedAs, type Plan, type Step, targetOf, withFirst } from './step.ts';
import type { StepState } from './step-states.ts';
import type { World } from './world.ts';

export type RunRequest = {
  /** The command, such as `exams shift`. */
  kind: string;
  /** What is recorded in place of the values of its arguments; by default those that are IDs. */
  operands?: readonly string[];
  /** Subject and options, by which the same command is found again. */
  identity: readonly string[];
  /**
   * What an open run of the same command means: `resume`: it is finished, before anything is computed, so that a relative change or
   * a create is not made twice; `complete`: the same, and of a finished run that did only a part, the rest is tried again, so that no
   * part is done twice; `anew`: what is unknown of it is settled, and the plan is made anew, because its values are absolute.
   */
  again: 'resume' | 'complete' | 'anew';
  /** The run that this one undoes. */
  undoOf?: string | undefined;
  /** What only one process at a time may do, such as `import 6`; a dry run takes no lock. */
  lock?: string | undefined;
  /** The fields to keep of each session of a reading; all where it is absent. */
  keep?: ReadonlySet<string> | undefined;
  /** The exams of the run are read as a whole at the end, however few its steps. */
  wholeProof?: boolean;
  /** The moment from which relative times count. Milliseconds since 1970. */
  began?: number | undefined;
  plan(world: World): Promise<Plan>;
  /** Shows the plan to a person; called again after a second computation only where it differs. */
  tell?(plan: Plan): void | Promise<void>;
  /** The question: what will happen, and how many it touches; undefined where there is nothing to ask about this plan. */
  question?: ((plan: Plan) => Promise<Sentence | undefined> | Sentence | undefined) | undefined;
  /** Nothing is done without a yes: where nobody can be asked, it is refused before anything is read. */
  needsYes?: boolean | undefined;
  /** The text to type in place of "yes". */
  typed?: ((plan: Plan) => string | undefined) | undefined;
  consents?: Consents;
  resendAbsent?: boolean | undefined;
  /** How long after an unclear request a late one may still arrive; twice the deadline where it is absent. Milliseconds. */
  settleTime?: number | undefined;
  /** What `--dry-run` prints; by default the requests. */
  show?(plan: Plan): Result | Promise<Result>;
  /** False where the input of the command has what its creates send: they are recorded without it. */
  withBody?: boolean;
  /** The steps of a run that is resumed, where they are recorded without what they send, and further ones. */
  stepsOf?(recorded: Recorded, world: World): Promise<Resumption>;
  result(ended: Ended): Result | Promise<Result>;
};

/** How a run came to its end; `run`: undefined where nothing had to be sent. */
export type Ended = {
  run: string | undefined;
  book: Book;
  outcomes(): Iterable<Outcome>;
  stopped: CliError | undefined;
  /** How long it took to send and to prove. */
  milliseconds: number;
  /** The exams that were read as a whole at the end. */
  readings: ReadonlyMap<string, Reading>;
  /** It is there already, and that is a success (`--if-not-exists`, `--unless-mailed`). */
  there: Extract<Looked, { is: 'there' | 'mailed' }> | undefined;
  /** The error of the run; undefined where all of it came to a good end. */
  failure(words: FailureWords): CliError | undefined;
};

export async function carryOut(context: Context, request: RunRequest): Promise<Result> {
  if (request.needsYes && !context.globals.dryRun && !canAsk(context.host, context.globals.noInput))
    await context.confirm(() => sentence`Confirm`);
  const world: World = { ...(await worldOf(context, request.settleTime)), keep: request.keep };
  const lock =
    request.lock === undefined || context.globals.dryRun
      ? undefined
      : await world.state.lock(request.lock, context.recorded(request.operands));
  try {
    return await resumeOrBegin(world, request);
  } finally {
    lock?.release();
  }
}

/** The open run that the same command would resume. */
export async function openRun(context: Context, request: Pick<RunRequest, 'kind' | 'identity'>): Promise<RunRecord | undefined> {
  const runs = await (await context.state()).runsOf(runOrigin(context.settings()), identityOf(request));
  return runs.find(({ state }) => state === 'open');
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
  // A consent to mail all students again does not wait for the outcome of the mails before.
  if (open && request.again !== 'anew' && !request.consents?.resend)
    return resumeWith(world, open, { ...request, says: sentence`Run ${open.id} of the same command is unfinished; it is resumed.` });
  if (open) await settleAndGiveUp(world, open, request);
  const rest = request.again === 'complete' ? await restOf(world, request) : undefined;
  return rest ? resumeWith(world, rest.record, { ...request, says: rest.says }, true) : begin(world, request);
}

/** The run of the same command that has done only a part. On a terminal, a person chooses between the rest and all of it. */
async function restOf(world: World, request: RunRequest): Promise<{ record: RunRecord; says: Sentence } | undefined> {
  const { host, globals } = world.context;
  const partly = await doneInPart(world, identityOf(request));
  if (!partly) return undefined;
  const { record, done } = partly;
  const did = sentence`Run ${record.id} of the same command has done ${done} of ${count(record.steps, 'step')}`;
  const asks = !globals.yes && canAsk(host, globals.noInput);
  if (asks && !(await host.prompts.confirm(sentence`${did}. Try only the others?`))) return undefined;
  return { record, says: sentence`${did}; only the others are tried again.` };
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

function identityOf({ kind, identity }: Pick<RunRequest, 'kind' | 'identity'>): string {
  return stringifyJson([kind, ...identity]);
}

/** The plan, with what was there before it and what the gate says of it. */
type Prepared = { plan: Plan; listed: readonly string[]; stale: Extract<Looked, { is: 'free' }>['stale'] };

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

async function shown(world: World, request: RunRequest, plan: Plan, refused: CliError | undefined): Promise<Result> {
  const result = request.show ? await request.show(plan) : planned(world.client, requestsOf(plan, world));
  return refused ? { ...result, failure: refused } : result;
}

/** The requests of a plan, for a dry run; none for what was shown to be so already. */
function requestsOf({ steps }: Plan, { zone }: World) {
  const all = Array.from({ length: steps.length }, (_, index) => steps.at(index)).filter((step) => step !== undefined);
  const sent = all.filter((step) => !isSoAlready(step, { ...step.expects, ...step.before }, zone));
  return sent.map(({ operation, params, body, raw, made }) =>
    raw
      ? raw
      : {
          operation,
          params: made ? { ...params, [made.param]: 'ID' } : { ...params },
          ...(body ? { body } : {}),
          ...(made ? { note: `ID: of the ${all[made.by]?.operation.resource ?? 'resource'} that request ${made.by + 1} creates` } : {}),
        },
  );
}

/** Asks; after the yes the plan is computed again, and asked about again where one of its steps has changed. */
async function asked(world: World, request: RunRequest, gate: ExamGate, first: Prepared): Promise<Prepared> {
  const { context } = world;
  const { question, typed } = request;
  if (!question) return first;
  let prepared = first;
  for (let attempt = 1; ; attempt += 1) {
    const { plan } = prepared;
    // Nobody is asked, so nobody has seen another plan than the one that is sent.
    if (context.globals.yes) return prepared;
    const words = await question(plan);
    if (words === undefined) return prepared;
    const whole = sentence`${words} ${context.place()}?`;
    if (!canAsk(context.host, context.globals.noInput)) throw unasked(whole);
    await context.confirm(() => whole, typed?.(plan));
    const again = await lookFirst(world, await request.plan(world), { ...request.consents, allowDuplicate: true, resend: true });
    if (again.is !== 'free') return prepared;
    const differences = changesOf(plan, again.plan);
    const next: Prepared = { ...again, plan: withNumbers(again.plan, plan) };
    // While the question was open, an exam may have begun.
    const refused = next.plan.refused ?? (await gate.judgePlan(next.plan));
    if (refused) throw refused;
    if (differences.length === 0) return next;
    for (const line of firstLines(differences, (text) => text)) context.warn(line);
    if (!canAsk(context.host, context.globals.noInput) || attempt === 5)
      throw new CliError('changed_meanwhile', sentence`The plan has changed since it was shown: ${differences[0] ?? ''}`);
    await request.tell?.(next.plan);
    prepared = next;
  }
}

/** A script learns what it would have to confirm. */
function unasked(question: Sentence): CliError {
  return new CliError('needs_confirmation', sentence`Confirmation required, but this is not an interactive terminal: ${question}`, {
    hint: 'Preview it with --dry-run, then add --yes to confirm. Nothing was sent.',
  });
}

/** The numbers of claims to which the question has led. */
function withNumbers(plan: Plan, asked: Plan): Plan {
  const { number } = asked.steps.at(0) ?? {};
  const next = plan.steps.at(0);
  return number === undefined || !next ? plan : { ...plan, steps: withFirst(plan.steps, { ...next, number }) };
}

/** Steps that were not in the plan that was asked about. Steps that have fallen away are no difference: somebody has done them. */
function changesOf(before: Plan, now: Plan): Sentence[] {
  let alike = 0;
  while (alike < now.steps.length && keyOf(before.steps.at(alike)) === keyOf(now.steps.at(alike))) alike += 1;
  const changed: Sentence[] = [];
  if (alike === now.steps.length) return changed;
  const known = new Set<string>();
  for (let index = 0; index < before.steps.length; index += 1) known.add(keyOf(before.steps.at(index)));
  for (let index = alike; index < now.steps.length && changed.length < 100; index += 1) {
    const step = now.steps.at(index);
    if (step && !known.has(keyOf(step))) changed.push(changeInWords(step));
  }
  return changed;
}

function keyOf(step: Step | undefined): string {
  if (!step) return '';
  const { operation, params, body, raw, email, expects, expectsExam, about, exam, provenId } = step;
  return stringifyJson([
    operation.id,
    raw ? [raw.method, raw.path] : null,
    { ...params },
    body ?? null,
    email ?? null,
    expects ?? null,
    expectsExam ?? null,
    about ?? null,
    exam ?? null,
    provenId ?? null,
  ]);
}

function changeInWords({ operation, params, email, about, body }: Step): Sentence {
  const what = operation.does.replace(/:(\w+)/g, (_, name: string) => params[name] ?? 'ID');
  const values = body && Object.keys(body).length > 0 ? `, and now sends ${stringifyJson(body)}` : '';
  return sentence`The request to ${what}${email === undefined ? '' : ` (${email})`} has changed${values}${about === undefined ? '' : `: ${about}`}.`;
}

async function send(world: World, request: RunRequest, gate: ExamGate, { plan, listed, stale }: Prepared): Promise<Result> {
  const { state } = world;
  const { withBody = true } = request;
  refuseWithoutState(world, plan);
  const targets = new Set<string>();
  const run = await state.begin(
    {
      ...heldOf(world, request.kind, world.context.recorded(request.operands)),
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
  return request.result(endedOf(run.run.id, driven));
}

/** Without a record, a create or mails could be repeated without anybody knowing. */
function refuseWithoutState({ state }: World, { steps }: Plan): void {
  const step = steps.at(0);
  if (state.place !== 'none' || !step) return;
  if (!createsStudent(step) && !createsExam(step) && step.operation.id !== operations.sendEmails.id && !step.raw) return;
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

/** Carries on with an open run. */
export async function resumeWith(
  world: World,
  record: RunRecord,
  request: Pick<RunRequest, 'stepsOf' | 'resendAbsent' | 'consents' | 'result' | 'kind' | 'withBody' | 'question' | 'wholeProof'> & {
    says?: Sentence;
  },
  retries = false,
): Promise<Result> {
  const { context } = world;
  await refuseWhileUndone(world, record.id);
  const gate = new ExamGate(world);
  const { resendAbsent, stepsOf, consents, withBody, wholeProof, says } = request;
  const confirm = async (added: Plan) => {
    const asked = await request.question?.(added);
    if (asked !== undefined) await context.confirm(() => sentence`${asked} ${context.place()}?`);
  };
  const parts = await resumedParts(world, record, gate, { resendAbsent, stepsOf, consents, withBody, wholeProof, says, confirm });
  if (retries) planRest(parts);
  world.host.log?.({ event: 'resume', run: record.id });
  const driven = await drive(parts);
  return request.result(endedOf(record.id, driven));
}

/** What a resumed run would send, for a dry run; judged by the gate as a whole, as each plan is. */
export async function resumption(world: World, record: RunRecord, resendAbsent: boolean): Promise<Result> {
  refuseElsewhere(record.id, record.origin, world);
  await refuseWhileUndone(world, record.id);
  const plan = await leftOf(world, record, resendAbsent);
  if (plan.unknown > 0)
    world.context.say(sentence`The outcome of ${count(plan.unknown, 'request')} is unknown; without --dry-run it is looked up first.`);
  const refused = await new ExamGate(world).judgePlan(plan);
  const result = planned(world.client, requestsOf(plan, world));
  return refused ? { ...result, failure: refused } : result;
}

/** Throws `invalid_input` for a run that is being undone. */
async function refuseWhileUndone({ state }: World, id: string): Promise<void> {
  const undo = (await state.runs()).find(({ undoOf, state: is }) => undoOf === id && is === 'open');
  if (!undo) return;
  throw new CliError('invalid_input', sentence`Run ${id} is being undone by run ${undo.id}, and is not resumed.`, {
    hint: sentence`Finish the undo: proctor-cli ${typedCommand('runs undo', [id])}`,
  });
}

/** Settles what is unknown of a run, and gives up what is in one of these states. */
export async function closeRun(
  world: World,
  record: RunRecord,
  { stepsOf, says, states }: { stepsOf?: RunRequest['stepsOf'] | undefined; says?: Sentence; states?: readonly StepState[] } = {},
): Promise<Driven> {
  const parts = await resumedParts(world, record, new ExamGate(world), { resendAbsent: false, stepsOf, says });
  giveUp(parts, states);
  return drive(parts);
}

/** What is unknown of an open run is looked up; the rest is given up, because the same command plans it anew. */
async function settleAndGiveUp(world: World, record: RunRecord, request: RunRequest): Promise<void> {
  const says = sentence`Run ${record.id} of the same command was stopped; its open steps are planned again.`;
  const { stepsOf } = request;
  const { book, stopped } = await closeRun(world, record, { stepsOf, says });
  if (stopped && isInterruption(stopped)) throw stopped;
  if (book.count('unknown', 'confirmed') === 0) return;
  if (request.consents?.resend) {
    await closeRun(world, record, { stepsOf, states: ['unknown', 'confirmed'] });
    return;
  }
  throw new CliError(
    'outcome_unknown',
    sentence`Run ${record.id} of the same command has sent requests whose outcome is unknown. Nothing more was sent.`,
    {
      hint: sentence`Look at it: proctor-cli ${typedCommand('runs show', [record.id])}; settle it: proctor-cli ${typedCommand('runs settle', [record.id])}`,
    },
  );
}

function endedOf(run: string, { book, stopped, readings, milliseconds }: Driven): Ended {
  return {
    run,
    book,
    outcomes: () => book.outcomes(),
    stopped,
    milliseconds,
    readings,
    there: undefined,
    failure: (words) => withWayOn(runFailure(book, stopped, words), { run, book, stopped }),
  };
}

/** What has to be mended before the run can go on. */
const toBeMendedFirst: readonly ErrorCode[] = ['token_refused', 'not_logged_in', 'state_failed', 'bad_answer'];

/** The one command that goes on, where the run is open. */
function withWayOn(
  failure: CliError | undefined,
  { run, book, stopped }: { run: string; book: Book; stopped: CliError | undefined },
): CliError | undefined {
  if (!failure || !(book.isOpen || (stopped && isInterruption(stopped)))) return failure;
  const absent = book.count('absent') > 0 && book.count('unknown', 'confirmed') === 0;
  const line = typedCommand('runs resume', [run], absent ? '--resend-absent' : '');
  const isSettled = book.count('unknown', 'confirmed') > 0 && !stopped;
  const byHand = isSettled ? sentence`. What stays unknown you settle by hand: proctor-cli ${typedCommand('runs settle', [run])}` : '';
  const hint = absent
    ? sentence`${failure.hint} To send the missing ones again: proctor-cli ${line}`
    : sentence`Run the same command again to resume, or: proctor-cli ${line}${byHand}`;
  const { code, message, items, status } = failure;
  if ([...book.inState('unknown')].some((index) => book.steps.at(index)?.operation.id === operations.sendEmails.id)) return failure;
  const first = [stopped, failure].find((error) => error && toBeMendedFirst.includes(error.code));
  return new CliError(code, message, {
    hint: first ? sentence`${first.hint} ${hint}` : hint,
    ...(items ? { items } : {}),
    ...(status === undefined ? {} : { status }),
  });
}

function nothingToDo(there: Ended['there']): Ended {
  const book = new Book([]);
  return {
    run: undefined,
    book,
    outcomes: () => [],
    stopped: undefined,
    milliseconds: 0,
    readings: new Map(),
    there,
    failure: (words) => runFailure(book, undefined, words),
  };
}
