import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InvalidValue } from '../../src/model/invalid-value.ts';
import { type DateOrder, formatTime, instantOf, parseTime, sameInstant, showTime, type TimeFormat } from '../../src/model/time.ts';

const now = Date.parse('2026-11-21T09:00:00.250Z');
const hour = 3_600_000;
const read = (text: string, zone?: string) => parseTime(text, { now: () => now, zone });
const iso = (text: string, zone?: string) => new Date(read(text, zone)).toISOString();
function refusal(text: string, zone?: string): InvalidValue {
  try {
    throw new Error(`${text} was read as ${iso(text, zone)}`);
  } catch (error) {
    if (error instanceof InvalidValue) return error;
    throw error;
  }
}

const zones = [
  'UTC',
  'Europe/Vienna',
  'America/New_York',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Asia/Kathmandu',
  'America/St_Johns',
  'Africa/Casablanca',
];
/** Whole seconds from 1970-01-02 to the end of 2037. */
const instants = fc.integer({ min: 86_400, max: Date.UTC(2038, 0) / 1000 - 1 }).map((seconds) => seconds * 1000);

describe('a time with its offset', () => {
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
  ])('%s is %s, whatever zone is set', (text, instant) => {
    expect(iso(text)).toBe(instant);
    expect(iso(text, 'America/New_York')).toBe(instant);
  });
});

describe('a time from now on', () => {
  test.each([
    ['now', 0],
    ['+2h30m', 2.5 * hour],
    ['now+15m', hour / 4],
    ['now-1h', -hour],
    ['NOW+90s', 90_000],
  ])('%s', (text, later) => {
    expect(read(text)).toBe(now + later);
  });

  test.each([
    ['+1d', '+24h'],
    ['now+2w', '+24h'],
    ['+15', '30s'],
    ['+', '30s'],
    ['now+soon', '30s'],
  ])('%s is refused with the advice %s', (text, advice) => {
    expect(refusal(text, 'Europe/Vienna').hint).toContain(advice);
  });

  test('is refused beyond the years that are counted', () => {
    expect(refusal('+99999999h').message).toContain('1970 to 9999');
    expect(refusal('now-999999h').message).toContain('1970 to 9999');
  });
});

describe('a date in numbers', () => {
  const at = (text: string, dates?: DateOrder) => parseTime(text, { now: () => 0, zone: 'Europe/Vienna', dates });
  const morning = Date.parse('2026-11-21T08:00:00Z');

  test.each([
    '21/11/2026 09:00',
    '21.11.2026 9:00',
    '11/21/2026 9:00 AM',
    '2026/11/21T09:00:00',
    '21-11-2026 09:00',
    '2026-11-21 9:00 a.m.',
    '21.11.2026, 09:00',
    '21/11/2026 08:00Z',
  ])('%s can be told', (text) => {
    expect(at(text)).toBe(morning);
  });

  test.each([
    ['03/04/2026 12:30 am', 'dmy', '2026-04-02T22:30:00Z'],
    ['03/04/2026 12:30 pm', 'mdy', '2026-03-04T11:30:00Z'],
    ['3.4.2026 09:00', 'dmy', '2026-04-03T07:00:00Z'],
    // With dots the day is first, whatever comes first elsewhere in the file.
    ['3.4.2026 09:00', 'mdy', '2026-04-03T07:00:00Z'],
    ['3.4.2026 09:00', undefined, '2026-04-03T07:00:00Z'],
    ['1.5.2027 9:00', undefined, '2027-05-01T07:00:00Z'],
  ] as const)('%s means what --dates %s says', (text, dates, instant) => {
    expect(at(text, dates)).toBe(Date.parse(instant));
  });

  test('is refused where the order that is said makes no day of it', () => {
    expect(() => at('21/11/2026 09:00', 'mdy')).toThrow('no such day');
  });
});

test('an hour of one digit is read', () => {
  const reading = { now: () => 0, zone: 'Europe/Vienna' };
  expect(parseTime('2027-04-05 9:00', reading)).toBe(Date.parse('2027-04-05T07:00:00Z'));
});

test('a year of two digits is one of this century once the order is said, and one of three is none', () => {
  const read = (text: string, dates: 'dmy' | 'mdy' | 'ymd') => parseTime(text, { now: () => 0, zone: 'Europe/Vienna', dates });
  const april = Date.parse('2027-04-03T07:00:00Z');
  expect([read('3.4.27 09:00', 'dmy'), read('04/03/27 09:00', 'mdy'), read('27-04-03 09:00', 'ymd')]).toEqual([april, april, april]);
  expect(() => read('3/4/127 09:00', 'dmy')).toThrow('"3/4/127 09:00" has no year of four digits.');
  expect(() => read('27.04.03 09:00', 'ymd')).toThrow('"27.04.03 09:00" has no year of four digits.');
});

