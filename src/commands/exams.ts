/** Exams: the specification's section 4.1, apart from their students, pools and mails. */
import { operations } from '../api/operations.ts';
import { type BooleanFlag, type Column, defineCommand } from '../command.ts';
import { creating, deleting, examSelection, listFlags, put } from './courses.ts';

export const columns: readonly Column[] = [
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

export const settings = {
  saveRecording: yesNo('save_recording', "save the students' video streams (the service's default: yes)"),
  allowHeadphones: yesNo('allow_headphones', 'allow headphones'),
  allowWhiteboard: yesNo('allow_whiteboard', 'allow a whiteboard'),
  allowLeaveRoom: yesNo('allow_leave_room', 'allow leaving the room'),
  allowPenPaper: yesNo('allow_pen_paper', 'allow pen and paper'),
} as const;

export const fields = {
  name: { type: 'text', value: 'name', field: 'dialect.examNameKey', description: 'name of the exam' },
  start: { type: 'time', field: 'start_time', description: 'start of the exam' },
  end: { type: 'time', field: 'end_time', after: 'start', description: 'end of the exam' },
  ...settings,
} as const;

const list = defineCommand({
  name: 'exams list',
  summary: 'List exams',
  effect: 'read',
  flags: { name: examSelection.name, from: examSelection.from, until: examSelection.until, ...listFlags },
  columns,
  request: () => ({ operation: operations.listExams }),
  async filter(values, context) {
    if ([values.name, values.from, values.until].every((given) => given === undefined)) return undefined;
    const { examRows } = await import('../features/exam-selection.ts');
    return examRows(context, values);
  },
  examples: {
    'proctor-cli exams list': 'all exams, with their times in your zone',
    'proctor-cli exams list --from 2026-01-01 --sort -start_time --limit 5 --timezone UTC': 'the latest five',
  },
});

const oneExam = { id: { description: 'ID of the exam', complete: 'exams' } } as const;

const get = defineCommand({
  name: 'exams get',
  summary: 'Show one exam',
  effect: 'read',
  args: oneExam,
  columns,
  request: ({ id }) => ({ operation: operations.getExam, params: { id } }),
  examples: { 'proctor-cli exams get 1': 'everything that the service shows of exam 1' },
});

const create = creating({
  name: 'exams create',
  summary: 'Create an exam',
  operation: operations.createExam,
  columns,
  fields,
  needs: ['start', 'end'],
  what: 'an exam with this name and start',
  examples: {
    'proctor-cli exams create --name "Linear Algebra" --start "tomorrow 09:00" --end 2h --allow-pen-paper --timezone Europe/Vienna':
      'two hours tomorrow morning, with pen and paper; config set timezone sets the zone once',
  },
});

const update = defineCommand({
  name: 'exams update',
  summary: 'Change an exam',
  details:
    'Changing one restriction sends all four: the exam is read before the change, and again after it to verify. With new times, the open_time and close_time of sessions that have their own move along by as much: within half a day by elapsed time, else by the clocks of the time zone. Finished sessions are not changed, and a student who is taking the exam keeps the start. Wherever it is stopped, each student has at least the whole old window or the whole new one.',
  effect: 'write',
  takes: true,
  args: oneExam,
  flags: { ...fields, put },
  writes: { resource: 'exam', writing: 'update' },
  columns,
  async run(context, { id, put, body, typedTimes }) {
    const { updateExam } = await import('../features/times/move-exams.ts');
    return updateExam(context, { id, body, typedTimes, put: put === true });
  },
  examples: {
    'proctor-cli exams update 1 --allow-headphones': 'allow headphones; the other restrictions keep their values',
    'proctor-cli exams update 1 --end 2027-02-01T11:30:00+01:00': 'end it later, for students with extra time, too',
  },
});

const remove = deleting({
  name: 'exams delete',
  summary: 'Delete exams',
  details:
    'The service may delete the students of an exam and its proctor pool with it. An exam is kept if its name, its start, or the number of its students or of those who have started has changed since the question.',
  operation: operations.deleteExam,
  examples: {
    'proctor-cli exams delete 6 --yes': 'delete exam 6 without a prompt',
    'proctor-cli exams delete 3 --during-exam "Booked twice" --yes': 'delete a running exam, and record why',
  },
});

export const commands = [list, get, create, update, remove];
