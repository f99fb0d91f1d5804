/** What the creates of students and exams share: the look for who is there, the proof by an ID, the verdict. */
import type { Reply } from '../../api/answer.ts';
import { ageOfMoment, type Moment } from '../../api/client.ts';
import { otherExam, readList } from '../../api/reading.ts';
import { CliError } from '../../errors.ts';
import { addressIn } from '../../model/address-key.ts';
import { differences, unexpected } from '../../model/compare.ts';
import { count } from '../../model/count.ts';
import { examInWords } from '../../model/describe.ts';
import { idOf } from '../../model/id.ts';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import { keyOf, keysIn, type Listed, type Listing, otherStudent, Reading } from '../../model/listing.ts';
import { capitalised, sentence } from '../../text/sentence.ts';
import { type ActiveRun, now } from '../active-run.ts';
import { withoutVerdict } from '../classify-response.ts';
import { type Engine, freshMs, shortList } from '../engine.ts';
import { type Change, type Execution, isRefusedAsThere } from '../execution.ts';
import { existingExams, existingSessions } from '../existing-records.ts';
import { ConfirmationRequired, type Consented, createUnknown, mayAsk } from '../request.ts';
import { type CreateExam, type CreateSession, listedAs, lookAt, nameOf, type Plan, type Resource, showsAll } from '../step.ts';
import { bodyOf, isCreate, operationOf, resourceOf, studentOf, wantedBy } from './data.ts';
import {
  type Candidate,
  differs,
  type Looking,
  nameOfTarget,
  notApplied,
  type Observation,
  type StepRules,
  saysNo,
  shownDone,
  staysUnknown,
  untilShown,
  type VerdictOptions,
} from './rules.ts';

type Create = CreateExam | CreateSession;
type Shown = Extract<Observation, { is: 'shown' }>;
type Candidates = Extract<Observation, { is: 'candidates' }>;

/** The rules of both creates. */
export const creation = {
  mayTake: ({ typed }) => typed !== undefined,
  losses: async () => [],
  confirmFirst,
  looksAfter: [409, 422],
  isOnce: false,
  onSuccess,
  onDenial: untilShown,
  isAbsolute: false,
  isVerifiable: true,
  observe,
  verdict,
  resend: 'once proven absent',
} satisfies Partial<StepRules<Create>>;

function listOf({ step, exam }: Execution<Create>): string | undefined {
  return resourceOf(step) === 'exam' ? undefined : exam;
}

/** The list on which it rests is read again once it is older than the settle time; then the exam, where times rest on it. */
export async function precheck(run: ActiveRun, execution: Execution<Create>): Promise<Moment | Change> {
  const began = now(run);
  const { step } = execution;
  const moved = step.kind === 'create session' ? await movedExam(run, execution, step.examShows) : undefined;
  const changed = moved ?? (await appearedSince(run, execution));
  return changed ? { outcome: { reason: 'changed', error: changed } } : began;
}

async function movedExam({ engine }: ActiveRun, { exam }: Execution, shows: JsonObject): Promise<CliError | undefined> {
  if (exam === undefined || Object.keys(shows).length === 0) return undefined;
  const shown = await engine.reads.record('exam', exam, freshMs);
  const why = unexpected('exam', shows, shown?.data ?? {}, engine.zone);
  if (why === undefined) return undefined;
  const what = sentence`Exam ${exam} was changed meanwhile: ${why}. This request was not sent.`;
  return new CliError('changed_meanwhile', what, { hint: lookAt('exam', exam) });
}

async function appearedSince(run: ActiveRun, execution: Execution<Create>): Promise<CliError | undefined> {
  const { engine, wasThere, readAt } = run;
  const { settleTimeMs, host, client, reads } = engine;
  if (ageOfMoment(readAt, host) <= settleTimeMs) return undefined;
  const resource = resourceOf(execution.step);
  const exam = listOf(execution);
  const name = exam === undefined ? 'exams' : `students ${exam}`;
  const list = await reads.once<Listing>(name, settleTimeMs, () => readList(client, exam));
  const ids = list.of(wantedBy(execution.step)).flatMap(({ id }) => id ?? []);
  const id = ids.find((each) => !wasThere.has(listedAs(resource, each)) && run.creator(resource, each) === undefined);
  if (id === undefined) return undefined;
  const hint = sentence`Nothing was sent for it. ${lookAt(resource, id)}`;
  return new CliError('already_there', sentence`It is there by now, as ${resource} ${id}.`, { hint });
}

