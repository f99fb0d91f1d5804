/**
 * Undo is a run, too: its steps are the inverses of what is *owned* of a run and still as it left it, the
 * last first. What was changed since, is not owned or cannot be taken back stays, and is named.
 */
import { operations } from '../../api/operations.ts';
import { otherExam } from '../../api/reading.ts';
import { CliError, orError } from '../../errors.ts';
import { addressIn } from '../../model/address-key.ts';
import { differences, unexpected } from '../../model/compare.ts';
import { along, examTimes, ruleOf } from '../../model/fields.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { otherStudent } from '../../model/listing.ts';
import { proctorsIn } from '../../model/pool.ts';
import { phaseOf, statusText } from '../../model/status.ts';
import { formatTime, instantOf, sameInstant, type TimeFormat } from '../../model/time.ts';
import {
  awaited,
  type Beside,
  creates,
  type Execution,
  type ExistingRecords,
  examOfStep,
  existingSessions,
  isUnknown,
  kindOf,
  type LockScope,
  loadExecutions,
  oldValues,
  type Plan,
  type Resource,
  readOne,
  resourceOf,
  type Step,
  type World,
} from '../../runs/index.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { copiedFrom, timesFor } from '../copy/copied.ts';
import { studentSteps } from '../students/plan-students.ts';
import { moved, movedAlong, shownOf } from '../times/exam-change.ts';
import { changedPool, type DeletedBy, deletionsIn, lastSeen, sessionShown } from './seen-last.ts';

/** Something that stays. `gone`: it is undone or gone already. */
export type NotUndone = {
  step: Step;
  id: string | undefined;
  why: Sentence;
  gone: boolean;
};
/** `ofDoubles`: only the doubles of the run are taken back. */
type UndoPlan = Plan & { kept: readonly NotUndone[]; ofDoubles?: true };

type Undoing = {
  world: World;
  items: readonly Execution[];
  /** By the index of a step: those that wait for it. */
  followers: ReadonlyMap<number, readonly Execution[]>;
  /** Sessions that the run has created. */
  made: ReadonlySet<string>;
  steps: Step[];
  rolls: Map<string, ExistingRecords>;
  /** The targets of updates. */
  shown: ReadonlyMap<Execution, JsonObject | undefined>;
  /** By the index of a creation: by whom the student stays who is in the old exam again. */
  back: Map<number, Beside>;
  deletedBy: DeletedBy;
};
type Stays = Pick<NotUndone, 'why' | 'gone'>;
type Found = readonly Step[] | Stays;

export async function undoPlaces({ record }: World, run: string): Promise<LockScope[]> {
  const exams = new Set((await record.steps(run)).flatMap(({ exam }) => exam ?? []));
  return [...exams].flatMap((exam) => [`exam ${exam}` as const, `students ${exam}` as const]);
}

/** Students who are there twice by the run are taken back first: the rest is as it was to be. */
export async function undoPlan(world: World, run: string): Promise<UndoPlan> {
  const items = await loadExecutions(world.record, run);
  const doubles = items.filter(({ owned, reason }) => owned && reason === 'duplicate');
  if (doubles.length > 0 && doubles.length < items.length) {
    const plan = await inversesOf(world, run, items, doubles);
    // Whoever asks for the doubles does not ask for the others, even if these are gone.
    if (plan.steps.length > 0 || plan.kept.some(({ gone }) => !gone)) return { ...plan, ofDoubles: true };
  }
  return inversesOf(world, run, items, items);
}

