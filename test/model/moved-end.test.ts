/** An exam that is moved keeps what the clocks on the wall showed, whatever the clocks do in between. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { movedEnd, parseTime } from '../../src/model/time.ts';

const zone = 'Europe/Vienna';
const at = (text: string, zone = 'Europe/Vienna') => parseTime(text, { now: () => 0, zone });

function moved(start: string, end: string, to: string, where = zone) {
  const times = { start: at(start, where), end: at(end, where) };
  return movedEnd(times, at(to, where), where);
}

describe('The end of an exam that is moved', () => {
  test.each([
    ['within a day, to a day of summer time', '2027-03-01T09:00', '2027-03-01T11:00', '2027-06-01T09:00', '2027-06-01T11:00'],
    ['over a weekend on which the clocks are set forward', '2027-03-19T09:00', '2027-03-22T09:00', '2027-03-26T09:00', '2027-03-29T09:00'],
    ['over a weekend on which they are set back', '2027-10-22T09:00', '2027-10-25T09:00', '2027-10-29T09:00', '2027-11-01T09:00'],
    ['away from such a weekend', '2027-03-26T09:00', '2027-03-29T09:00', '2027-04-02T09:00', '2027-04-05T09:00'],
    ['to another time of the day', '2027-03-01T09:00', '2027-03-01T11:30', '2027-06-01T14:15', '2027-06-01T16:45'],
  ])('%s', (_, start, end, to, expected) => {
    expect(moved(start, end, to)).toBe(at(expected));
  });

  test('is refused where the clocks skip it', () => {
    expect(() => moved('2027-03-20T23:00', '2027-03-21T02:30', '2027-03-27T23:00')).toThrow(
      /"2027-03-28T02:30" does not exist in Europe\/Vienna/,
    );
  });

  test('is refused where the clocks show it twice', () => {
    expect(() => moved('2027-10-23T23:00', '2027-10-24T02:30', '2027-10-30T23:00')).toThrow(/"2027-10-31T02:30" happens twice/);
  });

  test('is as long after the start as it was, where the clocks are never changed', () => {
    const instant = fc.integer({ min: 0, max: 2e12 });
    fc.assert(
      fc.property(
        instant,
        fc.integer({ min: 1, max: 1e10 }),
        instant,
        fc.constantFrom('UTC', 'Asia/Kolkata'),
        (old, length, start, where) => {
          // Kolkata's clocks have stood still since 1945.
          expect(movedEnd({ start: old, end: old + length }, start, where)).toBe(start + length);
        },
      ),
    );
  });
});
