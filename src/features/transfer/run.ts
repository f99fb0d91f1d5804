/**
 * Students to another exam, one after the other: created there, proven by a read, and only then deleted here.
 * Invariants: no request leaves before its intent is in the journal; no student is created where a listing shows their
 * address, nor while an earlier request may still create them; none is deleted here before a read has shown them
 * there; a student who is in both exams, or may be, is named.
 */
import { batchFailure, type ItemFailure, inBatch } from '../../api/batch.ts';
import { type Client, idOf } from '../../api/client.ts';
import { withFreshRead } from '../../api/fresh-read.ts';
import { operations } from '../../api/operations.ts';
import { perform } from '../../api/perform.ts';
import type { Column, Context, Result, Row } from '../../command.ts';
import { CliError, type ErrorCode, isInterruption, orGone } from '../../errors.ts';
import { addressKey } from '../../model/address-key.ts';
import { booleanIn } from '../../model/boolean.ts';
import { idAs } from '../../model/id.ts';
import { isJsonObject, type JsonObject, stringifyJson } from '../../model/json.ts';
import { typedCommand, typedOption } from '../../model/shell-quote.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { type ChangeJournal, emailOf, type TimeValue } from '../changes/index.ts';
import { type Carried, provenIdentity, provenWindow, unproven } from './proof.ts';
import { addressOf, type Students, sessionsWith, studentsOf } from './students.ts';
import { bodyOf, ownTime, type TransferTask, whyStays } from './task.ts';

export const transferColumns: readonly Column[] = [
  { key: 'session' },
  { key: 'email' },
  { key: 'from' },
  { key: 'to' },
  { key: 'as' },
  { key: 'result' },
  { key: 'problem' },
];

/** `made`: the session in the other exam that a read has shown to be the student's. `found`: it was there before. */
type TransferEnd = {
  is: 'done' | 'left' | 'failed' | 'unknown';
  email: string | null;
  made?: string;
  found?: true;
  error?: CliError;
};

/** What rows say of students who are in both exams. */
const inBoth = 'in both';

/** `before`: rows of students who were moved before. `refused`: what cannot be moved; both are printed and counted. */
/** `follows`: the command did something else before, and that stays done. */
export type TransferWords = { did: string; before?: readonly Row[]; refused?: readonly ItemFailure[]; follows?: boolean };

/** Completes each task; resolves to a row for each, and to how to resume what is open. */
export async function runTransfers(
  context: Context,
  journal: ChangeJournal,
  tasks: readonly TransferTask[],
  { did, before = [], refused = [], follows = false }: TransferWords,
): Promise<Result> {
  const client = await context.uninterruptedClient();
  const world = { context, client, journal, students: new Map<string, Students>() };
  const progress = tasks.length > 1 ? context.progress(tasks.length) : undefined;
  try {
    const { ends, stopped } = await inBatch(tasks, context.host, async (task) => {
      const end = await transfer(world, task);
      progress?.tick(end.is === 'done');
      return end;
    });
    const rows = ends.map(({ item, end }) => transferRow(client, item, end, did));
    const failures = [...ends.flatMap(({ item, end }) => (end?.error ? [{ id: item.session, error: end.error }] : [])), ...refused];
    const open = journal.moves.state() === 'unfinished';
    const resume = sentence`Resume with: proctor-cli ${typedCommand('changes resume', [journal.header.change])}`;
    const double = ends.flatMap(({ item, end }) =>
      !item.stays && end !== undefined && end.is !== 'done' && end.made !== undefined && !end.found ? [end.made] : [],
    );
    const keep =
      double.length === 0
        ? resume
        : sentence`${resume}; to keep ${double.length === 1 ? 'the student' : 'these students'} in the old exam: proctor-cli ${typedCommand('sessions delete', double)}`;
    const hint = open ? keep : undefined;
    const done = ends.filter(({ end }) => end?.is === 'done').length + before.length;
    const untried = ends.filter(({ end }) => end === undefined).length;
    const failure = batchFailure(
      { done, all: rows.length + before.length + refused.length, untried, failures, stopped, follows },
      { did, idType: client.idType('session'), hint: hint ?? failures[0]?.error.hint },
    );
    const all = [...before, ...rows, ...refused.map(({ id, error }) => refusedRow(client, id, error))];
    return { kind: 'list', rows: all, columns: transferColumns, id: 'as', ...(failure ? { failure } : {}) };
  } finally {
    progress?.end();
  }
}

