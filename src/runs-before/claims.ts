/** The claims of a step: a student of an address in an exam, an exam of a name and start. */
import { operations } from '../api/operations.ts';
import { instantOf } from '../model/time.ts';
import type { ClaimName, HeldRun } from '../state/state.ts';
import type { Book } from './book.ts';
import { createsExam, createsStudent, type Step } from './step.ts';
import type { StepState } from './step-states.ts';
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

/** What becomes of the claims of a step with its state. */
export function settleClaims(
  step: Step,
  index: number,
  state: StepState,
  exam: string | undefined,
  {
    world,
    run,
    book,
    shownKey,
    claims = claimsOf(step, exam, world),
  }: { world: World; run: HeldRun; book: Book; shownKey?: string | undefined; claims?: readonly ClaimName[] | undefined },
): void {
  for (const name of claims) {
    // Answered with the session of another student: nothing is there that a claim could stand for.
    const isOther = state === 'different' && book.id(index) === undefined;
    // A session that a list has shown may have been another one than the request created.
    const isGone = state === 'gone' && (book.isOurs(index) || !createsStudent(step));
    if (state === 'rejected' || state === 'given_up' || isGone || state === 'skipped' || isOther) run.endClaim(name, index + 1);
    else if (['done', 'there', 'different', 'duplicate', 'gone', 'not_applied'].includes(state)) {
      // Who or what was created is not created again.
      if (state !== 'not_applied') run.settleClaim(name, index + 1, { session: book.id(index) ?? null, shownKey: shownKey ?? null });
      else run.endClaim(name, index + 1);
    }
  }
  // Deleted, or given another address, from here: its student may be added again.
  const leaves =
    state === 'done' &&
    step.email !== undefined &&
    exam !== undefined &&
    (step.operation.id === operations.deleteSession.id || newAddress(step) !== undefined);
  if (leaves && step.email !== undefined && exam !== undefined)
    run.endClaim({ scope: studentScope(exam), key: world.state.studentKey(step.email) }, 0);
}
