/**
 * A step and what has become of it, and how both are recorded: what is looked for is plain, all else is
 * sealed. Only `transition` of the run changes it.
 */
import { type OperationId, operations } from '../api/operations.ts';
import type { CliError } from '../errors.ts';
import { replacedBy } from '../model/compare.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { RunRecord, StepRow } from '../record/index.ts';
import type { Sentence } from '../text/sentence.ts';
import { copyIn, created, dependenciesOf, operationOf, type Ref, refsIn, type Step, stepDefaults, targetOf } from './steps/step.ts';

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

export function stateOf(is: Change['is']): Pick<Execution, 'state' | 'reason'> {
  if (!(is in reasons)) return { state: is as StepState, reason: undefined };
  const reason = is as Reason;
  return { state: reasons[reason].state, reason };
}

export function heldBack(error: CliError): Change {
  return { is: 'held_back', error };
}

/** What is known of a step besides its state: a later state keeps it. */
export type Facts = {
  /** What it has created, or is about. */
  id: string | undefined;
  exam: string | undefined;
  /** A look has shown it. */
  seen: boolean;
  /** This run created it, or set what it shows. */
  owned: boolean;
  /** The answer in short: a status, `2xx` for a create, `denied` if a success says no, an error code. */
  code: string | undefined;
  /** The address under which the service has stored it, where another one was sent. */
  storedAs: string | undefined;
  /** What could be set of it, or was sent, as its answer showed it, and as the last look did. */
  answered: JsonObject | undefined;
  lastSeen: JsonObject | undefined;
  /** What its list lacked at the last look, although its own GET showed it. */
  unlisted: string | undefined;
  /** The values that the request must not change, as they were shown right before it. */
  untouched: JsonObject | undefined;
  /** The service's clock, as it was shown last before the request. Milliseconds since 1970. */
  sentDate: number | undefined;
  sentByThisProcess: boolean;
  shown: JsonObject | undefined;
  answer: Json | undefined;
};

export type Execution<S extends Step = Step> = {
  readonly step: S;
  readonly state: StepState;
  readonly reason: Reason | undefined;
  readonly error: CliError | undefined;
  readonly note: Sentence | undefined;
  /** When the state began, by the clock of this machine. Milliseconds since 1970. */
  readonly at: number;
  /** `runs forget` has erased what the step was about. */
  readonly isForgotten: boolean;
} & Readonly<Facts>;

/** `is`: a state, or a reason, which implies the state. `notShown`: what was sent, and no read shows. */
export type Change = {
  is: Exclude<StepState, 'failed' | 'skipped'> | Reason;
  error?: CliError | undefined;
  note?: Sentence | undefined;
  facts?: Partial<Facts>;
  notShown?: readonly string[];
};

export function meaningOf(state: StepState, reason: Reason | undefined): string {
  return reason === undefined ? states[state] : reasons[reason].means;
}

/** Whether a step keeps its run open. */
export function isOpen({ state }: Pick<Execution, 'state'>): boolean {
  return state === 'planned' || isUnknown({ state });
}

/** May have been carried out: only a look settles it. */
export function isUnknown({ state }: Pick<Execution, 'state'>): boolean {
  return state === 'sending' || state === 'unknown';
}

/** A request has done it; what it set is shown, also where something else has changed with it. */
export function isWritten({ state, reason, step, seen, owned }: Execution): boolean {
  return state === 'done' ? reason !== 'there' : reason === 'different' && !created(step) && seen && owned;
}

/** The service has refused to create it, as somebody else has: nothing was written. */
export function isRefusedAsThere({ code = '' }: Pick<Execution, 'code'>): boolean {
  return ['409', '422'].includes(code);
}

/** What the run left, as its answer showed it: what a look shows, somebody else may have changed by then. */
export function leftBy({ answered, lastSeen }: Execution): JsonObject | undefined {
  return answered && lastSeen ? { ...lastSeen, ...replacedBy(Object.keys(lastSeen), answered) } : (lastSeen ?? answered);
}

type Sealed = { step: Step } & Pick<Facts, 'storedAs' | 'code' | 'answered' | 'lastSeen' | 'unlisted' | 'untouched' | 'sentDate'>;

