/** What an exam and a session are, in the words of a question: never an ID alone. */
import { CliError } from '../errors.ts';
import { describeExam } from '../model/describe.ts';
import { isJsonObject, type JsonObject } from '../model/json.ts';
import { phaseOf } from '../model/status.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import type { Answer } from './answer.ts';
import type { Client } from './client.ts';
import { operations } from './operations.ts';

/** `exam 3 (Algebra, 2027-02-01 09:00 +01:00)`, as far as it is shown. Undefined: it could not be read. */
export function examInWords(id: string, exam: JsonObject | undefined, { dialect }: Pick<Client, 'dialect'>, zone: string): Sentence {
  const described = exam ? describeExam(exam, { nameKey: dialect.examNameKey, zone }) : '';
  return described === '' ? sentence`exam ${id}` : sentence`exam ${id} (${described})`;
}

/** The exam for a question; undefined if it cannot be read. */
export function examShown(client: Client, id: string): Promise<JsonObject | undefined> {
  return shownBy(client.call(operations.getExam, { params: { id } }, { once: true }));
}

/** The session for a question; undefined if it cannot be read. */
export function sessionShown(client: Client, id: string): Promise<JsonObject | undefined> {
  return shownBy(client.call(operations.getSession, { params: { id } }, { once: true }));
}

/** `student session 7 (ada@example.org, registered)`, and what is at stake. Undefined: it could not be read. */
export function sessionInWords(id: string, session: JsonObject | undefined): Sentence {
  if (!session) return sentence`student session ${id}`;
  const email = typeof session.email === 'string' ? session.email : 'no address';
  const status = typeof session.status === 'string' ? session.status : 'no status';
  const phase = phaseOf(status);
  const now = phase === 'writing' ? ': is taking the exam now' : phase === 'checking' ? ': is in the check now' : '';
  return sentence`student session ${id} (${email}, ${status}${now})`;
}

/** A question is no place to fail: the request that follows says what is wrong. */
async function shownBy(read: Promise<Answer>): Promise<JsonObject | undefined> {
  try {
    const { data } = await read;
    return isJsonObject(data) ? data : undefined;
  } catch (error) {
    if (!(error instanceof CliError) || error.code === 'interrupted' || error.code === 'terminated') throw error;
    return undefined;
  }
}