async function inversesOf(world: World, run: string, items: readonly Execution[], some: readonly Execution[]): Promise<UndoPlan> {
  const updates = items.filter((item) => kindOf(item.step) === 'update' && isOwn(item));
  const readings = await world.client.pacer.map(updates, ({ step, id = '' }) => readOne(world, resourceOf(step), id));
  const shown = new Map(updates.map((item, at) => [item, readings[at]?.data]));
  const followers = new Map(items.map(({ index }) => [index, [] as Execution[]]));
  for (const item of items) for (const by of awaited(item.step)) followers.get(by)?.push(item);
  const created = items.filter(({ owned, step }) => owned && creates(step) === 'session');
  const made = new Set(created.flatMap(({ id }) => id ?? []));
  const deletedBy = await deletionsIn(world, run, items);
  const undoing: Undoing = { world, items, followers, made, steps: [], rolls: new Map(), shown, back: new Map(), deletedBy };
  const { steps, rolls } = undoing;
  const kept: NotUndone[] = [];
  const places = new Map<number, readonly number[]>();
  for (const item of some.toReversed()) {
    const { step, index, id } = item;
    const inverse = await inverseOf(undoing, item);
    const found = inverse && (blockerOf(undoing, item, kept) ?? inverse);
    if (found && 'why' in found) kept.push({ step, id, ...found });
    if (!found || 'why' in found) continue;
    const after = (followers.get(index) ?? []).flatMap((each) => places.get(each.index) ?? []);
    const isLater = after.length > 0 ? { after } : {};
    const first = steps.length;
    const own = found.map((_, at) => first + at);
    steps.push(...found.map((each) => ({ ...laterBy(first, each), ...isLater })));
    places.set(index, own);
  }
  const looked = [...rolls.values()];
  return {
    steps,
    kept,
    readings: new Map(looked.map(({ reading }) => [reading.exam, reading])),
    looked,
  };
}

/** Why a step is not undone: something that was done after it stays, and needs it. */
function blockerOf({ followers, shown }: Undoing, { step, index }: Execution, kept: readonly NotUndone[]): Stays | undefined {
  const isStaying = (other: Execution) => kept.some((each) => !each.gone && each.step === other.step);
  const staying = (followers.get(index) ?? []).filter(isStaying);
  // An exam's time is not taken from a student whose window stays, nor without its other time.
  const isHolding = (other: Execution) => {
    if (resourceOf(other.step) === 'exam') return true;
    const own = shown.get(other);
    if (!own && shown.has(other)) return false;
    const follows = examTimes.some((time) => step.body?.[time] !== undefined && !own?.[along[time]]);
    return follows && phaseOf(own?.status) !== 'finished';
  };
  if (staying.some((other) => other.step.restore)) return stays`the other session stays as it is`;
  const held = kindOf(step) === 'update' ? staying.find(isHolding) : undefined;
  return held && stays`${resourceOf(held.step)} ${held.id ?? ''} stays as it is`;
}

/** A step of several that count among themselves. `first`: where these begin in the plan. */
function laterBy(first: number, { made, ...step }: Step): Step {
  return made ? { ...step, made: { ...made, by: made.by + first } } : step;
}

/** Something of it may stand: of what was created, a read by its ID shows it. */
function isOwn({ owned, state, reason, step }: Execution): boolean {
  const mayStand = state === 'done' || ['different', 'duplicate', 'changed', 'gone'].includes(reason ?? '');
  return owned && (mayStand || creates(step) !== undefined);
}

function stays(...words: Parameters<typeof sentence>): Stays {
  return { why: sentence(...words), gone: false };
}

function gone(...words: Parameters<typeof sentence>): Stays {
  return { why: sentence(...words), gone: true };
}

/** What is gone was undone only if an undo deleted it. */
function missing({ deletedBy }: Undoing, resource: Resource, id: string): Stays {
  const by = deletedBy(resource, id);
  const said = sentence`it is no longer there${by ? sentence`: run ${by.run} deleted it` : ''}`;
  return by?.isUndo ? gone`${said}` : stays`${said}`;
}

const outcomeUnknown = stays`its outcome is unknown: it may have been carried out`;

