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
import { isEmpty, lookBehind } from './page-probe.ts';
import { cut, firstPage, isAddress, type ListPage, type PageRequest, pageAfter, shownPaging, type Where } from './paging.ts';
import { isEnd, signalsIn } from './paging-signals.ts';
import { keyOf } from './seen-pages.ts';

/** Requests a page of a list by its path below the base URL. Throws the client's errors. */
export type RequestPage = (list: Operation, path: string) => Promise<Answer>;

/**
 * What a list shows. `proposed`: this value of `dialect.paging` brings its pages; `pages`: whether those behind the first one are read by
 * the setting in force, or there is only one so far. `unclear`: there are more items, or may be, and no style brings them.
 */
type Found = { is: 'proposed'; value: string; pages: 'read' | 'unread' | 'one' } | { is: 'unclear'; error: CliError };
export type PagingFound = { name: ListName } & Found;

type Service = Omit<Where, 'does' | 'dialect'> & { dialect: Dialect };

/** The exams first; if they do not show it, the sessions may. */
const lists = { exams: operations.listExams, sessions: operations.listSessions } as const;
type ListName = keyof typeof lists;

/** Undefined if both lists are whole as they are read. Skips a list that the token may not read. */
export async function findPaging(service: Service, request: RequestPage): Promise<PagingFound | undefined> {
  for (const name of ['exams', 'sessions'] as const) {
    try {
      const found = await foundIn(name, service, request);
      if (found) return { name, ...found };
    } catch (error) {
      if (!(error instanceof CliError && (error.status === 401 || error.status === 403))) throw error;
    }
  }
  return undefined;
}

async function foundIn(name: ListName, service: Service, request: RequestPage): Promise<Found | undefined> {
  const { dialect } = service;
  const list = lists[name];
  const asked = firstPage(list.path, dialect);
  const { status, headers, data } = await request(list, asked.path);
  const listed = listedIn(data, list.resource, dialect);
  if (!listed) return undefined;
  const page: ListPage = { ...asked, status, headers, envelopes: listed.envelopes, items: listed.items.length };
  const keyed = (item: Json) => (isJsonObject(item) ? keyOf(unwrapItem(item, list, dialect)) : stringifyJson(item));
  const keys = listed.items.map(keyed);
  const known = new Set(keys);
  const next = (paging: string) =>
    orRefusal(() => pageAfter(page, page.items, { ...service, dialect: { ...dialect, paging }, does: list.does }));
  const read = async (path: string) => {
    const answer = await request(list, path).catch(refusalIn);
    if (answer instanceof CliError) return answer;
    return listedIn(answer.data, list.resource, dialect)?.items.map(keyed) ?? cut(list, 'no list came');
  };

  const { paging } = dialect;
  const byItself = next('auto');
  const showsMore = typeof byItself === 'object';
  if (paging === 'none' && !showsMore) return undefined;
  /** What the request of a style brings: other items, the same items again, or neither. An empty page may be the end of the list. */
  const brings = async (style: string): Promise<'news' | 'same' | 'nothing'> => {
    const way = next(style);
    const further = typeof way === 'object' && !(way instanceof CliError) ? await read(way.path) : undefined;
    if (further === undefined) return 'nothing';
    if (isEmpty(further)) return showsMore && !('beyond' in byItself && byItself.beyond === 'end') ? 'nothing' : 'news';
    if (further instanceof CliError) return 'nothing';
    return further.some((key) => known.has(key)) ? 'same' : 'news';
  };
  const proposed = (value: string, pages: 'read' | 'unread' | 'one') => ({ is: 'proposed', value, pages }) as const;

  const isDeclared = paging !== 'auto' && paging !== 'none';
  const saysEnd = isDeclared && next(paging) === undefined;
  if (isDeclared && !saysEnd && (await brings(paging)) === 'news') return undefined;
  /** What is declared does not fit a service whose list is whole without it. */
  const whole = () => (isDeclared && !saysEnd ? proposed('auto', 'unread') : undefined);
  if (byItself === undefined) return whole();
  if (byItself === 'unsure') {
    const { isWhole, way } = await lookBehind(asked.path, keys, read);
    if (way !== undefined) return proposed(way, isWhole ? 'one' : 'unread');
    return isWhole ? whole() : { is: 'unclear', error: unclear(name, page, byItself) };
  }
  for (const style of stylesOf(page)) {
    if ((await brings(style)) !== 'news') continue;
    // If pages count from 0, page 1 has other items too.
    const value = style === 'page' && (await brings('page,page,0')) === 'news' ? 'page,page,0' : style;
    return proposed(value, paging === 'auto' && pathOf(next(value)) === pathOf(byItself) ? 'read' : 'unread');
  }
  return { is: 'unclear', error: unclear(name, page, byItself) };
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
    return refusalIn(error);
  }
}

/** The error for a page that does not exist, or that the service does not understand. */
function refusalIn(error: unknown): CliError {
  if (error instanceof CliError && (error.code === 'not_found' || error.code === 'bad_answer' || error.code === 'rejected')) return error;
  throw error;
}

/** The field of a next page that is no address, and therefore a cursor. */
function cursorName(page: ListPage): string | undefined {
  const { next } = signalsIn(page);
  return !next || isEnd(next.value) || next.kind === 'link' || isAddress(next.value) ? undefined : next.name;
}

function unclear(name: ListName, page: ListPage, next: PageRequest | CliError | 'unsure'): CliError {
  if (next === 'unsure') {
    const what = sentence`The list of ${name} has ${page.items} items and does not say whether there are more; neither page 2 nor the offset ${page.items} could be read.`;
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
