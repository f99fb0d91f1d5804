/**
 * By how much an exam is moved: `7d`, `-1w`, `2w1d3h`. Weeks and days are those of the calendar, so that 09:00 stays
 * 09:00 across a clock change; hours and minutes are elapsed time.
 */
import { parseDuration } from '../../model/duration.ts';
import { InvalidValue } from '../../model/invalid-value.ts';
import { daysLater } from '../../model/time.ts';
import { sentence } from '../../text/sentence.ts';

/** Both of one sign. `milliseconds`: on top of the days. */
export type ShiftAmount = { days: number; milliseconds: number };

const mostDays = 731;
const day = 24 * 3_600_000;
const hint = sentence`Write weeks, days, hours and minutes with their units: 7d, 1w, 1d2h, 90m; to an earlier time: -7d.`;

const aDuration = sentence`Write a duration: 15m or 1h30m.`;

/** Reads `7d`, `+1w2d` or `-90m`. Throws `InvalidValue`. */
export function parseShift(text: string): ShiftAmount {
  const [, sign = '', weeks = '0', days = '0', rest = ''] = /^([+-]?)(?:(\d{1,4})w)?(?:(\d{1,5})d)?(.*)$/i.exec(text.trim()) ?? [];
  const count = Number(weeks) * 7 + Number(days);
  const dayless = count === 0 && !/[wd]/i.test(text);
  const milliseconds = rest === '' && !dayless ? 0 : parseDuration(rest, hint);
  if (count === 0 && milliseconds === 0) throw new InvalidValue(sentence`"${text}" would change nothing.`, hint);
  if (count + milliseconds / day > mostDays) throw new InvalidValue(sentence`"${text}" is more than two years.`, hint);
  const direction = sign === '-' ? -1 : 1;
  return { days: count === 0 ? 0 : direction * count, milliseconds: milliseconds === 0 ? 0 : direction * milliseconds };
}

/** Reads `15m` or `+1h30m`, which only make something later. Throws `InvalidValue`. */
export function parseDelay(text: string): number {
  const written = text.trim();
  if (written.startsWith('-')) {
    throw new InvalidValue(sentence`"${text}" would shorten the exam.`, 'To end an exam earlier: proctor-cli exams update ID --end TIME');
  }
  const milliseconds = parseDuration(written.replace(/^\+/, ''), aDuration);
  if (milliseconds === 0) throw new InvalidValue(sentence`"${text}" would change nothing.`, aDuration);
  if (milliseconds > day * 7) {
    throw new InvalidValue(
      sentence`"${text}" is longer than a week.`,
      'To move an exam to another day: proctor-cli exams shift --exam ID --by 7d',
    );
  }
  return milliseconds;
}

/** The instant moved by the amount: first the days, by the clocks of the zone, then the elapsed time. Throws `InvalidValue` for a time that does not exist once. */
export async function shiftedBy(instant: number, { days, milliseconds }: ShiftAmount, zone: string): Promise<number> {
  return (await daysLater(instant, days, zone)) + milliseconds;
}
