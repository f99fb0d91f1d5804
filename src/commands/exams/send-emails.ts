import { defineCommand } from '../../command.ts';
import { anyExam, examSelection, selectionOf, someExams } from '../shared.ts';

export const command = defineCommand({
  name: 'exams send-emails',
  summary: 'Send the exam mails to all students of exams',
  details:
    'Each student with an address gets one mail. The service mails all students of an exam, never single ones. The request of an exam is never sent twice: if its outcome is unknown, the command says how to find out. If students of one of the exams were mailed before, nothing is sent without --unless-mailed or --resend.',
  effect: 'send',
  takes: true,
  args: someExams,
  flags: {
    ...examSelection,
    resend: {
      type: 'boolean',
      description: 'mail all students, also those who have been mailed',
    },
    unlessMailed: {
      type: 'boolean',
      description: 'leave out exams with students who were mailed',
    },
  },
  anyOf: [...anyExam, 'ids'],
  async run(context, { resend, unlessMailed, ...selection }) {
    const { mailStudents } = await import('../../features/crud/confirmed-writes.ts');
    return mailStudents(context, selectionOf(selection), { resend, unlessMailed });
  },
  examples: {
    'proctor-cli exams send-emails 6 --yes': 'mail every student of exam 6',
    'proctor-cli exams send-emails 6 12 --unless-mailed --yes': 'mail the students of two exams, unless they have been mailed',
  },
});
