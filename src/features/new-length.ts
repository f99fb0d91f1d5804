/** An exam whose start and end keep their time of day on another date: a clock change between them makes it longer or shorter. */
import { durationInWords } from '../model/duration.ts';
import { instantOf } from '../model/time.ts';
import { type Sentence, sentence } from '../text/sentence.ts';

type Times = { start: unknown; end: unknown };

/** `exam`: in words, such as "exam 3". Times as the service shows or takes them. */
export function tellNewLength({ warn }: { warn(text: Sentence): void }, exam: string, before: Times, after: Times): void {
  const [was, is] = [lengthOf(before), lengthOf(after)];
  if (was === undefined || is === undefined || was === is) return;
  warn(sentence`warning: ${exam} will take ${durationInWords(is)}, not ${durationInWords(was)}, because the clocks change.`);
}

function lengthOf({ start, end }: Times): number | undefined {
  const [from, to] = [instantOf(start), instantOf(end)];
  return from === undefined || to === undefined || to < from ? undefined : to - from;
}
