/** Lengths of time as people write them, the largest unit first: `30s`, `15 min`, `1,5 Stunden`, `1h30`. */
import { quote, type Sentence, sentence } from '../text/sentence.ts';
import { InvalidValue } from './invalid-value.ts';

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];

export const hourWord = /^(?:h|hrs?|hours?|stdn?|stunden?|heures?|horas?|or[ae]|uur|uren|godz)\.?$/i;
export const minuteWord = /^(?:m|mn|mins?|minutes?|minuten?|minutos?|minut[io]?|minuut|minuty)\.?$/i;
const secondWord = /^(?:s|sec|secs|seconds?|sek|sekunden?)\.?$/i;
const units: readonly [RegExp, number][] = [
  [hourWord, hour],
  [minuteWord, minute],
  [secondWord, second],
  [/^ms$/i, 1],
];

/** Milliseconds; undefined for other texts, such as a number without its unit. */
export function lengthIn(text: string): number | undefined {
  // 1h30, as French clocks have it, and 1:30:00, as spreadsheets do.
  const spelled = text.replace(/^(\d{1,3}) ?h ?([0-5]\d)$/i, '$1h$2m').replace(/^(\d{1,4}):([0-5]\d):([0-5]\d)(?: h)?$/, '$1h$2m$3s');
  if (!/^\d/.test(spelled)) return undefined;
  let [sum, read, last] = [0, 0, -1];
  // Node takes ten milliseconds to build one pattern for all units.
  for (const [part, amount = '', word = ''] of spelled.matchAll(/ ?(\d+(?:[.,]\d{1,3})?) ?(ms|[a-z]+\.?)/giy)) {
    const at = units.findIndex(([words]) => words.test(word));
    // 1.30 h may be an hour and a half; 1.25 and 1.5 are parts of one.
    if (at <= last || (hourWord.test(word) && /[.,](?!00|25|50)[0-5]\d$/.test(amount))) return undefined;
    sum += Number(amount.replace(',', '.')) * (units[at]?.[1] ?? Number.NaN);
    [read, last] = [read + part.length, at];
  }
  return read === spelled.length ? Math.round(sum) : undefined;
}

const durationExample = sentence`Write a number with its unit: 1500ms, 30s, 2m or 1h30m.`;

/** Milliseconds. Throws `InvalidValue`. */
export function parseDuration(text: string, hint: Sentence = durationExample): number {
  const found = lengthIn(text);
  const why = /^\d+$/.test(text) ? ': its unit is missing' : '';
  if (found === undefined) throw new InvalidValue(sentence`${quote(text)} is not a duration${why}.`, hint);
  if (!Number.isSafeInteger(found)) throw new InvalidValue(sentence`The duration ${quote(text)} is too long.`, hint);
  return found;
}

/** A duration as `parseDuration` reads it: `1h30m`; empty for none. */
export function spelledDuration(duration: number): string {
  const parts = [
    [Math.floor(duration / hour), 'h'],
    [Math.floor(duration / minute) % 60, 'm'],
    [Math.floor(duration / second) % 60, 's'],
    [duration % second, 'ms'],
  ];
  return parts.map(([number, unit]) => (number === 0 ? '' : `${number}${unit}`)).join('');
}

/** A duration that may also be in whole days and weeks: `180d`, `26w`. */
export function parseAge(text: string): number {
  const [, number, unit] = /^(\d{1,5})([dw])$/.exec(text.trim()) ?? [];
  return number === undefined ? parseDuration(text) : Number(number) * (unit === 'w' ? 7 : 1) * day;
}

/** A duration as exact as it matters, cut off and never below 0: `9 min 5 s`, `1 h 13 min`, `3 d 2 h`. */
export function durationInWords(span: number): string {
  const left = Math.max(0, span);
  if (left < minute) return `${Math.floor(left / second)} s`;
  if (left < 10 * minute) return two(left, minute, 'min', second, 's');
  if (left < hour) return `${Math.floor(left / minute)} min`;
  return left < 2 * day ? two(left, hour, 'h', minute, 'min') : two(left, day, 'd', hour, 'h');
}

function two(span: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((span % large) / small);
  return `${Math.floor(span / large)} ${largeName}${rest === 0 ? '' : ` ${rest} ${smallName}`}`;
}
