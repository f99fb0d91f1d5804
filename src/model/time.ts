/**
 * Points in time: as typed, as sent to the service, as shown in tables. An instant is a number of milliseconds
 * since 1970. A text that could mean two instants, or none, is refused with its reason; nothing is ever guessed
 * from the zone of this machine.
 */

import { sentence } from '../text/sentence.ts';
import { parseDuration } from './duration.ts';
import { InvalidValue } from './invalid-value.ts';
import { zoneHint } from './zones.ts';

export type TimeFormat = 'iso-utc' | 'iso-offset' | 'epoch-s';

/** Numbers from here on count milliseconds: as seconds they would be in the year 5138. */
const leastMilliseconds = 1e11;

/** How a time is written on the command line. */
export const writtenAs = 'Write it as YYYY-MM-DDTHH:MM with its offset (+01:00, or Z for UTC), or relative to now: +2h30m.';
/** How a date is written that could mean two days. */
export const inWhichOrder =
  'Write year, month and day in this order: YYYY-MM-DDTHH:MM. For a file, --dates dmy or --dates mdy says which comes first.';
const isoTime = new RegExp(
  [
    /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)[T ](?<hour>\d\d?):(?<minutes>\d\d)(?::(?<seconds>\d\d)(?:[.,](?<fraction>\d{1,9}))?)?/,
    / ?(?:(?<utc>Z|UTC)|(?<sign>[+-])(?<offsetHours>\d\d)(?::?(?<offsetMinutes>\d\d))?)?(?:\[(?<zone>[^[\]]+)\])?$/,
  ]
    .map((part) => part.source)
    .join(''),
  'i',
);
const minute = 60_000;
const yearTenThousand = Date.UTC(9999, 11, 31) + 24 * 60 * minute;

type IsoTime = {
  /** The local clock time, read as UTC: milliseconds. */
  clock: number;
  /** Milliseconds east of UTC; undefined for a local time. */
  offset: number | undefined;
  /** Written as UTC: an instant that says nothing about the clocks of a place. */
  utc: boolean;
  /** The zone in brackets behind it. */
  zone: string | undefined;
};

export type TimeReading = {
  /** Milliseconds since 1970; asked only for a text that counts from now. */
  now(): number | Promise<number>;
  /** The zone of a local time; undefined where none is set. */
  zone: string | undefined;
  /** In which order a date such as 03/04/2026 has day, month and year; without it such a date is refused. */
  dates?: DateOrder | undefined;
  /** Which end of a day a date without a time of day means; without it such a date is refused. */
  day?: DayBound | undefined;
};

/** `end`: the last millisecond of the day. */
export type DayBound = 'start' | 'end';

export const dateOrders = ['dmy', 'mdy', 'ymd'] as const;
export type DateOrder = (typeof dateOrders)[number];

/**
 * The instant that a person's text means. A local time is read in `zone`, or in the zone that stands
 * in brackets behind it. Throws `InvalidValue`.
 */
export async function parseTime(text: string, { now, zone, ...reading }: TimeReading): Promise<number> {
  const written = await onTheCalendar(text.trim(), now, zone);
  const distance = relativeTime(written);
  const instant = distance === undefined ? await absoluteTime(written, zone, reading) : (await now()) + distance;
  if (instant < 0 || instant >= yearTenThousand)
    throw new InvalidValue(sentence`"${written}" is outside the years 1970 to 9999.`, writtenAs);
  return instant;
}

