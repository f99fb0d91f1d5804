/**
 * The proof at the end: everything that was done is read again, and the result's words come from what is shown. Few sessions are read
 * one by one, many by one reading of their exam; a session that a reading lacks is read by its ID, so that a list which is cut
 * is not taken for a student who is gone.
 */

import { examOf } from '../api/client.ts';
import { operations } from '../api/operations.ts';
import { CliError } from '../errors.ts';
import { addTo } from '../model/groups.ts';
import { idOf } from '../model/id.ts';
import { isJsonObject, type JsonObject } from '../model/json.ts';
import { typedCommand, typedOption } from '../model/shell-quote.ts';
import { sentence } from '../text/sentence.ts';
import { behindOf, notBehind } from './own-writes.ts';
import { proveShown, type ShownParts, wasDifferent } from './prove-shown.ts';
import { type Reading, readExam } from './reading.ts';
import { unexpected } from './relies.ts';
import { poolLacks, poolShows, settled } from './settle.ts';
import { createsStudent } from './step.ts';
import { isGood } from './step-states.ts';
import { incompleteListing } from './students-there.ts';
import { lateLooks, orReadError, shownLately, shownNow, type World } from './world.ts';

export type ProofParts = ShownParts & {
  /** Each exam is read as a whole, however few sessions of it there are. */
  whole: boolean;
  /** What was there when the run was planned. */
  before: ReadonlyMap<string, Reading> | undefined;
};

/** Up to this many sessions of an exam are read one by one. */
const oneByOne = 2;
/** What was forgotten as the proof began has been read by it, however long ago that is. */
const sinceTheProof = Number.POSITIVE_INFINITY;

/** Resolves to the readings of the exams that were read as a whole. An error of a read leaves what the answers said, with a warning. */
export async function prove(given: Omit<ProofParts, 'doubtful' | 'isBehind'>): Promise<ReadonlyMap<string, Reading>> {
  const doubtful: number[] = [];
  const parts: ProofParts = { ...given, doubtful, isBehind: await behindOf(given.world) };
  const { book, world } = parts;
  const readings = new Map<string, Reading>();
  const sessions = new Map<string, number[]>();
  const alone: number[] = [];
  for (let index = 0; index < book.steps.length; index += 1) {
    const isDone = isGood(book.state(index)) || wasDifferent(book, index);
    if (!isDone && !parts.whole) continue;
    const step = book.steps.at(index);
    if (!step) continue;
    const exam = parts.book.examOf(index);
    if (!isDone) {
      if (exam !== undefined && !sessions.has(exam)) sessions.set(exam, []);
      continue;
    }
    if (step.operation.resource !== 'session' || exam === undefined) alone.push(index);
    else addTo(sessions, exam, index);
  }
  const failed: CliError[] = [];
  const attempt = async (act: () => Promise<void>) => {
    const error = await orReadError(act());
    if (error instanceof CliError) failed.push(error);
  };
  const whole: [exam: string, indices: number[]][] = [];
  for (const [exam, indices] of sessions) {
    const isDouble = indices.some((index) => book.state(index) === 'duplicate');
    if (indices.length <= oneByOne && !parts.whole && !isDouble) alone.push(...indices);
    else whole.push([exam, indices]);
  }
  const proveWhole = async ([exam, indices]: (typeof whole)[number]) => {
    const reading = await wholeReading(parts, exam, indices);
    readings.set(exam, reading);
    parts.seen?.(reading);
    for (const index of indices) await proveListed(parts, index, reading);
  };
  await world.client.pacer.each(whole, (one) => attempt(() => proveWhole(one)));
  const exams = examsReliedOn(parts);
  // What was seen before the proof proves nothing; what it sees serves all steps about the same exam or session.
  for (const exam of exams.keys()) world.client.known.forget('exam', exam);
  for (const index of alone) {
    const { step, id = '' } = book.outcome(index) ?? {};
    if (step) world.client.known.forget(step.operation.resource === 'exam' ? 'exam' : 'session', id);
  }
  const byTarget = Map.groupBy(alone, (index) => `${book.steps.at(index)?.operation.resource} ${book.outcome(index)?.id ?? index}`);
  await world.client.pacer.each(byTarget.values(), (indices) => attempt(() => proveAlone(parts, indices)));
  await world.client.pacer.each(exams, ([exam, indices]) => attempt(() => proveExam(parts, exam, indices)));
  await proveDoubtful({ ...parts, doubtful });
  const [first] = failed;
  if (first && parts.whole) throw first;
  if (first) world.context.warn(sentence`warning: the result could not be read again to verify it: ${first.message}`);
  return readings;
}

