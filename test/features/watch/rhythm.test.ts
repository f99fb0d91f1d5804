/** The time between two polls: calm, calmer when asked, quick to come back. */
import { expect, test } from 'vitest';
import { CliError } from '../../../src/errors.ts';
import { Rhythm } from '../../../src/features/watch/rhythm.ts';

const limited = (retryAfter?: string) => new CliError('rate_limited', 'too many', retryAfter === undefined ? {} : { retryAfter });
const gone = new CliError('network', 'gone');
const now = Date.parse('2026-11-21T09:00:00Z');

test('while the service asks to slow down, the interval doubles, and comes back by halves', () => {
  const rhythm = new Rhythm(30_000);
  expect(rhythm.went()).toBe(30_000);
  expect([rhythm.failed(limited(), now), rhythm.failed(limited(), now)]).toEqual([60_000, 120_000]);
  expect([rhythm.went(), rhythm.went(), rhythm.went()]).toEqual([60_000, 30_000, 30_000]);
});

test('what the service asks to wait is waited, also where it is longer, as seconds or as a date', () => {
  expect(new Rhythm(30_000).failed(limited('300'), now)).toBe(300_000);
  expect(new Rhythm(30_000).failed(limited('1'), now)).toBe(60_000);
  expect(new Rhythm(30_000).failed(limited('Sat, 21 Nov 2026 09:10:00 GMT'), now)).toBe(600_000);
  expect(new Rhythm(1000).failed(new CliError('unavailable', '503', { retryAfter: '90' }), now)).toBe(90_000);
});

test('no wait is longer than an hour, whatever is asked, unless the interval is', () => {
  expect(new Rhythm(30_000).failed(limited('99999999999'), now)).toBe(3_600_000);
  const slow = new Rhythm(2 * 3_600_000);
  expect([slow.went(), slow.failed(limited(), now)]).toEqual([7_200_000, 7_200_000]);
});

test('a network that is gone is tried again soon, then less often, and never less than at the interval', () => {
  const rhythm = new Rhythm(10_000);
  const waits = Array.from({ length: 5 }, () => rhythm.failed(gone, now));
  expect(waits).toEqual([2000, 4000, 8000, 10_000, 10_000]);
  expect(rhythm.went()).toBe(10_000);
  expect(rhythm.failed(gone, now)).toBe(2000);
});