/**
 * `begun`: a request may have been sent. `named`: the session that its answer has named. `made`: the one that is proven
 * to be the student's. `found`: it was there before.
 */
type TransferProgress = { email: string | null; made?: string; named?: string; begun?: true; found?: true };

type TransferWorld = { context: Context; client: Client; journal: ChangeJournal; students: Map<string, Students> };

async function transfer(world: TransferWorld, task: TransferTask): Promise<TransferEnd> {
  const { journal } = world;
  const progress: TransferProgress = { email: null };
  const end = (is: TransferEnd['is'], error?: CliError): TransferEnd => {
    journal.end(task.number, 'set', is);
    const { email, made, found } = progress;
    return { is, email, ...(made === undefined ? {} : { made }), ...(found ? { found } : {}), ...(error ? { error } : {}) };
  };
  try {
    const error = await moved(world, task, progress);
    return error ? end(progress.made !== undefined && !task.stays ? 'failed' : 'left', error) : end('done');
  } catch (error) {
    if (!(error instanceof CliError) || error.code === 'journal_failed') throw error;
    const { made, named, begun, email } = progress;
    if (made !== undefined) return end('failed', task.stays ? error : namedInBoth(task, progress, made, error));
    if (named !== undefined) return end('unknown', namedUnknown(task, email, named, error));
    const unknown = error.code === 'outcome_unknown' || (task.uncertain && begun === undefined);
    return end(unknown ? 'unknown' : 'failed', error);
  }
}

/** Resolves to why the student stays where they are; to undefined once all is done. Throws what keeps it from being completed. */
async function moved(world: TransferWorld, task: TransferTask, progress: TransferProgress): Promise<CliError | undefined> {
  const { client, journal } = world;
  const { session, to, number, stays } = task;
  const before = task.made === undefined ? undefined : await sessionIfThere(client, task.made);
  const source = await sessionIfThere(client, session);
  if (!source) return movedBefore(world, task, before, progress);
  const email = addressOf(source);
  progress.email = email;
  const stay = stays ? (email === null ? 'it shows no address' : undefined) : whyStays(source, { ...task, to }, client);
  if (task.found) progress.found = true;
  if (stay !== undefined || email === null) {
    const why = notMoved(session, stays ? 'copied' : 'moved', stay ?? 'it shows no address');
    if (task.made === undefined || !before || email === null || task.made === session) return why;
    provenIdentity(client, task, task.made, email, before);
    progress.made = task.made;
    return namedInBoth(task, progress, task.made, why);
  }
  const carried = carriedOver(task, source);
  const made = before
    ? await madeBefore(world, task, { before, email }, progress)
    : await createdThere(world, task, { source, email, carried }, progress);
  const shown = await client.get(operations.getSession, { params: { id: made } });
  provenIdentity(client, task, made, email, shown);
  progress.made = made;
  await journal.made(number, made, true);
  await provenWindow(client, task, made, { ...carried, kept: progress.found === true }, shown);
  if (stays) return undefined;
  return withFreshRead(() => deletedHere(world, task, { made, email, carried }, progress));
}

/** The student may have started since the first read, or have been given time: then the session stays, and the reason is returned. */
async function deletedHere(
  { client }: TransferWorld,
  task: TransferTask,
  { made, email, carried }: { made: string; email: string; carried: Omit<Carried, 'kept'> },
  progress: TransferProgress,
): Promise<CliError | undefined> {
  const { session, to } = task;
  const read = await orGone(client.call(operations.getSession, { params: { id: session } }));
  if (!read) return undefined;
  const now = read.data as JsonObject;
  const since =
    whyStays(now, { from: task.from, to, email }, client) ??
    (stringifyJson({ ...carriedOver(task, now) }) === stringifyJson({ ...carried }) ? undefined : 'its times have changed meanwhile');
  if (since !== undefined)
    return namedInBoth(task, progress, made, new CliError('not_applied', sentence`Session ${session} was not deleted: ${since}.`));
  await perform(client, operations.deleteSession, { params: { id: session }, readAt: read.received });
  return undefined;
}

