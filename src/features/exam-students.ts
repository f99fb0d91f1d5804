/** The students of an exam with their own times, for what gives them others. */
import type { Client } from '../api/client.ts';
import { orGone } from '../errors.ts';
import { Reading, readExam } from '../runs/index.ts';
import { knownId, wholeSession } from './listed-sessions.ts';

/** Where the list leaves out a field, the session itself is read. Throws `bad_answer` for one without an ID. */
export async function studentsOf(client: Client, exam: string): Promise<Reading> {
  const { sessions } = await readExam(client, exam);
  const whole = await client.pacer.map(sessions, async (session) => {
    const id = knownId(session, exam, client);
    return { ...session, data: (await orGone(wholeSession(client, id, session.data))) ?? session.data };
  });
  return new Reading(exam, whole, client.dialect.sessionNumberKey);
}
