/**
 * What was written from here a moment ago: a read that shows the values of before is of a copy that is behind, and is made again until the
 * settle time of that write has passed. Who imports students and then gives them time would miss them otherwise.
 */

import { examOf } from '../api/client.ts';
import type { KnownResource, Shown } from '../api/known.ts';
import type { Context } from '../command.ts';
import { asSent } from '../model/as-sent.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { runOrigin } from '../model/run-origin.ts';
import { sentence } from '../text/sentence.ts';
import { type Reading, readExam } from './reading.ts';
import { recordedRun } from './recorded.ts';
import { createsExam, createsStudent, type Step, type Target, targetOf } from './step.ts';
import { isGood } from './step-states.ts';
import { gets, lateLooks, shownNow, type World } from './world.ts';

/**
 * What was done to an exam or a session lately, the last thing first of all: `now`: the values that it was given; `olds`: of each of these
 * fields the values that it has had before, as far as they are known.
 */
type Written = Target & {
  exam: string | undefined;
  run: string;
  at: number;
  is: 'created' | 'updated' | 'deleted';
  now: JsonObject;
  olds: Readonly<Record<string, readonly Json[]>>;
};

type Looking = Pick<World, 'context' | 'client' | 'host' | 'state' | 'settleTime' | 'origin' | 'zone'>;

/** What was written lately from here: as the state had it at that moment, and by this command since. */
type Known = { at: number; written: Promise<Map<string, Written>> };
const knownTo = new WeakMap<Context, Known>();

/** For so long, a plan does not look at the state again. Milliseconds. */
const knownFor = 2000;

/** An exam or a session as a read shows it that is not behind what was written from here. Throws the errors of the read. */
export async function readRecord(context: Context, resource: KnownResource, id: string): Promise<JsonObject> {
  const looking = await lookingFor(context);
  const target = { resource, id };
  const isWritten = (await knownOf(looking, knownFor)).has(keyOf(target));
  const shown = isWritten ? await notBehind(looking, target, await shownNow(looking, resource, id)) : undefined;
  return shown?.data ?? looking.client.get(gets[resource], { params: { id } });
}

/** The students of an exam as a list shows them that is not behind what was written from here. */
export async function readStudents(context: Context, exam: string): Promise<Reading> {
  const looking = await lookingFor(context);
  const { client, host, settleTime } = looking;
  const written = [...(await knownOf(looking, knownFor)).values()].filter((one) => (one.exam ?? exam) === exam);
  let reading = await readExam(client, host, exam);
  const behind = async () => {
    for (const one of written) if (host.now() - one.at < settleTime && (await lacks(context, reading, one))) return one;
    return undefined;
  };
  const first = await behind();
  if (!first) return reading;
  context.say(sentence`The list of exam ${exam} does not show yet what run ${first.run} has done; it is read again.`);
  for await (const _ of lateLooks(looking)) {
    reading = await readExam(client, host, exam);
    if (!(await behind())) break;
  }
  return reading;
}

/** What a list has just shown of an exam or a session, or a read of it where that is behind. */
export async function caughtUp(context: Context, resource: KnownResource, id: string, listed: JsonObject): Promise<JsonObject> {
  const looking = await lookingFor(context);
  await knownOf(looking, knownFor);
  return (await notBehind(looking, { resource, id }, { data: listed }))?.data ?? listed;
}

/** What a read has shown of an exam or a session, made again where it is behind. */
export async function notBehind<Read extends Pick<Shown, 'data'>>(
  world: Looking,
  target: Target,
  read: Read | undefined,
): Promise<Read | Shown | undefined> {
  const isBehind = await behindOf(world);
  let shown: Read | Shown | undefined = read;
  for await (const _ of isBehind(target, read?.data) ? lateLooks(world) : []) {
    shown = await shownNow(world, target.resource, target.id);
    if (!isBehind(target, shown?.data)) break;
  }
  return shown;
}

/** Whether a read shows an exam or a session as it was before what was written from here within the settle time; undefined: it shows none. */
export type IsBehind = (target: Target, shown: JsonObject | undefined) => boolean;

export async function behindOf(world: Looking): Promise<IsBehind> {
  const known = await knownOf(world);
  return (target, shown) => {
    const written = known.get(keyOf(target));
    if (!written || world.host.now() - written.at >= world.settleTime) return false;
    return shown === undefined ? written.is !== 'deleted' : showsOld(written, shown, world.zone);
  };
}

