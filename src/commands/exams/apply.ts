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
    'Shows what it would do for each line, asks once, and does it as one run. Applied again, it changes nothing. It deletes no exam, and holds back a line that would take something from a running exam.\n\nColumns, by their usual headers in English, German and French, or by --map: id, name, date, start, end or duration, the four restrictions (all or none), save_recording, proctors (addresses, IDs or names of users, with ; between them; others are removed from the pool), roster (a file beside the timetable; its students are added). A field without a column is not changed; an empty cell keeps the value; the word none clears it. --only, --except, --ignore-column and --encoding are for the rosters, too.\n\nA line with an id is that exam. A line without one is the exam of its name and start, or else a new one. If an exam has the name but another start, a terminal asks, and a script holds the line back: write its ID or new into the column id. If times change, the windows of students move along.',
  effect: 'write',
  takes: true,
  args: {
    file: { description: 'the timetable: CSV, Excel or JSON; - reads it from stdin', complete: 'files' },
  },
  flags: {
    ...readFlags,
    map: {
      ...readFlags.map,
      description: "header of a field's column, such as --map name=Modul",
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
