/** The progress of an exam through its time, in words; anything its times do not tell is omitted. */
import { type Sentence, sentence } from '../text/sentence.ts';
import { durationInWords } from './duration.ts';

/** Milliseconds since 1970; undefined if the service shows none. */
type ExamTimes = { start: number | undefined; end: number | undefined };

/** "starts in 2 h 5 min", "has been running for 47 min, ends in 1 h 13 min", "ended 3 d 2 h ago". */
export function examClock({ start, end }: ExamTimes, now: number): string {
  if (start === undefined && end === undefined) return 'has no times';
  if (start !== undefined && end !== undefined && end < start) return 'ends before it starts';
  if (end !== undefined && now >= end) return `ended ${durationInWords(now - end)} ago`;
  if (start !== undefined && now < start) return `starts in ${durationInWords(start - now)}`;
  return [
    start === undefined ? 'has no start' : `has been running for ${durationInWords(now - start)}`,
    end === undefined ? 'has no end' : `ends in ${durationInWords(end - now)}`,
  ].join(', ');
}

/** The Date header counts whole seconds and takes time to arrive: a smaller difference is ignored. Milliseconds. */
const agreement = 5000;

/**
 * How far the service's clock is ahead of this machine's, by the Date header of an answer; to the second, and 0 if
 * it is within the duration of the request. Milliseconds.
 */
export function clockOffset(date: string | undefined, { sent, received }: { sent: number; received: number }): number {
  const there = Date.parse(date ?? '');
  if (Number.isNaN(there)) return 0;
  const ahead = there < sent ? there + 1000 - sent : Math.max(0, there - received);
  return Math.abs(ahead) < agreement ? 0 : Math.round(ahead / 1000) * 1000;
}

const minute = 60_000;
const roundedFrom = 10 * minute;

/** By how much the service's clock is ahead of this machine's, in words. */
export function clockDifference(ahead: number): Sentence {
  const span = Math.abs(ahead);
  // A span that is shown in minutes is not one less for a part of a second.
  const by = durationInWords(span < roundedFrom ? span : Math.round(span / minute) * minute);
  return sentence`The service's clock is ${by} ${ahead > 0 ? 'ahead of' : 'behind'} this machine's`;
}
