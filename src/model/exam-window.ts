/** The window of a student, from `open_time` to `close_time`, against the exam and the clock: one of last year shuts the student out. */
import { type Sentence, sentence } from '../text/sentence.ts';
import { showTime } from './time.ts';

/** Milliseconds since 1970; undefined where the student or the exam shows none. */
export type StudentWindow = {
  opens: number | undefined;
  closes: number | undefined;
};
export type ExamBounds = { starts: number | undefined; ends: number | undefined };

/** The worst problem of a window; undefined for one that is inside its exam and not over. `zone`: for the times of the message. */
export function whyOutside(
  { opens, closes }: StudentWindow,
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
  if (closes !== undefined && ends !== undefined && closes > ends)
    return sentence`the window closes ${at(closes)}, after the exam ends (${at(ends)})`;
  return undefined;
}
