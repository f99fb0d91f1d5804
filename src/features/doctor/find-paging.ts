/** How a service shows the pages of its lists, for `doctor` and `auth login`: by their first pages, and by what comes as page 2. */

import { keyOf, keysOn, type Listing, orError, readPage } from '../../api/list.ts';
import { type Operation, operations } from '../../api/operations.ts';
import { compared, firstPath, lookBehind, nextPath, pagingOf, signalsIn, type Where, whatFollows } from '../../api/paging.ts';
import { CliError } from '../../errors.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { sentence } from '../../text/sentence.ts';

/** A value of `dialect.paging` that brings the pages of a list. `pages`: whether the setting in force reads them; `one`: it is one page so far. */
export type PagingFound = { name: 'exams' | 'sessions'; value: string; pages: 'read' | 'unread' | 'one' };

/**
 * Reads the exams first; if they do not show it, the sessions may. An error: there are more items, or may be, and no style brings them.
 * Undefined if both lists are whole as they are read. Skips one that the token may not read, or that is no list.
 */
export async function findPaging(
  { dialect, baseUrl }: Pick<Listing, 'dialect'> & Pick<Where, 'baseUrl'>,
  request: (list: Operation, path: string) => ReturnType<Listing['read']>,
): Promise<PagingFound | CliError | undefined> {
  for (const [name, operation] of [['exams', operations.listExams] as const, ['sessions', operations.listSessions] as const]) {
    const where = { baseUrl, does: operation.does };
    try {
      const read = (path: string) => request(operation, path);
      const found = await foundIn(name, { dialect, operation, path: operation.path, read, where });
      if (found) return found;
    } catch (error) {
      if (!(error instanceof CliError && (error.code === 'token_refused' || error.code === 'bad_answer'))) throw error;
    }
  }
  return undefined;
}

async function foundIn(name: PagingFound['name'], listing: Listing): Promise<PagingFound | CliError | undefined> {
  const { paging, listQuery } = listing.dialect;
  const path = firstPath(listing.path, listQuery);
  const { items, ...came } = await readPage(listing, path);
  const page = { ...came, path, items: items.length, number: 1, before: 0 };
  const keys = items.map(keyOf);
  const signals = signalsIn(page);
  const { is, way: shown, missing } = whatFollows(signals, page, items.length);
  if (paging === 'none' && (is === 'end' || is === 'unsure')) return undefined;
  const next = (setting: string) => orError((async () => nextPath(pagingOf(setting), page, listing.where))());
  /** Whether the request of a style brings other items. An empty page may be the end of the list. */
  const brings = async (setting: string) => {
    const further = await next(setting);
    const found = typeof further === 'string' ? compared(await keysOn(listing, further), keys).is : 'failed';
    return found === 'others' || (found === 'none' && is !== 'more');
  };
  const isFollowed = paging !== 'auto' && (await next(paging)) !== undefined;
  if (isFollowed && (await brings(paging))) return undefined;
  /** What is declared does not fit a service whose list is whole without it. */
  const whole = isFollowed ? ({ name, value: 'auto', pages: 'unread' } as const) : undefined;
  if (is === 'end') return whole;
  const isNumbered = shown === undefined || shown.startsWith('page');
  const { isWhole, way, words } = isNumbered
    ? await lookBehind(path, keys, (asked) => keysOn(listing, asked))
    : { isWhole: false, way: (await brings(shown)) ? shown : undefined, words: '' };
  const isRead = paging === 'auto' && way === shown;
  if (way !== undefined && !(isWhole && missing)) return { name, value: way, pages: isRead ? 'read' : isWhole ? 'one' : 'unread' };
  if (isWhole && !missing) return whole;
  if (is === 'unsure') {
    const what = sentence`The list of ${name} has ${page.items} items and does not say whether there are more, and page 2 ${words}.`;
    const hint = sentence`If the service shows each list on one page, set: proctor-cli config set dialect.paging none`;
    return new CliError('bad_answer', what, { hint });
  }
  const further = shown === undefined ? undefined : await next(shown);
  const why =
    further instanceof CliError ? further.message.replace(/\.$/, '') : `the next one (${further}) could not be read, or has the same items`;
  const what = sentence`The list of ${name} has more pages: ${further === undefined ? missing : why}.`;
  const mayBeCursor = signals.next && (shown === undefined || shown.startsWith('cursor'));
  const how = typedCommand('config set dialect.paging', [mayBeCursor ? `cursor,${signals.next?.name},PARAMETER` : 'page,PARAMETER']);
  const hint = sentence`Ask the service's operator how the next page is requested, and declare it (all ways: docs/configuration.md): proctor-cli ${how}`;
  return new CliError('bad_answer', what, { hint });
}
