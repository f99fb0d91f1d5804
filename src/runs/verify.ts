/** Looks at what was sent, with longer and longer waits, until all is judged (`judge.ts`). */
import type { Client } from '../api/client.ts';
import { operations, studentCreates } from '../api/operations.ts';
import { atOnce, backoff } from '../api/pacer.ts';
import { otherExam, readList } from '../api/reading.ts';
import { CliError, type ErrorCode, orError } from '../errors.ts';
import { addressKey } from '../model/address-key.ts';
import { count, firstInLine } from '../model/count.ts';
import { textOfJson } from '../model/json.ts';
import { keyOf, type Listed, type Listing } from '../model/listing.ts';
import { proctorsIn, valuesIn } from '../model/pool.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { type Execution, needsVerifying } from './execution.ts';
import { type Candidate, mayBeAbsent, type Observation, verdictOn } from './judge.ts';
import { freshMs, maxSingleReads, type Running, readOne, serviceAge, shortList, steadyNow, transitionLater } from './running.ts';
import { creates, examOfStep, kindOf, listedAs, type Resource, resourceOf, type Step, showsAll } from './step.ts';

/** After so long, a person is told what is awaited. Milliseconds. */
const saidAfter = 3_000;
const longestWait = 5_000;
/** Nothing that was sent so long ago is still on its way. Milliseconds. */
const longAgo = 600_000;

/** `owned`: by exam, the sessions that runs from here know: none of them is a stranger. `isLast`: nothing can come any more. */
type Turn = Running & {
  sights: Map<Execution, Observation>;
  owned: ReadonlyMap<string | undefined, ReadonlySet<string>>;
  isLast(item: Execution): boolean;
};

/** An error of a read leaves what the answers said. */
export async function verify(running: Running): Promise<void> {
  const { items, host, context, zone, settleTimeMs: settleTime, stop, run } = running;
  const left = items.filter(needsVerifying);
  const began = steadyNow(host);
  // What another process sent is as old as the service's clock says: this machine's may have been set.
  for (const item of left) item.since ??= began;
  const overAt = ({ since = began }: Execution) => since + settleTime;
  let isSaid = false;
  for (let turn = 1; left.length > 0 && !stop.endsLooking; turn += 1) {
    const sights = new Map<Execution, Observation>();
    const owned = await ownedIn(running, left);
    const now = steadyNow(host);
    const isLast = (item: Execution) => now >= overAt(item) || (serviceAge(running, item) ?? 0) >= longAgo;
    const failed = await observe({ ...running, sights, owned, isLast }, left);
    if (failed?.status === 401) stop.stop(failed);
    if (stop.endsLooking) return;
    for (const item of left.splice(0)) {
      const sight = sights.get(item);
      const verdict = sight && verdictOn(item, sight, { isLast: isLast(item), zone, run: run.run.id });
      if (verdict) transitionLater(running, item, verdict);
      else if (!isLast(item)) left.push(item);
      else if (failed) transitionLater(running, item, { state: 'unknown', error: item.error ?? unread(failed) });
    }
    if (left.length === 0) return;
    const rest = Math.max(...left.map(overAt)) - steadyNow(host);
    if (!isSaid && steadyNow(host) - began >= saidAfter) {
      isSaid = true;
      context.say(awaited(left, rest));
    }
    const wait = Math.max(1, Math.min(backoff(turn), longestWait, rest));
    await context.whileWaiting(() => host.sleep(wait)).catch(() => {});
  }
}

function unread({ message }: CliError): CliError {
  return new CliError('outcome_unknown', sentence`The service accepted the request, and the result could not be read: ${message}`);
}

function awaited(left: readonly Execution[], milliseconds: number): Sentence {
  const ids = left.flatMap(({ id, step }) => id ?? step.exam ?? []);
  const which = ids.length === 0 ? '' : ` (${firstInLine(ids, (id) => id, 3)})`;
  const seconds = Math.ceil(milliseconds / 1000);
  return sentence`The result of ${count(left.length, 'request')}${which} is not shown yet; it is looked up for ${seconds} s at most.`;
}

