/** The exams of a timetable: brought in and kept by `exams apply`, printed by `exams export`. */
import { type Column, defineCommand } from '../command.ts';
import { examSelection, instituteFlag } from './exam-selection-flags.ts';
import { readFlags, readingOf } from './roster-flags.ts';

const lineColumns = [
  { key: 'line' },
  { key: 'exam' },
  { key: 'name', identifies: true },
  { key: 'action', identifies: true },
  { key: 'changes', as: 'changes' },
  { key: 'reason' },
] as const satisfies readonly Column[];

export const apply = defineCommand({
  name: 'exams apply',
  summary: 'Create and change exams as a timetable has them',
  details:
    'Shows what it would do for each line, asks once, and does it as one run; applied again, it changes nothing. Columns, by their usual headers in English, German and French, or by --map: id, name, date, start, end or duration, the four restrictions (all or none), save_recording, proctors (addresses, IDs or names of users, with ; between them; others are removed from the pool), roster (a file beside the timetable; its students are added). A missing column is not managed, an empty cell keeps the value, and the word none clears it. A line is the exam of its id; without one, the exam of its name and start; else it is new. A line whose name has an exam with another start is asked about, and held back in a script, until its id says which exam moves, or new. Where times change, the windows of students move along. What would take something from an exam that runs is held back with its line; no exam is ever deleted.',
  effect: 'write',
  takes: true,
  args: { file: { description: 'the timetable: CSV, Excel or JSON; - reads it from stdin', complete: 'files' } },
  flags: {
    ...readFlags,
    map: { ...readFlags.map, description: "header of a field's column, such as --map 'name=Modul'" },
    check: { type: 'boolean', description: 'compare only; status 11 where a line differs from the service' },
    removeMissing: {
      type: 'number',
      value: 'n',
      least: 0,
      most: 1_000_000,
      description: 'delete students who are missing from the roster of their exam: at most n of an exam',
    },
    institute: instituteFlag,
  },
  columns: lineColumns,
  async run(context, values) {
    const { file, institute, removeMissing, check } = values;
    const { applyTimetable, checkTimetable } = await import('../features/timetable/apply-timetable.ts');
    const request = { file, reading: readingOf(values), institute, removeMissing, columns: lineColumns };
    return check ? checkTimetable(context, request) : applyTimetable(context, request);
  },
  examples: [
    {
      line: 'proctor-cli exams apply timetable.csv --timezone Europe/Vienna --yes',
      description: 'the exams of the timetable, in a script',
    },
    { line: 'proctor-cli exams apply timetable.csv --timezone Europe/Vienna --check', description: 'what differs from the timetable' },
  ],
});

const exportColumns: readonly Column[] = [
  ...['id', 'name', 'date', 'start', 'end', 'allow_headphones', 'allow_whiteboard', 'allow_leave_room', 'allow_pen_paper'],
  ...['save_recording', 'proctors'],
].map((key) => ({ key }));

export const exporting = defineCommand({
  name: 'exams export',
  summary: 'Print exams as a timetable',
  details:
    'Prints the selected exams, or all exams, as a table that exams apply reads, IDs included; CSV off a terminal. Applied again, it changes nothing. Times are in the current time zone; without a time zone, they have their offset.',
  effect: 'read',
  flags: examSelection,
  columns: exportColumns,
  async run(context, { exam, from, until, name }) {
    const { exportTimetable } = await import('../features/timetable/export-timetable.ts');
    return exportTimetable(context, { exam, from, until, name }, exportColumns);
  },
  examples: [
    { line: 'proctor-cli exams export --from 2026-01-01 --timezone Europe/Vienna', description: 'the exams of a period as a timetable' },
    { line: 'proctor-cli exams export -o json --timezone UTC', description: 'all exams, for a script' },
  ],
});