/** Its session is gone: done if it had been proven that the student is in the other exam. */
async function movedBefore({ client }: TransferWorld, task: TransferTask, before: JsonObject | undefined, progress: TransferProgress) {
  const { session, to, made, proven, opens, closes } = task;
  if (before && made !== undefined && proven) {
    Object.assign(progress, { email: emailOf(before), made });
    const times = { ...(opens === undefined ? {} : { opens }), ...(closes === undefined ? {} : { closes }) };
    await provenWindow(client, task, made, { ...times, skip: false, kept: true }, before);
    return undefined;
  }
  return new CliError('not_found', sentence`Session ${session} no longer exists, and its student is not known to be in exam ${to}.`, {
    hint: sentence`Look for the student with: proctor-cli sessions list ${typedOption('--exam', to)}`,
  });
}

/** What goes along: times only between exams at the same time, and then as the session has them now. */
function carriedOver({ opens, closes, stays }: TransferTask, source: JsonObject): Omit<Carried, 'kept'> {
  const own = (field: 'open_time' | 'close_time', planned: TimeValue | undefined) =>
    stays ? planned : opens === undefined && closes === undefined ? undefined : (ownTime(source, field) ?? planned);
  const [from, until] = [own('open_time', opens), own('close_time', closes)];
  return {
    ...(from === undefined ? {} : { opens: from }),
    ...(until === undefined ? {} : { closes: until }),
    skip: booleanIn(source.skip_requirements) === true,
  };
}

/** The session that an earlier run has recorded, or another one that is the student's by now. No second one is created. */
async function madeBefore(
  { client, students }: TransferWorld,
  task: TransferTask,
  { before, email }: { before: JsonObject; email: string },
  progress: TransferProgress,
): Promise<string> {
  const { made = '', to } = task;
  progress.named = made;
  try {
    provenIdentity(client, task, made, email, before);
    return made;
  } catch (error) {
    const listed = await studentsOf(client, to);
    students.set(to, listed);
    const there = theOne(listed, email, to);
    if (there === undefined || there === task.session) throw error;
    progress.found = true;
    return there;
  }
}

/** The session of the student in the other exam: the one that is there, or a new one. Throws `outcome_unknown` where that cannot be told. */
async function createdThere(
  world: TransferWorld,
  task: TransferTask,
  { source, email, carried }: { source: JsonObject; email: string; carried: Omit<Carried, 'kept'> },
  progress: TransferProgress,
): Promise<string> {
  const { context, client, journal, students } = world;
  const { to, number } = task;
  const listed = students.get(to) ?? (await studentsOf(client, to));
  students.set(to, listed);
  const there = theOne(listed, email, to) ?? (task.uncertain ? await settled(world, to, email) : undefined);
  if (there !== undefined) {
    if (!task.uncertain) progress.found = true;
    return there;
  }
  await journal.begin(number, 'set');
  progress.begun = true;
  try {
    const { data } = await perform(client, operations.createSession, { params: { exam_id: to }, body: bodyOf(source, carried, client) });
    const id = isJsonObject(data) ? idOf(data, client) : undefined;
    if (id === undefined) throw new CliError('bad_answer', sentence`The new session of ${email} in exam ${to} shows no ID.`);
    // Before anything else: a resume starts from this session, and creates no second one.
    progress.named = id;
    await journal.made(number, id);
    listed.set(addressKey(email), [...sessionsWith(listed, email), id]);
    return id;
  } catch (error) {
    if (
      progress.named !== undefined ||
      !(error instanceof CliError) ||
      error.code !== 'outcome_unknown' ||
      context.host.interrupted.aborted
    )
      throw error;
    const found = await settled(world, to, email).catch(() => undefined);
    if (found !== undefined) return found;
    throw new CliError('outcome_unknown', sentence`${email} may be in exam ${to} as well as here: ${error.message}`, {
      hint: sentence`Check with: proctor-cli sessions list ${typedOption('--exam', to)}`,
    });
  }
}

