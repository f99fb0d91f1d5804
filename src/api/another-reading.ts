/**
 * Another reading of a list that changed while its pages were read, after items were handed out: which ones are new, and
 * which ones are gone.
 */
import { count } from '../model/count.ts';
import { firstInLine } from '../model/first-of.ts';
import type { JsonObject } from '../model/json.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import type { Dialect } from './dialect.ts';
import type { Resource } from './operations.ts';
import type { SeenItems } from './seen-items.ts';
import { keyOf } from './seen-pages.ts';

/** How many of the items that are gone a message names. */
const namedAtMost = 5;

/** The items that are not among those that were handed out, to which they are added. */
export function notIn(given: SeenItems, items: readonly JsonObject[], dialect: Dialect): JsonObject[] {
  return items.filter((item) => {
    const key = keyOf(item, dialect);
    const isNew = !given.has(key);
    if (isNew) given.add(key);
    return isNew;
  });
}

/** The warning that the list, as it was read at last, lacks items that were handed out. */
export function goneSince(given: SeenItems, now: SeenItems, resource: Resource): Sentence {
  const gone = given.size - now.size;
  const named = given.without(now);
  const which = named.length === gone ? ` (${firstInLine(named, (id) => id, namedAtMost)})` : '';
  return sentence`warning: the list changed while it was read: ${count(gone, resource)}${which} of the first reading ${gone === 1 ? 'is' : 'are'} no longer in it.`;
}
