/** A close_time as the service shows or takes it. What it shows may be written in another way than what it was sent. */
import { stringifyJson } from '../../model/json.ts';
import { sameInstant, showTime } from '../../model/time.ts';

/** Null where there is none. */
export type CloseTime = string | number | null;

export function isCloseTime(value: unknown): value is CloseTime {
  return value === null || typeof value === 'string' || typeof value === 'number';
}

/** Whether what the service shows is this moment; null and no field at all are the same. */
export function shows(shown: unknown, moment: CloseTime): boolean {
  return moment === null ? shown === null || shown === undefined : sameInstant(shown, moment);
}

/** What the service shows, for a sentence: an instant as the clocks of the zone show it. */
export function inWords(shown: unknown, zone: string): string {
  return shown === null || shown === undefined ? 'not set' : isCloseTime(shown) ? showTime(shown, zone) : stringifyJson(shown);
}
