import { operations } from '../../api/operations.ts';
import { defineCommand, type Flags } from '../../command.ts';
import { examTimesOf } from '../../features/exam-times.ts';
import { sessionFilter, sessionStatuses } from '../../model/status.ts';
import { examFlag, listFlags } from '../shared.ts';
import { sessionColumns } from './shared.ts';

const filterFlags = {
  status: {
    type: 'text',
    value: 'statuses',
    complete: sessionStatuses,
    description: `only sessions with one of these statuses, separated by commas: ${sessionStatuses.join(', ')}`,
  },
  notStatus: {
    type: 'text',
    value: 'statuses',
    complete: sessionStatuses,
    description: 'only sessions with none of these statuses',
  },
  email: {
    type: 'text',
    value: 'text',
    description: 'only sessions with this in their address, in any case',
  },
} as const satisfies Flags;

export const command = defineCommand({
  name: 'sessions list',
  summary: 'List the students of an exam, or all sessions',
  effect: 'read',
  flags: {
    exam: { ...examFlag, description: 'only the students of this exam' },
    ...filterFlags,
    ...listFlags,
  },
  columns: [...sessionColumns, { key: 'exam_id', title: 'exam ID' }],
  request({ exam, ...filter }) {
    sessionFilter(filter);
    return exam === undefined
      ? { operation: operations.listSessions }
      : { operation: operations.listExamSessions, params: { exam_id: exam } };
  },
  filter(values) {
    const keep = sessionFilter(values);
    return keep && { keep };
  },
  inTable: ({ exam }, context) => examTimesOf(context, exam, exam === undefined),
  examples: {
    'proctor-cli sessions list --exam 2': 'the students of exam 2',
    'proctor-cli sessions list --exam 2 --status exam_started -o id': 'the IDs of students who are taking the exam',
  },
});
