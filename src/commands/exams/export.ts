import { type Column, defineCommand } from '../../command.ts';
import { fieldsOfType } from '../../model/fields.ts';
import { examSelection, selectionOf, someExams } from '../shared.ts';

const exported = ['id', 'name', 'date', 'start', 'end', ...fieldsOfType('exam', 'boolean'), 'proctors'];

const exportColumns: readonly Column[] = exported.map((key) => ({ key }));

export const command = defineCommand({
  name: 'exams export',
  summary: 'Print exams as a timetable',
  details:
    'Prints the selected exams, or all exams, as a table that exams apply reads, with their IDs. In a pipe it is CSV. Times are in the current time zone; without a time zone, they have their offset.',
  effect: 'read',
  args: someExams,
  flags: examSelection,
  columns: exportColumns,
  async run(context, values) {
    const { exportTimetable } = await import('../../features/timetable/export-timetable.ts');
    return exportTimetable(context, selectionOf(values));
  },
  examples: {
    'proctor-cli exams export --from 2026-01-01 --timezone Europe/Vienna': 'the exams of a period as a timetable',
    'proctor-cli exams export -o json --timezone UTC': 'all exams, for a script',
  },
});
