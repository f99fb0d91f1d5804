/**
 * A step and what is known of it, and how both are recorded: what is looked for is plain, all else is
 * sealed. Only `settle` (`running.ts`) changes a state.
 */
import { type Operation, operations } from '../api/operations.ts';
import type { CliError } from '../errors.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { Run, RunRecord, StepRow } from '../record/index.ts';
import type { Sentence } from '../text/sentence.ts';
import { creates, examOfStep, kindOf, type Step, unknownOperation } from './step.ts';

export type Execution = {
  readonly index: number;
  /** It changes once what it needs has an ID. */
  step: Step;
  state: StepState;
  reason?: Reason | undefined;
  seen: boolean;
  /** What it has created, or is about. */
  id?: string | undefined;
  /** This run created it, or set what it shows. */
  owned: boolean;
  at: number;
  /** The same by a clock that nobody sets. */
  since?: number;
  /** The service's clock, as it was shown last before the request. Milliseconds since 1970. */
  sentDate?: number | undefined;
  /** This process has sent it. */
  sentByThisProcess: boolean;
  /** Its answer: a status, `2xx` of a create, `denied` where a success says no, an error code. */
  code?: string | undefined;
  error?: CliError | undefined;
  note?: Sentence;
  shown?: JsonObject;
  /** What can be set, and what was sent, as its last look showed it: an undo rests on it. */
  lastSeen?: JsonObject | undefined;
  /** The address under which the service has storedAs it, where another one was sent. */
  storedAs?: string | undefined;
  answer?: Json | undefined;
};

/** With the exam and the ID of what an earlier step creates for it, as far as known. */
export function targeted(step: Step, items: readonly Execution[]): Step {
  const maker = step.made && items[step.made.by];
  if (!step.made || !maker) return step;
  const exam = step.exam ?? (creates(maker.step) === 'exam' ? maker.id : maker.step.exam);
  const param = maker.id === undefined ? {} : { [step.made.param]: maker.id };
  return { ...step, params: { ...step.params, ...param }, exam };
}

export function isUnsettled(item: Execution): boolean {
  return isOpen(item) || needsVerifying(item);
}

export function needsVerifying({ state, seen, step }: Execution): boolean {
  return state === 'done' ? !seen : state === 'unknown' && kindOf(step) !== 'other';
}

/** `sending`: about to leave; unknown once its process has ended. */
export type StepState = 'planned' | 'sending' | 'unknown' | 'done' | 'failed' | 'skipped';

type Meaning = {
  state: 'done' | 'failed' | 'skipped';
  /** Tried again by `runs resume` of a run that has ended. */
  again: boolean;
  means: string;
};

export const reasons = {
  there: { state: 'done', again: false, means: 'there already' },
  different: { state: 'failed', again: false, means: 'there, with other values than were sent' },
  duplicate: { state: 'failed', again: false, means: 'there several times' },
  rejected: { state: 'failed', again: true, means: 'rejected by the service' },
  not_applied: { state: 'failed', again: true, means: 'answered, and not carried out' },
  absent: { state: 'failed', again: true, means: 'sent without an answer, and proven not to be there' },
  gone: { state: 'failed', again: false, means: 'no longer there' },
  changed: { state: 'failed', again: false, means: 'not sent: another client changed it meanwhile' },
  held_back: { state: 'skipped', again: true, means: 'not sent: held back' },
  after_failed: { state: 'skipped', again: true, means: 'not sent: a step before it was not done' },
  closed: { state: 'failed', again: false, means: 'sent, and closed while its outcome was unknown' },
  given_up: { state: 'skipped', again: false, means: 'given up: its run was closed, or planned anew' },
} as const satisfies Record<string, Meaning>;

export type Reason = keyof typeof reasons;

export const states: Record<StepState, string> = {
  planned: 'not sent yet',
  sending: 'about to be sent',
  unknown: 'sent, and the outcome is unknown',
  done: 'done',
  failed: 'failed',
  skipped: 'not sent',
};

export function meaningOf(state: StepState, reason: Reason | undefined): string {
  return reason === undefined ? states[state] : reasons[reason].means;
}

/** It keeps its run open. */
export function isOpen({ state }: Pick<Execution, 'state'>): boolean {
  return state === 'planned' || isUnknown({ state });
}

/** May have been carried out: only a look settles it. */
export function isUnknown({ state }: Pick<Execution, 'state'>): boolean {
  return state === 'sending' || state === 'unknown';
}

/** A request has done it. */
export function isWritten({ state, reason }: Pick<Execution, 'state' | 'reason'>): boolean {
  return state === 'done' && reason !== 'there';
}

/** The service has refused to create it, as somebody else has: nothing was written. */
export function isRefusedAsThere({ code = '' }: Pick<Execution, 'code'>): boolean {
  return ['409', '422'].includes(code);
}

export function mayBeTriedAgain({ reason }: Pick<Execution, 'reason'>): boolean {
  return reason !== undefined && reasons[reason].again;
}

type Sealed = Omit<Step, 'operation'> & Pick<Execution, 'storedAs' | 'code' | 'lastSeen' | 'sentDate'>;

export function rowOf(item: Execution, record: RunRecord): StepRow {
  const { step, index, state, reason, seen, id, owned, at, code, storedAs, lastSeen, sentDate } = item;
  const { operation, ...rest } = step;
  // Also the exam that it has created.
  const exam = creates(step) === 'exam' ? id : examOfStep(step);
  const sealed: Sealed = { ...rest, code, storedAs, lastSeen, sentDate };
  return {
    n: index + 1,
    op: operation.id,
    line: step.line ?? null,
    exam: exam ?? null,
    target: step.params.id ?? null,
    student: studentOf(step, record),
    state,
    reason: reason ?? null,
    seen,
    session: id ?? null,
    ours: owned,
    at,
    plan: sealed as unknown as JsonObject,
  };
}

function studentOf({ email, number }: Step, { keys }: RunRecord): string | null {
  if (email !== undefined) return keys.studentKey(email);
  return number === undefined ? null : keys.studentKey(`number ${number}`);
}

export async function loadExecutions(record: RunRecord, run: string): Promise<Execution[]> {
  const items = (await record.steps(run)).map(executionOf);
  for (const item of items) item.step = targeted(item.step, items);
  return items;
}

export function executionOf({ n, op, state, reason, seen, session, ours, at, plan }: StepRow): Execution {
  const known: Readonly<Record<string, Operation>> = operations;
  const { storedAs, code, lastSeen, sentDate, ...rest } = plan as unknown as Sealed;
  return {
    index: n - 1,
    step: { operation: known[op] ?? unknownOperation, ...rest },
    // Its process has ended.
    state: state === 'sending' ? 'unknown' : (state as StepState),
    reason: (reason ?? undefined) as Reason | undefined,
    seen,
    owned: ours,
    at,
    sentByThisProcess: false,
    id: session ?? undefined,
    code,
    storedAs,
    lastSeen,
    sentDate,
  };
}

export function newExecution(step: Step, index: number, now: number): Execution {
  const id = creates(step) === undefined ? step.params.id : undefined;
  return { index, step, state: 'planned', seen: false, owned: false, at: now, sentByThisProcess: false, id };
}

/** What `runs resume` would bring to an end. */
export function retryableIn(run: Pick<Run, 'state'>, items: readonly Execution[]): Execution[] {
  return items.filter(run.state === 'open' ? isUnsettled : isRetryable);
}

/** Tried again once its run has ended. A consent to mails is for one request. */
export function isRetryable(item: Execution): boolean {
  return mayBeTriedAgain(item) && !item.step.forgotten && kindOf(item.step) !== 'mails';
}
