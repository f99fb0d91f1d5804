/** An exam, its students and a session in the words of a question: never an ID alone. */
import { CliError, isInterruption } from '../errors.ts';
import { count } from '../model/count.ts';
import { describeExam, describeSession } from '../model/describe.ts';
import { firstInLine } from '../model/first-of.ts';
import type { JsonObject } from '../model/json.ts';
import { phaseOf } from '../model/status.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import type { Client } from './client.ts';
import { operations } from './operations.ts';

/** `exam 3 (Algebra, 2027-02-01 09:00 +01:00)`, as far as the service shows it. `undefined`: the exam could not be read. */
export function examInWords(id: string, exam: JsonObject | undefined, { dialect }: Pick<Client, 'dialect'>, zone: string): Sentence {
  const described = exam ? describeExam(exam, { nameKey: dialect.examNameKey, zone }) : '';
  return described === '' ? sentence`exam ${id}` : sentence`exam ${id} (${described})`;
}

/** The exam for a question; undefined if it cannot be read. */
export async function examShown(client: Client, id: string): Promise<JsonObject | undefined> {
  return (await shownBy(client.get(operations.getExam, { params: { id } }, { once: true }))).data;
}

/** `7 (ada@example.org, Ada Lovelace, registered)`, and whether the student is taking the exam. */
export function sessionInWords(id: string, session: JsonObject, { dialect }: Pick<Client, 'dialect'>): Sentence {
  const phase = phaseOf(session.status);
  const now = phase === 'writing' ? ', taking the exam now' : phase === 'checking' ? ', in the check now' : '';
  const described = describeSession(session, { nameKey: dialect.sessionNameKey });
  return sentence`${id} (${described === '' ? 'no address, name or status' : described}${now})`;
}

/** A session for a question. `exam`: the ID of its exam, as far as it is known. */
export type Named = { session: string | undefined; email: string | null | undefined; exam: string | undefined };

/** Names of each kind in a question; the rest are counted. */
const namedAtMost = 3;

/** `2 sessions (21 ada@example.org, 22 bob@example.org) of exam 3 (Algebra, 2027-02-01 09:00 +01:00)`. */
export async function sessionsInWords(client: Client, sessions: readonly Named[], zone: string): Promise<Sentence> {
  const exams = sessions.flatMap(({ exam }) => exam ?? []);
  return sentence`${count(sessions.length, 'session')} (${whoInWords(sessions)})${await ofExams(client, exams, zone)}`;
}

/** ` of exam 3 (Algebra, 2027-02-01 09:00 +01:00)`, read for the question; empty without an exam. */
export async function ofExams(client: Client, given: readonly string[], zone: string): Promise<Sentence> {
  const exams = [...new Set(given)];
  const named = exams.slice(0, namedAtMost).map(async (id) => examInWords(id, await examShown(client, id), client, zone));
  const more = exams.length > namedAtMost ? ` and ${exams.length - namedAtMost} more` : '';
  return exams.length === 0 ? sentence`` : sentence` of ${(await Promise.all(named)).join(', ')}${more}`;
}

/** `21 ada@example.org, 22 bob@example.org, 23 cy@example.org and 4 more`. */
export function whoInWords(sessions: readonly Omit<Named, 'exam'>[]): string {
  return firstInLine(sessions, ({ session, email }) => [session, email].filter(Boolean).join(' ') || 'no address', namedAtMost);
}

/** The data of a read, or its error: a question must not fail, and the request after it reports the problem. */
export async function shownBy(read: Promise<JsonObject>): Promise<{ data?: JsonObject; error?: CliError }> {
  try {
    return { data: await read };
  } catch (error) {
    if (!(error instanceof CliError) || isInterruption(error)) throw error;
    return { error };
  }
}
