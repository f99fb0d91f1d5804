/** Times as people type them and files have them, and times that move with their exam. What could mean two instants, or none, is refused. */
import { spaced } from '../text/fold.ts';
import { quote, type Sentence, sentence } from '../text/sentence.ts';
import { lengthIn, parseDuration } from './duration.ts';
import { type ExamTime, examTimes } from './fields.ts';
import { InvalidValue, orNone, ZoneMissing } from './invalid-value.ts';
import { type Json, type JsonObject, stringifyJson } from './json.ts';
import { dayOf, instantOf, isoTime, readIso, twoDigits, typedTime, yearTenThousand, zoned } from './time.ts';

export const dateOrders = ['dmy', 'mdy', 'ymd'] as const;
export type DateOrder = (typeof dateOrders)[number];

/** What a date without a time of day means: its first millisecond, or its last. */
export type DayBound = 'start' | 'end';

type TimeReading = {
  /** Milliseconds since 1970. Without it, as in a file, what counts from now is refused. */
  now?(): number;
  zone: string | undefined;
  /** What 03/04/2026 means; without it such a date is refused. */
  dates?: DateOrder | undefined;
  /** Without it, a date without a time of day is refused. */
  day?: DayBound | undefined;
};

const withOffset = sentence`Write it as YYYY-MM-DDTHH:MM with its offset (+01:00, or Z for UTC)`;
export const writtenAs = sentence`${withOffset}, relative to now: +2h30m, or an end from its start: 2h30m.`;
const inWhichOrder = sentence`Write it as YYYY-MM-DDTHH:MM, or say what comes first in the file: --dates dmy or --dates mdy.`;

function invalidTime(text: string, why: Sentence, hint: Sentence): InvalidValue {
  return new InvalidValue(sentence`${quote(text)} ${why}.`, hint);
}

const numericDate = /^(\d{1,4})([/.-])(\d{1,2})\2(\d{1,4})(?:(?:T|,? )(\d.*))?$/is;
/** `9:30:15`, `9.00 Uhr`, `9h30`, `2:30 p. m.`, and what stands behind it. */
const clockForm = /^(\d{1,2})(?:([:.h]) ?(\d\d))?(:\d\d)?(?: ?(uhr|h))?(?: ?([ap])\.? ?m\b\.?)?(.*)$/is;
const isoDay = /^\d{4}-\d\d-\d\d$/;

/** `rest`: what stands behind it, such as an offset. Undefined for another form. Throws `InvalidValue`. */
function clockIn(text: string): { clock: string; rest: string } | undefined {
  const [, hour = '', mark, minutes = '00', seconds = '', word, half = '', rest = ''] = clockForm.exec(text) ?? [];
  // 9.30 may be a number.
  if (hour === '' || (word === undefined && half === '' && mark !== ':' && mark !== 'h')) return undefined;
  const [isLate, number] = [half.toLowerCase() === 'p', Number(hour)];
  if (half !== '' && (isLate ? number === 0 : number > 12)) {
    const other = isLate ? 12 : twoDigits(number - 12);
    throw invalidTime(text, sentence`is ambiguous: ${twoDigits(hour)}:${minutes} or ${other}:${minutes}`, writtenAs);
  }
  const hours = half !== '' && number <= 12 ? (number % 12) + (isLate ? 12 : 0) : number;
  return { clock: `${twoDigits(hours)}:${minutes}${seconds}`, rest };
}

/** A time of day, as `09:30`; undefined for another text. Throws `InvalidValue`. */
export function parseClock(text: string): string | undefined {
  const { clock, rest } = clockIn(spaced(text)) ?? {};
  return rest === '' ? clock : undefined;
}

/** `2h` counts from a start. */
function clockAlone(text: string): string | undefined {
  return /^\d+ ?h/i.test(text) ? undefined : parseClock(text);
}

/** Throws `InvalidValue`. */
export function parseTime(text: string, reading: TimeReading): number {
  const written = onTheCalendar(spaced(text), reading);
  const distance = fromNow(written);
  const instant = distance === undefined ? absoluteTime(written, reading) : (reading.now ?? refuseNow)() + distance;
  if (instant >= 0 && instant < yearTenThousand) return instant;
  throw invalidTime(written, sentence`is outside the years 1970 to 9999`, writtenAs);
}

function refuseNow(): never {
  throw new InvalidValue('In a file, a time does not count from now.', 'Write the date and the time.');
}

function onTheCalendar(text: string, { now = refuseNow, zone }: TimeReading): string {
  const [, word, clock] = /^(yesterday|today|tomorrow)(?:[ T](\d.*))?$/i.exec(text) ?? [];
  if (word === undefined) return text;
  const today = zoned(now(), zone ?? refuseWithoutZone(text)).toPlainDate();
  const date = today.add({ days: ['yesterday', 'today', 'tomorrow'].indexOf(word.toLowerCase()) - 1 });
  return clock === undefined ? String(date) : `${date} ${clock}`;
}

