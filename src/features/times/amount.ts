/** The amount by which times move. Weeks and days are the calendar's: 09:00 stays 09:00. */
import { parseDuration, spelledDuration } from '../../model/duration.ts';
import { shareMs, wholeLength } from '../../model/extra-time.ts';
import { InvalidValue } from '../../model/invalid-value.ts';
import { quote, type Sentence, sentence } from '../../text/sentence.ts';

/** Both numbers have the same sign. */
type ShiftAmount = { days: number; milliseconds: number };

/** `milliPercent`: of the exam's length, as in a list of extra time. */
export type Extension = { milliseconds: number } | { milliPercent: number };

const day = 24 * 3_600_000;
const aShift = sentence`Write weeks, days, hours and minutes, without blanks: 7d, 1w, 1d2h, 90m; to an earlier time: -7d.`;
const aDelay = sentence`Write a duration without blanks: 15m or 1h30m. To end an exam earlier: proctor-cli exams update ID --end TIME`;
const aShare = sentence`Write a duration (15m, +1h30m) or a share of the exam's length (25%), without blanks.`;

/** Reads `7d`, `+1w2d` or `-90m`. Throws `InvalidValue`. */
export function parseShift(text: string): ShiftAmount {
  const shift = /^([+-]?)(?:(\d{1,4})w)?(?:(\d{1,5})d)?(.*)$/i;
  const [, sign = '', weeks = '0', ofWeek = '0', rest = ''] = shift.exec(text.trim()) ?? [];
  const days = Number(weeks) * 7 + Number(ofWeek);
  const milliseconds = rest === '' ? 0 : parseDuration(rest, aShift);
  refuseSize(text, days * day + milliseconds, aShift);
  const direction = sign === '-' ? -1 : 1;
  return { days: direction * days, milliseconds: direction * milliseconds };
}

/** Reads `15m` or `+1h30m`, which only make something later. Throws `InvalidValue`. */
export function parseDelay(text: string, hint = aDelay): number {
  if (text.trim().startsWith('-')) throw new InvalidValue(sentence`${quote(text)} would take time away.`, hint);
  const milliseconds = parseDuration(text.trim().replace(/^\+/, ''), hint);
  refuseSize(text, milliseconds, hint);
  return milliseconds;
}

function refuseSize(text: string, milliseconds: number, hint: Sentence): void {
  if (milliseconds === 0) throw new InvalidValue(sentence`${quote(text)} would change nothing.`, hint);
  if (milliseconds > 731 * day) throw new InvalidValue(sentence`${quote(text)} is more than two years.`, hint);
}

/** Reads `25%`, `30m` or `+30m`. Throws `InvalidValue`. */
export function parseExtension(text: string): Extension {
  const percent = /^\+?(\d{1,4}(?:[.,]\d{1,3})?) ?%$/.exec(text.trim())?.[1];
  const milliPercent = Math.round(Number(percent?.replace(',', '.')) * 1000);
  if (milliPercent > wholeLength)
    throw new InvalidValue(sentence`${quote(text)} is more than the whole exam.`, 'Give the time itself, such as --by 5h.');
  return milliPercent > 0 ? { milliPercent } : { milliseconds: parseDelay(text, aShare) };
}

/** The one spelling by which an amount is recognised: `90m` is `1h30m`. */
export function amountInWords(amount: ShiftAmount | Extension): string {
  if ('milliPercent' in amount) return `${amount.milliPercent / 1000}%`;
  const { milliseconds } = amount;
  const days = 'days' in amount ? amount.days : 0;
  const sign = days < 0 || milliseconds < 0 ? '-' : '';
  const inDays = days === 0 ? '' : `${Math.abs(days)}d`;
  return sign + inDays + spelledDuration(Math.abs(milliseconds));
}

/** `2h`, `5d6h`. */
function spelledLength(length: number): string {
  return amountInWords({ days: Math.floor(length / day), milliseconds: length % day });
}

/** "25% of 2h = 30m". `whose`: of the exam, of the session. */
export function spelledShare({ milliPercent }: { milliPercent: number }, length: number, whose = ''): string {
  return `${amountInWords({ milliPercent })} of ${whose}${spelledLength(length)} = ${spelledLength(shareMs(length, milliPercent))}`;
}

/** The two meanings of a share for a session whose own window is shorter than the exam; undefined if they are the same time. */
export function bothReadings(by: { milliPercent: number }, exam: number, own: number): Sentence | undefined {
  if (shareMs(exam, by.milliPercent) === shareMs(own, by.milliPercent)) return undefined;
  return sentence`${spelledShare(by, exam, "the exam's ")}, or ${spelledShare(by, own, 'its own ')}`;
}