/** `today 09:00` and `tomorrow 09:00` with the date in the zone, for the words; other texts as they are. Throws `InvalidValue`. */
async function onTheCalendar(text: string, now: TimeReading['now'], zone: string | undefined): Promise<string> {
  const [, word, behind = ''] = /^(today|tomorrow)([ T].*)?$/is.exec(text) ?? [];
  const clock = behind.slice(1).trim();
  if (word === undefined || (clock !== '' && !clockTime.test(clock))) return text;
  if (zone === undefined) {
    throw new InvalidValue(
      sentence`"${text}" is a day in a time zone, and no zone is set.`,
      'Set the zone (--timezone Europe/Vienna), or write the date and the time with its offset.',
    );
  }
  const today = dayOf(await now(), zone);
  const date = word.toLowerCase() === 'today' ? today : nextDay(today);
  return clock === '' ? date : `${date}T${clock.replace(/^\d(?=:)/, '0$&')}`;
}

/** The day after a calendar day: `2027-04-01`. */
function nextDay(day: string): string {
  return new Date(Date.parse(`${day}T00:00Z`) + 24 * 60 * minute).toISOString().slice(0, 10);
}

const clockTime = /^(\d{1,2}):(\d\d(?::\d\d)?)$/;

/** A time of day alone, with the word for its day; other texts as they are. */
export function onDay(day: 'today' | undefined, text: string): string {
  return day !== undefined && clockTime.test(text.trim()) ? `${day} ${text.trim()}` : text;
}

/** Whether an end is written by its start: as a time of day, or as a duration. */
export function countsFromStart(text: string): boolean {
  return clockTime.test(text.trim()) || /^\d+ ?(h|m|s|min)(?![a-z])/i.test(text.trim());
}

/**
 * The text of an end as `parseTime` reads it: a time of day is on the day of the start in the zone, and a duration
 * counts from the start. Other texts as they are. Throws `InvalidValue`.
 */
export function fromStart(text: string, start: number, zone: string): string {
  const written = text.trim();
  const clock = clockTime.exec(written);
  if (clock) return `${typedTime(start, zone).slice(0, 10)}T${clock[1]?.padStart(2, '0')}:${clock[2]}`;
  return countsFromStart(written) ? typedTime(start + parseDuration(written), 'UTC') : text;
}

/** How far from now, in milliseconds; undefined for what does not count from now. */
function relativeTime(text: string): number | undefined {
  const parts = /^(now)?(?:([+-])(.+))?$/i.exec(text);
  const [, word, sign, duration] = parts ?? [];
  if (!word && !sign) return undefined;
  if (!duration) return 0;
  if (/\d[dw]/i.test(duration)) {
    throw new InvalidValue(
      sentence`"${text}" counts in days, and a day is not always 24 hours long.`,
      'Count in hours (+24h), or write the date and the time of day.',
    );
  }
  if (!word && sign === '-') {
    throw new InvalidValue(sentence`"${text}" begins like an option.`, sentence`For a time in the past write: now${text}`);
  }
  return (sign === '-' ? -1 : 1) * parseDuration(duration);
}

const numericDate = /^(\d{1,4})([/.-])(\d{1,2})\2(\d{1,4})(?:(?:T|,? +)(\d{1,2}):(\d\d)(:\d\d)?(?: ?([ap])\.?m\.?)?(.*))?$/is;

/**
 * A date in numbers as ISO 8601 has it, where it can be told which number is the day: 13/04/2026, 24.05.2026,
 * 2026/11/21; or where `dates` says so, which then takes 26 for 2026 too. Other texts as they are.
 */
function isoOrder(text: string, dates: DateOrder | undefined): string {
  const parts = /^\d{4}-/.test(text) ? null : numericDate.exec(text);
  if (!parts) return text;
  const [, first = '', , second = '', third = '', hour, minutes, seconds = '', half, rest = ''] = parts;
  const order = first.length > 2 ? 'ymd' : (dates ?? (Number(first) > 12 ? 'dmy' : Number(second) > 12 ? 'mdy' : undefined));
  const years = (order === 'ymd' ? first : third).length;
  const isYear = years === 4 || (years === 2 && dates !== undefined);
  if (order !== undefined && !isYear && dates !== undefined) {
    throw new InvalidValue(
      sentence`"${text}" has no year where ${order} has it.`,
      'Write year, month and day in this order: YYYY-MM-DDTHH:MM.',
    );
  }
  if (order === undefined || !isYear) {
    throw new InvalidValue(sentence`"${text}" is ambiguous: some put the day first, others the month.`, inWhichOrder);
  }
  const [year = '', month = '', day = ''] = { ymd: [first, second, third], dmy: [third, second, first], mdy: [third, first, second] }[
    order
  ];
  const date = [year.padStart(4, '20'), month.padStart(2, '0'), day.padStart(2, '0')].join('-');
  return hour === undefined ? date : `${date}T${clockHour(Number(hour), half)}:${minutes}${seconds}${rest}`;
}

