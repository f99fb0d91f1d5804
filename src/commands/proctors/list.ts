import { operations } from '../../api/operations.ts';
import { defineCommand } from '../../command.ts';
import { examFlag } from '../shared.ts';
import { columns } from './shared.ts';

export const command = defineCommand({
  name: 'proctors list',
  summary: 'List the proctors of an exam',
  effect: 'read',
  flags: { exam: examFlag },
  needs: ['exam'],
  columns,
  request: ({ exam }) => ({ operation: operations.listProctors, params: { id: exam } }),
  examples: { 'proctor-cli proctors list --exam 1': 'the proctors of exam 1' },
});
