/** Timetables, read and printed, and lists of extra time. */
import { type Column, defineCommand } from '../command.ts';
import { restrictionKeys } from '../model/fields.ts';
import { anyExam, examSelection, instituteFlag } from './courses.ts';
import { atMost, readFlags, readingOf } from './tables.ts';

const lineColumns: readonly Column[] = [
  { key: 'line' },
  { key: 'exam' },
  { key: 'name', identifies: true },
  { key: 'action', identifies: true },
  { key: 'changes', as: 'changes' },
  { key: 'reason' },
];

const apply = defineCommand({
  name: 'exams apply',
  summary: 'Create and change exams as a timetable has them',
  details:
    'Shows what it would do for each line, asks once, and does it as one run; applied again, it changes nothing. Columns, by their usual headers in English, German and French, or by --map: id, name, date, start, end or duration, the four restrictions (all or none), save_recording, proctors (addresses, IDs or names of users, with ; between them; others are removed from the pool), roster (a file beside the timetable; its students are added). --only, --except, --ignore-column and --encoding are for the rosters, too. What has no column is left alone, an empty cell keeps the value, and the word none clears it. A line is the exam of its id; without an id, the exam of its name and start; else it is new. If an exam has the name, but another start, it is asked about, and held back in a script: write its ID or new into the column id. Where times change, the windows of students move along. A line that would take something from a running exam is held back; no exam is ever deleted.',
  effect: 'write',
  takes: true,
  args: {
    file: { description: 'the timetable: CSV, Excel or JSON; - reads it from stdin', complete: 'files' },
  },
  flags: {
    ...readFlags,
    map: {
      ...readFlags.map,
      description: "header of a field's column, such as --map 'name=Modul'",
    },
    check: {
      type: 'boolean',
      description: 'compare only; status 11 where a line differs from the service, or an exam has students whom its roster lacks',
    },
    removeMissing: {
      ...atMost,
      description: 'delete students who are not in the roster of their exam: at most n of an exam',
    },
    institute: instituteFlag,
  },
  columns: lineColumns,
  async run(context, values) {
    const { applyTimetable } = await import('../features/timetable/apply-timetable.ts');
    return applyTimetable(context, { ...values, reading: readingOf(values) });
  },
  examples: {
    'proctor-cli exams apply timetable.csv --timezone Europe/Vienna --yes': 'the exams of the timetable, in a script',
    'proctor-cli exams apply timetable.csv --timezone Europe/Vienna --check': 'what differs from the timetable',
  },
});

const exported = ['id', 'name', 'date', 'start', 'end', ...restrictionKeys, 'save_recording', 'proctors'];
const exportColumns: readonly Column[] = exported.map((key) => ({ key }));

const exporting = defineCommand({
  name: 'exams export',
  summary: 'Print exams as a timetable',
  details:
    'Prints the selected exams, or all exams, as a table that exams apply reads, IDs included; CSV off a terminal. Times are in the current time zone; without a time zone, they have their offset.',
  effect: 'read',
  flags: examSelection,
  columns: exportColumns,
  async run(context, { exam, from, until, name }) {
    const { exportTimetable } = await import('../features/timetable/export-timetable.ts');
    return exportTimetable(context, { exam, from, until, name });
  },
  examples: {
    'proctor-cli exams export --from 2026-01-01 --timezone Europe/Vienna': 'the exams of a period as a timetable',
    'proctor-cli exams export -o json --timezone UTC': 'all exams, for a script',
  },
});

const extraTimeColumns: readonly Column[] = [
  { key: 'exam' },
  { key: 'session' },
  { key: 'email', identifies: true },
  { key: 'field', detail: true },
  { key: 'from', as: 'time' },
  { key: 'to', as: 'time', identifies: true },
  { key: 'result', identifies: true },
  { key: 'reason' },
  { key: 'reference' },
];

const grant = defineCommand({
  name: 'accommodations apply',
  summary: 'Give students their extra time, from one list',
  details:
    "Compares the list with the sessions of the selected exams, shows old and new close times, asks once, and sets them. With --check it only prints a row for each student and exam: ok, missing (no close time of its own), less (before the target), more (after it: kept, and no difference), finished, conflict (only a person can decide) or unmatched (nobody). The target is the end of the exam plus the extra time (a share of its length, a fixed time, or both), rounded up to the minute, whatever the present close time is; where a student's open_time is later than the start, the whole length counts from there. Time is never taken away, and a finished session is never changed. For more time on top of what a student has: sessions extend.",
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
    const { applyExtraTime } = await import('../features/extra-time/extra-time.ts');
    return applyExtraTime(context, { file, reading: readingOf(values), selection: { exam, from, until, name, typedTimes }, check });
  },
  examples: {
    'proctor-cli accommodations apply accommodations.csv --exam 12 --yes': 'the extra time in one exam',
    'proctor-cli accommodations apply accommodations.csv --from 2020-01-01T00:00Z --until 2099-12-31T00:00Z --check':
      'whether it is in place in all exams of a period',
  },
});

export const commands = [apply, exporting, grant];
