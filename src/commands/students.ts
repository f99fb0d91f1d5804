/** One student of an exam, by way of the exam (specification 4.1). */
import { operations } from '../api/operations.ts';
import { creating, examFlag } from './courses.ts';
import { defineCommand } from './define-command.ts';
import { adding, sessionColumns } from './sessions.ts';

const show = defineCommand({
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
  examples: {
    'proctor-cli students show --exam 1 --session 1': 'the student of session 1 in exam 1',
  },
});

const add = creating({
  ...adding,
  name: 'students add',
  operation: operations.addStudent,
  isInExam: true,
  examples: {
    'proctor-cli students add --exam 2 --email grace@example.org': 'register a student in exam 2',
  },
});

export const commands = [show, add];
