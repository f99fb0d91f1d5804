import { operations } from '../../api/operations.ts';
import { defineCommand } from '../../command.ts';
import { examSelection, listFlags } from '../shared.ts';
import { columns } from './shared.ts';

export const command = defineCommand({
  name: 'exams list',
  summary: 'List exams',
  details: 'A terminal shows the exams by start. Data have the order of the service.',
  effect: 'read',
  flags: { name: examSelection.name, from: examSelection.from, until: examSelection.until, ...listFlags },
  columns,
  sortedBy: 'start_time',
  request: () => ({ operation: operations.listExams }),
  async filter(values, context) {
    if ([values.name, values.from, values.until].every((given) => given === undefined)) return undefined;
    const { examRows } = await import('../../features/exam-selection.ts');
    return examRows(context, values);
  },
  examples: {
    'proctor-cli exams list': 'all exams, with their times in your zone',
    'proctor-cli exams list --from 2026-01-01 --sort -start_time --limit 5 --timezone UTC': 'the latest five',
  },
});
