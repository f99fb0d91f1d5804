/** `exams export`: exams as lines of a timetable, their IDs included. Applied again, nothing is to be done. */
import type { Client } from '../../api/client.ts';
import type { Context, Result, Row } from '../../command.ts';
import { restrictionKeys, restrictionsOf } from '../../model/fields.ts';
import { InvalidValue } from '../../model/invalid-value.ts';
import { booleanIn } from '../../model/json.ts';
import { showTime, typedTime } from '../../model/time.ts';
import { parseTime } from '../../model/typed-time.ts';
import { type ExamSelection, type SelectedExam, selectExams } from '../exam-selection.ts';
import { poolOf } from '../proctors.ts';

export async function exportTimetable(context: Context, selection: ExamSelection): Promise<Result> {
  const client = await context.client();
  const exams = await selectExams(context, selection, { reads: true, all: true });
  const rows = await client.pacer.map(exams, async (exam) => rowOf(context, client, exam, await poolOf(client, exam.id)));
  return { kind: 'list', rows, columns: context.columns, unasked: 'file' };
}

function rowOf(context: Context, client: Client, exam: SelectedExam, pool: readonly { value: string }[]): Row {
  const { id, name, shown } = exam;
  const restrictions = restrictionsOf(shown);
  // A line has all four, or none.
  const isWhole = restrictionKeys.every((key) => restrictions[key] !== undefined);
  return {
    id: client.shownAs('exam', id),
    name: name ?? null,
    ...timesOf(context, exam),
    ...Object.fromEntries(restrictionKeys.map((key) => [key, isWhole ? restrictions[key] : null])),
    save_recording: booleanIn(shown.save_recording) ?? null,
    proctors: pool.length === 0 ? null : pool.map(({ value }) => value).join('; '),
  };
}

/** By the clocks of the current zone; with date and offset what these cannot tell, or where no zone is set. */
function timesOf(context: Context, { start, end }: SelectedExam): Row {
  const zone = context.settings().timeZone;
  const whole = (instant: number | undefined) => (instant === undefined ? null : showTime(instant / 1000, context.zone()));
  const [starts, ends] = [start, end].map((time) => (time === undefined || zone === undefined ? undefined : onTheClock(time, zone)));
  if (!starts) return { date: null, start: whole(start), end: whole(end) };
  return { date: starts.date, start: starts.clock, end: ends?.date === starts.date ? ends.clock : whole(end) };
}

/** Undefined for a time that the clocks show twice, and for one that they do not show to the minute. */
function onTheClock(instant: number, zone: string): { date: string; clock: string } | undefined {
  const [date = '', clock = ''] = typedTime(instant, zone).slice(0, 16).split('T');
  try {
    return parseTime(`${date}T${clock}`, { zone, now: () => instant }) === instant ? { date, clock } : undefined;
  } catch (error) {
    if (error instanceof InvalidValue) return undefined;
    throw error;
  }
}
