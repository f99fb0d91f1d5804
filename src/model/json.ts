/**
 * JSON as it came: a number that JavaScript would round keeps its digits, as a BigInt or as an exact number, and text that is nested
 * without end is refused before a parser meets it.
 */

export type Json = null | boolean | number | bigint | string | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

/** A number that JavaScript cannot hold, such as 1e400: printed as it was written, equal to no other. */
export type ExactNumber = { readonly rawJSON: string };

const { rawJSON, isRawJSON } = JSON as unknown as { rawJSON(text: string): ExactNumber; isRawJSON(value: unknown): value is ExactNumber };
export const isExactNumber = isRawJSON;

/** The deepest nesting of arrays and objects that is read; no answer, body or roster needs more. */
const deepestJson = 100;

/** Digits in a row that JavaScript may not hold. */
const manyDigits = 16;

/** Throws `SyntaxError`, whose message is the place where the text stops being JSON, or what else is wrong: never a part of it, which may be one of a secret. */
export function parseJson(text: string): Json {
  const { isTooDeep, isLong } = looked(text);
  if (isTooDeep) throw new SyntaxError(`nested more than ${deepestJson} levels deep`);
  try {
    return JSON.parse(text, isLong ? exactly : undefined) as Json;
  } catch (error) {
    throw new SyntaxError(placeOf(error as SyntaxError, text));
  }
}

/** Where a text stops being JSON. The parser does not always say it: then it is behind the longest beginning that might go on. */
function placeOf({ message }: SyntaxError, text: string): string {
  const [, said] = /position (\d+)/.exec(message) ?? [];
  if (said === undefined && text.length > searched) return 'cut short or broken';
  let good = Number(said ?? 0);
  let bad = said === undefined ? text.length + 1 : good;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (mightGoOn(text.slice(0, middle))) good = middle;
    else bad = middle;
  }
  const lines = text.slice(0, good).split('\n');
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}

/** The longest text that is parsed again for a place. */
const searched = 1_000_000;

function mightGoOn(beginning: string): boolean {
  try {
    JSON.parse(beginning);
    return true;
  } catch (error) {
    const { message } = error as SyntaxError;
    return /end of JSON/.test(message) || message.includes(`position ${beginning.length} `);
  }
}

/** One pass over all that stands outside of strings. `isLong`: it has a number with many digits, or with an exponent. */
function looked(text: string): { isTooDeep: boolean; isLong: boolean } {
  let depth = 0;
  let digits = 0;
  let isLong = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if ((code >= 0x30 && code <= 0x39) || code === 0x2e) {
      digits += 1;
      continue;
    }
    isLong ||= digits >= manyDigits || (digits > 0 && (code | 0x20) === 0x65);
    digits = 0;
    if (code === 0x22) at = endOfString(text, at);
    else if (code === 0x7b || code === 0x5b) depth += 1;
    else if (code === 0x7d || code === 0x5d) depth -= 1;
    if (depth > deepestJson) return { isTooDeep: true, isLong };
  }
  return { isTooDeep: false, isLong: isLong || digits >= manyDigits };
}

/** The offset of the quote that ends a string; the length of the text where it does not end. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === 0x5c) backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
  return text.length;
}

/** A number, or what keeps all its digits if it would be rounded. A whole number of more than 1000 digits is no quantity, and slow. */
function exactly(_key: string, value: unknown, { source = '' }: { source?: string } = {}): unknown {
  if (typeof value !== 'number' || String(value) === source) return value;
  const digits = source.replace(/e.*/i, '').replace(/^[-0.]+|\./g, '').length;
  const size = Math.abs(value);
  if (digits === 0 || (digits <= 15 && size > 1e-300 && size < 1e300)) return value;
  return /^-?\d{1,1000}$/.test(source) ? BigInt(source) : rawJSON(source);
}

/** `indent` as in `JSON.stringify`. */
export function stringifyJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent) ?? 'null';
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return JSON.stringify(value, (_key, item) => (typeof item === 'bigint' ? rawJSON(String(item)) : item), indent);
  }
}

/** The first name that stands a second time in its object, of which parsers keep the last value without a word, and its line. The text is valid JSON. */
export function repeatedName(text: string): { name: string; line: number } | undefined {
  const open: Set<string>[] = [];
  for (const { 0: token, 1: colon, index } of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[{}]/gs)) {
    if (token === '{') open.push(new Set());
    else if (token === '}') open.pop();
    else if (colon !== undefined) {
      const name = JSON.parse(token.slice(0, -colon.length)) as string;
      if (open.at(-1)?.has(name)) return { name, line: text.slice(0, index).split('\n').length };
      open.at(-1)?.add(name);
    }
  }
  return undefined;
}

/** A typed word as JSON: numbers, true, false and null as such, anything else as text. */
export function typedJson(text: string): Json {
  return /^(true|false|null|-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?)$/.test(text) ? parseJson(text) : text;
}

/** A value as text: a string as it is, anything else as JSON. `String` runs what an object calls its `toString`, and fails. */
export function textOfJson(value: unknown): string {
  return typeof value === 'string' ? value : stringifyJson(value);
}

/** Whether a value is an object with keys, rather than null, an array or a scalar. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawJSON(value);
}

/** The value of a field, or at the end of a path of fields such as `exam.id`; a field of that very name comes first. */
export function fieldAt(record: JsonObject, path: string): Json | undefined {
  if (Object.hasOwn(record, path)) return record[path];
  const step = (part: Json | undefined, key: string) => (isJsonObject(part) && Object.hasOwn(part, key) ? part[key] : undefined);
  return path.split('.').reduce<Json | undefined>(step, record);
}
