/**
 * Compares a resource with what was sent; the one rule for all writes. No difference: the same instant in
 * another notation, true as 1, another spelling of an address, a status in another case, a number as text, accents
 * that are composed otherwise, further fields. A field that is not shown, and a masked address, prove nothing.
 */
import { normalForm } from '../text/fold.ts';
import { ruleOf, type WritableResource } from './fields.ts';
import { booleanIn, fieldAt, isScalar, type Json, type JsonObject, stringifyJson, textOfJson } from './json.ts';
import { addressKey, maskIn } from './listing.ts';
import { phaseOf, statusText } from './status.ts';
import { instantOf, sameInstant, showTime } from './time.ts';

export type FieldChange = { field: string; from: Json; to: Json };

/** A time that is not shown is not set. */
export function compared(resource: WritableResource, wanted: JsonObject, shown: JsonObject) {
  const [changes, notShown]: [FieldChange[], string[]] = [[], []];
  for (const [field, to] of Object.entries(wanted)) {
    const isUnset = to === null || ruleOf(resource, field)?.type === 'time';
    const value = fieldAt(shown, field);
    const from = value === undefined && isUnset ? null : value;
    if (from === undefined) notShown.push(field);
    else if (showsValue(resource, field, to, from)) continue;
    else if (field === 'email' && maskIn(shown) !== undefined) notShown.push(field);
    else changes.push({ field, from, to });
  }
  return { changes, notShown };
}

/** The differences of `compared`, in words. */
export function differences(resource: WritableResource, sent: JsonObject, shown: JsonObject, zone: string) {
  const { changes, notShown } = compared(resource, sent, shown);
  return { different: changes.map((change) => differenceInWords(resource, change, zone)), notShown };
}

/** The first expected value that is not shown any more. A status is the same within its phase. */
export function unexpected(
  resource: WritableResource,
  { status, ...others }: JsonObject = {},
  shown: JsonObject,
  zone: string,
): string | undefined {
  const phase = phaseOf(status);
  const isSamePhase = phase !== undefined && phase === phaseOf(shown.status);
  const isSame = status === undefined || isSamePhase || statusText(status) === statusText(shown.status);
  // A no that is left out is a no still: a yes would be shown.
  const values = Object.entries(isSame ? others : { ...others, status }).filter(([field, value]) => value !== false || field in shown);
  const { different, notShown } = differences(resource, Object.fromEntries(values), shown, zone);
  if (different[0] !== undefined) return different[0].replace(' is ', ' is now ');
  return notShown[0] && `${notShown[0]} is no longer shown`;
}

export function showsValue(resource: WritableResource, key: string, sent: Json, shown: Json): boolean {
  const type = ruleOf(resource, key)?.type;
  if (type === 'time' && sameInstant(sent, shown)) return true;
  if (type === 'boolean' && booleanIn(sent) !== undefined) return booleanIn(shown) === booleanIn(sent);
  if (type === 'address' && typeof sent === 'string' && typeof shown === 'string') return addressKey(sent) === addressKey(shown);
  if ((type === undefined || type === 'text') && isScalar(sent) && isScalar(shown))
    return normalForm(textOfJson(sent).trim(), 'NFC') === normalForm(textOfJson(shown).trim(), 'NFC');
  return stringifyJson(sent) === stringifyJson(shown);
}

/** `close_time is 2027-02-01 11:00 +01:00, not 2027-02-01 12:00 +01:00`; `name is empty, not "Ada"`. */
export function differenceInWords(resource: WritableResource, { field, from, to }: FieldChange, zone: string): string {
  const isTime = ruleOf(resource, field)?.type === 'time';
  const shown = (value: Json) => {
    if (value === null) return 'empty';
    return isTime && instantOf(value) !== undefined ? showTime(value, zone) : stringifyJson(value);
  };
  if (shown(from) !== shown(to)) return `${field} is ${shown(from)}, not ${shown(to)}`;
  // The two times differ by less than is displayed.
  return `${field} is ${stringifyJson(from)}, not ${stringifyJson(to)}`;
}

/** The values that a change replaces; a field that the resource does not show cannot be set back. */
export function replacedBy(fields: readonly string[], shown: JsonObject): JsonObject {
  const known = fields.filter((field) => Object.hasOwn(shown, field));
  return shownOf(known, shown);
}

/** Null where it is not shown. */
export function shownOf(fields: readonly string[], shown: JsonObject): JsonObject {
  return Object.fromEntries(fields.map((field) => [field, shown[field] ?? null]));
}
