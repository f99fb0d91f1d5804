/**
 * Unknown is settled by looking only. What has an ID is read by it; the pool by reading it. A create is looked for at once, and if it is not found, by two readings after the settle time, when a late request has arrived.
 */

import type { Client } from '../api/client.ts';
import { operations } from '../api/operations.ts';
import { CliError, orGone } from '../errors.ts';
import { addressKey } from '../model/address-key.ts';
import { asSent } from '../model/as-sent.ts';
import { count } from '../model/count.ts';
import { addTo } from '../model/groups.ts';
import { idOf } from '../model/id.ts';
import { isJsonObject, type Json, type JsonObject, textOfJson } from '../model/json.ts';
import { typedCommand } from '../model/shell-quote.ts';
import type { HeldRun } from '../state/state.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { withoutVerdict } from './answers.ts';
import type { Book, Said } from './book.ts';
import { settleClaims, studentScope } from './claims.ts';
import { type ListedSession, type Reading, readExam } from './reading.ts';
import { otherStudent } from './relies.ts';
import { createsExam, createsStudent, eachStep, type Step, targetOf } from './step.ts';
import type { StepState } from './step-states.ts';
import { noteShown, orReadError, type World } from './world.ts';

export type SettleParts = {
  world: World;
  run: HeldRun;
  book: Book;
  /** IDs that were there when the run was planned. */
  wasListed(resource: 'exam' | 'session', id: string, exam: string | undefined): boolean;
  /** The keys of the addresses that the service showed of the steps' sessions. */
  shownKeys: Map<number, string>;
  /** Called with each reading of an exam. */
  seen?(reading: Reading): void;
  /** Called before it is waited for late requests. */
  waits?(): void;
};

/** A denied or refused create that a reading decides at once: the service has answered, so no late request can arrive. */
const answeredCodes: ReadonlySet<string> = new Set(['denied', '409', '422', '404']);

export async function settleUnknown(parts: SettleParts): Promise<void> {
  const { book, world } = parts;
  if (book.count('unknown', 'confirmed', 'absent') === 0) return;
  await look(parts, { isLast: false });
  const left = book.count('unknown', 'confirmed');
  if (left === 0 || world.host.interrupted.aborted) return;
  parts.waits?.();
  await waitFor(world, left);
  await look(parts, { isLast: true });
}

async function waitFor({ context, host, settleTime }: World, requests: number): Promise<void> {
  context.say(
    sentence`The outcome of ${count(requests, 'request')} is unknown; looking again in ${Math.ceil(settleTime / 1000)} s, when a late request has arrived.`,
  );
  await context.whileWaiting(() => host.sleep(settleTime));
}

/** Looks at each open step once. `isLast`: late requests have arrived, so what is not there now is absent, or not applied. */
async function look(parts: SettleParts, { isLast }: { isLast: boolean }): Promise<void> {
  const { book } = parts;
  const creates = new Map<string, number[]>();
  // What was absent may have arrived since.
  for (const index of [...book.inState('unknown', 'confirmed', 'absent')]) {
    const step = book.steps.at(index);
    if (!step) continue;
    if (createsStudent(step)) {
      const exam = parts.book.examOf(index);
      if (exam !== undefined) addTo(creates, exam, index);
    } else if (createsExam(step)) await settleExam(parts, index, step, isLast);
    else if (step.operation.resource === 'proctor') await settlePool(parts, index, step, isLast);
    else await settleTarget(parts, index, step, isLast);
  }
  for (const [exam, indices] of creates) await settleStudents(parts, exam, indices, isLast);
}

/** Takes a step to what a look has shown, and records it. */
export function settled(
  parts: Pick<SettleParts, 'world' | 'run' | 'book' | 'shownKeys'>,
  index: number,
  state: StepState,
  said: Said = {},
  more: { id?: string | undefined; ours?: boolean } = {},
) {
  const { book, run, world, shownKeys } = parts;
  const shownKey = shownKeys.get(index);
  if (!book.move(index, state)) return;
  if (['done', 'there', 'absent', 'gone'].includes(state)) book.clear(index);
  book.say(index, said);
  const step = book.steps.at(index);
  if (more.id !== undefined) book.setId(index, more.id, step && createsExam(step) ? 'exam' : 'session');
  if (more.ours !== undefined) book.setOurs(index, more.ours);
  run.record({ n: index + 1, event: state, session: book.id(index), shownKey, ours: book.isOurs(index), code: said.code });
  if (step) settleClaims(step, index, state, parts.book.examOf(index), { world, run, book, shownKey });
}