/** A listing that settles an earlier request: after the time in which it can still arrive, twice the timeout. */
async function settled({ context, client, students }: TransferWorld, exam: string, email: string): Promise<string | undefined> {
  const wait = 2 * context.settings().timeoutMilliseconds;
  context.host.log?.({ event: 'wait', wait, reason: 'late_requests' });
  await context.host.sleep(wait);
  const listed = await studentsOf(client, exam);
  students.set(exam, listed);
  return theOne(listed, email, exam);
}

/** Throws `bad_answer` where an address is there more than once: which of them is the student's cannot be told. */
function theOne(students: Students, email: string, exam: string): string | undefined {
  const found = sessionsWith(students, email);
  if (found.length <= 1) return found[0];
  throw new CliError('bad_answer', sentence`${email} is in exam ${exam} more than once: sessions ${found.join(', ')}.`, {
    hint: sentence`Delete the wrong one: proctor-cli ${typedCommand('sessions delete', [found[1] ?? ''])}`,
  });
}

function sessionIfThere(client: Client, id: string): Promise<JsonObject | undefined> {
  return orGone(client.get(operations.getSession, { params: { id } }));
}

function namedInBoth({ session, from, to }: TransferTask, { email, found }: TransferProgress, made: string, why: CliError): CliError {
  const student = email ?? 'The student';
  const here = from === undefined ? '' : ` in exam ${from}`;
  const stopped = isInterruption(why);
  // A session that was there before is the student's own: it is not offered for deletion.
  const advice = found
    ? sentence`Compare: proctor-cli ${typedCommand('sessions get', [session])}; proctor-cli ${typedCommand('sessions get', [made])}`
    : sentence`To keep the student here: proctor-cli ${typedCommand('sessions delete', [made])}`;
  return new CliError(
    inBothCode(why.code),
    sentence`${student} is in both exams: session ${session}${here} and session ${made} in exam ${to}. ${why.message}`,
    { hint: stopped ? why.hint : advice },
  );
}

/** Half of the move is made, so no status may say that nothing was. */
function inBothCode(why: ErrorCode): ErrorCode {
  if (why === 'invalid_input' || why === 'not_applied') return 'not_applied';
  return keptCodes.has(why) ? why : 'partly_done';
}

const keptCodes: ReadonlySet<ErrorCode> = new Set(['outcome_unknown', 'token_refused', 'interrupted', 'terminated']);

/** An answer has named a session, and no read has shown whose it is. */
function namedUnknown({ to }: TransferTask, email: string | null, named: string, why: CliError): CliError {
  const student = email ?? 'the student';
  if (why.code === 'outcome_unknown') return why;
  const unknown = unproven(student, to, named, `the service has named session ${named}, which could not be read (${why.message})`);
  const stopped = isInterruption(why);
  return stopped ? new CliError(why.code, unknown.message, { hint: why.hint }) : unknown;
}

export function notMoved(session: string, did: 'copied' | 'moved', why: string): CliError {
  return new CliError('invalid_input', sentence`Session ${session} is not ${did}: ${why}.`, {
    hint: sentence`Look at it with: proctor-cli ${typedCommand('sessions get', [session])}`,
  });
}

function transferRow(client: Client, task: TransferTask, end: TransferEnd | undefined, did: string): Row {
  const { session, from, to, stays } = task;
  const made = end?.made;
  const standing = end === undefined ? 'not tried' : end.is === 'done' ? did : end.is === 'left' ? 'skipped' : end.is;
  const both = !stays && end !== undefined && end.is !== 'done' && end.made !== undefined;
  const ids = { sessions: client.idType('session'), exams: client.idType('exam') };
  return {
    session: idAs(session, ids.sessions),
    email: end?.email ?? null,
    from: from === undefined ? null : idAs(from, ids.exams),
    to: idAs(to, ids.exams),
    as: made === undefined ? null : idAs(made, ids.sessions),
    result: both ? inBoth : standing,
    ...(end?.error ? { problem: end.error.message } : {}),
  };
}

export function refusedRow(client: Client, id: string, { message }: { message: Sentence }): Row {
  return { session: idAs(id, client.idType('session')), email: null, from: null, to: null, as: null, result: 'failed', problem: message };
}