/** What the service said yes to and a read does not show: the read may be of a copy that is behind, and is made again until it shows it, or the settle time has passed. */
async function proveDoubtful({ doubtful, ...parts }: ProofParts & { doubtful: readonly number[] }): Promise<void> {
  const { world, book } = parts;
  let left = doubtful;
  const prove = async (index: number, again: number[] | undefined) => {
    const { step, id = '' } = book.outcome(index) ?? {};
    if (!step) return;
    world.client.known.forget(step.operation.resource === 'exam' ? 'exam' : 'session', id);
    await proveAlone({ ...parts, doubtful: again }, [index]);
  };
  for await (const _ of left.length > 0 ? lateLooks(world) : []) {
    const again: number[] = [];
    await world.client.pacer.each(left, (index) => prove(index, again));
    left = again;
    if (left.length === 0) return;
  }
  await world.client.pacer.each(left, (index) => prove(index, undefined));
}

/** A list may be late: while it lacks a session that is in the exam, it is read again for as long as a late request is waited for. */
async function wholeReading(parts: ProofParts, exam: string, indices: readonly number[]): Promise<Reading> {
  const { world, book, before } = parts;
  const { client, host } = world;
  const deleted = new Set<string>();
  const expected = new Set<string>();
  for (const index of indices) {
    const { step, id } = book.outcome(index) ?? {};
    if (id !== undefined) (step?.operation.method === 'DELETE' ? deleted : expected).add(id);
  }
  if (parts.whole) for (const { id } of before?.get(exam)?.sessions ?? []) if (id !== undefined && !deleted.has(id)) expected.add(id);
  for (const looks = lateLooks(world); ; ) {
    const reading = await readExam(client, host, exam, world.keep);
    const unlisted = await firstLiving(
      world,
      exam,
      [...expected].filter((id) => !reading.withId(id)),
    );
    if (unlisted === undefined) return reading;
    if ((await looks.next()).done) throw incompleteListing(exam, unlisted);
  }
}

/** Sessions that are read at a time to see whether one of them is in the exam. */
const readAtOnce = 8;

/** The first of these sessions that is in the exam. */
async function firstLiving(world: World, exam: string, ids: readonly string[]): Promise<string | undefined> {
  for (let from = 0; from < ids.length; from += readAtOnce) {
    const some = ids.slice(from, from + readAtOnce);
    const living = await world.client.pacer.map(some, async (id) => {
      const read = await shownNow(world, 'session', id);
      return read !== undefined && (examOf(read.data, world.client) ?? exam) === exam;
    });
    const found = some.find((_, at) => living[at]);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function proveAlone(parts: ProofParts, indices: readonly number[]): Promise<void> {
  const { world, book } = parts;
  const [first = 0] = indices;
  const outcome = book.outcome(first);
  if (!outcome) return;
  const { step, id } = outcome;
  if (step.operation.resource === 'proctor') {
    for (const index of indices) await provePool(parts, index);
    return;
  }
  if (id === undefined) return;
  const resource = step.operation.resource === 'exam' ? 'exam' : 'session';
  const read = await orReadError(shownLately(world, resource, id, sinceTheProof));
  if (read instanceof CliError) {
    // What cannot be read again is what its answer showed.
    for (const index of indices) {
      const { shown, step: each } = book.outcome(index) ?? {};
      if (isJsonObject(shown) && idOf(shown) === id && each?.operation.method !== 'DELETE') proveShown(parts, index, shown);
    }
    throw read;
  }
  const shown = read?.data;
  for (const index of indices) proveShown(parts, index, shown);
}

async function provePool(parts: ProofParts, index: number): Promise<void> {
  const { step, sentNow } = parts.book.outcome(index) ?? {};
  const wrong = step ? await poolLacks(step, parts.book.paramsOf(index), parts.world.client) : [];
  if (!step || wrong.length === 0) return;
  if (sentNow && parts.doubtful) return void parts.doubtful.push(index);
  settled(parts, index, 'not_applied', {
    error: new CliError('not_applied', sentence`The service accepted the request, but ${poolShows(step, wrong)}`),
  });
}

/** The exams from whose times something was computed and set, each with those steps. */
function examsReliedOn({ book }: ProofParts): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const index of book.inState('done', 'different')) {
    if (book.state(index) === 'different' && !wasDifferent(book, index)) continue;
    const exam = book.steps.at(index)?.expectsExam === undefined ? undefined : book.examOf(index);
    if (exam !== undefined && book.isOurs(index)) addTo(found, exam, index);
  }
  return found;
}

