/** Extra time as offices write it: one reading is taken, two are refused with both. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { extraTimeInWords, parseExtraTime } from '../../src/model/extra-time.ts';
import { InvalidValue } from '../../src/model/invalid-value.ts';

const minute = 60_000;

test.each([
  ['25%', 25_000, 0],
  ['25 %', 25_000, 0],
  ['25\u00a0%', 25_000, 0],
  ['25\u202f%', 25_000, 0],
  ['25％', 25_000, 0],
  ['+25%', 25_000, 0],
  ['12,5 %', 12_500, 0],
  ['33.333%', 33_333, 0],
  ['100%', 100_000, 0],
  ['25 Prozent', 25_000, 0],
  ['25 pour cent', 25_000, 0],
  ['1.25×', 25_000, 0],
  ['1,25x', 25_000, 0],
  ['×1.5', 50_000, 0],
  ['2×', 100_000, 0],
  ['15m', 0, 15 * minute],
  ['15 min', 0, 15 * minute],
  ['15 min.', 0, 15 * minute],
  ['15 Minuten', 0, 15 * minute],
  ['1h30m', 0, 90 * minute],
  ['1 h 30 min', 0, 90 * minute],
  ['1h30', 0, 90 * minute],
  ['90 s', 0, 90_000],
  ['25% + 10 min', 25_000, 10 * minute],
  ['10m+1,25×', 25_000, 10 * minute],
  ['+25%+1h30', 25_000, 90 * minute],
])('%j is one extra time', (text, share, plus) => {
  expect(parseExtraTime(text)).toEqual({ share, plus });
});

test.each([
  ['125', ['2.25×', '1.25×', '125m']],
  ['25', ['25%', '25m']],
  ['1.25', ['1.25×', '1.25%']],
  ['0,25', ['25%', '0,25%']],
  ['0.25', ['25%', '0.25%']],
  ['125%', ['2.25×', '1.25×']],
])('%j has several readings, and each of them is named', (text, readings) => {
  expect(() => parseExtraTime(text)).toThrow(InvalidValue);
  for (const reading of readings) expect(() => parseExtraTime(text)).toThrow(reading);
});

test.each([
  '-25%',
  '−25%',
  '-15m',
  '0%',
  '1×',
  '0.25×',
  '0m',
  '25h',
  '12×',
  '',
  'a quarter',
  '25%%',
  '0x19',
  '1e3%',
  '25 % 10m',
  '0:15',
  '25% + 25%',
  '5m + 10m',
  '25% + 10',
  '25% + 0m',
  '25% +',
  '25% + 5m + 5m',
  '25% + -5m',
])('%j is refused', (text) => {
  expect(() => parseExtraTime(text)).toThrow(InvalidValue);
});

test('no text is read as less than nothing or as more than a day or ten windows', () => {
  const part = fc.constantFrom('1', '25', '125', '0', '.', ',', '%', '×', 'x', ' ', 'm', 'min', 'h', '-', '+', 's', '\u00a0');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
      try {
        const { share, plus } = parseExtraTime(parts.join(''));
        expect(share + plus).toBeGreaterThan(0);
        expect(share).toBeLessThanOrEqual(1_000_000);
        expect(plus).toBeLessThanOrEqual(24 * 60 * minute);
        expect(Number.isInteger(share) && Number.isInteger(plus)).toBe(true);
      } catch (error) {
        expect(error).toBeInstanceOf(InvalidValue);
      }
    }),
  );
});

test.each([
  [{ share: 25_000, plus: 0 }, '25%'],
  [{ share: 33_333, plus: 90 * minute }, '33.333% and 1 h 30 min'],
  [{ share: 0, plus: 90_000 }, '1 min 30 s'],
])('%j in words: %s', (extra, words) => {
  expect(extraTimeInWords(extra)).toBe(words);
});
