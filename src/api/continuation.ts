/** How a list continues that does not say it: page 2 shows it. What is found is a value of `dialect.paging`, which brings further pages. */
import { CliError } from '../errors.ts';
import { typedCommand } from '../model/shell-quote.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { firstPathOf, keyOf, type Listing, orError, pagesOf, readPage } from './list.ts';
import { firstPath, notWhole, pagingOf, signalsIn, whatFollows } from './paging.ts';

/** `way`: a whole list may have one, which a longer list needs. `words`: what page 2 is. */
type Behind = { isWhole: boolean; way?: string; words: string };

/**
 * Requests page 2 by its number and by its offset. A service that answers with the same items again has no pages. `path` and `keys`: those
 * of the first page.
 */
export async function lookBehind(listing: Listing, path: string, keys: readonly string[]): Promise<Behind> {
  /** What a page brings beside the items of the first one. A page behind the last one may not exist. */
  const ask = async (query: string) => {
    const page = await orError(readPage(listing, firstPath(path, query)));
    if (page instanceof CliError) {
      const is = page.code === 'not_found' ? 'none' : page.code === 'rejected' ? 'refused' : 'failed';
      return { is, words: page.status === undefined ? 'could not be read' : `was refused (${page.status})` };
    }
    const shown = page.items.map(keyOf);
    // Meanwhile, an item may have been added or deleted.
    const isSame = shown.every((key) => keys.includes(key)) || keys.every((key) => shown.includes(key));
    return shown.length === 0 ? { is: 'none', words: 'is empty' } : { is: isSame ? 'same' : 'others', words: 'has other items' };
  };
  const both = await ask(`page=2&offset=${keys.length}`);
  if (both.is === 'same') return { isWhole: true, words: both.words };
  if (both.is === 'failed') return { isWhole: false, words: both.words };
  const { is, words } = await ask('page=2');
  // A service may refuse a parameter that it does not know.
  if (is === 'same') return both.is === 'refused' ? { isWhole: true, words } : { isWhole: false, way: 'offset', words: both.words };
  if (is === 'refused' || is === 'failed') return { isWhole: false, words };
  const isOver = is === 'none' && both.is !== 'others';
  const first = await ask('page=1');
  if (first.is === 'same') return { isWhole: isOver, way: 'page', words };
  // If pages count from 0, page 2 is the third page.
  if (first.is === 'others') return { isWhole: false, way: 'page,page,0', words };
  const isFromZero = isOver && first.is === 'none' && (await ask('page=0')).is === 'same';
  return isFromZero ? { isWhole: true, way: 'page,page,0', words } : { isWhole: false, words };
}

/**
 * How a list is treated that may not be whole. `refuse`: it fails, for whatever decides by it. `warn`: a person reads it, and is warned.
 * `accept`: it only completes what a person types.
 */
export type Unsure = 'refuse' | 'warn' | 'accept';

/** What one client has found out about lists that do not show their end. */
export class Doubts {
  /**
   * For each operation, its last question, for whose answer lists of other exams wait. `held`: the most items of a list that was found to
   * be whole: a page of it holds as many. A longer list may be a full page: what follows a shorter one is the same again at a service
   * that repeats its last page.
   */
  readonly #asked = new Map<string, Promise<{ held: number; doubt?: CliError }>>();
  readonly #warned = new Set<string>();

