/** A text means one instant, or is refused with its reason and a way to write it; around clock changes see `clock-changes.test.ts`. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InvalidValue } from '../../src/model/invalid-value.ts';
import { textOfJson } from '../../src/model/json.ts';
import { formatTime, instantOf, isZone, sameInstant, showTime, type TimeFormat } from '../../src/model/time.ts';
import { type DateOrder, fromStart, parseDay, parseTime } from '../../src/model/typed-time.ts';

const now = Date.parse('2026-11-21T09:00:00.250Z');
type More = { dates?: DateOrder | undefined; day?: 'start' | 'end' };
const iso = (text: string, zone?: string, more: More = {}) => new Date(parseTime(text, { now: () => now, zone, ...more })).toISOString();
function refusal(text: string, zone?: string, more?: More): InvalidValue {
  try {
    throw new Error(`${text} was read as ${iso(text, zone, more)}`);
  } catch (error) {
    if (error instanceof InvalidValue) return error;
    throw error;
  }
}

const zones = ['UTC', 'Europe/Vienna', 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Apia', 'Asia/Kathmandu', 'America/St_Johns'];
/** Whole seconds from 1970-01-02 to the end of 2037. */
const instants = fc.integer({ min: 86_400, max: Date.UTC(2038, 0) / 1000 - 1 }).map((seconds) => seconds * 1000);

