/** Values of an exam or a session are set. */
import { type Client, examOf } from '../../api/client.ts';
import type { Moment } from '../../api/known.ts';
import { CliError } from '../../errors.ts';
import { compared, differences, replacedBy, showsValue, unexpected } from '../../model/compare.ts';
import { nameOf } from '../../model/describe.ts';
import { along, examTimes, restrictionKeys, restrictionsOf, ruleOf, setsTimes, settable, takenFrom } from '../../model/fields.ts';
import { booleanIn, fieldAt, isJsonObject, type Json, type JsonObject, textIn } from '../../model/json.ts';
import { addressIn, keyOf, otherStudent } from '../../model/listing.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { phaseOf } from '../../model/status.ts';
import { instantOf } from '../../model/time.ts';
import { lettersAndDigits } from '../../text/fold.ts';
import { capitalised, sentence } from '../../text/sentence.ts';
import type { ActiveRun } from '../active-run.ts';
import { type Engine, freshMs, maxReadAgeMs } from '../engine.ts';
import { type Change, type Execution, isWritten } from '../execution.ts';
import { existingIn } from '../existing-records.ts';
import type { LockScope } from '../request.ts';
import { finalChecks } from './moved-times.ts';
import type { Loss, Observation, StepRules, VerdictOptions } from './rules.ts';
import { differs, isAnswered, isFinal, mayTakeAnything, nameOfTarget, notApplied, shownDone, staysUnknown } from './rules.ts';
import { bodyOf, isUpdate, lookAt, type Plan, type Step, type Student, showsAll, type Update } from './step.ts';
import { barred, changed, changedMeanwhile, noLongerThere, ofTarget, otherExamOrStudent, sessionAndExam, targetGone } from './target.ts';
import { inverse } from './update-inverse.ts';

export const update: StepRules<Update> = {
  ...ofTarget,
  locks,
  mayTake: ({ id }) => typeof id === 'string',
  losses,
  checkPlan,
  precheck,
  isFulfilled,
  verdict,
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
  if (!shown) return targetGone(run, execution);
  const { data, at } = shown;
  const stranger = otherExamOrStudent(run, execution, data);
  const bar = barred(requires.notIn, data);
  // Whoever asked for the update saw the values that it replaces: they have to be there still.
  const target = { ...replacedBy(Object.keys(step.body), step.previous), ...requires.target };
  const why = stranger ?? bar ?? unexpected(resource, target, data, engine.zone);
  // That the new time is shown does not prove that this amount was added.
  const isByOther = why !== undefined && run.options.amount !== undefined;
  const isThere = !isByOther && isFulfilled(step, data);
  // A student who has finished needs no window that moves along with the exam.
  const isFinished = step.dependsOn.length > 0 && bar !== undefined && phaseOf(data.status) === 'finished';
  if (stranger === undefined && (isThere || isFinished)) {
    const is = isThere ? 'has these values already; nothing was sent' : 'has finished meanwhile, and was not changed';
    const note = sentence`${capitalised(nameOf(resource, id))} ${is}.`;
    return { is: 'there', note, facts: { seen: true, shown: data } };
  }
  if (why !== undefined) return changedMeanwhile(resource, id, why);
  run.learn(execution, { error: undefined, untouched: untouchedBy(run, execution, data) });
  // A request that was typed names no student: its target shows who it is.
  if (resource === 'session' && step.typed) run.learn(execution, { error: undefined, storedAs: storedAs ?? addressIn(data) });
  return taken ?? at;
}

/** The values that an update leaves out: those that are shown, and those that its run has set by then. */
function untouchedBy(run: ActiveRun, { step, id = '' }: Execution<Update>, shown: JsonObject): JsonObject {
  const { resource } = step;
  const fields = settable(resource, run.engine.client.dialect);
  const untouched: JsonObject = {};
  for (const [field, value] of Object.entries(replacedBy(fields, shown))) {
    const isOnOrOff = ruleOf(resource, field)?.type === 'boolean';
    // Once it is written, what is empty may be shown as nothing.
    if (value !== null && value !== '') untouched[field] = isOnOrOff ? (booleanIn(value) ?? value) : value;
  }
  for (const other of run.stepsTo(id).filter((each) => isUpdate(each.step) && each.step.resource === resource)) {
    for (const [field, value] of Object.entries(bodyOf(other.step))) {
      if (isWritten(other) && Object.hasOwn(untouched, field)) untouched[field] = value;
      else delete untouched[field];
    }
  }
  return untouched;
}

