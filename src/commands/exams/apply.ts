import { type Column, defineCommand } from '../../command.ts';
import { instituteFlag } from '../shared.ts';
import { atMost, readFlags, readingOf } from '../table-flags.ts';

const lineColumns: readonly Column[] = [
  { key: 'line' },
  { key: 'exam' },
  { key: 'name', identifies: true },
  { key: 'action', identifies: true },
  { key: 'changes', as: 'changes' },
  { key: 'reason' },
];

export const command = defineCommand({
  name: 'exams apply',
  summary: 'Create and change exams as a timetable has them',
  details:
    'Shows what it would do for each line, asks once, and does it as one run; applied again, it changes nothing. Columns, by their usual headers in English, German and French, or by --map: id, name, date, start, end or duration, the four restrictions (all or none), save_recording, proctors (addresses, IDs or names of users, with ; between them; others are removed from the pool), roster (a file beside the timetable; its students are added). --only, --except, --ignore-column and --encoding are for the rosters, too. A field without a column is not changed; an empty cell keeps the value; the word none clears it. A line with an id is that exam; without an id, it is the exam of its name and start, or a new one. If an exam has the name, but another start, it is asked about, and held back in a script: write its ID or new into the column id. Where times change, the windows of students move along. A line that would take something from a running exam is held back; no exam is ever deleted.',
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
    const { applyTimetable } = await import('../../features/timetable/apply-timetable.ts');
    return applyTimetable(context, { ...values, reading: readingOf(values) });
  },
  examples: {
    'proctor-cli exams apply timetable.csv --timezone Europe/Vienna --yes': 'the exams of the timetable, in a script',
    'proctor-cli exams apply timetable.csv --timezone Europe/Vienna --check': 'what differs from the timetable',
  },
});
