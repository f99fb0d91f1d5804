/**
 * The operations of the service (specification, section 4), one record each. The client, the dry run, `api --list`, the embedded service
 * and the documentation read this table; the wire tests do not: they are typed from the specification.
 */
import type { WritableResource, Writing } from '../model/fields.ts';
import { typedCommand, typedOption } from '../model/shell-quote.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** After an unknown outcome, `safe`: it is sent again; `settle`: reads settle it; `never`: as far as they can, and it is asked about before. */
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
  /** The command that shows whether a request whose outcome is unknown has happened, with the parameters of its path. */
  look?(params: Readonly<Record<string, string>>): string;
};

type Row = Omit<Operation, 'id' | 'resource' | 'repeat' | 'answer'> & Partial<Pick<Operation, 'resource' | 'repeat' | 'answer'>>;

type Params = Parameters<NonNullable<Operation['look']>>[0];
const getExam = ({ id = '' }: Params) => typedCommand('exams get', [id]);
const getSession = ({ id = '' }: Params) => typedCommand('sessions get', [id]);
const proctors = ({ id = '' }: Params) => typedCommand('proctors list', [], typedOption('--exam', id));
const students = ({ id = '', exam_id = id }: Params) => typedCommand('sessions list', [], typedOption('--exam', exam_id));
const oneExam = { path: '/exams/:id', resource: 'exam', look: getExam } as const;
const oneSession = { path: '/student_sessions/:id', resource: 'session', look: getSession } as const;
const pool = { path: '/exams/:id/proctor_pool', resource: 'proctor', look: proctors } as const;
const shows = { method: 'GET', answer: 'one' } as const;
const lists = { method: 'GET', answer: 'list' } as const;
const creates = { answer: 'one', writes: { resource: 'exam', writing: 'create' } } as const;
const updates = { does: 'update exam :id', answer: 'one', writes: { resource: 'exam', writing: 'update' } } as const;
const adds = { method: 'POST', resource: 'session', answer: 'one', writes: { resource: 'session', writing: 'create' } } as const;
const changes = { does: 'update student session :id', answer: 'one', writes: { resource: 'session', writing: 'update' } } as const;

const table = {
  listExams: { ...lists, path: '/exams', does: 'list the exams' },
  getExam: { ...oneExam, ...shows, does: 'show exam :id' },
  createExam: { ...creates, method: 'POST', path: '/exams', does: 'create the exam', look: () => 'exams list' },
  patchExam: { ...oneExam, ...updates, method: 'PATCH' },
  putExam: { ...oneExam, ...updates, method: 'PUT' },
  deleteExam: { ...oneExam, method: 'DELETE', does: 'delete exam :id' },
  showStudent: { ...shows, path: '/exams/:id/show_student', does: 'show the student of exam :id', resource: 'session' },
  addStudent: { ...adds, path: '/exams/:id/add_student', does: 'add the student to exam :id', look: students },
  sendEmails: { method: 'POST', path: '/exams/:id/send_emails', does: 'send the mails of exam :id', repeat: 'never', look: students },
  addProctors: { ...pool, method: 'POST', does: 'add proctors to exam :id' },
  listProctors: { ...pool, ...lists, does: 'list the proctors of exam :id' },
  removeProctors: { ...pool, method: 'DELETE', does: 'remove proctors from exam :id' },
  listExamSessions: { ...lists, path: '/exams/:exam_id/student_sessions', does: 'list the students of exam :exam_id', resource: 'session' },
  listSessions: { ...lists, path: '/student_sessions', does: 'list the student sessions', resource: 'session' },
  getSession: { ...oneSession, ...shows, does: 'show student session :id' },
  createSession: { ...adds, path: '/exams/:exam_id/student_sessions', does: 'add the student to exam :exam_id', look: students },
  patchSession: { ...oneSession, ...changes, method: 'PATCH' },
  putSession: { ...oneSession, ...changes, method: 'PUT' },
  deleteSession: { ...oneSession, method: 'DELETE', does: 'delete student session :id' },
  listUsers: { ...lists, path: '/institutes/:institute_id/users', does: 'list the users of institute :institute_id', resource: 'user' },
} as const satisfies Record<string, Row>;

export type OperationId = keyof typeof table;

export const operations = Object.fromEntries(
  Object.entries<Row>(table).map(([id, row]) => [
    id,
    { resource: 'exam', answer: 'open', repeat: row.method === 'GET' ? 'safe' : 'settle', ...row, id },
  ]),
) as { readonly [Id in OperationId]: Operation & (typeof table)[Id] & { id: Id } };

export function operationAt(path: string, method?: Method): { operation: Operation; params: Record<string, string> } | undefined {
  for (const operation of Object.values<Operation>(operations)) {
    const shape = new RegExp(`^${operation.path.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`);
    const match = method === undefined || operation.method === method ? shape.exec(path) : null;
    if (match) return { operation, params: { ...match.groups } };
  }
  return undefined;
}

export const studentCreates: readonly string[] = [operations.createSession.id, operations.addStudent.id];

/** Words of an operation, with the values of their `:name` parameters, as far as they are given. */
export function filled(words: string, params: Readonly<Record<string, string>>): string {
  return words.replace(/:(\w+)/g, (whole, name: string) => params[name] ?? whole);
}

/** The operation that the service removed (specification 9.3). Requests to it are refused before anything is sent. */
export const endExam = {
  id: 'endExam',
  method: 'POST',
  path: '/student_sessions/:id/end_exam',
  does: "end a student's exam",
  since: '2022-05-17',
  why: 'the service removed this operation on 2022-05-17 because of a critical defect; it is planned to return in a later version',
  instead: "To stop a student from starting, close the session's window: proctor-cli sessions update ID --close-time now",
};
