/** The claims of a step: a student of an address in an exam, an exam of a name and start, the mails of an exam. */
import { operations } from '../api/operations.ts';
import { instantOf } from '../model/time.ts';
import type { ClaimName } from '../state/state.ts';
import { createsExam, createsStudent, examOfStep, type Step } from './step.ts';
import type { World } from './world.ts';

type Claiming = Pick<World, 'state' | 'client'>;

export function studentScope(exam: string): string {
  return `exam:${exam}`;
}

/** `exam`: the one that the step is about, once it is known. */
export function claimsOf(step: Step, exam: string | undefined, { state, client }: Claiming): ClaimName[] {
  const number = step.number ?? 1;
  if (createsExam(step)) {
    const { [client.dialect.examNameKey]: name = null, start_time: start = null } = step.body ?? {};
    return [{ scope: 'exams', key: state.digest(JSON.stringify([String(name), instantOf(start) ?? String(start)])), number }];
  }
  if (step.operation.id === operations.sendEmails.id) return [{ scope: 'mails', key: examOfStep(step) ?? '', number }];
  const email = createsStudent(step) ? step.email : newAddress(step);
  const key = email === undefined ? (createsStudent(step) ? step.who : undefined) : state.studentKey(email);
  return key === undefined || exam === undefined ? [] : [{ scope: studentScope(exam), key, number }];
}

/** The address that an update gives to a session. */
export function newAddress({ operation, body }: Step): string | undefined {
  const { email } = body ?? {};
  return operation.writes?.resource === 'session' && operation.writes.writing === 'update' && typeof email === 'string' && email !== ''
    ? email
    : undefined;
}
