/** The windows of students against their exam and the clock: those of last year shut students out. */
import type { Context } from '../command.ts';
import { firstLines, toldAtMost } from '../model/first-of.ts';
import { showTime } from '../model/time.ts';
import { type Sentence, sentence } from '../text/sentence.ts';

/** Milliseconds since 1970; undefined where the student or the exam shows none. */
type StudentWindow = {
  opens: number | undefined;
  closes: number | undefined;
  /** It closes with extra time, which ends after the exam. */
  granted?: boolean;
};
export type ExamBounds = { starts: number | undefined; ends: number | undefined };

/** Warns of each window that is over, or not inside its exam; of many, the first. `who`: whose it is, in words. */
export function warnOfWindows(context: Context, windows: Iterable<StudentWindow & { who: Sentence; exam: ExamBounds }>): void {
  const clock = { now: context.host.now(), zone: context.zone() };
  const warnings: Sentence[] = [];
  let number = 0;
  for (const window of windows) {
    const why = whyOutside(window, window.exam, clock);
    if (why === undefined) continue;
    number += 1;
    if (number <= toldAtMost) warnings.push(sentence`warning: ${window.who}: ${why}.`);
  }
  for (const text of firstLines(warnings, (warning) => warning, 'more windows like these', number)) context.warn(text);
}

/** The worst problem of a window; undefined for one that is inside its exam and not over. `zone`: for the times of the message. */
function whyOutside(
  { opens, closes, granted = false }: StudentWindow,
  { starts, ends }: ExamBounds,
  { now, zone }: { now: number; zone: string },
): Sentence | undefined {
  const at = (instant: number) => showTime(instant / 1000, zone);
  if (closes !== undefined && closes < now) return sentence`the window closes ${at(closes)}, which is in the past`;
  if (closes !== undefined && starts !== undefined && closes <= starts)
    return sentence`the window closes ${at(closes)}, before the exam starts (${at(starts)})`;
  if (opens !== undefined && ends !== undefined && opens >= ends)
    return sentence`the window opens ${at(opens)}, after the exam ends (${at(ends)})`;
  if (opens !== undefined && starts !== undefined && opens < starts)
    return sentence`the window opens ${at(opens)}, before the exam starts (${at(starts)})`;
  if (!granted && closes !== undefined && ends !== undefined && closes > ends)
    return sentence`the window closes ${at(closes)}, after the exam ends (${at(ends)})`;
  return undefined;
}
