/** Student sessions: the specification's section 4.2. */

import { operations } from '../api/operations.ts';
import { endExamRefused } from '../api/raw-request.ts';
import { type Column, defineCommand, type TextFlag, type TimeFlag } from '../command.ts';
import { CliError } from '../errors.ts';
import type { JsonObject } from '../model/json.ts';
import { sessionFilter } from '../model/status.ts';
import { sentence } from '../text/sentence.ts';
import { creating, deleting, getting, listing, updating } from './courses.ts';
import { examFlag } from './exam-selection-flags.ts';
import { sessionColumns, sessionFilterFlags } from './session-columns.ts';
import { extend } from './session-extend.ts';
import { importing } from './session-import.ts';
import { watch } from './session-watch.ts';

/** Field flags of a session. Those that a request cannot set are refused by name, with the reason. */
const sessionFields = {
  email: { type: 'text', value: 'address', field: 'email', description: "the student's e-mail address" },
  name: { type: 'text', value: 'name', field: 'dialect.sessionNameKey', description: "the student's name" },
  openTime: { type: 'time', field: 'open_time', description: 'earliest time to start' },
  closeTime: { type: 'time', field: 'close_time', after: 'openTime', description: 'latest time to start' },
  skipRequirements: {
    type: 'boolean',
    field: 'skip_requirements',
    description: 'let the student skip the check of the requirements',
  },
} as const satisfies Record<string, TextFlag | TimeFlag | { type: 'boolean'; field: string; description: string }>;

const list = listing({
  name: 'sessions list',
  summary: 'List the students of an exam, or all sessions',
  flags: {
    exam: { type: 'text', value: 'id', complete: 'exams', description: 'only the students of this exam' },
    ...sessionFilterFlags,
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
  examples: [
    { line: 'proctor-cli sessions list --exam 2', description: 'the students of exam 2' },
    { line: 'proctor-cli sessions list --exam 2 --status exam_started -o id', description: 'the IDs of students who are taking the exam' },
    {
      line: 'proctor-cli sessions list --exam 2 --not-status exam_finished --email example.org --sort -suspicion,email',
      description: 'unfinished sessions, the most suspicious first',
    },
  ],
});

const get = getting({
  name: 'sessions get',
  summary: 'Show one student session',
  operation: operations.getSession,
  columns: sessionColumns,
  examples: [{ line: 'proctor-cli sessions get 5', description: 'everything that the service shows of session 5' }],
});

const find = defineCommand({
  name: 'sessions find',
  summary: 'Find a student in all exams',
  details:
    "Looks for parts of an address or a name, ignoring case, accents and order, or for the exact value of any field that tells students apart: the ID of the session, a matriculation number. Students of running and of today's exams are shown first, as soon as they are found; then all sessions are searched. For a single student, it prints the commands to help with. opens and closes show the times that apply: those of the session, or those of its exam where the session has none. No match is an empty list and status 0.",
  effect: 'read',
  args: { text: { description: 'parts of the address or name, or the whole ID or number', variadic: true } },
  columns: sessionColumns,
  async run(context, { text }) {
    const { findSessions } = await import('../features/exam-view/find.ts');
    return findSessions(context, text.join(' '));
  },
  examples: [
    {
      line: 'proctor-cli sessions find nguyen',
      description: 'status, window and exam of each student of this name; of a single student, also how to help',
    },
    { line: 'proctor-cli sessions find anna huber', description: 'the same by both names, in any order' },
    { line: 'proctor-cli sessions find @example.org -o id', description: 'the IDs of all sessions with such an address' },
  ],
});

/** The field flags and columns of what adds one student to an exam, by either of the service's two ways. */
export const adding = {
  summary: 'Add one student to an exam',
  columns: sessionColumns,
  fields: sessionFields,
  what: 'a student with this address',
} as const;

const create = creating({
  ...adding,
  name: 'sessions create',
  operation: operations.createSession,
  param: 'exam_id',
  examples: [
    {
      line: 'proctor-cli sessions create --exam 2 --email ada@example.org --name "Ada Example"',
      description: 'register a student in exam 2',
    },
  ],
});

const update = updating({
  name: 'sessions update',
  summary: "Change students' sessions",
  details:
    'Several IDs, or - for stdin, get the same values, and a row each with the result. One failure does not stop the rest and makes the exit status non-zero; three unclear answers in a row end the command.',
  args: { ids: { description: 'IDs of the sessions', variadic: true, complete: 'sessions' } },
  flags: sessionFields,
  writes: { resource: 'session', writing: 'update' },
  columns: sessionColumns,
  async run(context, { ids, put, body, typedTimes }) {
    if (ids.length > 1) refuseSameStudent(body, context.settings().dialect.sessionNameKey);
    const { updateSessions } = await import('../features/writes/single-writes.ts');
    return updateSessions(context, { ids, body, typedTimes, put: put === true, columns: sessionColumns });
  },
  examples: [
    { line: 'proctor-cli sessions update 5 --close-time +30m', description: 'let the student start within the next half hour' },
    { line: 'proctor-cli sessions update 37 38 --open-time 2027-02-01T08:00Z', description: 'the same opening time for two students' },
  ],
});

/** One address for several sessions would leave all but one of their students without theirs. */
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
    'The question shows each session with address and status. Each session is read right before it is deleted, and is kept and named if its student has started since, or if it now belongs to another address or exam. Three unclear answers in a row end the command; the others are not tried.',
  operation: operations.deleteSession,
  examples: [{ line: 'proctor-cli sessions delete 7 8 --yes', description: 'remove two students from their exam' }],
});

