/** A length of time is one number for each of its units; a number without a unit has several readings. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { durationInWords, parseAge, parseDuration } from '../../src/model/duration.ts';

const [minute, hour] = [60_000, 3_600_000];

test.each([
  ['1500ms', 1500],
  ['30s', 30_000],
  ['1h30m', 1.5 * hour],
  ['1h30', 1.5 * hour],
  ['2h5s', 2 * hour + 5000],
  ['1m1ms', minute + 1],
  ['90m', 1.5 * hour],
  ['0s', 0],
  ['2H', 2 * hour],
  ['15 min', 15 * minute],
  ['1 h 15 min.', 1.25 * hour],
  ['1,5 Stunden', 1.5 * hour],
  ['1.25 h', 1.25 * hour],
  ['2,00 Std', 2 * hour],
  ['1 Std. 30 Minuten', 1.5 * hour],
])('%s is %d milliseconds', (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds);
});

test.each([
  ...['', '30', 's', '-2m', '+2m', '30m1h', '1h1h', '1 30m', '15 monthsm', '1d', '1e3s', '٣s', '2:00', '1.30 h', '0,15 Std'].map((text) => [
    text,
    'is not a duration',
  ]),
  ['30', 'its unit is missing'],
  ['99999999999999999h', 'too long'],
])('"%s" is refused: %s', (text = '', why) => {
  expect(() => parseDuration(text)).toThrow(expect.objectContaining({ name: 'InvalidValue', message: expect.stringContaining(why ?? '') }));
  expect(() => parseDuration(text)).toThrow(expect.objectContaining({ hint: expect.stringContaining('30s') }));
});

test('a duration is the sum of its parts', () => {
  const part = fc.nat({ max: 100_000 });
  fc.assert(
    fc.property(part, part, part, part, (h, m, s, ms) => {
      expect(parseDuration(`${h}h${m}m${s}s${ms}ms`)).toBe(h * hour + m * minute + s * 1000 + ms);
    }),
  );
});

test('an age may be in days and weeks', () => {
  expect(['180d', '26w', '1h'].map(parseAge)).toEqual([180 * 24 * hour, 26 * 7 * 24 * hour, hour]);
});

test.each([
  [-5, '0 s'],
  [59_999, '59 s'],
  [minute, '1 min'],
  [10 * minute - 1, '9 min 59 s'],
  [10 * minute + 30_000, '10 min'],
  [hour, '1 h'],
  [48 * hour - 1, '47 h 59 min'],
  [48 * hour, '2 d'],
])('%d ms are %s', (span, words) => {
  expect(durationInWords(span)).toBe(words);
});
