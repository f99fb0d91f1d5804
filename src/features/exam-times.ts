/** Where a session has no times of its own, tables show those of its exam, in brackets. */
import { examOf } from '../api/client.ts';
import { operations } from '../api/operations.ts';
import { readRecord } from '../api/reading.ts';
import type { Context, Row } from '../command.ts';
import { orElse } from '../errors.ts';
import { along } from '../model/fields.ts';
import { idOf, type JsonObject } from '../model/json.ts';
import { showTime } from '../model/time.ts';

export function withExamTimes(session: Row, exam: JsonObject | undefined, zone: string): Row {
  const times = Object.entries(along).flatMap(([ofExam, own]) => {
    const time = exam?.[ofExam] ?? null;
    return (session[own] ?? null) !== null || time === null ? [] : [[own, `(${showTime(time, zone)})`]];
  });
  return { ...session, ...Object.fromEntries(times) };
}

/** `exam`: of all sessions; else each names its own, one of `all` or a single one. What cannot be read shows no times. */
export async function examTimesOf(context: Context, exam: string | undefined, all = false): Promise<(session: Row) => Promise<Row>> {
  const client = await context.client();
  const reading = { once: true, quiet: true, unsure: 'accept' } as const;
  let read: Promise<readonly JsonObject[]> | undefined;
  const examsFrom = (id: string) =>
    all ? client.list(operations.listExams, {}, reading) : readRecord(client, 'exam', id, reading).then((one) => [one]);
  return async (session) => {
    const id = exam ?? examOf(session as JsonObject, client);
    if (id === undefined || Object.values(along).every((time) => (session[time] ?? null) !== null)) return session;
    read ??= orElse(examsFrom(id), () => []);
    const shown = (await read).find((one) => idOf(one) === id);
    return withExamTimes(session, shown, context.zone());
  };
}
