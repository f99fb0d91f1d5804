/** What every look at an exam begins with: the exam, and by which clock it goes; and its requests, unsent. */
import type { Client } from '../api/client.ts';
import { operations } from '../api/operations.ts';
import { planned } from '../api/planned.ts';
import type { Result } from '../command.ts';
import type { Host } from '../host/host.ts';
import type { Exam } from '../model/exam.ts';
import { clockAhead } from '../model/exam-clock.ts';
import type { JsonObject } from '../model/json.ts';

export type ExamNow = {
  shown: Exam & JsonObject;
  /** By how much the service's clock is ahead of this machine's. Milliseconds. */
  ahead: number;
};

/** With `once`, nothing is asked again. Throws what the client does; `not_found` where the exam is not there. */
export async function examNow(client: Client, id: string, host: Host, options: { once?: boolean } = {}): Promise<ExamNow> {
  const asked = host.now();
  const { data, date } = await client.call(operations.getExam, { params: { id } }, options);
  return { shown: data as ExamNow['shown'], ahead: clockAhead(date, { asked, answered: host.now() }) };
}

/** The requests of a look at an exam and its students, unsent. */
export function plannedLook(client: Client, exam: string): Result {
  return planned([
    client.plan(operations.getExam, { params: { id: exam } }),
    client.plan(operations.listExamSessions, { params: { exam_id: exam } }),
  ]);
}
