import { operations } from '../../api/operations.ts';
import { deleteCommand } from '../shared.ts';

export const command = deleteCommand({
  name: 'sessions delete',
  summary: 'Delete student sessions, removing the students from their exam',
  details:
    'Shows each session with address and status, and asks. It reads each session right before it deletes it. A session is kept and named if its student has started since, or if it now has another address or exam. Three unclear answers in a row end the command.',
  operation: operations.deleteSession,
  examples: { 'proctor-cli sessions delete 7 8 --yes': 'remove two students from their exam' },
});
