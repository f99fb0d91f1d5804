/**
 * Undo is a run, too: its steps are the inverses of what a run made and what is still as it left it. What was changed since, what is
 * not this run's, and what nothing can take back is kept and named, each time again.
 */

import { examOf } from '../api/client.ts';
import { type Operation, operations } from '../api/operations.ts';
import { addressIn } from '../model/address-key.ts';
import { asSent } from '../model/as-sent.ts';
import { ruleOf, type WritableResource } from '../model/fields.ts';
import { addTo } from '../model/groups.ts';
import { idOf } from '../model/id.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { phaseOf, statusText } from '../model/status.ts';
import { formatTime, instantOf, sameInstant } from '../model/time.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import type { Book, Outcome } from './book.ts';
import { notBehind } from './own-writes.ts';
import { type Reading, readExam } from './reading.ts';
import { recordedRun } from './recorded.ts';
import { otherStudent } from './relies.ts';
import { createsExam, createsStudent, type Plan, type Step, targetOf } from './step.ts';
import { isGood, type StepState } from './step-states.ts';
import { shownNow, type World } from './world.ts';

/** Something that stays, and why. `gone`: it is back already, or not there any more: nothing is left to undo. */
export type Kept = { step: Step; id: string | undefined; email: string | undefined; why: Sentence; gone: boolean };

export type UndoPlan = Plan & { kept: readonly Kept[] };

const inverses: Readonly<Record<string, Operation>> = {
  [operations.patchSession.id]: operations.patchSession,
  [operations.patchExam.id]: operations.patchExam,
};
const poolInverses: Readonly<Record<string, Operation>> = {
  [operations.addProctors.id]: operations.removeProctors,
  [operations.removeProctors.id]: operations.addProctors,
};

/** Whether an undo can take a step back: deletions it cannot. */
export function isUndoable(step: Step): boolean {
  const { id } = step.operation;
  return createsExam(step) || createsStudent(step) || Object.hasOwn(inverses, id) || Object.hasOwn(poolInverses, id);
}

/** States of a step by which something of this run may be there. */
const mayStand: ReadonlySet<StepState> = new Set(['done', 'different', 'duplicate', 'changed', 'gone']);

/** Computed from the record of a run and from what the service shows now. */
export async function undoPlan(world: World, id: string): Promise<UndoPlan> {
  const { book, shownKeys } = await recordedRun(world.state, id);
  const undoing: Undoing = {
    ...{ world, book, shownKeys, moved: movedAway(book) },
    ...{ steps: [], deletions: new Map(), readings: new Map() },
    read: async (resource, one) => (await notBehind(world, { resource, id: one }, await shownNow(world, resource, one)))?.data,
  };
  const kept: Kept[] = [];
  const exams: Outcome[] = [];
  for (const outcome of [...book.outcomes()].reverse()) {
    const { step, state: is, ours } = outcome;
    const isOwn = ours && mayStand.has(is);
    if (isOwn && createsExam(step)) {
      exams.push(outcome);
      continue;
    }
    const found = isOwn ? await inverseOf(undoing, outcome) : await notOwn(undoing, outcome);
    if (found && 'why' in found) kept.push({ step, id: outcome.id, email: step.email, ...found });
    else if (found) undoing.steps.push(found.step);
  }
  for (const outcome of exams) {
    const found = await examBack(undoing, outcome);
    if ('why' in found) kept.push({ step: outcome.step, id: outcome.id ?? '', email: undefined, ...found });
    else undoing.steps.push(found.step);
  }
  const { steps, readings } = undoing;
  return { steps, kept, readings };
}

/** `moved`: sessions that a deletion relies on. `deletions`: the steps that delete students, by exam. */
type Undoing = {
  world: World;
  book: Book;
  shownKeys: ReadonlyMap<number, string>;
  moved: ReadonlyMap<number, string>;
  read(resource: 'exam' | 'session', id: string): Promise<JsonObject | undefined>;
  steps: Step[];
  deletions: Map<string, number[]>;
  readings: Map<string, Reading>;
};
type Found = { step: Step } | (Pick<Kept, 'why' | 'gone'> & Partial<Kept>);

