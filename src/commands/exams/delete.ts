import { operations } from '../../api/operations.ts';
import { deleteCommand } from '../shared.ts';

export const command = deleteCommand({
  name: 'exams delete',
  summary: 'Delete exams',
  details:
    'The service may delete the students of an exam and its proctor pool with it. An exam is kept if, since the question, its name or start has changed, or the number of its students or of those who have started.',
  operation: operations.deleteExam,
  examples: {
    'proctor-cli exams delete 6 --yes': 'delete exam 6 without a prompt',
    'proctor-cli exams delete 3 --during-exam "Booked twice" --yes': 'delete a running exam, and record why',
  },
});