const end = defineCommand({
  name: 'sessions end',
  summary: "End a student's exam (the service removed this operation)",
  effect: 'write',
  args: { id: { description: 'ID of the session', complete: 'sessions' } },
  async run() {
    throw endExamRefused();
  },
  examples: [],
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
  file: true,
  async run(context, { exam }) {
    const client = await context.client();
    const { sessionNumberKey: number } = client.dialect;
    const rows = await client.list(operations.listExamSessions, { params: { exam_id: exam } }, { unsure: 'warn' });
    return { kind: 'list', rows: [...rows], columns: [...rosterColumns, ...(number === '' ? [] : [{ key: number }])], id: 'id' };
  },
  examples: [{ line: 'proctor-cli sessions export --exam 2 -o csv', description: 'a file for sessions import' }],
});

const move = defineCommand({
  name: 'sessions move',
  summary: 'Move students to another exam',
  details:
    'Creates each student in the other exam with address, name, number, times and skip_requirements, and deletes the old session only after the new one was seen with all of that. Own times move along by the difference between the starts of the exams. Other fields, such as a seat, are named before and not carried over; -F sets them in the new sessions. If one of the students has started, or is in the other exam already, nothing is sent. If the new session shows anything else, or the old one has changed meanwhile, both stay and are named. The same command, or runs resume, finishes a move that was stopped; runs undo puts the students back.',
  effect: 'write',
  takes: true,
  args: { ids: { description: 'IDs of the sessions', variadic: true, complete: 'sessions' } },
  flags: {
    exam: { ...examFlag, description: 'exam to move them to' },
  },
  needs: ['exam'],
  writes: { resource: 'session', writing: 'create', adds: true },
  async run(context, { ids, exam, body }) {
    const { moveSessions } = await import('../features/new-session/move.ts');
    return moveSessions(context, { ids, to: exam, given: body });
  },
  examples: [
    { line: 'proctor-cli sessions move 37 38 --exam 5 --yes', description: 'move two students to exam 5' },
    { line: 'proctor-cli sessions move 37 38 --exam 5 --dry-run', description: 'each request that it would send' },
  ],
});

export const sessions = [list, get, find, create, update, extend, move, remove, importing, exporting, end, watch];
