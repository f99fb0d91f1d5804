/**
 * Extra time for a student as offices write it: a share of the window (25%, 1.25×), a length of time (15 min), or both. A text that has
 * two readings is refused with both of them, unless the header of its column has the unit. Shares are counted in hundred-thousandths, so
 * that no binary fraction adds a minute. The target is the close time that a student with it is to have, computed from the exam and never
 * from the present close time: computed twice it is the same, and when the exam moves, it moves along. Durations are elapsed time.
 */
import { type Sentence, sentence } from '../text/sentence.ts';
import { count } from './count.ts';
import { InvalidValue } from './invalid-value.ts';

/** `share`: hundred-thousandths of the window. `plus`: milliseconds. */
export type ExtraTime = { share: number; plus: number };

export const noExtraTime: ExtraTime = { share: 0, plus: 0 };
/** The share that is the whole window. */
const wholeWindow = 100_000;

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];
/** A longer one is a slip of the hand. Milliseconds. */
const longestExtraTime = day;
/** The greatest share: ten windows on top of one. */
const greatestShare = 10 * wholeWindow;

const number = String.raw`\d{1,6}(?:[.,]\d{1,3})?`;
const percents = '%|percent|per ?cent|prozent|pour ?cent|por ?ciento|per ?cento|por ?cento|procent';
const hours = 'h|hrs?|hours?|std|stdn?|stunden?|heures?|horas?|or[ae]|uur|uren|godz';
const minutes = 'm|mins?|minutes?|minuten?|minutos?|minut[io]?|minuut|minuty';
const seconds = 's|sec|secs|seconds?|sek|sekunden?';

const percent = new RegExp(`^\\+?(${number}) ?(?:${percents})$`);
const factor = new RegExp(`^(?:(${number}) ?[x×]|[x×] ?(${number}))$`);
const bare = new RegExp(`^(${number})$`);
/** One number, with whatever unit. */
const single = new RegExp(`^(?:[x×] ?)?(${number})(?: ?(?:${percents}|[x×]|${hours}|${minutes})\\.?)?$`);
const length = new RegExp(
  `^\\+?(?:(${number}) ?(?:${hours})\\.?)?(?: ?(${number}) ?(?:${minutes})\\.?)?(?: ?(${number}) ?(?:${seconds})\\.?)?$`,
);
const words = [
  ['%', new RegExp(`^(?:${percents})\\.?$`)],
  ['×', /^[x×]$/],
  ['h', new RegExp(`^(?:${hours})\\.?$`)],
  ['m', new RegExp(`^(?:${minutes})\\.?$`)],
] as const;
/** What a number alone counts. */
export type Unit = (typeof words)[number][0];

/** The one unit that a header names, and its other words: `Zeitverlängerung (%)`, `extra time in minutes`. */
export function unitOf(header: string): { unit: Unit; rest: string } | undefined {
  const all = plain(header.slice(0, 200))
    .replaceAll('%', ' % ')
    .split(/[\s()[\]/,:_-]+/);
  const found = all.map((word) => words.find(([, pattern]) => pattern.test(word))?.[0]);
  const [unit, ...others] = new Set(found.filter((each) => each !== undefined));
  if (unit === undefined || others.length > 0) return undefined;
  return { unit, rest: all.filter((word, at) => found[at] === undefined && word !== 'in').join(' ') };
}

/** One spelling for all of them: no case, one kind of blank, full-width signs as plain ones. */
function plain(text: string): string {
  return text.normalize('NFKC').trim().toLowerCase().replaceAll(/\s+/g, ' ');
}

const shareHint = sentence`Write a share of the window (25% or 1.25×) or a length of time (15m).`;

/** Nothing, written out: `0%`, `1×`, `0m`, `0 min`. `unit`: of its column. */
export function isNoExtraTime(text: string, unit?: Unit): boolean {
  const written = inUnit(plain(text), unit);
  const [, before, behind] = factor.exec(written) ?? [];
  const share = percent.exec(written)?.[1] ?? bare.exec(written)?.[1];
  if (share !== undefined) return decimal(share) === 0;
  if (before !== undefined || behind !== undefined) return decimal(before ?? behind ?? '') === 1;
  return lengthIn(written) === 0;
}

/** Reads `25%`, `1.25×`, `15 min` or `25% + 15 min`. `unit`: that of its column, which counts for a single number. Throws `InvalidValue`. */
export function parseExtraTime(text: string, unit?: Unit): ExtraTime {
  const [first = '', second, ...more] = plain(text).replace(/^\+/, '').split('+');
  if (second === undefined) return amountIn(inUnit(first.trim(), unit), text);
  const [one, other] = [amountIn(first.trim(), first.trim() || text), amountIn(second.trim(), second.trim() || text)];
  if (more.length > 0 || one.share > 0 === other.share > 0)
    throw new InvalidValue(sentence`"${text}" is not one share of the window and one length of time.`, 'Write each once: 25% + 10m.');
  return { share: one.share + other.share, plus: one.plus + other.plus };
}

/** A single number with the unit of its column, which wins over its own. */
function inUnit(written: string, unit: Unit | undefined): string {
  const alone = unit === undefined ? undefined : single.exec(written)?.[1];
  return alone === undefined ? written : `${alone}${unit}`;
}

