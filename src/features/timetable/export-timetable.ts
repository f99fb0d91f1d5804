/** `exams export`: exams as lines of a timetable, which applied changes nothing. */
import { operations } from '../../api/operations.ts';
import type { Context, Result, Row } from '../../command.ts';
import { fieldsOfType, missingRestrictions, restrictionKeys } from '../../model/fields.ts';
import { orNone } from '../../model/invalid-value.ts';
import { booleanIn } from '../../model/json.ts';
import { showTime, typedTime } from '../../model/time.ts';
import { parseTime } from '../../model/typed-time.ts';
import { type ExamSelection, type SelectedExam, selectExams } from '../exam-selection.ts';
import { proctorsOf } from '../proctors.ts';

export async function exportTimetable(context: Context, selection: ExamSelection): Promise<Result> {
  const client = await context.client();
  const exams = await selectExams(context, selection, { reads: true, all: true });
  const rows = await client.pacer.map(exams, async (exam): Promise<Row> => {
    const { id, name = null, shown } = exam;
    const proctors = proctorsOf(client, id, await client.list(operations.listProctors, { params: { id } }));
    // A line has all four, or none.
    const isWhole = missingRestrictions(shown).length === 0;
    const isShown = (key: string) => isWhole || !restrictionKeys.some((each) => each === key);
    return {
      id: client.shownAs('exam', id),
      name,
      ...exportedTimes(context, exam),
      ...Object.fromEntries(fieldsOfType('exam', 'boolean').map((key) => [key, isShown(key) ? (booleanIn(shown[key]) ?? null) : null])),
      proctors: proctors.map(({ value }) => value).join('; ') || null,
    };
  });
  return { kind: 'list', rows, columns: context.columns, unasked: 'file' };
}

/** Times by the clocks of the zone; with date and offset if these leave a doubt, or if there is no zone. */
function exportedTimes({ settings, zone }: Context, { start, end }: SelectedExam): Row {
  const { timeZone } = settings();
  const [starts, ends] = [start, end].map((time) => onTheClock(time, timeZone));
  const [first, last] = [start, end].map((time) => (time === undefined ? null : showTime(time / 1000, zone())));
  return {
    date: starts?.date ?? null,
    start: starts?.clock ?? first,
    end: starts && ends?.date === starts.date ? ends.clock : last,
  };
}

/** Undefined for a time that the clocks show twice, or not to the minute. */
function onTheClock(instant: number | undefined, zone: string | undefined) {
  if (instant === undefined || zone === undefined) return undefined;
  const [date = '', clock = ''] = typedTime(instant, zone).slice(0, 16).split('T');
  const read = orNone(() => parseTime(`${date}T${clock}`, { zone }));
  return read === instant ? { date, clock } : undefined;
}
