/** Student sessions (specification 4.2), and one student by way of the exam (4.1). */
import { operations } from '../api/operations.ts';
import { type Column, defineCommand, type Flags } from '../command.ts';
import { CliError } from '../errors.ts';
import { windowTitles } from '../model/fields.ts';
import type { JsonObject } from '../model/json.ts';
import { sessionFilter } from '../model/session-filter.ts';
import { sessionStatuses } from '../model/status.ts';
import { sentence } from '../text/sentence.ts';
import { again, creating, deleting, examFlag, examSelection, lateFlag, listFlags, put, selectionOf, timesColumns } from './courses.ts';

const sessionColumns: readonly Column[] = [
  { key: 'id' },
  { key: 'email' },
  { key: 'dialect.sessionNameKey', title: 'name', identifies: true },
  { key: 'dialect.sessionNumberKey', title: 'number' },
  { key: 'status', as: 'status', identifies: true },
  { key: 'open_time', title: windowTitles.open_time, as: 'time', detail: true },
  { key: 'close_time', title: windowTitles.close_time, as: 'time' },
  { key: 'level_of_suspicion', title: 'suspicion', as: 'suspicion' },
  { key: 'skip_requirements', title: 'skips requirements', as: 'boolean', detail: true },
];

const filterFlags = {
  status: {
    type: 'text',
    value: 'statuses',
    complete: sessionStatuses,
    description: `only sessions with one of these statuses, separated by commas: ${sessionStatuses.join(', ')}`,
  },
  notStatus: {
    type: 'text',
    value: 'statuses',
    complete: sessionStatuses,
    description: 'only sessions with none of these statuses',
  },
  email: {
    type: 'text',
    value: 'text',
    description: 'only sessions with this in their address, in any case',
  },
} as const satisfies Flags;

const sessionFields = {
  email: { type: 'text', value: 'address', field: 'email', description: "the student's e-mail address" },
  name: { type: 'text', value: 'name', field: 'dialect.sessionNameKey', description: "the student's name" },
  openTime: { type: 'time', field: 'open_time', description: 'earliest time to start (START FROM)' },
  closeTime: { type: 'time', field: 'close_time', after: 'openTime', description: 'latest time to start (START BY)' },
  skipRequirements: { type: 'boolean', field: 'skip_requirements', description: 'skip the check of the requirements' },
} as const satisfies Flags;

const list = defineCommand({
  name: 'sessions list',
  summary: 'List the students of an exam, or all sessions',
  effect: 'read',
  flags: {
    exam: { ...examFlag, description: 'only the students of this exam' },
    ...filterFlags,
    ...listFlags,
  },
  columns: [...sessionColumns, { key: 'exam_id', title: 'exam ID' }],
  request({ exam, ...filter }) {
    sessionFilter(filter);
    return exam === undefined
      ? { operation: operations.listSessions }
      : { operation: operations.listExamSessions, params: { exam_id: exam } };
  },
  filter(values) {
    const keep = sessionFilter(values);
    return keep && { keep };
  },
  inTable: async ({ exam }, context) => (await import('../features/exam-times.ts')).examTimesOf(context, exam, exam === undefined),
  examples: {
    'proctor-cli sessions list --exam 2': 'the students of exam 2',
    'proctor-cli sessions list --exam 2 --status exam_started -o id': 'the IDs of students who are taking the exam',
  },
});

const oneSession = { id: { description: 'ID of the session', complete: 'sessions' } } as const;
const sessions = { description: 'IDs of the sessions', variadic: true, complete: 'sessions' } as const;

const get = defineCommand({
  name: 'sessions get',
  summary: 'Show one student session',
  effect: 'read',
  args: oneSession,
  columns: sessionColumns,
  request: ({ id }) => ({ operation: operations.getSession, params: { id } }),
  inTable: async (_, context) => (await import('../features/exam-times.ts')).examTimesOf(context, undefined),
  examples: { 'proctor-cli sessions get 5': 'everything that the service shows of session 5' },
});

const find = defineCommand({
  name: 'sessions find',
  summary: 'Find a student in all exams',
  details:
    "Ignores case, accents and order; the number is, for example, a matriculation number. Students of running and of today's exams are shown first. For a single student, it prints the commands to help with. START FROM and START BY are the times between which the student may start; in brackets they are the exam's own. Blanks in a number do not count. No match is an empty list and status 0.",
  effect: 'read',
  args: {
    text: { description: 'parts of the address or name, or the whole ID or number', variadic: true },
  },
  columns: sessionColumns,
  async run(context, { text }) {
    const { findSessions } = await import('../features/exam-view/find.ts');
    return findSessions(context, text.join(' '));
  },
  examples: {
    'proctor-cli sessions find nguyen': 'status, window and exam of each student of this name',
    'proctor-cli sessions find 05007919': 'the same by a matriculation number',
  },
});