export const toSetZone = sentence`Set the zone: --timezone Europe/Vienna, or for good: proctor-cli config set timezone Europe/Vienna`;

function refuseWithoutZone(text: string): never {
  throw new ZoneMissing(sentence`${quote(text)} is a day in a time zone, and no zone is set.`, toSetZone);
}

/** Milliseconds. */
function fromNow(text: string): number | undefined {
  if (/^now$/i.test(text)) return 0;
  const [, sign, duration = ''] = /^(?:now)?(\+|(?<=w)-)(.*)$/i.exec(text) ?? [];
  if (sign === undefined) return undefined;
  if (/\d[dw]/i.test(duration))
    throw invalidTime(text, sentence`counts in days, and a day is not always 24 hours long`, sentence`Count in hours: +24h`);
  return (sign === '-' ? -1 : 1) * parseDuration(duration);
}

function absoluteTime(text: string, { now, zone, dates, day }: TimeReading): number {
  const iso = isoOf(text, dates, now && writtenAs);
  if (isoDay.test(iso) && day !== undefined) return boundOf(text, iso, day, zone);
  if (isoDay.test(iso)) throw invalidTime(text, sentence`has no time of day`, sentence`Add the time of day: ${iso}THH:MM`);
  const clock = clockAlone(iso);
  if (clock !== undefined) {
    const hint = sentence`Add the date: YYYY-MM-DDT${clock}, or write "today ${clock}".`;
    throw invalidTime(text, sentence`has no date`, hint);
  }
  const [, date, hour] = /^(\d{4}-\d\d-\d\d)[ T](\d{1,2})$/.exec(iso) ?? [];
  if (date !== undefined) throw invalidTime(text, sentence`has no minutes`, sentence`Write the minutes, too: "${date} ${hour}:00"`);
  if (!isoTime.test(iso))
    throw invalidTime(
      text,
      sentence`is not a time`,
      day === undefined ? writtenAs : sentence`Write a day as today, tomorrow or 2027-02-01. ${writtenAs}`,
    );
  const { local, instant } = orNone(() => readIso(iso)) ?? refuseImpossible(text);
  refuseSpan(text, iso);
  if (instant !== undefined) return instant;
  if (zone !== undefined) return localTime(text, local, zone);
  const hint = sentence`Add an offset (${iso}+01:00, or Z for UTC). ${toSetZone}`;
  throw new ZoneMissing(sentence`${quote(text)} has no time zone, and no zone is set.`, hint);
}

/** `9:00-11:00` may be from nine to eleven. ISO 8601 has a T, programs that leave it out have seconds, or a space as tables do. */
function refuseSpan(text: string, iso: string): void {
  const [, from = '', end] = /[T ](\d\d:\d\d) ?-(\d\d:?(?:\d\d)?)$/.exec(iso) ?? [];
  if (end === undefined || /^[\d-]+T|^\d{4}-.* -/i.test(text) || end.slice(0, 2) < from.slice(0, 2)) return;
  const hint = sentence`With an offset, write: ${iso.replace(' ', 'T')}`;
  throw invalidTime(text, sentence`is ambiguous: from ${from} to ${end}, or ${from} with an offset`, hint);
}

function refuseImpossible(text: string): never {
  throw invalidTime(text, sentence`is not possible: there is no such day or time of day`, writtenAs);
}

/** Dates in numbers as ISO 8601. With dots the day is first, in 03/04/2026 what `dates` says. */
function isoOf(text: string, dates: DateOrder | undefined, hint = inWhichOrder): string {
  const [, first = '', mark, second = '', third = '', time] = numericDate.exec(text) ?? [];
  if (first === '') return text;
  let order = dates;
  if (Number(first) > 12) order ??= 'dmy';
  if (Number(second) > 12) order ??= 'mdy';
  if (mark === '.') order = 'dmy';
  if (first.length > 2) order = 'ymd';
  const ambiguous = sentence`is ambiguous: some put the day first, others the month`;
  if (order === undefined) throw invalidTime(text, ambiguous, hint);
  const parts = {
    ymd: [first, second, third],
    dmy: [third, second, first],
    mdy: [third, first, second],
  } as const;
  const [year, month, day] = parts[order];
  const isShort = year.length === 2 && dates === order;
  if (year.length !== 4 && !isShort) throw invalidTime(text, sentence`has no year of four digits`, hint);
  // The Buddhist calendar, by which spreadsheets in Thailand write 2027. The others have years before 1970.
  const other = Number(year) - 543;
  if (other >= 1970 && other < 2100) throw invalidTime(text, sentence`is ambiguous: the year ${year}, or ${other}`, writtenAs);
  const date = `${year.padStart(4, '20')}-${twoDigits(month)}-${twoDigits(day)}`;
  if (time === undefined) return date;
  const { clock, rest } = clockIn(time) ?? {};
  return clock === undefined ? text : `${date}T${clock}${rest}`;
}

