/** A computed move: its resource, the times it replaces, and what else messages say about it. */
import type { Row } from '../../command.ts';
import type { PlannedMove } from './records.ts';
import type { ChangedFields, TimeValue } from './value.ts';

/**
 * One PATCH of an exam or a session. A resource may have several moves, each of other fields; `phase` orders those
 * of one exam: a move waits until all moves of its exam with a lower phase are made, and is not tried otherwise.
 */
export type ChangeMove = {
  kind: PlannedMove['kind'];
  id: string;
  /** The exam it belongs to, if known; its own ID for an exam. */
  exam?: string | undefined;
  email: string | null;
  fields: ChangedFields;
  phase?: number;
  /** The student is taking the exam. */
  started?: boolean;
  /**
   * The exam whose end sets the new close_time, if the session has no close_time of its own; `ends` as
   * the service shows it.
   */
  follows?: { id: string; ends: TimeValue };
  /** Further cells of its row, for a shape of the caller's own. */
  more?: Row;
};

/** A move in a journal. */
export type ChangeTask = ChangeMove & { number: number };

/** The fields in order, each with its old and its new value. */
export function changedFields({ fields }: Pick<ChangeMove, 'fields'>): { field: string; from: TimeValue; to: TimeValue }[] {
  return Object.entries(fields).map(([field, { old, new: next }]) => ({ field, from: old, to: next }));
}

/** The new close_time of a session; undefined if the move changes something else. */
export function newClosing({ kind, fields }: ChangeMove): TimeValue | undefined {
  return kind === 'session' ? fields.close_time?.new : undefined;
}
