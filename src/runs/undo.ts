/**
 * Undo is a run, too: its steps are the inverses of what a run made and what is still as it left it. What was changed since, what is
 * not this run's, and what nothing can take back is kept and named, each time again.
 */

import { asSent } from '../api/as-sent.ts';
import { examOf, idOf } from '../api/client.ts';
import { type Operation, operations } from '../api/operations.ts';
import { addressIn } from '../model/address-key.ts';
import { ruleOf, type WritableResource } from '../model/fields.ts';
import { addTo } from '../model/groups.ts';
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
import { isGood } from './step-states.ts';
import { shownNow, type World } from './world.ts';

/** Something that stays, and why. `gone`: it is back already, or not there any more: nothing is left to undo. */
export type Kept = { step: Step; id: string | undefined; email: string | undefined; why: Sentence; gone: boolean };

export type UndoPlan = Plan & { kept: readonly Kept[] };

const inverses: Readonly<Record<string, Operation>> = {
  [operations.patchSession.id]: operations.patchSession,
  [operations.putSession.id]: operations.patchSession,
  [operations.patchExam.id]: operations.patchExam,
  [operations.putExam.id]: operations.patchExam,
};

/** Computed from the record of a run and from what the service shows now. */
export async function undoPlan(world: World, id: string): Promise<UndoPlan> {
  const { state } = world;
  const { book, shownKeys } = await recordedRun(state, id);
  const read: Read = async (resource, one) => (await notBehind(world, { resource, id: one }, await shownNow(world, resource, one)))?.data;
  const steps: Step[] = [];
  const kept: Kept[] = [];
  const readings = new Map<string, Reading>();
  const deletions = new Map<string, number[]>();
  const exams: Outcome[] = [];
  const moved = movedAway(book);
  for (const outcome of [...book.outcomes()].reverse()) {
    const { step, state: is, ours } = outcome;
    const keep = (why: Sentence, more: Partial<Kept> = {}) =>
      kept.push({ step, id: outcome.id, email: step.email, why, gone: false, ...more });
    if (is === 'unknown' || is === 'confirmed') keep(sentence`its outcome is unknown: it may have been carried out`);
    if (createsStudent(step) && is === 'done' && !ours) {
      const shown = await read('session', outcome.id ?? '');
      keep(sentence`another client may have created it`, { email: shown && addressIn(shown, { plain: true }) });
    }
    if (!ours || !['done', 'different', 'duplicate', 'changed', 'gone'].includes(is)) continue;
    if (createsExam(step)) exams.push(outcome);
    else if (moved.has(outcome.index)) keep(sentence`its student was moved there: session ${moved.get(outcome.index)} is deleted`);
    else if (createsStudent(step)) {
      const exam = step.exam ?? (step.made ? book.id(step.made.by) : undefined) ?? step.params.exam_id ?? step.params.id ?? '';
      const reading = readings.get(exam) ?? (await readExam(world.client, world.host, exam, world.keep).catch(() => undefined));
      if (reading) readings.set(exam, reading);
      const found = await deletionOf(world, read, outcome, reading, exam, shownKeys.get(outcome.index));
      if ('why' in found) keep(found.why, found);
      else addTo(deletions, exam, steps.push(found.step) - 1);
      // What is deleted as a whole needs neither its values nor its proctors of before.
    } else if (step.made && book.isOurs(step.made.by)) continue;
    else if (Object.hasOwn(inverses, step.operation.id)) {
      const params = step.made ? { ...step.params, id: book.id(step.made.by) ?? '' } : step.params;
      const found = await valuesBack(world, read, step, params, shownKeys.get(outcome.index));
      if ('why' in found) keep(found.why, found);
      else steps.push({ ...found.step, after: followersIn(steps, step) });
    } else if (step.operation.id === operations.addProctors.id || step.operation.id === operations.removeProctors.id) {
      const body = step.before ?? step.body ?? {};
      if (Object.values(body).flat().length === 0) keep(sentence`it changed nothing`, { gone: true });
      else
        steps.push({
          ...step,
          body,
          before: undefined,
          operation: step.operation.id === operations.addProctors.id ? operations.removeProctors : operations.addProctors,
          made: undefined,
          after: undefined,
          params: step.made ? { ...step.params, [step.made.param]: book.id(step.made.by) ?? '' } : step.params,
        });
    } else keep(sentence`${step.operation.does.replace(/:(\w+)/g, (_, name: string) => step.params[name] ?? '')} cannot be undone`);
  }
  for (const outcome of exams) {
    const exam = outcome.id ?? '';
    const found = await examBack(world, read, outcome, readings, deletions.get(exam) ?? [], steps);
    if ('why' in found) kept.push({ step: outcome.step, id: exam, email: undefined, ...found });
    else steps.push({ ...found.step, after: deletions.get(exam) ?? [] });
  }
  return { steps, kept, readings };
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

type Found = { step: Step } | { why: Sentence; gone: boolean };
type Read = (resource: 'exam' | 'session', id: string) => Promise<JsonObject | undefined>;

/** Of a student whom the run created: deleted while the session is still this student's, and nobody has started. */
async function deletionOf(
  { client, state }: World,
  read: Read,
  { step, id = '' }: Outcome,
  reading: Reading | undefined,
  exam: string,
  shownKey: string | undefined,
): Promise<Found> {
  const shown = reading?.withId(id)?.data ?? (await read('session', id));
  if (!shown) return { why: sentence`it is no longer there`, gone: true };
  const of = examOf(shown, client);
  if (of !== undefined && of !== exam) return { why: sentence`it belongs to exam ${of} by now`, gone: false };
  const other = otherStudent(step, shown, { state }, { shownKey });
  if (other !== undefined) return { why: sentence`${other}`, gone: false };
  const status = statusText(shown.status);
  if (phaseOf(shown.status) !== 'waiting' && status !== null) return { why: sentence`its status is ${status}`, gone: false };
  const email = addressIn(shown, { plain: true });
  return {
    step: { operation: operations.deleteSession, params: { id }, exam, ...(email === undefined ? {} : { email }), expects: { status } },
  };
}

/** An exam that the run created: deleted once its own students are, if nobody else's are in it. */
async function examBack(
  { client, host }: World,
  read: Read,
  { id = '', step }: Outcome,
  readings: Map<string, Reading>,
  own: readonly number[],
  steps: readonly Step[],
): Promise<Found> {
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
    },
  };
}

/** The values of before, while the service shows those that the run has set. */
async function valuesBack(world: World, read: Read, step: Step, params: Step['params'], shownKey: string | undefined): Promise<Found> {
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
    const other = otherStudent(step, shown, { state }, { shownKey });
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
      params: { id: idOf(shown, client) ?? target.id },
      body,
      expects: Object.fromEntries(Object.keys(set).map((field) => [field, shown[field] ?? null])),
      ...(exam === undefined ? {} : { exam }),
      ...(email === undefined || target.resource === 'exam' ? {} : { email }),
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
