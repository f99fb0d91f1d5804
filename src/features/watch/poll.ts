/** One poll of an exam: the exam and its students. */
import type { Client } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import type { Host } from '../../host/host.ts';
import type { Exam } from '../../model/exam.ts';
import type { ExamTimes } from '../../model/exam-clock.ts';
import type { JsonObject } from '../../model/json.ts';
import { instantOf } from '../../model/time.ts';
import { studentOf, type WatchedStudent } from './watched-students.ts';

export type Poll = {
  /** When the listing arrived, in milliseconds since 1970. */
  at: number;
  exam: ExamTimes & { id: string; name: string | undefined; shown: Exam };
  students: WatchedStudent[];
};

/** A failure is the caller's to report. Throws the client's errors; `not_found` if the exam does not exist. */
export async function pollExam(client: Client, exam: string, host: Host): Promise<Poll> {
  const data = await client.get(operations.getExam, { params: { id: exam } }, { quiet: true });
  return pollStudents(client, exam, data as Exam & JsonObject, host, true);
}

/** The same of an exam that has been read already. */
export async function pollStudents(client: Client, exam: string, shown: Exam & JsonObject, host: Host, quiet = false): Promise<Poll> {
  const named = shown[client.dialect.examNameKey];
  const sessions = await client.list(operations.listExamSessions, { params: { exam_id: exam } }, { unsure: 'warn', quiet });
  const students = sessions.map((session) => studentOf(session, client.dialect));
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
