/**
 * The close time that a student with extra time is to have, computed from the exam and never from the present
 * close time: computed twice it is the same, and when the exam moves, it moves along. Durations are elapsed time.
 */
import { type ExtraTime, wholeWindow } from './extra-time.ts';

const minute = 60_000;

/** Milliseconds since 1970. `opens`: the student's own opening, where there is one. */
export type TargetWindow = { starts: number; ends: number; opens?: number | undefined };

/** The time on top of a window of so many milliseconds. Milliseconds, a part of one counted as one. */
export function extraMilliseconds(window: number, { share, plus }: ExtraTime): number {
  const parts = window * share;
  // Both are whole numbers, and so are quotient and remainder: no share is a binary fraction here.
  const rest = parts % wholeWindow;
  return (parts - rest) / wholeWindow + (rest > 0 ? 1 : 0) + plus;
}

/**
 * The end of the exam, or of the student's own window if it opens later and is as long as the exam, and the extra time
 * on top; rounded up to the minute. Milliseconds since 1970.
 */
export function targetTime({ starts, ends, opens }: TargetWindow, extra: ExtraTime): number {
  const window = ends - starts;
  const base = opens !== undefined && opens > starts ? Math.max(ends, opens + window) : ends;
  return Math.ceil((base + extraMilliseconds(window, extra)) / minute) * minute;
}
