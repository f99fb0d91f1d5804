/** `exams clashes`: students in two exams at the same time. */
import { defineCommand } from '../command.ts';
import { anyExam, examSelection, selectionOf, someExams } from './exam-selection-flags.ts';

export const clashes = defineCommand({
  name: 'exams clashes',
  summary: 'Find students in two exams at the same time',
  details:
    "Compares the selected exams with each other, by the students' addresses, ignoring case. A student is busy from the start of an exam, or from a later open_time, until its end, or until a later close_time: extra time counts. Prints a row for each student and pair of exams that clash; back-to-back exams do not clash. Sessions without an address and exams without times cannot be compared and are named. The status is 11 if there are clashes, otherwise 0.",
  effect: 'read',
  args: someExams,
  flags: examSelection,
  anyOf: [...anyExam, 'ids'],
  async run(context, values) {
    const { examClashes } = await import('../features/clashes.ts');
    return examClashes(context, selectionOf(values));
  },
  output: 'clash[]',
  examples: [
    { line: 'proctor-cli exams clashes 8 9', description: 'students in both exams while both take place' },
    { line: 'proctor-cli exams clashes --name "main term" -o csv', description: 'the clashes of a term, for a spreadsheet' },
  ],
});