/** The hour of a clock of 24 hours; `half`: a or p, of one of 12. */
function clockHour(hour: number, half: string | undefined): string {
  const hours = half === undefined || hour > 12 ? hour : (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  return String(hours).padStart(2, '0');
}

async function absoluteTime(text: string, zone: string | undefined, { dates, day }: Pick<TimeReading, 'dates' | 'day'>): Promise<number> {
  const iso = isoOrder(text, dates);
  if (/^\d{4}-\d\d-\d\d$/.test(iso)) {
    if (day !== undefined) return dayBound(text, iso, day, zone);
    throw new InvalidValue(sentence`"${text}" has no time of day.`, sentence`Add the time of day: ${iso}THH:MM`);
  }
  const [clock, hour = '', others] = clockTime.exec(iso) ?? [];
  if (clock !== undefined) {
    const written = `${hour.padStart(2, '0')}:${others}`;
    const today = written === '24:00' ? 'tomorrow 00:00' : `today ${written}`;
    throw new InvalidValue(sentence`"${text}" has no date.`, sentence`Add the date: YYYY-MM-DDT${written}, or write '${today}'.`);
  }
  if (countsFromStart(iso))
    throw new InvalidValue(sentence`"${text}" is a duration, not a time.`, sentence`From now: +${iso.replaceAll(' ', '')}`);
  const [, lastDay] = /^(\d{4}-\d\d-\d\d)[T ]24:00(?!:\d*[1-9])/.exec(iso) ?? [];
  if (lastDay !== undefined && typeof readIsoTime(`${lastDay}T00:00`) === 'object') {
    throw new InvalidValue(
      sentence`"${text}" is 00:00 of the next day.`,
      sentence`Write ${nextDay(lastDay)}T00:00${iso.replace(/^.{10}[T ]24:00(:00)?/, '')}`,
    );
  }
  const time = readIsoTime(iso);
  if (!time) throw new InvalidValue(sentence`"${text}" is not a time.`, writtenAs);
  if (typeof time === 'string') throw new InvalidValue(sentence`"${text}" is not possible: ${time}.`, writtenAs);
  if (time.zone === undefined && time.offset !== undefined) return time.clock - time.offset;

  const place = time.zone ?? zone;
  if (place === undefined) {
    throw new InvalidValue(
      sentence`"${text}" has no time zone, and no zone is set.`,
      sentence`Add an offset (${iso}+01:00, or Z for UTC), or set the zone: --timezone Europe/Vienna`,
    );
  }
  if (!isZone(place)) {
    throw new InvalidValue(sentence`"${text}" cannot be read: unknown time zone "${place}".`, zoneHint(place));
  }
  if (time.offset === undefined) return localTime(text, time.clock, place);
  const instant = time.clock - time.offset;
  if (!time.utc && offsetAt(instant, place) !== time.offset) {
    throw new InvalidValue(
      sentence`"${text}" contradicts itself: at that instant the clocks of ${place} show ${showInstant(instant, place)}.`,
      writtenAs,
    );
  }
  return instant;
}

/** The first or the last millisecond of a day, whatever the clocks of the zone do at midnight. */
async function dayBound(text: string, iso: string, day: DayBound, zone: string | undefined): Promise<number> {
  const possible = readIsoTime(`${iso}T00:00`);
  if (typeof possible === 'string') throw new InvalidValue(sentence`"${text}" is not possible: ${possible}.`, writtenAs);
  if (zone === undefined) {
    throw new InvalidValue(
      sentence`"${text}" is a day in a time zone, and no zone is set.`,
      sentence`Set the zone (--timezone Europe/Vienna), or write a time with its offset: ${iso}T00:00Z`,
    );
  }
  const Temporal = await loadTemporal();
  const date = Temporal.PlainDate.from(iso);
  if (day === 'start') return date.toZonedDateTime(zone).epochMilliseconds;
  return date.add({ days: 1 }).toZonedDateTime(zone).epochMilliseconds - 1;
}

/**
 * A calendar day, `2027-03-31`, in any order of a date that is unambiguous, or in that of `dates`; a spreadsheet may
 * write 00:00 after it. Throws `InvalidValue`.
 */
export function parseDay(text: string, dates?: DateOrder): string {
  const day = isoOrder(text.trim(), dates).replace(/[T ]00:00(:00)?$/, '');
  const hint = 'Write year, month and day: YYYY-MM-DD.';
  if (!/^\d{4}-\d\d-\d\d$/.test(day)) throw new InvalidValue(sentence`"${text}" is not a day.`, hint);
  const possible = readIsoTime(`${day}T00:00`);
  if (typeof possible === 'string') throw new InvalidValue(sentence`"${text}" is not possible: ${possible}.`, hint);
  return day;
}

/** The calendar day of an instant where the clocks of the zone are: `2027-03-31`. */
export function dayOf(instant: number, zone: string): string {
  return showInstant(instant, zone).slice(0, 10);
}

/** The instant at which the clocks of a zone show a time. */
async function localTime(text: string, clock: number, zone: string): Promise<number> {
  const Temporal = await loadTemporal();
  const local = Temporal.PlainDateTime.from(new Date(clock).toISOString().slice(0, -1));
  const earlier = local.toZonedDateTime(zone, { disambiguation: 'earlier' });
  const later = local.toZonedDateTime(zone, { disambiguation: 'later' });
  if (earlier.equals(later)) return earlier.epochMilliseconds;
  const [first, second] = [earlier, later].map((time) => time.toString({ timeZoneName: 'never' }));
  const twice = earlier.toPlainDateTime().equals(local);
  throw new InvalidValue(
    twice
      ? sentence`"${text}" happens twice in ${zone}, where the clocks are set back: at offset ${earlier.offset} and again at ${later.offset}.`
      : sentence`"${text}" does not exist in ${zone}: the clocks are set forward over it.`,
    sentence`Choose one: ${first} or ${second}`,
  );
}

/**
 * When something ends that is moved to `start`: its clocks there show as much later than at `start` as
 * they did between the old start and end, so that 09:00 to 11:00 stays 09:00 to 11:00 whatever the
 * clocks do in between. Throws `InvalidValue` for a time that a zone's clocks skip or show twice.
 */
export async function movedEnd(old: { start: number; end: number }, start: number, zone: string): Promise<number> {
  const clock = (instant: number) => instant + offsetAt(instant, zone);
  const moved = clock(old.end) - clock(old.start) + clock(start);
  return localTime(new Date(moved).toISOString().slice(0, 16), moved, zone);
}

/**
 * An instant so many days later on the calendar of a zone, at the same time of day: 09:00 stays 09:00 whatever the
 * clocks do in between. Throws `InvalidValue` for a time that the zone's clocks skip or show twice.
 */
export async function daysLater(instant: number, days: number, zone: string): Promise<number> {
  if (days === 0) return instant;
  const moved = instant + offsetAt(instant, zone) + days * 24 * 60 * minute;
  return localTime(new Date(moved).toISOString().slice(0, 16), moved, zone);
}

/** An ISO 8601 time taken apart; in words, why there is no such time; undefined where it is something else. */
function readIsoTime(text: string): IsoTime | string | undefined {
  const parts = isoTime.exec(text)?.groups;
  if (!parts) return undefined;
  const number = (name: string) => Number(parts[name] ?? 0);
  const date = new Date(0);
  date.setUTCFullYear(number('year'), number('month') - 1, number('day'));
  if (date.getUTCMonth() !== number('month') - 1 || date.getUTCDate() !== number('day')) return 'there is no such day';
  if (number('seconds') === 60) return 'leap seconds are not supported';
  if (number('hour') > 23 || number('minutes') > 59 || number('seconds') > 59) return 'there is no such time of day';
  if (number('offsetHours') > 14 || number('offsetMinutes') > 59) return 'there is no such offset';
  const milliseconds = Number((parts.fraction ?? '').padEnd(3, '0').slice(0, 3));
  const east = (number('offsetHours') * 60 + number('offsetMinutes')) * minute;
  return {
    clock: date.setUTCHours(number('hour'), number('minutes'), number('seconds'), milliseconds),
    offset: parts.utc ? 0 : parts.sign ? (parts.sign === '-' ? -east : east) : undefined,
    utc: parts.utc !== undefined,
    zone: parts.zone,
  };
}

/** An instant in a format of the service; smaller units are cut off. */
export function formatTime(instant: number, format: TimeFormat): string | number {
  if (format === 'epoch-s') return Math.floor(instant / 1000);
  return `${new Date(instant).toISOString().slice(0, 19)}${format === 'iso-utc' ? 'Z' : '+00:00'}`;
}

/**
 * The instant that a value of the service names: ISO 8601 with an offset, an HTTP date (RFC 1123), or seconds or
 * milliseconds since 1970, also as text; undefined for others.
 */
export function instantOf(value: unknown): number | undefined {
  if (typeof value === 'number') {
    const instant = Math.abs(value) >= leastMilliseconds ? value : value * 1000;
    return Math.abs(instant) < yearTenThousand ? Math.round(instant) : undefined;
  }
  if (typeof value !== 'string') return undefined;
  const plain = plainInstant(value);
  if (plain !== undefined) return plain;
  const digits = epochText.exec(value.trim());
  if (digits) return mayBeCalendarDate(value.trim()) ? undefined : instantOf(Number(digits[0]));
  const time = readIsoTime(isoOfHttpDate(value.trim()) ?? value);
  return typeof time === 'object' && time.offset !== undefined ? time.clock - time.offset : undefined;
}

/** Seconds from 2001 to 2286 have ten digits, milliseconds thirteen; any other number of digits is a date in one of many spellings. */
const epochText = /^[1-9]\d{9}(\.\d{1,9})?$|^[1-9]\d{12}$/;

/** Whether ten digits may also be a date: 2027020109 is 9 o'clock on February 1, and 2702010900 in two digits of the year. */
function mayBeCalendarDate(text: string): boolean {
  const isClock = (month = '', day = '', hour = '', minutes = '0') =>
    Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= 31 && Number(hour) <= 23 && Number(minutes) <= 59;
  const [, month, day, hour] = /^(?:20|21)\d\d(\d\d)(\d\d)(\d\d)$/.exec(text) ?? [];
  if (month !== undefined && isClock(month, day, hour)) return true;
  const short = /^[2-9]\d(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(text);
  return short !== null && isClock(short[1], short[2], short[3], short[4]);
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const httpDate = /^(?:([a-z]{3}),\s*)?(\d{1,2})\s([a-z]{3})\s(\d{4})\s(\d\d:\d\d(?::\d\d)?)\s(?:(GMT|UTC|UT|Z)|([+-]\d{4}))$/i;

/** `Mon, 01 Feb 2027 09:00:00 GMT` as ISO 8601; undefined for other texts, for the zones of names such as EST, and for a wrong day of the week. */
function isoOfHttpDate(text: string): string | undefined {
  const [, weekday, day = '', name = '', year = '', clock = '', utc, offset = ''] = httpDate.exec(text) ?? [];
  const month = months.indexOf(name.toLowerCase()) + 1;
  if (month === 0) return undefined;
  const date = `${year}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`;
  if (weekday !== undefined && weekdays.indexOf(weekday.toLowerCase()) !== new Date(`${date}T00:00:00Z`).getUTCDay()) return undefined;
  return `${date}T${clock}${utc === undefined ? offset : 'Z'}`;
}

/** The instant of `2027-02-01T09:00:00Z`, as most services write it; undefined for other spellings, and for what names none. */
function plainInstant(text: string): number | undefined {
  if (text.length !== 20 || !text.endsWith('Z')) return undefined;
  const instant = Date.parse(text);
  // `Date.parse` reads February 30 as March 2.
  return Number.isNaN(instant) || `${new Date(instant).toISOString().slice(0, 19)}Z` !== text ? undefined : instant;
}

/** Whether two values of the service name the same instant, however each is written. */
export function sameInstant(a: unknown, b: unknown): boolean {
  const instant = instantOf(a);
  return instant !== undefined && instant === instantOf(b);
}

/** A value of the service as a table shows it: local time with its offset; as it is where it names no instant. */
export function showTime(value: unknown, zone: string): string {
  const instant = instantOf(value);
  return instant === undefined ? String(value) : showInstant(instant, zone);
}

/** The day of a time: "2027-02-01"; as it is where it is no time. */
export function showDay(value: unknown, zone: string): string {
  const instant = instantOf(value);
  return instant === undefined ? String(value) : showInstant(instant, zone).slice(0, 10);
}

/** An instant in milliseconds since 1970, so that it means the same tomorrow and elsewhere: 2027-02-01T09:00+01:00. */
export function typedTime(instant: number, zone: string): string {
  return showInstant(instant, zone).replace(' ', 'T').replace(' ', '');
}

function showInstant(instant: number, zone: string): string {
  const offset = offsetAt(instant, zone);
  const local = new Date(instant + offset).toISOString();
  const minutes = Math.floor(Math.abs(offset) / minute);
  const twoDigits = (number: number) => String(number).padStart(2, '0');
  const clock = local.slice(11, local.slice(17, 19) === '00' ? 16 : 19);
  return `${local.slice(0, 10)} ${clock} ${offset < 0 ? '-' : '+'}${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
}

/** Whether a name is that of a time zone. */
export function isZone(name: string): boolean {
  try {
    zoneFormat(name);
    return true;
  } catch {
    return false;
  }
}

/** Milliseconds by which the clocks of a zone are ahead of UTC at an instant. */
function offsetAt(instant: number, zone: string): number {
  // Where Node has it, it knows ten milliseconds before the first format does.
  const zoned = globalThis.Temporal?.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone);
  if (zoned) return zoned.offsetNanoseconds / 1e6;
  const [, sign, hours, minutes, seconds] = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(zoneFormat(zone).format(instant)) ?? [];
  const east = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * minute + Number(seconds ?? 0) * 1000;
  return sign === '-' ? -east : east;
}

const zoneFormats = new Map<string, Intl.DateTimeFormat>();

/** Formats an instant so that its offset stands at the end. Throws `RangeError` where there is no such zone. */
function zoneFormat(zone: string): Intl.DateTimeFormat {
  const known = zoneFormats.get(zone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  zoneFormats.set(zone, format);
  return format;
}

/** Temporal as this Node has it; otherwise a stand-in, loaded when the first local time is read. */
async function loadTemporal(): Promise<typeof Temporal> {
  return globalThis.Temporal ?? ((await import('temporal-polyfill')).Temporal as typeof Temporal);
}
