/** One poll of an exam: the exam and its students. */
import type { Client } from '../../api/client.ts';
import type { Host } from '../../host/host.ts';
import type { Exam } from '../../model/exam.ts';
import type { ExamTimes } from '../../model/exam-clock.ts';
import type { JsonObject } from '../../model/json.ts';
import { instantOf } from '../../model/time.ts';
import { examNow, sessionsNow } from '../exam-now.ts';
import { studentOf, type WatchedStudent } from './watched-students.ts';

export type Poll = {
  /** When the listing arrived, in milliseconds since 1970. */
  at: number;
  exam: ExamTimes & { id: string; name: string | undefined; shown: Exam };
  students: WatchedStudent[];
};

/** `quiet`: for a caller that reports failures itself. Throws the client's errors; `not_found` if the exam does not exist. */
export async function pollExam(client: Client, exam: string, host: Host, options: { quiet?: boolean } = {}): Promise<Poll> {
  return pollStudents(client, exam, await examNow(client, exam, options), host, options);
}

/** The same of an exam that has been read already. */
export async function pollStudents(
  client: Client,
  exam: string,
  shown: Exam & JsonObject,
  host: Host,
  options: { quiet?: boolean } = {},
): Promise<Poll> {
  const named = shown[client.dialect.examNameKey];
  const students: WatchedStudent[] = [];
  for await (const session of sessionsNow(client, exam, options)) {
    students.push(studentOf(session, client.dialect));
  }
  return {
    at: host.now(),
    exam: {
      id: exam,
      name: typeof named === 'string' ? named : undefined,
      start: instantOf(shown.start_time),
      end: instantOf(shown.end_time),
      shown,
    },
    students,
  };
}
