/** The seven kinds of step. A kind without its rules does not compile. */

import type { Operation, OperationId, Request, WritingId } from '../../api/operations.ts';
import { isScalar, type JsonObject } from '../../model/json.ts';
import { proctorsIn } from '../../model/pool.ts';
import type { Execution } from '../execution.ts';
import { changePool } from './change-pool.ts';
import { createExam } from './create-exam.ts';
import { createSession } from './create-session.ts';
import { deletion } from './delete.ts';
import { raw } from './raw.ts';
import type { StepRules } from './rules.ts';
import { sendMails } from './send-mails.ts';
import type { Kind, Resource, Step, StepDraft, Student } from './step.ts';
import { update } from './update.ts';

const rules: { [K in Kind]: StepRules<Extract<Step, { kind: K }>> } = {
  'create exam': createExam,
  'create session': createSession,
  update,
  delete: deletion,
  'send mails': sendMails,
  'change pool': changePool,
  raw,
};

/** The rules of a step's kind: the cast is safe because the table has them by kind. */
export function rulesOf<S extends Step>({ kind }: S): StepRules<S> {
  return rules[kind] as unknown as StepRules<S>;
}

export function needsVerifying({ state, seen, step }: Execution): boolean {
  return state === 'done' ? !seen : state === 'unknown' && rulesOf(step).isVerifiable;
}

/** Whether an undo of its run takes it back. */
export function isUndoable({ owned, state, step }: Execution): boolean {
  return owned && state === 'done' && !step.typed && rulesOf(step).isReversible;
}

/** Whether nothing has to be sent, by what was shown when it was planned. */
export function isFulfilled(step: Step, shown: JsonObject): boolean {
  return rulesOf(step).isFulfilled?.(step, shown) ?? false;
}

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

/** What `api --list` says of a request after an unknown outcome: it is sent again, settled by reads, or never sent again. */
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
  const raw = { kind: 'raw', operation: undefined, id: undefined, exam: undefined, request } as const;
  if (!operation) return raw;
  const method = operation.method === 'PUT' ? 'PUT' : 'PATCH';
  const drafts: Record<Kind, () => StepDraft> = {
    'create exam': () => ({ ...typed, kind: 'create exam', exam: undefined, body, isAnother: false }),
    'create session': () => {
      const via = operation.id === 'addStudent' ? 'addStudent' : 'createSession';
      return { ...typed, kind: 'create session', via, exam, student, body, isAnother: false };
    },
    update: () => ({ ...typed, kind: 'update', resource, id, exam: ofExam, method, body, previous: {} }),
    delete: () => ({ ...typed, kind: 'delete', resource, id, exam: ofExam, students: [] }),
    'send mails': () => ({ ...typed, kind: 'send mails', exam: id }),
    'change pool': () => {
      const change = operation.method === 'POST' ? 'add' : 'remove';
      const proctors = proctorsIn(body, { proctorsKey });
      // The specification does not say which field of a record names a proctor (2.3).
      return proctors.every(isScalar) ? { ...typed, kind: 'change pool', exam: id, change, proctors } : drafts.raw();
    },
    raw: () => ({ ...raw, operation: operation.id as OperationId, id: id || undefined, exam: ofExam || undefined }),
  };
  return drafts[kinds[operation.id as WritingId]]();
}
