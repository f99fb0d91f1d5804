/**
 * JSON that keeps every digit: whole numbers beyond 2^53 become BigInt on the way in and plain
 * digits on the way out. Text without such a number takes the ordinary, fast way.
 */

export type Json = null | boolean | number | bigint | string | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

const enoughDigits = 16;

type ReviverContext = { source?: string };

/** Parses JSON text. Throws `SyntaxError` as `JSON.parse` does. */
export function parseJson(text: string): Json {
  if (!hasLongNumber(text)) return JSON.parse(text) as Json;
  const revive = (_key: string, value: unknown, context?: ReviverContext) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? '')
      ? BigInt(context?.source ?? '')
      : value;
  return JSON.parse(text, revive as (key: string, value: unknown) => unknown) as Json;
}

/** Whether so many digits stand in a row that they might not fit. Looks at every 16th character, of which each such row has one. */
function hasLongNumber(text: string): boolean {
  for (let at = enoughDigits - 1; at < text.length; at += enoughDigits) {
    if (!isDigit(text, at)) continue;
    let first = at;
    let last = at;
    while (isDigit(text, first - 1)) first -= 1;
    while (isDigit(text, last + 1)) last += 1;
    if (last - first >= enoughDigits - 1) return true;
  }
  return false;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x30 && code <= 0x39;
}

const rawJson = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON;

/** Writes JSON text; `indent` as in `JSON.stringify`. */
export function stringifyJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent) ?? 'null';
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const write = (_key: string, item: unknown) => (typeof item === 'bigint' ? rawJson(String(item)) : item);
    return JSON.stringify(value, write, indent);
  }
}

/** Whether a value is an object with keys, rather than null, an array or a scalar. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A place in a text; both from 1. */
export type Position = { line: number; column: number };

export function positionAt(text: string, offset: number): Position {
  const lines = text.slice(0, offset).split('\n');
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

/** Where a text stops being JSON; undefined for JSON. The parser's own words are not used: they quote what stands there. */
export function jsonErrorPosition(text: string): Position | undefined {
  const stop = whereItStops(text);
  if (stop === undefined) return undefined;
  if (stop !== 'inside') return positionAt(text, stop);
  // The parser gives no position for a character that cannot begin anything: it is the last one of the
  // shortest beginning that is wrong in itself.
  let good = 0;
  let bad = text.length;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (whereItStops(text.slice(0, middle)) === 'inside') bad = middle;
    else good = middle;
  }
  return positionAt(text, good);
}

/** Offset at which the parser stopped; `inside` where it does not say, and the text is wrong before its end. */
function whereItStops(text: string): number | 'inside' | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    const at = /position (\d+)/.exec(message);
    if (at) return Number(at[1]);
    return /end of JSON|Unterminated/i.test(message) ? text.length : 'inside';
  }
}
