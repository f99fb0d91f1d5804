/**
 * IDs in what is printed: each in the JSON type in which the service shows it (specification, section 1).
 * Within the program and in the record of runs an ID is text, because a service may show one ID in both types; its
 * type stands beside it.
 */
import { type JsonObject, textOfJson } from './json.ts';

export type IdType = 'number' | 'text';

/** The ID of a record; undefined where it shows none, or an empty one, which no path can name. */
export function idOf({ id }: JsonObject): string | undefined {
  return id === undefined || id === null || (typeof id === 'string' && id.trim() === '') ? undefined : textOfJson(id);
}

/** The ID unchanged, number or text; null if it is neither. */
export function shownId(value: unknown): string | number | bigint | null {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint' ? value : null;
}

/** The type of an ID that the service shows; undefined if it is no ID. */
export function idTypeOf(value: unknown): IdType | undefined {
  const id = shownId(value);
  return id === null ? undefined : typeof id === 'string' ? 'text' : 'number';
}

/** An ID that is known as text, as the service shows it. `type`: undefined where it has shown none; digits are a number then. */
export function idAs(text: string, type: IdType | undefined): string | number | bigint {
  if (type === 'text' || !/^(0|[1-9]\d*)$/.test(text)) return text;
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}