  /** Throws, or warns, if the only page of a list is not shown to be the whole list. */
  async settle(listing: Listing, path: string, keys: readonly string[], unsure: Unsure): Promise<void> {
    if (unsure === 'accept') return;
    const { id } = listing.operation;
    const before = this.#asked.get(id) ?? Promise.resolve({ held: 0 });
    const asking = before.then(async ({ held }) => {
      if (keys.length <= held) return { held };
      const behind = await lookBehind(listing, path, keys);
      return behind.isWhole ? { held: keys.length } : { held, doubt: doubtOf(listing, keys.length, behind) };
    });
    this.#asked.set(id, asking);
    const { doubt } = await asking;
    if (doubt && unsure === 'refuse') throw doubt;
    if (doubt && !this.#warned.has(id)) listing.warn?.(sentence`warning: ${doubt.message} ${doubt.hint}`);
    if (doubt) this.#warned.add(id);
  }
}

const setting = (value: string): Sentence => sentence`proctor-cli ${typedCommand('config set dialect.paging', [value])}`;

function doubtOf(listing: Listing, items: number, { way, words }: Behind): CliError {
  const why = `it has ${items} items and does not say whether there are more, and page 2 ${words}`;
  const hint =
    way === undefined
      ? sentence`If the service shows each list on one page, set: ${setting('none')}`
      : sentence`The service shows long lists on several pages. Set: ${setting(way)}`;
  return notWhole(listing, why, hint, 'may not be');
}

/** `pages`: whether the setting in force reads them; `one`: it is one page so far. */
export type Continuation = { list: string; value: string; pages: 'read' | 'unread' | 'one' };

/**
 * How a list continues, for `doctor` and `auth login`: undefined if it is whole as it is read, or its pages are read as declared, or if
 * the token may not read it, or it is none. Throws `bad_answer` if there are more items, or may be, and no way brings them.
 */
export async function continuationOf(listing: Listing): Promise<Continuation | undefined> {
  const { paging } = listing.dialect;
  const found = (value: string, pages: Continuation['pages']) => ({ list: `${listing.operation.resource}s`, value, pages });
  /** How many of the first two pages a way brings, or why it does not. */
  const tried = (value: string) => orError(firstTwo({ ...listing, dialect: { ...listing.dialect, paging: value } }));
  const path = firstPathOf(listing);
  const page = await orError(readPage(listing, path));
  if (page instanceof CliError && (page.code === 'token_refused' || page.code === 'bad_answer')) return undefined;
  if (page instanceof CliError) throw page;
  const { items } = page;
  const signals = signalsIn(page);
  const { is, way: shown, missing } = whatFollows(signals, { ...page, items: items.length, number: 1 }, items.length);
  if (paging === 'none' && (is === 'end' || is === 'unsure')) return undefined;
  const declared = paging === 'auto' ? 0 : await tried(paging);
  if (declared === 2) return undefined;
  /** What is declared does not fit a service whose list is whole without it. */
  const whole = typeof declared === 'number' ? undefined : found('auto', 'unread');
  if (is === 'end') return whole;
  const isNumbered = shown === undefined || pagingOf(shown).style === 'page';
  const brought = isNumbered ? undefined : await tried(shown);
  const behind = isNumbered ? await lookBehind(listing, path, items.map(keyOf)) : { isWhole: false, words: '' };
  const { isWhole, words, way = brought === 2 ? shown : undefined }: Behind = behind;
  if (way !== undefined && !(isWhole && missing)) {
    if (way === paging) return undefined;
    return found(way, paging === 'auto' && way === shown ? 'read' : isWhole ? 'one' : 'unread');
  }
  if (isWhole && !missing) return whole;
  if (is === 'unsure') throw doubtOf(listing, items.length, behind);
  const why = missing ?? (typeof brought === 'object' ? brought.message.replace(/\.$/, '') : `page 2 ${words}`);
  const mayBeCursor = signals.next && (shown === undefined || shown.startsWith('cursor'));
  const form = mayBeCursor ? `cursor,${signals.next?.name},PARAMETER` : 'page,PARAMETER';
  const hint = sentence`Ask the service's operator how the next page is requested, and declare it (all ways: docs/configuration.md): ${setting(form)}`;
  throw notWhole(listing, why, hint);
}

async function firstTwo(listing: Listing): Promise<number> {
  let pages = 0;
  for await (const _page of pagesOf(listing, false)) {
    pages += 1;
    if (pages === 2) break;
  }
  return pages;
}
