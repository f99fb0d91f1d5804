import { operations } from '../../api/operations.ts';
import { defineCommand } from '../../command.ts';
import { examTimesOf } from '../../features/exam-times.ts';
import { sessionColumns } from '../sessions/shared.ts';
import { examFlag } from '../shared.ts';

export const command = defineCommand({
  name: 'students show',
  summary: 'Show one student of an exam',
  effect: 'read',
  flags: {
    exam: examFlag,
    session: {
      type: 'text',
      value: 'id',
      complete: 'sessions',
      description: "ID of the student's session",
    },
  },
  needs: ['exam', 'session'],
  columns: sessionColumns,
  request: ({ exam, session }, { settings }) => ({
    operation: operations.showStudent,
    params: { id: exam },
    query: { [settings().dialect.studentSelector]: session },
  }),
  inTable: ({ exam }, context) => examTimesOf(context, exam),
  examples: {
    'proctor-cli students show --exam 1 --session 1': 'the student of session 1 in exam 1',
  },
});