/** Undefined where nothing of a step is there, and where it goes with what it was done to. */
async function inverseOf(undoing: Undoing, item: Execution): Promise<Found | undefined> {
  const { step, state, reason } = item;
  if (step.forgotten) return stays`it was forgotten: what it was about is erased`;
  if (!isOwn(item)) {
    if (isUnknown(item) || reason === 'closed') return outcomeUnknown;
    const isMaybe = state === 'done' && reason === undefined && creates(step) !== undefined;
    return isMaybe ? stays`another client may have created it` : undefined;
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
  return stays`${what} cannot be taken back`;
}

/** Puts the student of a moved session back, while the new session stands and can be deleted. */
async function restored(undoing: Undoing, { step }: Execution, recorded: readonly Step[]): Promise<Found> {
  const { world, items } = undoing;
  const maker = step.after?.flatMap((by) => items[by] ?? []).find((item) => creates(item.step));
  const moved = maker && (await inverseOf(undoing, maker));
  if (!moved) return stays`the session in its place is not known`;
  if ('why' in moved) return { ...moved, why: sentence`session ${maker.id ?? ''}: ${moved.why}` };
  const exam = step.exam ?? '';
  const roll = await rollIn(undoing, exam);
  if (!roll) return stays`the students of exam ${exam} cannot be read`;
  const now = (await readOne(world, 'exam', exam))?.data ?? {};
  const restore = recorded.map((each) => movedAlongWith(now, each, world));
  const there = await roll.of(step);
  const unknown = roll.unknown(step);
  if (unknown !== undefined) return stays`run ${unknown} may have created the student again`;
  if (!there?.id) return restore;
  const { id } = there;
  if (roll.reading.of(step).length > 1) return stays`the student is in exam ${exam} more than once`;
  const shown = (await readOne(world, 'session', id))?.data ?? there.data;
  const isLacking = (each: Step) => {
    const { email: _, ...values } = each.body ?? {};
    return differences(resourceOf(each), values, shown, world.zone).different.length > 0;
  };
  const { email: _address, ...shows } = Object.assign({}, ...restore.map(({ body }) => body)) as JsonObject;
  undoing.back.set(maker.index, { exam, ids: [id], shows });
  // Of an undo that was stopped, a time may be left to set.
  const left = restore.filter(isLacking);
  const again = sentence`the student is in exam ${exam} again, as session ${id}`;
  if (left.some(creates)) return stays`${again}, with other values`;
  return left.length === 0 ? gone`${again}` : left.map(({ made: _, ...each }) => ({ ...each, params: { id } }));
}

/** Times of its own, by as much as its exam has moved since they were recorded. */
function movedAlongWith(now: JsonObject, step: Step, { client, zone }: World): Step {
  const { body = {}, expectsExam: then } = step;
  if (!then) return step;
  const times = examTimes.flatMap((time) => {
    const [at = null, from, to] = [body[along[time]], instantOf(then[time]), instantOf(now[time])];
    if (at === null || from === undefined || to === undefined || from === to) return [];
    const until = moved(`The ${along[time]} of ${step.email}`, () => movedAlong(at, from, to, zone));
    return [[along[time], formatTime(until, client.dialect.timeFormat)]];
  });
  return { ...step, body: { ...body, ...Object.fromEntries(times) }, expectsExam: shownOf(examTimes, now) };
}

/** Deletes a student whom the run created, while the session shows all that the run saw of it. */
async function deletionOf(undoing: Undoing, item: Execution): Promise<Found> {
  const { world, followers, made, back } = undoing;
  const { client, zone } = world;
  const { step, id = '', storedAs, reason, index } = item;
  const source = followers.get(index)?.find((other) => other.step.restore);
  const sourceId = source?.step.params.id ?? '';
  const isMoved = source !== undefined && isOwn(source);
  const old = isMoved ? {} : source && (await readOne(world, 'session', sourceId))?.data;
  const isHere = old !== undefined && otherStudent(step.email, old) === undefined;
  const exam = examOfStep(step);
  const reading = exam === undefined ? undefined : (await rollIn(undoing, exam))?.reading;
  const wanted = lastSeen(client, item, followers.get(index));
  const shown = await sessionShown(world, reading, id, wanted);
  // What was acknowledged may show later.
  if (!shown) return item.seen ? missing(undoing, 'session', id) : outcomeUnknown;
  const isStored = storedAs !== undefined && otherStudent(storedAs, shown) === undefined;
  const other = otherExam(exam, shown, client) ?? (isStored ? undefined : otherStudent(step.email, shown));
  if (other !== undefined) return stays`${other}`;
  const status = statusText(shown.status);
  if (phaseOf(status) !== 'waiting') return stays`its status is ${status ?? 'not shown'}`;
  const changed = unexpected('session', wanted, shown, zone);
  if (changed !== undefined) return stays`it was changed since: ${changed}`;
  const email = addressIn(shown);
  const alike = (reading?.of({ email }) ?? []).flatMap((each) => each.id ?? []);
  if (reason === 'duplicate' && alike.length < 2 && !isHere) return stays`the other session of this address is no longer shown`;
  const others = alike.filter((each) => !made.has(each));
  if (source && !isHere && others.length === 0) return stays`session ${sourceId}, in place of which it was created, is no longer there`;
  const stayed = source && isHere ? { ids: [sourceId], exam: source.step.exam } : undefined;
  const beside = isMoved ? back.get(index) : (stayed ?? (others.length > 0 ? { ids: others } : undefined));
  const expects = { ...wanted, status };
  const deletion = { operation: operations.deleteSession, params: { id }, exam, email, number: step.number, expects, beside };
  if (!isMoved || exam === undefined) return [deletion];
  // The inverse of a move is a move.
  const carried = copiedFrom(client, id, shown);
  const expectsExam = timesFor(carried, (await readOne(world, 'exam', exam))?.data ?? {});
  return [{ ...deletion, restore: studentSteps(carried, { params: { exam_id: exam }, exam, expectsExam }, 0) }];
}

/** Deletes an exam that the run created after its own students, if it has no others. */
async function examBack(undoing: Undoing, item: Execution): Promise<Found> {
  const { world, steps, followers } = undoing;
  const { id = '', index } = item;
  const after = followers.get(index) ?? [];
  const shown = (await readOne(world, 'exam', id))?.data;
  if (!shown) return missing(undoing, 'exam', id);
  const expects = lastSeen(world.client, item, after);
  const changed = unexpected('exam', expects, shown, world.zone) ?? (await changedPool(world.client, id, after.filter(isOwn)));
  if (changed !== undefined) return stays`it was changed since: ${changed}`;
  const deletions = steps.filter(({ operation }) => operation.id === operations.deleteSession.id);
  const own = new Set(deletions.map(({ params }) => params.id));
  const roll = await rollIn(undoing, id);
  const others = roll?.reading.sessions.filter((session) => !own.has(session.id)).length;
  if (others !== 0) return stays`it has ${others ?? 'perhaps'} students that this undo does not delete`;
  return [{ operation: operations.deleteExam, params: { id }, exam: id, expects }];
}

/** Sets values back, while the service shows those that the run has set. */
function valuesBack(undoing: Undoing, item: Execution): Found {
  const { world, shown: all } = undoing;
  const { client, zone } = world;
  const { step, id = '' } = item;
  const { body: set = {}, email, exam, unless } = step;
  const shown = all.get(item);
  if (!shown) return missing(undoing, resourceOf(step), id);
  const resource = resourceOf(step);
  const old = oldValues(step);
  const fields = Object.keys(set);
  const unseen = fields.filter((field) => !Object.hasOwn(old, field));
  if (unseen.length > 0) return stays`the service did not show ${unseen.join(', ')} before`;
  const other = resource === 'session' && set.email === undefined ? otherStudent(email, shown) : undefined;
  if (other !== undefined) return stays`${other}`;
  const phase = phaseOf(shown.status);
  if (phase && unless?.includes(phase)) return stays`its status is ${statusText(shown.status) ?? ''}`;
  const { timeFormat } = client.dialect;
  const body: JsonObject = {};
  for (const field of fields) body[field] = asTaken(resource, field, old[field] ?? null, timeFormat);
  if (differences(resource, body, shown, zone).different.length === 0) return gone`it is as it was before`;
  const { different } = differences(resource, set, shown, zone);
  if (different.length > 0) return stays`it was changed since: ${different.join('; ')}`;
  const expects = shownOf(fields, shown);
  if (resource === 'exam') return [{ operation: operations.patchExam, params: { id }, exam: id, body, expects }];
  return [{ operation: operations.patchSession, params: { id }, exam, email: addressIn(shown), body, expects, unless }];
}

/** A time as the service takes it; as it was shown where that would cut it. */
function asTaken(resource: Resource, field: string, value: Json, format: TimeFormat): Json {
  const instant = ruleOf(resource, field)?.type === 'time' ? instantOf(value) : undefined;
  if (instant === undefined) return value;
  const written = formatTime(instant, format);
  return sameInstant(written, value) ? written : value;
}

function poolBack({ world }: Undoing, { step }: Execution): Found {
  const { operation, params, body, before = body ?? {} } = step;
  if (proctorsIn(before, world.client.dialect).length === 0) return gone`it changed nothing`;
  const inverse = operation.method === 'DELETE' ? operations.addProctors : operations.removeProctors;
  return [{ operation: inverse, params, exam: examOfStep(step), body: before }];
}

async function rollIn({ world, rolls }: Undoing, exam: string): Promise<ExistingRecords | undefined> {
  const roll = rolls.get(exam) ?? (await orError(existingSessions(world, exam)));
  if (roll instanceof CliError) return undefined;
  rolls.set(exam, roll);
  return roll;
}