/** Takes a write of the run that is carried out. */
export async function noteWritten(world: World, step: Step, target: Target, { run, exam }: { run: string; exam: string | undefined }) {
  note(await knownOf(world), step, { ...target, exam, run, at: world.host.now() });
}

async function lookingFor(context: Context): Promise<Looking> {
  const [{ host }, settings] = [context, context.settings()];
  const [client, state] = [await context.client(), await context.state()];
  return {
    ...{ context, client, host, state, origin: runOrigin(settings), zone: context.zone() },
    settleTime: 2 * settings.timeoutMilliseconds,
  };
}

/** `within`: how old the look at the state may be; what this command has written is always known. Milliseconds. */
async function knownOf(looking: Looking, within = Number.POSITIVE_INFINITY): Promise<Map<string, Written>> {
  const { context, host } = looking;
  const known = knownTo.get(context);
  if (known && host.now() - known.at <= within) return known.written;
  const written = writtenLately(looking).then(async (lately) => {
    for (const [key, one] of (await known?.written) ?? []) if (!(one.at < (lately.get(key)?.at ?? 0))) lately.set(key, one);
    return lately;
  });
  const now = { at: host.now(), written };
  knownTo.set(context, now);
  return written;
}

function keyOf({ resource, id }: Target): string {
  return `${resource} ${id}`;
}

function note(known: Map<string, Written>, step: Step, about: Omit<Written, 'is' | 'now' | 'olds'>): void {
  const before = known.get(keyOf(about));
  if (createsStudent(step) || createsExam(step)) known.set(keyOf(about), { ...about, is: 'created', now: {}, olds: {} });
  else if (step.operation.method === 'DELETE') known.set(keyOf(about), { ...about, is: 'deleted', now: {}, olds: {} });
  else {
    const now: Record<string, Json> = { ...before?.now };
    const olds: Record<string, readonly Json[]> = { ...before?.olds };
    const replaced: JsonObject = { ...step.expects, ...step.before };
    for (const [field, value] of Object.entries(step.body ?? {})) {
      const were = [now[field], replaced[field]].filter((one) => one !== undefined);
      [now[field], olds[field]] = [value, [...(olds[field] ?? []), ...were]];
    }
    // A list that lacks a session is behind, whatever was set of it after it was created.
    known.set(keyOf(about), { ...about, is: before?.is === 'created' ? 'created' : 'updated', now, olds });
  }
}

/** What the runs did to each exam and session in which something was recorded within the settle time. */
async function writtenLately({ host, state, settleTime, origin }: Looking): Promise<Map<string, Written>> {
  const found = new Map<string, Written>();
  const since = host.now() - settleTime;
  const recent = (await state.runs()).filter((run) => run.origin === origin && run.lastAt >= since);
  for (const { id: run, lastAt: at } of recent.toReversed()) {
    const { book } = await recordedRun(state, run);
    for (const { index, step, state: is, ours, id } of book.outcomes()) {
      if (!ours || !isGood(is) || id === undefined) continue;
      const creates = createsStudent(step) ? ('session' as const) : createsExam(step) ? ('exam' as const) : undefined;
      const target = creates ? { resource: creates, id } : targetOf(step, book.paramsOf(index));
      if (target) note(found, step, { ...target, exam: book.examOf(index), run, at });
    }
  }
  return found;
}

/** Each field that is not as it was set last is as it was before that, or it is not known how it was. */
function showsOld({ resource, now, olds }: Written, shown: JsonObject, zone: string): boolean {
  const shows = (field: string, value: Json) => asSent(resource, { [field]: value }, shown, zone).different.length === 0;
  const others = Object.entries(now).flatMap(([field, value]) => (shows(field, value) ? [] : [field]));
  const wasSo = ([first, ...rest]: readonly Json[], field: string) =>
    first === undefined || [first, ...rest].some((old) => shows(field, old));
  return others.length > 0 && others.every((field) => wasSo(olds[field] ?? [], field));
}

/** Whether a reading shows a session as it was before. What others have done since is no sign of that. */
async function lacks(context: Context, reading: Reading, written: Written): Promise<boolean> {
  if (written.resource === 'exam') return false;
  const listed = reading.withId(written.id);
  if (listed && written.is !== 'deleted') return showsOld(written, listed.data, context.zone());
  if (written.is === 'updated' || (listed !== undefined) === (written.is === 'created')) return false;
  const client = await context.client();
  const shown = await shownNow({ client, host: context.host }, 'session', written.id);
  const isThere = shown !== undefined && (examOf(shown.data, client) ?? reading.exam) === reading.exam;
  return isThere === (written.is === 'created');
}
