/** Times that move along with their exam. */
import { sentence } from '../text/sentence.ts';
import { type ExamTime, examTimes } from './fields.ts';
import { InvalidValue } from './invalid-value.ts';
import { type Json, type JsonObject, stringifyJson } from './json.ts';
import { instantOf } from './time.ts';
import { movedEnd } from './typed-time.ts';

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
