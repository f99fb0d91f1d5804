/**
 * Undo is a run, too: its steps are the inverses of what is *ours* of a run and still as the run left it, the last first. What was changed
 * since, what is not ours, and what nothing can take back stays and is named. Computed from the record and from what the service shows now.
 */
import { operations } from '../../api/operations.ts';
import { otherExam } from '../../api/reading.ts';
import { orError } from '../../errors.ts';
import { addressIn } from '../../model/address-key.ts';
import { asSent } from '../../model/as-sent.ts';
import { along, examTimes, ruleOf } from '../../model/fields.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { otherStudent } from '../../model/listing.ts';
import { proctorsIn } from '../../model/pool.ts';
import { phaseOf, statusText } from '../../model/status.ts';
import { formatTime, instantOf, sameInstant } from '../../model/time.ts';
import type { Run } from '../../record/index.ts';
import {
  awaited,
  creates,
  examOfStep,
  type Item,
  isUnknown,
  itemsOf,
  kindOf,
  oldValues,
  type Place,
  type Plan,
  type Resource,
  Roll,
  readOne,
  resourceOf,
  rollOf,
  type Step,
  type World,
} from '../../runs/index.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';

/** Something that stays, and why. `gone`: it is back already, or not there any more: nothing is left to undo. */
export type Kept = { step: Step; id: string | undefined; why: Sentence; gone: boolean };
/** `ofDoubles`: only the doubles of the run are taken back, and the rest stays. */
export type UndoPlan = Plan & { kept: readonly Kept[]; ofDoubles?: true };

type Shown = ReadonlyMap<Item, JsonObject | undefined>;
type Undoing = {
  world: World;
  items: readonly Item[];
  /** The steps that wait for a step, by its index; the sessions that the run has created. */
  followers: ReadonlyMap<number, readonly { item: Item }[]>;
  made: ReadonlySet<string>;
  steps: Step[];
  rolls: Map<string, Roll>;
  shown: Shown;
};
type Stays = Pick<Kept, 'why' | 'gone'>;
type Found = Step | readonly Step[] | Stays;

export async function undoPlaces({ record }: World, run: Run): Promise<Place[]> {
  const exams = new Set((await record.steps(run.id)).flatMap(({ exam }) => exam ?? []));
  return [...exams].flatMap((exam) => [`exam ${exam}` as const, `students ${exam}` as const]);
}

/** Of a run with students who are there twice by it, these are taken back first: the rest of it is as it was to be. */
export async function undoPlan(world: World, run: Run): Promise<UndoPlan> {
  const items = await itemsOf(world.record, run.id);
  const doubles = items.filter(({ ours, reason }) => ours && reason === 'duplicate');
  const plan = doubles.length > 0 && doubles.length < items.length ? await inversesOf(world, items, doubles) : undefined;
  // Whoever asks for the doubles does not ask for the others, also where somebody else has deleted the other sessions meanwhile.
  const isLeft = plan && (plan.steps.length > 0 || plan.kept.some(({ gone }) => !gone));
  return isLeft ? { ...plan, ofDoubles: true } : inversesOf(world, items, items);
}

async function inversesOf(world: World, items: readonly Item[], some: readonly Item[]): Promise<UndoPlan> {
  const shown = new Map<Item, JsonObject | undefined>();
  const updates = items.filter((item) => kindOf(item.step) === 'update' && isOwn(item));
  const read = async (item: Item) => shown.set(item, (await readOne(world, resourceOf(item.step), item.id ?? ''))?.data);
  await world.client.pacer.map(updates, read);
  const waiting = items.flatMap((item) => awaited(item.step).map((by) => ({ by, item })));
  const made = new Set(items.flatMap(({ ours, step, id }) => (ours && creates(step) === 'session' ? (id ?? []) : [])));
  const undoing: Undoing = { world, items, followers: Map.groupBy(waiting, ({ by }) => by), made, steps: [], rolls: new Map(), shown };
  const kept: Kept[] = [];
  const places = new Map<number, readonly number[]>();
  for (const item of some.toReversed()) {
    const { step, index, id } = item;
    const followers = (undoing.followers.get(index) ?? []).map((each) => each.item);
    const inverse = await inverseOf(undoing, item);
    // A time of an exam that it has given is not taken from a student whose window stays as it is, nor without its other time.
    const follows = (other: Item) => examTimes.some((time) => step.body?.[time] !== undefined && !shown.get(other)?.[along[time]]);
    const isHolding = (other: Item) =>
      resourceOf(other.step) === 'exam' || (phaseOf(shown.get(other)?.status) !== 'finished' && follows(other));
    const stay = followers.length === 0 ? [] : kept.filter(({ gone }) => !gone);
    const held = stay.find((each) => followers.some((other) => other.step === each.step && isHolding(other)));
    const subject = held && `${resourceOf(held.step)} ${held.id ?? ''}`;
    const isNeeded = stay.some((each) => each.step.restore && each.step.after?.includes(index));
    const isHeld = isNeeded || (subject !== undefined && kindOf(step) === 'update');
    const found = inverse && isHeld ? stays(sentence`${subject ?? 'the other session'} stays as it is`) : inverse;
    if (found && 'why' in found) kept.push({ step, id, ...found });
    if (!found || 'why' in found) continue;
    const after = followers.flatMap((each) => places.get(each.index) ?? []);
    const first = undoing.steps.length;
    const inverses = 'operation' in found ? [found] : found.map((each) => laterBy(first, each));
    undoing.steps.push(...inverses.map((each) => (after.length === 0 ? each : { ...each, after })));
    places.set(
      index,
      inverses.map((_, at) => first + at),
    );
  }
  const looked = [...undoing.rolls.values()];
  return { steps: undoing.steps, kept, readings: new Map(looked.map(({ reading }) => [reading.exam, reading])), looked };
}

