/** A time as the service shows or takes it. What it shows may be written in another way than what it was sent. */
import { stringifyJson } from '../../model/json.ts';
import { formatTime, instantOf, sameInstant, showTime, type TimeFormat } from '../../model/time.ts';

/** Null where there is none. */
export type TimeValue = string | number | null;

/** Times by field: the one to be replaced and the one that replaces it. */
export type ChangedFields = { [field: string]: { old: TimeValue; new: TimeValue } };

export function isTimeValue(value: unknown): value is TimeValue {
  return value === null || typeof value === 'string' || typeof value === 'number';
}

/** Whether what the service shows is this moment; null and no field at all are the same. */
export function shows(shown: unknown, moment: TimeValue): boolean {
  return moment === null ? shown === null || shown === undefined : sameInstant(shown, moment);
}

/** What the service shows, for a sentence: an instant as the clocks of the zone show it. */
export function inWords(shown: unknown, zone: string): string {
  return shown === null || shown === undefined ? 'not set' : isTimeValue(shown) ? showTime(shown, zone) : stringifyJson(shown);
}

/** The moment as the service takes it; as it was shown where that form would lose a part of it. */
export function asTaken(moment: TimeValue, format: TimeFormat): TimeValue {
  const instant = instantOf(moment);
  if (instant === undefined) return moment;
  const written = formatTime(instant, format);
  return sameInstant(written, moment) ? written : moment;
}
