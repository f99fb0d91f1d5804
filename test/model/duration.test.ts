import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseDuration } from '../../src/model/duration.ts';

describe('a duration', () => {
  test.each([
    ['1500ms', 1500],
    ['30s', 30_000],
    ['2m', 120_000],
    ['1h30m', 5_400_000],
    ['2h5s', 7_205_000],
    ['1m1ms', 60_001],
    ['90m', 5_400_000],
    ['0s', 0],
    ['2H', 7_200_000],
    ['15 min', 900_000],
    ['15min', 900_000],
    ['1 h 15 min', 4_500_000],
    ['2 m', 120_000],
  ])('%s is %d milliseconds', (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });

  test.each(['', '30', 's', '1.5h', '-2m', '+2m', '30m1h', '1h1h', '1 30m', '15 minutes', '2m ', '1d', '1e3s', '٣s'])(
    '"%s" is refused, with an example',
    (text) => {
      expect(() => parseDuration(text)).toThrow(expect.objectContaining({ name: 'InvalidValue', hint: expect.stringContaining('30s') }));
    },
  );

  test('says so when the unit is missing', () => {
    expect(() => parseDuration('30')).toThrow('its unit is missing');
  });

  test('is refused when it is too long to be counted', () => {
    expect(() => parseDuration('99999999999999999h')).toThrow('too long');
  });

  test('is the sum of its parts', () => {
    const part = fc.nat({ max: 100_000 });
    fc.assert(
      fc.property(part, part, part, part, (h, m, s, ms) => {
        expect(parseDuration(`${h}h${m}m${s}s${ms}ms`)).toBe(h * 3_600_000 + m * 60_000 + s * 1000 + ms);
      }),
    );
  });
});
