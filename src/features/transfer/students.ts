/** The students of the exam that others are to join, by address: none is created there twice. */
import { type Client, examOf, idOf } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import { CliError } from '../../errors.ts';
import { addressIn, addressKey, maskIn, showsPlain } from '../../model/address-key.ts';
import { students } from '../../model/count.ts';
import type { JsonObject } from '../../model/json.ts';
import { sentence } from '../../text/sentence.ts';

/** Sessions by the key of their address. */
export type Students = Map<string, string[]>;

/**
 * The address by which a student is created in another exam and found there; null if the service shows none, or hides it.
 * Whether it is a mask that may be an address was seen when the student was chosen (`chosenAddress`).
 */
export function addressOf(session: JsonObject): string | null {
  return addressIn(session, { plain: true }) ?? null;
}

/** The address of a session; one that may be a mask is an address where the listing of its exam shows others. */
export async function chosenAddress(session: JsonObject, client: Client): Promise<string | null> {
  const email = addressIn(session);
  const exam = examOf(session, client);
  const doubtful = email === undefined ? addressOf(session) : null;
  if (doubtful === null || exam === undefined) return email ?? null;
  return showsPlain(await client.all(operations.listExamSessions, { params: { exam_id: exam } })) ? doubtful : null;
}

/** One listing. Throws `bad_answer` for a session without an ID, and for a listing that hides an address, or shows none at all. */
export async function studentsOf(client: Client, exam: string): Promise<Students> {
  const found: Students = new Map();
  let sessions = 0;
  let masked = 0;
  const all = await client.all(operations.listExamSessions, { params: { exam_id: exam } });
  const beside = { plain: showsPlain(all) };
  for (const session of all) {
    const id = idOf(session, client);
    if (id === undefined) throw new CliError('bad_answer', sentence`A session of exam ${exam} has no "${client.dialect.idKey}".`);
    const email = addressIn(session, beside);
    sessions += 1;
    masked += maskIn(session, beside) === undefined ? 0 : 1;
    if (email !== undefined) found.set(addressKey(email), [...new Set([...sessionsWith(found, email), id])]);
  }
  if (sessions === 0 || (found.size > 0 && masked === 0)) return found;
  const which = found.size === 0 ? 'no addresses' : sentence`no address of ${students(masked)}`;
  throw new CliError('bad_answer', sentence`The list of exam ${exam} shows ${which}, so it is unknown which students are in it.`, {
    hint: 'Nothing was sent. Without addresses, a student could be added twice.',
  });
}

export function sessionsWith(students: Students, email: string): readonly string[] {
  return students.get(addressKey(email)) ?? [];
}
