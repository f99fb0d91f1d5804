/** The students of an exam with their own times, for what gives them others. */
import type { Client } from '../api/client.ts';
import { operations } from '../api/operations.ts';
import { CliError, orGone } from '../errors.ts';
import type { JsonObject } from '../model/json.ts';
import { Reading, readExam } from '../runs/index.ts';
import { sentence } from '../text/sentence.ts';

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
  return fields.every((field) => Object.hasOwn(listed, field)) ? listed : client.get(operations.getSession, { params: { id } });
}
