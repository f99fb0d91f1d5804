/** `exams export`: exams as lines of a timetable, their IDs included. Applied again, nothing is to be done. */
import type { Client } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import { planned } from '../../api/request.ts';
import type { Column, Context, Result, Row } from '../../command.ts';
import { booleanIn } from '../../model/boolean.ts';
import { idAs } from '../../model/id.ts';
import { InvalidValue } from '../../model/invalid-value.ts';
import { restrictionKeys, restrictionsOf } from '../../model/restrictions.ts';
import { parseTime, showTime, typedTime } from '../../model/time.ts';
import { type ExamSelection, lookingAt, type SelectedExam, selectedExam } from '../exam-selection.ts';
import { poolsOf } from './pools.ts';

export type ExportRequest = { selection: ExamSelection; columns: readonly Column[] };

export async function exportPeriod(context: Context, { selection, columns }: ExportRequest): Promise<Result> {
  const { exam = [], from, until, name } = selection;
  const look = async (client: Client, exams: readonly SelectedExam[]): Promise<Result> => {
    const pools = await poolsOf(
      client,
      exams.map(({ id }) => id),
    );
    const rows = exams.map((each) => rowOf(context, client, each, pools.get(each.id) ?? []));
    return { kind: 'list', rows, columns };
  };
  if (exam.length > 0 || [from, until, name].some((given) => given !== undefined))
    return lookingAt(context, selection, look, { unsure: 'refuse' });
  const client = await context.client();
  return context.act({
    steps: [{ operation: operations.listExams }],
    show: (steps) => planned(client, steps),
    perform: async () =>
      look(
        client,
        (await client.list(operations.listExams, {})).map((shown) => selectedExam(shown, client)),
      ),
  });
}

function rowOf(context: Context, client: Client, exam: SelectedExam, pool: readonly string[]): Row {
  const { id, name, shown } = exam;
  const restrictions = restrictionsOf(shown);
  // A line has all four, or none.
  const isWhole = restrictionKeys.every((key) => restrictions[key] !== undefined);
  return {
    id: idAs(id, client.idType('exam')),
    name: name ?? null,
    ...timesOf(context, exam),
    ...Object.fromEntries(restrictionKeys.map((key) => [key, isWhole ? restrictions[key] : null])),
    save_recording: booleanIn(shown.save_recording) ?? null,
    proctors: pool.length === 0 ? null : pool.join('; '),
  };
}

/** As a timetable has them, by the clocks of the current zone; with date and offset what that cannot tell, or where no zone is set. */
function timesOf(context: Context, { start, end }: SelectedExam): Row {
  const zone = context.settings().timeZone;
  const whole = (instant: number | undefined) => (instant === undefined ? null : exactly(instant, context.zone()));
  const starts = start === undefined || zone === undefined ? undefined : onTheClock(start, zone);
  const ends = end === undefined || zone === undefined ? undefined : onTheClock(end, zone);
  if (!starts) return { date: null, start: whole(start), end: whole(end) };
  return { date: starts.date, start: starts.clock, end: ends?.date === starts.date ? ends.clock : whole(end) };
}

/** Undefined for a time that the clocks show twice, and for one that they do not show to the minute. */
function onTheClock(instant: number, zone: string): { date: string; clock: string } | undefined {
  const [date = '', clock = ''] = typedTime(instant, zone).slice(0, 16).split('T');
  try {
    const again = parseTime(`${date}T${clock}`, { zone, now: () => instant });
    return again === instant ? { date, clock } : undefined;
  } catch (error) {
    if (error instanceof InvalidValue) return undefined;
    throw error;
  }
}

function exactly(instant: number, zone: string): string {
  return instant % 1000 === 0 ? showTime(instant / 1000, zone) : new Date(instant).toISOString();
}
