/**
 * A time of an exam or a session that is replaced: the values before and after, and what the new ones were computed from. A move is
 * one step of a run; the moves of an exam are made phase by phase, so that no window is narrower in between than before or after.
 */
import { operations } from '../../api/operations.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Phase } from '../../model/status.ts';
import type { Step } from '../../runs-before/index.ts';

/** As the service shows or takes it; null if there is none. */
export type TimeValue = string | number | null;

export function isTimeValue(value: unknown): value is TimeValue {
  return value === null || typeof value === 'string' || typeof value === 'number';
}

export type TimeMove = {
  kind: 'exam' | 'session';
  id: string;
  /** The exam it belongs to, if it is known; its own ID for an exam. */
  exam: string | undefined;
  /** The student's address, if the service shows it. */
  email: string | undefined;
  fields: { readonly [field: string]: { old: TimeValue; new: TimeValue } };
  /** Further values of the same exam or session from which the new ones were computed. */
  expects?: JsonObject;
  /** Times of the session's exam from which they were computed; after a move of the exam in the same run, the new ones. */
  expectsExam?: JsonObject;
  /** Phases of the student in which nothing is changed. */
  unless?: readonly Phase[];
  /** A move waits for all moves of its exam with a lower phase. */
  phase?: number;
  /** The exam whose end is replaced by a close time of the session's own; `ends` as the service shows it. */
  follows?: { id: string; ends: TimeValue };
};

/** The fields in order, each with its value before and after. */
export function changedFields({ fields }: Pick<TimeMove, 'fields'>): { field: string; from: TimeValue; to: TimeValue }[] {
  return Object.entries(fields).map(([field, { old, new: next }]) => ({ field, from: old, to: next }));
}

/** The new close time of a session; undefined where the move changes something else. */
export function newClosing({ kind, fields }: TimeMove): TimeValue | undefined {
  return kind === 'session' ? fields.close_time?.new : undefined;
}

/** The moves as steps, in their order. */
export function stepsOf(moves: readonly TimeMove[]): Step[] {
  const phases = Map.groupBy(moves.keys(), (index) => `${moves[index]?.exam} ${moves[index]?.phase ?? 1}`);
  return moves.map((move): Step => {
    const { kind, id, exam, email, expectsExam, unless, phase = 1 } = move;
    const changed = changedFields(move);
    const after = exam === undefined ? [] : Array.from({ length: phase - 1 }, (_, at) => phases.get(`${exam} ${at + 1}`) ?? []).flat();
    return {
      operation: kind === 'exam' ? operations.patchExam : operations.patchSession,
      params: { id },
      body: Object.fromEntries(changed.map(({ field, to }) => [field, to])),
      expects: { ...move.expects, ...Object.fromEntries(changed.map(({ field, from }) => [field, from])) },
      ...{ exam, email, expectsExam, unless, after },
    };
  });
}
