/** By how much a session is extended: what may be written, and what it comes to. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { extended, isMuch, NoWindow, parseExtension } from '../../../src/features/extend/extension.ts';
import { showTime } from '../../../src/model/time.ts';

const minute = 60_000;
const hour = 60 * minute;
const none = { opens: null, closes: null, starts: null, ends: null };
const iso = (instant: number) => new Date(instant).toISOString();

describe('--by', () => {
  test.each([
    ['30m', { milliseconds: 30 * minute }],
    ['+30m', { milliseconds: 30 * minute }],
    [' 1h30m ', { milliseconds: 90 * minute }],
    ['25%', { share: 0.25 }],
    ['+12.5%', { share: 0.125 }],
    ['12,5 %', { share: 0.125 }],
    ['100%', { share: 1 }],
  ])('%j is understood', (text, means) => {
    expect(parseExtension(text)).toEqual(means);
  });

  test.each(['', '+', '30', '0m', '0%', '0.0%', '-30m', '-25%', '%', '25 percent', '1e3%', '30m25%', '9000h', '٣٠m', '1d'])(
    '%j is refused',
    (text) => {
      expect(() => parseExtension(text)).toThrow(
        expect.objectContaining({ name: 'InvalidValue', hint: expect.stringMatching(/15m|--close-time/) }),
      );
    },
  );
});

describe('the new close time', () => {
  const session = { opens: '2027-03-01T08:00:00Z', closes: '2027-03-01T10:00:00Z' };
  const exam = { starts: '2027-03-01T07:00:00Z', ends: '2027-03-01T11:00:00Z' };

  test.each([
    ['a length counts from the own close time', { ...session, ...exam }, '30m', '2027-03-01T10:30:00.000Z'],
    ['or else from the end of the exam', { ...none, ...exam }, '30m', '2027-03-01T11:30:00.000Z'],
    ['a share is one of the own window', { ...session, ...exam }, '25%', '2027-03-01T10:30:00.000Z'],
    ["or of the exam's", { ...none, ...exam }, '25%', '2027-03-01T12:00:00.000Z'],
    ['or of what both make together', { ...none, ...exam, closes: session.closes }, '25%', '2027-03-01T10:45:00.000Z'],
    ['a share is rounded to a second', { ...none, starts: 0, ends: 100 }, '33.3%', '1970-01-01T00:02:13.000Z'],
    ['seconds since 1970 are times as well', { ...none, opens: 1_800_000_000, closes: 1_800_003_600 }, '50%', '2027-01-15T09:30:00.000Z'],
  ])('%s', (_, window, by, until) => {
    expect(iso(extended({ ...none, ...window }, parseExtension(by), 0).until)).toBe(until);
  });

  test.each([
    ['no end at all', { opens: session.opens }, '30m', /no close_time/],
    ['no beginning, for a share', { closes: session.closes }, '25%', /no open_time/],
    ['an end before its beginning', { opens: session.closes, closes: session.opens }, '25%', /before it starts/],
    ['a time that cannot be read', { closes: 'tomorrow' }, '30m', /"tomorrow"/],
    ['a local time, which names no instant', { closes: '2027-03-01T10:00:00' }, '30m', /not a time that can be read/],
    ['a share that is longer than a year', { opens: '2027-01-01T00:00:00Z', closes: '2027-06-01T00:00:00Z' }, '1000%', /more than a year/],
  ])('is not made up where there is %s', (_, window, by, why) => {
    expect(() => extended({ ...none, ...window }, parseExtension(by), 0)).toThrow(NoWindow);
    expect(() => extended({ ...none, ...window }, parseExtension(by), 0)).toThrow(why);
  });

  test('that is over counts from now, to the full minute, and not a minute earlier than one that is open', () => {
    const now = Date.parse('2027-03-01T10:20:10Z');
    const over = extended({ ...none, ...session }, parseExtension('15m'), now);
    expect([iso(over.until), over.isOver, over.by]).toEqual(['2027-03-01T10:36:00.000Z', true, 15 * 60_000]);
    const share = extended({ ...none, ...session }, parseExtension('25%'), now);
    expect([iso(share.until), share.isOver]).toEqual(['2027-03-01T10:51:00.000Z', true]);
    expect(extended({ ...none, ...session }, parseExtension('15m'), Date.parse(session.closes)).isOver).toBe(false);
  });

  test('counts instants, so that a change of the clocks gives and takes nothing', () => {
    const { until } = extended({ ...none, closes: '2027-03-28T01:30:00+01:00' }, parseExtension('60m'), 0);
    expect(showTime(iso(until), 'Europe/Vienna')).toBe('2027-03-28 03:30 +02:00');
  });

  test('is later by exactly that much, at any time of the year', () => {
    const instant = fc.integer({ min: 0, max: 4e12 });
    const length = fc.integer({ min: 1, max: 365 * 24 * 3600 });
    fc.assert(
      fc.property(instant, length, (close, seconds) => {
        const { until, by } = extended({ ...none, closes: iso(close) }, parseExtension(`${seconds}s`), 0);
        expect(until - close).toBe(seconds * 1000);
        expect(by).toBe(seconds * 1000);
      }),
    );
  });

  test('a share of a window is never less than a second, and grows with the share', () => {
    const share = fc.integer({ min: 1, max: 1000 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 48 * hour }), share, share, (length, one, other) => {
        const window = { ...none, opens: iso(1e12), closes: iso(1e12 + length) };
        const [less, more] = [one, other].sort((a, b) => a - b).map((percent) => extended(window, parseExtension(`${percent}%`), 0).by);
        expect(less).toBeGreaterThanOrEqual(1000);
        expect(more).toBeGreaterThanOrEqual(less ?? 0);
      }),
    );
  });

  test('that is more than a day later is much', () => {
    expect(isMuch(24 * hour)).toBe(false);
    expect(isMuch(24 * hour + 1)).toBe(true);
  });
});
