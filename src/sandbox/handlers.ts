/**
 * One handler for each operation of the specification. A handler runs inside one transaction, so a throw
 * undoes its work; it knows nothing of HTTP beyond the status.
 */
import type { Dialect } from '../api/dialect.ts';
import { type OperationId, operations } from '../api/operations.ts';
import type { WritableResource } from '../model/fields.ts';
import { type JsonObject, textOfJson } from '../model/json.ts';
import { restrictionKeys, wouldResetRestrictions } from '../model/restrictions.ts';
import { checkSpan, readChange, readObject } from './change.ts';
import type { Database } from './database.ts';
import { addToPool, findUser, instituteExists, listPool, listUsers, removeFromPool, type User } from './institute-users.ts';
import { sendMails } from './mails.ts';
import { invalid, notFound, ServiceProblem } from './problem.ts';
import {
  deleteRecord,
  findRecord,
  insertRecord,
  type Listing,
  listRecords,
  type RecordContent,
  type StoredRecord,
  updateRecord,
} from './stored-records.ts';
import { isoUtc } from './stored-times.ts';

export type Call = {
  database: Database;
  dialect: Dialect;
  resetRestrictions: boolean;
  now: number;
  /** A parameter of the path. */
  param(name: string): string;
  query(name: string): string | undefined;
  body: string;
  /** Called for each exam and student session that is created, changed or deleted, with what it was. */
  changed(change: Change): void;
};

/** `before`: as the service showed it; undefined for a new one. */
export type Change = { resource: WritableResource; id: number; before: JsonObject | undefined };

export type Answer = { status: 200 | 201; value: unknown } | { status: 204 } | { list: Listing<unknown> };

type Handler = (call: Call) => Answer;

const kinds = { exam: 'exam', session: 'student session' } as const satisfies Record<WritableResource, string>;

/** An ID as the database stores it. Text that does not look like an ID matches nothing. */
function idFrom(text: string): number {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : 0;
}

function find({ database }: Call, resource: WritableResource, text: string): StoredRecord {
  const record = findRecord(database, resource, idFrom(text));
  if (!record) throw notFound(`There is no ${kinds[resource]} ${text}.`);
  return record;
}

/** A record as the service shows it. */
function shown({ dialect }: Call, { id, examId, fields, extra }: StoredRecord): JsonObject {
  const owner: JsonObject = examId === undefined ? {} : { [dialect.sessionExamKey]: examId };
  return { [dialect.idKey]: id, ...owner, ...extra, ...fields };
}

/** The stricter value. */
function defaultRestrictions(): JsonObject {
  return Object.fromEntries(restrictionKeys.map((key) => [key, false]));
}

function inserted(call: Call, resource: WritableResource, content: RecordContent): StoredRecord {
  const record = insertRecord(call.database, resource, content);
  call.changed({ resource, id: record.id, before: undefined });
  return record;
}

/** Before a record is changed or deleted. */
function changing(call: Call, resource: WritableResource, record: StoredRecord): void {
  call.changed({ resource, id: record.id, before: shown(call, record) });
}

const createExam: Handler = (call) => {
  const { fields, extra } = readChange(call.body, operations.createExam.writes, call.dialect);
  const defaults = { start_time: null, end_time: null, save_recording: true, ...defaultRestrictions() };
  const content = { fields: { ...defaults, ...fields }, extra };
  checkSpan('exam', content.fields);
  return { status: 201, value: shown(call, inserted(call, 'exam', content)) };
};

function addStudent(call: Call, exam: StoredRecord): Answer {
  const { fields, extra } = readChange(call.body, operations.createSession.writes, call.dialect);
  const defaults = {
    email: null,
    open_time: null,
    close_time: null,
    skip_requirements: false,
    level_of_suspicion: 0,
    status: 'registered',
  };
  const session = inserted(call, 'session', { examId: exam.id, fields: { ...defaults, ...fields }, extra });
  return { status: 201, value: shown(call, session) };
}

/**
 * Merges a change into a record; omitted restrictions are lost as version 1.x loses them (specification
 * 2.1, rule 2).
 */
function update(call: Call, resource: WritableResource): Answer {
  const record = find(call, resource, call.param('id'));
  const { fields, extra } = readChange(call.body, { resource, writing: 'update' }, call.dialect);
  const reset = call.resetRestrictions && resource === 'exam' && wouldResetRestrictions(fields);
  const defaults = reset ? defaultRestrictions() : {};
  const changed = { ...record, fields: { ...record.fields, ...defaults, ...fields }, extra: { ...record.extra, ...extra } };
  checkSpan(resource, changed.fields);
  changing(call, resource, record);
  updateRecord(call.database, resource, changed);
  return { status: 200, value: shown(call, changed) };
}

function remove(call: Call, resource: WritableResource): Answer {
  const record = find(call, resource, call.param('id'));
  changing(call, resource, record);
  if (resource === 'exam')
    for (const session of listRecords(call.database, 'session', record.id).items(-1, 0)) changing(call, 'session', session);
  deleteRecord(call.database, resource, record.id);
  return { status: 204 };
}