/** An exam that moved in the instant of a write: what was computed from it is named, with both values. */
async function proveExam(parts: ProofParts, exam: string, indices: readonly number[]): Promise<void> {
  const { world, book } = parts;
  // What this run has set itself is no surprise.
  const own: JsonObject = {};
  for (const { step, state, id } of book.outcomes()) {
    if (step.operation.id === operations.patchExam.id && id === exam && state === 'done') Object.assign(own, step.body);
  }
  const moved = (shown: JsonObject | undefined) =>
    indices.flatMap((index) => {
      const expects = { ...book.steps.at(index)?.expectsExam, ...own };
      const why = shown ? unexpected('exam', expects, shown, world.zone) : 'it is no longer there';
      return why === undefined || book.state(index) !== 'done' ? [] : [{ index, why }];
    });
  const read = await notBehind(world, { resource: 'exam', id: exam }, await shownLately(world, 'exam', exam, sinceTheProof));
  let found = moved(read?.data);
  // A copy that is behind does not show yet what this run has set.
  const mayBeBehind = !read || Object.keys(own).length > 0;
  for await (const _ of found.length > 0 && mayBeBehind ? lateLooks(world) : []) {
    found = moved((await shownNow(world, 'exam', exam))?.data);
    if (found.length === 0) return;
  }
  for (const { index, why } of found) {
    const id = book.outcome(index)?.id ?? '';
    settled(parts, index, 'different', {
      error: new CliError('partly_done', sentence`Student session ${id} was set, but exam ${exam} was moved at the same time: ${why}.`, {
        hint: sentence`Check the exam and its students: proctor-cli preflight ${typedOption('--exam', exam)}`,
      }),
    });
  }
}

async function proveListed(parts: ProofParts, index: number, reading: Reading): Promise<void> {
  const { book, world } = parts;
  const { step, id } = book.outcome(index) ?? {};
  if (!step || id === undefined) return;
  const listed = reading.withId(id);
  if (step.operation.method === 'DELETE' && !listed) return;
  if (listed) {
    // By the address that was sent, and by the one that the service has stored.
    const addresses = [step.email, listed.email].filter((address) => address !== undefined);
    const alike = addresses.map((address) => reading.withAddress(address)).find((some) => some.length > 1);
    if (createsStudent(step) && alike)
      return double(
        parts,
        index,
        alike.flatMap((each) => each.id ?? []),
      );
    return proveShown(parts, index, listed.data, listed.email === undefined);
  }
  const shown = (await shownNow(world, 'session', id))?.data;
  const [own] = shown || !createsStudent(step) || step.email === undefined ? [] : reading.withAddress(step.email);
  const isNew = own?.id !== undefined && !parts.wasListed('session', own.id, reading.exam) && book.withId(own.id) === undefined;
  if (!own || !isNew) return proveShown(parts, index, shown);
  // The answer named a session that is not there, and the student has another one.
  settled(parts, index, 'done', {}, { id: own.id, ours: false });
  proveShown(parts, index, own.data);
}

function double(parts: ProofParts, index: number, ids: readonly string[]) {
  const { book } = parts;
  const own = ids.filter((id) => book.withId(id) !== undefined && book.isOurs(book.withId(id) ?? -1));
  const which = own.length === 0 ? 'none of them' : own.length === 1 ? `session ${own[0]}` : `sessions ${own.join(', ')}`;
  const error = new CliError(
    'partly_done',
    sentence`The exam has ${ids.length} students with this address (sessions ${ids.join(', ')}); this run created ${which}.`,
    {
      hint:
        own.length > 0
          ? sentence`To delete what this run created: proctor-cli ${typedCommand('sessions delete', own)}`
          : sentence`Look at each session, and delete the surplus ones: proctor-cli ${typedCommand('sessions get', ids.slice(0, 1))}`,
    },
  );
  settled(parts, index, 'duplicate', { error });
}
