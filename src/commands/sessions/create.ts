import { operations } from '../../api/operations.ts';
import { createCommand } from '../shared.ts';
import { studentCreation } from './shared.ts';

export const command = createCommand({
  ...studentCreation,
  name: 'sessions create',
  operation: operations.createSession,
  examples: {
    'proctor-cli sessions create --exam 2 --email ada@example.org --name "Ada Example"': 'register a student in exam 2',
  },
});
