/** The students of an exam with their own times, and sessions by their IDs, for what gives them others; and who cannot get any. */
import { type Client, examOf } from '../api/client.ts';
import { readExam, readRecord } from '../api/reading.ts';
import type { Context } from '../command.ts';
import { CliError, type ErrorCode, orGone } from '../errors.ts';
import { firstInLine } from '../model/count.ts';
import { idAs } from '../model/id.ts';
import type { JsonObject } from '../model/json.ts';
import { Reading } from '../model/listing.ts';
import { typedCommand } from '../model/shell-quote.ts';
import { type Sentence, sentence } from '../text/sentence.ts';

/** A student's own times, and whether they still count. */
const ownTimes: readonly string[] = ['open_time', 'close_time', 'status'];

/** Where the list leaves out a field, the session itself is read. Throws `bad_answer` for one without an ID. */
export async function studentsOf(client: Client, exam: string, fields = ownTimes): Promise<Reading> {
  const { sessions } = await readExam(client, exam);
  const whole = await client.pacer.map(sessions, async (session) => {
    const id = knownId(session, exam, client);
    return { ...session, data: (await orGone(wholeSession(client, id, session.data, fields))) ?? session.data };
  });
  return new Reading(exam, whole, client.dialect);
}

/** Throws `bad_answer` for a session without an ID: nothing could be sent about it. */
export function knownId({ id }: { id: string | undefined }, exam: string, { dialect }: Client): string {
  if (id !== undefined) return id;
  throw new CliError('bad_answer', sentence`A session of exam ${exam} has no "${dialect.idKey}".`);
}

/** A list may show less of a session than the session itself does. */
export async function wholeSession(client: Client, id: string, listed: JsonObject, fields = ownTimes): Promise<JsonObject> {
  return fields.every((field) => Object.hasOwn(listed, field)) ? listed : readRecord(client, 'session', id);
}

/** `exam`: empty where the session does not show it. */
export type ShownSession = { id: string; exam: string; shown: JsonObject };

/** Each once, as the service shows it; one that does not exist shows nothing. */
export async function sessionsById(context: Context, ids: readonly string[]): Promise<ShownSession[]> {
  const client = await context.client();
  return client.pacer.map(new Set(ids), async (id) => {
    const shown = (await orGone(readRecord(client, 'session', id))) ?? {};
    return { id, exam: examOf(shown, client) ?? '', shown };
  });
}

/** The exams of sessions, as the service shows them. */
export async function examsOf(context: Context, sessions: readonly Pick<ShownSession, 'exam'>[]): Promise<Map<string, JsonObject>> {
  const ids = new Set(sessions.map(({ exam }) => exam).filter(Boolean));
  const client = await context.client();
  return new Map(await client.pacer.map(ids, async (id) => [id, await readRecord(client, 'exam', id)] as const));
}

/** Why a session cannot take part. */
export type Refusal = { id: string; code: ErrorCode; why: Sentence };
/** `others`: sessions that can take part; `options`: of the command for these. `alone`: what can be done where none can. */
type Together = { verb: 'extend' | 'move'; others: readonly string[]; options: readonly string[]; alone?: Sentence | undefined };

/** One session that cannot take part refuses all: the same command, run again, would extend or move the others twice. Undefined where all can. */
export function jointRefusal(
  client: Client,
  refusals: readonly Refusal[],
  { verb, others, options, alone }: Together,
): CliError | undefined {
  const [first] = refusals;
  if (!first) return undefined;
  const items = refusals.map(({ id, code, why }) => ({ id: idAs(id, client.idType('session')), code, message: why }));
  const which = firstInLine(refusals, ({ id, why }) => `session ${id} (${why})`, 3);
  const find = sentence`Look for it: proctor-cli ${typedCommand('sessions find', [first.id])}`;
  const rest = sentence`To ${verb} the others: proctor-cli ${typedCommand(`sessions ${verb}`, others, ...options)}`;
  const hint = others.length > 0 ? rest : (alone ?? find);
  return new CliError(first.code, sentence`Cannot ${verb} ${which}.`, { hint: sentence`Nothing was sent. ${hint}`, items });
}
