/**
 * The way of one row, as a state machine: `after(state, record)` is its only definition. The journal
 * asks it before a record is written, the reader when one is read; what it refuses is a bug when
 * writing and damage when reading.
 *
 *   intent create   the row is untouched, or its last create was `unsent` or `rejected`, or a listing
 *                   shows that the student is `absent`. So nothing is POSTed twice without proof.
 *   intent update   the row is untouched (the student was there before), or the student is there
 *                   by a create or a listing; a PATCH may be repeated whatever became of the last one.
 *   intent delete   the row is untouched, or this run created the student and knows that it did;
 *                   a DELETE may be repeated.
 *   an answer       (`unsent`, `rejected`, `ambiguous`) follows an intent that has no outcome yet.
 *   a listing       (`exists`, `absent`, `duplicate`, and `done`, which an answer can say too) may
 *                   correct whatever was thought before, as often as somebody looks.
 *
 * An intent without an outcome is in doubt once its process has ended.
 */
import { IllegalTransition } from '../../journal/format.ts';
import type { Intent, Outcome, OutcomeName, Step } from './records.ts';

export type RowState = {
  key: string;
  /** The last step that was begun, and what became of it. */
  step: Step;
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
export function after(state: RowState | undefined, record: Intent | Outcome): RowState {
  return 'intent' in record ? begun(state, record) : ended(state, record);
}

function begun(state: RowState | undefined, { row, key, intent: step, next }: Intent): RowState {
  if (state && state.key !== key) throw new IllegalTransition(`row ${row} belongs to another student`);
  if (state && !mayBegin[step](state)) throw new IllegalTransition(`row ${row} cannot ${step} after ${state.step} ${state.status}`);
  const known = state?.session === undefined ? {} : { session: state.session };
  const more = step === 'create' ? next === 'update' : (state?.more ?? false);
  return { key, step, status: 'intended', ours: state?.ours ?? false, more, ...known };
}

const mayBegin: Record<Step, (state: RowState) => boolean> = {
  create: ({ step, status }) => status === 'absent' || (step === 'create' && (status === 'unsent' || status === 'rejected')),
  update: ({ step, status }) => (step === 'create' ? isThere(status) : step === 'update' && isOne(status)),
  delete: ({ step, status, ours }) => {
    if (step === 'delete') return isOne(status) && status !== 'done';
    return ours && (step === 'create' ? status === 'done' : isOne(status));
  },
};

const isThere = (status: RowState['status']) => status === 'done' || status === 'exists';
/** Nothing says that the student is gone, or there more than once. */
const isOne = (status: RowState['status']) => status !== 'absent' && status !== 'duplicate';

const listings: ReadonlySet<OutcomeName> = new Set(['done', 'exists', 'absent', 'duplicate']);

function ended(state: RowState | undefined, { row, outcome, session, code, reason }: Outcome): RowState {
  if (!state) throw new IllegalTransition(`row ${row} was never begun, and cannot be ${outcome}`);
  if (state.status !== 'intended' && !listings.has(outcome)) {
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

/** Where a row stands, in the words that a person is told. */
export const standings = ['done', 'half', 'doubt', 'unsent', 'rejected', 'exists', 'absent', 'duplicate', 'deleted'] as const;
/** `half`: created, a PATCH is still to come. `doubt`: a request may have left, and nobody knows what became of it. */
export type Standing = (typeof standings)[number];

export function standing({ step, status, more }: Pick<RowState, 'step' | 'status' | 'more'>): Standing {
  if (status === 'intended' || status === 'ambiguous') return 'doubt';
  if (status !== 'done') return status;
  if (step === 'delete') return 'deleted';
  return more ? 'half' : 'done';
}
