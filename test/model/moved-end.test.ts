/** An exam that is moved keeps what the clocks on the wall showed, whatever the clocks do in between. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { movedEnd, parseTime } from '../../src/model/time.ts';

const zone = 'Europe/Vienna';
const at = (text: string, zone = 'Europe/Vienna') => parseTime(text, { now: () => 0, zone });

async function moved(start: string, end: string, to: string, where = zone) {
  const times = { start: await at(start, where), end: await at(end, where) };
  return movedEnd(times, await at(to, where), where);
}

describe('The end of an exam that is moved', () => {
  test.each([
    ['within a day, to a day of summer time', '2027-03-01T09:00', '2027-03-01T11:00', '2027-06-01T09:00', '2027-06-01T11:00'],
    ['over a weekend on which the clocks are set forward', '2027-03-19T09:00', '2027-03-22T09:00', '2027-03-26T09:00', '2027-03-29T09:00'],
    ['over a weekend on which they are set back', '2027-10-22T09:00', '2027-10-25T09:00', '2027-10-29T09:00', '2027-11-01T09:00'],
    ['away from such a weekend', '2027-03-26T09:00', '2027-03-29T09:00', '2027-04-02T09:00', '2027-04-05T09:00'],
    ['to another time of the day', '2027-03-01T09:00', '2027-03-01T11:30', '2027-06-01T14:15', '2027-06-01T16:45'],
  ])('%s', async (_, start, end, to, expected) => {
    expect(await moved(start, end, to)).toBe(await at(expected));
  });

  test('is refused where the clocks skip it', async () => {
    await expect(moved('2027-03-20T23:00', '2027-03-21T02:30', '2027-03-27T23:00')).rejects.toThrow(
      /"2027-03-28T02:30" does not exist in Europe\/Vienna/,
    );
  });

  test('is refused where the clocks show it twice', async () => {
    await expect(moved('2027-10-23T23:00', '2027-10-24T02:30', '2027-10-30T23:00')).rejects.toThrow(/"2027-10-31T02:30" happens twice/);
  });

  test('is as long after the start as it was, where the clocks are never changed', async () => {
    const instant = fc.integer({ min: 0, max: 2e12 });
    await fc.assert(
      fc.asyncProperty(
        instant,
        fc.integer({ min: 1, max: 1e10 }),
        instant,
        fc.constantFrom('UTC', 'Asia/Kolkata'),
        async (old, length, start, where) => {
          // Kolkata's clocks have stood still since 1945.
          expect(await movedEnd({ start: old, end: old + length }, start, where)).toBe(start + length);
        },
      ),
    );
  });

  test('shows the same distance on the clocks of the wall, or is refused, anywhere and at any time', async () => {
    const instant = fc.integer({ min: 0, max: Date.UTC(2037, 0) / 60_000 }).map((minutes) => minutes * 60_000);
    const zones = fc.constantFrom('Europe/Vienna', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Casablanca', 'Pacific/Apia');
    await fc.assert(
      fc.asyncProperty(instant, fc.integer({ min: 1, max: 10 * 24 * 60 }), instant, zones, async (old, minutes, start, where) => {
        const end = old + minutes * 60_000;
        let found: number;
        try {
          found = await movedEnd({ start: old, end }, start, where);
        } catch (error) {
          expect((error as Error).message).toMatch(/does not exist|happens twice/);
          return;
        }
        expect(wall(found, where) - wall(start, where)).toBe(wall(end, where) - wall(old, where));
      }),
    );
  });
});

/** The local time of a zone, as if it were UTC: computed in another way than in the model. */
function wall(instant: number, zone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
    hourCycle: 'h23',
  }).formatToParts(instant);
  const { year, month, day, hour, minute, second } = Object.fromEntries(parts.map(({ type, value }) => [type, Number(value)]));
  return Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second) + (instant % 1000);
}
