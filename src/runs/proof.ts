/**
 * The proof at the end: everything that was done is read again, and the result's words come from what is shown. Few sessions are read
 * one by one, many by one reading of their exam; a session that a reading lacks is read by its ID, so that a list which is cut
 * is not taken for a student who is gone.
 */

import { asSent } from '../api/as-sent.ts';
import { examOf, idOf } from '../api/client.ts';
import { operations } from '../api/operations.ts';
import { CliError } from '../errors.ts';
import { addressIn } from '../model/address-key.ts';
import { addTo } from '../model/groups.ts';
import { isJsonObject, type JsonObject } from '../model/json.ts';
import { typedCommand, typedOption } from '../model/shell-quote.ts';
import { sentence } from '../text/sentence.ts';
import type { Book } from './book.ts';
import { type Reading, readExam } from './reading.ts';
import { asListed, otherStudent, unexpected } from './relies.ts';
import { poolLacks, poolShows, type SettleParts, settled } from './settle.ts';
import { createsExam, createsStudent, type Step } from './step.ts';
import { isGood } from './step-states.ts';
import { incompleteListing } from './students-there.ts';
import { lateLooks, orReadError, shownLately, shownNow, type World } from './world.ts';

export type ProofParts = SettleParts & {
  /** Each exam is read as a whole, however few sessions of it there are. */
  whole: boolean;
  /** Gets the steps whose clear answer a read contradicts; absent where they are decided. */
  doubtful?: number[] | undefined;
  /** What was there when the run was planned. */
  before: ReadonlyMap<string, Reading> | undefined;
};

/** Of what was found different, or twice, by an earlier process, the proof finds out what it is now. */
function wasDifferent(book: Book, index: number): boolean {
  const { state, id, sentNow } = book.outcome(index) ?? {};
  return (state === 'different' || state === 'duplicate') && id !== undefined && !sentNow;
}

/** Up to this many sessions of an exam are read one by one. */
const oneByOne = 2;
/** What was forgotten as the proof began has been read by it, however long ago that is. */
const sinceTheProof = Number.POSITIVE_INFINITY;