async function ownedIn({ record, origin }: Running, left: readonly Execution[]): Promise<Turn['owned']> {
  const lost = left.filter(({ step, id }) => creates(step) && id === undefined);
  const byExam = await Promise.all(
    [...Map.groupBy(lost, listOf).keys()].flatMap((exam) => {
      if (exam === alone) return [];
      const filter = exam === undefined ? { ops: [operations.createExam.id] } : { exams: [exam], ops: studentCreates };
      return record.find(origin, filter).then((rows) => [exam, new Set(rows.flatMap(({ session }) => session ?? []))] as const);
    }),
  );
  return new Map(byExam);
}

const endsReading: ReadonlySet<ErrorCode> = new Set(['network', 'timeout', 'token_refused', 'not_logged_in']);

/** Resolves to the first failure of a read, which leaves its steps without a sight. */
async function observe(turn: Turn, left: readonly Execution[]): Promise<CliError | undefined> {
  const { client, sights } = turn;
  const reads: (() => Promise<unknown>)[] = [];
  for (const [exam, of] of Map.groupBy(left, listOf)) {
    const isListed = exam !== alone && (of.length > maxSingleReads || of.some(({ step }) => creates(step)));
    if (isListed) reads.push(() => observeInList(turn, exam, of));
    else reads.push(...of.map((item) => async () => sights.set(item, await observeOne(turn, item))));
  }
  let failed: CliError | undefined;
  const read = async (act: () => Promise<unknown>) => {
    if (failed && endsReading.has(failed.code)) return;
    const result = await orError(act());
    if (result instanceof CliError) failed ??= result;
  };
  await client.pacer.map(reads, read, atOnce(reads.length));
  return failed;
}

const alone = Symbol('alone');

/** The exam whose list shows what became of a step; undefined: that of all exams. */
function listOf({ step }: Execution): string | undefined | typeof alone {
  if (kindOf(step) === 'new exam') return undefined;
  return resourceOf(step) === 'session' ? (examOfStep(step) ?? alone) : alone;
}

async function observeOne(running: Running, item: Execution): Promise<Observation> {
  const kind = kindOf(item.step);
  if (kind === 'mails') return (await import('./mails.ts')).seeMails(running.client, item);
  if (kind === 'pool') return { is: 'pool', wrong: await poolLacks(item.step, running.client) };
  return byId(running, item);
}

async function observeInList(turn: Turn, exam: string | undefined, of: readonly Execution[]): Promise<void> {
  const { client, sights, stop } = turn;
  const list = await orError(readList(client, exam));
  if (list instanceof CliError) {
    if (list.code !== 'list_in_doubt') throw list;
    stop.stop(list);
    const known = of.filter(({ id }) => id !== undefined);
    await client.pacer.map(known, async (item) => sights.set(item, await byId(turn, item)), atOnce(known.length));
    throw list;
  }
  const explained = explainedIn(turn, list, of);
  const candidates = (item: Execution) => candidatesIn(turn, { list, explained }, item);
  const see = async (item: Execution): Promise<Observation> => {
    const { id, step } = item;
    if (id === undefined) return candidates(item);
    const listed = list.withId(id);
    // A list may be late, or leave out a field: the record itself says it.
    const isWhole = listed && showsAll(listed.data, step.body);
    const sight: Observation = isWhole ? { is: 'shown', data: listed.data } : await byId(turn, item);
    // The ID in its answer is that of another exam's student.
    if (sight.is === 'not there' && sight.isElsewhere && creates(step)) return candidates(item);
    if (sight.is !== 'shown') return sight;
    if (!listed && turn.isLast(item)) stop.stop(shortList(exam, id));
    return { ...sight, isUnlisted: !listed, ...alikeIn(turn, list, item) };
  };
  await client.pacer.map(of, async (item) => sights.set(item, await see(item)), atOnce(of.length));
}

function alikeIn(running: Running, list: Listing, { id: own, step }: Execution) {
  if (resourceOf(step) === 'exam') return {};
  const ids = list.of(step).flatMap(({ id }) => id ?? []);
  const added = ids.filter((id) => id === own || !running.wasThere.has(listedAs('session', id)));
  const alike = added.filter((id) => id === own || isNew(running, 'session', id));
  return { alike, isOther: added.length > 0 && !added.includes(own ?? '') };
}

