/** A handler for each operation of the specification, in a transaction: a throw undoes its work. */
import type { Dialect } from '../api/dialect.ts';
import type { OperationId } from '../api/operations.ts';
import { fieldsOf, restrictionKeys, type WritableResource, wouldResetRestrictions } from '../model/fields.ts';
import { type Json, type JsonObject, textOfJson } from '../model/json.ts';
import { invalidFields, notFound, Problem, readFields, readObject, timesInOrder } from './body.ts';
import { seedInstitute } from './seed.ts';
import { isoUtc, type Records, type Stored, type User } from './store.ts';

type Call = {
  store: Records;
  dialect: Dialect;
  /** Milliseconds since 1970. */
  now: number;
  /** A parameter of the path. */
  param(name: string): string;
  query(name: string): string | undefined;
  body: string;
};

export type HandlerReply = { status: 200 | 201; value: Json } | { status: 204 };

const collections = { exam: 'exams', session: 'student_sessions' } as const;

/** The ID in a text; 0, which no record has, for a text that is no ID. */
function idFrom(text: string): number {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : 0;
}

function find({ store, param }: Call, resource: WritableResource, parameter = 'id'): Stored {
  const record = store.find(collections[resource], idFrom(param(parameter)));
  if (!record) throw notFound(`There is no ${resource === 'exam' ? 'exam' : 'student session'} ${param(parameter)}.`);
  return record;
}

function shownRecord({ dialect }: Call, { id, examId, data }: Stored): JsonObject {
  const ofExam = examId === undefined ? {} : { [dialect.sessionExamKey]: examId };
  return { [dialect.idKey]: id, ...ofExam, ...data };
}

function okReply(value: Json): HandlerReply {
  return { status: 200, value };
}

const strict = Object.fromEntries(restrictionKeys.map((key) => [key, false]));

function blank(resource: WritableResource): JsonObject {
  const values = Object.entries(fieldsOf(resource)).flatMap(([field, { blank: value }]) => (value === undefined ? [] : [[field, value]]));
  return Object.fromEntries(values);
}

function create(call: Call, resource: WritableResource, exam?: Stored): HandlerReply {
  const fields = readFields(call.body, resource, 'create', call.dialect);
  const data = timesInOrder(resource, { ...blank(resource), ...fields });
  return { status: 201, value: shownRecord(call, call.store.insert(collections[resource], data, exam?.id)) };
}

/** Restrictions that a change of others leaves out are reset (specification 2.1, rule 2). */
function updateRecord(call: Call, resource: WritableResource): HandlerReply {
  const record = find(call, resource);
  const fields = readFields(call.body, resource, 'update', call.dialect);
  const reset = resource === 'exam' && wouldResetRestrictions(fields) ? strict : {};
  const data = timesInOrder(resource, { ...record.data, ...reset, ...fields });
  call.store.update(collections[resource], record.id, data);
  return okReply(shownRecord(call, { ...record, data }));
}

function remove(call: Call, resource: WritableResource): HandlerReply {
  call.store.remove(collections[resource], find(call, resource).id);
  return { status: 204 };
}

function list(call: Call, resource: WritableResource, exam?: Stored): HandlerReply {
  return okReply(call.store.list(collections[resource], exam?.id).map((record) => shownRecord(call, record)));
}

function showStudent(call: Call): HandlerReply {
  const exam = find(call, 'exam');
  const { studentSelector } = call.dialect;
  const selected = call.query(studentSelector);
  if (!selected) throw new Problem(400, 'no_student', `The query parameter ${studentSelector} must say which student.`);
  const session = call.store.find('student_sessions', idFrom(selected));
  if (session?.examId !== exam.id) throw notFound(`Exam ${exam.id} has no student session ${selected}.`);
  return okReply(shownRecord(call, session));
}

/** A mail to each student with an address; it stays in the outbox. */
function sendEmails(call: Call): HandlerReply {
  const { store, dialect } = call;
  const exam = find(call, 'exam');
  const sessions = store.list('student_sessions', exam.id);
  const mailed = sessions.filter(({ data }) => data.email !== null);
  const { name: title } = exam.data;
  const subject = `Your exam: ${typeof title === 'string' ? title : exam.id}`;
  const mails = mailed.map(({ id, data }) => {
    const name = data[dialect.sessionNameKey] ?? null;
    return {
      exam_id: exam.id,
      student_session_id: id,
      email: String(data.email),
      name: name === null ? null : textOfJson(name),
      subject,
      sent_at: isoUtc(call.now),
    };
  });
  store.mail(mails);
  for (const { id, data } of mailed)
    if (data.status === 'registered') store.update('student_sessions', id, { ...data, status: 'mail_sent' });
  return okReply({ sent: mailed.length, skipped: sessions.length - mailed.length });
}

/** The users that the body names, each once. */
function namedProctors({ store, dialect: { proctorsKey: field }, body }: Call): number[] {
  const entries = readObject(body)[field];
  if (!Array.isArray(entries)) throw invalidFields({ field, message: "must be an array of users' ids or e-mail addresses" });
  const ids = entries.map((entry) => store.user(entry)?.id);
  const unknown = entries.filter((_, index) => ids[index] === undefined).map(textOfJson);
  if (unknown.length > 0) throw invalidFields({ field, message: `names no user of the institute: ${unknown.join(', ')}` });
  return [...new Set(ids)].filter((id) => id !== undefined);
}

function addProctors(call: Call): HandlerReply {
  const { id } = find(call, 'exam');
  for (const userId of namedProctors(call)) call.store.addToPool(id, userId);
  return listProctors(call);
}

function removeProctors(call: Call): HandlerReply {
  const { id } = find(call, 'exam');
  const absent = namedProctors(call).filter((userId) => !call.store.removeFromPool(id, userId));
  const message = `names users who are not in the pool of exam ${id}: ${absent.join(', ')}`;
  if (absent.length > 0) throw invalidFields({ field: call.dialect.proctorsKey, message });
  return listProctors(call);
}

function listProctors(call: Call): HandlerReply {
  return users(call, call.store.pool(find(call, 'exam').id));
}

function listUsers(call: Call): HandlerReply {
  const institute = call.param('institute_id');
  if (institute !== seedInstitute) throw notFound(`There is no institute ${institute}.`);
  return users(call, call.store.users());
}

function users({ dialect }: Call, shown: readonly User[]): HandlerReply {
  return okReply(shown.map(({ id, ...user }) => ({ [dialect.idKey]: id, ...user })));
}

export const handlers: Record<OperationId, (call: Call) => HandlerReply> = {
  listExams: (call) => list(call, 'exam'),
  getExam: (call) => okReply(shownRecord(call, find(call, 'exam'))),
  createExam: (call) => create(call, 'exam'),
  patchExam: (call) => updateRecord(call, 'exam'),
  putExam: (call) => updateRecord(call, 'exam'),
  deleteExam: (call) => remove(call, 'exam'),
  showStudent,
  addStudent: (call) => create(call, 'session', find(call, 'exam')),
  sendEmails,
  addProctors,
  listProctors,
  removeProctors,
  listExamSessions: (call) => list(call, 'session', find(call, 'exam', 'exam_id')),
  listSessions: (call) => list(call, 'session'),
  getSession: (call) => okReply(shownRecord(call, find(call, 'session'))),
  createSession: (call) => create(call, 'session', find(call, 'exam', 'exam_id')),
  patchSession: (call) => updateRecord(call, 'session'),
  putSession: (call) => updateRecord(call, 'session'),
  deleteSession: (call) => remove(call, 'session'),
  listUsers,
};
