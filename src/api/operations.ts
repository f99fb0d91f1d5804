/**
 * The operations of the service (specification, section 4), and path, query and body of their requests. No wire test reads this table. A
 * new row needs a handler in `sandbox/handlers.ts`, a command, and, if it writes, a kind in `runs/steps/index.ts` and one in `runs/request.ts`.
 */
import { CliError } from '../errors.ts';
import type { WritableResource, Writing } from '../model/fields.ts';
import { type Json, type JsonObject, stringifyJson, withSortedKeys } from '../model/json.ts';
import { typedCommand, typedOption } from '../model/shell-quote.ts';
import { type Sentence, sentence } from '../text/sentence.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type AnsweredResource = 'exam' | 'session' | 'proctor' | 'user';

export type Operation = {
  id: string;
  method: Method;
  /** Below the base URL; segments written `:name` are parameters. */
  path: string;
  /** Continues "The service could not …". */
  does: string;
  resource: AnsweredResource;
  /** `open`: nothing that the specification shows. */
  answer: 'list' | 'one' | 'open';
  writes?: { resource: WritableResource; writing: Writing };
  /** The command that shows whether a request has been carried out. */
  look?(params: Params): string;
};

type Params = Readonly<Record<string, string>>;
type OperationRow = Partial<Operation> & Pick<Operation, 'method' | 'path' | 'does'>;

const getExam = ({ id = '' }: Params) => typedCommand('exams get', [id]);
const getSession = ({ id = '' }: Params) => typedCommand('sessions get', [id]);
const ofExam = (command: string, id: string) => typedCommand(command, [], typedOption('--exam', id));
const proctors = ({ id = '' }: Params) => ofExam('proctors list', id);
const examStudents = ({ id = '', exam_id = id }: Params) => ofExam('sessions list', exam_id);
const oneExam = { path: '/exams/:id', resource: 'exam', look: getExam } as const;
const oneSession = { path: '/student_sessions/:id', resource: 'session', look: getSession } as const;
const pool = { path: '/exams/:id/proctor_pool', resource: 'proctor', look: proctors } as const;
const shows = { method: 'GET', answer: 'one' } as const;
const lists = { method: 'GET', answer: 'list' } as const;
const listsSessions = { ...lists, resource: 'session' } as const;
const creates = { method: 'POST', answer: 'one' } as const;
const updates = { does: 'update exam :id', answer: 'one', writes: { resource: 'exam', writing: 'update' } } as const;
const adds = { ...creates, resource: 'session', writes: { resource: 'session', writing: 'create' }, look: examStudents } as const;
const changes = { does: 'update student session :id', answer: 'one', writes: { resource: 'session', writing: 'update' } } as const;

const operationTable = {
  listExams: { ...lists, path: '/exams', does: 'list the exams' },
  getExam: { ...oneExam, ...shows, does: 'show exam :id' },
  createExam: {
    ...creates,
    path: '/exams',
    does: 'create the exam',
    writes: { resource: 'exam', writing: 'create' },
    look: () => 'exams list',
  },
  patchExam: { ...oneExam, ...updates, method: 'PATCH' },
  putExam: { ...oneExam, ...updates, method: 'PUT' },
  deleteExam: { ...oneExam, method: 'DELETE', does: 'delete exam :id' },
  showStudent: { ...shows, path: '/exams/:id/show_student', does: 'show the student of exam :id', resource: 'session' },
  addStudent: { ...adds, path: '/exams/:id/add_student', does: 'add the student to exam :id' },
  sendEmails: { method: 'POST', path: '/exams/:id/send_emails', does: 'send the mails of exam :id', look: examStudents },
  addProctors: { ...pool, method: 'POST', does: 'add proctors to exam :id' },
  listProctors: { ...pool, ...lists, does: 'list the proctors of exam :id' },
  removeProctors: { ...pool, method: 'DELETE', does: 'remove proctors from exam :id' },
  listExamSessions: { ...listsSessions, path: '/exams/:exam_id/student_sessions', does: 'list the students of exam :exam_id' },
  listSessions: { ...listsSessions, path: '/student_sessions', does: 'list the student sessions' },
  getSession: { ...oneSession, ...shows, does: 'show student session :id' },
  createSession: { ...adds, path: '/exams/:exam_id/student_sessions', does: 'add the student to exam :exam_id' },
  patchSession: { ...oneSession, ...changes, method: 'PATCH' },
  putSession: { ...oneSession, ...changes, method: 'PUT' },
  deleteSession: { ...oneSession, method: 'DELETE', does: 'delete student session :id' },
  listUsers: { ...lists, path: '/institutes/:institute_id/users', does: 'list the users of institute :institute_id', resource: 'user' },
} as const satisfies Record<string, OperationRow>;

