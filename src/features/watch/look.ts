/** One look at an exam: itself, its students, and what the service's clock shows. */
import type { Client } from '../../api/client.ts';
import type { Host } from '../../host/host.ts';
import type { Exam } from '../../model/exam.ts';
import type { ExamTimes } from '../../model/exam-clock.ts';
import { instantOf } from '../../model/time.ts';
import { examNow, sessionsNow } from '../exam-now.ts';
import { type Student, studentOf } from './roster.ts';

export type Look = {
  /** When the listing was there, by the clock of this machine; milliseconds since 1970. */
  at: number;
  /** By how much the service's clock is ahead of it: its time is `at + ahead`. */
  ahead: number;
  exam: ExamTimes & { id: string; name: string | undefined; shown: Exam };
  students: Student[];
};

/** With `once`, nothing is asked again: for who looks again anyway. Throws what the client does; `not_found` where the exam is not there. */
export async function lookAt(client: Client, exam: string, host: Host, options: { once?: boolean } = {}): Promise<Look> {
  const { shown, ahead } = await examNow(client, exam, host, options);
  const named = shown[client.dialect.examNameKey];
  const students: Student[] = [];
  for await (const session of sessionsNow(client, exam, options)) {
    students.push(studentOf(session, client.dialect));
  }
  return {
    at: host.now(),
    ahead,
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
