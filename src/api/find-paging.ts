/**
 * Finds out by a few requests how a service shows the pages of a list: requests the first page and, if there may be more, the
 * page that each style of paging would request next. A style that brings other items can be declared.
 */

import { CliError } from '../errors.ts';
import { isJsonObject, type Json, stringifyJson } from '../model/json.ts';
import { typedCommand } from '../model/shell-quote.ts';
import { sentence } from '../text/sentence.ts';
import { type Answer, unwrapItem } from './answer.ts';
import type { Dialect } from './dialect.ts';
import { listedIn } from './list-body.ts';
import { type Operation, operations } from './operations.ts';
import { firstPage, isAddress, type ListPage, type PageRequest, pageAfter, shownPaging, type Where } from './paging.ts';
import { isEnd, signalsIn } from './paging-signals.ts';
import { keyOf } from './seen-pages.ts';

/** Requests a page of a list by its path below the base URL. Throws the client's errors. */
export type RequestPage = (list: Operation, path: string) => Promise<Answer>;

/**
 * A list with several pages. `proposed`: this value of `dialect.paging` brings the next page; `followed`: so does the setting in
 * force. `unclear`: there are more items, or may be, and no style brings them.
 */
export type PagingFound = { name: ListName } & ({ is: 'proposed'; value: string; followed: boolean } | { is: 'unclear'; error: CliError });

type Service = Omit<Where, 'does' | 'dialect'> & { dialect: Dialect };

/** The exams first; if they are too few to fill a page, the sessions may. */
const lists = { exams: operations.listExams, sessions: operations.listSessions } as const;
type ListName = keyof typeof lists;

/** Undefined if lists are on one page, or the current setting brings the next page. Skips a list that the token may not read. */
export async function findPaging(service: Service, request: RequestPage): Promise<PagingFound | undefined> {
  for (const name of ['exams', 'sessions'] as const) {
    try {
      const found = await pagingOf(name, service, request);
      if (found === 'settled') return undefined;
      if (found !== 'open') return { name, ...found };
    } catch (error) {
      if (!(error instanceof CliError && (error.status === 401 || error.status === 403))) throw error;
    }
  }
  return undefined;
}

/** What the request of a style brings: other items, the same items again, or neither. */
type Brought = 'news' | 'same' | 'nothing';

/** `open`: the list is whole, so it does not show how pages are requested. */
async function pagingOf(name: ListName, service: Service, request: RequestPage) {
  const { dialect } = service;
  const list = lists[name];
  const asked = firstPage(list.path, dialect);
  const { status, headers, data } = await request(list, asked.path);
  const listed = listedIn(data, list.resource, dialect);
  if (!listed) return 'open';
  const page: ListPage = { ...asked, status, headers, envelopes: listed.envelopes, items: listed.items.length };
  const keyed = (item: Json) => (isJsonObject(item) ? keyOf(unwrapItem(item, list, dialect)) : stringifyJson(item));
  const known = new Set(listed.items.map(keyed));
  const next = (paging: string) =>
    orRefusal(() => pageAfter(page, page.items, { ...service, dialect: { ...dialect, paging }, does: list.does }));

  const { paging } = dialect;
  const byItself = next('auto');
  if (paging === 'none' && typeof byItself !== 'object') return 'open';
  /** `mayEnd`: an empty page is the end of the list. */
  const brings = async (way: ReturnType<typeof next>, mayEnd: boolean): Promise<Brought> => {
    if (typeof way !== 'object' || way instanceof CliError) return 'nothing';
    const items = await request(list, way.path).then(
      (further) => listedIn(further.data, list.resource, dialect)?.items.map(keyed),
      withoutPage,
    );
    if (!items || (items.length === 0 && !mayEnd)) return 'nothing';
    return items.some((item) => known.has(item)) ? 'same' : 'news';
  };
  if (paging !== 'auto' && paging !== 'none') {
    const way = next(paging);
    if (way === undefined ? byItself === undefined : (await brings(way, typeof byItself !== 'object')) === 'news') return 'open';
    if (byItself === undefined) return { is: 'proposed' as const, value: 'auto', followed: false };
  }
  const isUnsure = byItself === 'unsure';
  if (byItself === undefined && !saysNothing(page)) return 'settled';
  if (byItself === undefined && page.items < smallestPage) return 'open';
  const ignored = new Set<string>();
  for (const style of stylesOf(page)) {
    const brought = await brings(next(style), isUnsure);
    if (brought === 'same') ignored.add(style);
    if (brought !== 'news') continue;
    // If pages count from 0, page 1 has other items too.
    const fromZero = style === 'page' && (await brings(next('page,page,0'), isUnsure)) === 'news';
    const value = fromZero ? 'page,page,0' : style;
    return { is: 'proposed' as const, value, followed: paging === 'auto' && pathOf(next(value)) === pathOf(byItself) };
  }
  // A service that knows no pages answers with the whole list again.
  if (byItself === undefined || (isUnsure && ignored.has('page'))) return ignored.size === 2 ? 'settled' : 'open';
  return { is: 'unclear' as const, error: unclear(name, page, byItself) };
}

/** A list with fewer items counts as whole, unless its answer says otherwise. */
const smallestPage = 10;

function saysNothing(page: ListPage): boolean {
  return Object.values(signalsIn(page)).every((signal) => signal === undefined);
}

function pathOf(way: PageRequest | CliError | 'unsure' | undefined): string | undefined {
  return typeof way === 'object' && 'path' in way ? way.path : undefined;
}

/** The style that the answer shows; without one, the styles that only a request can show. */
function stylesOf(page: ListPage): readonly string[] {
  const shown = shownPaging(page);
  return shown === undefined || shown.startsWith('page') ? ['page', 'offset'] : [shown];
}

function orRefusal<T>(act: () => T): T | CliError {
  try {
    return act();
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
}

/** Empty for a page that does not exist; undefined for a request that the service does not understand. */
function withoutPage(error: unknown): [] | undefined {
  if (error instanceof CliError && error.code === 'not_found') return [];
  if (error instanceof CliError && (error.code === 'bad_answer' || error.code === 'rejected')) return undefined;
  throw error;
}

/** The field of a next page that is no address, and therefore a cursor. */
function cursorName(page: ListPage): string | undefined {
  const { next } = signalsIn(page);
  return !next || isEnd(next.value) || next.kind === 'link' || isAddress(next.value) ? undefined : next.name;
}

function unclear(name: ListName, page: ListPage, next: PageRequest | CliError | 'unsure'): CliError {
  if (next === 'unsure') {
    const { items } = page;
    const what = sentence`The list of ${name} has exactly ${items} items and does not say whether there are more; neither page 2 nor the offset ${items} could be read.`;
    return new CliError('bad_answer', what, {
      hint: 'If the service shows each list on one page, set: proctor-cli config set dialect.paging none',
    });
  }
  const what =
    next instanceof CliError
      ? sentence`${next.message}`
      : sentence`The list of ${name} has more pages, but the next one (${next.path}) could not be read, or has the same items.`;
  const cursor = cursorName(page);
  const way = cursor === undefined ? 'page,PARAMETER' : `cursor,${cursor},PARAMETER`;
  return new CliError('bad_answer', what, {
    hint: sentence`Ask the service's operator how the next page is requested, and declare it (all ways: docs/dialect.md): proctor-cli ${typedCommand('config set dialect.paging', [way])}`,
  });
}
