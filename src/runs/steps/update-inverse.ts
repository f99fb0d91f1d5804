/** The inverse of an update, and why its target stays as it is. */
import { differences, replacedBy, shownOf, showsValue } from '../../model/compare.ts';
import { along, examTimes, restrictionsOf, ruleAgainst, ruleOf } from '../../model/fields.ts';
import { booleanIn, type Json, type JsonObject } from '../../model/json.ts';
import { addressIn, otherStudent } from '../../model/listing.ts';
import { phaseOf } from '../../model/status.ts';
import { formatTime, instantOf, type TimeFormat } from '../../model/time.ts';
import type { Execution } from '../execution.ts';
import { gone, type Inverse, isOwn, mayBeReset, type Stays, stays, type Undoing } from '../undoing.ts';
import { examTimesMovedBy, isUnmoved } from './moved-times.ts';
import { isUpdate, nothingRequired, type Resource, resourceOf, showsAs, stepsOf, type Update } from './step.ts';
import { barred } from './target.ts';

/** Sets values back, while the service shows those that the run has set. */
export async function inverse(undoing: Undoing, execution: Execution<Update>): Promise<Inverse | undefined> {
  const { step, id = '', exam } = execution;
  const { resource, requires } = step;
  const shown = undoing.found.shown.get(execution) ?? {};
  const body = oldValues(undoing, execution);
  const kept = (await whyKept(undoing, execution, body)) ?? (await blockerOf(undoing, execution)) ?? crossedTimes(undoing, execution);
  if (kept) return kept;
  const { lost, others } = changedByPut(undoing, execution);
  const unset = Object.keys(lost).filter((field) => !Object.hasOwn(body, field));
  if (unset.length > 0) undoing.kept.push({ step, id, exam, ...stays`no update can set its ${unset.join(', ')} again` });
  const { different } = differences(resource, others, shown, undoing.engine.zone);
  if (different.length > 0) undoing.kept.push({ step, id, exam, ...stays`somebody else may have changed it: ${different.join('; ')}` });
  const target = shownOf(Object.keys(body), shown);
  const student = { email: resource === 'session' ? addressIn(shown) : undefined, number: undefined };
  const again = { ...nothingRequired, target, notIn: requires.notIn };
  return stepsOf([{ kind: 'update', resource, id, exam, method: 'PATCH', student, body, requires: again, previous: target }]);
}

function oldValues(undoing: Undoing, execution: Execution<Update>): JsonObject {
  const { timeFormat } = undoing.engine.client.dialect;
  const { body, resource, previous } = execution.step;
  const old = { ...changedByPut(undoing, execution).lost, ...shownOf(Object.keys(body), previous) };
  const isSettable = (field: string) => Object.hasOwn(body, field) || !ruleAgainst(resource, 'update', field);
  const values = Object.entries(old).filter(([field]) => isSettable(field));
  return Object.fromEntries(values.map(([field, value]) => [field, asTaken(resource, field, value, timeFormat)]));
}

/**
 * The values that fields had before a PUT that left them out, and that show another value since. `lost`: the service may have reset them.
 * `others`: somebody else may have set the values that they show now.
 */
function changedByPut({ found }: Undoing, execution: Execution<Update>): { lost: JsonObject; others: JsonObject } {
  const { step, untouched = {}, lastSeen = {} } = execution;
  const { resource, method } = step;
  if (method === 'PATCH') return { lost: {}, others: {} };
  const shown = found.shown.get(execution) ?? {};
  const isAsLeft = (field: string) => showsValue(resource, field, lastSeen[field] ?? null, shown[field] ?? null);
  const isChanged = ([field, value]: [string, Json]) => isAsLeft(field) && !showsValue(resource, field, value, lastSeen[field] ?? null);
  const { lost = [], others = [] } = Object.groupBy(Object.entries(untouched).filter(isChanged), ([field, value]) =>
    mayBeReset(value, lastSeen[field]) ? 'lost' : 'others',
  );
  const restrictions = restrictionsOf(untouched);
  const hasLostOne = lost.some(([field]) => field in restrictions);
  return { lost: { ...(hasLostOne && restrictions), ...Object.fromEntries(lost) }, others: Object.fromEntries(others) };
}

