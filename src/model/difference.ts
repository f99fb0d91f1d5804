/** The differences between a resource and what was sent, in words; times in a zone. */
import { ruleOf, type WritableResource } from './fields.ts';
import { type Json, stringifyJson } from './json.ts';
import { instantOf, showTime } from './time.ts';

/** `close_time is 2027-02-01 11:00 +01:00, not 2027-02-01 12:00 +01:00`. */
export function differenceInWords(
  resource: WritableResource,
  field: string,
  { is, wanted, zone }: { is: Json; wanted: Json; zone: string },
): string {
  const isTime = ruleOf(resource, field)?.type === 'time';
  const shown = (value: Json) => (isTime && instantOf(value) !== undefined ? showTime(value, zone) : stringifyJson(value));
  const [left, right] = [shown(is), shown(wanted)];
  // A difference below the displayed precision would show two equal texts.
  return left === right ? `${field} is ${stringifyJson(is)}, not ${stringifyJson(wanted)}` : `${field} is ${left}, not ${right}`;
}