const unshown = 'but no read shows it yet. It is not sent again.';

/** Its ID decides; whether it is so, a look shows. */
function onSuccess(run: ActiveRun, execution: Execution<Create>, reply: Reply): Change {
  const { step } = execution;
  const { status } = reply;
  const resource = resourceOf(step);
  const data = run.engine.client.recordIn(reply, operationOf(step));
  const shown = isJsonObject(data) ? data : undefined;
  const id = shown && idOf(shown);
  const unknown = (code: string, more: string): Change => {
    const what = sentence`The service answered the request to create the ${resource} (${status}) ${more}`;
    return { outcome: { state: 'unknown', error: new CliError('outcome_unknown', what, { status }) }, facts: { code } };
  };
  if (shown === undefined || id === undefined) return unknown('2xx', `and shows no ID, ${unshown}`);
  const other = run.creator(resource, id);
  if (other && other !== execution) return { outcome: { reason: 'different', error: givenTwice(resource, id, other) } };
  // Not ours, and no proof: the list decides.
  if (run.wasThere.has(listedAs(resource, id))) return unknown('was there', `with ${resource} ${id}, which was there before.`);
  const storedAs = otherStudent(studentOf(step).email, shown) === undefined ? undefined : addressIn(shown);
  const { outcome, facts } = unknown('2xx', `and names ${resource} ${id}, ${unshown}`);
  return { outcome, facts: { ...facts, id, shown, owned: true, storedAs } };
}

function givenTwice(resource: Resource, id: string, { step: { line } }: Execution): CliError {
  const whom = line === undefined ? 'another student' : `line ${line}`;
  const what = sentence`The service answered with ${resource} ${id}, which it gave to ${whom}: for this service, both are one student.`;
  return new CliError('partly_done', what);
}

async function observe(looking: Looking, execution: Execution<Create>): Promise<Observation> {
  const { run, list } = looking;
  const { client, reads } = run.engine;
  const { id, step } = execution;
  if (!list) return id === undefined ? { is: 'not there' } : shownAlone(looking, execution, id);
  if (id === undefined) return candidates(looking, list, execution);
  const listed = list.withId(id);
  const resource = resourceOf(step);
  // A list may be late, or leave out a field: the record itself says it.
  const isWhole = listed && showsAll(listed.data, step.body);
  const data = isWhole ? listed.data : (await reads.record(resource, id))?.data;
  if (!data) return { is: 'not there' };
  // The ID in its answer is that of another exam's student.
  const isElsewhere = !isWhole && resource === 'session' && otherExam(execution.exam, data, client) !== undefined;
  if (isElsewhere) return candidates(looking, list, execution);
  if (!listed && looking.isLast(execution)) run.stop.stop(shortList(listOf(execution), id));
  return { is: 'shown', data, isUnlisted: !listed, ...alikeIn(looking, list, execution, data) };
}

async function shownAlone({ run }: Looking, { step, exam }: Execution<Create>, id: string): Promise<Observation> {
  const { client, reads } = run.engine;
  const data = (await reads.record(resourceOf(step), id))?.data;
  const isElsewhere = data !== undefined && resourceOf(step) === 'session' && otherExam(exam, data, client) !== undefined;
  return data === undefined || isElsewhere ? { is: 'not there' } : { is: 'shown', data };
}

/** It was not there before, and no step is known to have created it. */
function isNew(run: ActiveRun, resource: Resource, id: string): boolean {
  return !run.wasThere.has(listedAs(resource, id)) && run.creator(resource, id) === undefined;
}

