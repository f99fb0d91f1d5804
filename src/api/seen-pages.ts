/**
 * The items of a list in pages, by their IDs. Each page of a list that did not change while it was read has new items,
 * and none of an earlier page.
 */
import { type JsonObject, textOfJson } from '../model/json.ts';
import type { Dialect } from './dialect.ts';
import { ListChanged, type ListPage, stuck } from './paging.ts';
import { SeenItems } from './seen-items.ts';

/** How many items of a page are compared with the beginning of the next one. */
const comparedAtMost = 200;

export class SeenPages {
  readonly #does: string;
  readonly #dialect: Dialect;
  /** The items of all pages; those of the only page of a list that is not streamed are not needed. */
  readonly items = new SeenItems();
  /** Whether each item has an ID: another reading of the list then shows whether it is the same one. */
  identified = true;
  /** Read and not yet among the seen ones: most lists have one page, which need not be remembered. */
  #held: (readonly JsonObject[])[] = [];
  /** The last keys of the page before. */
  #before: string[] = [];
  #without = 0;

  constructor(does: string, dialect: Dialect) {
    this.#does = does;
    this.#dialect = dialect;
  }

  /** A part of the first page, while it arrives: there may be more of it than memory has room for. */
  arrived(items: readonly JsonObject[]) {
    const keys = items.map((item) => this.#keyOf(item));
    this.#remember(keys, [...this.#before, ...keys]);
  }

  /**
   * The new items of a page; undefined if the page need not exist, and brings none. Items with which the page before
   * ended are left out: an item came in before them, or the cursor is that of the last one. Throws
   * `ListChanged` for items of earlier pages among new ones, and `bad_answer` for a page that came before.
   */
  fresh(items: JsonObject[], page: ListPage): JsonObject[] | undefined {
    if (page.number === 1 && this.#before.length === 0) {
      this.#held.push(items);
      if (items.length === 0) this.#without += 1;
      return items;
    }
    for (const held of this.#held.splice(0)) this.arrived(held);
    const keys = items.map((item) => this.#keyOf(item));
    const overlap = this.#overlapWith(keys);
    const known = keys.slice(overlap).filter((key) => this.items.has(key)).length;
    if (known > 0 && known === keys.length) {
      if (page.doubt && !page.doubt.error) return undefined;
      throw page.doubt?.error ?? page.otherwise ?? this.#again(keys[0] ?? '');
    }
    if (known > 0) throw new ListChanged();
    if (page.doubt && overlap === keys.length) return undefined;
    this.#countNews(keys.length - overlap);
    this.#remember(keys.slice(overlap), keys);
    return items.slice(overlap);
  }

  /** How many items at the beginning of a page are those at the end of the page before, which has others too. */
  #overlapWith(keys: readonly string[]): number {
    const last = keys.indexOf(this.#before.at(-1) ?? '');
    const overlap = last + 1;
    if (last < 0 || overlap >= this.#before.length) return 0;
    return this.#before.slice(-overlap).every((key, at) => key === keys[at]) ? overlap : 0;
  }

  #remember(keys: readonly string[], page: readonly string[]) {
    for (const key of keys) this.items.add(key);
    if (page.length > 0) this.#before = page.slice(-comparedAtMost);
  }

  #countNews(fresh: number) {
    this.#without = fresh > 0 ? 0 : this.#without + 1;
    if (this.#without < Number(this.#dialect.pagesWithoutNews)) return;
    throw stuck(this.#does, `${this.#without} pages in a row had no new items`, 'pagesWithoutNews');
  }

  #again(first: string) {
    const why = `the same page came twice, beginning with ${first}; the service does not seem to know the parameter that requests the next one`;
    return stuck(this.#does, why, 'pageParameter');
  }

  #keyOf(item: JsonObject): string {
    const id = item[this.#dialect.idKey] ?? undefined;
    if (id === undefined) this.identified = false;
    return keyOf(item, this.#dialect);
  }
}

/** What stands for an item: its ID, or all of it where it has none. */
export function keyOf(item: JsonObject, { idKey }: Pick<Dialect, 'idKey'>): string {
  return textOfJson(item[idKey] ?? item);
}