/** What stays of a step that is not this run's; undefined where nothing of it is there. */
async function notOwn({ read }: Undoing, { step, state, ours, id = '' }: Outcome): Promise<Found | undefined> {
  if (state === 'unknown' || state === 'confirmed')
    return { why: sentence`its outcome is unknown: it may have been carried out`, gone: false };
  if (!createsStudent(step) || state !== 'done' || ours) return undefined;
  const shown = await read('session', id);
  return { why: sentence`another client may have created it`, gone: false, email: shown && addressIn(shown, { plain: true }) };
}

/** The inverse of a step; undefined where it goes with what it was done to. */
async function inverseOf(undoing: Undoing, outcome: Outcome): Promise<Found | undefined> {
  const { book, moved } = undoing;
  const { step, index } = outcome;
  const { operation, made } = step;
  if (moved.has(index)) return { why: sentence`its student was moved there: session ${moved.get(index)} is deleted`, gone: false };
  if (createsStudent(step)) return deletionOf(undoing, outcome);
  // What is deleted as a whole needs neither its values nor its proctors of before.
  if (made && book.isOurs(made.by)) return undefined;
  const params = book.paramsOf(index);
  if (Object.hasOwn(inverses, operation.id)) return valuesBack(undoing, outcome, params);
  if (Object.hasOwn(poolInverses, operation.id)) return poolBack(step, params);
  return {
    why: sentence`the request to ${operation.does.replace(/:(\w+)/g, (_, name: string) => step.params[name] ?? '')} cannot be taken back`,
    gone: false,
  };
}

function poolBack(step: Step, params: Step['params']): Found {
  const body = step.before ?? step.body ?? {};
  if (Object.values(body).flat().length === 0) return { why: sentence`it changed nothing`, gone: true };
  const operation = poolInverses[step.operation.id] ?? step.operation;
  return { step: { ...step, ...{ operation, params, body }, before: undefined, made: undefined, after: undefined } };
}

/** The creates by which it was proven that a session could be deleted, with its ID: without the new session the student would be in no exam. */
function movedAway(book: Book): Map<number, string> {
  const found = new Map<number, string>();
  for (const { step, state, id } of book.outcomes()) {
    const mayBeGone = isGood(state) || ['unknown', 'gone', 'sending'].includes(state);
    if (step.proven !== undefined && mayBeGone) found.set(step.proven, id ?? '');
  }
  return found;
}

/** The steps that set back what was set after this one, for the same exam: the way back is the way there, reversed. */
function followersIn(steps: readonly Step[], { exam }: Step): number[] {
  return exam === undefined
    ? []
    : steps.flatMap((each, index) => (each.exam === exam && each.operation.method === 'PATCH' ? [index] : [])).slice(-1);
}

/** Of a student whom the run created: deleted while the session is still this student's, and nobody has started. */
async function deletionOf({ world, read, readings, deletions, steps, shownKeys, book }: Undoing, outcome: Outcome): Promise<Found> {
  const { client, host, state } = world;
  const { step, index, id = '' } = outcome;
  const exam = book.examOf(index) ?? '';
  const reading = readings.get(exam) ?? (await readExam(client, host, exam, world.keep).catch(() => undefined));
  if (reading) readings.set(exam, reading);
  const shown = reading?.withId(id)?.data ?? (await read('session', id));
  if (!shown) return { why: sentence`it is no longer there`, gone: true };
  const of = examOf(shown, client);
  if (of !== undefined && of !== exam) return { why: sentence`it belongs to exam ${of} by now`, gone: false };
  const other = otherStudent(step, shown, { state }, { shownKey: shownKeys.get(index) });
  if (other !== undefined) return { why: sentence`${other}`, gone: false };
  const status = statusText(shown.status);
  if (phaseOf(shown.status) !== 'waiting' && status !== null) return { why: sentence`its status is ${status}`, gone: false };
  const email = addressIn(shown, { plain: true });
  addTo(deletions, exam, steps.length);
  return {
    step: { operation: operations.deleteSession, params: { id }, exam, ...(email === undefined ? {} : { email }), expects: { status } },
  };
}

