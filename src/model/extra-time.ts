/**
 * Extra time as offices write it: a share of the window (25%, 1.25×), a length of time (15 min), or both. The
 * target is the close time of a student who has it. It is computed from the exam, never from the present
 * close time: again and again, it is the same.
 */
import { normalForm } from '../text/fold.ts';
import { quote, type Sentence, sentence } from '../text/sentence.ts';
import { hourWord, lengthIn, minuteWord } from './duration.ts';
import { InvalidValue } from './invalid-value.ts';

/** `milliPercent`: of the window, in whole numbers; a fraction could add a minute. */
export type ExtraTime = { milliPercent: number; milliseconds: number };

export type Unit = '%' | '×' | 'h' | 'm';

/** 100 %, in thousandths of a percent. */
export const wholeLength = 100_000;
/** Ten windows, and a day in milliseconds: more is a slip of the hand. */
const [greatestShare, longestExtraTime] = [10 * wholeLength, 86_400_000];

const number = String.raw`(\d{1,6}(?:[.,]\d{1,3})?)`;
const percents = '%|percent|per ?cent|prozent|pour ?cent|por ?ciento|per ?cento|por ?cento|procent';
const percent = new RegExp(`^${number} ?(?:${percents})$`);
const factor = new RegExp(`^(?:${number} ?[x×]|[x×] ?${number})$`);
const bare = new RegExp(`^${number}$`);
const single = new RegExp(`^(?:[x×] ?)?${number} ?(.*)$`, 's');
const unitWords: readonly (readonly [Unit, RegExp])[] = [
  ['%', new RegExp(`^(?:${percents})$`)],
  ['×', /^[x×]$/],
  ['h', hourWord],
  ['m', minuteWord],
];

function unitNamed(word: string): Unit | undefined {
  return unitWords.find(([, pattern]) => pattern.test(word))?.[0];
}

/** The unit in a header, and its other words: `Zeitverlängerung (%)`, `extra time in minutes`. */
export function unitOf(header: string): { unit: Unit; rest: string } | undefined {
  const spaced = normalisedText(header.slice(0, 200)).replaceAll('%', ' % ');
  const all = spaced.split(/[\s()[\]/,:_-]+/);
  const found = all.map(unitNamed);
  const [unit, ...others] = new Set(found.filter((each) => each !== undefined));
  if (unit === undefined || others.length > 0) return undefined;
  const rest = all.filter((word, at) => found[at] === undefined && word !== 'in');
  return { unit, rest: rest.join(' ') };
}

function normalisedText(text: string): string {
  return normalForm(text, 'NFKC').trim().toLowerCase().replaceAll(/\s+/g, ' ');
}

const hint = sentence`Write a share of the exam's length (25% or 1.25×), a length of time (15m), or both: 25% + 10m.`;

/** `unit`: of the column, which a number alone has. Throws `InvalidValue`, also for what has two readings. */
export function parseExtraTime(text: string, unit?: Unit): ExtraTime {
  const written = normalisedText(text).replace(/^\+ ?/, '');
  const [, alone, word] = single.exec(written) ?? [];
  const [, whole, part] = /^(\d{1,4}):(\d\d)(?::\d\d)?$/.exec(written) ?? [];
  if (whole !== undefined) throw new InvalidValue(sentence`${quote(text)} is ambiguous: ${whole}h ${part}m, or ${whole}m ${part}s.`, hint);
  const own = word === '' ? unit : unitNamed(word ?? '');
  const value = decimal(alone);
  // A number with the sign is a percentage from 1 on; 0.25% may mean a quarter.
  const least = word === '' ? 5 : 1;
  const isPart = own === '%' ? value > 0 && value < least : own === 'm' && value % 1 > 0 && value < 3;
  const isOther = unit !== undefined && own !== undefined && own !== unit;
  if (isPart || isOther) {
    const other = isOther ? `${value}${unit}` : value <= 1 ? `${inDecimals(value * 100)}%` : `${value}×`;
    throw new InvalidValue(sentence`${quote(text)} is ambiguous: it can mean ${other} or ${value}${own}.`, hint);
  }
  const parts = own !== undefined && word === '' ? [`${alone}${own}`] : written.split('+');
  const amounts = parts.map((part) => amountIn(part.trim(), text));
  const isOneOfEach = new Set(amounts.flatMap(Object.keys)).size === amounts.length;
  if (isOneOfEach) return Object.assign({ milliPercent: 0, milliseconds: 0 }, ...amounts);
  throw new InvalidValue(sentence`${quote(text)} is not one share of the window and one length of time.`, hint);
}

