/** All that the engine asks of a kind of step, and the words that several kinds share. */
import { isUnclear, type Reply } from '../../api/answer.ts';
import type { Moment } from '../../api/known.ts';
import { CliError } from '../../errors.ts';
import { nameOf } from '../../model/describe.ts';
import type { JsonObject } from '../../model/json.ts';
import { type Listed, type Listing, maskAmong } from '../../model/listing.ts';
import { capitalised, type Sentence, sentence } from '../../text/sentence.ts';
import type { ActiveRun } from '../active-run.ts';
import { withoutVerdict } from '../classify-response.ts';
import type { Engine } from '../engine.ts';
import type { Change, Execution } from '../execution.ts';
import type { Consented, LockScope } from '../request.ts';
import type { Inverse, Undoing } from '../undoing.ts';
import { isDelete, lookAt, operationOf, type Plan, resourceOf, type Step } from './step.ts';

/** `exam`: undefined for any. `session`: who loses something; undefined for the exam as a whole. */
export type Loss = {
  exam: string | undefined;
  why: string;
  session?: JsonObject;
  /** What these students would lose; undefined for nothing. */
  whyOf?(students: readonly Listed[]): string | undefined;
  hint?: Sentence;
};

/** The loss by a request that a service may read in another way than the table. */
export const mayTakeAnything: Loss = { exam: undefined, why: 'do what the specification does not describe' };

export type Candidate = { id: string; data: JsonObject; isNew: boolean };
export type Observation =
  /**
   * Its target, or what it has created. `alike`: the sessions of its exam with the address that no other step has
   * created; `unlisted`: what the list lacks, although it is there; `isUnplaced`: neither its exam's list nor itself
   * shows that it is in there; `isOther`: it shows another address, and a new session shows the one that was sent.
   */
  | { is: 'shown'; data: JsonObject; alike?: readonly string[]; unlisted?: string | undefined; isUnplaced?: boolean; isOther?: boolean }
  /** `isGone`: so is its exam. */
  | { is: 'not there'; isGone?: boolean }
  /** What a create without a proven ID may have made. `strangers`: new, of unknown origin; `lacking`: the list is not whole. */
  | { is: 'candidates'; found: readonly Candidate[]; strangers: readonly string[]; lacking: CliError | undefined }
  /** `lost`: the others who were in it right before, and are not any more. */
  | { is: 'pool'; wrong: readonly string[]; lost: readonly string[] }
  | { is: 'mails'; waiting: number; all: number };

/** `isLast`: nothing can come any more. */
export type VerdictOptions = { isLast: boolean; zone: string; run: string };

/** A list that shows what became of several steps; `null`: each is read alone. */
export type ListOf = { exam: string | undefined } | null;

/** `known`: the records of its list that runs from here know: none of them is a stranger. */
export type Looking = {
  run: ActiveRun;
  list: Listing | undefined;
  known: ReadonlySet<string>;
  /** What the list showed before and lacks now, although it is there. */
  lacked: string | undefined;
  isLast(execution: Execution): boolean;
  /** New records that other creates of unknown outcome explain, one each. */
  explained: ReadonlyMap<string, Execution>;
  /** The creates of this list that may have made something, by what they ask for. */
  claims: ReadonlyMap<string | undefined, readonly Execution[]>;
};

export type StepRules<S extends Step> = {
  locks(step: S): readonly LockScope[];
  /** Whether it can take anything from a student. */
  mayTake(step: S): boolean;
  losses(engine: Engine, execution: Execution<S>, listed: JsonObject | undefined): Promise<readonly Loss[]>;
  /** Before the question, of a plan that begins with it: what is there already is refused, asked about, or left out. */
  checkPlan?(engine: Engine, plan: Plan, consented: Consented): Promise<Plan>;
  /** Right before it is sent: when the oldest read on which it rests began; or the change, if it is not sent. */
  precheck(run: ActiveRun, execution: Execution<S>): Promise<Moment | Change>;
  /** Whether nothing has to be sent, because its target already shows all of it. */
  isFulfilled?(step: S, shown: JsonObject): boolean;
  /** After a 429, a 403 or any other refusal, only another consent sends it again. */
  refusalIsFinal: boolean;
  onSuccess(run: ActiveRun, execution: Execution<S>, reply: Reply): Change;
  /** A success whose body says no: of all of it, or of a part. */
  onDenial(error: CliError): Change;
  /** Whether it sets or deletes, so that sending it twice changes nothing more: it may be sent without a record. */
  isIdempotent: boolean;
  /** Whether reads can show what became of it. */
  isVerifiable: boolean;
  list(execution: Execution<S>): ListOf;
  observe(looking: Looking, execution: Execution<S>): Promise<Observation>;
  verdict(execution: Execution<S>, observation: Observation, options: VerdictOptions): Change | undefined;
  /** After an unknown outcome, by the same command: planned anew, only once it is proven absent, or never. */
  resend: 'planned anew' | 'once proven absent' | 'never';
  /** After the run: what somebody may have changed in an exam at the same moment. A check throws if it does not fit any more. */
  finalChecks?(run: ActiveRun, written: readonly Execution<S>[]): readonly { exam: string; check(): Promise<void> }[];
  /** Whether an undo is offered. */
  isReversible: boolean;
  /** The steps that take it back, or why it stays; undefined if nothing of it stands. */
  inverse(undoing: Undoing, execution: Execution<S>): Promise<Inverse | undefined> | Inverse | undefined;
};

