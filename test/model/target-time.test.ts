/** The target of an accommodated student: computed from the exam, in elapsed time, whatever the clocks do. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { targetTime } from '../../src/model/target-time.ts';
import { parseTime, typedTime } from '../../src/model/time.ts';

const minute = 60_000;
const at = (text: string, zone = 'UTC') => parseTime(text, { now: () => 0, zone });

test.each([
  ['a quarter of two hours', '09:00', '11:00', undefined, { share: 25_000, plus: 0 }, '11:30'],
  ['ten minutes', '09:00', '11:00', undefined, { share: 0, plus: 10 * minute }, '11:10'],
  ['both', '09:00', '11:00', undefined, { share: 25_000, plus: 10 * minute }, '11:40'],
  ['a part of a minute counts as one', '09:00', '09:50', undefined, { share: 25_000, plus: 0 }, '10:03'],
  ['seconds of the end are rounded up as well', '09:00', '11:00:30', undefined, { share: 0, plus: 10 * minute }, '11:11'],
  ['a tenth is a tenth, not a binary fraction above it', '09:00', '12:00', undefined, { share: 10_000, plus: 0 }, '12:18'],
  ['an opening of one’s own that is later has the whole length', '09:00', '11:00', '10:00', { share: 25_000, plus: 0 }, '12:30'],
  ['an opening before the exam changes nothing', '09:00', '11:00', '08:30', { share: 25_000, plus: 0 }, '11:30'],
  ['an opening after the exam has the whole length', '09:00', '11:00', '13:00', { share: 50_000, plus: 0 }, '16:00'],
])('%s', async (_, start, end, opens, extra, target) => {
  const day = (clock: string) => at(`2027-02-01T${clock}Z`);
  const window = { starts: await day(start), ends: await day(end), opens: opens === undefined ? undefined : await day(opens) };
  expect(targetTime(window, extra)).toBe(await day(target));
});

test.each([
  ['the clocks are set forward during the exam', 'Europe/Vienna', '2027-03-28T01:00', '2027-03-28T04:00', '2027-03-28T04:30+02:00'],
  [
    'the clocks are set back during the extra time',
    'Europe/Vienna',
    '2027-10-31T00:00+02:00',
    '2027-10-31T02:00+02:00',
    '2027-10-31T02:30+02:00',
  ],
  ['the clocks are set back within it', 'Europe/Vienna', '2027-10-30T22:55+02:00', '2027-10-31T02:55+02:00', '2027-10-31T02:55+01:00'],
  ['a zone with half an hour', 'Asia/Kolkata', '2027-02-01T09:00', '2027-02-01T11:00', '2027-02-01T11:30+05:30'],
  ['a zone whose clocks move by half an hour', 'Australia/Lord_Howe', '2027-04-04T00:30', '2027-04-04T03:00', '2027-04-04T03:45+10:30'],
])('elapsed time counts where %s', async (_, zone, start, end, target) => {
  const [starts, ends] = [await at(start, zone), await at(end, zone)];
  expect(typedTime(Number(targetTime({ starts, ends }, { share: 25_000, plus: 0 })), zone)).toBe(target);
});

const instants = fc.record({
  starts: fc.integer({ min: 0, max: 4e12 }),
  length: fc.integer({ min: 1, max: 140 * minute }),
  opens: fc.option(fc.integer({ min: -1e8, max: 1e8 }), { nil: undefined }),
  share: fc.integer({ min: 0, max: 1_000_000 }),
  plus: fc.integer({ min: 1, max: 30 * minute }),
});

test.each([
  ['no extra time', '09:00', '11:00', { share: 0, plus: 0 }, undefined],
  ['a start that is not shown', undefined, '11:00', { share: 25_000, plus: 0 }, 'the exam does not show its start and end'],
  ['an end that is not shown', '09:00', undefined, { share: 0, plus: minute }, 'the exam does not show its start and end'],
  ['an end before the start', '11:00', '09:00', { share: 0, plus: minute }, 'the exam ends before it starts'],
  ['an end at the start', '09:00', '09:00', { share: 25_000, plus: 0 }, 'the exam ends before it starts'],
  [
    'more than a day',
    '09:00',
    '12:00',
    { share: 800_000, plus: minute },
    '800% and 1 min of this exam would be more than a day of extra time',
  ],
])('there is no target with %s', async (_, start, end, extra, why) => {
  const day = async (clock: string | undefined) => (clock === undefined ? undefined : at(`2027-02-01T${clock}Z`));
  expect(targetTime({ starts: await day(start), ends: await day(end) }, extra)).toBe(why);
});

test('a target is on a full minute, never before the end, and moves with the exam', () => {
  fc.assert(
    fc.property(instants, fc.integer({ min: -10_000, max: 10_000 }), ({ starts, length, opens, share, plus }, minutes) => {
      const window = { starts, ends: starts + length, opens: opens === undefined ? undefined : starts + opens };
      const target = Number(targetTime(window, { share, plus }));
      const exact = BigInt(length) * BigInt(share);
      const base = BigInt(Math.max(window.ends, (window.opens ?? starts) + length) + plus);
      // In whole numbers: base + exact / 100000, rounded up to the minute.
      const scaled = (base * 100_000n + exact + 6_000_000_000n - 1n) / 6_000_000_000n;
      expect(BigInt(target)).toBe(scaled * 60_000n);
      expect(target).toBeGreaterThanOrEqual(window.ends);
      const by = minutes * minute;
      const moved = { starts: starts + by, ends: window.ends + by, opens: window.opens === undefined ? undefined : window.opens + by };
      expect(targetTime(moved, { share, plus })).toBe(target + by);
    }),
  );
});
