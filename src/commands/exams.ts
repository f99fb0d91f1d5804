/** Exams: the specification's section 4.1, apart from its students and its pool. */

import { operations } from '../api/operations.ts';
import { type BooleanFlag, type Column, defineCommand, type TextFlag } from '../command.ts';
import { createFlags } from './create-flags.ts';
import { apply, check, exporting } from './exam-period.ts';
import { report } from './exam-report.ts';
import { anyExam, examSelection, selectionOf, someExams } from './exam-selection-flags.ts';
import { status } from './exam-status.ts';
import { delay, shift } from './exam-times.ts';
import { listFlags, orderOf } from './list-flags.ts';
import { wholeNumber } from './whole-number.ts';

const columns: readonly Column[] = [
  { key: 'id' },
  { key: 'name', identifies: true },
  { key: 'start_time', title: 'start', as: 'time' },
  { key: 'end_time', title: 'end', as: 'time' },
  { key: 'allow_headphones', title: 'headphones', as: 'boolean' },
  { key: 'allow_whiteboard', title: 'whiteboard', as: 'boolean' },
  { key: 'allow_leave_room', title: 'leave room', as: 'boolean' },
  { key: 'allow_pen_paper', title: 'paper', as: 'boolean' },
  { key: 'save_recording', title: 'recording', as: 'boolean', detail: true },
];

const yesNo = (field: string, description: string) =>
  ({ type: 'boolean', negatable: true, field, description }) as const satisfies BooleanFlag;

const name = { type: 'text', value: 'name', field: 'dialect.examNameKey', description: 'name of the exam' } as const satisfies TextFlag;

const settings = {
  saveRecording: yesNo('save_recording', "save the students' video streams (the service's default: yes)"),
  allowHeadphones: yesNo('allow_headphones', 'allow headphones'),
  allowWhiteboard: yesNo('allow_whiteboard', 'allow a whiteboard'),
  allowLeaveRoom: yesNo('allow_leave_room', 'allow leaving the room'),
  allowPenPaper: yesNo('allow_pen_paper', 'allow pen and paper'),
} as const;

const list = defineCommand({
  name: 'exams list',
  summary: 'List exams',
  effect: 'read',
  flags: { name: examSelection.name, from: examSelection.from, until: examSelection.until, ...listFlags },
  columns,
  requests: () => [{ operation: operations.listExams }],
  async filter(values, context) {
    const { examRows } = await import('../features/exam-selection.ts');
    return examRows(context, values);
  },
  order: orderOf,
  examples: [
    { line: 'proctor-cli exams list', description: 'all exams, with their times in your zone' },
    { line: 'proctor-cli exams list --from 2026-01-01 --sort -start --limit 5 --timezone UTC', description: 'the latest five of a period' },
    { line: 'proctor-cli exams list -o json', description: 'the same for a script, with every field the service shows' },
  ],
});

const get = defineCommand({
  name: 'exams get',
  summary: 'Show one exam',
  effect: 'read',
  args: { id: { description: 'ID of the exam', complete: 'exams' } },
  columns,
  requests: ({ id }) => [{ operation: operations.getExam, params: { id } }],
  examples: [{ line: 'proctor-cli exams get 1', description: 'everything that the service shows of exam 1' }],
});

const create = defineCommand({
  name: 'exams create',
  summary: 'Create an exam',
  effect: 'write',
  flags: {
    name,
    start: { type: 'time', field: 'start_time', description: 'start of the exam' },
    end: { type: 'time', field: 'end_time', after: 'start', description: 'end of the exam' },
    ...settings,
    ...createFlags('an exam with this name and start'),
  },
  needs: ['start', 'end'],
  writes: { resource: 'exam', writing: 'create' },
  columns,
  async run(context, { body, typedTimes, allowDuplicate, ifNotExists }) {
    const { createExam } = await import('../features/writes/exam-writes.ts');
    return createExam(context, { body, typedTimes, columns, consents: { allowDuplicate, ifNotExists } });
  },
  examples: [
    {
      line: 'proctor-cli exams create --start 2027-02-01T09:00:00+01:00 --end 2027-02-01T11:00:00+01:00 --allow-pen-paper --name "Linear Algebra"',
      description: 'a two-hour exam with pen and paper',
    },
  ],
});