/** A step of several that count among themselves, as one of a plan in which the first of them has this index. */
function laterBy(first: number, { made, ...step }: Step): Step {
  return made ? { ...step, made: { ...made, by: made.by + first } } : step;
}

/** Something of it may stand. Of what was created, a read by its ID shows whether it does. */
function isOwn({ ours, state, reason, step }: Item): boolean {
  const mayStand = state === 'done' || ['different', 'duplicate', 'changed', 'gone'].includes(reason ?? '');
  return ours && (mayStand || creates(step) !== undefined);
}

const outcomeUnknown = sentence`its outcome is unknown: it may have been carried out`;

function stays(why: Sentence, gone = false): Stays {
  return { why, gone };
}

/** The inverse of a step, or why it stays; undefined where nothing of it is there, and where it goes with what it was done to. */
async function inverseOf(undoing: Undoing, item: Item): Promise<Found | undefined> {
  const { step, state, reason } = item;
  if (!isOwn(item)) {
    if (isUnknown(item) || reason === 'closed') return stays(outcomeUnknown);
    const isMaybe = state === 'done' && reason === undefined && creates(step) !== undefined;
    return isMaybe ? stays(sentence`another client may have created it`) : undefined;
  }
  const kind = kindOf(step);
  // It goes with what it was done to, unless that stays as somebody else's.
  const maker = step.made && undoing.items[step.made.by];
  if (maker && creates(step) === undefined && isOwn(maker)) return undefined;
  if (kind === 'student') return deletionOf(undoing, item);
  if (kind === 'new exam') return examBack(undoing, item);
  if (kind === 'update') return valuesBack(undoing, item);
  if (kind === 'pool') return poolBack(undoing, item);
  if (step.restore) return restored(undoing, item, step.restore);
  const what = { deletion: 'a deletion', mails: 'mails', other: 'a request of this kind' }[kind];
  return stays(sentence`${what} cannot be taken back`);
}

/** The student of a session that was moved is put back, where the new session may be deleted, and nobody else has done it. */
async function restored(undoing: Undoing, { step }: Item, restore: readonly Step[]): Promise<Found> {
  const { world, items } = undoing;
  const maker = step.after?.flatMap((by) => items[by] ?? []).find((item) => creates(item.step));
  const moved = maker && (await inverseOf(undoing, maker));
  if (moved && 'why' in moved && !moved.gone) return stays(sentence`session ${maker.id ?? ''} stays: ${moved.why}`);
  const exam = step.exam ?? '';
  const roll = await rollIn(undoing, exam);
  if (!roll) return stays(sentence`the students of exam ${exam} cannot be read`);
  const there = await roll.of(step);
  const unknown = roll.unknown(step);
  if (unknown !== undefined) return stays(sentence`run ${unknown} may have created the student again`);
  if (!there?.id) return restore;
  if (roll.reading.of(step).length > 1) return stays(sentence`the student is in exam ${exam} more than once`);
  const shown = (await readOne(world, 'session', there.id))?.data ?? there.data;
  // Of an undo that was stopped, a time may be left to set.
  const left = restore.filter((each) => {
    const { email: _, ...values } = each.body ?? {};
    return asSent(resourceOf(each), values, shown, world.zone).different.length > 0;
  });
  if (left.some((each) => creates(each)))
    return stays(sentence`the student is in exam ${exam} again, as session ${there.id}, with other values`);
  const set = left.map(({ made: _, ...each }) => ({ ...each, params: { id: there.id ?? '' } }));
  return set.length === 0 ? stays(sentence`the student is in exam ${exam} again, as session ${there.id}`, true) : set;
}