/** `text`: as it is quoted in messages. */
function amountIn(written: string, text: string): ExtraTime {
  if (/^[-−–]/.test(written)) throw new InvalidValue(sentence`"${text}" is negative: extra time is never taken away.`, shareHint);
  const percentage = percent.exec(written)?.[1];
  if (percentage !== undefined) return { share: shareOfPercent(decimal(percentage), text), plus: 0 };
  const [, before, behind] = factor.exec(written) ?? [];
  const times = before ?? behind;
  if (times !== undefined) return { share: shareOfFactor(decimal(times), text), plus: 0 };
  const alone = bare.exec(written)?.[1];
  if (alone !== undefined) throw withoutUnit(decimal(alone), text);
  const plus = lengthIn(written);
  if (plus === undefined) throw new InvalidValue(sentence`"${text}" is not an extra time.`, shareHint);
  return { share: 0, plus: checkedLength(plus, text) };
}

function decimal(text = '0'): number {
  return Number(text.replace(',', '.'));
}

function shareOfPercent(value: number, text: string): number {
  const share = Math.round(value * 1000);
  if (share === 0) throw new InvalidValue(sentence`"${text}" would change nothing.`, shareHint);
  if (share <= wholeWindow) return share;
  const more = `${inDecimals(value / 100 + 1)}×`;
  const factorOnly = `${inDecimals(value / 100)}×`;
  throw new InvalidValue(
    sentence`"${text}" is ambiguous: ${text} more (${more}), or ${text} of the window (${factorOnly}).`,
    sentence`Write ${more} or ${factorOnly}.`,
  );
}

function shareOfFactor(value: number, text: string): number {
  const share = Math.round((value - 1) * wholeWindow);
  if (share <= 0) {
    throw new InvalidValue(
      sentence`"${text}" is not more than the window: 1.25× means a quarter more.`,
      value > 0 && value < 1 ? sentence`Write ${inDecimals(1 + value)}× or ${inDecimals(value * 100)}%.` : shareHint,
    );
  }
  if (share > greatestShare) throw new InvalidValue(sentence`"${text}" is more than ten times the window.`, shareHint);
  return share;
}

function inDecimals(value: number): string {
  return String(Math.round(value * 1e5) / 1e5);
}

/** A number alone: what it can mean, so that the user can say which. */
function withoutUnit(value: number, text: string): InvalidValue {
  const readings: Sentence[] = [];
  if (value >= 1)
    readings.push(value > 100 ? sentence`${text} percent more (${inDecimals(1 + value / 100)}×)` : sentence`${text} percent (${text}%)`);
  if (value > 100) readings.push(sentence`${text} percent of the window (${inDecimals(value / 100)}×)`);
  if (value > 1 && value < 10) readings.push(sentence`${text} times the window (${text}×)`);
  if (value < 1) readings.push(sentence`a share of ${inDecimals(value * 100)}%`, sentence`${text} percent (${text}%)`);
  if (Number.isInteger(value) && value >= 1) readings.push(sentence`${count(value, 'minute')} (${text}m)`);
  const [last, ...others] = readings.reverse();
  const all = others.length === 0 ? last : `${others.reverse().join(', ')} or ${last}`;
  return new InvalidValue(sentence`"${text}" has no unit: it can mean ${all}.`, 'Write it with its unit.');
}

function lengthIn(said: string): number | undefined {
  // 1h30, as French clocks have it.
  const written = said.replace(/^(\d{1,3}) ?h ?([0-5]\d)$/, '$1h$2m');
  const [all, hours, minutes, seconds] = length.exec(written) ?? [];
  if (!all || !(hours ?? minutes ?? seconds)) return undefined;
  return Math.round(decimal(hours) * hour + decimal(minutes) * minute + decimal(seconds) * second);
}

function checkedLength(plus: number, text: string): number {
  if (plus === 0) throw new InvalidValue(sentence`"${text}" would change nothing.`, 'Write a length of time such as 10m.');
  if (plus > longestExtraTime) throw new InvalidValue(sentence`"${text}" is more than a day.`, 'Write at most 24h.');
  return plus;
}

/**
 * When the exam starts and ends, undefined where the service does not show it, and the student's own opening, where there
 * is one. Milliseconds since 1970.
 */
type TargetWindow = { starts: number | undefined; ends: number | undefined; opens?: number | undefined };

/** The time on top of a window of so many milliseconds. Milliseconds, a part of one counted as one. */
function extraMilliseconds(window: number, { share, plus }: ExtraTime): number {
  const parts = window * share;
  // Both are whole numbers, and so are quotient and remainder: no share is a binary fraction here.
  const rest = parts % wholeWindow;
  return (parts - rest) / wholeWindow + (rest > 0 ? 1 : 0) + plus;
}

/**
 * The end of the exam, or of the student's own window if it opens later and is as long as the exam, and the extra time
 * on top; rounded up to the minute. Milliseconds since 1970; undefined without extra time; in words, why the exam gives no
 * target.
 */
export function targetTime({ starts, ends, opens }: TargetWindow, extra: ExtraTime): number | Sentence | undefined {
  if (extra.share === 0 && extra.plus === 0) return undefined;
  if (starts === undefined || ends === undefined) return sentence`the exam does not show its start and end`;
  if (ends <= starts) return sentence`the exam ends before it starts`;
  const window = ends - starts;
  const more = extraMilliseconds(window, extra);
  if (more > longestExtraTime) return sentence`its extra time would be more than a day`;
  const base = opens !== undefined && opens > starts ? Math.max(ends, opens + window) : ends;
  return Math.ceil((base + more) / minute) * minute;
}
