/**
 * Compares a resource with what was sent; the one rule for all writes. No difference: the same instant in another
 * notation, true as 1, an address or a status in another case, a number as text, additional fields. A difference: any other
 * value of a field that was sent. A field that is not shown, and a masked address, prove nothing.
 */
import { maskIn } from './address-key.ts';
import { ruleOf, type WritableResource } from './fields.ts';
import { booleanIn, fieldAt, type Json, type JsonObject, stringifyJson, textOfJson } from './json.ts';
import { phaseOf, statusText } from './status.ts';
import { instantOf, sameInstant, showTime } from './time.ts';

export type Change = { field: string; from: Json; to: Json };

/** What is wanted, and shown otherwise. A time that a record leaves out is not set; of any other field that proves nothing. */
export function compared(resource: WritableResource, wanted: JsonObject, shown: JsonObject): { changes: Change[]; notShown: string[] } {
  const [changes, notShown]: [Change[], string[]] = [[], []];
  for (const [field, to] of Object.entries(wanted)) {
    const isNone = to === null || ruleOf(resource, field)?.type === 'time';
    const from = fieldAt(shown, field) ?? (isNone || fieldAt(shown, field) === null ? null : undefined);
    if (from === undefined) notShown.push(field);
    else if (showsValue(resource, field, to, from)) continue;
    else if (field === 'email' && maskIn(shown) !== undefined) notShown.push(field);
    else changes.push({ field, from, to });
  }
  return { changes, notShown };
}

/** The same in words, such as "close_time is A, not B". `zone`: the time zone for messages. */
export function asSent(resource: WritableResource, sent: JsonObject, shown: JsonObject, zone: string) {
  const { changes, notShown } = compared(resource, sent, shown);
  return { different: changes.map((change) => differenceInWords(resource, change, zone)), notShown };
}

/** The first expected value that is not shown any more, in words. A status is the same within its phase. */
export function unexpected(
  resource: WritableResource,
  { status, ...expects }: JsonObject = {},
  shown: JsonObject,
  zone: string,
): string | undefined {
  const [is, phase] = [statusText(shown.status), phaseOf(status)];
  const isSame = status === undefined || statusText(status) === is || (phase !== undefined && phase === phaseOf(shown.status));
  const { different, notShown } = asSent(resource, isSame ? expects : { ...expects, status }, shown, zone);
  const [first] = [...different.map((each) => each.replace(' is ', ' is now ')), ...notShown.map((field) => `${field} is no longer shown`)];
  return first;
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
export function differenceInWords(resource: WritableResource, { field, from, to }: Change, zone: string): string {
  const isTime = ruleOf(resource, field)?.type === 'time';
  const shown = (value: Json) => (isTime && instantOf(value) !== undefined ? showTime(value, zone) : stringifyJson(value));
  const [left, right] = [shown(from), shown(to)];
  // A difference below the displayed precision would show two equal texts.
  return left === right ? `${field} is ${stringifyJson(from)}, not ${stringifyJson(to)}` : `${field} is ${left}, not ${right}`;
}
