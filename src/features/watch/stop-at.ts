/** The end of a watch: at a time, or once every student is done. */
import { outcomeOf, standingOf } from '../../model/outcome.ts';
import type { Poll } from './poll.ts';

/** A time in milliseconds since 1970; undefined for a watch without an end. */
export type StopAt = 'all-finished' | { time: number } | undefined;

/**
 * Whether every student has finished, or can neither start nor continue. An exam without students has not finished
 * before its end: they may still be on their way into it.
 */
export function allFinished({ at, exam, students }: Poll): boolean {
  if (students.length === 0) return standingOf(exam.shown, at) === 'over';
  return students.every((student) => ['finished', 'no_show', 'stuck'].includes(outcomeOf(student, exam.shown, at)));
}