function alikeIn({ run }: Looking, list: Listing, { id: own, step }: Execution<Create>, shown: JsonObject) {
  const { dialect } = run.engine.client;
  const key = keyOf(wantedBy(step), dialect);
  if (step.kind === 'create exam') {
    const keys = keysIn(shown, dialect).filter((each) => each !== key);
    return {
      isOther: run.executions.some((other) => other.step.kind === step.kind && keys.includes(keyOf(wantedBy(other.step), dialect) ?? '')),
    };
  }
  const ids = list.of(wantedBy(step)).flatMap(({ id }) => id ?? []);
  const added = ids.filter((id) => id === own || !run.wasThere.has(listedAs('session', id)));
  const alike = added.filter((id) => id === own || isNew(run, 'session', id));
  return { alike, isOther: added.length > 0 && !added.includes(own ?? '') };
}

/** One new record for each create of unknown outcome that it explains. */
export function explainedIn(run: ActiveRun, list: Listing, executions: readonly Execution[]): ReadonlyMap<string, Execution> {
  const lost = executions.filter(({ id, step }) => id === undefined && isCreate(step));
  return new Map(
    lost.flatMap((execution) => {
      const ids = list.of(wantedBy(execution.step)).flatMap(({ id }) => id ?? []);
      const first = ids.find((id) => isNew(run, resourceOf(execution.step), id));
      return first === undefined ? [] : [[first, execution] as const];
    }),
  );
}

/** What a create without a proven ID may have made: a stranger, too, under another address. */
async function candidates(looking: Looking, list: Listing, execution: Execution<Create>): Promise<Observation> {
  const { run, known, explained } = looking;
  const { client, reads } = run.engine;
  const { step } = execution;
  const resource = resourceOf(step);
  // What another step has created may be stored under this address.
  const shown = list.of(wantedBy(step)).filter(({ id }) => id !== undefined && run.creator(resource, id) === undefined);
  const isStranger = ({ id }: Listed) =>
    id !== undefined && isNew(run, resource, id) && !known.has(id) && (explained.get(id) ?? execution) === execution;
  const isFound = resource === 'exam' && keyOf(wantedBy(step), client.dialect) !== undefined;
  const strangers = (isFound ? [] : list.all.filter(isStranger)).flatMap(({ id }) => id ?? []);
  const found = await client.pacer.map(shown, async ({ id = '', data }): Promise<Candidate> => {
    const whole = showsAll(data, step.body) ? undefined : await reads.record(resource, id);
    return { id, data: { ...data, ...whole?.data }, isNew: isNew(run, resource, id) };
  });
  const isDoubtful = found.length + strangers.length === 0 && mayBeAbsent(execution) && looking.isLast(execution);
  const lacking = isDoubtful ? await lackingIn(looking, list, execution) : undefined;
  if (lacking) run.stop.stop(lacking);
  return { is: 'candidates', found, strangers, lacking };
}

/** The error for a list without what a run from here has created, and what its own GET still shows. */
async function lackingIn({ run, known }: Looking, list: Listing, execution: Execution<Create>): Promise<CliError | undefined> {
  const { client, reads } = run.engine;
  const exam = listOf(execution);
  for (const id of known) {
    if (list.withId(id)) continue;
    const shown = await reads.record(resourceOf(execution.step), id, freshMs);
    if (shown && otherExam(exam, shown.data, client) === undefined) return shortList(exam, id);
  }
  return undefined;
}

/** Whether a create without an answer is absent once nothing shows it. */
function mayBeAbsent({ code = '' }: Execution): boolean {
  return code !== '2xx' && !saysNo.has(code);
}

function verdict(execution: Execution<Create>, observation: Observation, options: VerdictOptions): Change | undefined {
  const { error } = execution;
  if (observation.is === 'candidates') return verdictOnCandidates(execution, observation, options);
  if (observation.is === 'shown') return verdictOnShown(execution, observation, options);
  // The service has said yes: it is never called absent.
  return options.isLast ? { outcome: { state: 'unknown', error } } : undefined;
}

