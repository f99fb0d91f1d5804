/** Values of an exam or a session are set. */
import { type Client, examOf, type Moment } from '../../api/client.ts';
import { readExam } from '../../api/reading.ts';
import { CliError } from '../../errors.ts';
import { addressIn } from '../../model/address-key.ts';
import { differences, replacedBy, shownOf, unexpected } from '../../model/compare.ts';
import { firstInLine } from '../../model/count.ts';
import { along, type ExamTime, examTimes, restrictionKeys, restrictionsOf, ruleOf, setsTimes, timeFields } from '../../model/fields.ts';
import { booleanIn, isJsonObject, type Json, type JsonObject, textIn } from '../../model/json.ts';
import { keyOf, type Listed, otherStudent } from '../../model/listing.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { phaseOf, statusText } from '../../model/status.ts';
import { formatTime, instantOf, sameInstant, type TimeFormat } from '../../model/time.ts';
import { lettersAndDigits } from '../../text/fold.ts';
import { capitalised, sentence } from '../../text/sentence.ts';
import type { ActiveRun } from '../active-run.ts';
import { type Engine, freshMs, maxReadAgeMs } from '../engine.ts';
import { type Change, type Execution, isWritten, loadExecutions } from '../execution.ts';
import { existingSessions } from '../existing-records.ts';
import type { LockScope } from '../request.ts';
import { lookAt, nameOf, nothingRequired, type Plan, type Resource, type Step, type Student, showsAll, type Update } from '../step.ts';
import { gone, type Inverse, isOwn, type Stays, stays, type Undoing } from '../undoing.ts';
import { judgeTwice } from './creation.ts';
import { bodyOf, dependenciesOf, isUpdate, requiresOf, resourceOf } from './data.ts';
import {
  contradicted,
  differs,
  isFinal,
  type Loss,
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
import { changed, changedMeanwhile, isGone, listOf, observe, onSuccess, sessionAndExam, strangerIn } from './target.ts';

export const update: StepRules<Update> = {
  locks,
  mayTake: ({ id }) => typeof id === 'string',
  losses,
  confirmFirst,
  precheck,
  isSo,
  looksAfter: [409],
  isOnce: false,
  onSuccess,
  onDenial: untilShown,
  isAbsolute: true,
  isVerifiable: true,
  list: listOf,
  observe,
  verdict,
  resend: 'planned anew',
  finalChecks,
  isReversible: true,
  inverse,
};

function locks({ exam, resource, body }: Update): LockScope[] {
  if (typeof exam !== 'string') return [];
  const fields = Object.keys(body);
  const hasTimes = resource === 'exam' || fields.some((field) => ruleOf(resource, field)?.type === 'time');
  return [...(hasTimes ? [`exam ${exam}` as const] : []), ...(fields.includes('email') ? [`students ${exam}` as const] : [])];
}

/** It is sent only while the same exam, the same student, and all that it requires are shown. */
async function precheck(run: ActiveRun, execution: Execution<Update>): Promise<Moment | Change> {
  const { engine } = run;
  const { step, exam } = execution;
  const { resource, requires } = step;
  // The service may have stored the address in another spelling.
  const storedAs = execution.storedAs ?? run.creatorOf(step)?.storedAs;
  run.learn(execution, { error: undefined, storedAs });
  const { id = '' } = execution;
  const waiting = () => run.executions.filter((other) => other.state === 'planned' && other.exam === exam);
  const look = () => (resource === 'session' ? engine.reads.session(id, exam, waiting) : engine.reads.record('exam', id, freshMs));
  const first = await look();
  const others = run.executions.filter(({ state }) => state !== 'failed' && state !== 'skipped').map((other) => other.step);
  const taken = first && (await takenBy(engine, { step, id, exam: exam ?? examOf(first.data, engine.client) }, others));
  // The list that was read for that may show another value.
  const shown = first && (await look());
  if (!shown) return isGone(execution);
  const { data, at } = shown;
  const stranger = strangerIn(run, execution, data);
  const bar = barred(requires.notIn, data);
  // What it replaces is what somebody saw who asked for it.
  const target = { ...replacedBy(Object.keys(step.body), step.previous), ...requires.target };
  const why = stranger ?? bar ?? unexpected(resource, target, data, engine.zone);
  // The same time does not prove that this amount was set.
  const isByOther = why !== undefined && run.options.amount !== undefined;
  const isThere = !isByOther && isSo(step, data, engine.zone);
  // Who has finished needs no window that moves along with the exam.
  const isFinished = step.dependsOn.length > 0 && bar !== undefined && phaseOf(data.status) === 'finished';
  if (stranger === undefined && (isThere || isFinished)) {
    const is = isThere ? 'has these values already; nothing was sent' : 'has finished meanwhile, and was not changed';
    const note = sentence`${capitalised(nameOf(resource, id))} ${is}.`;
    return { outcome: { reason: 'there', note }, facts: { seen: true, shown: data } };
  }
  if (why !== undefined) return changedMeanwhile(resource, id, why);
  if (resource === 'exam') run.learn(execution, { error: undefined, restrictions: restrictionsOf(data) });
  if (taken) return taken;
  if (exam === undefined || Object.keys(requires.exam).length === 0) return at;
  const shownExam = await engine.reads.record('exam', exam, freshMs);
  const moved = unexpected('exam', requires.exam, shownExam?.data ?? {}, engine.zone);
  if (moved !== undefined) return changedMeanwhile('exam', exam, moved);
  return shownExam && shownExam.at.wall < at.wall ? shownExam.at : at;
}

function barred(notIn: readonly string[], { status }: JsonObject): string | undefined {
  const phase = phaseOf(status);
  return phase !== undefined && notIn.includes(phase) ? `its status is ${statusText(status)}` : undefined;
}

/** What a session is to be known by from now on. */
function newIdentity({ dialect }: Client, { resource, body }: Update): Student | undefined {
  const [email, number] = ['email', dialect.sessionNumberKey].map((key) => textIn(body[key]));
  return resource === 'session' && (email ?? number) !== undefined ? { email, number } : undefined;
}

/** An address or a number that another session of the exam has, or gets by another step, or may have. */
async function takenBy(engine: Engine, { step, id, exam }: Subject, others: readonly Step[]): Promise<Change | undefined> {
  const { client, reads } = engine;
  const wanted = newIdentity(client, step);
  if (!wanted) return undefined;
  const { email, number } = wanted;
  const whom = email ?? number ?? '';
  if (exam === undefined) {
    const hint = 'Nothing was sent. Name the field that shows the exam: proctor-cli config set dialect.sessionExamKey FIELD';
    const what = sentence`Session ${id} shows no exam, so it is unknown whether ${whom} is in it already.`;
    return changed(new CliError('list_in_doubt', what, { hint }));
  }
  const existing = await existingSessions(engine, exam, await reads.students(exam, freshMs));
  const { reading } = existing;
  const recorded = await existing.of(wanted);
  const all = [...reading.of({ email }), ...reading.of({ number }), ...(recorded ? [recorded] : [])];
  const other = all.find((each) => each.id !== id);
  if (other) {
    const what = sentence`${whom} is in exam ${exam} already, as session ${other.id ?? 'without an ID'}.`;
    const hint = sentence`Nothing was sent for it. Look at both: proctor-cli ${typedCommand('sessions find', [whom])}`;
    return changed(new CliError('already_there', what, { hint }));
  }
  const key = keyOf(wanted, client.dialect);
  const isTwin = (each: Step) => each !== step && isUpdate(each) && keyOf(newIdentity(client, each) ?? {}, client.dialect) === key;
  if (others.some(isTwin)) {
    const what = sentence`${whom} is given to two sessions of exam ${exam}.`;
    return changed(new CliError('already_there', what, { hint: 'Nothing was sent for the second one. Give each session its own.' }));
  }
  if (reading.hiding(wanted, id).length === 0) return undefined;
  const what = sentence`The list of exam ${exam} does not show who some of its students are, so it is unknown whether ${whom} is one of them.`;
  return changed(new CliError('list_in_doubt', what, { hint: 'Nothing was sent for it. Use a token that may read addresses.' }));
}

type Subject = { step: Update; id: string | undefined; exam: string | undefined };

/** A new address or number is looked up before the question, too. */
async function confirmFirst(engine: Engine, plan: Plan): Promise<Plan> {
  for (const step of plan.steps.filter(isUpdate)) {
    if (newIdentity(engine.client, step) === undefined || typeof step.id !== 'string') continue;
    const subject = { step, id: step.id, exam: typeof step.exam === 'string' ? step.exam : undefined };
    const taken = await takenBy(engine, subject, plan.steps);
    if (taken) return { ...plan, refused: taken.outcome.error };
  }
  return plan;
}

export function isSo({ method, typed, body, resource }: Update, shown: JsonObject, zone: string): boolean {
  if (typed || method !== 'PATCH' || Object.keys(body).length === 0 || !showsAll(shown, body)) return false;
  const { different, notShown } = differences(resource, body, shown, zone);
  return different.length + notShown.length === 0;
}

function verdict(execution: Execution<Update>, observation: Observation, options: VerdictOptions): Change | undefined {
  if (observation.is === 'not there') return options.isLast ? noLongerThere(execution) : undefined;
  if (observation.is !== 'shown') return undefined;
  const { step, state, code, storedAs = step.student.email } = execution;
  const { body, resource } = step;
  const { zone } = options;
  const { data: shown } = observation;
  const isLast = isFinal(execution, options);
  const isLost = state === 'unknown';
  const other = resource === 'session' && body.email === undefined ? otherStudent(storedAs, shown) : undefined;
  const { different: values, notShown } = differences(resource, body, shown, zone);
  const different = other === undefined ? values : [other];
  if (different.length > 0) {
    const isThird = other !== undefined || !isAsBefore(step, shown, zone);
    const isRefused = saysNo.has(code ?? '');
    if (isThird && (!isLost || (isLast && !isRefused))) {
      const was = isLost ? 'may have been updated' : 'was updated';
      return { outcome: { reason: 'different', error: differs(execution, was, different) }, facts: { shown } };
    }
    if (!isLast) return undefined;
    const error = contradicted(execution, sentence`${different.join('; ')}.`);
    return { outcome: { reason: code === '409' ? 'rejected' : 'not_applied', error }, facts: { shown } };
  }
  const reset = resetIn(execution, shown);
  if (reset) return reset;
  const subject = nameOfTarget(execution);
  const facts = { seen: true, owned: true, shown };
  if (!isLost) return { outcome: { state: 'done' }, facts, notShown };
  if (notShown.length === 0) return shownDone(execution, facts, sentence`${subject} was updated`);
  const unseen = sentence`The service does not show ${notShown.join(', ')} of ${subject}, so it is unknown whether the update changed that`;
  if (code === 'denied') return notApplied(execution, unseen);
  return isLast ? staysUnknown(execution, unseen) : undefined;
}

function noLongerThere(execution: Execution<Update>): Change {
  const subject = nameOfTarget(execution);
  const what = sentence`${capitalised(subject)} was updated, but is no longer there.`;
  const lost = staysUnknown(execution, sentence`Read afterwards: ${subject} is no longer there`).outcome.error;
  const error = execution.state === 'unknown' ? lost : new CliError('partly_done', what);
  return { outcome: { reason: 'gone', error } };
}

/** Whether each value that a step replaces is still what it was, as far as that is known. */
function isAsBefore({ body, resource, previous }: Update, shown: JsonObject, zone: string): boolean {
  return differences(resource, replacedBy(Object.keys(body), previous), shown, zone).different.length === 0;
}

/** Restrictions that the service has reset along with other values (specification 2.1, rule 2). */
function resetIn({ step, id = '', restrictions: was = {} }: Execution<Update>, shown: JsonObject): Change | undefined {
  if (step.resource !== 'exam') return undefined;
  const is = restrictionsOf(shown);
  const reset = restrictionKeys.filter((key) => !Object.hasOwn(step.body, key) && was[key] !== undefined && is[key] === !was[key]);
  if (reset.length === 0) return undefined;
  const flags = reset.map((key) => `--${was[key] ? '' : 'no-'}${key.replaceAll('_', '-')}`).join(' ');
  const values = setsTimes(step.body) ? 'times' : 'values';
  const what = sentence`Exam ${id} has its new ${values}, but ${reset.join(', ')} changed with them.`;
  const hint = sentence`Set it again: proctor-cli ${typedCommand('exams update', [id], flags)}`;
  const error = new CliError('partly_done', what, { hint });
  return { outcome: { reason: 'different', error }, facts: { seen: true, owned: true, shown } };
}

/** The times of an exam that a step gives another value. */
export function examTimesMovedBy(step: Step): ExamTime[] {
  if (!isUpdate(step) || step.typed || step.resource !== 'exam') return [];
  return examTimes.filter((time) => {
    const [from, to] = [instantOf(step.previous[time]), instantOf(step.body[time])];
    return from !== undefined && to !== undefined && from !== to;
  });
}

/** Whether it changes an exam, or a window that moves along with it. */
export function changesExam(step: Step): boolean {
  return isUpdate(step) && (step.resource === 'exam' || Object.keys(step.requires.exam).length > 0);
}

/** Whether it moves the start of an exam, whose old times say whether that runs. */
export function movesStart(step: Step): boolean {
  return isUpdate(step) && step.resource === 'exam' && Object.hasOwn(step.body, 'start_time');
}

function finalChecks(run: ActiveRun, executions: readonly Execution<Update>[]) {
  const examOfEach = ({ exam = '' }: Execution) => exam;
  const written = executions.filter((execution) => isWritten(execution) && examTimesMovedBy(execution.step).length > 0);
  const moved = Map.groupBy(written, examOfEach);
  const relied = executions.filter(({ sentByThisProcess, step, exam = '' }) => {
    return sentByThisProcess && Object.keys(step.requires.exam).length > 0 && !moved.has(exam);
  });
  return [
    ...[...moved].map(([exam, of]) => ({ exam, check: () => unmovedWindows(run, exam, of) })),
    ...[...Map.groupBy(relied, examOfEach)].map(([exam, of]) => ({ exam, check: () => movedExam(run, exam, of) })),
  ];
}

async function unmovedWindows(run: ActiveRun, exam: string, moved: readonly Execution[]): Promise<void> {
  const { engine, executions } = run;
  const { undoOf } = run.writer.run;
  // What an undo leaves as it is, its plan has named.
  const undone = undoOf === null ? [] : await loadExecutions(engine.record, undoOf);
  const reading = await readExam(engine.client, exam);
  judgeTwice(run, reading);
  const times = moved.flatMap(({ step }) => examTimesMovedBy(step));
  const known = [...executions, ...undone];
  const left = reading.sessions.filter((session) => times.some((time) => isUnmoved(session, time, known)));
  const [first] = left;
  if (!first) return;
  const which = firstInLine(left, ({ id, email }) => [id, email].filter(Boolean).join(' '), 5);
  const what = sentence`The times of exam ${exam} were changed, but not the window of ${which}, which was added meanwhile.`;
  throw new CliError('partly_done', what, { hint: lookAt('session', first.id ?? '') });
}

/** Who is taking the exam keeps the start, and a finished session is never changed. */
function isUnmoved({ id, data }: Listed, time: ExamTime, executions: readonly Execution[]): boolean {
  const phase = phaseOf(data.status);
  const isKept = phase === 'finished' || (time === 'start_time' && phase !== 'waiting' && phase !== undefined);
  const own = along[time];
  if (isKept || (data[own] ?? null) === null) return false;
  return !executions.some(({ id: its, step }) => {
    return resourceOf(step) === 'session' && its === id && Object.hasOwn(bodyOf(step), own);
  });
}

/** Times of sessions were computed from those of their exam. */
async function movedExam({ engine }: ActiveRun, exam: string, of: readonly Execution[]): Promise<void> {
  const shown = await engine.reads.record('exam', exam);
  for (const { id = '', step } of of) {
    const why = unexpected('exam', requiresOf(step).exam, shown?.data ?? {}, engine.zone);
    if (why === undefined) continue;
    const what = sentence`Exam ${exam} was changed at the same moment: ${why}. The time of session ${id} was computed before that.`;
    throw new CliError('partly_done', what, { hint: lookAt('session', id) });
  }
}

const judged: readonly string[] = [...timeFields, ...restrictionKeys];

async function losses(engine: Engine, execution: Execution<Update>, listed: JsonObject | undefined): Promise<Loss[]> {
  const { step, id = '' } = execution;
  const { body, method } = step;
  // A service may read it in another way than the table.
  if (hides(body)) return [{ exam: undefined, why: 'do what the specification does not describe' }];
  if (method !== 'PUT' && !judged.some((key) => Object.hasOwn(body, key))) return [];
  if (step.resource === 'exam') {
    const shown = await engine.reads.record('exam', id, maxReadAgeMs(engine));
    return shown ? examLosses(step, shown.data).map((why) => ({ exam: id, why })) : [];
  }
  const found = await sessionAndExam(engine, execution, listed);
  return found ? sessionLosses(step, found.session, found.shown).map((why) => ({ exam: found.exam, why, session: found.session })) : [];
}

/** A judged field in another spelling or inside of a value: `exam[End-Time]` is end_time, too. */
function hides(value: Json, isBody = true): boolean {
  if (Array.isArray(value)) return value.some((each) => hides(each, false));
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(([key, each]) => {
    const letters = lettersAndDigits(key);
    const isMeant = judged.some((name) => letters.endsWith(lettersAndDigits(name)));
    return (isMeant && !(isBody && judged.includes(key))) || hides(each, false);
  });
}

function examLosses(step: Update, shown: JsonObject): string[] {
  const { method, body } = step;
  // An update that names one restriction resets those that it leaves out (specification 2.1, rule 2).
  const isSet = method === 'PUT' || restrictionKeys.some((key) => Object.hasOwn(body, key));
  const isKept = (key: string) => {
    if (booleanIn(shown[key]) === false) return true;
    return Object.hasOwn(body, key) ? booleanIn(body[key]) === true : shown[key] === undefined;
  };
  const withdrawn = isSet ? restrictionKeys.filter((key) => !isKept(key)) : [];
  return [
    ...(losesTime(step, 'end_time', shown) ? ['end it earlier'] : []),
    ...(losesTime(step, 'start_time', shown) ? ['start it later'] : []),
    ...(withdrawn.length > 0 ? [`withdraw ${withdrawn.join(', ')}`] : []),
  ];
}

/** Without a time of its own, a session opens and closes with its exam. */
function sessionLosses(step: Update, shown: JsonObject, exam: JsonObject): string[] {
  return [
    ...(losesTime(step, 'close_time', shown, exam.end_time) ? ["close a student's window earlier"] : []),
    ...(losesTime(step, 'open_time', shown, exam.start_time) ? ["open a student's window later"] : []),
  ];
}

/** Also by a time that cannot be compared, or that a PUT leaves out. `base`: what no time means. */
function losesTime({ method, body }: Update, field: string, shown: JsonObject, base: Json = null): boolean {
  const old = shown[field] ?? null;
  const next = body[field];
  if (next === undefined) return method === 'PUT' && old !== null;
  if (next === old) return false;
  const [to, from] = [instantOf(next ?? base), instantOf(old ?? base)];
  if (to === undefined || from === undefined) return true;
  return field === 'end_time' || field === 'close_time' ? to < from : to > from;
}

/** Sets values back, while the service shows those that the run has set. */
async function inverse(undoing: Undoing, execution: Execution<Update>): Promise<Inverse | undefined> {
  const { step, id = '', exam } = execution;
  const { body: set, resource, requires } = step;
  const shown = undoing.shown.get(execution) ?? {};
  const body = oldValues(undoing, execution);
  const kept = (await whyKept(undoing, execution, body)) ?? (await blockerOf(undoing, execution));
  if (kept) return kept;
  const target = shownOf(Object.keys(set), shown);
  const student = { email: resource === 'session' ? addressIn(shown) : undefined, number: undefined };
  const again = { ...nothingRequired, target, notIn: requires.notIn };
  return [undoing.steps.add({ kind: 'update', resource, id, exam, method: 'PATCH', student, body, requires: again, previous: target })];
}

function oldValues(undoing: Undoing, { step: { body, resource, previous } }: Execution<Update>): JsonObject {
  const { timeFormat } = undoing.engine.client.dialect;
  return Object.fromEntries(Object.keys(body).map((field) => [field, asTaken(resource, field, previous[field] ?? null, timeFormat)]));
}

/** Why its target stays as it is, whatever becomes of others. */
async function whyKept(undoing: Undoing, execution: Execution<Update>, old: JsonObject): Promise<Stays | undefined> {
  const { zone } = undoing.engine;
  const { step, id = '' } = execution;
  const { body: set, resource, previous, requires } = step;
  const shown = undoing.shown.get(execution);
  if (!shown) return undoing.missing(resource, id);
  const unseen = Object.keys(set).filter((field) => !Object.hasOwn(previous, field));
  if (unseen.length > 0) return stays`the service did not show ${unseen.join(', ')} before`;
  const other = resource === 'session' && set.email === undefined ? otherStudent(step.student.email, shown) : undefined;
  if (other !== undefined) return stays`${other}`;
  const bar = barred(requires.notIn, shown);
  if (bar !== undefined) return stays`${bar}`;
  if (differences(resource, old, shown, zone).different.length === 0) return gone`it is as it was before`;
  const { different } = differences(resource, set, shown, zone);
  return different.length > 0 ? stays`it was changed since: ${different.join('; ')}` : forgottenWindow(undoing, execution);
}

/** A window may have moved along with an exam by a step that was forgotten. */
async function forgottenWindow(undoing: Undoing, { step, id = '' }: Execution<Update>): Promise<Stays | undefined> {
  const { executions } = undoing;
  const times = examTimesMovedBy(step);
  const isOfWindow = (each: Execution) => each.isForgotten && resourceOf(each.step) === 'session';
  if (times.length === 0 || !executions.some(isOfWindow)) return undefined;
  const existing = await undoing.existing(id);
  const own = existing?.reading.sessions.find((session) => times.some((time) => isUnmoved(session, time, executions)));
  if (existing && !own) return undefined;
  return stays`the window of session ${own?.id ?? ''} may have moved with it, by a step that was forgotten`;
}

/** An exam's time is not taken from a student whose window stays, nor without its other time, nor a window without its exam's. */
async function blockerOf(undoing: Undoing, execution: Execution<Update>): Promise<Stays | undefined> {
  for (const leader of dependenciesOf(execution.step).flatMap((number) => undoing.step(number) ?? [])) {
    if (!isUpdateOf(leader, 'exam') || !isOwn(leader)) continue;
    const kept = await whyKept(undoing, leader, oldValues(undoing, leader));
    if (kept && !kept.gone) return stays`exam ${leader.id ?? ''} stays as it is: ${kept.why}`;
  }
  const isHolding = (other: Execution) => {
    if (!isUpdate(other.step) || !undoing.stays(other)) return false;
    if (other.step.resource === 'exam') return true;
    const own = undoing.shown.get(other);
    if (!own && undoing.shown.has(other)) return false;
    const follows = examTimes.some((time) => execution.step.body[time] !== undefined && !own?.[along[time]]);
    return follows && phaseOf(own?.status) !== 'finished';
  };
  const held = undoing.followers(execution).find(isHolding);
  return held && stays`${isUpdate(held.step) ? held.step.resource : ''} ${held.id ?? ''} stays as it is`;
}

function isUpdateOf(execution: Execution, resource: Resource): execution is Execution<Update> {
  return isUpdate(execution.step) && execution.step.resource === resource;
}

/** A time as the service takes it; as it was shown where that would cut it. */
function asTaken(resource: Resource, field: string, value: Json, format: TimeFormat): Json {
  const instant = ruleOf(resource, field)?.type === 'time' ? instantOf(value) : undefined;
  if (instant === undefined) return value;
  const written = formatTime(instant, format);
  return sameInstant(written, value) ? written : value;
}