/** What adds one student to an exam, by either of the service's two ways. */
const adding = {
  summary: 'Add one student to an exam',
  columns: sessionColumns,
  fields: sessionFields,
  what: 'a student with this address',
  needs: ['exam'],
} as const;

const create = creating({
  ...adding,
  name: 'sessions create',
  operation: operations.createSession,
  examples: {
    'proctor-cli sessions create --exam 2 --email ada@example.org --name "Ada Example"': 'register a student in exam 2',
  },
});

const update = defineCommand({
  name: 'sessions update',
  summary: "Change students' sessions",
  details:
    'All sessions get the same values, and a row each with the result. One failure does not stop the rest, and makes the exit status non-zero; three unclear answers in a row end the command.',
  args: { ids: sessions },
  effect: 'write',
  takes: true,
  flags: { ...sessionFields, put },
  writes: { resource: 'session', writing: 'update' },
  async run(context, { ids, put, body, typedTimes }) {
    if (ids.length > 1) refuseSameStudent(body, context.settings().dialect.sessionNameKey);
    const { updateSessions } = await import('../features/writes/single-writes.ts');
    return updateSessions(context, { ids, body, typedTimes, put: put === true });
  },
  examples: {
    'proctor-cli sessions update 5 --close-time +30m': 'let the student start within the next half hour',
    'proctor-cli sessions update 37 38 --open-time 2027-02-01T08:00Z': 'the same opening time for two students',
  },
});

/** All but one of the students would lose their own. */
function refuseSameStudent(body: JsonObject, nameKey: string) {
  const key = ['email', nameKey].find((each) => Object.hasOwn(body, each));
  if (key === undefined) return;
  throw new CliError('usage', sentence`${key} would be the same for several students.`, {
    hint: sentence`Change it session by session: proctor-cli sessions update ID -f ${key}=…`,
  });
}

const remove = deleting({
  name: 'sessions delete',
  summary: 'Delete student sessions, removing the students from their exam',
  details:
    'Shows each session with address and status, and asks. Each is read right before it is deleted, and is kept and named if its student has started since, or if it now has another address or exam. Three unclear answers in a row end the command.',
  operation: operations.deleteSession,
  examples: { 'proctor-cli sessions delete 7 8 --yes': 'remove two students from their exam' },
});

const end = defineCommand({
  name: 'sessions end',
  summary: "End a student's exam (the service removed this operation)",
  effect: 'write',
  args: oneSession,
  async run() {
    throw (await import('../features/writes/raw-request.ts')).endExamRefused();
  },
  examples: {},
});

const rosterColumns: readonly Column[] = [
  { key: 'email' },
  { key: 'name', identifies: true },
  { key: 'open_time', as: 'time' },
  { key: 'close_time', as: 'time' },
  { key: 'skip_requirements', as: 'boolean' },
];

const exporting = defineCommand({
  name: 'sessions export',
  summary: "Print an exam's students as a roster that can be imported again",
  effect: 'read',
  flags: { exam: examFlag },
  needs: ['exam'],
  columns: rosterColumns,
  async run(context, { exam }) {
    const client = await context.client();
    const { sessionNumberKey: number } = client.dialect;
    const rows = await client.list(operations.listExamSessions, { params: { exam_id: exam } }, { unsure: 'warn' });
    const columns = number === '' ? rosterColumns : [...rosterColumns, { key: number }];
    return { kind: 'list', rows: [...rows], columns, id: 'id', unasked: 'file' };
  },
  examples: { 'proctor-cli sessions export --exam 2 -o csv': 'a file for sessions import' },
});

const move = defineCommand({
  name: 'sessions move',
  summary: 'Move students to another exam',
  details:
    'Creates each student in the other exam with address, name, number, times and skip_requirements, and deletes the old session only after the new one was seen with all of that; otherwise, or if the old one has changed meanwhile, both stay and are named. Own times move along by the difference between the starts of the exams. Other fields, such as a seat, are named before and not carried over; -F sets them. If one of the students has started, or is in the other exam already, nothing is sent. The same command resumes a move that was stopped; runs undo puts the students back.',
  effect: 'write',
  takes: true,
  args: { ids: sessions },
  flags: { exam: { ...examFlag, description: 'exam to move them to' } },
  needs: ['exam'],
  writes: { resource: 'session', writing: 'create', adds: true },
  async run(context, { ids, exam, body }) {
    const { moveSessions } = await import('../features/copy/move.ts');
    return moveSessions(context, { ids, to: exam, given: body });
  },
  examples: {
    'proctor-cli sessions move 37 --exam 5 --yes': 'move a student to exam 5; the ID is from sessions find or list',
    'proctor-cli sessions move 37 38 --exam 5 --dry-run': 'each request that it would send',
  },
});