export type OperationId = keyof typeof operationTable;
export type WritingId = { [Id in OperationId]: (typeof operationTable)[Id]['method'] extends 'GET' ? never : Id }[OperationId];

const rows = Object.entries<OperationRow>(operationTable).map(([id, row]) => [id, { resource: 'exam', answer: 'open', ...row, id }]);
type Operations = { readonly [Id in OperationId]: Operation & (typeof operationTable)[Id] & { id: Id } };
export const operations: Operations = Object.fromEntries(rows);

export function operationAt(path: string, method?: Method): { operation: Operation; params: Record<string, string> } | undefined {
  for (const operation of Object.values<Operation>(operations)) {
    const shape = new RegExp(`^${operation.path.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`);
    const match = shape.exec(path);
    if (match && (method ?? operation.method) === operation.method) return { operation, params: { ...match.groups } };
  }
  return undefined;
}

export const studentCreates: readonly string[] = [operations.createSession.id, operations.addStudent.id];

/** Fills the `:name` parameters of a text with the values that are given. */
export function filled(words: string, params: Params): string {
  return words.replace(/:(\w+)/g, (whole, name: string) => params[name] ?? whole);
}

/** The operation that the service removed (specification 9.3). */
export const endExam = {
  id: 'endExam',
  method: 'POST',
  path: '/student_sessions/:id/end_exam',
  does: "end a student's exam",
  since: '2022-05-17',
  why: 'the service removed this on 2022-05-17 because of a critical defect, to bring it back later',
  instead: "To stop a student from starting, close the session's window: proctor-cli sessions update ID --close-time now",
};

/** `params`: of the path. */
export type RequestInput = {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: JsonObject | undefined;
};

/** `note`: what an earlier answer will show. */
export type RequestStep = RequestInput & { operation: Operation; note?: string };

/** `path`: below the base URL, with the query. `does`, `look`: as in `Operation`. */
export type Request = { method: Method; path: string; body?: Json; does: string; look?: string };

export type PlannedRequest = { method: Method; url: string; headers: Record<string, string>; body?: Json };

/** Throws `invalid_input` for an ID that would change the path. */
export function requestFor(operation: Operation, { params = {}, query = {}, body }: RequestInput): Request {
  const { method, look } = operation;
  const path = operation.path.replace(/:(\w+)/g, (_, name: string) => pathSegment(params[name] ?? ''));
  const search = Object.keys(query).length === 0 ? '' : `?${new URLSearchParams(query)}`;
  const request: Request = { method, path: path + search, does: filled(operation.does, params) };
  if (look) request.look = look(params);
  if (body !== undefined) request.body = body;
  return request;
}

/** The order of fields and of the query says nothing. */
export function isSameRequest(one: Request, other: Request): boolean {
  const [a, b] = [one, other].map(({ method, path, body }) => {
    const { pathname, searchParams } = new URL(path, 'http://path');
    searchParams.sort();
    return stringifyJson(withSortedKeys([method, pathname, String(searchParams), body ?? null]));
  });
  return a === b;
}

/** Refused where a server might read it as more than one segment of a path. */
export function pathSegment(id: string): string {
  if (/^[^/\\\p{Cc}\p{Cs}]*$/u.test(id) && !/^(\s*|\.+)$/.test(id)) return encodeURIComponent(id);
  const why = 'it is empty, only dots, or has a slash or a control character';
  const message = sentence`${JSON.stringify(id)} is no ID that a path can name: ${why}.`;
  throw new CliError('invalid_input', message, { hint: 'Give the ID as the service lists it.' });
}

export function checkBeforeRetryHint({ look }: Pick<Request, 'look'>): Sentence {
  if (look === undefined) return sentence`Check the resource before you run the command again.`;
  return sentence`Before you run the command again, check with: proctor-cli ${look}`;
}
