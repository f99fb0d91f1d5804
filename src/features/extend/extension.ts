/**
 * The amount of an extension: `30m` is a length of time, `25%` a share of the student's window. The window goes
 * from the session's open_time, or the start of its exam, to its close_time, or the end of its exam; the new
 * close_time counts from the end of it, or from now where that has passed: minutes that are over are of no use to a student.
 */
import { parseDuration } from '../../model/duration.ts';
import { InvalidValue } from '../../model/invalid-value.ts';
import { instantOf } from '../../model/time.ts';
import { sentence } from '../../text/sentence.ts';
import { isTimeValue, type TimeValue } from '../moved-times/index.ts';

export type Extension = { milliseconds: number } | { share: number };

const minute = 60_000;
const day = 24 * 3_600_000;
const year = 366 * day;
const example = sentence`Write a duration (15m, +1h30m) or a share of the window (25%).`;

/** Reads `25%`, `30m` or `+30m`. Throws `InvalidValue`. */
export function parseExtension(text: string): Extension {
  const written = text.trim();
  if (written.startsWith('-')) {
    throw new InvalidValue(
      sentence`"${text}" would shorten the time.`,
      'To close a session earlier: proctor-cli sessions update ID --close-time TIME',
    );
  }
  const percent = /^\+?(\d{1,4}(?:[.,]\d{1,3})?) ?%$/.exec(written)?.[1];
  const amount =
    percent === undefined
      ? { milliseconds: parseDuration(written.replace(/^\+/, ''), example) }
      : { share: Number(percent.replace(',', '.')) / 100 };
  if (Object.values(amount)[0] === 0) throw new InvalidValue(sentence`"${text}" would change nothing.`, example);
  if ('milliseconds' in amount && amount.milliseconds > year) throw new InvalidValue(sentence`"${text}" is longer than a year.`, example);
  return amount;
}

/** The times of a session and of its exam, as the service shows them. */
export type SessionWindow = { opens: unknown; closes: unknown; starts: unknown; ends: unknown };

/** Why a session cannot be extended, in words. */
export class NoWindow extends Error {
  override readonly name = 'NoWindow';
}

export type Extended = {
  /** The present close_time. */
  from: TimeValue;
  /** What the new one counts from: that, or the end of the exam as the service shows it. */
  end: TimeValue;
  /** It has passed: the new one counts from now. */
  isOver: boolean;
  /** The new one, in milliseconds since 1970, and by how many it is later. */
  until: number;
  by: number;
};

/** `now`: from when a window that is over counts, in milliseconds since 1970. Throws `NoWindow`. */
export function extended({ opens, closes, starts, ends }: SessionWindow, extension: Extension, now: number): Extended {
  const from = momentOf(closes, 'close_time');
  const end = from ?? momentOf(ends, "the exam's end_time");
  const close = instantOf(end);
  if (close === undefined) throw new NoWindow('it has no close_time, and its exam shows no end_time');
  const isOver = close < now;
  // Full minutes, as people write them.
  const base = isOver ? Math.ceil(now / minute) * minute : close;
  if ('milliseconds' in extension) return { from, end, isOver, until: base + extension.milliseconds, by: extension.milliseconds };
  const open = instantOf(momentOf(opens, 'open_time') ?? momentOf(starts, "the exam's start_time"));
  if (open === undefined)
    throw new NoWindow('it has no open_time, and its exam shows no start_time, so there is no window to take a share of');
  if (open >= close) throw new NoWindow('its window ends before it starts');
  // A share of a window is seldom a whole number of seconds, and the service may be sent nothing finer.
  const by = Math.max(1, Math.round(((close - open) * extension.share) / 1000)) * 1000;
  if (by > year) throw new NoWindow('this share of its window is more than a year');
  return { from, end, isOver, until: base + by, by };
}

/** A time that the service shows; null where it shows none. Throws `NoWindow` for what cannot be read. */
function momentOf(value: unknown, name: string): TimeValue {
  if (value === null || value === undefined) return null;
  if (isTimeValue(value) && instantOf(value) !== undefined) return value;
  throw new NoWindow(`${name} is ${JSON.stringify(value)}, which is not a time that can be read`);
}

/** Whether it is so much that a typing error is likely. */
export function isMuch(by: number): boolean {
  return by > day;
}