/** Who is not listed yet would be missed by the next command. */
function verdictOnShown(execution: Execution<Create>, observation: Shown, { isLast, zone, run }: VerdictOptions): Change | undefined {
  const { step, owned, storedAs } = execution;
  const { data: shown, alike = [], isUnlisted, isOther = false } = observation;
  if (isUnlisted && !isLast) return undefined;
  if (alike.length > 1) return { outcome: { reason: 'duplicate', error: doubled(execution, alike, run) }, facts: { seen: true, shown } };
  const judgesAddress = resourceOf(step) === 'session' && (isOther || !storedAs);
  const other = judgesAddress ? otherStudent(studentOf(step).email, shown) : undefined;
  const values = otherValues(step, shown, zone);
  const different = other === undefined ? values : [other, ...values];
  if (different.length > 0) {
    const error = differs(execution, owned ? 'was created' : 'is there', different, doNotCreate);
    // An address that its answer did not show may be that of somebody whom a colleague has given the session.
    return { outcome: { reason: 'different', error }, facts: { seen: true, owned: owned && !isOther, shown } };
  }
  const more = storedAs === undefined ? {} : { note: sentence`Stored as ${storedAs}.` };
  return shownDone(execution, { owned, shown, ...more }, sentence`the list shows ${nameOfTarget(execution)}`);
}

const doNotCreate = 'Do not create it again.';

/** In words, what a record shows otherwise than its create demands; by its address or name it was found. */
export function otherValues(step: Create, shown: JsonObject, zone: string): readonly string[] {
  const { email: _address, ...values } = step.body;
  return differences(resourceOf(step), values, shown, zone).different;
}

function verdictOnCandidates(execution: Execution<Create>, sight: Candidates, options: VerdictOptions): Change | undefined {
  const { found, strangers, lacking } = sight;
  const { isLast, run, zone } = options;
  const { step, code = '', error } = execution;
  const noun = resourceOf(step);
  const fresh = found.filter((each) => each.isNew);
  const [one] = fresh;
  if (fresh.length > 1) {
    const ids = fresh.map(({ id }) => id);
    return { outcome: { reason: 'duplicate', error: doubled(execution, ids, run) }, facts: { seen: true } };
  }
  const there = one ?? (step.isAnother ? undefined : found[0]);
  if (there) return verdictOnFound(execution, there, zone);
  if (strangers.length > 0) return isLast ? mayBeOther(execution, strangers, run) : undefined;
  if (code === 'denied') return notApplied(execution, sentence`no ${noun} that matches what was sent is shown.`);
  const isAccepted = code === '2xx' || code === 'was there';
  if (saysNo.has(code) && !isAccepted) return { outcome: { reason: 'rejected', error } };
  if (!isLast) return undefined;
  if (isAccepted) return { outcome: { state: 'unknown', error } };
  if (lacking) return staysUnknown(execution, sentence`${lacking.message.replace(/\.$/, '')}`, lacking.hint);
  const what = sentence`${withoutVerdict(error)} A look when it could no longer arrive shows that it was not carried out.`;
  const absent = new CliError('unavailable', what, { hint: 'Run the same command again: it sends it again.' });
  return { outcome: { reason: 'absent', error: absent } };
}

/** What a create without a proven ID has made, or somebody else: never ours. */
function verdictOnFound(execution: Execution<Create>, { id, data: shown, isNew }: Candidate, zone: string): Change {
  const { step } = execution;
  const noun = resourceOf(step);
  const isTheirs = !isNew || isRefusedAsThere(execution);
  const facts = { seen: true, id, owned: false, shown };
  const different = otherValues(step, shown, zone);
  if (different.length > 0) {
    const error = differs({ ...execution, id }, 'is there', different, doNotCreate);
    const theirs = new CliError('different', error.message, { hint: error.hint });
    return { outcome: { reason: 'different', error: isTheirs ? theirs : error }, facts };
  }
  const was = sentence`${capitalised(nameOf(noun, id))} was there already.`;
  if (isTheirs) return { outcome: { reason: 'there', note: was }, facts };
  return { outcome: { state: 'done', note: sentence`The answer was lost or unclear; the list shows ${noun} ${id}.` }, facts };
}

function mayBeOther(execution: Execution, strangers: readonly string[], run: string): Change {
  const sessions = sentence`${count(strangers.length, 'new session')} that no run explains (${strangers.join(', ')})`;
  const shows = sentence`The exam has ${sessions}, which may be this student`;
  const look = lookAt('session', strangers[0] ?? '');
  return staysUnknown(execution, shows, sentence`${look}; if it is somebody else: proctor-cli runs close ${run}`);
}

