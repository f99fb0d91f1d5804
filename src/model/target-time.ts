/**
 * The close time that a student with extra time is to have, computed from the exam and never from the present
 * close time: computed twice it is the same, and when the exam moves, it moves along. Durations are elapsed time.
 */
import { type Sentence, sentence } from '../text/sentence.ts';
import { type ExtraTime, extraTimeInWords, longestExtraTime, wholeWindow } from './extra-time.ts';

const minute = 60_000;

/**
 * When the exam starts and ends, undefined where the service does not show it, and the student's own opening, where there
 * is one. Milliseconds since 1970.
 */
export type TargetWindow = { starts: number | undefined; ends: number | undefined; opens?: number | undefined };

/** The time on top of a window of so many milliseconds. Milliseconds, a part of one counted as one. */
export function extraMilliseconds(window: number, { share, plus }: ExtraTime): number {
  const parts = window * share;
  // Both are whole numbers, and so are quotient and remainder: no share is a binary fraction here.
  const rest = parts % wholeWindow;
  return (parts - rest) / wholeWindow + (rest > 0 ? 1 : 0) + plus;
}

/**
 * The end of the exam, or of the student's own window if it opens later and is as long as the exam, and the extra time
 * on top; rounded up to the minute. Milliseconds since 1970; undefined without extra time; in words, why the exam gives no
 * target.
 */
export function targetTime({ starts, ends, opens }: TargetWindow, extra: ExtraTime): number | Sentence | undefined {
  if (extra.share === 0 && extra.plus === 0) return undefined;
  if (starts === undefined || ends === undefined) return sentence`the exam does not show its start and end`;
  if (ends <= starts) return sentence`the exam ends before it starts`;
  const window = ends - starts;
  const more = extraMilliseconds(window, extra);
  if (more > longestExtraTime) return sentence`${extraTimeInWords(extra)} of this exam would be more than a day of extra time`;
  const base = opens !== undefined && opens > starts ? Math.max(ends, opens + window) : ends;
  return Math.ceil((base + more) / minute) * minute;
}