/** A student whom the run created is deleted while the session is still this student's, and the student has not started. */
async function deletionOf(undoing: Undoing, item: Item): Promise<Step | Stays> {
  const { world, followers, made } = undoing;
  const { step, id = '', stored, reason } = item;
  const source = followers.get(item.index)?.find((each) => each.item.step.restore)?.item;
  const old = source && !isOwn(source) ? (await readOne(world, 'session', source.step.params.id ?? ''))?.data : {};
  const isHere = source !== undefined && old !== undefined && otherStudent(step.email, old) === undefined;
  const exam = examOfStep(step);
  const reading = exam === undefined ? undefined : (await rollIn(undoing, exam))?.reading;
  const shown = reading?.withId(id)?.data ?? (await readOne(world, 'session', id))?.data;
  // What was acknowledged may show later.
  if (!shown) return item.seen ? stays(sentence`it is no longer there`, true) : stays(outcomeUnknown);
  const isStored = stored !== undefined && otherStudent(stored, shown) === undefined;
  const other = otherExam(exam, shown, world.client) ?? (isStored ? undefined : otherStudent(step.email, shown));
  if (other !== undefined) return stays(sentence`${other}`);
  const status = statusText(shown.status);
  if (status !== null && phaseOf(status) !== 'waiting') return stays(sentence`its status is ${status}`);
  const email = addressIn(shown);
  const alike = (reading?.of({ email }) ?? []).flatMap((each) => each.id ?? []);
  if (reason === 'duplicate' && alike.length < 2 && !isHere) return stays(sentence`the other session of this address is no longer shown`);
  const others = alike.filter((each) => !made.has(each));
  if (source && !isHere && others.length === 0)
    return stays(sentence`session ${source.step.params.id ?? ''}, in place of which it was created, is no longer there`);
  const beside = others.length > 0 ? others : undefined;
  return { operation: operations.deleteSession, params: { id }, exam, email, expects: { status }, beside };
}

/** An exam that the run created is deleted once its own students are, if it has no others. */
async function examBack(undoing: Undoing, { id = '', step }: Item): Promise<Step | Stays> {
  const { world, steps } = undoing;
  const shown = (await readOne(world, 'exam', id))?.data;
  if (!shown) return stays(sentence`it is no longer there`, true);
  const { examNameKey } = world.client.dialect;
  const { start_time = null, end_time = null, [examNameKey]: name = null } = shown;
  if ((step.body?.[examNameKey] ?? null) !== name) return stays(sentence`it has another name by now`);
  const own = new Set(steps.flatMap(({ operation, params }) => (operation.id === operations.deleteSession.id ? params.id : [])));
  const others = (await rollIn(undoing, id))?.reading.sessions.filter((session) => !own.has(session.id)).length;
  if (others !== 0) return stays(sentence`it has ${others === undefined ? 'perhaps' : others} students that this undo does not delete`);
  return { operation: operations.deleteExam, params: { id }, exam: id, expects: { [examNameKey]: name, start_time, end_time } };
}

/** The values of before, while the service shows those that the run has set. */
function valuesBack({ world, shown: all }: Undoing, item: Item): Step | Stays {
  const { client, zone } = world;
  const { body: set = {}, email, exam, unless } = item.step;
  const [resource, shown, id = ''] = [resourceOf(item.step), all.get(item), item.id];
  if (!shown) return stays(sentence`it is no longer there`, true);
  const old = oldValues(item.step);
  const fields = Object.keys(set);
  const unseen = fields.filter((field) => !Object.hasOwn(old, field));
  if (unseen.length > 0) return stays(sentence`the service did not show ${unseen.join(', ')} before`);
  const other = resource === 'session' && set.email === undefined ? otherStudent(email, shown) : undefined;
  if (other !== undefined) return stays(sentence`${other}`);
  const phase = phaseOf(shown.status);
  if (phase !== undefined && unless?.includes(phase)) return stays(sentence`its status is ${statusText(shown.status) ?? ''}`);
  const body = Object.fromEntries(fields.map((field) => [field, asTaken(resource, field, old[field] ?? null, client.dialect.timeFormat)]));
  if (asSent(resource, body, shown, zone).different.length === 0) return stays(sentence`it is as it was before`, true);
  const { different } = asSent(resource, set, shown, zone);
  if (different.length > 0) return stays(sentence`it was changed since: ${different.join('; ')}`);
  const expected = Object.fromEntries(fields.map((field) => [field, shown[field] ?? null]));
  if (resource === 'exam') return { operation: operations.patchExam, params: { id }, exam: id, body, expects: expected };
  return { operation: operations.patchSession, params: { id }, exam, email: addressIn(shown), body, expects: expected, unless };
}

/** A time as the service takes it; in the form shown if conversion would lose precision. */
function asTaken(resource: Resource, field: string, value: Json, format: Parameters<typeof formatTime>[1]): Json {
  const instant = ruleOf(resource, field)?.type === 'time' ? instantOf(value) : undefined;
  if (instant === undefined) return value;
  const written = formatTime(instant, format);
  return sameInstant(written, value) ? written : value;
}

function poolBack({ world }: Undoing, item: Item): Step | Stays {
  const { operation, params, body, before = body ?? {} } = item.step;
  if (proctorsIn(before, world.client.dialect).length === 0) return stays(sentence`it changed nothing`, true);
  const inverse = operation.method === 'DELETE' ? operations.addProctors : operations.removeProctors;
  return { operation: inverse, params, exam: examOfStep(item.step), body: before };
}

/** The students of an exam; undefined where they cannot be read. One reading serves all steps. */
async function rollIn({ world, rolls }: Undoing, exam: string): Promise<Roll | undefined> {
  const roll = rolls.get(exam) ?? (await orError(rollOf(world, exam)));
  if (!(roll instanceof Roll)) return undefined;
  rolls.set(exam, roll);
  return roll;
}