/** Why its target stays as it is, whatever becomes of others. */
async function whyKept(undoing: Undoing, execution: Execution<Update>, old: JsonObject): Promise<Stays | undefined> {
  const { zone } = undoing.engine;
  const { step, reason, answered = {}, lastSeen = {} } = execution;
  const { body: set, resource, previous, requires } = step;
  const shown = undoing.found.shown.get(execution);
  if (!shown) return undoing.missing(resource, execution);
  const unseen = Object.keys(set).filter((field) => !Object.hasOwn(previous, field));
  if (unseen.length > 0) return stays`the service did not show ${unseen.join(', ')} before`;
  const other = resource === 'session' && set.email === undefined ? otherStudent(step.student.email, shown) : undefined;
  if (other !== undefined) return stays`${other}`;
  const bar = barred(requires.notIn, shown);
  if (bar !== undefined) return stays`${bar}`;
  if (differences(resource, old, shown, zone).different.length === 0) return gone`it is as it was before`;
  const { different } = differences(resource, set, shown, zone);
  // What the service has made of a value, its answer has shown.
  const made = { ...set, ...replacedBy(Object.keys(set), answered) };
  if (different.length === 0 || showsAs(resource, made, shown)) return forgottenWindow(undoing, execution);
  const isAsSeen = reason === 'different' && showsAs(resource, replacedBy(Object.keys(set), lastSeen), shown);
  return isAsSeen
    ? stays`it shows other values than were set: ${different.join('; ')}`
    : undoing.changed(execution, different.join('; '), set, shown);
}

/** A window may have moved along with an exam by a step that was forgotten. */
async function forgottenWindow(undoing: Undoing, { step, id = '' }: Execution<Update>): Promise<Stays | undefined> {
  const { executions } = undoing;
  const times = examTimesMovedBy(step);
  const isOfWindow = (each: Execution) => each.isForgotten && resourceOf(each.step) === 'session';
  if (times.length === 0 || !executions.some(isOfWindow)) return undefined;
  const existing = await undoing.existing(id);
  const own = existing?.reading.all.find((session) => times.some((time) => isUnmoved(session, time, executions)));
  if (existing && !own) return undefined;
  return stays`runs forget has erased a step that may have moved the window of session ${own?.id ?? ''} along`;
}

/** An exam's time is not taken from a student whose window stays, nor without its other time, nor a window without its exam's. */
async function blockerOf(undoing: Undoing, execution: Execution<Update>): Promise<Stays | undefined> {
  for (const leader of undoing.dependencies(execution)) {
    if (!isUpdateOf(leader, 'exam') || !isOwn(leader)) continue;
    const kept = await whyKept(undoing, leader, oldValues(undoing, leader));
    if (kept && !kept.gone) return leader.id === execution.id ? kept : stays`exam ${leader.id ?? ''} stays as it is: ${kept.why}`;
  }
  const isHolding = (other: Execution) => {
    if (!isUpdate(other.step) || !undoing.isKept(other)) return false;
    if (other.step.resource === 'exam') return true;
    const own = undoing.found.shown.get(other);
    if (!own && undoing.found.shown.has(other)) return false;
    const follows = examTimes.some((time) => execution.step.body[time] !== undefined && !own?.[along[time]]);
    return follows && phaseOf(own?.status) !== 'finished';
  };
  const held = undoing.followers(execution).find(isHolding);
  return held && stays`${isUpdate(held.step) ? held.step.resource : ''} ${held.id ?? ''} stays as it is`;
}

/** Beside a start that somebody else has set, the old end may come before it. */
function crossedTimes(undoing: Undoing, { step, id }: Execution<Update>): Stays | undefined {
  const { executions, found } = undoing;
  const isBack = (other: Execution): other is Execution<Update> =>
    isUpdateOf(other, step.resource) && other.id === id && isOwn(other) && !undoing.isKept(other);
  const back = executions.filter(isBack);
  const shown = back.map((other) => found.shown.get(other) ?? {});
  const now: JsonObject = Object.assign({}, ...shown, ...back.map((other) => oldValues(undoing, other)));
  const [from, to] = step.resource === 'exam' ? examTimes : examTimes.map((time) => along[time]);
  const [opens, closes] = [from, to].map((time) => instantOf(now[time ?? '']));
  return opens !== undefined && closes !== undefined && closes < opens ? stays`${to} would come before ${from}` : undefined;
}

function isUpdateOf(execution: Execution, resource: Resource): execution is Execution<Update> {
  return isUpdate(execution.step) && execution.step.resource === resource;
}

/** A yes or no, and a time, as the service takes it; a time as it was shown where that would cut it. */
function asTaken(resource: Resource, field: string, value: Json, format: TimeFormat): Json {
  const type = ruleOf(resource, field)?.type;
  if (type === 'boolean') return booleanIn(value) ?? value;
  const instant = type === 'time' ? instantOf(value) : undefined;
  if (instant === undefined) return value;
  const written = formatTime(instant, format);
  return instantOf(written) === instant ? written : value;
}
