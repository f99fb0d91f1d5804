/** JSON as it came: a number that JavaScript would round keeps its digits, as a BigInt or as an exact number. */

export type Json = null | boolean | number | bigint | string | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

/** A number that JavaScript cannot hold, such as 1e400: printed as it was written, equal to no other. */
export type ExactNumber = { readonly rawJSON: string };

const { rawJSON, isRawJSON } = JSON as unknown as { rawJSON(text: string): ExactNumber; isRawJSON(value: unknown): value is ExactNumber };
export const isExactNumber = isRawJSON;

/** More than 100 arrays and objects in each other: no answer, body or roster needs that, and what walks through a text would not end well. */
const tooDeep = /(?:[[{][^[\]{}]*){101}/;

/** A number that JavaScript may not hold: of 16 digits and more, or with an exponent. */
const longNumber = /[\d.]{16}|[[:,]\s*-?[\d.]+e/i;

/** Throws `SyntaxError`, whose message is the place where the text stops being JSON, or what else is wrong: never a part of it, which may be one of a secret. */
export function parseJson(text: string): Json {
  if (tooDeep.test(text)) throw new SyntaxError('nested more than 100 levels deep');
  try {
    return JSON.parse(text, longNumber.test(text) ? exactly : undefined) as Json;
  } catch (error) {
    const [, line, column] = /\(line (\d+) column (\d+)\)$/.exec((error as SyntaxError).message) ?? [];
    throw new SyntaxError(line === undefined ? 'cut short or broken' : `line ${line}, column ${column}`);
  }
}

/** A number, or what keeps all its digits if it would be rounded. A whole number of more than 1000 digits is no quantity, and slow. */
function exactly(_key: string, value: unknown, { source = '' }: { source?: string } = {}): unknown {
  if (typeof value !== 'number' || String(value) === source) return value;
  const digits = source.replace(/e.*/i, '').replace(/^[-0.]+|\./g, '').length;
  const size = Math.abs(value);
  if (digits === 0 || (digits <= 15 && size > 1e-300 && size < 1e300)) return value;
  return /^-?\d{1,1000}$/.test(source) ? BigInt(source) : rawJSON(source);
}

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

/** The value of a field that is true or false (specification 2): also 1 and 0, and each of them as text; undefined for others. */
export function booleanIn(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (value === 1 || value === 0) return value === 1;
  const word = typeof value === 'string' && /^\s*(?:(true|1)|(false|0))\s*$/i.exec(value);
  return word ? word[1] !== undefined : undefined;
}
