/** The windows of a roster's rows against their exam and the clock: those of last year shut students out. */
import type { Context } from '../../command.ts';
import { firstLines, toldAtMost } from '../../model/first-of.ts';
import type { JsonObject } from '../../model/json.ts';
import { instantOf, showTime } from '../../model/time.ts';
import type { Entries, Entry } from '../../roster/map/entries.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { inShard, type Shard } from './shard.ts';

type Windows = { entries: Entries; shard: Shard | undefined; extra: JsonObject };

type RowWindow = { entry: Entry; opens: number | undefined; closes: number | undefined };

/** Warns of each window that is over, or not inside its exam; of many, the first. `exam`: undefined if it could not be read. */
export function warnOfWindows(context: Context, windows: Windows, exam: JsonObject | undefined): void {
  const bounds = { starts: instantOf(exam?.start_time), ends: instantOf(exam?.end_time) };
  const warnings: Sentence[] = [];
  let number = 0;
  for (const window of windowsOf(windows)) {
    const why = whyOutside(window, bounds, context);
    if (why === undefined) continue;
    number += 1;
    const { line, email } = window.entry;
    if (number <= toldAtMost) warnings.push(sentence`warning: line ${line}, ${email ?? 'no address'}: ${why}.`);
  }
  for (const text of firstLines(warnings, (warning) => warning, 'more windows like these', number)) context.warn(text);
}

function* windowsOf({ entries, shard, extra }: Windows): Generator<RowWindow, undefined> {
  const [allOpen, allClose] = [instantOf(extra.open_time), instantOf(extra.close_time)];
  for (const entry of entries) {
    const [opens, closes] = [entry.open_time ?? allOpen, entry.close_time ?? allClose];
    if ((opens !== undefined || closes !== undefined) && inShard(entry, shard)) yield { entry, opens, closes };
  }
}

type Bounds = { starts: number | undefined; ends: number | undefined };

/** The problems of a window, the worst first; undefined for one that is inside its exam and not over. */
function whyOutside({ entry, opens, closes }: RowWindow, { starts, ends }: Bounds, context: Context): Sentence | undefined {
  const at = (instant: number) => showTime(instant / 1000, context.zone());
  if (closes !== undefined && closes < context.host.now()) return sentence`the window closes ${at(closes)}, which is in the past`;
  if (closes !== undefined && starts !== undefined && closes <= starts)
    return sentence`the window closes ${at(closes)}, before the exam starts (${at(starts)})`;
  if (opens !== undefined && ends !== undefined && opens >= ends)
    return sentence`the window opens ${at(opens)}, after the exam ends (${at(ends)})`;
  if (opens !== undefined && starts !== undefined && opens < starts)
    return sentence`the window opens ${at(opens)}, before the exam starts (${at(starts)})`;
  // Extra time is to end after the exam.
  if (!entry.granted && closes !== undefined && ends !== undefined && closes > ends)
    return sentence`the window closes ${at(closes)}, after the exam ends (${at(ends)})`;
  return undefined;
}
