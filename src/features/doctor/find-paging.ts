/** How a service shows the pages of its lists, for `doctor` and `auth login`: by their first pages, and by what comes as page 2. */

import { keyOf, keysOn, type Listing, readPage } from '../../api/list.ts';
import { type Operation, operations } from '../../api/operations.ts';
import { firstPath, isNone, lookBehind, nextPath, pagingOf, shownPaging, signalsIn, whatFollows } from '../../api/paging.ts';
import { CliError } from '../../errors.ts';
import { typedCommand } from '../../model/shell-quote.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';

/**
 * What a list shows. `proposed`: this value of `dialect.paging` brings its pages; `pages`: whether those behind the first one are read by
 * the setting in force, or there is only one so far. `unclear`: there are more items, or may be, and no style brings them.
 */
export type PagingFound = { name: 'exams' | 'sessions' } & (
  | { is: 'proposed'; value: string; pages: 'read' | 'unread' | 'one' }
  | { is: 'unclear'; error: CliError }
);

type Service = Pick<Listing, 'dialect' | 'masked'> & { origin: string; basePath: string };

/** Reads the exams first; if they do not show it, the sessions may. Undefined if both lists are whole as they are read. Skips one that the token may not read, or that is no list. */
export async function findPaging(
  { origin, basePath, ...service }: Service,
  request: (list: Operation, path: string) => ReturnType<Listing['read']>,
): Promise<PagingFound | undefined> {
  for (const [name, operation] of [['exams', operations.listExams] as const, ['sessions', operations.listSessions] as const]) {
    const { path, does } = operation;
    try {
      const read = (asked: string) => request(operation, asked);
      const found = await foundIn(name, { ...service, operation, path, read, where: { origin, basePath, does } });
      if (found) return found;
    } catch (error) {
      if (!(error instanceof CliError && (error.code === 'token_refused' || error.code === 'bad_answer'))) throw error;
    }
  }
  return undefined;
}

async function foundIn(name: PagingFound['name'], listing: Listing): Promise<PagingFound | undefined> {
  const { dialect, where } = listing;
  const isAuto = dialect.paging === 'auto';
  const path = firstPath(listing.path, dialect.listQuery);
  const { items, ...came } = await readPage(listing, path);
  const page = { ...came, path, items: items.length, number: 1, before: 0 };
  const keys = items.map(keyOf);
  const signals = signalsIn(page);
  const { is, missing } = whatFollows(signals, page, items.length);
  if (dialect.paging === 'none' && (is === 'end' || is === 'unsure')) return undefined;

  const next = (setting: string) => orRefusal(() => nextPath(pagingOf(setting), page, where));
  /** Whether the request of a style brings other items. An empty page may be the end of the list. */
  const brings = async (setting: string): Promise<boolean> => {
    const way = next(setting);
    if (typeof way !== 'string') return false;
    const further = await keysOn(listing, way);
    return isNone(further) ? is !== 'more' : !(further instanceof CliError) && !further.some((key) => keys.includes(key));
  };
  const proposed = (value: string, pages: 'read' | 'unread' | 'one') => ({ name, is: 'proposed', value, pages }) as const;
  const unclear = (what: Sentence, hint: Sentence) => ({ name, is: 'unclear', error: new CliError('bad_answer', what, { hint }) }) as const;

  const isFollowed = !isAuto && next(dialect.paging) !== undefined;
  if (isFollowed && (await brings(dialect.paging))) return undefined;
  /** What is declared does not fit a service whose list is whole without it. */
  const whole = isFollowed ? proposed('auto', 'unread') : undefined;
  if (is === 'end') return whole;
  const shown = is === 'unsure' ? undefined : orRefusal(() => shownPaging(signals, page, where));
  const isNumbered = typeof shown !== 'string' || shown.startsWith('page');
  const { isWhole, way, words } = isNumbered
    ? await lookBehind(path, keys, (asked) => keysOn(listing, asked))
    : { isWhole: false, way: (await brings(shown)) ? shown : undefined, words: '' };
  const isRead = isAuto && way === shown;
  if (way !== undefined && !(isWhole && missing)) return proposed(way, isRead ? 'read' : isWhole ? 'one' : 'unread');
  if (isWhole && !missing) return whole;
  if (is === 'unsure') {
    const what = sentence`The list of ${name} has ${page.items} items and does not say whether there are more, and page 2 ${words}.`;
    return unclear(what, sentence`If the service shows each list on one page, set: proctor-cli config set dialect.paging none`);
  }
  const further = typeof shown === 'string' ? next(shown) : shown;
  const mayBeCursor = signals.next && (shown instanceof CliError || shown?.startsWith('cursor'));
  const how = typedCommand('config set dialect.paging', [mayBeCursor ? `cursor,${signals.next?.name},PARAMETER` : 'page,PARAMETER']);
  return unclear(
    further instanceof CliError
      ? sentence`${further.message}`
      : sentence`The list of ${name} has more pages, but the next one (${further}) could not be read, or has the same items.`,
    sentence`Ask the service's operator how the next page is requested, and declare it (all ways: docs/dialect.md): proctor-cli ${how}`,
  );
}

function orRefusal<T>(act: () => T): T | CliError {
  try {
    return act();
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
}
