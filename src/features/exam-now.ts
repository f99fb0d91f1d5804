/** Reading an exam: its two requests, and the clock that the exam follows. */
import type { Client } from '../api/client.ts';
import type { ListOptions } from '../api/list.ts';
import { operations } from '../api/operations.ts';
import { planned } from '../api/planned.ts';
import type { Context, Result } from '../command.ts';
import type { Exam } from '../model/exam.ts';
import { clockOffset } from '../model/exam-clock.ts';
import type { JsonObject } from '../model/json.ts';

export type ExamNow = {
  shown: Exam & JsonObject;
  /** By how much the service's clock is ahead of this machine's. Milliseconds. */
  clockOffset: number;
};

/** The requests of one read: the exam, and the list of its students. */
function requestsOf(exam: string) {
  return [
    { operation: operations.getExam, params: { id: exam } },
    { operation: operations.listExamSessions, params: { exam_id: exam } },
  ] as const;
}

/** Reads an exam, or shows the requests with `--dry-run`. */
export async function looking(context: Context, exam: string, look: (client: Client) => Promise<Result>): Promise<Result> {
  const client = await context.client();
  return context.act({ steps: requestsOf(exam), show: (steps) => planned(client, steps), perform: () => look(client) });
}

/** `quiet`: see `Sending`. Throws the client's errors; `not_found` if the exam does not exist. */
export async function examNow(client: Client, id: string, options: { quiet?: boolean } = {}): Promise<ExamNow> {
  const [{ operation, ...input }] = requestsOf(id);
  const answer = await client.call(operation, input, options);
  return { shown: answer.data as ExamNow['shown'], clockOffset: clockOffset(answer.date, answer) };
}

/** The sessions of an exam, as they are listed now, for a person who reads. */
export function sessionsNow(client: Client, exam: string, options: ListOptions = {}): AsyncIterableIterator<JsonObject> {
  const [, { operation, ...input }] = requestsOf(exam);
  return client.list(operation, input, { unsure: 'warn', ...options });
}

/** By how much the service's clock is ahead of this machine's, as the first of these exams tells it: milliseconds. */
export async function clockAhead(client: Client, [first]: readonly { id: string }[]): Promise<number> {
  if (!first) return 0;
  const shown = client.known.shown('exam', first.id);
  return shown ? clockOffset(shown.date, shown) : (await examNow(client, first.id)).clockOffset;
}

/** Now, by the clock of the service as it was when it showed this exam or session: milliseconds since 1970. */
export function serviceNow({ host }: Pick<Context, 'host'>, { known }: Client, resource: 'exam' | 'session', id: string): number {
  const shown = known.shown(resource, id);
  return host.now() + (shown ? clockOffset(shown.date, shown) : 0);
}

/** Now, by the clock of the service, which the first of these exams tells: milliseconds since 1970. */
export async function serviceTime({ host }: Pick<Context, 'host'>, client: Client, exams: readonly { id: string }[]): Promise<number> {
  const ahead = await clockAhead(client, exams);
  return host.now() + ahead;
}
