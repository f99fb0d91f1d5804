/**
 * Values in MongoDB's Extended JSON (version 2, and `$date` of version 1): `{"$oid": "…"}`, `{"$date": …}` and the
 * numbers. The notation says what each value is, and counts dates in milliseconds, so nothing is guessed.
 */
import { isJsonObject, type Json, type JsonObject, parseJson } from './json.ts';
import { formatTime, instantOf } from './time.ts';

/**
 * The object with plain values in the fields that are `read`, or the object itself if it has no other. What is not clear
 * stays as it is.
 */
export function plainFields(object: JsonObject, read: (key: string) => boolean = () => true): JsonObject {
  let plain: JsonObject | undefined;
  for (const key in object) {
    const value = object[key] as Json;
    if (typeof value !== 'object' || value === null || !read(key)) continue;
    const is = plainValue(value);
    if (is === value) continue;
    plain ??= { ...object };
    Object.defineProperty(plain, key, { value: is, enumerable: true, writable: true, configurable: true });
  }
  return plain ?? object;
}

function plainValue(value: Json): Json {
  if (Array.isArray(value)) {
    const items = value.map(plainValue);
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  if (!isJsonObject(value)) return value;
  const [key = '', ...others] = Object.keys(value);
  if (!key.startsWith('$') || others.length > 0) return plainFields(value);
  return meaningOf(key, value[key] as Json) ?? value;
}

const wholeNumber = /^-?(0|[1-9]\d*)$/;

function meaningOf(key: string, value: Json): Json | undefined {
  if (key === '$date') return dateOf(value);
  if (typeof value !== 'string') return undefined;
  if (key === '$oid') return /^[\da-f]{24}$/i.test(value) ? value : undefined;
  if (key === '$uuid') return /^[\da-f-]{36}$/i.test(value) ? value : undefined;
  if (key === '$numberInt' || key === '$numberLong') return wholeNumber.test(value) ? parseJson(value) : undefined;
  if (key === '$numberDouble' && /^-?\d+(\.\d+)?$/.test(value)) return parseJson(value.replace(/\.0+$/, ''));
  return undefined;
}

/** A time in ISO 8601, or milliseconds since 1970. */
function dateOf(value: Json): string | undefined {
  if (typeof value === 'string') return instantOf(value) === undefined ? undefined : value;
  const milliseconds = isJsonObject(value) ? plainValue(value) : value;
  if (typeof milliseconds !== 'number' || !Number.isSafeInteger(milliseconds)) return undefined;
  const last = Date.UTC(9999, 11, 31);
  return Math.abs(milliseconds) > last ? undefined : String(formatTime(milliseconds, 'iso-utc-ms'));
}
