/** What must hold of a record before anything relies on it; all else is shown as it came. */
import { idTypeOf } from '../model/id.ts';
import { isJsonObject, type Json, stringifyJson, textOfJson } from '../model/json.ts';
import type { Resource } from './operations.ts';

/** Characters of a value that are shown. */
const shownAtMost = 60;

/** The reason why an item cannot be used, in words; undefined if it can. `masked`: JSON text as a message may show it. */
export function problemOf(resource: Resource, item: Json | undefined, masked: (json: string) => string): string | undefined {
  if (!isJsonObject(item)) {
    if (resource === 'proctor' && idTypeOf(item)) return undefined;
    if (Array.isArray(item)) return 'it is a list';
    return `it is ${item === undefined ? 'nothing' : masked(textOfJson(item)).slice(0, shownAtMost)}`;
  }
  const { id } = item;
  if (id === undefined || idTypeOf(id)) return undefined;
  const shown = masked(stringifyJson(id));
  return `id is ${shown.length > shownAtMost ? `${shown.slice(0, shownAtMost - 3)}…` : shown}`;
}
