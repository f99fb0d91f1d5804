import { defineCommand } from '../../command.ts';
import { anyExam, examSelection, selectionOf } from '../shared.ts';
import { columns } from './shared.ts';

export const command = defineCommand({
  name: 'proctors list',
  summary: 'List the proctors of exams',
  effect: 'read',
  flags: examSelection,
  anyOf: anyExam,
  columns: [{ key: 'exam' }, ...columns],
  async run(context, values) {
    const { listProctors } = await import('../../features/proctors.ts');
    return listProctors(context, selectionOf(values));
  },
  examples: {
    'proctor-cli proctors list --exam 1': 'the proctors of exam 1',
    'proctor-cli proctors list --name algebra': 'the proctors of each exam with this in its name',
  },
});
