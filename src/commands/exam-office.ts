/** What an exam office does with exams: copies, moves, mails and reports. */
import { type Column, defineCommand, type TextFlag } from '../command.ts';
import type { Group } from '../features/exam-view/exam-view.ts';
import { again, anyExam, createFlags, examSelection, lateFlag, selectionOf, someExams, timesColumns, type Words } from './courses.ts';
import { columns, fields, settings } from './exams.ts';

const clone = defineCommand({
  name: 'exams clone',
  summary: 'Create an exam with the settings and proctors of another',
  details:
    'Copies the name, the four restrictions, save_recording and the proctor pool; options override them. The end moves with the start: within half a day by elapsed time, else by the clocks of the time zone, so that 09:00 to 11:00 stays so. Own times of students move along by the difference between the starts. To finish a clone that was stopped, run the same command again: no student is created twice.',
  effect: 'write',
  args: { id: { description: 'ID of the exam to clone', complete: 'exams' } },
  flags: {
    start: { ...fields.start, description: 'start of the new exam' },
    end: { ...fields.end, description: 'end of the new exam, if its duration differs' },
    name: { ...fields.name, description: 'name of the new exam, if it differs' },
    ...settings,
    withStudents: { type: 'boolean', description: 'copy the students, too' },
    ...createFlags('an exam with this name and start'),
  },
  needs: ['start'],
  writes: { resource: 'exam', writing: 'create' },
  columns,
  async run(context, { id, withStudents = false, body, typedTimes, allowDuplicate, ifNotExists }) {
    const { cloneExam } = await import('../features/copy/clone.ts');
    return cloneExam(context, { id, given: body, typedTimes, withStudents, consents: { allowDuplicate, ifNotExists } });
  },
  examples: {
    'proctor-cli exams clone 1 --start 2027-02-01T09:00+01:00': 'the same exam at another time',
    'proctor-cli exams clone 10 --start 2027-09-01T09:00+02:00 --with-students': 'the same exam and its students at another time',
  },
});

const sendEmails = defineCommand({
  name: 'exams send-emails',
  summary: 'Send the exam mails to all students of exams',
  details:
    'Each student with an address gets one mail. The request of an exam is never sent twice: if its outcome is unknown, the command says how to find out. If students of one of the exams have been mailed before, nothing is sent without --unless-mailed or --resend.',
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
      description: 'leave out exams whose students have all been mailed',
    },
  },
  anyOf: [...anyExam, 'ids'],
  async run(context, { resend, unlessMailed, ...selection }) {
    const { mailStudents } = await import('../features/writes/asked-writes.ts');
    return mailStudents(context, selectionOf(selection), { resend, unlessMailed });
  },
  examples: {
    'proctor-cli exams send-emails 6 --yes': 'mail every student of exam 6',
    'proctor-cli exams send-emails 6 12 --unless-mailed --yes': 'mail the students of two exams, unless they have been mailed',
  },
});

const reportColumns: readonly Column[] = [
  { key: 'exam' },
  { key: 'name', identifies: true },
  { key: 'students', title: 'all' },
  { key: 'problems' },
  { key: 'present' },
  { key: 'finished', title: 'done' },
  { key: 'no_shows', title: 'no-shows' },
  { key: 'suspicion' },
  { key: 'stuck' },
  { key: 'not_rated' },
  { key: 'start_time', title: 'day', as: 'day' },
];

const report = defineCommand({
  name: 'exams report',
  summary: 'Report on exams: who came and who did not, problems, suspicion',
  details:
    "A row for each exam. Attendance is judged by status and times only. Present: has started the check. Absent: not started, or a no-show. Not started: can still start. No-show: can no longer start, because the close_time, or else the end of the exam, has passed. Stuck: has started, has not finished, and can no longer finish. Not rated: suspicion 0, or none shown. Problems (who needs help): suspicion 2 or 3; and, some minutes after the student could start (--late), a student who has not come, has not completed the check, or waits after it. Until an exam and every student's window are over, the report says that it is preliminary.",
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
    force: { rare: true, type: 'boolean', description: 'let --html replace an existing file' },
    late: lateFlag,
  },
  anyOf: [...anyExam, 'ids'],
  columns: reportColumns,
  async run(context, { list, html, force = false, late, ...values }) {
    const { reportExams } = await import('../features/exam-view/report.ts');
    return reportExams(context, {
      selection: selectionOf(values),
      list: list as Group | undefined,
      html,
      force,
      late,
    });
  },
  examples: {
    'proctor-cli exams report 3 --list absent': 'the students who have not come',
    'proctor-cli exams report 2': 'how many came, finished or did not show up',
    'proctor-cli exams report --until now --html reports.html': 'a row for each past exam, and one page about all of them',
  },
});

function moving(command: 'exams shift' | 'exams delay', by: TextFlag, words: Words) {
  return defineCommand({
    ...words,
    name: command,
    effect: 'write',
    takes: true,
    args: someExams,
    flags: { ...examSelection, by, again },
    needs: ['by'],
    anyOf: [...anyExam, 'ids'],
    columns: timesColumns,
    async run(context, { by, again, ...selection }) {
      const { shiftExams, delayExams } = await import('../features/times/move-exams.ts');
      const move = command === 'exams shift' ? shiftExams : delayExams;
      return move(context, { selection: selectionOf(selection), by, again });
    },
  });
}

const farther: TextFlag = {
  type: 'text',
  value: 'amount',
  description: 'how far to move the exams: 7d, 1w, 1d2h, 90m; to an earlier time: -7d',
  check: async (amount) => (await import('../features/times/amount.ts')).parseShift(amount),
};

const shift = moving('exams shift', farther, {
  summary: 'Move exams to another day or time, with their students',
  details:
    'Moves start and end, and the open_time and close_time of sessions that have their own. Days and weeks are calendar days in the current time zone: 09:00 stays 09:00 when the clocks change. Hours and minutes are elapsed time. An exam that students have taken is refused. Wherever it is stopped, each student has at least the whole old window or the whole new one; the same command resumes it, and runs undo takes it back.',
  examples: {
    'proctor-cli exams shift 6 --by 7d --timezone Europe/Vienna --dry-run': 'what would move, and to when',
    'proctor-cli exams shift 6 --by 1w --timezone Europe/Vienna --yes': 'the same time of day, a week later',
  },
});

const later: TextFlag = {
  type: 'text',
  value: 'duration',
  description: 'how much later the exams end: 15m, 1h30m',
  check: async (amount) => (await import('../features/times/amount.ts')).parseDelay(amount),
};

const delay = moving('exams delay', later, {
  summary: 'Move the end of exams to a later time, for every student',
  details:
    "Adds the same time to the end of an exam and to each session's own close_time, so that students with extra time keep it; finished sessions are not changed. The same command resumes it; runs undo takes it back. For a fixed time: exams update ID --end TIME.",
  examples: {
    'proctor-cli exams delay 3 --by 15m --dry-run': 'what would end later',
    'proctor-cli exams delay 3 --by 15m --yes': 'a quarter of an hour more after a fire alarm',
  },
});

export const commands = [clone, shift, delay, sendEmails, report];