describe('a text that is no time', () => {
  test.each([
    ['2026-11-21', 'has no time of day', '2026-11-21THH:MM'],
    ['9:30', 'has no date', "YYYY-MM-DDT09:30, or write 'today 09:30'"],
    ['14:00:30', 'has no date', 'YYYY-MM-DDT14:00:30'],
    ['03/04/2026', 'is ambiguous', 'YYYY-MM-DDTHH:MM'],
    ['03/04/2026 09:00', 'is ambiguous', 'YYYY-MM-DDTHH:MM'],
    ['03.04.2026', 'has no time of day', '2026-04-03THH:MM'],
    ['03-04-2026 09:00', 'is ambiguous', '--dates dmy'],
    ['21.11.2026', 'has no time of day', '2026-11-21THH:MM'],
    ['21.11.26 09:00', 'has no year of four digits', 'YYYY-MM-DDTHH:MM'],
    ['31/02/2026 09:00Z', 'no such day', '+01:00'],
    ['03-04-26', 'is ambiguous', 'YYYY-MM-DDTHH:MM'],
    ['2026-11-21T09:00', 'no time zone', '--timezone Europe/Vienna'],
    ['2026-02-30T09:00Z', 'no such day', '+01:00'],
    ['2026-02-29T09:00Z', 'no such day', '+01:00'],
    ['2026-13-01T09:00Z', 'no such day', '+01:00'],
    ['2026-11-21T24:01Z', 'no such day or time of day', '+01:00'],
    ['2026-11-21T09:60Z', 'no such day or time of day', '+01:00'],
    ['2016-12-31T23:59:60Z', 'no such day or time of day', '+01:00'],
    ['1969-12-31T23:59Z', '1970 to 9999', '+01:00'],
    ['0026-11-21T09:00Z', '1970 to 9999', '+01:00'],
    ['12026-11-21T09:00Z', 'not a time', '+01:00'],
    ['2026-11-21T24:00Z', 'no such day or time of day', '+01:00'],
    ['2026-11-21T09:00[Europe/Vienna]', 'not a time', '+01:00'],
    ['-15m', 'not a time', '+2h30m'],
    ['2h', 'not a time', '+2h30m'],
    ['1795251600', 'not a time', '+01:00'],
    ['tomorrow', 'is a day in a time zone', '--timezone Europe/Vienna'],
    ['tomorrow 09:00', 'is a day in a time zone', '--timezone Europe/Vienna'],
    ['yesterday', 'not a time', '+2h30m'],
    ['nowhere', 'not a time', '+2h30m'],
    ['', 'not a time', '+2h30m'],
    ['٢٠٢٦-11-21T09:00Z', 'not a time', '+01:00'],
  ])('%s is refused: %s', (text, reason, advice) => {
    const { message, hint } = refusal(text);
    expect(message).toContain(reason);
    expect(message).toContain(`"${text}"`);
    expect(hint).toContain(advice);
  });
});

describe('today and tomorrow', () => {
  const at = (text: string, zone: string, day?: 'start' | 'end') =>
    new Date(parseTime(text, { now: () => Date.parse('2026-12-31T20:30Z'), zone, day })).toISOString();

  test.each([
    ['today 09:00', 'UTC', '2026-12-31T09:00:00.000Z'],
    ['tomorrow 9:00', 'UTC', '2027-01-01T09:00:00.000Z'],
    ['Tomorrow 09:00:30', 'Europe/Vienna', '2027-01-01T08:00:30.000Z'],
    ['today 09:00', 'Asia/Tokyo', '2027-01-01T00:00:00.000Z'],
  ])('%s is the day in %s', (text, zone, instant) => {
    expect(at(text, zone)).toBe(instant);
  });

  test('are days where a day is taken, and lack the time of day elsewhere', () => {
    expect(at('today', 'UTC', 'start')).toBe('2026-12-31T00:00:00.000Z');
    expect(at('tomorrow', 'UTC', 'end')).toBe('2027-01-01T23:59:59.999Z');
    expect(() => at('today', 'UTC')).toThrow('has no time of day');
  });
});

test('no advice shows a date that is over one day', () => {
  for (const text of ['9:30', '03/04/2026', 'soon', '3/4/27 09:00', '26h', '24:00', '1969-12-31T23:59Z'])
    expect(refusal(text).hint).not.toMatch(/\b20\d\d\b/);
});

/** With all zones, and both calendars: `clock-changes.test.ts`. */
describe('a local time', () => {
  test.each([
    ['2026-07-01 09:00', 'Europe/Vienna', '2026-07-01T07:00:00.000Z'],
    ['2026-11-21T09:00:15.5', 'Asia/Kathmandu', '2026-11-21T03:15:15.500Z'],
  ])('%s in %s is %s', (text, zone, instant) => {
    expect(iso(text, zone)).toBe(instant);
  });

  test.each([
    ['2026-10-25T02:30', 'happens twice', 'back: at offset +02:00 and again at +01:00.', '02:30:00+02:00 or 2026-10-25T02:30:00+01:00'],
    ['2026-03-29T02:30', 'does not exist', 'forward over it.', '01:30:00+01:00 or 2026-03-29T03:30:00+02:00'],
  ])('%s %s: the clocks are set %s', (text, why, how, choices) => {
    const { message, hint } = refusal(text, 'Europe/Vienna');
    expect(message.replace(', where the', ': the')).toBe(`"${text}" ${why} in Europe/Vienna: the clocks are set ${how}`);
    expect(hint).toBe(`Choose one: ${text.slice(0, 11)}${choices}`);
  });
});

