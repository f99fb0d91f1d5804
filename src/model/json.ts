/**
 * JSON that keeps every digit, with a limit on its depth. A number that JavaScript would round becomes a BigInt or
 * an exact number on the way in, and plain digits on the way out; text without one takes the ordinary, fast way.
 * Text nested deeper than `deepestJson` is refused, so that nothing that walks through a value can run out of
 * stack.
 */

export type Json = null | boolean | number | bigint | string | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

/** The deepest nesting of arrays and objects that is read; no answer, body or roster needs more. */
export const deepestJson = 100;

/** The text is nested deeper than `deepestJson`. The offset is that of the bracket that is one too many. */
export class TooDeep extends SyntaxError {
  readonly offset: number;

  constructor(offset: number) {
    super(`it is nested more than ${deepestJson} levels deep`);
    this.offset = offset;
  }
}

const enoughDigits = 16;
/** A whole number with more digits is no quantity; it is kept as text, which is faster. */
const mostDigits = 1000;

type ReviverContext = { source?: string };

/** Parses JSON text. Throws `SyntaxError` as `JSON.parse` does, and `TooDeep`. */
export function parseJson(text: string): Json {
  if (!measured(text).exponent && !hasLongNumber(text)) return JSON.parse(text) as Json;
  const revive = (_key: string, value: unknown, context?: ReviverContext) =>
    typeof value === 'number' && context?.source !== undefined ? exactNumber(value, context.source) : value;
  return JSON.parse(text, revive as (key: string, value: unknown) => unknown) as Json;
}

/** One pass over all that stands outside of strings. Throws `TooDeep`. */
function measured(text: string): { exponent: boolean } {
  let exponent = false;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = endOfString(text, at);
    else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > deepestJson) throw new TooDeep(at);
    } else if (code === 0x7d || code === 0x5d) depth -= 1;
    else if ((code | 0x20) === 0x65 && isDigit(text, at - 1)) exponent = true;
  }
  return { exponent };
}

/** Offset of the quote that ends a string; the end of the text where it does not end. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at += 1) {
    at = text.indexOf('"', at);
    if (at < 0) return text.length;
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === 0x5c) backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
}

/** The number, or a form that keeps all digits if it would be rounded. */
function exactNumber(value: number, source: string): unknown {
  if (source.length > mostDigits) return rawJson(source);
  if (Number.isSafeInteger(value) && /^-?\d+$/.test(source)) return value;
  if (/^-?\d+$/.test(source)) return BigInt(source);
  return significant(source) === significant(String(value)) ? value : rawJson(source);
}

/** A decimal number as its digits and the power of ten behind them, in one spelling only. */
function significant(number: string): string {
  const [, sign = '', whole = '', fraction = '', power = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(number) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  return kept === '' ? '0' : `${sign}${kept}e${BigInt(power) - BigInt(fraction.length) + BigInt(digits.length - kept.length)}`;
}

/** A number that JavaScript cannot hold, such as 1e400: printed as it was written, equal to no other. */
export type ExactNumber = { readonly rawJSON: string };

type WithRawJson = { rawJSON(text: string): ExactNumber; isRawJSON(value: unknown): value is ExactNumber };
const { rawJSON: rawJson, isRawJSON: isRawJson } = JSON as unknown as WithRawJson;

export function isExactNumber(value: unknown): value is ExactNumber {
  return isRawJson(value);
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

/** Whether a digit, or the point between digits, stands there. */
function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return (code >= 0x30 && code <= 0x39) || code === 0x2e;
}

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

const jsonWord = /^(true|false|null|-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?)$/;

/** A typed word as JSON: numbers, true, false and null as such, anything else as text. */
export function typedJson(text: string): Json {
  return jsonWord.test(text) ? parseJson(text) : text;
}

/** A value as text: a string as it is, anything else as JSON. `String` runs what an object calls its `toString`, and fails. */
export function textOfJson(value: unknown): string {
  return typeof value === 'string' ? value : stringifyJson(value);
}

/** Whether a value is an object with keys, rather than null, an array or a scalar. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawJson(value);
}

/** The value of a field, or at the end of a path of fields such as `exam.id`; a field of that very name comes first. */
export function fieldAt(record: JsonObject, path: string): Json | undefined {
  if (Object.hasOwn(record, path)) return record[path];
  const keys = path.split('.');
  return keys.reduce<Json | undefined>((part, key) => (isJsonObject(part) && Object.hasOwn(part, key) ? part[key] : undefined), record);
}

/** A place in a text; both from 1. */
export type Position = { line: number; column: number };

export function positionAt(text: string, offset: number): Position {
  const lines = text.slice(0, offset).split('\n');
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

/** The place where a text stops being JSON; undefined for JSON. The message of the parser is not used, because it quotes the text. */
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
    parseJson(text);
    return undefined;
  } catch (error) {
    if (error instanceof TooDeep) return error.offset;
    const message = error instanceof Error ? error.message : '';
    const at = /position (\d+)/.exec(message);
    if (at) return Number(at[1]);
    return /end of JSON|Unterminated/i.test(message) ? text.length : 'inside';
  }
}