/** An update or a deletion: reading its target decides. */
async function settleTarget(parts: SettleParts, index: number, step: Step, isLast: boolean): Promise<void> {
  const { world, book } = parts;
  const target = targetOf(step, parts.book.paramsOf(index));
  if (!target) return;
  const get = target.resource === 'exam' ? operations.getExam : operations.getSession;
  const now = await orReadError(orGone(world.client.get(get, { params: { id: target.id } })));
  if (now instanceof CliError) return;
  const { error, code } = book.outcome(index) ?? {};
  const answered = answeredCodes.has(code ?? '');
  const subject = `${target.resource === 'exam' ? 'exam' : 'student session'} ${target.id}`;
  if (step.operation.method === 'DELETE') {
    // The ID of a session that is gone may be another student's by now.
    if (now === undefined || (target.resource === 'session' && otherStudent(step, now, world) !== undefined)) {
      if (code === '404') return settled(parts, index, 'gone', { error });
      return settled(parts, index, 'done', { evidence: sentence`The answer was lost, but ${subject} no longer exists.` }, { ours: true });
    }
    if (answered || isLast) settled(parts, index, 'not_applied', { error: lost(error, sentence`${subject} still exists.`), shown: now });
    return;
  }
  if (now === undefined)
    return settled(parts, index, 'gone', { error: lost(error, sentence`${subject} is no longer there.`, 'not_found') });
  const { different, notShown } = asSent(target.resource, step.body ?? {}, now, world.zone);
  if (different.length + notShown.length === 0) {
    const how = code === 'denied' ? 'The answer says that nothing was done' : 'The answer was lost';
    return settled(parts, index, 'done', { shown: now, evidence: sentence`${how}, but ${subject} was updated.` }, { ours: true });
  }
  if (different.length === 0 && !answered) return;
  if (isLast && !answered && step.made && book.isOurs(step.made.by)) return sendAgain(parts, index);
  if (answered || isLast) {
    const state = code === '409' ? 'rejected' : 'not_applied';
    settled(parts, index, state, {
      error:
        state === 'rejected'
          ? error
          : lost(error, sentence`${subject} shows: ${[...different, ...notShown.map((field) => `${field} is not shown`)].join('; ')}.`),
      shown: now,
    });
  }
}

/** What completes a create of this run and provably did nothing is as before: it may be sent again. */
function sendAgain({ book, run }: SettleParts, index: number) {
  book.restore(index, 'planned');
  run.record({ n: index + 1, event: 'planned' });
}

/** The answer said that nothing was done, and no read shows otherwise. */
function asNotApplied({ message, status }: CliError): CliError {
  return new CliError('not_applied', message, status === undefined ? {} : { status });
}

/** What the lost answer said, and what a read has shown since. */
function lost(error: CliError | undefined, shows: Sentence, code: 'not_applied' | 'not_found' = 'not_applied'): CliError {
  return new CliError(code, sentence`${error ? `${withoutVerdict(error)} ` : ''}Read afterwards: ${shows}`, {
    ...(error?.status === undefined ? {} : { status: error.status }),
  });
}

async function settlePool(parts: SettleParts, index: number, step: Step, isLast: boolean): Promise<void> {
  const { world } = parts;
  const wrong = await orReadError(poolLacks(step, parts.book.paramsOf(index), world.client));
  if (wrong instanceof CliError) return;
  if (wrong.length === 0) return settled(parts, index, 'done', {}, { ours: true });
  const { error, code } = parts.book.outcome(index) ?? {};
  if (isLast || code === 'denied') settled(parts, index, 'not_applied', { error: lost(error, poolShows(step, wrong)) });
}

export function poolShows({ operation }: Step, wrong: readonly string[]): Sentence {
  return sentence`the pool ${operation.method === 'DELETE' ? 'still shows' : 'does not show'} ${wrong.join(', ')}.`;
}

/** The proctors of a request that the pool does not show as they have to be. */
export async function poolLacks({ operation, body = {} }: Step, params: Step['params'], client: Client): Promise<string[]> {
  const wanted = [body[client.dialect.proctorsKey] ?? []].flat().map((value) => textOfJson(value));
  const pool = await client.list(operations.listProctors, { params: { ...params } });
  const shown = new Set(pool.flatMap(valuesIn));
  const removing = operation.method === 'DELETE';
  return wanted.filter((proctor) => shown.has(addressKey(proctor)) === removing);
}

/** All values of a proctor, whose fields the specification leaves open. */
function valuesIn(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(valuesIn);
  return isJsonObject(value) ? Object.values(value).flatMap(valuesIn) : [addressKey(textOfJson(value))];
}

async function settleExam(parts: SettleParts, index: number, step: Step, isLast: boolean): Promise<void> {
  const { world, book } = parts;
  const listing = await orReadError(world.client.list(operations.listExams, {}));
  if (listing instanceof CliError) return;
  const fresh = listing.filter((exam) => {
    const id = idOf(exam);
    return (
      id !== undefined &&
      !parts.wasListed('exam', id, undefined) &&
      book.withId(id, 'exam') === undefined &&
      asSent('exam', step.body ?? {}, exam, world.zone).different.length === 0
    );
  });
  decide(
    parts,
    index,
    fresh.map((data) => ({ id: idOf(data), data })),
    { isLast, hidden: false, strangers: false, what: 'exam' },
  );
}

