/** JSON as it came, where a number that JavaScript would round keeps its digits; and the values and IDs in it. */

export type Json = null | boolean | number | bigint | string | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

/** A number that JavaScript cannot hold, such as 1e400: it is printed as it was written, and equals no other. */
type ExactNumber = { readonly rawJSON: string };

type RawJson = {
  rawJSON(text: string): ExactNumber;
  isRawJSON(value: unknown): value is ExactNumber;
};
const { rawJSON, isRawJSON } = JSON as unknown as RawJson;
export const isExactNumber = isRawJSON;

/** Arrays and objects in each other, and values: what walks through more would end in the middle. Lists of 100,000 students have fewer. */
const [deepest, mostValues] = [100, 5_000_000];

/** A number that JavaScript may not hold: of 16 digits and more, or with an exponent. */
const longNumber = /[\d.]{16}|[[:,]\s*-?[\d.]+e/i;

/** Throws `SyntaxError`, which tells the place and no part of the text: that may be secret. */
export function parseJson(text: string, reviver?: typeof exactly): Json {
  refuseExcess(text);
  return parseOwnJson(text, reviver);
}

/** Signs in strings are none. The counts are right as far as the text is JSON. */
function refuseExcess(text: string): void {
  let [depth, values, isInString] = [0, 1, false];
  for (let at = 0; at < text.length && depth <= deepest; at += 1) {
    const character = text[at];
    if (character === '"') isInString = !isInString;
    else if (isInString) at += Number(character === '\\');
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    else if (character === ',') values += 1;
  }
  if (depth > deepest) throw new SyntaxError(`nested more than ${deepest} levels deep`);
  if (values > mostValues) throw new SyntaxError(`more than ${mostValues / 1_000_000} million values`);
}

/** Reads JSON that this program has written itself, however deep it is. */
export function parseOwnJson(text: string, reviver = longNumber.test(text) ? exactly : undefined): Json {
  try {
    return JSON.parse(text, reviver) as Json;
  } catch (error) {
    const [, line, column] = /\(line (\d+) column (\d+)\)$/.exec((error as SyntaxError).message) ?? [];
    throw new SyntaxError(line === undefined ? 'cut short or broken' : `line ${line}, column ${column}`);
  }
}

/** A number that would be rounded keeps its digits. A BigInt of more than 1000 digits would be slow. */
function exactly(_key: string, value: unknown, { source = '' }: { source?: string } = {}): unknown {
  if (typeof value !== 'number' || String(value) === source) return value;
  const digits = source.replace(/e.*/i, '').replace(/^[-0.]+|\./g, '').length;
  const size = Math.abs(value);
  if (digits === 0 || (digits <= 15 && size > 1e-300 && size < 1e300)) return value;
  return /^-?\d{1,1000}$/.test(source) ? BigInt(source) : rawJSON(source);
}

/** A power of ten is a text: it may be what a spreadsheet has made of an ID. */
export function withPowersAsText(...read: Parameters<typeof exactly>): unknown {
  const [, value, { source = '' } = {}] = read;
  return typeof value === 'number' && /e/i.test(source) ? value.toExponential() : exactly(...read);
}

export function stringifyJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent) ?? 'null';
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const exact = (_key: string, item: unknown) => (typeof item === 'bigint' ? rawJSON(String(item)) : item);
    return JSON.stringify(value, exact, indent);
  }
}

/** Fields in another order say the same. */
export function withSortedKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (!isJsonObject(value)) return value;
  const keys = Object.keys(value).toSorted();
  return Object.fromEntries(keys.map((key) => [key, withSortedKeys(value[key] ?? null)]));
}

/** The first name that stands twice in an object of this JSON: parsers keep its last value. */
export function repeatedName(text: string): string | undefined {
  const open: Set<string>[] = [];
  for (const [token, colon] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*){0,1000000}"(\s*:)?|[{}]/gs)) {
    if (token === '{') open.push(new Set());
    else if (token === '}') open.pop();
    else if (colon !== undefined) {
      const name = JSON.parse(token.slice(0, -colon.length)) as string;
      if (open.at(-1)?.has(name)) return name;
      open.at(-1)?.add(name);
    }
  }
  return undefined;
}

/** Numbers, true, false and null as such, anything else as text. */
export function typedJson(text: string): Json {
  return /^(true|false|null|-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?)$/.test(text) ? ((parseJson(`[${text}]`) as Json[])[0] ?? null) : text;
}

/** A string as it is, anything else as JSON. `String` would call the object's own `toString`. */
export function textOfJson(value: unknown): string {
  return typeof value === 'string' ? value : stringifyJson(value);
}

/** Undefined for what is not there, or only blanks. */
export function textIn(value: Json | undefined): string | undefined {
  const text = textOfJson(value ?? '');
  return text.trim() === '' ? undefined : text;
}

export function isScalar(value: unknown): value is string | number | bigint {
  return ['string', 'number', 'bigint'].includes(typeof value);
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawJSON(value);
}

/** The value at the end of a path of fields, such as `exam.id`. A field of that very name comes first. */
export function fieldAt(record: JsonObject, path: string): Json | undefined {
  let found: Json | undefined = record;
  for (const key of Object.hasOwn(record, path) ? [path] : path.split('.'))
    found = isJsonObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  return found;
}

/** A yes or no, also from 1 and 0, and from each as text; undefined for other values. */
export function booleanIn(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (value === 1 || value === 0) return value === 1;
  const word = typeof value === 'string' && /^\s*(?:(true|1)|(false|0))\s*$/i.exec(value);
  return word ? word[1] !== undefined : undefined;
}

/** An ID is a text, as a service may show one as a number and as text; it is printed in the type that it shows. */
export type IdType = 'number' | 'text';

/** Undefined also for an empty one, which no path can name. */
export function idOf({ id }: JsonObject): string | undefined {
  return textIn(id);
}

/** The ID unchanged; null for what is none. */
export function shownId(value: unknown): string | number | bigint | null {
  return isScalar(value) ? value : null;
}

export function idTypeOf(value: unknown): IdType | undefined {
  if (typeof value === 'string') return 'text';
  return shownId(value) === null ? undefined : 'number';
}

/** An ID as the service shows it. Where it has shown none, digits are a number. */
export function idAs(text: string, type: IdType | undefined): string | number | bigint {
  if (type === 'text' || !/^(0|[1-9]\d*)$/.test(text)) return text;
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}
