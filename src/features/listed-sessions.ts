/** The students of an exam as one listing shows them, and what features ask of each: its ID, and all that the session itself shows. */
import type { Client } from '../api/client.ts';
import { operations } from '../api/operations.ts';
import { CliError } from '../errors.ts';
import { addressIn, maskIn } from '../model/address-key.ts';
import { idOf } from '../model/id.ts';
import type { JsonObject } from '../model/json.ts';
import { sentence } from '../text/sentence.ts';

/** `mask`: what the list shows in place of an address. */
type ListedSession = { id: string | undefined; email: string | undefined; mask: string | undefined; data: JsonObject };

/** Read once, for what is looked at and not written: what is to be written is computed from a reading. */
export async function listedSessions(client: Client, exam: string): Promise<ListedSession[]> {
  const all = await client.list(operations.listExamSessions, { params: { exam_id: exam } });
  return all.map((data) => ({ id: idOf(data), email: addressIn(data), mask: maskIn(data), data }));
}

/** Throws `bad_answer` for a session without an ID: nothing could be sent about it. */
export function knownId({ id }: Pick<ListedSession, 'id'>, exam: string, { dialect }: Client): string {
  if (id !== undefined) return id;
  throw new CliError('bad_answer', sentence`A session of exam ${exam} has no "${dialect.idKey}".`);
}

/** A list may show less of a session than the session itself does. */
export async function wholeSession(client: Client, id: string, listed: JsonObject): Promise<JsonObject> {
  const isWhole = ['open_time', 'close_time', 'status'].every((field) => Object.hasOwn(listed, field));
  return isWhole ? listed : client.get(operations.getSession, { params: { id } });
}
