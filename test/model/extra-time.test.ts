/** Extra time as offices write it: one reading is taken, two are refused with both. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseExtraTime, targetTime } from '../../src/model/extra-time.ts';
import { InvalidValue } from '../../src/model/invalid-value.ts';
import { parseTime } from '../../src/model/typed-time.ts';

const minute = 60_000;

const alike = (texts: string[], milliPercent: number, milliseconds: number) =>
  texts.map((text): [string, number, number] => [text, milliPercent, milliseconds]);
test.each([
  ...alike(['25%', '25 %', '25\u00a0%', '25\u202f%', '25％', '+25%', '25 Prozent', '25 pour cent', '1.25×', '1,25x'], 25_000, 0),
  ...alike(['12,5 %'], 12_500, 0),
  ...alike(['33.333%'], 33_333, 0),
  ...alike(['×1.5'], 50_000, 0),
  ...alike(['100%', '2×'], 100_000, 0),
  ...alike(['15m', '15 min', '15 min.', '15 Minuten'], 0, 15 * minute),
  ...alike(['1h30m', '1 h 30 min', '1h30'], 0, 90 * minute),
  ...alike(['90 s'], 0, 90_000),
  ...alike(['0%', '1×', '0m'], 0, 0),
  ...alike(['25% + 0m'], 25_000, 0),
  ...alike(['25% + 10 min', '10m+1,25×'], 25_000, 10 * minute),
  ...alike(['+25%+1h30'], 25_000, 90 * minute),
])('%j is one extra time', (text, milliPercent, milliseconds) => {
  expect(parseExtraTime(text)).toEqual({ milliPercent, milliseconds });
});

test.each([
  ['125', ['125%', '125m']],
  ['25', ['25%', '25m']],
  ['1.25', ['1.25×', '1.25%']],
  ['0,25', ['25%', '0.25%']],
  ['0.25', [': it can mean 25% or 0.25%.']],
  ['125%', ['2.25×', '1.25×']],
  ['0,25 %', ['25%', '0.25%']],
  ['0.25 min', ['25%', '0.25m']],
  ['1.500 min', ['1.5×', '1.5m']],
])('%j has several readings, and each of them is named', (text, readings) => {
  expect(() => parseExtraTime(text)).toThrow(InvalidValue);
  for (const reading of readings) expect(() => parseExtraTime(text)).toThrow(reading);
});

test.each([
  ...['-25%', '−25%', '-15m', '0.25×', '25h', '12×', '', 'a quarter', '25%%', '0x19', '1e3%', '25 % 10m', '0:15', '25% + 25%'],
  ...['5m + 10m', '25% + 10', '25% +', '25% + 5m + 5m', '25% + -5m'],
])('%j is refused', (text) => {
  expect(() => parseExtraTime(text)).toThrow(InvalidValue);
});

test('no text is read as less than nothing or as more than a day or ten windows', () => {
  const part = fc.constantFrom('1', '25', '125', '0', '.', ',', '%', '×', 'x', ' ', 'm', 'min', 'h', '-', '+', 's', '\u00a0');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
      try {
        const { milliPercent, milliseconds } = parseExtraTime(parts.join(''));
        expect(Math.min(milliPercent, milliseconds)).toBeGreaterThanOrEqual(0);
        expect(milliPercent).toBeLessThanOrEqual(1_000_000);
        expect(milliseconds).toBeLessThanOrEqual(24 * 60 * minute);
        expect(Number.isInteger(milliPercent) && Number.isInteger(milliseconds)).toBe(true);
      } catch (error) {
        expect(error).toBeInstanceOf(InvalidValue);
      }
    }),
  );
});

test.each([
  ['0.25', '%', '25% or 0.25%'],
  ['0,25', '%', '25% or 0.25%'],
  ['1.25', '%', '1.25× or 1.25%'],
  ['1', '%', '100% or 1%'],
  ['4.5', '%', '4.5× or 4.5%'],
  ['0.25', 'm', '25% or 0.25m'],
  ['1.5', 'm', '1.5× or 1.5m'],
  ['1.5 h', 'm', '1.5m or 1.5h'],
  ['0,25 %', 'm', '0.25m or 0.25%'],
  ['25%', 'm', '25m or 25%'],
  ['15 min', 'h', '15h or 15m'],
  ['1.25×', '%', '1.25% or 1.25×'],
  ['15:00', undefined, '15h 00m, or 15m 00s'],
  ['15:00:00', 'm', '15h 00m, or 15m 00s'],
] as const)('%j in a column of %s is refused with both readings', (text, unit, readings) => {
  expect(() => parseExtraTime(text, unit)).toThrow(`is ambiguous: ${unit && !text.includes(':') ? 'it can mean ' : ''}${readings}`);
});

const at = (text: string) => parseTime(text, { now: () => 0, zone: 'UTC' });

const instants = fc.record({
  starts: fc.integer({ min: 1e9, max: 4e12 }),
  length: fc.integer({ min: 1, max: 140 * minute }),
  opens: fc.option(fc.integer({ min: -1e8, max: 1e8 }), { nil: undefined }),
  milliPercent: fc.integer({ min: 0, max: 1_000_000 }),
  milliseconds: fc.integer({ min: 1, max: 30 * minute }),
});

test.each([
  ['a start that is not shown', undefined, '11:00', { milliPercent: 25_000, milliseconds: 0 }, 'the exam does not show its start and end'],
  ['an end that is not shown', '09:00', undefined, { milliPercent: 0, milliseconds: minute }, 'the exam does not show its start and end'],
  ['an end before the start', '11:00', '09:00', { milliPercent: 0, milliseconds: minute }, 'the exam ends before it starts'],
  ['an end at the start', '09:00', '09:00', { milliPercent: 25_000, milliseconds: 0 }, 'the exam ends before it starts'],
  ['more than a day', '09:00', '12:00', { milliPercent: 800_000, milliseconds: minute }, 'its extra time would be more than a day'],
])('there is no target with %s', async (_, start, end, extra, why) => {
  const day = async (clock: string | undefined) => (clock === undefined ? undefined : at(`2027-02-01T${clock}Z`));
  expect(targetTime({ starts: await day(start), ends: await day(end), opens: undefined }, extra)).toBe(why);
});

test('a target is on a full minute, never before the end, and moves with the exam', () => {
  fc.assert(
    fc.property(instants, fc.integer({ min: -10_000, max: 10_000 }), ({ starts, length, opens, milliPercent, milliseconds }, minutes) => {
      const window = { starts, ends: starts + length, opens: opens === undefined ? undefined : starts + opens };
      const target = Number(targetTime(window, { milliPercent, milliseconds }));
      const exact = BigInt(length) * BigInt(milliPercent);
      const base = BigInt(Math.max(window.ends, (window.opens ?? starts) + length) + milliseconds);
      // In whole numbers: base + exact / 100000, rounded up to the minute.
      const scaled = (base * 100_000n + exact + 6_000_000_000n - 1n) / 6_000_000_000n;
      expect(BigInt(target)).toBe(scaled * 60_000n);
      expect(target).toBeGreaterThanOrEqual(window.ends);
      const by = minutes * minute;
      const moved = { starts: starts + by, ends: window.ends + by, opens: window.opens === undefined ? undefined : window.opens + by };
      expect(targetTime(moved, { milliPercent, milliseconds })).toBe(target + by);
    }),
  );
});
