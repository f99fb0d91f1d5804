/** What must hold of a record before anything relies on it; all else is shown as it came. */
import * as z from 'zod/mini';
import { isJsonObject, type Json, stringifyJson, textOfJson } from '../model/json.ts';
import type { Resource } from './operations.ts';

const Id = z.union([z.string(), z.number(), z.bigint()]);
const Identified = z.looseObject({ id: z.optional(Id) });

/** Characters of a value that are shown. */
const shownAtMost = 60;

/** The reason why an item cannot be used, in words; undefined if it can. `masked`: JSON text as a message may show it. */
export function problemOf(resource: Resource, item: Json | undefined, masked: (json: string) => string): string | undefined {
  if (!isJsonObject(item)) {
    if (resource === 'proctor' && Id.safeParse(item).success) return undefined;
    if (Array.isArray(item)) return 'it is a list';
    return `it is ${item === undefined ? 'nothing' : masked(textOfJson(item)).slice(0, shownAtMost)}`;
  }
  const [issue] = Identified.safeParse(item).error?.issues ?? [];
  if (!issue) return undefined;
  const field = String(issue.path[0]);
  const shown = masked(stringifyJson(item[field] as Json));
  return `${field} is ${shown.length > shownAtMost ? `${shown.slice(0, shownAtMost - 3)}…` : shown}`;
}