function recordList(call: Call, resource: WritableResource, examId?: number): Answer {
  const { total, items } = listRecords(call.database, resource, examId);
  return { list: { total, items: (limit, offset) => items(limit, offset).map((record) => shown(call, record)) } };
}

const showStudent: Handler = (call) => {
  const exam = find(call, 'exam', call.param('id'));
  const selector = call.dialect.studentSelector;
  const selected = call.query(selector);
  if (!selected) throw new ServiceProblem(400, 'no_student', `The query parameter ${selector} must say which student.`);
  const session = findRecord(call.database, 'session', idFrom(selected));
  if (session?.examId !== exam.id) throw notFound(`Exam ${exam.id} has no student session ${selected}.`);
  return { status: 200, value: shown(call, session) };
};

/** The IDs of the users named in the body of a change to a pool, each once. */
function namedProctors({ database, dialect, body }: Call): Set<number> {
  const field = dialect.proctorsKey;
  const entries = readObject(body)[field];
  if (!Array.isArray(entries)) throw invalid([{ field, message: "must be an array of users' ids or e-mail addresses" }]);
  const ids = new Set<number>();
  const unknown: string[] = [];
  for (const entry of entries) {
    const user = findUser(database, entry);
    if (user) ids.add(user.id);
    else unknown.push(textOfJson(entry));
  }
  if (unknown.length > 0) throw invalid([{ field, message: `names no user of the institute: ${unknown.join(', ')}` }]);
  return ids;
}

const addProctors: Handler = (call) => {
  const exam = find(call, 'exam', call.param('id'));
  for (const userId of namedProctors(call)) addToPool(call.database, exam.id, userId);
  return { status: 200, value: wholePool(call, exam) };
};

const removeProctors: Handler = (call) => {
  const exam = find(call, 'exam', call.param('id'));
  const absent = [...namedProctors(call)].filter((userId) => !removeFromPool(call.database, exam.id, userId));
  if (absent.length > 0) {
    const message = `names users who are not in the pool of exam ${exam.id}: ${absent.join(', ')}`;
    throw invalid([{ field: call.dialect.proctorsKey, message }]);
  }
  return { status: 200, value: wholePool(call, exam) };
};

function shownUsers({ dialect }: Call, users: readonly User[]): JsonObject[] {
  return users.map(({ id, ...user }) => ({ [dialect.idKey]: id, ...user }));
}

function wholePool(call: Call, exam: StoredRecord): JsonObject[] {
  return shownUsers(call, listPool(call.database, exam.id).items(-1, 0));
}

function userList(call: Call, { total, items }: Listing<User>): Answer {
  return { list: { total, items: (limit, offset) => shownUsers(call, items(limit, offset)) } };
}

const sendEmails: Handler = (call) => {
  const exam = find(call, 'exam', call.param('id'));
  const subject = `Your exam: ${typeof exam.extra.name === 'string' ? exam.extra.name : exam.id}`;
  for (const session of listRecords(call.database, 'session', exam.id).items(-1, 0)) changing(call, 'session', session);
  const mailing = { examId: exam.id, subject, sentAt: isoUtc(call.now), nameKey: call.dialect.sessionNameKey };
  return { status: 200, value: sendMails(call.database, mailing) };
};

const listInstituteUsers: Handler = (call) => {
  const institute = call.param('institute_id');
  if (!instituteExists(call.database, idFrom(institute))) throw notFound(`There is no institute ${institute}.`);
  return userList(call, listUsers(call.database, idFrom(institute)));
};

export const handlers = {
  listExams: (call) => recordList(call, 'exam'),
  getExam: (call) => ({ status: 200, value: shown(call, find(call, 'exam', call.param('id'))) }),
  createExam,
  patchExam: (call) => update(call, 'exam'),
  putExam: (call) => update(call, 'exam'),
  deleteExam: (call) => remove(call, 'exam'),
  showStudent,
  addStudent: (call) => addStudent(call, find(call, 'exam', call.param('id'))),
  sendEmails,
  addProctors,
  listProctors: (call) => userList(call, listPool(call.database, find(call, 'exam', call.param('id')).id)),
  removeProctors,
  listExamSessions: (call) => recordList(call, 'session', find(call, 'exam', call.param('exam_id')).id),
  listSessions: (call) => recordList(call, 'session'),
  getSession: (call) => ({ status: 200, value: shown(call, find(call, 'session', call.param('id'))) }),
  createSession: (call) => addStudent(call, find(call, 'exam', call.param('exam_id'))),
  patchSession: (call) => update(call, 'session'),
  putSession: (call) => update(call, 'session'),
  deleteSession: (call) => remove(call, 'session'),
  listUsers: listInstituteUsers,
} satisfies Record<OperationId, Handler>;
