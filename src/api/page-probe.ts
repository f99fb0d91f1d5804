/**
 * Decides whether a list is whole if its only page is exactly full and says nothing about more: requests the next page once, by its
 * number and by its offset. A service that answers with the same items again has no pages.
 */
import { CliError } from '../errors.ts';
import type { JsonObject } from '../model/json.ts';
import { typedCommand } from '../model/shell-quote.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import type { Operation } from './operations.ts';
import { keyOf } from './seen-pages.ts';

/** The items of a page, or why there is none. */
type AskedPage = readonly JsonObject[] | CliError;
/** Requests the list with these parameters. */
export type AskPage = (query: Readonly<Record<string, string>>) => Promise<AskedPage>;

export class PageProbe {
  /** For each operation, whether its first list has no pages. Lists of other exams wait for this answer. */
  readonly #first = new Map<string, Promise<boolean>>();
  readonly #warned = new Set<string>();

  /** The error for a list that may not be whole; undefined for a whole list. `does`: the request, in words. */
  async doubt({ id }: Operation, does: string, items: readonly JsonObject[], ask: AskPage): Promise<CliError | undefined> {
    const first = this.#first.get(id);
    if (first && (await first)) return undefined;
    const asking = nextPage(items.length, ask);
    const isWhole = asking.then(({ page }) => this.#hasAll(page, items));
    if (!first)
      this.#first.set(
        id,
        isWhole.catch(() => false),
      );
    if (await isWhole) return undefined;
    const second = await asking;
    const what = sentence`The service's answer to the request to ${does} may not be the whole list: it has exactly ${items.length} items and does not say whether there are more, and page 2 ${wordsFor(second.page)}.`;
    return new CliError('bad_answer', what, { hint: await this.#advice(second, items, ask) });
  }

  /** Says which setting brings the next page, or how to find out. */
  async #advice({ page, byNumber }: NextPage, items: readonly JsonObject[], ask: AskPage): Promise<Sentence> {
    const set = (value: string) => sentence`proctor-cli ${typedCommand('config set dialect.paging', [value])}`;
    if (!(page instanceof CliError)) {
      if (this.#hasAll(byNumber ?? (await ask({ page: '2' })), items))
        return sentence`The service skips items by an offset. Set: ${set('offset')}`;
      // If pages count from 0, page 2 is the third page.
      const first = await ask({ page: '1' });
      if (this.#hasAll(first, items)) return sentence`The service numbers its pages. Set: ${set('page')}`;
      if (!(first instanceof CliError) && first.length > 0)
        return sentence`The service numbers its pages from 0. Set: ${set('page,page,0')}`;
    }
    return sentence`If the service shows each list on one page, set: ${set('none')}. Otherwise find out how the next page is requested: proctor-cli doctor`;
  }

  /** Whether a person is warned for the first time. */
  warns({ id }: Operation): boolean {
    const isNew = !this.#warned.has(id);
    this.#warned.add(id);
    return isNew;
  }

  #hasAll(page: AskedPage, items: readonly JsonObject[]): boolean {
    if (page instanceof CliError) return false;
    const keys = new Set(page.map(keyOf));
    return items.every((item) => keys.has(keyOf(item)));
  }
}

/** `byNumber`: page 2 as it was requested without the offset, if it was. */
type NextPage = { page: AskedPage; byNumber?: AskedPage };

async function nextPage(items: number, ask: AskPage): Promise<NextPage> {
  const page = await ask({ page: '2', offset: String(items) });
  if (!(page instanceof CliError && page.code === 'rejected')) return { page };
  // A service may refuse a parameter that it does not know.
  const byNumber = await ask({ page: '2' });
  return { page: byNumber, byNumber };
}

function wordsFor(page: AskedPage): string {
  if (!(page instanceof CliError)) return page.length === 0 ? 'is empty' : 'has other items';
  return page.status === undefined ? 'could not be read' : `was refused (${page.status})`;
}
