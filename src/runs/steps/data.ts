/** What follows from the data of a step alone. A kind without an answer does not compile. */
import { type Operation, operations } from '../../api/operations.ts';
import type { Request, RequestStep } from '../../api/request.ts';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import type { Wanted } from '../../model/listing.ts';
import { type Create, type Kind, nobody, type Ref, type Requires, type Resource, type Step, type Student, type Update } from '../step.ts';

type Of<K extends Kind> = Extract<Step, { kind: K }>;
type Table<T> = { [K in Kind]: (step: Of<K>) => T };

function ask<T>(table: Table<T>, step: Step): T {
  return (table[step.kind] as (step: Step) => T)(step);
}

/** Of a request of `api` that is not in the table. */
const unknownOperation: Operation = {
  id: 'raw',
  method: 'POST',
  path: '/',
  does: 'send the request',
  resource: 'user',
  answer: 'open',
};

const operation: Table<Operation> = {
  'create exam': () => operations.createExam,
  'create session': ({ via }) => operations[via],
  update({ resource, method }) {
    if (resource === 'exam') return method === 'PUT' ? operations.putExam : operations.patchExam;
    return method === 'PUT' ? operations.putSession : operations.patchSession;
  },
  delete: ({ resource }) => (resource === 'exam' ? operations.deleteExam : operations.deleteSession),
  'send mails': () => operations.sendEmails,
  'change pool': ({ change }) => (change === 'add' ? operations.addProctors : operations.removeProctors),
  raw: ({ operation: id }) => (id === undefined ? unknownOperation : operations[id]),
};

const target: Table<Ref | undefined> = {
  'create exam': () => undefined,
  'create session': () => undefined,
  update: ({ id }) => id,
  delete: ({ id }) => id,
  'send mails': ({ exam }) => exam,
  'change pool': ({ exam }) => exam,
  raw: ({ id }) => id,
};

const student: Table<Student> = {
  'create exam': () => nobody,
  'create session': (step) => step.student,
  update: (step) => step.student,
  delete: (step) => step.student,
  'send mails': () => nobody,
  'change pool': () => nobody,
  raw: () => nobody,
};

export const operationOf = (step: Step) => ask(operation, step);
export const targetOf = (step: Step) => ask(target, step);
export const studentOf = (step: Step) => ask(student, step);

/** What it creates. */
export function created(step: Step): Resource | undefined {
  if (step.kind === 'create exam') return 'exam';
  return step.kind === 'create session' ? 'session' : undefined;
}

export function isCreate(step: Step): step is Create {
  return created(step) !== undefined;
}

export function isUpdate(step: Step): step is Update {
  return step.kind === 'update';
}

export function resourceOf(step: Step): Resource {
  return operationOf(step).resource === 'session' ? 'session' : 'exam';
}

/** What it sets. */
export function bodyOf(step: Step): JsonObject {
  return 'body' in step ? step.body : {};
}

export function previousOf(step: Step): JsonObject {
  return step.kind === 'update' ? step.previous : requiresOf(step).target;
}

export function requiresOf(step: Step): Requires {
  if ('requires' in step) return step.requires;
  return { target: {}, exam: 'examShows' in step ? step.examShows : {}, notIn: [] };
}

/** By what a student or an exam is looked for. */
export function wantedBy(step: Step): Wanted {
  return step.kind === 'create exam' ? { body: step.body } : studentOf(step);
}

/** The steps by which a student stays whose session is deleted. */
export function copyIn(step: Step): readonly number[] {
  return step.kind === 'delete' && step.survivor && 'copy' in step.survivor ? step.survivor.copy : [];
}

/** Whether a service may read what `api` sends in another way than the table: a query, or values inside of a value. */
export function isUnclear({ typed, ...step }: Step): boolean {
  if (typed?.path.includes('?')) return true;
  const isNested = (value: unknown) => typeof value === 'object' && value !== null;
  return !('proctors' in step) && isJsonObject(typed?.body ?? null) && Object.values(typed?.body ?? {}).some(isNested);
}

/** The body that is sent. */
export function sentBody(step: Step, { proctorsKey }: { proctorsKey: string }): JsonObject | undefined {
  if (step.kind === 'change pool') return { [proctorsKey]: [...step.proctors] };
  return 'body' in step ? step.body : undefined;
}

/** The earlier steps that it waits for. */
export function dependenciesOf(step: Step): readonly number[] {
  const refs = [step.exam, targetOf(step)].flatMap((ref) => (typeof ref === 'object' ? ref.createdBy : []));
  return [...new Set([...(step.dependsOn === 'all others' ? [] : step.dependsOn), ...refs])];
}

/** As it is sent, with what is known of its target; an ID that an earlier step creates is explained. */
export function requestOf(
  step: Step,
  dialect: { proctorsKey: string },
  known: { id?: string | undefined; exam?: string | undefined } = {},
): Request | RequestStep {
  if (step.typed) return step.typed;
  if (step.kind === 'raw') return step.request;
  const operation = operationOf(step);
  const ref = isCreate(step) ? step.exam : targetOf(step);
  const id = typeof ref === 'string' ? ref : isCreate(step) ? known.exam : known.id;
  const request = { operation, params: { id: id ?? 'ID', exam_id: id ?? 'ID' }, body: sentBody(step, dialect) };
  if (id !== undefined || typeof ref !== 'object') return request;
  const creator = operation.path.startsWith('/exams') ? 'exam' : 'session';
  return { ...request, note: `ID: of the ${creator} that request ${ref.createdBy} creates` };
}
