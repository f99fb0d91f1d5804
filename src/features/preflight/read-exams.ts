/**
 * Reads what the checks need: the selected exams, and those at the same time that may share students or proctors with
 * them. Each listing is read once, a few exams at a time.
 */
import type { Client } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import { CliError } from '../../errors.ts';
import { addressKey } from '../../model/address-key.ts';
import { idOf } from '../../model/id.ts';
import { textOfJson } from '../../model/json.ts';
import type { SelectedExam } from '../exam-selection.ts';
import { listedSessions } from '../listed-sessions.ts';
import { momentOf, type Proctor, type Student } from './subject.ts';

/** A part that could not be read has its reason, for people. */
export type ExamRecords = { exam: SelectedExam; students: readonly Student[] | string; proctors: readonly Proctor[] | string };

/** Of one exam, or of a token that may read less than everything: the rest can be judged. A list that is not whole is no such thing. */
const ofOnePart: ReadonlySet<CliError['code']> = new Set(['not_found', 'rejected', 'token_refused', 'unsupported']);

/** What could be read, or the reason in words. Rejects with what the next request would meet as well. */
export async function readOrWhy<T>(what: string, read: Promise<T>): Promise<T | string> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof CliError && ofOnePart.has(error.code)) return `${what} cannot be read: ${error.message.replace(/\.$/, '')}`;
    throw error;
  }
}

export function readExams(client: Client, exams: readonly SelectedExam[]): Promise<ExamRecords[]> {
  return client.pacer.map(exams, async (exam) => {
    const [students, proctors] = await Promise.all([
      readOrWhy('the students', studentsOf(client, exam.id)),
      readOrWhy('the proctor pool', proctorsOf(client, exam.id)),
    ]);
    return { exam, students, proctors };
  });
}

async function studentsOf(client: Client, exam: string): Promise<Student[]> {
  return (await listedSessions(client, exam)).map(({ id, email, mask, data }) => ({
    session: id,
    email,
    showsEmail: Object.hasOwn(data, 'email') && mask === undefined,
    key: email === undefined ? undefined : addressKey(email),
    status: data.status ?? undefined,
    opens: momentOf(data, 'open_time'),
    closes: momentOf(data, 'close_time'),
  }));
}

async function proctorsOf(client: Client, exam: string): Promise<Proctor[]> {
  const proctors = await client.list(operations.listProctors, { params: { id: exam } });
  return proctors.map((proctor) => {
    const name = proctor.name ?? proctor.email ?? undefined;
    return { id: idOf(proctor), name: name === undefined ? undefined : textOfJson(name) };
  });
}

/** Extra time may let an exam last this much longer. Milliseconds. */
const longestExtra = 12 * 3_600_000;

/** Until when an exam may last: extra time may double it. */
function lastEnd({ start, end }: { start: number; end: number }): number {
  return end + Math.min(Math.max(0, end - start), longestExtra);
}

/** The other exams that may last while one of the selected ones does. */
export function neighboursOf(selected: readonly SelectedExam[], all: readonly SelectedExam[]): SelectedExam[] {
  const chosen = new Set(selected.map(({ id }) => id));
  const timed = selected.flatMap(({ start, end }) => (start === undefined || end === undefined ? [] : [{ start, end }]));
  return all.filter(({ id, start, end }) => {
    if (chosen.has(id) || start === undefined || end === undefined) return false;
    return timed.some((exam) => start < lastEnd(exam) && exam.start < lastEnd({ start, end }));
  });
}