async function settleStudents(parts: SettleParts, exam: string, indices: readonly number[], isLast: boolean): Promise<void> {
  const { world, book } = parts;
  const read = () => orReadError(readExam(world.client, world.host, exam, world.keep));
  const reading = await read();
  if (reading instanceof CliError) return;
  parts.seen?.(reading);
  // Absent is only what two reads do not show.
  const second = isLast ? await read() : undefined;
  if (second instanceof CliError) return;
  const claims = await world.state.claims(world.origin, studentScope(exam));
  const explained = new Set(claims.flatMap(({ session }) => session ?? []));
  const strangers = hasStrangers(second ?? reading, parts, exam, explained);
  for (const index of indices) {
    const step = book.steps.at(index);
    if (!step) continue;
    const alike = [
      ...new Map([...found(reading, step, world), ...(second ? found(second, step, world) : [])].map((each) => [each.id, each])).values(),
    ];
    decide(parts, index, alike, { isLast, hidden: (step.email ?? step.who) === undefined || strangers, strangers, what: 'session' });
  }
}

function found(reading: Reading, { email, who }: Step, { state }: World): readonly ListedSession[] {
  if (email !== undefined) return reading.withAddress(email);
  if (who === undefined) return [];
  return reading.sessions.filter((session) => session.email !== undefined && state.studentKey(session.email) === who);
}

/** Whether the exam has a new session that no step, and no other run, explains: it may be the student under another address. */
function hasStrangers(reading: Reading, { book, wasListed, world }: SettleParts, exam: string, explained: ReadonlySet<string>): boolean {
  const sent = new Set<string>();
  const keys = new Set<string>();
  for (const [, { email, who }] of eachStep(book.steps)) {
    if (email !== undefined) sent.add(addressKey(email));
    else if (who !== undefined) keys.add(who);
  }
  const isSent = (email: string) => sent.has(addressKey(email)) || (keys.size > 0 && keys.has(world.state.studentKey(email)));
  return reading.sessions.some(
    ({ id, email }) =>
      (id === undefined || (!wasListed('session', id, exam) && book.withId(id) === undefined && !explained.has(id))) &&
      (email === undefined || !isSent(email)),
  );
}

type Candidate = { id: string | undefined; data: JsonObject };

/** `hidden`: it may be there without being found. `strangers`: something new is there that may be it. */
function decide(
  parts: SettleParts,
  index: number,
  candidates: readonly Candidate[],
  { isLast, hidden, strangers, what }: { isLast: boolean; hidden: boolean; strangers: boolean; what: 'exam' | 'session' },
) {
  const { book, wasListed, world } = parts;
  const state = book.state(index);
  const { error, code, step } = book.outcome(index) ?? {};
  const exam = parts.book.examOf(index);
  const isNew = ({ id }: Candidate) => id !== undefined && !wasListed(what, id, exam) && (book.withId(id, what) ?? index) === index;
  const fresh = candidates.filter(isNew);
  const [one, ...others] = fresh;
  if (others.length > 0) {
    const ids = fresh.flatMap(({ id }) => id ?? []);
    return settled(parts, index, 'duplicate', {
      error: new CliError(
        'partly_done',
        sentence`${fresh.length} ${what}s match what was sent: ${ids.join(', ')}. It is unknown which of them this request created.`,
        { hint: sentence`Look at each, and delete the surplus ones: proctor-cli ${typedCommand(`${what}s get`, ids.slice(0, 1))}` },
      ),
    });
  }
  if (one?.id !== undefined) {
    noteShown(world, what, one.id, one.data);
    const which =
      what === 'exam' ? sentence`exam ${one.id} is there now` : sentence`${step?.email ?? 'the student'} is student session ${one.id}`;
    const isRefused = code === 'denied' || code === '409' || code === '422';
    // What was sent before may have come late.
    const said = isRefused && !book.wasAbsent(index);
    return settled(
      parts,
      index,
      said ? 'there' : 'done',
      { shown: one.data, evidence: sentence`The answer was lost or unclear; the list shows that ${which}.` },
      { id: one.id, ours: false },
    );
  }
  const [before] = candidates;
  if (before?.id !== undefined) return settled(parts, index, 'there', { shown: before.data }, { id: before.id, ours: false });
  const mayBeThere = (hidden && code === '409') || (strangers && code === 'denied');
  if (code !== undefined && answeredCodes.has(code) && state === 'unknown' && !mayBeThere)
    return code === 'denied'
      ? settled(parts, index, 'not_applied', { error: error && asNotApplied(error), code })
      : settled(parts, index, 'rejected', { error, code });
  if (isLast && state === 'unknown' && !hidden) {
    settled(parts, index, 'absent', {
      error: new CliError(
        'outcome_unknown',
        sentence`${error ? withoutVerdict(error) : 'The answer was lost.'} Two reads after ${Math.ceil(world.settleTime / 1000)} s do not show it.`,
        {
          ...(error?.status === undefined ? {} : { status: error.status }),
        },
      ),
    });
  }
}