/** The address or number that an update gives to a session. */
function newIdentity({ dialect }: Client, { resource, body }: Update): Student | undefined {
  const [email, number] = ['email', dialect.sessionNumberKey].map((key) => textIn(body[key]));
  return resource === 'session' && (email ?? number) !== undefined ? { email, number } : undefined;
}

/** The refusal of an address or number that another session of the exam has, or gets by another step, or may have. */
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
  const existing = await existingIn(engine, exam, await reads.students(exam, freshMs));
  const { reading } = existing;
  const recorded = await existing.find(wanted);
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
async function checkPlan(engine: Engine, plan: Plan): Promise<Plan> {
  for (const step of plan.steps.filter(isUpdate)) {
    if (newIdentity(engine.client, step) === undefined || typeof step.id !== 'string') continue;
    const subject = { step, id: step.id, exam: typeof step.exam === 'string' ? step.exam : undefined };
    const taken = await takenBy(engine, subject, plan.steps);
    if (taken) return { ...plan, refused: taken.error };
  }
  return plan;
}

function isFulfilled({ method, typed, body, resource }: Update, shown: JsonObject): boolean {
  if (typed || method !== 'PATCH' || Object.keys(body).length === 0 || !showsAll(shown, body)) return false;
  const { changes, notShown } = compared(resource, body, shown);
  return changes.length + notShown.length === 0;
}

function verdict(execution: Execution<Update>, observation: Observation, options: VerdictOptions): Change | undefined {
  if (observation.is === 'not there') return isFinal(execution, options) ? noLongerThere(execution) : undefined;
  if (observation.is !== 'shown') return undefined;
  const { step, state, storedAs = step.student.email } = execution;
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
    // A service may have done what it has refused: a value that was sent, and was not there before, is shown.
    const mayBeDone = !isAnswered(execution) || isShownInPart(step, shown);
    if (isThird && (!isLost || (isLast && mayBeDone))) {
      const was = isLost ? 'may have been updated' : 'was updated';
      return { is: 'different', error: differs(execution, was, different), facts: { shown } };
    }
    if (!isLast) return undefined;
    return { ...notApplied(execution, sentence`${different.join('; ')}.`), facts: { shown } };
  }
  const also = changedAlong(execution, shown);
  if (also) return also;
  const subject = nameOfTarget(execution);
  const facts = { seen: true, owned: true, shown };
  if (!isLost) return { is: 'done', facts, notShown };
  if (notShown.length === 0) return shownDone(execution, facts, sentence`${subject} was updated`);
  const unseen = sentence`The service does not show ${notShown.join(', ')} of ${subject}, so it is unknown whether the update changed that`;
  if (isAnswered(execution)) return notApplied(execution, unseen);
  return isLast ? staysUnknown(execution, unseen) : undefined;
}

/** Whether a value is shown that it has set, and that was another one before. */
function isShownInPart({ body, resource, previous }: Update, shown: JsonObject): boolean {
  return Object.entries(body).some(([field, value]) => {
    const [before, now] = [previous[field], shown[field]];
    return (
      before !== undefined && now !== undefined && showsValue(resource, field, value, now) && !showsValue(resource, field, value, before)
    );
  });
}

/** Whether each value that a step replaces is still what it was, as far as that is known. */
function isAsBefore({ body, resource, previous }: Update, shown: JsonObject, zone: string): boolean {
  return differences(resource, replacedBy(Object.keys(body), previous), shown, zone).different.length === 0;
}

