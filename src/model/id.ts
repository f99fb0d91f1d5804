/** IDs: text, as a service may show one as a number and as text; printed in the type that it shows. */
import { isScalar, type JsonObject, textIn } from './json.ts';

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
