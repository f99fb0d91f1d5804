/**
 * A plan as data: steps, each one request, computed from what was given and from what the service shows; and what is known of each
 * step while a run carries it out.
 */
import { type Operation, operations } from '../api/operations.ts';
import type { Request } from '../api/request.ts';
import type { CliError } from '../errors.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { Phase } from '../model/status.ts';
import type { RunRecord, StepRow } from '../record/index.ts';
import type { Sentence } from '../text/sentence.ts';
import type { Reading } from './reading.ts';

export type Step = {
  operation: Operation;
  params: Readonly<Record<string, string>>;
  body?: JsonObject | undefined;
  /** A request of `api METHOD PATH`, sent as it was typed. */
  raw?: Request | undefined;
  /** Earlier steps that have been seen to be done before this one is sent. */
  after?: readonly number[] | undefined;
  /** Its param is the ID of what an earlier step creates, which it waits for like for those of `after`. */
  made?: { param: string; by: number } | undefined;
  /** Sent once all other steps of the plan are done; skipped if one of them is not. */
  last?: true | undefined;
  /** Of a deletion: what undo sends in its place. Their `after` and `made` count among them. */
  restore?: readonly Step[] | undefined;
  /** Of a deletion: other sessions of its student, one of which has to be there afterwards. */
  beside?: readonly string[] | undefined;
  /** The exam that it is about or belongs to; the address of its student, or the number by which students are told apart. */
  exam?: string | undefined;
  email?: string | undefined;
  number?: string | undefined;
  /** The line of the file. */
  line?: number | undefined;
  /** Values of the target from which it was computed: it is sent only while they are shown. */
  expects?: JsonObject | undefined;
  /** The same of its exam. */
  expectsExam?: JsonObject | undefined;
  /** It is not sent to a session in one of these phases. */
  unless?: readonly Phase[] | undefined;
  /** What undo sets back, beside `expects`. */
  before?: JsonObject | undefined;
  /** What it is about in the words of a question: where it differs in a second computation, the plan has changed. */
  about?: string | undefined;
  /** It was so already when it was planned: nothing is sent. */
  isSo?: true | undefined;
  /** Sent even if all its values are shown already: PUT, mails. */
  always?: true | undefined;
};

export type Plan = {
  steps: readonly Step[];
  /** The readings of exams from which it was computed. */
  readings?: ReadonlyMap<string, Reading> | undefined;
  /** The rolls by which the plan itself has looked who and what is there already. */
  looked?: readonly { wasThere: readonly string[] }[] | undefined;
  /** What is left out of it and why. */
  leftOut?: readonly Sentence[];
  /** Why none of it may be sent; a dry run shows it beside the plan. */
  refused?: CliError | undefined;
};

/** A step and what is known of it. Only `settle` (`running.ts`) changes its state, and saves it. */
export type Item = {
  readonly index: number;
  /** Another one once what it needs has an ID. */
  step: Step;
  state: StepState;
  reason?: Reason | undefined;
  /** A look has shown that it is so. */
  seen: boolean;
  /** What it has created, or is about. */
  id?: string | undefined;
  /** This run created it, or set what it shows. */
  ours: boolean;
  /** When its state changed last. Milliseconds since 1970. */
  at: number;
  /** The same by the clock that nobody sets, where this process knows it. */
  since?: number;
  /** A request of this process brought it there. */
  sentNow: boolean;
  /** What its request was answered with: a status, `denied` for a success that says no, an error code. */
  code?: string | undefined;
  error?: CliError | undefined;
  /** How the outcome is known, if the answer alone does not show it. */
  evidence?: Sentence | undefined;
  shown?: JsonObject | undefined;
  /** The address that the service has stored when it became ours, where it is another one than was sent. */
  stored?: string | undefined;
  /** What the service answered to a request of `api`. */
  answer?: Json | undefined;
};

export type Resource = 'exam' | 'session';
/** What a step is about, for those who look: each is looked at in its own way. */
export type Kind = 'student' | 'new exam' | 'mails' | 'pool' | 'update' | 'deletion' | 'other';

/** Stands for the operation of a request of `api` that is not in the table: nothing can be read of what it did. */
export const unknownOperation: Operation = {
  ...{ id: 'raw', method: 'POST', path: '/', does: 'send the request', resource: 'user', answer: 'open', repeat: 'never' },
};

export function kindOf({ operation }: Pick<Step, 'operation'>): Kind {
  const { id, method, resource, writes } = operation;
  if (id === operations.sendEmails.id) return 'mails';
  if (writes?.writing === 'create') return writes.resource === 'exam' ? 'new exam' : 'student';
  if (resource === 'proctor') return 'pool';
  if (!operation.path.endsWith('/:id')) return 'other';
  return method === 'DELETE' ? 'deletion' : 'update';
}

export function creates(step: Pick<Step, 'operation'>): Resource | undefined {
  const kind = kindOf(step);
  if (kind === 'new exam') return 'exam';
  return kind === 'student' ? 'session' : undefined;
}

export function resourceOf({ operation }: Pick<Step, 'operation'>): Resource {
  return operation.resource === 'session' ? 'session' : 'exam';
}

/** As a word in a sentence. */
export function nameOf(resource: Resource): string {
  return resource === 'exam' ? 'exam' : 'student session';
}