/** What the service has changed along with other values, such as restrictions that it resets (specification 2.1, rule 2); a PUT replaces the rest. */
function changedAlong({ step, id = '', untouched = {} }: Execution<Update>, shown: JsonObject): Change | undefined {
  const { resource, body } = step;
  const { changes, notShown } = compared(resource, untouched, shown);
  // What is not shown any more is reset; a no that is not shown is a no still.
  const all = [...changes.map(({ field }) => field), ...notShown.filter((field) => fieldAt(shown, field) === undefined)];
  const isNo = (field: string) => untouched[field] === false && (fieldAt(shown, field) ?? null) === null;
  const isMeant = (field: string) => step.method === 'PUT' && !(field in restrictionsOf(untouched));
  const fields = all.filter((field) => !isNo(field) && !isMeant(field));
  if (fields.length === 0) return undefined;
  const values = setsTimes(body) ? 'times' : 'values';
  const what = sentence`${capitalised(nameOf(resource, id))} has its new ${values}, but ${fields.join(', ')} changed with them.`;
  const flags = fields.filter((field) => resource === 'exam' && typeof untouched[field] === 'boolean');
  const options = flags.map((field) => `--${untouched[field] ? '' : 'no-'}${field.replaceAll('_', '-')}`);
  const again = sentence`Set it again: proctor-cli ${typedCommand('exams update', [id], ...options)}`;
  // Another value a colleague may have changed at the same moment.
  const error = new CliError('partly_done', what, { hint: flags.length > 0 ? again : lookAt(resource, id) });
  return { is: 'different', error, facts: { seen: true, owned: true, shown } };
}

const takingFields: readonly string[] = [...takenFrom('exam'), ...takenFrom('session')].map(({ field }) => field);

async function losses(engine: Engine, execution: Execution<Update>, listed: JsonObject | undefined): Promise<Loss[]> {
  const { step, id = '' } = execution;
  const { body, method } = step;
  if (hides(body)) return [mayTakeAnything];
  if (method !== 'PUT' && !takingFields.some((key) => Object.hasOwn(body, key))) return [];
  if (step.resource === 'exam') {
    const shown = await engine.reads.record('exam', id, maxReadAgeMs(engine));
    return shown ? examLosses(step, shown.data).map((why) => ({ exam: id, why })) : [];
  }
  const found = await sessionAndExam(engine, execution, listed);
  if (!found) return [];
  const { session, exam, shown } = found;
  // A session without times of its own opens and closes with its exam.
  const base = Object.fromEntries(examTimes.map((time) => [along[time], shown[time] ?? null]));
  return timeLosses(step, session, base).map((why) => ({ exam, why, session }));
}

/** A field that takes something, in another spelling or inside of a value: `exam[End-Time]` is end_time, too. */
function hides(value: Json, isBody = true): boolean {
  if (Array.isArray(value)) return value.some((each) => hides(each, false));
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(([key, each]) => {
    const letters = lettersAndDigits(key);
    const isMeant = takingFields.some((name) => letters.endsWith(lettersAndDigits(name)));
    return (isMeant && !(isBody && takingFields.includes(key))) || hides(each, false);
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
  return [...timeLosses(step, shown, {}), ...(withdrawn.length > 0 ? [`withdraw ${withdrawn.join(', ')}`] : [])];
}

/** What an update of times takes, also by a time that cannot be compared, or that a PUT leaves out. `base`: what counts if none is set. */
function timeLosses({ resource, method, body }: Update, shown: JsonObject, base: JsonObject): string[] {
  const times = takenFrom(resource).filter(({ by }) => by !== 'false');
  const isTaken = ({ field, by }: (typeof times)[number]) => {
    const old = shown[field] ?? null;
    const next = body[field];
    if (next === undefined) return method === 'PUT' && old !== null;
    if (next === old) return false;
    const [to, from] = [instantOf(next ?? base[field]), instantOf(old ?? base[field])];
    if (to === undefined || from === undefined) return true;
    return by === 'earlier' ? to < from : to > from;
  };
  // The end first.
  return times
    .filter(isTaken)
    .map(({ does }) => does)
    .toReversed();
}