/** Resolves to the readings of the exams that were read as a whole. An error of a read leaves what the answers said, with a warning. */
export async function prove(given: Omit<ProofParts, 'doubtful'>): Promise<ReadonlyMap<string, Reading>> {
  const doubtful: number[] = [];
  const parts: ProofParts = { ...given, doubtful };
  const { book, world } = parts;
  const readings = new Map<string, Reading>();
  const sessions = new Map<string, number[]>();
  const alone: number[] = [];
  for (let index = 0; index < book.steps.length; index += 1) {
    const isDone = isGood(book.state(index)) || wasDifferent(book, index);
    if (!isDone && !parts.whole) continue;
    const step = book.steps.at(index);
    if (!step || step.operation.id === operations.sendEmails.id) continue;
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
  for (const [exam, indices] of sessions) {
    const isDouble = indices.some((index) => book.state(index) === 'duplicate');
    if (indices.length <= oneByOne && !parts.whole && !isDouble) {
      alone.push(...indices);
      continue;
    }
    await attempt(async () => {
      const reading = await wholeReading(parts, exam, indices);
      readings.set(exam, reading);
      parts.seen?.(reading);
      for (const index of indices) await proveListed(parts, index, reading);
    });
  }
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
      if (isJsonObject(shown) && idOf(shown, world.client) === id && each?.operation.method !== 'DELETE') proveShown(parts, index, shown);
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
  const read = await shownLately(world, 'exam', exam, sinceTheProof);
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

/** The first that is seen of a new session is another address: this service may store it so, and the state remembers which. */
function storedOtherwise(parts: ProofParts, index: number, shown: JsonObject, other: string) {
  const { book, shownKeys, world } = parts;
  const id = book.id(index) ?? '';
  const key = keyAsListed(shown, world);
  if (key !== undefined) shownKeys.set(index, key);
  settled(parts, index, 'different', {
    shown,
    error: new CliError('partly_done', sentence`Student session ${id} was created, but ${other}.`, {
      hint: sentence`Do not create it again. Check it: proctor-cli ${typedCommand('sessions get', [id])}`,
    }),
  });
}

function keyAsListed(shown: JsonObject, { state }: World): string | undefined {
  const stored = addressIn(shown, { plain: true });
  return stored === undefined ? undefined : asListed(state.studentKey(stored));
}

/** `shown`: the target as it is now; undefined where the service does not have it. `masks`: a list shows it, and may hide its address. */
function proveShown(parts: ProofParts, index: number, shown: JsonObject | undefined, masks = false) {
  const { book, world, shownKeys } = parts;
  if (wasDifferent(book, index)) settled(parts, index, book.isOurs(index) ? 'done' : 'there');
  const { step, id = '', state, sentNow = false } = book.outcome(index) ?? {};
  if (!step || state === undefined) return;
  const resource = step.operation.resource === 'exam' ? 'exam' : 'session';
  const subject = `${resource === 'exam' ? 'Exam' : 'Student session'} ${id}`;
  if (step.operation.method === 'DELETE') {
    // The ID of a session that is gone may be another student's by now.
    if (!shown || (resource === 'session' && otherStudent(step, shown, world) !== undefined)) return;
    if (sentNow && parts.doubtful) parts.doubtful.push(index);
    else settled(parts, index, 'not_applied', { error: notApplied(step, sentence`${subject} still exists.`, id), shown });
    return;
  }
  const creates = createsStudent(step) || createsExam(step);
  const created = creates && book.isOurs(index);
  if (!shown) {
    if (sentNow && parts.doubtful) return void parts.doubtful.push(index);
    const error =
      sentNow || created
        ? new CliError('partly_done', sentence`${subject} was ${creates ? 'created' : 'updated'}, but is no longer there.`)
        : new CliError('not_found', sentence`${subject} is no longer there.`, { status: 404 });
    return settled(parts, index, 'gone', { error });
  }
  const other =
    resource === 'session' ? otherStudent(step, shown, world, { shownKey: shownKeys.get(step.made?.by ?? index), masks }) : undefined;
  const given = step.body?.email !== undefined && !creates;
  if (other !== undefined && !given) {
    const isFirst = sentNow || shownKeys.get(index) === keyAsListed(shown, world);
    if (createsStudent(step) && isFirst && book.isOurs(index)) return storedOtherwise(parts, index, shown, other);
    const error = created
      ? new CliError('partly_done', sentence`${subject} was created, but ${other}.`)
      : new CliError(sentNow ? 'partly_done' : 'not_applied', sentence`${subject}: ${other}.`);
    return settled(parts, index, state === 'there' ? 'different' : 'changed', { error, shown });
  }
  const body = creates ? withoutAddress(step) : (step.body ?? {});
  const { different, notShown } = asSent(resource, body, shown, world.zone);
  if (different.length === 0) {
    const hidden = notShown.length > 0 && !creates && state === 'done';
    const evidence = sentence`The service does not show ${notShown.join(', ')} of ${subject.charAt(0).toLowerCase()}${subject.slice(1)}, so it is unknown whether the update changed that.`;
    return book.say(index, { shown, ...(hidden ? { evidence } : {}) });
  }
  const words = different.join('; ');
  if (!creates) {
    if (!isAsBefore(step, resource, shown, world.zone))
      return settled(parts, index, 'different', {
        shown,
        error: new CliError('partly_done', sentence`${subject} was updated, but shows other values than were sent: ${words}.`, {
          hint: sentence`Check it before you retry: proctor-cli ${typedCommand(`${resource}s get`, [id])}`,
        }),
      });
    const { shown: answer } = book.outcome(index) ?? {};
    const saysNo = isJsonObject(answer) && asSent(resource, body, answer, world.zone).different.length > 0;
    if (sentNow && !saysNo && parts.doubtful) return void parts.doubtful.push(index);
    return settled(parts, index, 'not_applied', { error: notApplied(step, sentence`${words}.`, id), shown });
  }
  const command = typedCommand(`${resource === 'exam' ? 'exams' : 'sessions'} update`, [id]);
  settled(parts, index, 'different', {
    shown,
    error: new CliError(
      state === 'there' && !sentNow ? 'differences' : 'partly_done',
      state === 'there'
        ? sentence`${subject} is there already, and differs from what was given: ${words}.`
        : sentence`${subject} was created, but differs from what was sent: ${words}.`,
      { hint: sentence`Do not create it again. To change it: proctor-cli ${command}` },
    ),
  });
}

/** Whether each value that a step replaces is still what it was, as far as that is known. */
function isAsBefore({ body = {}, expects, before }: Step, resource: 'exam' | 'session', shown: JsonObject, zone: string): boolean {
  const old = Object.entries({ ...expects, ...before }).filter(([field]) => Object.hasOwn(body, field));
  return asSent(resource, Object.fromEntries(old), shown, zone).different.length === 0;
}

/** Whose session it is was judged before, in whatever spelling. */
function withoutAddress({ body = {} }: Step): JsonObject {
  const { email: _, ...rest } = body;
  return rest;
}

function notApplied({ operation }: Step, why: string, id: string): CliError {
  const look = typedCommand(`${operation.resource === 'exam' ? 'exams' : 'sessions'} get`, [id]);
  return new CliError('not_applied', sentence`The service accepted the request, but did not carry it out: ${why}`, {
    hint: sentence`Check it before you retry: proctor-cli ${look}`,
  });
}
