/** The exams that a question names, read for it: a question never fails, and never names an ID alone where the service shows more. */
import type { Client } from '../api/client.ts';
import { operations } from '../api/operations.ts';
import { CliError, isInterruption } from '../errors.ts';
import { count } from '../model/count.ts';
import { examInWords, type NamedSession, namedAtMost, whoInWords } from '../model/describe.ts';
import type { JsonObject } from '../model/json.ts';
import { type Sentence, sentence } from '../text/sentence.ts';

/** The exam for a question; undefined if it cannot be read: the request after the question reports the problem. */
export async function examShown(client: Client, id: string): Promise<JsonObject | undefined> {
  try {
    return await client.get(operations.getExam, { params: { id } }, { once: true });
  } catch (error) {
    if (!(error instanceof CliError) || isInterruption(error)) throw error;
    return undefined;
  }
}

/** `exam`: the ID of its exam, as far as it is known. */
type Named = NamedSession & { exam: string | undefined };

/** `2 sessions (21 ada@example.org, 22 bob@example.org) of exam 3 (Algebra, 2027-02-01 09:00 +01:00)`. */
export async function sessionsInWords(client: Client, sessions: readonly Named[], zone: string): Promise<Sentence> {
  const exams = sessions.flatMap(({ exam }) => exam ?? []);
  return sentence`${count(sessions.length, 'session')} (${whoInWords(sessions)})${await ofExams(client, exams, zone)}`;
}

/** ` of exam 3 (Algebra, 2027-02-01 09:00 +01:00)`; empty without an exam. */
export async function ofExams(client: Client, given: readonly string[], zone: string): Promise<Sentence> {
  const exams = [...new Set(given)];
  const named = exams.slice(0, namedAtMost).map(async (id) => examInWords(id, await examShown(client, id), client, zone));
  const more = exams.length > namedAtMost ? ` and ${exams.length - namedAtMost} more` : '';
  return exams.length === 0 ? sentence`` : sentence` of ${(await Promise.all(named)).join(', ')}${more}`;
}