/** The outcome of a success that no look proves. */
export function acknowledged(_run: ActiveRun, _execution: Execution, { status }: Reply): Change {
  return { is: 'done', facts: { seen: true, owned: true, code: String(status) } };
}

/** The outcome of a success that says no, until a look decides. */
export function untilShown(error: CliError): Change {
  return { is: 'unknown', error, facts: { code: 'denied' } };
}

/** Whether an answer has refused the request: a status from 400 to 499 that leaves nothing open. */
export function isRefused({ code }: Pick<Execution, 'code'>): boolean {
  const status = Number(code);
  return status >= 400 && status < 500 && !isUnclear(status);
}

/** Whether an answer says no: such a request cannot take effect later. */
export function isAnswered(execution: Pick<Execution, 'code'>): boolean {
  return ['denied', 'was there'].includes(execution.code ?? '') || isRefused(execution);
}

export function isFinal(execution: Execution, { isLast }: VerdictOptions): boolean {
  return isLast || (execution.state === 'unknown' && isAnswered(execution));
}

type More = Partial<Pick<Execution, 'owned' | 'shown' | 'storedAs'>> & { note?: Sentence };

/** The outcome of a step that a look has shown to be done. */
export function shownDone(execution: Execution, { note, ...facts }: More, shows: Sentence): Change {
  const wasLost = execution.state === 'unknown' && execution.code !== '2xx';
  const says = isAnswered(execution) ? 'The answer says that nothing was done' : 'The answer was lost';
  const said = wasLost ? sentence`${says}, but ${shows}.` : undefined;
  return { is: 'done', note: note ?? said, facts: { seen: true, ...facts } };
}

export function notApplied(execution: Execution, shows: Sentence): Change {
  const { error, code, step } = execution;
  // That there is nothing to delete is refuted.
  const isSaid = isRefused(execution) && !(code === '404' && isDelete(step));
  return isSaid
    ? { is: 'rejected', error: error ?? contradicted(execution, shows) }
    : { is: 'not_applied', error: contradicted(execution, shows) };
}

function contradicted({ error, state, step, id, exam }: Execution, shows: Sentence): CliError {
  if (state !== 'unknown') {
    const look = operationOf(step).look?.({ id: id ?? '', exam_id: exam ?? '' });
    const what = sentence`The service accepted the request, but shows otherwise: ${shows}`;
    return new CliError('not_applied', what, look ? { hint: sentence`Check it before you retry: proctor-cli ${look}` } : {});
  }
  const what = sentence`${withoutVerdict(error)} Read afterwards: ${shows}`;
  return new CliError('not_applied', what, { status: error?.status });
}

export function staysUnknown({ error }: Execution, shows: Sentence, hint?: Sentence): Change {
  // The counts of an earlier look are replaced.
  const cause = error?.cause instanceof CliError ? error.cause : error;
  const more = { cause, status: error?.status, ...(hint === undefined ? {} : { hint }) };
  const unknown = new CliError('outcome_unknown', sentence`${withoutVerdict(cause)} ${shows}.`, more);
  return { is: 'unknown', error: unknown };
}

export function notShownIn(fields: readonly string[], which: string, shown: readonly JsonObject[]): Sentence {
  const instead = fields.includes('email') ? maskAmong(shown) : '';
  return sentence`The service does not show ${fields.join(', ')} of ${which}${instead}, so it is unknown whether that is as it was sent.`;
}

export function nameOfTarget({ step, id = '' }: Execution): string {
  return nameOf(resourceOf(step), id);
}

/** The error of a record that differs from what was sent. `remedy` stands before the command that shows it. */
export function differs(execution: Execution, was: string, different: readonly string[], remedy = ''): CliError {
  const what = sentence`${capitalised(nameOfTarget(execution))} ${was}, but differs from what was sent: ${different.join('; ')}.`;
  const look = lookAt(resourceOf(execution.step), execution.id ?? '');
  return new CliError('partly_done', what, { hint: remedy === '' ? look : sentence`${remedy} ${look}` });
}
