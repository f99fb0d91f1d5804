/**
 * The items of a list in pages, by their IDs. No item may come twice, except where one page ends and the next begins:
 * otherwise the list changed while it was read, and items may be missing.
 */
import { type JsonObject, textOfJson } from '../model/json.ts';
import { SeenTexts } from '../text/seen-texts.ts';

/** How many items at the end of a page may come again at the beginning of the next one. */
const comparedAtMost = 200;

export class SeenPages {
  readonly #items = new SeenTexts();
  /** Read and not yet among the seen ones: most lists have one page, which need not be remembered. */
  #held: (readonly JsonObject[])[] = [];
  /** The last keys of the page before. */
  #before: string[] = [];

  /** The first page, or a part of it that was not kept. */
  first(items: readonly JsonObject[], { kept }: { kept: boolean }) {
    if (kept) this.#held.push(items);
    else this.#remember(items, this.#before);
  }

  /** The new items of a further page; `again`: it has items, and all came before; `changed`: some of them did. */
  further(items: JsonObject[]): JsonObject[] | 'again' | 'changed' {
    for (const held of this.#held.splice(0)) this.#remember(held, this.#before);
    const keys = items.map(keyOf);
    const overlap = this.#overlapWith(keys);
    const known = keys.slice(overlap).filter((key) => this.#items.has(key)).length;
    if (known > 0) return known === keys.length ? 'again' : 'changed';
    this.#remember(items, []);
    return items.slice(overlap);
  }

  /** How many items at the beginning of a page are those at the end of the page before, which has others too. */
  #overlapWith(keys: readonly string[]): number {
    const overlap = keys.indexOf(this.#before.at(-1) ?? '') + 1;
    if (overlap === 0 || overlap >= this.#before.length) return 0;
    return this.#before.slice(-overlap).every((key, at) => key === keys[at]) ? overlap : 0;
  }

  #remember(items: readonly JsonObject[], before: readonly string[]) {
    if (items.length === 0) return;
    const keys = items.map(keyOf);
    for (const key of keys) this.#items.add(key);
    this.#before = [...before, ...keys].slice(-comparedAtMost);
  }
}

/** What stands for an item: its ID, or all of it where it has none. */
export function keyOf(item: JsonObject): string {
  return textOfJson(item.id ?? item);
}