function doubled({ id, owned, step }: Execution, ids: readonly string[], run: string): CliError {
  const noun = resourceOf(step);
  const match = sentence`${ids.length} ${noun}s match what was sent: ${ids.join(', ')}.`;
  if (owned) {
    const hint = sentence`Compare them; to delete the one of this run: proctor-cli runs undo ${run}`;
    return new CliError('partly_done', sentence`${match} This run created ${noun} ${id}.`, { hint });
  }
  const what = sentence`${match} It is unknown which of them this run created.`;
  return new CliError('partly_done', what, { hint: lookAt(noun, ids[0] ?? '') });
}

/** Of a plan that begins with a create. Throws `outcome_unknown`, `different`, `already_there`, or asks. */
async function confirmFirst(engine: Engine, plan: Plan, consented: Consented): Promise<Plan> {
  const [step] = plan.steps;
  if (!step || !isCreate(step)) return plan;
  const exam = typeof step.exam === 'string' ? step.exam : '';
  const isExam = step.kind === 'create exam';
  const existing = isExam ? await existingExams(engine) : await existingSessions(engine, exam, plan.readings?.get(exam));
  const { reading } = existing;
  const wanted = wantedBy(step);
  const run = existing.unknown(wanted);
  if (run !== undefined) throw createUnknown(run, `the same ${isExam ? 'exam' : 'student'}`);
  const there = await existing.of(wanted);
  const students = reading instanceof Reading ? reading : undefined;
  const readings = students ? new Map([[exam, students]]) : plan.readings;
  const free = { ...plan, readings, looked: [existing] };
  if (there) return decided(engine, step, consented, { ...there, other: existing.otherStudent(wanted, there) }, free);
  const hidden = students?.hiding(wanted).length ?? 0;
  if (hidden === 0 || consented.consents.allowDuplicate) return free;
  const by = studentOf(step).email === undefined ? 'number' : 'address';
  const what = sentence`The list of exam ${exam} shows no ${by} of ${count(hidden, 'student')}`;
  const way = step.typed ? 'sessions create with --allow-duplicate' : '--allow-duplicate';
  throw new CliError('list_in_doubt', sentence`${what}, so it is unknown whether the student is there already.`, {
    hint: sentence`Nothing was sent. To create the student all the same: ${way}`,
  });
}

type There = Listed & { other: string | undefined };

async function decided(engine: Engine, step: Create, said: Consented, there: There, free: Plan): Promise<Plan> {
  const { context, client, zone, reads } = engine;
  const { allowDuplicate, ifNotExists } = said.consents;
  const resource = resourceOf(step);
  const { id = '', data: shown } = there;
  const { email, number } = studentOf(step);
  const exam = typeof step.exam === 'string' ? step.exam : '';
  const what =
    resource === 'exam'
      ? sentence`${capitalised(examInWords(id, shown, client, zone))} is there already`
      : sentence`${email ?? number} is in exam ${exam} already, as session ${id}`;
  const hint = sentence`Nothing was sent. ${lookAt(resource, id)}`;
  if (ifNotExists) {
    const { data } = (showsAll(shown, bodyOf(step)) ? undefined : await reads.record(resource, id)) ?? there;
    const different = [there.other ?? [], otherValues(step, data, zone)].flat();
    if (different.length === 0) return { steps: [], there: { is: 'there', shown: data } };
    throw new CliError('different', sentence`${what}, and differs from what was given: ${different.join('; ')}.`, { hint });
  }
  const key = `there ${listedAs(resource, id)}`;
  const another = { ...free, steps: free.steps.map((each) => (each === step ? { ...step, isAnother: true } : each)) };
  if (allowDuplicate || said.agreed.has(key)) return another;
  if (mayAsk(context)) throw new ConfirmationRequired({ key, words: sentence`${what}. Create another one?` });
  // `api` has no flags for it.
  throw new CliError('already_there', sentence`${what}.`, step.typed ? { hint } : {});
}
