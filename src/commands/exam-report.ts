/** `exams report`: what became of the students of exams. */
import { defineCommand } from '../command.ts';
import { anyExam, examSelection, onlyExam, selectionOf, someExams } from './exam-selection-flags.ts';

export const report = defineCommand({
  name: 'exams report',
  summary: 'Report on exams: attendance, no-shows, stuck, suspicion',
  details:
    "One ID prints the numbers of that exam; several exams get a row each, and stderr has the sums. --html writes one page with a section for each exam. Attendance is judged by status and times only. Present: the student has started the check. Not started yet: the session is registered or mail_sent, and can still start. No-show: it can no longer start, because its close_time, or else the end of the exam, has passed. Stuck: the student has started, has not finished, and can no longer finish. Not rated: suspicion 0, or none shown, no-shows included. Until the exam and every student's window are over, the report is preliminary and says so; of several exams, stderr names those that are not final. JSON also lists the students behind the numbers.",
  effect: 'read',
  args: someExams,
  flags: {
    ...examSelection,
    list: {
      type: 'text',
      value: 'group',
      choices: ['no-shows', 'stuck', 'suspicious'],
      description: 'list students instead of the numbers (suspicious: suspicion 2–3)',
    },
    html: {
      type: 'text',
      value: 'file',
      complete: 'files',
      description: 'also write a self-contained HTML page, readable only by you',
    },
    force: { rare: true, type: 'boolean', description: 'let --html replace an existing file' },
  },
  anyOf: [...anyExam, 'ids'],
  async run(context, { list, html, force = false, ...values }) {
    const { reportExams } = await import('../features/exam-report/report.ts');
    return reportExams(context, { selection: selectionOf(values), alone: onlyExam(values) !== undefined, list, html, force });
  },
  examples: [
    { line: 'proctor-cli exams report 2', description: 'how many were present, finished or did not show up' },
    { line: 'proctor-cli exams report 2 --html report.html', description: 'the same, and a page to file or print' },
    { line: 'proctor-cli exams report 2 --list no-shows -o csv', description: 'the no-shows, for a spreadsheet' },
    {
      line: 'proctor-cli exams report --until now --html reports.html',
      description: 'a row for each past exam, and one page about all of them',
    },
  ],
});
