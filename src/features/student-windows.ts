/** The windows of students against their exam and the clock: those of last year shut students out. */
import type { Context } from '../command.ts';
import { type ExamBounds, type StudentWindow, whyOutside } from '../model/exam-window.ts';
import { firstLines, toldAtMost } from '../model/first-of.ts';
import { type Sentence, sentence } from '../text/sentence.ts';

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
