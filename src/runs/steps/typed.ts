/** Requests of `api` as steps. An operation that writes has a kind, or does not compile. */
import type { Operation, OperationId, WritingId } from '../../api/operations.ts';
import type { Request } from '../../api/request.ts';
import type { JsonObject } from '../../model/json.ts';
import { proctorsIn } from '../../model/pool.ts';
import { type Kind, nobody, nothingRequired, type Resource, type StepDraft, type Student } from '../step.ts';
import { rulesOf } from './index.ts';

/** `operation`: undefined for a path that surely means none. */
export type TypedWrite = {
  operation: Operation | undefined;
  params: Readonly<Record<string, string>>;
  body: JsonObject;
  student: Student;
  request: Request;
  proctorsKey: string;
};

const kinds = {
  createExam: 'create exam',
  patchExam: 'update',
  putExam: 'update',
  deleteExam: 'delete',
  addStudent: 'create session',
  createSession: 'create session',
  patchSession: 'update',
  putSession: 'update',
  deleteSession: 'delete',
  sendEmails: 'send mails',
  addProctors: 'change pool',
  removeProctors: 'change pool',
} as const satisfies Record<WritingId, Kind>;

/** As `api --list` says it: after an unknown outcome, a request is sent again, settled by reads, or never sent again. */
export function repeatOf({ id, method }: Operation): 'safe' | 'settle' | 'never' {
  if (method === 'GET') return 'safe';
  const kind = kinds[id as WritingId];
  return rulesOf({ kind } as Parameters<typeof rulesOf>[0]).resend === 'never' ? 'never' : 'settle';
}

export function typedStep({ operation, params, body, student, request, proctorsKey }: TypedWrite): StepDraft {
  const { id = '', exam_id: exam = id } = params;
  const typed = { typed: request };
  const resource: Resource = operation?.resource === 'session' ? 'session' : 'exam';
  const ofExam = resource === 'exam' ? id : undefined;
  const requires = nothingRequired;
  const raw = { kind: 'raw', operation: undefined, id: undefined, exam: undefined, request } as const;
  if (!operation) return raw;
  const method = operation.method === 'PUT' ? 'PUT' : 'PATCH';
  const drafts: Record<Kind, () => StepDraft> = {
    'create exam': () => ({ ...typed, kind: 'create exam', exam: undefined, body, isAnother: false }),
    'create session': () => {
      const via = operation.id === 'addStudent' ? 'addStudent' : 'createSession';
      return { ...typed, kind: 'create session', via, exam, student, body, isAnother: false, examShows: {} };
    },
    update: () => ({ ...typed, kind: 'update', resource, id, exam: ofExam, method, student: nobody, body, requires, previous: {} }),
    delete: () => ({ ...typed, kind: 'delete', resource, id, exam: ofExam, student: nobody, requires, students: [] }),
    'send mails': () => ({ ...typed, kind: 'send mails', exam: id, provable: true }),
    'change pool': () => {
      const change = operation.method === 'POST' ? 'add' : 'remove';
      return { ...typed, kind: 'change pool', exam: id, change, proctors: proctorsIn(body, { proctorsKey }) };
    },
    raw: () => ({ ...raw, operation: operation.id as OperationId, id: id || undefined, exam: ofExam || undefined }),
  };
  return drafts[kinds[operation.id as WritingId]]();
}