/** What a step replaces, as the service showed it. */
export function oldValues(step: Pick<Step, 'expects' | 'before'> | undefined): JsonObject {
  return { ...step?.expects, ...step?.before };
}

/** What a dry run shows of a step. */
export function requestOf({ operation, params, body, raw, made }: Step) {
  if (raw) return raw;
  const isUnknown = made !== undefined && params[made.param] === undefined;
  const maker = operation.path.startsWith('/exams') ? 'exam' : 'session';
  const id = isUnknown ? { [made.param]: 'ID' } : {};
  const note = isUnknown ? { note: `ID: of the ${maker} that request ${made.by + 1} creates` } : {};
  return { operation, params: { ...params, ...id }, ...(body ? { body } : {}), ...note };
}

export function examOfStep({ exam, operation, params }: Pick<Step, 'exam' | 'operation' | 'params'>): string | undefined {
  if (exam !== undefined && exam !== '') return exam;
  return operation.path.startsWith('/exams/') ? (params.exam_id ?? params.id) : undefined;
}

/** An ID as it is kept of what was there when a run was planned: a session and an exam may have the same one. */
export function listedAs(resource: Resource, id: string): string {
  return `${resource} ${id}`;
}

/** The steps that it waits for. */
export function awaited({ after = [], made }: Step): number[] {
  return made === undefined ? [...after] : [...after, made.by];
}

/** A step that needs what an earlier one creates, with its exam and its ID as far as they are known. */
export function targeted(step: Step, items: readonly Item[]): Step {
  const maker = step.made && items[step.made.by];
  if (!step.made || !maker) return step;
  const exam = step.exam ?? (creates(maker.step) === 'exam' ? maker.id : maker.step.exam);
  const param = maker.id === undefined ? {} : { [step.made.param]: maker.id };
  return { ...step, params: { ...step.params, ...param }, exam };
}

/** Steps that wait for it may be sent: it is done, and a look has shown it. */
export function isSeen({ state, seen, step }: Item): boolean {
  return state === 'done' && (seen || kindOf(step) === 'other');
}

/** It may still be sent, or a look may say more of it. */
export function isUnsettled(item: Item): boolean {
  return isOpen(item) || isToLookAt(item);
}

/** A look may still say more of it. */
export function isToLookAt({ state, seen, step }: Item): boolean {
  return kindOf(step) !== 'other' && (state === 'unknown' || (state === 'done' && !seen));
}

/** `planned`: not sent yet · `sending`: about to leave, unknown once its process has ended · `unknown`: sent, and what became of it is unknown. */
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

/** Its run stays open because of it. */
export function isOpen({ state }: { state: StepState }): boolean {
  return state === 'planned' || isUnknown({ state });
}

/** May have been carried out: only a look settles it. */
export function isUnknown({ state }: { state: StepState }): boolean {
  return state === 'sending' || state === 'unknown';
}

/** A request has done it; it was not so before. */
export function isWritten({ state, reason }: { state: StepState; reason?: Reason | undefined }): boolean {
  return state === 'done' && reason !== 'there';
}

export function isTriedAgain({ reason }: { reason?: Reason | undefined }): boolean {
  return reason !== undefined && reasons[reason].again;
}

/** What a row has besides its step, sealed like it. */
type Sealed = Omit<Step, 'operation'> & Pick<Item, 'stored' | 'code'>;

export function rowOf(item: Item, record: RunRecord): StepRow {
  const { step, index, state, reason, seen, id, ours, at, code, stored } = item;
  const { operation, ...rest } = step;
  // Also the exam that it has created.
  const exam = creates(step) === 'exam' ? id : examOfStep(step);
  const sealed: Sealed = { ...rest, code, stored };
  return {
    ...{ n: index + 1, op: operation.id, line: step.line ?? null, exam: exam ?? null },
    target: step.params.id ?? null,
    student: studentOf(step, record),
    ...{ state, reason: reason ?? null, seen, session: id ?? null, ours, at },
    plan: sealed as unknown as JsonObject,
  };
}

/** The key of the student whom a step is about: by address, or else by number. */
export function studentOf({ email, number }: Pick<Step, 'email' | 'number'>, { keys }: RunRecord): string | null {
  if (email !== undefined) return keys.studentKey(email);
  return number === undefined ? null : keys.studentKey(`number ${number}`);
}

export async function itemsOf(record: RunRecord, run: string): Promise<Item[]> {
  const items = (await record.steps(run)).map(itemOf);
  for (const item of items) item.step = targeted(item.step, items);
  return items;
}

export function itemOf({ n, op, state, reason, seen, session, ours, at, plan }: StepRow): Item {
  const known: Readonly<Record<string, Operation>> = operations;
  const { stored, code, ...rest } = plan as unknown as Sealed;
  const step: Step = { operation: known[op] ?? unknownOperation, ...rest };
  // What is left of a step whose process has ended.
  const is = state === 'sending' ? 'unknown' : (state as StepState);
  return {
    ...{ index: n - 1, step, state: is, reason: (reason ?? undefined) as Reason | undefined },
    ...{ seen, ours, at, sentNow: false, id: session ?? undefined, code, stored },
  };
}

export function newItem(step: Step, index: number, now: number): Item {
  const id = creates(step) === undefined ? step.params.id : undefined;
  return { index, step, state: 'planned', seen: false, ours: false, at: now, sentNow: false, id };
}
