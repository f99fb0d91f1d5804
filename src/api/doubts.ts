/** Whether a list is whole that does not say so, and how further pages are requested. */
import { type ErrorCode, orElse } from '../errors.ts';
import { sentence } from '../text/sentence.ts';
import type { Dialect } from './dialect.ts';
import { type Beside, itemKey, type ListAnswer, type ListRequest, listIn, readPage } from './list.ts';
import type { Operation } from './operations.ts';
import { askForWay, commandToSet, type Doubt, firstPath, notWhole, settingWith, signalsIn, whatFollows } from './paging.ts';

type Why = Doubt & { why: string };

/** The doubt whether a first page, with these keys of items, is the whole list. */
export async function lookBehind(listing: ListRequest, keys: readonly string[], beside: Beside = []): Promise<Why | undefined> {
  const doubt = ({ words, code }: Omit<ProbedPage, 'is'>, way?: string): Why => {
    const says = beside === 'counted' ? 'says that these are all' : 'does not say whether there are more';
    const why = `it has ${keys.length} items and ${says}, and page 2 ${words}`;
    const onOne = sentence`${askForWay}. If the service shows each list on one page, set`;
    const has = way === undefined ? onOne : 'The service shows long lists on several pages. Set';
    const set = commandToSet(way ?? 'none', listing.dialect.paging, listing.operation);
    const paging = way && settingWith(way, listing.dialect.paging, listing.operation);
    return { why, code, hint: sentence`${has}: proctor-cli ${set}`, is: 'may not be', paging };
  };
  const both = await probe(listing, keys, `page=2&offset=${keys.length}`);
  // A total that says that there are no more is doubted only for items that are not on the first page.
  if (beside === 'counted' && both.is !== 'others') return undefined;
  if (both.is === 'failed') return doubt(both);
  const second = both.is === 'same' ? both : await probe(listing, keys, 'page=2');
  const { is } = second;
  if (is === 'same' && (both.is === 'others' || both.is === 'none')) return doubt(both, 'offset');
  // A service that ignores the number of a page may ask for pages in another way, and name it beside the items.
  const unheard = beside === 'counted' ? [] : beside.slice(0, 5).join(', ');
  if (is === 'same' && unheard.length === 0) return undefined;
  if (is === 'same') return doubt({ ...second, words: `has the same ones; ${unheard} may mean that there are more` });
  if (is === 'refused' || is === 'failed') return doubt(second);
  const first = await probe(listing, keys, 'page=1');
  // If pages count from 0, page 2 is the third page.
  if (first.is === 'others') return doubt(second, 'page,page,0');
  const isOver = is === 'none' && both.is !== 'others';
  if (first.is === 'same') return isOver ? undefined : doubt(second, 'page');
  const isAtZero = isOver && first.is === 'none' && (await probe(listing, keys, 'page=0')).is === 'same';
  return isAtZero ? undefined : doubt(second);
}

/** `code`: the error of the doubt; another one where a retry may show more. */
type ProbedPage = { is: 'none' | 'same' | 'others' | 'refused' | 'failed'; words: string; code: ErrorCode };

/** What a page has beside the items with these keys. */
function probe(listing: ListRequest, keys: readonly string[], query: string): Promise<ProbedPage> {
  const seen = readPage(listing, firstPath(listing.path, query)).then(({ items }): ProbedPage => {
    const shown = new Set(items.map(itemKey));
    // Meanwhile, an item may have been added or deleted.
    const all = new Set([...keys, ...shown]).size;
    const isSame = all === shown.size || all === new Set(keys).size;
    if (shown.size === 0) return { is: 'none', words: 'is empty', code: 'list_in_doubt' };
    return { is: isSame ? 'same' : 'others', words: 'has other items', code: 'list_in_doubt' };
  });
  return orElse(seen, ({ code, status }): ProbedPage => {
    const words = status === undefined ? 'could not be read' : `was refused (${status})`;
    if (code === 'not_found') return { is: 'none', words, code: 'list_in_doubt' };
    if (code === 'rejected') return { is: 'refused', words, code: 'list_in_doubt' };
    return { is: 'failed', words, code: code === 'bad_answer' ? 'list_in_doubt' : 'bad_answer' };
  });
}

/** How many items an answer has that shows that there are more; undefined for any other answer. */
export function itemsOfPart(operation: Operation, dialect: Dialect, answer: ListAnswer): number | undefined {
  const listed = listIn(answer.data, operation, dialect);
  if (typeof listed === 'string') return undefined;
  const { items, beside } = listed;
  const { is } = whatFollows(signalsIn({ ...answer, beside }), { ...answer, items: items.length, number: 1 });
  return is === 'more' || is === 'full' ? items.length : undefined;
}

/** What is done with a list that may not be whole. `refuse`: it decides something; `warn`: a person reads it. */
export type Unsure = 'refuse' | 'warn' | 'accept';

export class Doubts {
  /** The last question about each operation. `held`: as many items fit on a page. */
  readonly #asked = new Map<string, Promise<{ held: number; doubt: Why | undefined }>>();
  #isNamed = false;

  /** Throws or warns (once), unless the only page of a list is shown to be the whole list. */
  async settle(listing: ListRequest, keys: readonly string[], unsure: Unsure, beside: Beside = []): Promise<Why | undefined> {
    if (unsure === 'accept') return undefined;
    const { id } = listing.operation;
    const before = this.#asked.get(id) ?? Promise.resolve({ held: 0, doubt: undefined });
    const asking = before.then(async ({ held }) => {
      const isAsked = keys.length > held || (beside !== 'counted' && beside.length > 0);
      const doubt = isAsked ? await lookBehind(listing, keys, beside) : undefined;
      return { held: doubt ? held : Math.max(held, keys.length), doubt };
    });
    this.#asked.set(id, asking);
    const { doubt } = await asking;
    if (!doubt) return undefined;
    const error = notWhole(listing, doubt.why, doubt);
    if (unsure === 'refuse') throw error;
    if (!this.#isNamed) listing.warn(sentence`warning: ${error.message} ${error.hint}`);
    this.#isNamed = true;
    return doubt;
  }
}