const clone = defineCommand({
  name: 'exams clone',
  summary: 'Create an exam with the settings and proctors of another',
  details:
    'Copies the name, the four restrictions, save_recording and the proctor pool; options override them. The end moves with the start in local time of the current time zone (--timezone, or that of the profile): 09:00 to 11:00 stays 09:00 to 11:00 even when the clocks change. Without a time zone the exam keeps its duration. --with-students copies the students; their own windows move along in the same way (open_time with the start, close_time with the end of the new exam). Without it, the command prints the command that copies them without their windows. The command first looks for an exam with the name and the start of the new exam. To finish a clone that was stopped, run the same command again: proctors and students are included, and no student is created twice.',
  effect: 'write',
  args: { id: { description: 'ID of the exam to clone', complete: 'exams' } },
  flags: {
    start: { type: 'time', field: 'start_time', required: true, description: 'start of the new exam' },
    end: { type: 'time', field: 'end_time', after: 'start', description: 'end of the new exam, if its duration differs' },
    name: { ...name, description: 'name of the new exam, if it differs' },
    ...settings,
    withStudents: { type: 'boolean', description: 'copy the students, too' },
    ...createFlags('an exam with this name and start'),
  },
  writes: { resource: 'exam', writing: 'create' },
  columns,
  async run(context, { id, start, withStudents = false, body, typedTimes, allowDuplicate, ifNotExists }) {
    const { cloneExam } = await import('../features/clone.ts');
    return cloneExam(context, { id, start, given: body, typedTimes, withStudents, columns, consents: { allowDuplicate, ifNotExists } });
  },
  examples: [
    { line: 'proctor-cli exams clone 1 --start 2027-02-01T09:00+01:00', description: 'the same exam at another time' },
    { line: 'proctor-cli exams clone 1 --start now+7h --name "Second attempt" --dry-run', description: 'what would be sent' },
    {
      line: 'proctor-cli exams clone 10 --start 2027-09-01T09:00+02:00 --with-students',
      description: 'the same exam and its students at another time',
    },
  ],
});

const update = defineCommand({
  name: 'exams update',
  summary: 'Change an exam',
  details:
    'Changing one restriction sends all four: the exam is read first, the others keep their values, and the exam is read again to verify.',
  effect: 'write',
  takes: true,
  args: { id: { description: 'ID of the exam', complete: 'exams' } },
  flags: {
    name,
    start: { type: 'time', field: 'start_time', description: 'start of the exam' },
    end: { type: 'time', field: 'end_time', after: 'start', description: 'end of the exam' },
    ...settings,
    put: { type: 'boolean', rare: true, description: 'send PUT instead of PATCH' },
  },
  writes: { resource: 'exam', writing: 'update' },
  columns,
  async run(context, { id, put, body, typedTimes }) {
    const { updateExam } = await import('../features/writes/exam-update.ts');
    return updateExam(context, { id, body, typedTimes, put: put === true, columns });
  },
  examples: [
    { line: 'proctor-cli exams update 1 --allow-headphones', description: 'allow headphones; the other restrictions keep their values' },
    { line: 'proctor-cli exams update 1 --end 2027-02-01T11:30:00+01:00', description: 'end it later' },
  ],
});

const remove = defineCommand({
  name: 'exams delete',
  summary: 'Delete exams',
  details:
    'The service may delete the students of an exam and its proctor pool with it. Exams that are selected by name or time are listed first; to confirm, type their number. An exam that has changed since the question (its name, its start, its number of students or of those who have started) is kept.',
  effect: 'destroy',
  takes: true,
  args: someExams,
  flags: {
    ...examSelection,
    confirmCount: {
      type: 'text',
      value: 'n',
      description: 'number of exams selected by name or time; required with --yes',
    },
  },
  anyOf: [...anyExam, 'ids'],
  async run(context, { confirmCount, ...selection }) {
    const { deleteExams } = await import('../features/writes/deletions.ts');
    const confirmed = confirmCount === undefined ? undefined : wholeNumber('--confirm-count', confirmCount, 1, 1_000_000);
    return deleteExams(context, selectionOf(selection), confirmed);
  },
  examples: [
    {
      line: "proctor-cli exams delete --name '*(main term)' --dry-run",
      description: 'the exams of a term: names, dates, students',
    },
    { line: 'proctor-cli exams delete 6 --yes', description: 'delete exam 6 without a prompt' },
    { line: 'proctor-cli exams delete 3 --during-exam "Booked twice" --yes', description: 'delete a running exam, and record why' },
  ],
});

const sendEmails = defineCommand({
  name: 'exams send-emails',
  summary: 'Send the exam mails to all students of exams',
  details:
    'Each student gets one mail. The request is sent once for each exam and never repeated: if its outcome is unknown, the command says how to check. If students of one of the exams have been mailed before, nothing is sent, unless --unless-mailed or --resend is given.',
  effect: 'send',
  takes: true,
  args: someExams,
  flags: {
    ...examSelection,
    resend: { type: 'boolean', description: 'mail all students again, also those who have been mailed' },
    unlessMailed: { type: 'boolean', description: 'leave out exams whose students have all been mailed; that is a success' },
  },
  anyOf: [...anyExam, 'ids'],
  async run(context, { resend, unlessMailed, ...selection }) {
    const { mailStudents } = await import('../features/writes/exam-mails.ts');
    return mailStudents(context, selectionOf(selection), { resend, unlessMailed });
  },
  examples: [
    { line: 'proctor-cli exams send-emails 6 --yes', description: 'mail every student of exam 6' },
    {
      line: 'proctor-cli exams send-emails 6 12 --unless-mailed --yes',
      description: 'mail the students of two exams, unless they have been mailed',
    },
  ],
});

export const exams = [list, get, create, clone, update, shift, delay, check, apply, exporting, remove, sendEmails, report, status];
