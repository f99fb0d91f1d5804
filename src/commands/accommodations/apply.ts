import { type Column, defineCommand } from '../../command.ts';
import { anyExam, examSelection } from '../shared.ts';
import { readFlags, readingOf } from '../table-flags.ts';

const extraTimeColumns: readonly Column[] = [
  { key: 'exam' },
  { key: 'session' },
  { key: 'email', identifies: true },
  { key: 'field', detail: true },
  { key: 'from', as: 'time', identifies: true },
  { key: 'to', as: 'time', identifies: true },
  { key: 'result', identifies: true },
  { key: 'reason' },
  { key: 'reference' },
];

export const command = defineCommand({
  name: 'accommodations apply',
  summary: 'Give students their extra time, from one list',
  details:
    "Compares the list with the sessions of the selected exams, shows old and new close times, asks once, and sets them. It never takes time away, and never changes a finished session.\n\nColumns of the list: email, extra (25%, 30m, 1.25x), exams (names or IDs; empty: all), until and reference, by these or their usual headers.\n\nThe target is the end of the exam plus the extra time (a share of its length, a fixed time, or both), rounded up to the minute. It does not depend on the current close time. If a student's open_time is later than the start, the whole length counts from there.\n\nWith --check it prints a row for each student and exam: ok, missing (no close time of its own), less (before the target), more (after it; kept, and no difference), finished, conflict (only a person can decide) or unmatched (no session).\n\nFor more time on top of a student's present time, use sessions extend.",
  effect: 'write',
  takes: true,
  args: {
    file: { description: 'list of extra time: CSV, Excel or JSON; - reads it from stdin', complete: 'files' },
  },
  flags: {
    ...examSelection,
    ...readFlags,
    check: {
      type: 'boolean',
      description: 'compare only; status 11 where time is missing, or a person has to decide',
    },
  },
  anyOf: anyExam,
  columns: extraTimeColumns,
  async run(context, values) {
    const { file, exam, from, until, name, typedTimes, check } = values;
    const { applyExtraTime } = await import('../../features/accommodations/extra-time.ts');
    return applyExtraTime(context, { file, reading: readingOf(values), selection: { exam, from, until, name, typedTimes }, check });
  },
  examples: {
    'proctor-cli accommodations apply accommodations.csv --exam 12 --yes': 'the extra time in one exam',
    'proctor-cli accommodations apply accommodations.csv --from 2020-01-01T00:00Z --until 2099-12-31T00:00Z --check':
      'whether it is in place in all exams of a period',
  },
});
