/** The windows of a roster's rows against their exam and the clock: those of last year shut students out. */
import type { Context } from '../../command.ts';
import { whyOutside } from '../../model/exam-window.ts';
import { firstLines, toldAtMost } from '../../model/first-of.ts';
import type { JsonObject } from '../../model/json.ts';
import { instantOf } from '../../model/time.ts';
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
    const { line, email, granted } = window.entry;
    const why = whyOutside({ ...window, granted: Boolean(granted) }, bounds, { now: context.host.now(), zone: context.zone() });
    if (why === undefined) continue;
    number += 1;
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