/** It was not there before, and no step is known to have created it. */
function isNew({ wasThere, creatorsById }: Running, resource: Resource, id: string): boolean {
  return !wasThere.has(listedAs(resource, id)) && !creatorsById.has(`${resource} ${id}`);
}

async function byId(running: Running, { step, id = '' }: Execution): Promise<Observation> {
  const resource = resourceOf(step);
  const shown = await readOne(running, resource, id);
  if (!shown) return { is: 'not there' };
  const isElsewhere = resource === 'session' && otherExam(examOfStep(step), shown.data, running.client) !== undefined;
  return isElsewhere ? { is: 'not there', isElsewhere } : { is: 'shown', data: shown.data };
}

/** By the new records that other creates of unknown outcome explain: one each. */
type Explained = ReadonlyMap<string, Execution>;

function explainedIn(running: Running, list: Listing, of: readonly Execution[]): Explained {
  const lost = of.filter(({ id, step }) => id === undefined && creates(step));
  return new Map(
    lost.flatMap((item) => {
      const ids = list.of(item.step).flatMap(({ id }) => id ?? []);
      const first = ids.find((id) => isNew(running, resourceOf(item.step), id));
      return first === undefined ? [] : [[first, item] as const];
    }),
  );
}

/** What a create without a proven ID may have made: a stranger, too, under another address. */
async function candidatesIn(
  turn: Turn,
  { list, explained }: { list: Listing; explained: Explained },
  item: Execution,
): Promise<Observation> {
  const { creatorsById, client, owned } = turn;
  const { step } = item;
  const resource = resourceOf(step);
  // What another step has created may be stored under this address.
  const shown = list.of(step).filter(({ id }) => id !== undefined && !creatorsById.has(`${resource} ${id}`));
  const exam = resource === 'exam' ? undefined : examOfStep(step);
  const own = owned.get(exam);
  const isStranger = ({ id }: Listed) =>
    id !== undefined && isNew(turn, resource, id) && !own?.has(id) && (explained.get(id) ?? item) === item;
  const isFound = resource === 'exam' && keyOf(step, client.dialect) !== undefined;
  const strangers = isFound ? [] : list.all.filter(isStranger);
  const found = await client.pacer.map(shown, async ({ id = '', data }): Promise<Candidate> => {
    // A list may leave out a field: the record itself says it.
    const whole = showsAll(data, step.body) ? undefined : await readOne(turn, resource, id);
    return { id, data: { ...data, ...whole?.data }, isNew: isNew(turn, resource, id) };
  });
  const isDoubtful = found.length + strangers.length === 0 && mayBeAbsent(item) && turn.isLast(item);
  const lacking = isDoubtful ? await lackingIn(turn, list, exam) : undefined;
  if (lacking) turn.stop.stop(lacking);
  return { is: 'candidates', found, strangers: strangers.flatMap(({ id }) => id ?? []), lacking };
}

/** The error for a list without what a run from here has created, and what its own GET still shows. */
async function lackingIn({ owned, ...running }: Turn, list: Listing, exam: string | undefined): Promise<CliError | undefined> {
  const resource = exam === undefined ? 'exam' : 'session';
  for (const id of owned.get(exam) ?? []) {
    if (list.withId(id)) continue;
    const shown = await readOne(running, resource, id, freshMs);
    if (shown && otherExam(exam, shown.data, running.client) === undefined) return shortList(exam, id);
  }
  return undefined;
}

/** The proctors whom the pool does not show as the request demands. */
export async function poolLacks({ operation, params, body }: Step, client: Client): Promise<string[]> {
  const wanted = proctorsIn(body, client.dialect).map(textOfJson);
  const pool = await client.list(operations.listProctors, { params });
  const shown = new Set(pool.flatMap(valuesIn));
  return wanted.filter((proctor) => shown.has(addressKey(proctor)) === (operation.method === 'DELETE'));
}