export function rowOf(execution: Execution, { keys }: RunRecord): StepRow {
  const { step, state, reason, seen, id, exam, owned, at, code, storedAs, answered, lastSeen } = execution;
  const { unlisted, untouched, sentDate } = execution;
  const student = step.student.email ?? step.student.number;
  const facts: Sealed = { step, code, storedAs, answered, lastSeen, unlisted, untouched, sentDate };
  return {
    n: step.number,
    op: operationOf(step).id,
    line: step.line ?? null,
    // A step that has created an exam is a step of that exam.
    exam: (created(step) === 'exam' ? id : exam) ?? null,
    target: idIn(targetOf(step)) ?? null,
    student: student === undefined ? null : keys.studentKey(student),
    state,
    reason: reason ?? null,
    seen,
    id: id ?? null,
    ours: owned,
    at,
    plan: { ...(facts as unknown as JsonObject), ...(execution.isForgotten && { forgotten: true }) },
  };
}

export function idIn(ref: Ref | undefined): string | undefined {
  return typeof ref === 'string' ? ref : undefined;
}

/** The step of an execution, in the exam that its run has created meanwhile. */
export function stepInItsExam({ step, exam }: Execution): Step {
  return exam === undefined ? step : { ...step, exam };
}

export async function loadExecutions(record: RunRecord, run: string): Promise<Execution[]> {
  const all = (await record.steps(run)).map(executionOf);
  const forgotten = new Set(all.filter(({ isForgotten }) => isForgotten).map(({ step }) => step.number));
  // The record may have forgotten the copy by which a student stays.
  const isUnproven = ({ step }: Execution) => copyIn(step).some((number) => forgotten.has(number));
  return all.map((execution) => (isUnproven(execution) ? { ...execution, isForgotten: true } : execution));
}

const forgotten = { ...stepDefaults, kind: 'raw', operation: undefined, id: undefined, exam: undefined } as const;

export function executionOf(row: StepRow): Execution {
  const { n, op, state, reason, seen, exam, id, ours, at, plan } = row;
  const isForgotten = plan.forgotten === true;
  const { step, ...facts } = plan as unknown as Sealed;
  const operation = op in operations ? (op as OperationId) : undefined;
  const { does, method } = operation ? operations[operation] : { does: 'send the request', method: 'POST' as const };
  return {
    ...newExecution(isForgotten ? { ...forgotten, operation, number: n, request: { method, path: '', does } } : step, at),
    ...facts,
    // A step that is loaded was sent by a process that has ended.
    state: state === 'sending' ? 'unknown' : (state as StepState),
    reason: (reason ?? undefined) as Reason | undefined,
    seen,
    owned: ours,
    isForgotten,
    id: id ?? undefined,
    exam: (!isForgotten && created(step) === 'exam' ? undefined : exam) ?? undefined,
  };
}

export function newExecution<S extends Step>(step: S, now: number): Execution<S> {
  return {
    step,
    state: 'planned',
    reason: undefined,
    error: undefined,
    note: undefined,
    at: now,
    isForgotten: false,
    id: idIn(targetOf(step)),
    exam: idIn(step.exam),
    seen: false,
    owned: false,
    code: undefined,
    storedAs: undefined,
    answered: undefined,
    lastSeen: undefined,
    unlisted: undefined,
    untouched: undefined,
    sentDate: undefined,
    sentByThisProcess: false,
    shown: undefined,
    answer: undefined,
  };
}

/** The steps of a run, and how they wait for each other. */
export class Executions {
  readonly executions: readonly Execution[];
  readonly #byNumber: ReadonlyMap<number, Execution>;
  readonly #followers: ReadonlyMap<number, readonly { follower: Execution }[]>;

  constructor(executions: readonly Execution[]) {
    this.executions = executions;
    this.#byNumber = new Map(executions.map((execution) => [execution.step.number, execution]));
    const waits = executions.flatMap((follower) => dependenciesOf(follower.step).map((on) => ({ on, follower })));
    this.#followers = Map.groupBy(waits, ({ on }) => on);
  }

  of(numbers: readonly number[]): Execution[] {
    return numbers.flatMap((number) => this.#byNumber.get(number) ?? []);
  }

  /** The step that creates what it is sent to. */
  creatorOf(step: Step): Execution | undefined {
    return this.of(refsIn(step)).at(-1);
  }

  dependencies({ step }: Execution): Execution[] {
    if (step.dependsOn === 'all others') return this.executions.filter((other) => other.step.dependsOn !== 'all others');
    return this.of(dependenciesOf(step));
  }

  /** The steps that wait for it. */
  followers({ step }: Execution): Execution[] {
    return (this.#followers.get(step.number) ?? []).map(({ follower }) => follower);
  }
}