function amountIn(written: string, text: string): { milliPercent: number } | { milliseconds: number } {
  const refused = (why: Sentence) => new InvalidValue(sentence`${quote(text)} ${why}.`, hint);
  if (/^[-−–]/.test(written)) throw refused(sentence`is negative: extra time is never taken away`);
  const percentage = decimal(percent.exec(written)?.[1]);
  if (percentage > 100) {
    const [more, whole] = [inDecimals(percentage / 100 + 1), inDecimals(percentage / 100)];
    throw refused(sentence`is ambiguous: that much more (${more}×), or that much of the window (${whole}×)`);
  }
  if (percentage >= 0) return { milliPercent: Math.round(percentage * 1000) };
  const [, before, behind] = factor.exec(written) ?? [];
  const milliPercent = Math.round((decimal(before ?? behind) - 1) * wholeLength);
  if (milliPercent < 0) throw refused(sentence`is less than the window: 1.25× means a quarter more`);
  if (milliPercent > greatestShare) throw refused(sentence`is more than ten times the window`);
  if (milliPercent >= 0) return { milliPercent };
  if (bare.test(written)) throw refused(sentence`has no unit: it can mean ${readingsOf(decimal(written)).join(' or ')}`);
  const milliseconds = lengthIn(written);
  if (milliseconds === undefined) throw refused(sentence`is not an extra time`);
  if (milliseconds > longestExtraTime) throw refused(sentence`is more than a day`);
  return { milliseconds };
}

function readingsOf(value: number): string[] {
  const readings = [`${value}%`];
  if (value < 1) readings.unshift(`${inDecimals(value * 100)}%`);
  if (value > 1 && value < 10) readings.unshift(`${value}×`);
  if (Number.isInteger(value)) readings.push(`${value}m`);
  return readings;
}

function decimal(text = 'none'): number {
  return Number(text.replace(',', '.'));
}

function inDecimals(value: number): string {
  return String(Math.round(value * 1e5) / 1e5);
}

/** A share of a length of time, rounded up to full minutes. */
export function shareMs(lengthMs: number, milliPercent: number): number {
  return Math.ceil((lengthMs * milliPercent) / wholeLength / 60_000) * 60_000;
}

/** The length of a window of the student's own, where it is shorter than the exam: a share can mean either. */
export function shorterWindow(exam: number, opens: number | undefined, closes: number | undefined): number | undefined {
  const own = opens === undefined || closes === undefined ? exam : closes - opens;
  return own < exam ? own : undefined;
}

/** Milliseconds since 1970. */
type TargetWindow = {
  starts: number | undefined;
  ends: number | undefined;
  /** The student's own opening. */
  opens: number | undefined;
};

/**
 * The extra time on top of the exam's end, or of the end of a window that opens later and is as long; rounded up
 * to the minute. Milliseconds since 1970; in words, why there is no target.
 */
export function targetTime({ starts, ends, opens }: TargetWindow, { milliPercent, milliseconds }: ExtraTime): number | Sentence {
  if (starts === undefined || ends === undefined) return sentence`the exam does not show its start and end`;
  if (ends <= starts) return sentence`the exam ends before it starts`;
  const window = ends - starts;
  // The product is a whole number, and the quotient is exact where it is one.
  const more = Math.ceil((window * milliPercent) / wholeLength) + milliseconds;
  if (more > longestExtraTime) return sentence`its extra time would be more than a day`;
  const base = opens !== undefined && opens > starts ? Math.max(ends, opens + window) : ends;
  return Math.ceil((base + more) / 60_000) * 60_000;
}
