import { operations } from '../../api/operations.ts';
import { studentCreation } from '../sessions/shared.ts';
import { createCommand } from '../shared.ts';

export const command = createCommand({
  ...studentCreation,
  name: 'students add',
  operation: operations.addStudent,
  examples: {
    'proctor-cli students add --exam 2 --email grace@example.org': 'register a student in exam 2',
  },
});
