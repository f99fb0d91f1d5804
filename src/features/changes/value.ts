/** A time as the service shows or takes it. The service may show a time in another form than the one it was sent. */
import { stringifyJson } from '../../model/json.ts';
import { formatTime, instantOf, sameInstant, showTime, type TimeFormat } from '../../model/time.ts';

/** Null if there is none. */
export type TimeValue = string | number | null;

/** Times by field, each with its old and its new value. */
export type ChangedFields = { [field: string]: { old: TimeValue; new: TimeValue } };

export function isTimeValue(value: unknown): value is TimeValue {
  return value === null || typeof value === 'string' || typeof value === 'number';
}

/** Whether the service shows this moment; null and a missing field are equal. */
export function shows(shown: unknown, moment: TimeValue): boolean {
  return moment === null ? shown === null || shown === undefined : sameInstant(shown, moment);
}

/** A shown time for a sentence: an instant in local time of the zone. */
export function inWords(shown: unknown, zone: string): string {
  return shown === null || shown === undefined ? 'not set' : isTimeValue(shown) ? showTime(shown, zone) : stringifyJson(shown);
}

/** The moment as the service takes it; in the form shown if conversion would lose precision. */
export function asTaken(moment: TimeValue, format: TimeFormat): TimeValue {
  const instant = instantOf(moment);
  if (instant === undefined) return moment;
  const written = formatTime(instant, format);
  return sameInstant(written, moment) ? written : moment;
}
