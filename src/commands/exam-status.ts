/** `exams status`: how exams stand now. */
import { defineCommand } from '../command.ts';
import { anyExam, examSelection, onlyExam, selectionOf, someExams } from './exam-selection-flags.ts';
import { lateFlag, span } from './spans.ts';

export const status = defineCommand({
  name: 'exams status',
  summary: 'Count the students of exams by status, and list the problems',
  details:
    'One ID counts the students of that exam by status, and lists those with problems below. Several exams get a row each: not started yet (registered, mail_sent), checking (until the exam is opened), writing, finished, and the number of problems, which stderr lists. Problems are: suspicion 2 or 3; and, some minutes after the student could start (--late), a check that is not completed, or an exam that is not started.',
  effect: 'read',
  args: someExams,
  flags: { ...examSelection, late: lateFlag },
  anyOf: [...anyExam, 'ids'],
  async run(context, { late: given, ...values }) {
    const late = span('--late', given ?? '10m', { least: 0 });
    const { examsStatus } = await import('../features/watch/exams-status.ts');
    return examsStatus(context, { selection: selectionOf(values), alone: onlyExam(values) !== undefined, late });
  },
  examples: [
    { line: 'proctor-cli exams status 3', description: 'how many in each status, and the students with problems' },
    {
      line: 'proctor-cli exams status 3 -o json',
      description: 'the same for a script: a list, with the counts and the problems of the exam',
    },
    { line: 'proctor-cli exams status --from now-24h --until +24h', description: 'a row for each exam of these two days' },
  ],
});