test.each([
  ['2026-11-21T09:00Z', '2026-11-21T09:00:00.000Z'],
  ['2026-11-21T09:00:30+01:00', '2026-11-21T08:00:30.000Z'],
  ['2026-11-21 09:00+0100', '2026-11-21T08:00:00.000Z'],
  ['2026-11-21 10:00 +01:00', '2026-11-21T09:00:00.000Z'],
  ['2026-11-21T09:00+01', '2026-11-21T08:00:00.000Z'],
  ['2026-11-21t09:00:00.1239z', '2026-11-21T09:00:00.123Z'],
  ['2026-11-21T09:00:00,5-03:30', '2026-11-21T12:30:00.500Z'],
  [' 2028-02-29T00:00Z ', '2028-02-29T00:00:00.000Z'],
  ['1970-01-01T00:00Z', '1970-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
  ['now', '2026-11-21T09:00:00.250Z'],
  ['+2h30m', '2026-11-21T11:30:00.250Z'],
  ['now+15m', '2026-11-21T09:15:00.250Z'],
  ['now-1h', '2026-11-21T08:00:00.250Z'],
  ['NOW+90s', '2026-11-21T09:01:30.250Z'],
])('%s is %s, whatever zone is set', (text, instant) => {
  expect([iso(text), iso(text, 'America/New_York')]).toEqual([instant, instant]);
});

const vienna = 'Europe/Vienna';
const morning = '2026-11-21T08:00:00.000Z';
const april = '2026-04-03T07:00:00.000Z';
test.each<[text: string, zone: string, instant: string, more?: More]>([
  ['2026-07-01 09:00', vienna, '2026-07-01T07:00:00.000Z'],
  ['2026-07-01 9:00', vienna, '2026-07-01T07:00:00.000Z'],
  ['2026-11-21T09:00:15.5', 'Asia/Kathmandu', '2026-11-21T03:15:15.500Z'],
  ...['21/11/2026 09:00', '21.11.2026 9:00', '11/21/2026 9:00 AM', '2026/11/21T09:00:00', '21-11-2026 09:00', '2026-11-21 9:00 a.m.'].map(
    (text): [string, string, string] => [text, vienna, morning],
  ),
  ['21.11.2026, 09:00', vienna, morning],
  ['21/11/2026 08:00Z', vienna, morning],
  ['03/04/2026 12:30 am', vienna, '2026-04-02T22:30:00.000Z', { dates: 'dmy' }],
  ['03/04/2026 12:30 pm', vienna, '2026-03-04T11:30:00.000Z', { dates: 'mdy' }],
  // With dots the day is first, whatever comes first elsewhere in the file.
  ...(['dmy', 'mdy', undefined] as const).map((dates): [string, string, string, More] => ['3.4.2026 09:00', vienna, april, { dates }]),
  // A year of two digits is one of this century once the order is said.
  ['3.4.26 09:00', vienna, april, { dates: 'dmy' }],
  ['04/03/26 09:00', vienna, april, { dates: 'mdy' }],
  ['26-04-03 09:00', vienna, april, { dates: 'ymd' }],
  ['today 09:00', 'UTC', '2026-11-21T09:00:00.000Z'],
  ['Tomorrow 9:00:30', vienna, '2026-11-22T08:00:30.000Z'],
  ['today 09:00', 'Pacific/Kiritimati', '2026-11-20T19:00:00.000Z'],
  ['today', 'UTC', '2026-11-21T00:00:00.000Z', { day: 'start' }],
  ['2027-02-01', 'UTC', '2027-02-01T23:59:59.999Z', { day: 'end' }],
  ['24.05.2026', 'Asia/Kathmandu', '2026-05-23T18:15:00.000Z', { day: 'start' }],
  ['24.05.2026', 'Asia/Kathmandu', '2026-05-24T18:14:59.999Z', { day: 'end' }],
  ['2027-02-01T09:00', vienna, '2027-02-01T08:00:00.000Z', { day: 'end' }],
])('%s in %s is %s (%o)', (text, zone, instant, more) => {
  expect(iso(text, zone, more)).toBe(instant);
});

test.each([
  ...[
    ...['2026-11-21 9h', '2026-11-21 9h00', '21.11.2026 9.00 Uhr', '21.11.2026, 09:00 Uhr', '2026-11-21 9:00 a. m.'],
    '2026-11-21\u202f9:00\u00a0AM',
  ],
  ...['21.11.2026 9 Uhr', '2026-11-21 9 am', '2026-11-21 9.00 am', 'today 9h00', 'today 9:00 AM'],
])('%s is nine o’clock', (text) => {
  expect(iso(text, vienna)).toBe(morning);
});

test.each([
  ['2026-11-21 13:30 AM', '13:30 or 01:30'],
  ['today 13:30 AM', '13:30 or 01:30'],
  ['21.11.2026 0:30 pm', '00:30 or 12:30'],
])('%s is refused with both readings', (text, readings) => {
  expect(refusal(text, vienna).message).toContain(`is ambiguous: ${readings}`);
});

test('Beside a start, 10h30 is refused with both readings; 10:30, 10.30 Uhr and 2h are one.', () => {
  const start = Date.parse('2026-11-21T08:00Z');
  expect(() => fromStart('10h30', start, vienna)).toThrow('"10h30" is ambiguous: 10:30, or 10 hours and 30 minutes after the start.');
  const ends = ['10:30', '10.30 Uhr', '10:30\u202fAM', '90 min', '1h30m', '1,5 hours'].map((text) =>
    iso(fromStart(text, start, vienna), vienna),
  );
  expect(new Set(ends)).toEqual(new Set(['2026-11-21T09:30:00.000Z']));
});

const [impossible, zoneless] = ['no such day or time of day', '--timezone Europe/Vienna'];
test.each([
  ['2026-11-21', 'has no time of day', '2026-11-21THH:MM'],
  ['03.04.2026', 'has no time of day', '2026-04-03THH:MM'],
  ['9:30', 'has no date', 'YYYY-MM-DDT09:30, or write "today 09:30"'],
  ['14:00:30', 'has no date', 'YYYY-MM-DDT14:00:30'],
  ['03/04/2026', 'is ambiguous', 'YYYY-MM-DDTHH:MM'],
  ['03-04-2026 09:00', 'is ambiguous', '+2h30m'],
  ['03-04-26', 'is ambiguous', 'YYYY-MM-DDTHH:MM'],
  ['21.11.26 09:00', 'has no year of four digits', 'YYYY-MM-DDTHH:MM'],
  ['2026-11-21T09:00', 'no time zone', zoneless],
  ['tomorrow', 'is a day in a time zone', zoneless],
  ['tomorrow 09:00', 'is a day in a time zone', zoneless],
  ...['31/02/2026 09:00Z', '2026-02-29T09:00Z', '2026-13-01T09:00Z', '2026-11-21T24:00Z', '2026-11-21T09:60Z', '2016-12-31T23:59:60Z'].map(
    (text) => [text, impossible, '+01:00'],
  ),
  ...['1969-12-31T23:59Z', '0026-11-21T09:00Z', '+99999999h', 'now-999999h'].map((text) => [text, '1970 to 9999', '+01:00']),
  ...['12026-11-21T09:00Z', '2026-11-21T09:00[Europe/Vienna]', '2026-11-21T09:00+15:00', '1795251600', 'someday', 'nowhere', ''].map(
    (text) => [text, 'not a time', '+2h30m'],
  ),
  ['2026-11-21 9', 'has no minutes', 'Write the minutes, too: "2026-11-21 9:00"'],
  ...['2026-11-21 9.30', '2026-11-21 noon', '-15m', '2h', '٢٠٢٦-11-21T09:00Z'].map((text) => [text, 'not a time', '+2h30m']),
  ...['+1d', 'now+2w'].map((text) => [text, 'a day is not always 24 hours long', '+24h']),
  ['+15', 'its unit is missing', '30s'],
])('%s is refused: %s', (text = '', reason, advice) => {
  const { message, hint } = refusal(text);
  expect(message).toContain(reason);
  expect(hint).toContain(advice);
  // No advice shows a date that is over one day.
  if (!text.includes('20')) expect(hint).not.toMatch(/\b20\d\d\b/);
});

test.each<[string, More, string]>([
  ['21/11/2026 09:00', { dates: 'mdy' }, 'no such day'],
  ['3/4/127 09:00', { dates: 'dmy' }, 'has no year of four digits.'],
  ['27.04.03 09:00', { dates: 'ymd' }, 'has no year of four digits.'],
  ['2027-02-30', { day: 'end' }, '"2027-02-30" is not possible: there is no such day'],
])('%s is refused with %o: %s', (text, more, reason) => {
  expect(refusal(text, 'UTC', more).message).toContain(reason);
});

test.each([
  ['2026-10-25T02:30', 'happens twice', 'back', '02:30:00+02:00 or 2026-10-25T02:30:00+01:00'],
  ['2026-03-29T02:30', 'does not exist', 'forward', '01:30:00+01:00 or 2026-03-29T03:30:00+02:00'],
])('%s %s: the clocks are set %s', (text, why, how, choices) => {
  const { message, hint } = refusal(text, vienna);
  expect(message).toBe(`"${text}" ${why} in Europe/Vienna: the clocks are set ${how} over it.`);
  expect(hint).toBe(`Choose one: ${text.slice(0, 11)}${choices}`);
});

test('in a file, what is ambiguous may be settled by the option that says what comes first', () => {
  const read = () => parseTime('03-04-2026 09:00', { zone: 'UTC' });
  expect(read).toThrow(expect.objectContaining({ hint: expect.stringContaining('--dates dmy') }));
});

test('a day is one of the calendar, in any order of a date; a spreadsheet may write 00:00 after it', () => {
  expect([parseDay('2027-03-31 00:00:00'), parseDay('03/04/2026', 'mdy')]).toEqual(['2027-03-31', '2026-03-04']);
  expect(parseDay('31.3.2027')).toBe('2027-03-31');
  for (const text of ['2027-03-31 09:00', '2027-02-30', 'soon']) expect(() => parseDay(text)).toThrow(InvalidValue);
});

const spans = '1.2.2027 9:00-11:00, 2027-02-01 09:00-11:00, 1/2/2027 9:00-1100, 1.2.2027 9 Uhr-11, 1.2.2027 9:00-11, 1.2.2027 9:00 -11:00';
test.each(spans.split(', '))('%s may be a span, and not a time with an offset', (text) => {
  expect(refusal(text, 'Europe/Vienna', { dates: 'dmy' }).message).toContain('is ambiguous: from 09:00 to 11');
});

test.each(['1.2.2570 9:00', '2570-02-01 09:00', '1/2/2570 9:00'])('%s may be of the Buddhist calendar', (text) => {
  expect(refusal(text, 'UTC', { dates: 'dmy' }).message).toContain('is ambiguous: the year 2570, or 2027');
});

test.each(['2027-02-01T09:00-11:00', '2027-02-01 09:00:00-11:00', '2027-02-01 09:00 -11:00'])('%s has an offset', (text) => {
  expect(iso(text)).toBe('2027-02-01T20:00:00.000Z');
});

describe('a time that is sent', () => {
  test.each([
    ['iso-utc', '2026-11-21T09:00:00Z'],
    ['epoch-s', 1_795_251_600],
    ['iso-offset', '2026-11-21T09:00:00+00:00'],
  ] as [TimeFormat, string | number][])('as %s is %s, cut to whole seconds, never rounded up', (format, sent) => {
    expect([formatTime(now, format), formatTime(Date.parse('2026-11-21T09:00:00.999Z'), format)]).toEqual([sent, sent]);
  });

  test('names the instant it was made from, in every format, and in every zone is read back as it', () => {
    fc.assert(
      fc.property(
        instants,
        fc.constantFrom<TimeFormat>('iso-utc', 'iso-offset', 'epoch-s'),
        fc.constantFrom(...zones),
        (instant, format, zone) => {
          expect(instantOf(formatTime(instant, format))).toBe(instant);
          expect(iso(showTime(new Date(instant).toISOString(), zone))).toBe(new Date(instant).toISOString());
        },
      ),
    );
  });
});

describe('a time that the service shows', () => {
  test.each([
    ['2026-11-21T09:00:00Z', vienna, '2026-11-21 10:00 +01:00'],
    ['2026-11-21T09:00:30.000Z', vienna, '2026-11-21 10:00:30 +01:00'],
    ['2026-11-21 09:00:00 UTC', 'UTC', '2026-11-21 09:00 +00:00'],
    ['2026-11-21T00:00:00+02:00', 'America/St_Johns', '2026-11-20 18:30 -03:30'],
    [1_795_251_600, vienna, '2026-11-21 10:00 +01:00'],
    ['1795251600', vienna, '2026-11-21 10:00 +01:00'],
    ['1795251600000', vienna, '2026-11-21 10:00 +01:00'],
    ['2026-11-21 09:00:00 +0100', 'UTC', '2026-11-21 08:00 +00:00'],
    ['2026-07-01T09:00:00Z', vienna, '2026-07-01 11:00 +02:00'],
  ])('%s is in %s %s', (value, zone, shown) => {
    expect(showTime(value, zone)).toBe(shown);
  });

  test.each([
    ...['soon', '2026-11-21T09:00', '2026-02-30T09:00:00Z', '', 1e15, { date: '2026-11-21', zone: 'UTC' }],
    // Digits may be a date. No zone, and another notation.
    ...['2026112109', '20261121090000', '2795251600', 'Sat, 21 Nov 2026 09:00:00', 'Sat, 21 Nov 2026 09:00:00 GMT'],
  ])('%j names no instant and is shown as it is', (value) => {
    expect([instantOf(value), showTime(value, vienna)]).toEqual([undefined, textOfJson(value)]);
  });

  test('is the same instant, or none, with a Z and with the offset of UTC, whether there is such a day or not', () => {
    const two = (most: number) => fc.nat(most).map((number) => String(number).padStart(2, '0'));
    const year = fc.oneof(fc.nat(9999), fc.constantFrom(0, 1900, 2000, 2024)).map((number) => String(number).padStart(4, '0'));
    const clock = fc.tuple(two(25), two(61), two(61)).map((parts) => parts.join(':'));
    fc.assert(
      fc.property(year, two(13), two(32), clock, fc.constantFrom('T', ' ', 't'), (year, month, day, time, between) => {
        const written = `${year}-${month}-${day}${between}${time}`;
        expect(instantOf(`${written}Z`)).toBe(instantOf(`${written}+00:00`));
      }),
      { numRuns: 1000 },
    );
  });

  test('is the same however it is written, and never the same as something that is none', () => {
    const same = sameInstant('2026-11-21T10:00:00+01:00', '2026-11-21T09:00:00Z') && sameInstant('2026-11-21T09:00:00.000Z', 1_795_251_600);
    const others = [sameInstant('2026-11-21T09:00:01Z', '2026-11-21T09:00:00Z'), sameInstant('soon', 'soon'), sameInstant(null, undefined)];
    expect([same, ...others]).toEqual([true, false, false, false]);
  });
});

test('zones have IANA names', () => {
  expect(['Europe/Vienna', 'UTC', 'America/New_York'].every(isZone)).toBe(true);
  expect(['', 'Europe/Wien', 'local', 'Europe/Vienna ', 'CET+1', '+02:00', 'T9Z', 'JST'].some(isZone)).toBe(false);
});
