/**
 * Compares a resource with what was sent; the one rule for all writes. No difference: the same instant in another
 * notation, true as 1, an address or a status in another case, a number as text, additional fields. A difference: any other
 * value of a field that was sent. A field that is not shown, and a masked address, prove nothing.
 */
import { maskIn } from './address-key.ts';
import { ruleOf, type WritableResource } from './fields.ts';
import { booleanIn, type Json, type JsonObject, stringifyJson, textOfJson } from './json.ts';
import { instantOf, sameInstant, showTime } from './time.ts';

export type AsSent = {
  /** "close_time is A, not B", for each field that is shown with another value. */
  different: string[];
  /** Fields that were sent and are not shown. */
  notShown: string[];
};

/** `zone`: the time zone for messages. */
export function asSent(resource: WritableResource, sent: JsonObject, shown: JsonObject, zone: string): AsSent {
  const different: string[] = [];
  const notShown: string[] = [];
  for (const [key, wanted] of Object.entries(sent)) {
    const is = Object.hasOwn(shown, key) ? (shown[key] as Json) : undefined;
    if (is === undefined && wanted !== null) notShown.push(key);
    else if (showsValue(resource, key, wanted, is ?? null)) continue;
    else if (key === 'email' && maskIn(shown) !== undefined) notShown.push(key);
    else different.push(differenceInWords(resource, key, { is: is ?? null, wanted, zone }));
  }
  return { different, notShown };
}

/** Whether a field shows a value, in any of its forms. */
export function showsValue(resource: WritableResource, key: string, sent: Json, shown: Json): boolean {
  const type = ruleOf(resource, key)?.type;
  if (type === 'time' && sameInstant(sent, shown)) return true;
  if (type === 'boolean' && typeof sent === 'boolean') return booleanIn(shown) === sent;
  if (type === 'text' && typeof sent === 'string' && typeof shown === 'string')
    return sent.trim().toLowerCase() === shown.trim().toLowerCase();
  const isScalar = (value: Json) => ['string', 'number', 'bigint'].includes(typeof value);
  if (type === undefined && isScalar(sent) && isScalar(shown)) return textOfJson(sent).trim() === textOfJson(shown).trim();
  return stringifyJson(sent) === stringifyJson(shown);
}

/** `close_time is 2027-02-01 11:00 +01:00, not 2027-02-01 12:00 +01:00`: times in a zone. */
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
