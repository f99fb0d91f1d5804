/**
 * The states of one row, as a state machine: `after(state, record)` is its only definition. The journal
 * asks it before a record is written, the reader when one is read; what it refuses is a bug when
 * writing and damage when reading.
 *
 *   intent create   the row is untouched, or its last create was `not_sent` or `rejected`, or a listing
 *                   showed it `absent` or `missing`. So nothing is POSTed twice without proof.
 *   intent update   the row is untouched (the student was there before), or the student is there
 *                   by a create or a listing; a PATCH may be repeated whatever the outcome of the last one.
 *   intent delete   the row is untouched, or this run created the student and knows that it did, whatever a later
 *                   listing showed; a DELETE may be repeated.
 *   an answer       (`not_sent`, `rejected`, `unknown`) follows an intent that has no outcome yet.
 *   a listing       (`unchanged`, `different`, `duplicate`, `absent`, `missing`, and `done`, which an
 *                   answer can say too) may correct an earlier outcome, as often as one is read; `not_sent` only
 *                   that of a create that the service refused for too many requests and may have obeyed.
 *
 * The outcome of an intent without one is unknown once its process has ended.
 */

import type { RowStateName } from '../../../model/row-states.ts';
import { IllegalTransition } from '../../../state/journal/journal-format.ts';
import { type JournalStep, type OutcomeName, type RowIntent, type RowOutcome, settledLater } from './records.ts';

export type RowState = {
  key: string;
  /** The last step that was begun, and its outcome. */
  step: JournalStep;
  status: 'intended' | OutcomeName;
  /** This run created the student. */
  ours: boolean;
  /** A PATCH has to follow before the row is done. */
  more: boolean;
  session?: string;
  code?: string;
  reason?: string;
};

/** The state of a row after one more record. Throws `IllegalTransition`. */
export function after(state: RowState | undefined, record: RowIntent | RowOutcome): RowState {
  return 'intent' in record ? begun(state, record) : ended(state, record);
}

function begun(state: RowState | undefined, { row, key, intent: step, next }: RowIntent): RowState {
  if (state && state.key !== key) throw new IllegalTransition(`row ${row} belongs to another student`);
  if (state && !mayBegin[step](state)) throw new IllegalTransition(`row ${row} cannot ${step} after ${state.step} ${state.status}`);
  // Whatever is created now is another session than the one before.
  if (step === 'create') return { key, step, status: 'intended', ours: false, more: next === 'update' };
  const known = state?.session === undefined ? {} : { session: state.session };
  return { key, step, status: 'intended', ours: state?.ours ?? false, more: state?.more ?? false, ...known };
}

const mayBegin: Record<JournalStep, (state: RowState) => boolean> = {
  create: ({ step, status }) => isGone(status) || (step === 'create' && (status === 'not_sent' || status === 'rejected')),
  update: ({ step, status }) => (step === 'create' ? isThere(status) : step === 'update' && isOne(status)),
  delete: ({ step, status, ours }) => {
    if (step === 'delete') return status !== 'absent' && status !== 'done';
    return ours;
  },
};

const isThere = (status: RowState['status']) => status === 'done' || status === 'unchanged' || status === 'different';
const isGone = (status: RowState['status']) => status === 'absent' || status === 'missing';
/** Nothing says that the student is gone, or there more than once. */
const isOne = (status: RowState['status']) => !isGone(status) && status !== 'duplicate';

const looks: ReadonlySet<OutcomeName> = new Set(['done', 'unchanged', 'different', 'duplicate', 'absent', 'missing']);

function ended(state: RowState | undefined, { row, outcome, session, code, reason }: RowOutcome): RowState {
  if (!state) throw new IllegalTransition(`row ${row} was never started and cannot be ${outcome}`);
  const refused = outcome === 'not_sent' && state.status === 'unknown' && state.code === settledLater.limited;
  if (state.status !== 'intended' && !looks.has(outcome) && !refused) {
    throw new IllegalTransition(`row ${row} cannot be ${outcome} after ${state.step} ${state.status}`);
  }
  const gone = outcome === 'absent' || (outcome === 'done' && state.step === 'delete');
  const id = session ?? state.session;
  return {
    key: state.key,
    step: state.step,
    status: outcome,
    ours: !gone && (state.ours || (outcome === 'done' && state.step === 'create')),
    more: state.more && !(outcome === 'done' && state.step === 'update'),
    ...(gone || id === undefined ? {} : { session: id }),
    ...(code === undefined ? {} : { code }),
    ...(reason === undefined ? {} : { reason }),
  };
}

/** Earlier versions took a student whose address the listing masks for absent: without a code or a reason that proves nothing. */
export function mayBePresent({ step, status, code, reason }: Pick<RowState, 'step' | 'status' | 'code' | 'reason'>): boolean {
  if (step !== 'create') return false;
  return status === 'intended' || status === 'unknown' || (status === 'absent' && code === undefined && reason === undefined);
}

/** The state of a row, in the words of `model/row-states.ts`. */
export function stateOf({ step, status, more, ours }: Pick<RowState, 'step' | 'status' | 'more' | 'ours'>): RowStateName {
  switch (status) {
    case 'intended':
    case 'unknown':
      return 'unknown';
    case 'done':
      if (step === 'delete') return 'deleted';
      return more ? 'partial' : step === 'create' || ours ? 'created' : 'updated';
    case 'rejected':
    case 'not_sent':
      // The student of a PATCH or a DELETE that did nothing is as before.
      if (step === 'update' && ours) return 'partial';
      return step === 'delete' && ours ? 'created' : status;
    default:
      return status;
  }
}

/** What the run did with a row whose student is in the exam, regardless of the last listing. */
export function claimOf(state: RowState): RowStateName {
  const { status, step, ours } = state;
  if (status !== 'different' && status !== 'duplicate' && status !== 'missing') return stateOf(state);
  return ours ? 'created' : step === 'update' ? 'updated' : 'unchanged';
}
