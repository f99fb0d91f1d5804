import { operations } from '../../api/operations.ts';
import { defineCommand } from '../../command.ts';
import { examTimesOf } from '../../features/exam-times.ts';
import { oneSession, sessionColumns } from './shared.ts';

export const command = defineCommand({
  name: 'sessions get',
  summary: 'Show one student session',
  effect: 'read',
  args: oneSession,
  columns: sessionColumns,
  request: ({ id }) => ({ operation: operations.getSession, params: { id } }),
  inTable: (_, context) => examTimesOf(context, undefined),
  examples: { 'proctor-cli sessions get 5': 'everything that the service shows of session 5' },
});
