/** What an exam, its students and a session are, in the words of a question: never an ID alone. */
import { CliError } from '../errors.ts';
import { students } from '../model/count.ts';
import { describeExam } from '../model/describe.ts';
import { isJsonObject, type JsonObject } from '../model/json.ts';
import { phaseOf, statusOf } from '../model/status.ts';
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

/** How many students an exam has, and how many of them have been mailed: their status is past `registered`. */
export async function studentsIn(client: Client, exam: string): Promise<{ all: number; mailed: number }> {
  let [all, mailed] = [0, 0];
  for await (const { status } of client.list(operations.listExamSessions, { params: { exam_id: exam } })) {
    all += 1;
    if (typeof status === 'string' && statusOf(status) !== 'registered') mailed += 1;
  }
  return { all, mailed };
}

/** A question names so many and counts the rest. */
const namedAtMost = 10;

/** `Delete exam 3 (Algebra, 2027-02-01 09:00 +01:00), with its 12 students`. */
export async function deletionOfExams(client: Client, ids: readonly string[], zone: string): Promise<Sentence> {
  const named = await firstOf(ids, async (id) => {
    const exam = examInWords(id, await examShown(client, id), client, zone);
    return sentence`${exam} with ${students((await studentsIn(client, id)).all)}`;
  });
  return ids.length === 1 ? sentence`Delete ${named}` : sentence`Delete ${ids.length} exams: ${named},`;
}

/** `Delete student session 7 (ada@example.org, registered)`. */
export async function deletionOfSessions(client: Client, ids: readonly string[]): Promise<Sentence> {
  const named = await firstOf(ids, async (id) => sessionInWords(id, await sessionShown(client, id)));
  return ids.length === 1 ? sentence`Delete ${named}` : sentence`Delete ${ids.length} student sessions: ${named},`;
}

/** `Send the exam mails of exam 5 (Algebra, …) to its 5 students`, and who gets a second one. */
export async function mailsOfExam(client: Client, id: string, zone: string): Promise<Sentence> {
  const exam = examInWords(id, await examShown(client, id), client, zone);
  const { all, mailed } = await studentsIn(client, id);
  const again = mailed === 0 ? '' : sentence` (${mailed} of them ${mailed === 1 ? 'was' : 'were'} mailed before and will be mailed again)`;
  return sentence`Send the exam mails of ${exam} to its ${students(all)}${again}`;
}

async function firstOf(ids: readonly string[], inWords: (id: string) => Promise<Sentence>): Promise<string> {
  const named: Sentence[] = [];
  for (const id of ids.slice(0, namedAtMost)) named.push(await inWords(id));
  return ids.length > namedAtMost ? `${named.join('; ')} and ${ids.length - namedAtMost} more` : named.join('; ');
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
