/**
 * Whether a list is whole that does not say it: page 2 shows that, and which value of `dialect.paging` brings further pages. Loaded for the
 * first list that raises the doubt.
 */
import { CliError, orError } from '../errors.ts';
import { typedCommand } from '../model/shell-quote.ts';
import { sentence } from '../text/sentence.ts';
import type { Dialect } from './dialect.ts';
import { eachPage, keyOf, type ListAnswer, type Listing, listIn, readPage } from './list.ts';
import type { Operation } from './operations.ts';
import { firstPath, notWhole, signalsIn, whatFollows } from './paging.ts';

/** The doubt whether the first page, with these keys of its items, is the whole list. With the same again, a service has no pages. */
export async function lookBehind(listing: Listing, keys: readonly string[]): Promise<CliError | undefined> {
  /** What a page brings beside the items of the first one. A page behind the last one may not exist. */
  const ask = async (query: string) => {
    const page = await orError(readPage(listing, firstPath(listing.path, query)));
    if (page instanceof CliError) {
      const is = page.code === 'not_found' ? 'none' : page.code === 'rejected' ? 'refused' : 'failed';
      return { is, words: page.status === undefined ? 'could not be read' : `was refused (${page.status})` };
    }
    const shown = new Set(page.items.map(keyOf));
    // Meanwhile, an item may have been added or deleted.
    const all = new Set([...keys, ...shown]).size;
    const isSame = all === shown.size || all === new Set(keys).size;
    return shown.size === 0 ? { is: 'none', words: 'is empty' } : { is: isSame ? 'same' : 'others', words: 'has other items' };
  };
  const doubt = (words: string, way?: string) => {
    const why = `it has ${keys.length} items and does not say whether there are more, and page 2 ${words}`;
    const has = way === undefined ? 'If the service shows each list on one page' : 'The service shows long lists on several pages';
    const hint = sentence`${has}${way === undefined ? ', set' : '. Set'}: proctor-cli ${typedCommand('config set dialect.paging', [way ?? 'none'])}`;
    return notWhole(listing, why, hint, 'may not be');
  };
  const both = await ask(`page=2&offset=${keys.length}`);
  if (both.is === 'same') return undefined;
  if (both.is === 'failed') return doubt(both.words);
  const { is, words } = await ask('page=2');
  // A service may refuse a parameter that it does not know.
  if (is === 'same') return both.is === 'refused' ? undefined : doubt(both.words, 'offset');
  if (is === 'refused' || is === 'failed') return doubt(words);
  const isOver = is === 'none' && both.is !== 'others';
  const first = await ask('page=1');
  // If pages count from 0, page 2 is the third page.
  if (first.is === 'others') return doubt(words, 'page,page,0');
  if (first.is === 'same') return isOver ? undefined : doubt(words, 'page');
  return isOver && first.is === 'none' && (await ask('page=0')).is === 'same' ? undefined : doubt(words);
}

/** How many items one answer to the request for a list has, if it shows that there are more: the command `api` prints it as it is. */
export function itemsOfPart(operation: Operation, dialect: Dialect, answer: ListAnswer): number | undefined {
  const listed = listIn(answer.data, operation, dialect);
  if (typeof listed === 'string') return undefined;
  const { items, beside } = listed;
  const { is } = whatFollows(signalsIn({ ...answer, beside }), { ...answer, items: items.length, number: 1 }, items.length);
  return is === 'more' || is === 'full' ? items.length : undefined;
}

/** Of a list that may not be whole, `refuse`: whatever decides by it fails; `warn`: a person reads it; `accept`: it completes what is typed. */
export type Unsure = 'refuse' | 'warn' | 'accept';

export class Doubts {
  /**
   * For each operation, its last question, for whose answer lists of other exams wait. `held`: the most items of a list that is known to be
   * whole: a page holds as many. A longer one may be a full page.
   */
  readonly #asked = new Map<string, Promise<{ held: number; doubt?: CliError }>>();
  readonly #warned = new Set<string>();

  /** Throws, or warns, if the only page of a list is not shown to be the whole list. */
  async settle(listing: Listing, keys: readonly string[], unsure: Unsure): Promise<void> {
    if (unsure === 'accept') return;
    const { id } = listing.operation;
    const before = this.#asked.get(id) ?? Promise.resolve({ held: 0 });
    const asking = before.then(async ({ held }) => {
      if (keys.length <= held) return { held };
      const doubt = await lookBehind(listing, keys);
      return doubt ? { held, doubt } : { held: keys.length };
    });
    this.#asked.set(id, asking);
    const { doubt } = await asking;
    if (doubt && unsure === 'refuse') throw doubt;
    if (doubt && !this.#warned.has(id)) listing.warn?.(sentence`warning: ${doubt.message} ${doubt.hint}`);
    if (doubt) this.#warned.add(id);
  }
}

/**
 * Throws the error of a list that is not read to its end with the setting in force: its hint names the setting that is needed. A declared
 * way that leads to no second page has to agree with what the first one shows.
 */
export async function checkPaging(listing: Listing): Promise<void> {
  const { paging } = listing.dialect;
  let pages = 0;
  const read = async (way: string) => {
    const tried = { ...listing, dialect: { ...listing.dialect, paging: way } };
    pages = 0;
    const settle = (keys: readonly string[]) => new Doubts().settle(tried, keys, paging === 'none' ? 'accept' : 'refuse');
    for await (const _page of eachPage(tried, settle)) if (++pages === 2) break;
  };
  const problem = await orError(read(paging));
  // What cannot be read at all shows no pages: that is said elsewhere.
  if (pages > 0 && problem instanceof CliError) throw problem;
  if (pages === 0 || pages === 2 || paging === 'auto') return;
  await read('auto');
  const set = sentence`Set: proctor-cli config set dialect.paging auto`;
  if (pages === 2) throw notWhole(listing, `its first page shows another one, which dialect.paging ${paging} does not request`, set);
}
