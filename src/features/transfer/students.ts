/** The students of the exam that others are to join, by address: none is created there twice. */
import { type Client, idOf } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import { CliError } from '../../errors.ts';
import { addressIn, addressKey } from '../../model/address-key.ts';
import { sentence } from '../../text/sentence.ts';

/** Sessions by the key of their address. */
export type Students = Map<string, string[]>;

/** One listing. Throws `bad_answer` for a session without an ID or a listing without addresses, which cannot show who is there. */
export async function studentsOf(client: Client, exam: string): Promise<Students> {
  const found: Students = new Map();
  let sessions = 0;
  for await (const session of client.list(operations.listExamSessions, { params: { exam_id: exam } })) {
    const id = idOf(session, client);
    if (id === undefined) throw new CliError('bad_answer', sentence`A session of exam ${exam} has no "${client.dialect.idKey}".`);
    const email = addressIn(session);
    sessions += 1;
    if (email !== undefined) found.set(addressKey(email), [...new Set([...sessionsWith(found, email), id])]);
  }
  if (sessions === 0 || found.size > 0) return found;
  throw new CliError('bad_answer', sentence`The list of exam ${exam} shows no addresses, so it is unknown which students are in it.`, {
    hint: 'Nothing was sent. Without addresses, a student could be added twice.',
  });
}

export function sessionsWith(students: Students, email: string): readonly string[] {
  return students.get(addressKey(email)) ?? [];
}
