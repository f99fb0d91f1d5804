import { type Column, defineCommand } from '../../command.ts';
import type { Group } from '../../features/monitoring/exam-view.ts';
import { anyExam, examSelection, lateFlag, selectionOf, someExams } from '../shared.ts';

const reportColumns: readonly Column[] = [
  { key: 'exam' },
  { key: 'name', identifies: true },
  { key: 'students', title: 'all', as: 'count' },
  { key: 'problems', as: 'count' },
  { key: 'present', as: 'count' },
  { key: 'finished', title: 'done', as: 'count' },
  { key: 'no_shows', title: 'no-shows', as: 'count' },
  { key: 'suspicion', as: 'count' },
  { key: 'stuck', as: 'count' },
  { key: 'not_rated', as: 'count' },
  { key: 'start_time', title: 'day', as: 'day' },
];

export const command = defineCommand({
  name: 'exams report',
  summary: 'Report on exams: who came and who did not, problems, suspicion',
  details:
    "Each exam has a row. Attendance is judged by status and times only:\nPresent: has started the check.\nAbsent: not started, or a no-show.\nNot started: can still start.\nNo-show: can no longer start, because the close_time, or else the end of the exam, has passed.\nStuck: has started, has not finished, and can no longer finish.\nNot rated: suspicion 0, or none shown.\nNot mailed: still registered.\nUnknown: the status is none of the specification.\nProblems (students who need help): suspicion 2 or 3; or, some minutes after the start (--late), has not come, has not completed the check, or still waits after it.\n\nUntil an exam and every student's window are over, the report says that it is preliminary.",
  effect: 'read',
  args: someExams,
  flags: {
    ...examSelection,
    list: {
      type: 'text',
      value: 'group',
      choices: [
        'problems',
        'absent',
        'no-shows',
        'suspicion',
        'stuck',
        'finished',
        'in-progress',
        'not-started',
        'not-mailed',
        'not-rated',
        'present',
        'unknown',
      ],
      description: 'students instead of numbers, the most urgent first (suspicion: 2–3)',
    },
    html: {
      type: 'text',
      value: 'file',
      complete: 'files',
      description: 'also write an HTML page, readable only by you',
    },
    late: lateFlag,
  },
  anyOf: [...anyExam, 'ids'],
  columns: reportColumns,
  async run(context, { list, html, late, ...values }) {
    const { reportExams } = await import('../../features/monitoring/report.ts');
    return reportExams(context, {
      selection: selectionOf(values),
      list: list as Group | undefined,
      html,
      late,
    });
  },
  examples: {
    'proctor-cli exams report 3 --list absent': 'the students who have not come',
    'proctor-cli exams report 2': 'how many came, finished or did not show up',
    'proctor-cli exams report --until now --html reports.html': 'a row for each past exam, and one page about all of them',
  },
});
