/**
 * The operations of the service (specification, section 4), one record each. The client, the dry
 * run, `api --list`, the embedded service and the documentation read this table; the wire tests do
 * not: they are typed from the specification.
 */

import type { WritableResource, Writing } from '../model/fields.ts';
import { typedCommand, typedOption } from '../model/shell-quote.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * What follows an unknown outcome: `safe`: the request is sent again; `settle`: reads settle it; `never`: reads settle it as far as they
 * can, and the command asks before it is sent at all.
 */
export type Repeat = 'safe' | 'settle' | 'never';

export type Resource = 'exam' | 'session' | 'proctor' | 'user';

export type Operation = {
  id: string;
  method: Method;
  /** Path below the base URL; segments written `:name` are parameters. */
  path: string;
  /** What it does, as a continuation of "The service could not …". */
  does: string;
  resource: Resource;
  /** The body of a success: a list, one resource, or nothing that the specification shows. */
  answer: 'list' | 'one' | 'open';
  /** The resource whose fields the body has, if any. */
  writes?: { resource: WritableResource; writing: Writing };
  repeat: Repeat;
  /** The command that shows whether a request whose outcome is unknown has happened; `:name` as in the path. */
  look?: string;
};

const examCreate = { resource: 'exam', writing: 'create' } as const;
const examUpdate = { resource: 'exam', writing: 'update' } as const;
const sessionCreate = { resource: 'session', writing: 'create' } as const;
const sessionUpdate = { resource: 'session', writing: 'update' } as const;
const exams = 'exams list';
const exam = 'exams get :id';
const session = 'sessions get :id';
const students = 'sessions list --exam :id';
const proctors = 'proctors list --exam :id';

/** A row of the table; what it leaves out follows from the rest: see `operations`. */
type Row = Omit<Operation, 'id' | 'resource' | 'repeat'> & Partial<Pick<Operation, 'resource' | 'repeat'>>;

const table = {
  listExams: { method: 'GET', path: '/exams', does: 'list the exams', resource: 'exam', answer: 'list' },
  getExam: { method: 'GET', path: '/exams/:id', does: 'show exam :id', resource: 'exam', answer: 'one' },
  createExam: { method: 'POST', path: '/exams', does: 'create the exam', answer: 'one', writes: examCreate, look: exams },
  patchExam: { method: 'PATCH', path: '/exams/:id', does: 'update exam :id', answer: 'one', writes: examUpdate, look: exam },
  putExam: { method: 'PUT', path: '/exams/:id', does: 'update exam :id', answer: 'one', writes: examUpdate, look: exam },
  deleteExam: { method: 'DELETE', path: '/exams/:id', does: 'delete exam :id', resource: 'exam', answer: 'open', look: exam },
  showStudent: {
    method: 'GET',
    path: '/exams/:id/show_student',
    does: 'show the student of exam :id',
    resource: 'session',
    answer: 'one',
  },
  addStudent: {
    method: 'POST',
    path: '/exams/:id/add_student',
    does: 'add the student to exam :id',
    answer: 'one',
    writes: sessionCreate,
    look: students,
  },
  sendEmails: {
    method: 'POST',
    path: '/exams/:id/send_emails',
    does: 'send the mails of exam :id',
    resource: 'exam',
    answer: 'open',
    repeat: 'never',
    look: students,
  },
  addProctors: {
    method: 'POST',
    path: '/exams/:id/proctor_pool',
    does: 'add proctors to exam :id',
    resource: 'proctor',
    answer: 'open',
    look: proctors,
  },
  listProctors: {
    method: 'GET',
    path: '/exams/:id/proctor_pool',
    does: 'list the proctors of exam :id',
    resource: 'proctor',
    answer: 'list',
  },
  removeProctors: {
    method: 'DELETE',
    path: '/exams/:id/proctor_pool',
    does: 'remove proctors from exam :id',
    resource: 'proctor',
    answer: 'open',
    look: proctors,
  },
  listExamSessions: {
    method: 'GET',
    path: '/exams/:exam_id/student_sessions',
    does: 'list the students of exam :exam_id',
    resource: 'session',
    answer: 'list',
  },
  listSessions: { method: 'GET', path: '/student_sessions', does: 'list the student sessions', resource: 'session', answer: 'list' },
  getSession: { method: 'GET', path: '/student_sessions/:id', does: 'show student session :id', resource: 'session', answer: 'one' },
  createSession: {
    method: 'POST',
    path: '/exams/:exam_id/student_sessions',
    does: 'add the student to exam :exam_id',
    answer: 'one',
    writes: sessionCreate,
    look: 'sessions list --exam :exam_id',
  },
  patchSession: {
    method: 'PATCH',
    path: '/student_sessions/:id',
    does: 'update student session :id',
    answer: 'one',
    writes: sessionUpdate,
    look: session,
  },
  putSession: {
    method: 'PUT',
    path: '/student_sessions/:id',
    does: 'update student session :id',
    answer: 'one',
    writes: sessionUpdate,
    look: session,
  },
  deleteSession: {
    method: 'DELETE',
    path: '/student_sessions/:id',
    does: 'delete student session :id',
    resource: 'session',
    answer: 'open',
    look: session,
  },
  listUsers: {
    method: 'GET',
    path: '/institutes/:institute_id/users',
    does: 'list the users of institute :institute_id',
    resource: 'user',
    answer: 'list',
  },
} as const satisfies Record<string, Row>;

export type OperationId = keyof typeof table;

export const operations = Object.fromEntries(
  Object.entries<Row>(table).map(([id, row]) => [
    id,
    { repeat: row.method === 'GET' ? 'safe' : 'settle', resource: row.writes?.resource ?? 'exam', ...row, id },
  ]),
) as { readonly [Id in OperationId]: Operation & (typeof table)[Id] & { id: Id } };

/** By which a student is created. */
export const studentCreates: readonly string[] = [operations.createSession.id, operations.addStudent.id];

/** The description of an operation, with the values of its `:name` parameters, as far as they are given. */
export function filled(words: string, params: Readonly<Record<string, string>>): string {
  return words.replace(/:(\w+)/g, (whole, name: string) => params[name] ?? whole);
}

/** A command line that can be pasted: only `typedLook` makes one, so none has a value that is not quoted. */
export type TypedLook = string & { readonly '~quoted': true };

/** The command of `look`, with the values of its parameters: one argument, or the values of options. */
export function typedLook(look: string, params: Readonly<Record<string, string>>): TypedLook {
  const options = look.replace(/(--\w+) :(\w+)/g, (whole, option: string, name: string) =>
    params[name] === undefined ? whole : typedOption(option, params[name]),
  );
  const [, command = '', name = ''] = /^(.*) :(\w+)$/.exec(options) ?? [];
  return (params[name] === undefined ? options : typedCommand(command, [params[name]])) as TypedLook;
}

/** The operation that the service removed (specification 9.3). Requests to it are refused before anything is sent. */
export const endExam = {
  id: 'endExam',
  method: 'POST',
  path: '/student_sessions/:id/end_exam',
  does: "end a student's exam",
  since: '2022-05-17',
  why: 'the service removed this operation on 2022-05-17 because of a critical defect; it is planned to return in a later version',
  instead: "To stop a student from starting, close the session's window: proctor-cli sessions update ID --close-time TIME",
};
