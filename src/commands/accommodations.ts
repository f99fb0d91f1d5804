/** Extra time that an office keeps in a list of its own, compared with exams and set there. */
import { type Column, defineCommand } from '../command.ts';
import { anyExam, examSelection } from './exam-selection-flags.ts';
import { readFlags, readingOf } from './roster-flags.ts';

const columns = [
  { key: 'exam' },
  { key: 'session' },
  { key: 'email', identifies: true },
  { key: 'field', detail: true },
  { key: 'from', as: 'time' },
  { key: 'to', as: 'time', identifies: true },
  { key: 'result', identifies: true },
  { key: 'reason' },
  { key: 'reference' },
] as const satisfies readonly Column[];

const apply = defineCommand({
  name: 'accommodations apply',
  summary: 'Give students their extra time, from one list',
  details:
    "Compares the list with the sessions of the selected exams, shows old and new close times, asks once, and sets them. With --check it only prints a row for each student and exam: ok, missing (no close time of its own), less (before the target), more (after it: kept, and no difference), finished or conflict (only a person can decide); a line that matches nobody is unmatched. The target is computed from the exam, never from the present close time: its end plus the extra time (a share of its length, a fixed time, or both), rounded up to the minute; where a student's open_time is later than the start, the whole length counts from there. A second call changes nothing. Time is never taken away, and a finished session is never changed.",
  effect: 'write',
  takes: true,
  args: { file: { description: 'list of extra time: CSV, Excel or JSON; - reads it from stdin', complete: 'files' } },
  flags: {
    ...examSelection,
    ...readFlags,
    check: { type: 'boolean', description: 'compare only; status 11 where time is missing, or a person has to decide' },
  },
  anyOf: anyExam,
  columns,
  async run(context, values) {
    const { file, exam, from, until, name, typedTimes, check } = values;
    const { applyExtraTime, checkExtraTime } = await import('../features/extra-time/extra-time.ts');
    const request = { file, reading: readingOf(values), selection: { exam, from, until, name, typedTimes }, columns };
    return check ? checkExtraTime(context, request) : applyExtraTime(context, request);
  },
  examples: [
    {
      line: 'proctor-cli accommodations apply accommodations.csv --exam 12 --yes',
      description: 'the extra time in one exam',
    },
    {
      line: 'proctor-cli accommodations apply accommodations.csv --from 2020-01-01T00:00Z --until 2099-12-31T00:00Z --check',
      description: 'whether it is in place in all exams of a period',
    },
  ],
});

export const accommodations = [apply];