describe('a time that is sent', () => {
  test.each([
    ['iso-utc', '2026-11-21T09:00:00Z'],
    ['epoch-s', 1_795_251_600],
    ['iso-offset', '2026-11-21T09:00:00+00:00'],
  ] as [TimeFormat, string | number][])('as %s is %s', (format, sent) => {
    expect(formatTime(now, format)).toBe(sent);
  });

  test('is cut to whole seconds, never rounded up', () => {
    const late = Date.parse('2026-11-21T09:00:00.999Z');
    expect(formatTime(late, 'iso-utc')).toBe('2026-11-21T09:00:00Z');
    expect(formatTime(late, 'epoch-s')).toBe(1_795_251_600);
  });

  test('names the instant it was made from, in every format', () => {
    fc.assert(
      fc.property(instants, fc.constantFrom<TimeFormat>('iso-utc', 'iso-offset', 'epoch-s'), (instant, format) => {
        expect(instantOf(formatTime(instant, format))).toBe(instant);
      }),
    );
  });
});

describe('a time that the service shows', () => {
  test.each([
    ['2026-11-21T09:00:00Z', 'Europe/Vienna', '2026-11-21 10:00 +01:00'],
    ['2026-11-21T09:00:30.000Z', 'Europe/Vienna', '2026-11-21 10:00:30 +01:00'],
    ['2026-11-21 09:00:00 UTC', 'UTC', '2026-11-21 09:00 +00:00'],
    ['2026-11-21T00:00:00+02:00', 'America/St_Johns', '2026-11-20 18:30 -03:30'],
    [1_795_251_600, 'Europe/Vienna', '2026-11-21 10:00 +01:00'],
    ['1795251600', 'Europe/Vienna', '2026-11-21 10:00 +01:00'],
    ['1795251600000', 'Europe/Vienna', '2026-11-21 10:00 +01:00'],
    ['2026-11-21 09:00:00 +0100', 'UTC', '2026-11-21 08:00 +00:00'],
    ['2026-07-01T09:00:00Z', 'Europe/Vienna', '2026-07-01 11:00 +02:00'],
  ])('%s is in %s %s', (value, zone, shown) => {
    expect(showTime(value, zone)).toBe(shown);
  });

  test.each([
    ...['soon', '2026-11-21T09:00', '2026-02-30T09:00:00Z', '', 1e15, Number.NaN],
    // Digits may be a date. No zone, and another notation.
    ...['2026112109', '20261121090000', '2795251600', 'Sat, 21 Nov 2026 09:00:00', 'Sat, 21 Nov 2026 09:00:00 GMT'],
  ])('%s names no instant and is shown as it is', (value) => {
    expect(instantOf(value)).toBeUndefined();
    expect(showTime(value, 'Europe/Vienna')).toBe(String(value));
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

  test('is the same instant however it is written, and never the same as something that is none', () => {
    expect(sameInstant('2026-11-21T10:00:00+01:00', '2026-11-21T09:00:00Z')).toBe(true);
    expect(sameInstant('2026-11-21T09:00:00.000Z', 1_795_251_600)).toBe(true);
    expect(sameInstant('2026-11-21T09:00:01Z', '2026-11-21T09:00:00Z')).toBe(false);
    expect(sameInstant('soon', 'soon')).toBe(false);
    expect(sameInstant(null, undefined)).toBe(false);
  });

  test('is read back as the same instant, in every zone', () => {
    fc.assert(
      fc.property(instants, fc.constantFrom(...zones), (instant, zone) => {
        expect(read(showTime(new Date(instant).toISOString(), zone))).toBe(instant);
      }),
    );
  });
});

describe('a date without a time of day, where one is taken', () => {
  const bound = (text: string, day: 'start' | 'end', zone?: string) =>
    new Date(parseTime(text, { now: () => now, zone, day })).toISOString();

  test.each([
    ['2027-02-01', 'UTC', '2027-02-01T00:00:00.000Z', '2027-02-01T23:59:59.999Z'],
    ['24.05.2026', 'Asia/Kathmandu', '2026-05-23T18:15:00.000Z', '2026-05-24T18:14:59.999Z'],
  ])('%s in %s is that calendar day', (text, zone, start, end) => {
    expect(bound(text, 'start', zone)).toBe(start);
    expect(bound(text, 'end', zone)).toBe(end);
  });

  test('needs a zone, and has to exist', () => {
    expect(() => bound('2027-02-01', 'start')).toThrow('"2027-02-01" is a day in a time zone, and no zone is set.');
    expect(() => bound('2027-02-30', 'end', 'UTC')).toThrow('"2027-02-30" is not possible: there is no such day');
  });

  test('leaves a time as it is', () => {
    expect(bound('2027-02-01T09:00', 'end', 'Europe/Vienna')).toBe('2027-02-01T08:00:00.000Z');
    expect(bound('+2h30m', 'end')).toBe('2026-11-21T11:30:00.250Z');
  });
});