/** An exam that the run created: deleted once its own students are, if nobody else's are in it. */
async function examBack({ world, read, readings, deletions, steps }: Undoing, { id = '', step }: Outcome): Promise<Found> {
  const { client, host } = world;
  const own = deletions.get(id) ?? [];
  const shown = await read('exam', id);
  if (!shown) return { why: sentence`it is no longer there`, gone: true };
  const nameKey = client.dialect.examNameKey;
  if ((step.body?.[nameKey] ?? null) !== (shown[nameKey] ?? null)) return { why: sentence`it has another name by now`, gone: false };
  const reading = readings.get(id) ?? (await readExam(client, host, id));
  readings.set(id, reading);
  const deleted = new Set(own.map((index) => steps[index]?.params.id));
  const others = reading.sessions.filter((session) => session.id === undefined || !deleted.has(session.id)).length;
  if (others > 0) return { why: sentence`it has ${others} students that this undo does not delete`, gone: false };
  const { start_time = null, end_time = null } = shown;
  return {
    step: {
      operation: operations.deleteExam,
      params: { id },
      exam: id,
      expects: { [nameKey]: shown[nameKey] ?? null, start_time, end_time },
      after: own,
    },
  };
}

/** The values of before, while the service shows those that the run has set. */
async function valuesBack({ world, read, steps, shownKeys }: Undoing, { step, index }: Outcome, params: Step['params']): Promise<Found> {
  const { client, zone, state } = world;
  const target = targetOf(step, params);
  if (!target) return { why: sentence`it cannot be undone`, gone: false };
  const shown = await read(target.resource, target.id);
  if (!shown) return { why: sentence`it is no longer there`, gone: true };
  const set = step.body ?? {};
  const old = { ...step.expects, ...step.before };
  const unknown = Object.keys(set).filter((field) => !Object.hasOwn(old, field));
  if (unknown.length > 0) return { why: sentence`the service did not show ${unknown.join(', ')} before`, gone: false };
  if (target.resource === 'session' && set.email === undefined) {
    const other = otherStudent(step, shown, { state }, { shownKey: shownKeys.get(index) });
    if (other !== undefined) return { why: sentence`${other}`, gone: false };
  }
  const body: JsonObject = Object.fromEntries(
    Object.keys(set).map((field) => [field, asTaken(target.resource, field, old[field] ?? null, client.dialect.timeFormat)]),
  );
  if (asSent(target.resource, body, shown, zone).different.length === 0) return { why: sentence`it is as it was before`, gone: true };
  const { different } = asSent(target.resource, set, shown, zone);
  if (different.length > 0) return { why: sentence`it was changed since: ${different.join('; ')}`, gone: false };
  const email = addressIn(shown, { plain: true });
  const exam = target.resource === 'exam' ? target.id : (examOf(shown, client) ?? step.exam);
  return {
    step: {
      operation: inverses[step.operation.id] ?? step.operation,
      params: { id: idOf(shown) ?? target.id },
      body,
      expects: Object.fromEntries(Object.keys(set).map((field) => [field, shown[field] ?? null])),
      ...(exam === undefined ? {} : { exam }),
      ...(email === undefined || target.resource === 'exam' ? {} : { email }),
      after: followersIn(steps, step),
    },
  };
}

/** A time as the service takes it; in the form shown if conversion would lose precision. */
function asTaken(resource: WritableResource, field: string, value: Json, format: Parameters<typeof formatTime>[1]): Json {
  const instant = ruleOf(resource, field)?.type === 'time' ? instantOf(value) : undefined;
  if (instant === undefined) return value;
  const written = formatTime(instant, format);
  return sameInstant(written, value) ? written : value;
}
