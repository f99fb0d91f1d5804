/** Times of the service, and as tables show them. An instant: milliseconds since 1970. */
import { sentence } from '../text/sentence.ts';
import { orNone } from './invalid-value.ts';
import { textOfJson } from './json.ts';

export type TimeFormat = 'iso-utc' | 'iso-offset' | 'epoch-s';

export const yearTenThousand = Date.UTC(10_000, 0);
export const isoTime = /^(\d{4}-\d\d-\d\d)[T ](\d\d?)(:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)(?: ?(Z|UTC|[+-](?:0\d|1[0-4])(?::?[0-5]\d)?))?$/i;

/** `instant`: if the text has its offset. Throws `RangeError` where there is no such time. */
export function readIso(text: string): { local: Temporal.PlainDateTime; instant: number | undefined } | undefined {
  const [, date, hour = '', clock = '', offset] = isoTime.exec(text) ?? [];
  // Temporal would read the second 60 as 59.
  if (date === undefined || clock.startsWith(':60', 3)) return undefined;
  const written = `${date}T${twoDigits(hour)}${clock}`;
  const local = Temporal.PlainDateTime.from(written);
  if (offset === undefined) return { local, instant: undefined };
  return { local, instant: Temporal.Instant.from(written + offset.replace(/utc/i, 'Z')).epochMilliseconds };
}

export function twoDigits(number: string | number): string {
  return String(number).replace(/^\d(?!\d)/, '0$&');
}

/** Cut to whole seconds. */
export function formatTime(instant: number, format: TimeFormat): string | number {
  if (format === 'epoch-s') return Math.floor(instant / 1000);
  return `${new Date(instant).toISOString().slice(0, 19)}${format === 'iso-utc' ? 'Z' : '+00:00'}`;
}

/**
 * ISO 8601 with an offset, or seconds or milliseconds since 1970 (as text, of 2001 to 2033: other digits may be
 * a date); undefined for others.
 */
export function instantOf(value: unknown): number | undefined {
  if (typeof value === 'number') {
    // Larger numbers are milliseconds: as seconds, they would be after the year 5138.
    const instant = Math.abs(value) >= 1e11 ? value : value * 1000;
    return Math.abs(instant) < yearTenThousand ? Math.round(instant) : undefined;
  }
  if (typeof value !== 'string') return undefined;
  if (/^1\d{9}$|^1\d{12}$/.test(value)) return instantOf(Number(value));
  // Most services write a time like this, and `Date` reads it fast, but takes February 30 for March 2.
  const date = value.length === 20 ? new Date(value) : undefined;
  if (date && value === `${date.toJSON()?.slice(0, 19)}Z`) return date.getTime();
  return orNone(() => readIso(value))?.instant;
}

/** To the second: no time is sent, typed or printed with a part of one. */
export function sameInstant(a: unknown, b: unknown): boolean {
  const [one, other] = [a, b].map((value) => Math.floor((instantOf(value) ?? NaN) / 1000));
  return one === other;
}

/** Local time with its offset; what names no instant as it is. */
export function showTime(value: unknown, zone: string): string {
  const instant = instantOf(value);
  if (instant === undefined) return textOfJson(value);
  const time = typedTime(instant, zone).replace('T', ' ');
  return `${time.slice(0, -6)} ${time.slice(-6)}`;
}

export function showDay(value: unknown, zone: string): string {
  const instant = instantOf(value);
  return instant === undefined ? textOfJson(value) : dayOf(instant, zone);
}

/** `2027-03-31`. */
export function dayOf(instant: number, zone: string): string {
  return zoned(instant, zone).toPlainDate().toString();
}

/** How far away an exam is: 0 while it runs, 1 on a day on which it starts or ends, else 2. */
export function nearness([start, end]: readonly (number | undefined)[], now: number, zone: string): number {
  if (start !== undefined && end !== undefined && start <= now && now < end) return 0;
  const isToday = (instant: number | undefined) => instant !== undefined && dayOf(instant, zone) === dayOf(now, zone);
  if (isToday(start) || isToday(end)) return 1;
  return start !== undefined && start > now ? 2 : 3;
}

/** `2027-02-01T09:00+01:00`. */
export function typedTime(instant: number, zone: string): string {
  const time = zoned(instant, zone);
  return time.toString({ timeZoneName: 'never', smallestUnit: time.second === 0 ? 'minute' : 'second' });
}

export function zoned(instant: number, zone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone);
}

/** A zone is also read out of a time and an offset, such as T9Z and +02:00; an offset knows no daylight-saving time. */
export function isZone(name: string): boolean {
  const read = orNone(() => zoned(0, name).timeZoneId.toLowerCase());
  return /^[a-z]/i.test(name) && read === name.toLowerCase();
}

/** The offset of a zone that is no place: EST has it in summer, too, and Etc/GMT+2 is -02:00. */
export function fixedOffset(zone: string): string | undefined {
  if (/^(?!Etc\/).*\//.test(zone)) return undefined;
  const [winter, summer] = [1, 7].map((month) => zoned(Date.UTC(2026, month, 1), zone).offset);
  return winter === summer && winter !== '+00:00' ? winter : undefined;
}

export const likeAZone = sentence`Give an IANA name, such as Europe/Vienna or UTC.`;
