/** Reading an exam: its two requests. */
import type { Client } from '../api/client.ts';
import type { ListOptions } from '../api/list.ts';
import { operations } from '../api/operations.ts';
import { planned } from '../api/planned.ts';
import type { Context, Result } from '../command.ts';
import type { Exam } from '../model/exam.ts';
import type { JsonObject } from '../model/json.ts';

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
export async function examNow(client: Client, id: string, options: { quiet?: boolean } = {}): Promise<Exam & JsonObject> {
  const [{ operation, ...input }] = requestsOf(id);
  return (await client.call(operation, input, options)).data as Exam & JsonObject;
}

/** The sessions of an exam, as they are listed now, for a person who reads. */
export function sessionsNow(client: Client, exam: string, options: ListOptions = {}): AsyncIterableIterator<JsonObject> {
  const [, { operation, ...input }] = requestsOf(exam);
  return client.list(operation, input, { unsure: 'warn', ...options });
}
