/**
 * Durations as people write them: whole numbers with units, the largest first (`30s`, `1h30m`, `15 min`). A number
 * without a unit is refused as ambiguous.
 */

import { type Sentence, sentence } from '../text/sentence.ts';
import { InvalidValue } from './invalid-value.ts';

const shape = /^(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+)s)?(?:(\d+)ms)?$/i;
const milliseconds = [3_600_000, 60_000, 1000, 1];

/** Milliseconds of a duration such as `1500ms`, `30s`, `2m` or `1h30m`. Throws `InvalidValue`. */
export function parseDuration(text: string, hint: Sentence = sentence`Write a number with its unit: 1500ms, 30s, 2m or 1h30m.`): number {
  const parts = text === '' ? null : shape.exec(compact(text));
  if (!parts) throw new InvalidValue(sentence`"${text}" is not a duration${/^\d+$/.test(text) ? ': its unit is missing' : ''}.`, hint);
  const total = milliseconds.reduce((sum, unit, index) => sum + Number(parts[index + 1] ?? 0) * unit, 0);
  if (!Number.isSafeInteger(total)) throw new InvalidValue(sentence`The duration "${text}" is too long.`, hint);
  return total;
}

/** As `parseDuration` reads it: `1h30m`; empty for none. */
export function spelledDuration(duration: number): string {
  const parts = [Math.floor(duration / hour), Math.floor(duration / minute) % 60, Math.floor(duration / second) % 60, duration % second];
  return parts.map((number, at) => (number === 0 ? '' : `${number}${['h', 'm', 's', 'ms'][at]}`)).join('');
}

/** Without the spaces between numbers and units, and `min` as `m`: `1 h 15 min` is `1h15m`. */
function compact(text: string): string {
  return text.replace(/(\d) (?=[a-z])|([a-z]) (?=\d)/gi, '$1$2').replace(/(\d)min(?![a-z])/gi, '$1m');
}

/** The same for longer times, where whole days and weeks are meant as well: `180d`, `26w`. */
export function parseAge(text: string): number {
  const [, number, unit] = /^(\d{1,5})([dw])$/.exec(text.trim()) ?? [];
  return number === undefined ? parseDuration(text) : Number(number) * (unit === 'w' ? 7 : 1) * day;
}

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];

/** A span of time as a person says it, as exact as it matters, cut off and never below 0: `9 min 5 s`, `1 h 13 min`, `3 d 2 h`. */
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