const extend = defineCommand({
  name: 'sessions extend',
  summary: 'Give students more time',
  details:
    "Adds to the close time in force: START BY of the session, or the end of its exam if the session has none; if that time has passed, the minutes count from now. --by 25% is a share of the exam's length, so that 25% of 2h are 30m. It adds to what a student already has; accommodations apply sets a target (the end of the exam plus the share) instead, however often it is run. The end of the exam is not changed. With --exam, finished sessions are left out; an ID that cannot be extended stops the command before anything is sent. It asks if the sessions are chosen by their exam, if it adds more than 24 hours, if the exam is over, and if the student's own window is shorter than the exam, so that a share could mean either. If it is stopped, run the same command again; runs undo takes it back.",
  effect: 'write',
  takes: true,
  args: { ids: { ...sessions, optional: true } },
  flags: {
    exam: { ...examFlag, description: 'exam whose unfinished sessions to extend, instead of IDs' },
    by: {
      type: 'text',
      value: 'amount',
      description: "time to add: 30m, +1h30m, or 25% for a share of the exam's length",
      check: async (amount) => (await import('../features/times/amount.ts')).parseExtension(amount),
    },
    again,
  },
  needs: ['by'],
  oneOf: ['ids', 'exam'],
  columns: timesColumns,
  async run(context, { ids = [], exam, by, again }) {
    const { extendSessions } = await import('../features/times/extend.ts');
    return extendSessions(context, { ids, exam, by, again });
  },
  examples: {
    'proctor-cli sessions extend 25 --by 25%': 'a quarter more time for a student; the ID is from sessions find or list',
    'proctor-cli sessions extend --exam 3 --by 10m --yes': 'ten more minutes for all who have not finished',
  },
});

const watchColumns: readonly Column[] = [
  { key: 'at', as: 'time' },
  ...['exam', 'session', 'email', 'field'].map((key) => ({ key })),
  { key: 'from', as: 'field' },
  { key: 'to', as: 'field' },
];

const watch = defineCommand({
  name: 'sessions watch',
  summary: 'Watch exams while they are running',
  details:
    'Without an exam it watches those that are running now. On a terminal it fills the screen: a line for each exam, and who needs help. The arrows select a student, Enter shows the details with the commands to help, / searches all students, q quits. Elsewhere, and with --plain, it prints a line for each change. Who needs help: suspicion 2 or 3; and, some minutes after the student could start (--late), a student who has not come, has not completed the check, or waits after it. all-finished is reached when each student has finished or can neither start nor continue; without students, when the exam is over.',
  effect: 'read',
  flags: {
    ...examSelection,
    interval: {
      rare: true,
      type: 'duration',
      value: 'duration',
      least: 1000,
      most: 86_400_000,
      standard: 30_000,
      description: 'time between two updates, from 1s (default: 30s); longer while the service asks to slow down',
    },
    late: lateFlag,
    stopAt: {
      type: 'text',
      value: 'when',
      choices: ['all-finished'],
      description: 'end with status 0 once all have finished',
    },
    bell: {
      type: 'boolean',
      description: 'ring the bell of the terminal where more help is needed',
    },
  },
  columns: watchColumns,
  async run(context, { exam, name, from, until, interval, late, stopAt, bell }) {
    const options = { interval, late, untilFinished: stopAt !== undefined, bell: bell === true };
    const selected = { exam, name, from, until };
    const isSelected = Object.values(selected).some((value) => value !== undefined);
    const { watchExams } = await import('../features/exam-view/watch.ts');
    return watchExams(context, isSelected ? selectionOf(selected) : undefined, options);
  },
  examples: {
    'proctor-cli sessions watch': 'the exams that are running now',
    'proctor-cli sessions watch --exam 3': 'one exam',
    'proctor-cli sessions watch --exam 1 --stop-at all-finished -o ndjson': 'each change for a script, until everyone has finished',
  },
});

const showStudent = defineCommand({
  name: 'students show',
  summary: 'Show one student of an exam',
  effect: 'read',
  flags: {
    exam: examFlag,
    session: {
      type: 'text',
      value: 'id',
      complete: 'sessions',
      description: "ID of the student's session",
    },
  },
  needs: ['exam', 'session'],
  columns: sessionColumns,
  request: ({ exam, session }, { settings }) => ({
    operation: operations.showStudent,
    params: { id: exam },
    query: { [settings().dialect.studentSelector]: session },
  }),
  inTable: async ({ exam }, context) => (await import('../features/exam-times.ts')).examTimesOf(context, exam),
  examples: {
    'proctor-cli students show --exam 1 --session 1': 'the student of session 1 in exam 1',
  },
});

const addStudent = creating({
  ...adding,
  name: 'students add',
  operation: operations.addStudent,
  examples: {
    'proctor-cli students add --exam 2 --email grace@example.org': 'register a student in exam 2',
  },
});

export const commands = [list, get, find, create, update, extend, move, remove, exporting, end, watch, showStudent, addStudent];