function calendarDay(text: string, date: string): Temporal.PlainDate {
  return orNone(() => Temporal.PlainDate.from(date)) ?? refuseImpossible(text);
}

function boundOf(text: string, date: string, bound: DayBound, zone: string | undefined): number {
  const later = bound === 'start' ? 0 : 1;
  const day = calendarDay(text, date).add({ days: later });
  return day.toZonedDateTime(zone ?? refuseWithoutZone(text)).epochMilliseconds - later;
}

/** A day as `2027-03-31`; a spreadsheet may write 00:00 behind it. Throws `InvalidValue`. */
export function parseDay(text: string, dates?: DateOrder): string {
  const day = isoOf(spaced(text), dates).replace(/T00:00(:00)?$/, '');
  if (!isoDay.test(day)) throw invalidTime(text, sentence`is not a day`, sentence`Write it as YYYY-MM-DD.`);
  return calendarDay(text, day).toString();
}

function localTime(text: string, local: Temporal.PlainDateTime, zone: string): number {
  const earlier = local.toZonedDateTime(zone, { disambiguation: 'earlier' });
  const later = local.toZonedDateTime(zone, { disambiguation: 'later' });
  if (earlier.equals(later)) return earlier.epochMilliseconds;
  const [first, second] = [earlier, later].map((time) => time.toString({ timeZoneName: 'never' }));
  const isTwice = earlier.toPlainDateTime().equals(local);
  const [what, way] = isTwice ? ['happens twice', 'back'] : ['does not exist', 'forward'];
  const why = sentence`${what} in ${zone}: the clocks are set ${way} over it`;
  throw invalidTime(text, why, sentence`Choose one: ${first} or ${second}`);
}

/** Whether a text is a time of day or a duration, which count from a start. */
export function countsFromStart(text: string): boolean {
  const written = spaced(text);
  return (clockAlone(written) ?? lengthIn(written)) !== undefined;
}

/** A text for `parseTime`: a time of day is on the day of the start, a duration counts from it. Throws `InvalidValue`. */
export function fromStart(text: string, start: number, zone: string): string {
  const written = spaced(text);
  const [, hours, minutes] = /^(\d{1,2}) ?h ?(\d\d)$/i.exec(written) ?? [];
  const both = sentence`is ambiguous: ${hours}:${minutes}, or ${hours} hours and ${minutes} minutes after the start`;
  if (hours !== undefined) throw invalidTime(written, both, sentence`Write ${hours}:${minutes}, or ${hours}h${minutes}m.`);
  const clock = clockAlone(written);
  if (clock !== undefined) return `${dayOf(start, zone)} ${clock}`;
  return countsFromStart(written) ? typedTime(start + parseDuration(written), 'UTC') : text;
}

/** An exam that ends at 11:00 also ends at 11:00 when it moves to another day. Throws as `daysLater` does. */
export function movedEnd(old: { start: number; end: number }, start: number, zone: string): number {
  const clock = (instant: number) => zoned(instant, zone).toPlainDateTime();
  return movedTo(clock(start).add(clock(old.start).until(clock(old.end))), zone);
}

/** The same time of day, `days` later. Throws `InvalidValue` where the clocks skip it or show it twice. */
export function daysLater(instant: number, days: number, zone: string): number {
  return days === 0 ? instant : movedTo(zoned(instant, zone).toPlainDateTime().add({ days }), zone);
}

function movedTo(local: Temporal.PlainDateTime, zone: string): number {
  return localTime(local.toString({ smallestUnit: 'minute' }), local, zone);
}

/** An exam that moves by less stays on its day. */
export const halfADayMs = 12 * 3_600_000;

/** A time moves by as much as its exam. Over days, the clocks of the zone count: 09:30 stays 09:30. Throws `InvalidValue`. */
export function movedAlong(at: Json, from: number, to: number, zone: string): number {
  const instant = instantOf(at);
  if (instant === undefined) throw new InvalidValue(sentence`${stringifyJson(at)} is not a time that can be read.`);
  if (Math.abs(to - from) < halfADayMs) return instant + to - from;
  return movedEnd({ start: from, end: instant }, to, zone);
}

/** The times of an exam that get another value. */
export function movedTimes(wanted: JsonObject, shown: JsonObject): ExamTime[] {
  return examTimes.filter((field) => {
    const [from, to] = [instantOf(shown[field]), instantOf(wanted[field])];
    return from !== undefined && to !== undefined && from !== to;
  });
}
