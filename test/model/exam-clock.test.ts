/** The progress of an exam through its time, without guessing. */
import { expect, test } from 'vitest';
import { clockDifference, clockOffset, examClock } from '../../src/model/exam-clock.ts';

const [minute, hour] = [60_000, 3_600_000];
const now = Date.parse('2026-11-21T09:00:00Z');

test.each<[string, number | undefined, number | undefined]>([
  ['starts in 2 h 5 min', now + 125 * minute, now + 4 * hour],
  ['starts in 30 s', now + 30_000, undefined],
  ['has been running for 0 s, ends in 2 h', now, now + 2 * hour],
  ['has been running for 47 min, ends in 1 h 13 min', now - 47 * minute, now + 73 * minute],
  ['has been running for 5 min 1 s, has no end', now - 301_000, undefined],
  ['has no start, ends in 3 d 1 h', undefined, now + 73 * hour],
  ['ended 0 s ago', now - hour, now],
  ['ended 23 h ago', undefined, now - 23 * hour],
  ['has no times', undefined, undefined],
  ['ends before it starts', now + hour, now - hour],
])('it %s', (words, start, end) => {
  expect(examClock({ start, end }, now)).toBe(words);
});

test('a difference that is measured a second short is not told as a minute less', () => {
  const sent = Date.parse('2026-11-22T09:00:00.200Z');
  const date = new Date(sent - 25 * minute).toUTCString();
  expect(clockDifference(clockOffset(date, { sent, received: sent + 40 }))).toContain('is 25 min behind');
});
