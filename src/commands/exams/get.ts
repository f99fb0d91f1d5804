import { operations } from '../../api/operations.ts';
import { defineCommand } from '../../command.ts';
import { columns, oneExam } from './shared.ts';

export const command = defineCommand({
  name: 'exams get',
  summary: 'Show one exam',
  effect: 'read',
  args: oneExam,
  columns,
  request: ({ id }) => ({ operation: operations.getExam, params: { id } }),
  examples: { 'proctor-cli exams get 1': 'everything that the service shows of exam 1' },
});
