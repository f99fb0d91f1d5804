/**
 * Decides whether a list is whole whose only page has ten items or more and does not show its end: requests the next page, by its number
 * and by its offset. A service that answers with the same items again has no pages.
 */
import { CliError } from '../errors.ts';
import { typedCommand } from '../model/shell-quote.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import type { Operation } from './operations.ts';
import { withQuery } from './paging.ts';

/** Reads a path below the base URL: the keys of the items of the page (see `keyOf`), or why there are none. */
type ReadPage = (path: string) => Promise<Page>;

type Page = readonly string[] | CliError;

/**
 * What is behind the first page of a list. `way`: the value of `dialect.paging` that brings its pages, as far as they show it. A list
 * can be whole and have a way: a longer one would have a second page. `words`: what page 2 is.
 */
type Behind = { isWhole: boolean; way?: string; words: string };

/** `path` and `keys`: those of the first page. */
export async function lookBehind(path: string, keys: readonly string[], read: ReadPage): Promise<Behind> {
  const ask = (query: Readonly<Record<string, string>>) =>
    read(Object.entries(query).reduce((sofar, [name, value]) => withQuery(sofar, name, value), path));
  const known = new Set(keys);
  // Meanwhile, an item may have been added or deleted.
  const isSame = (page: Page) => {
    if (page instanceof CliError || page.length === 0) return false;
    const shown = new Set(page);
    return page.every((key) => known.has(key)) || keys.every((key) => shown.has(key));
  };
  const both = await ask({ page: '2', offset: String(keys.length) });
  // A service may refuse a parameter that it does not know.
  const isRefused = both instanceof CliError && both.code === 'rejected';
  if (isSame(both)) return { isWhole: true, words: wordsFor(both) };
  if (both instanceof CliError && !isRefused && !isEmpty(both)) return { isWhole: false, words: wordsFor(both) };
  const second = await ask({ page: '2' });
  if (isSame(second)) return { isWhole: isRefused, words: wordsFor(both), ...(isRefused ? {} : { way: 'offset' }) };
  const words = wordsFor(second);
  if (second instanceof CliError && !isEmpty(second)) return { isWhole: false, words };
  const isOver = isEmpty(second) && (isRefused || isEmpty(both));
  const first = await ask({ page: '1' });
  if (isSame(first)) return { isWhole: isOver, way: 'page', words };
  // If pages count from 0, page 2 is the third page.
  if (!isEmpty(first)) return { isWhole: false, words, ...(first instanceof CliError ? {} : { way: 'page,page,0' }) };
  const isFromZero = isOver && isSame(await ask({ page: '0' }));
  return { isWhole: isFromZero, words, ...(isFromZero ? { way: 'page,page,0' } : {}) };
}

/** A page behind the last one may not exist. */
export function isEmpty(page: Page): boolean {
  return page instanceof CliError ? page.code === 'not_found' : page.length === 0;
}

function wordsFor(page: Page): string {
  if (!(page instanceof CliError)) return page.length === 0 ? 'is empty' : 'has other items';
  return page.status === undefined ? 'could not be read' : `was refused (${page.status})`;
}

export class PageProbe {
  /** For each operation, the first question. Lists of other exams wait for its answer. */
  readonly #first = new Map<string, Promise<unknown>>();
  /** For each operation, the most items of a list that was found to be whole: a page of it holds as many. */
  readonly #held = new Map<string, number>();
  readonly #warned = new Set<string>();

  /** The error for a list that may not be whole; undefined for a whole list. `does`: the request, in words; `path` and `keys`: its first page. */
  async doubt({ id }: Operation, does: string, path: string, keys: readonly string[], read: ReadPage): Promise<CliError | undefined> {
    const first = this.#first.get(id);
    if (first) await first;
    // A longer list may be a full page: what follows a shorter one is the same again at a service that repeats its last page.
    if (keys.length <= (this.#held.get(id) ?? 0)) return undefined;
    const asking = lookBehind(path, keys, read);
    if (!first)
      this.#first.set(
        id,
        asking.catch(() => undefined),
      );
    const { isWhole, way, words } = await asking;
    if (isWhole) this.#held.set(id, Math.max(keys.length, this.#held.get(id) ?? 0));
    if (isWhole) return undefined;
    const what = sentence`The service's answer to the request to ${does} may not be the whole list: it has ${keys.length} items and does not say whether there are more, and page 2 ${words}.`;
    return new CliError('bad_answer', what, { hint: adviceFor(way) });
  }

  /** Whether a person is warned for the first time. */
  warns({ id }: Operation): boolean {
    const isNew = !this.#warned.has(id);
    this.#warned.add(id);
    return isNew;
  }
}

/** Says which setting brings the next page, or how to find out. */
function adviceFor(way: string | undefined): Sentence {
  const set = (value: string) => sentence`proctor-cli ${typedCommand('config set dialect.paging', [value])}`;
  if (way === 'offset') return sentence`The service skips items by an offset. Set: ${set(way)}`;
  if (way !== undefined) return sentence`The service numbers its pages${way === 'page' ? '' : ' from 0'}. Set: ${set(way)}`;
  return sentence`If the service shows each list on one page, set: ${set('none')}. Otherwise find out how the next page is requested: proctor-cli doctor`;
}
