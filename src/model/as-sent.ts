/**
 * Compares a resource with what was sent; the one rule for all writes. No difference: the same instant in another
 * notation, true as 1, an address or a status in another case, a number as text, additional fields. A difference: any other
 * value of a field that was sent. A field that is not shown, and a masked address, prove nothing. With a difference, a create is partly
 * done (9), because the resource exists, and an update is not applied (7).
 */
import { maskIn, mayHide } from './address-key.ts';
import { booleanIn } from './boolean.ts';
import { differenceInWords } from './difference.ts';
import { type FieldRule, ruleOf, type WritableResource } from './fields.ts';
import { type Json, type JsonObject, stringifyJson, textOfJson } from './json.ts';
import { sameInstant } from './time.ts';

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
  for (const [key, value] of Object.entries(sent)) {
    const is = Object.hasOwn(shown, key) ? (shown[key] as Json) : undefined;
    if (is === undefined && value !== null) notShown.push(key);
    else if (same(ruleOf(resource, key), value, is ?? null)) continue;
    else if (key === 'email' && hides(shown, value)) notShown.push(key);
    else different.push(differenceInWords(resource, key, { is: is ?? null, wanted: value, zone }));
  }
  return { different, notShown };
}

/** Whether what is shown in place of the address may hide the one that was sent. */
function hides(shown: JsonObject, sent: Json): boolean {
  const mask = maskIn(shown);
  return mask !== undefined && (typeof sent !== 'string' || mayHide(mask, sent));
}

/** Whether a field shows a value, in any of its forms. */
export function showsValue(resource: WritableResource, key: string, sent: Json, shown: Json): boolean {
  return same(ruleOf(resource, key), sent, shown);
}

function same(rule: FieldRule | undefined, sent: Json, shown: Json): boolean {
  if (rule?.type === 'time' && sent !== null) return sameInstant(sent, shown);
  if (rule?.type === 'boolean' && typeof sent === 'boolean') return booleanIn(shown) === sent;
  if (rule?.type === 'text' && typeof sent === 'string' && typeof shown === 'string')
    return sent.trim().toLowerCase() === shown.trim().toLowerCase();
  if (rule === undefined && isScalar(sent) && isScalar(shown)) return textOfJson(sent).trim() === textOfJson(shown).trim();
  return stringifyJson(sent) === stringifyJson(shown);
}

function isScalar(value: Json): value is string | number | bigint {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint';
}
