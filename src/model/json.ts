/**
 * JSON that keeps every digit: whole numbers beyond 2^53 become BigInt on the way in and plain
 * digits on the way out. Text without such a number takes the ordinary, fast way.
 */

export type Json = null | boolean | number | bigint | string | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

const longDigits = /\d{16}/;

type ReviverContext = { source?: string };

/** Parses JSON text. Throws `SyntaxError` as `JSON.parse` does. */
export function parseJson(text: string): Json {
  if (!longDigits.test(text)) return JSON.parse(text) as Json;
  const revive = (_key: string, value: unknown, context?: ReviverContext) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? '')
      ? BigInt(context?.source ?? '')
      : value;
  return JSON.parse(text, revive as (key: string, value: unknown) => unknown) as Json;
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

/** Where in a text a JSON parser stopped: line and column, both from 1; undefined where it did not say. */
export function jsonErrorPosition(text: string, error: unknown): { line: number; column: number } | undefined {
  const message = error instanceof Error ? error.message : '';
  const at = /position (\d+)/.exec(message);
  const offset = at ? Number(at[1]) : /end of JSON|Unterminated/i.test(message) ? text.length : undefined;
  if (offset === undefined) return undefined;
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
