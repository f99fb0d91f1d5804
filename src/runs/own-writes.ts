/**
 * What was written from here a moment ago: a read that shows the values of before is of a copy that is behind, and is made again until the
 * settle time of that write has passed. Who imports students and then gives them time would miss them otherwise.
 */
import { asSent } from '../api/as-sent.ts';
import { examOf } from '../api/client.ts';
import type { KnownResource, Shown } from '../api/known.ts';
import type { Context } from '../command.ts';
import type { JsonObject } from '../model/json.ts';
import { runOrigin } from '../state/run-origin.ts';
import { sentence } from '../text/sentence.ts';
import { type Reading, readExam } from './reading.ts';
import { recordedRun } from './recorded.ts';
import { createsExam, createsStudent, type Step, type Target, targetOf } from './step.ts';
import { isGood } from './step-states.ts';
import { gets, lateLooks, shownNow, type World } from './world.ts';

/** What was done last to an exam or a session. `old`: the values before, as far as they are known. */
type Written = Target & { exam: string | undefined; run: string; at: number } & (
    | { is: 'created' | 'deleted' }
    | { is: 'updated'; body: JsonObject; old: JsonObject }
  );

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
  const { host, settleTime, zone } = world;
  const written = (await knownOf(world)).get(keyOf(target));
  const isBehind = (shown: Pick<Shown, 'data'> | undefined) => {
    if (!written || host.now() - written.at >= settleTime) return false;
    if (shown === undefined) return written.is !== 'deleted';
    return written.is === 'updated' && showsOld(written, shown.data, zone);
  };
  let shown: Read | Shown | undefined = read;
  for await (const _ of isBehind(read) ? lateLooks(world) : []) {
    shown = await shownNow(world, target.resource, target.id);
    if (!isBehind(shown)) break;
  }
  return shown;
}

/** Takes a write of the run that is carried out. */
export async function noteWritten(world: World, step: Step, target: Target, run: string): Promise<void> {
  (await knownOf(world)).set(keyOf(target), writtenBy(step, { ...target, exam: undefined, run, at: world.host.now() }));
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

function writtenBy(step: Step, about: Omit<Written, 'is'>): Written {
  if (createsStudent(step) || createsExam(step)) return { ...about, is: 'created' };
  if (step.operation.method === 'DELETE') return { ...about, is: 'deleted' };
  return { ...about, is: 'updated', body: step.body ?? {}, old: { ...step.expects, ...step.before } };
}

/** Of each exam and session the last write of the runs that have ended within the settle time. */
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
      // A list that lacks a session is behind, whatever was set of it afterwards.
      if (!target || (found.get(keyOf(target))?.is === 'created' && step.operation.method !== 'DELETE')) continue;
      found.set(keyOf(target), writtenBy(step, { ...target, exam: book.examOf(index), run, at }));
    }
  }
  return found;
}

function showsOld({ resource, body, old }: Extract<Written, { is: 'updated' }>, shown: JsonObject, zone: string): boolean {
  const replaced = Object.fromEntries(Object.entries(old).filter(([field]) => Object.hasOwn(body, field)));
  const shows = (values: JsonObject) => asSent(resource, values, shown, zone).different.length === 0;
  return !shows(body) && shows(replaced);
}

/** Whether a reading shows a session as it was before. What others have done since is no sign of that. */
async function lacks(context: Context, reading: Reading, written: Written): Promise<boolean> {
  if (written.resource === 'exam') return false;
  const listed = reading.withId(written.id);
  if (written.is === 'updated') return listed !== undefined && showsOld(written, listed.data, context.zone());
  if ((listed !== undefined) === (written.is === 'created')) return false;
  const client = await context.client();
  const shown = await shownNow({ client, host: context.host }, 'session', written.id);
  const isThere = shown !== undefined && (examOf(shown.data, client) ?? reading.exam) === reading.exam;
  return isThere === (written.is === 'created');
}
