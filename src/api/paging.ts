/**
 * How a list continues: by an address, a cursor, a number of pages, or a total with an offset, as given by the
 * answer or the profile. A list that says it continues and cannot be followed is an error, never a shorter
 * list.
 */
import { CliError } from '../errors.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { typedCommand } from '../model/shell-quote.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import type { Dialect, DialectKey } from './dialect.ts';
import { heeding, type Signal, type Signals, signalsIn } from './paging-signals.ts';
import { isAddress } from './paging-words.ts';

export type ListPage = {
  /** Path and query below the base URL. */
  path: string;
  /** Number of the page, from 1, as far as pages were counted. */
  number: number;
  /** Number of the first page: 1, or 0 for a service that counts from 0. */
  base?: number;
  /** Paths that were requested already: a service that points backwards would never end the list. */
  seen: Set<string>;
  /** What came with the items, once the page is read. */
  status?: number;
  headers?: Record<string, string>;
  siblings?: JsonObject | undefined;
  /** Items on this page. */
  items?: number;
  /** Items on the first page. */
  firstItems?: number;
  /** The total that the first page with a total showed. */
  firstTotal?: number;
  /** The error for a page that only a total implies, if it cannot be read. */
  otherwise?: CliError;
  /** The page may not exist: it is requested because no answer says that the list ends. */
  doubt?: Doubt;
};

/** `error`: for a service that answers with the same page again; absent where the list is whole then. */
type Doubt = { error: CliError | undefined };

type Next = Pick<ListPage, 'path' | 'number' | 'base' | 'otherwise' | 'doubt'>;
type Where = { dialect: Dialect; origin: string; basePath: string; does: string };

/** The list changed while it was read, page after page: items may be missing. */
export class ListChanged extends Error {
  override readonly name = 'ListChanged';
}

export function firstPage(path: string, dialect: Dialect): ListPage {
  const first = dialect.pageSize === '' ? path : withQuery(path, dialect.pageSizeParameter, dialect.pageSize);
  return { path: first, number: 1, seen: new Set([first]) };
}

/** The page after this one, or undefined when the list is whole. `count`: items of all pages so far. Throws `ListChanged`. */
export function pageAfter(page: ListPage, count: number, where: Where): ListPage | undefined {
  const signals = heeding(signalsIn({ headers: page.headers ?? {}, siblings: page.siblings }, where.dialect), page, count);
  const { total, cut: said } = signals;
  if (page.firstTotal !== undefined && total && total.value < page.firstTotal) throw new ListChanged();
  const next =
    shownNext(signals, page, where) ??
    numberedNext(signals, page, where) ??
    countedNext(signals, page, count, where) ??
    totalNext(signals, page, count, where) ??
    doubtfulNext(signals, page, count, where);
  if (!next) refuseRest(signals, page, count, where);
  if (next && said !== undefined && (next.doubt || signals.pages?.name === said)) {
    next.otherwise = saysMore(said, where);
    delete next.doubt;
  }
  if (!next || next.doubt) refuseStrange(signals, page, count, where);
  // An empty page whose cursor is its own is the end.
  if (!next || (next.path === page.path && page.items === 0)) return undefined;
  if (page.seen.has(next.path)) throw cut(where, `its next page (${next.path}) was read before`);
  page.seen.add(next.path);
  // A number that is that of the items may be that of the page alone.
  const firstTotal = page.firstTotal ?? (total && total.value !== page.items ? total.value : undefined);
  const firstItems = page.firstItems ?? page.items;
  return {
    ...next,
    seen: page.seen,
    ...(firstTotal === undefined ? {} : { firstTotal }),
    ...(firstItems === undefined ? {} : { firstItems }),
  };
}

const setPaging = sentence`Set dialect.paging to the way in which the next page is requested; to find it out: proctor-cli doctor`;

/** Throws if the answer says, or may mean, that there are more items. */
function refuseRest(signals: Signals, page: ListPage, count: number, where: Where) {
  const { total, pages, more, next, ends } = signals;
  if (total && total.value > count) {
    if (page.firstTotal !== undefined && total.value > page.firstTotal) throw new ListChanged();
    throw tooFew(total, count, where);
  }
  const said = more?.value ? more : more ? undefined : next;
  if (said) throw saysMore(said.name, where);
  if (signals.cut !== undefined) throw saysMore(signals.cut, where);
  if (pages && page.number > 1 && page.items === 0 && page.base !== undefined && !page.doubt) {
    const why = `"${pages.name}" says ${pages.value} pages, but the last one (${page.path}) is empty`;
    throw cut(where, why, sentence`If the service counts pages from 0, set: proctor-cli config set dialect.firstPage 0`);
  }
  if (pages && signals.offset && !signals.page && pages.value > page.number && page.items !== 0)
    throw cut(where, `"${pages.name}" says ${pages.value} pages, but there was no way to request more than ${page.number}`, setPaging);
  if (page.status === 206 && !total && !pages && !ends && page.number === 1)
    throw cut(where, 'its status says that it is a part (206), and nothing shows how to request the rest', setPaging);
}

/** Throws for a signal that is not understood. */
function refuseStrange(signals: Signals, page: ListPage, count: number, where: Where) {
  const odd = signals.strange.find(({ value }) => !(isCount(value) && Number(value) <= count)) ?? lastElsewhere(signals, page, where);
  if (odd) {
    throw cut(
      where,
      `"${odd.name}" may mean that there are more items, but proctor-cli does not know ${odd.name === 'link' ? 'its form' : 'this field'}`,
      sentence`If it does not, set: ${ignoreLine(odd.name, where)}`,
    );
  }
}

function saysMore(name: string, where: Where): CliError {
  const why = `"${name}" says that there are more items, but nothing shows how to request them`;
  return cut(where, why, sentence`${setPaging}. ${ignoring(name, where)}`);
}

function tooFew({ name, value, said }: NonNullable<Signals['total']>, count: number, where: Where): CliError {
  const otherwise = said ? sentence`${setPaging}. ${ignoring(name, where)}` : setPaging;
  return cut(where, `${name} says ${value} items, but there were ${count}`, otherwise);
}

function isCount(value: Json): boolean {
  return typeof value === 'number' || (typeof value === 'string' && /^\d{1,15}$/.test(value));
}

function cut(
  { does }: Pick<Where, 'does'>,
  why: string,
  hint = sentence`See the answer with --debug; the dialect settings say how the next page is requested.`,
): CliError {
  return new CliError('bad_answer', sentence`The service's answer to the request to ${does} is not the whole list: ${why}.`, { hint });
}

/** The error for a list that makes no progress; the message continues "is not the whole list: …". */
export function stuck(does: string, why: string, key: DialectKey): CliError {
  return cut({ does }, why, sentence`Find the right settings (dialect.${key}, dialect.paging) with: proctor-cli doctor`);
}

/** The error for a list that changed each time it was read. */
export function changing(does: string): CliError {
  return cut({ does }, 'the list changed while its pages were read', sentence`Run the command again.`);
}

/** The error for a list that changed after items without an ID were handed out: nothing shows which ones come again. */
export function unidentified(does: string, { idKey }: Pick<Dialect, 'idKey'>): CliError {
  const why = `the list changed while its pages were read, and its items have no "${idKey}" that shows which ones came before`;
  return cut({ does }, why, sentence`Run the command again, or with --output json, which prints a list that was read as a whole.`);
}

/** The address of the last page, if it is none that has been read: only the first page shows whether there is another. */
function lastElsewhere({ last, ends }: Signals, page: ListPage, where: Where): Signal<Json> | undefined {
  if (!last || ends || page.number > 1) return undefined;
  const url = parsed(last.value, page, where);
  if (!url) return last;
  const current = parsed(page.path.slice(1), { path: '/' }, where);
  const isFirst = [...url.searchParams].every(
    ([name, value]) =>
      current?.searchParams.get(name) === value ||
      /^[01]$/.test(value) ||
      name === where.dialect.pageSizeParameter ||
      /limit|size|per/i.test(name),
  );
  return isFirst ? undefined : last;
}

function parsed(target: string, { path }: Pick<ListPage, 'path'>, where: Where): URL | undefined {
  const current = where.origin + where.basePath + path;
  return URL.canParse(target, current) ? new URL(target, current) : undefined;
}

/** An address, within the service that the token is for. */
function following(target: string, page: ListPage, where: Where): Next {
  const url = parsed(target, page, where);
  if (!url) throw cut(where, 'the URL of its next page cannot be read');
  if (url.origin !== where.origin) throw cut(where, `its next page is on another origin (${url.origin}), where the token must not be sent`);
  if (!url.pathname.startsWith(`${where.basePath}/`)) throw cut(where, `its next page is outside ${where.basePath} (${url.pathname})`);
  return { path: url.pathname.slice(where.basePath.length) + url.search, number: page.number + 1 };
}

/** The next page as the answer gives it: an address, a page number, an offset, or a cursor. */
function shownNext({ next, more }: Signals, page: ListPage, where: Where): Next | undefined {
  if (!next || (more?.value === false && !next.isLink)) return undefined;
  const { key, value } = next;
  const text = typeof value === 'string' ? value.trim() : isCount(value) ? String(value) : undefined;
  if (text === undefined) return undefined;
  if (next.isLink || isAddress(text)) return following(text, page, where);
  const { dialect } = where;
  const isNumber = /^\d{1,15}$/.test(text);
  const number = page.number + 1;
  if (isNumber && /offset/i.test(key)) return { path: withQuery(page.path, dialect.offsetParameter || 'offset', text), number };
  if (isNumber && !/cursor|token|after|marker|continu/i.test(key)) {
    const base = page.base ?? Number(text) - page.number;
    return { path: withQuery(page.path, dialect.pageParameter, text), number, ...(base === 0 || base === 1 ? { base } : {}) };
  }
  const parameter = dialect.cursorParameter === '' ? cursorParameter(key) : dialect.cursorParameter;
  return { path: withQuery(page.path, parameter, text), number };
}

/** The parameter that a cursor belongs to, by the name of its field: `next_page_token` is asked for with `page_token`. */
function cursorParameter(key: string): string {
  if (/^(x-)?end[-_]?cursor$/i.test(key)) return 'after';
  const bare = key.replace(/^x-/i, '').replace(/^next[-_]?/i, '');
  return bare === '' ? 'cursor' : bare.charAt(0).toLowerCase() + bare.slice(1);
}

/**
 * The next page by its number, if the answer shows the number of pages, or the address of the last one. If the answer
 * does not show its own number, the requested one counts.
 */
function numberedNext({ page: shown, pages: counted, last, offset }: Signals, page: ListPage, where: Where): Next | undefined {
  const { dialect } = where;
  const pages = counted ?? lastNumber(last, page, where);
  if (!pages || wayOf(dialect) === 'offset' || (offset && !shown)) return undefined;
  const base = page.base ?? (page.number > 1 ? 1 : shown ? (shown.value === 0 ? 0 : 1) : Number(dialect.firstPage));
  const asked = page.number - 1 + base;
  if (page.number > 1 && shown && shown.value !== asked) {
    throw cut(
      where,
      `page ${asked} was requested, but page ${shown.value} came; the service does not seem to know the parameter "${dialect.pageParameter}"`,
      sentence`Set the name of that parameter: proctor-cli config set dialect.pageParameter NAME`,
    );
  }
  const current = page.number > 1 ? asked : (shown?.value ?? asked);
  const end = pages.value - 1 + base;
  if (current > end || (current === end && (base === 1 || !pages.isLast))) return undefined;
  if (page.items === 0) throw new ListChanged();
  const next = { path: withQuery(page.path, dialect.pageParameter, String(current + 1)), number: current + 2 - base, base };
  // Of pages that count from 0, the number of the last may be their count.
  return current === end ? { ...next, doubt: { error: undefined } } : next;
}

/** The number of the last page, as its address has it. */
function lastNumber(last: Signals['last'], page: ListPage, where: Where): Signals['pages'] {
  const number = last && parsed(last.value, page, where)?.searchParams.get(where.dialect.pageParameter);
  return last && number && isCount(number) ? { name: last.name, value: Number(number), isLast: true } : undefined;
}

/** The next page by its offset, if the answer has a total or says that there are more items. */
function countedNext(signals: Signals, page: ListPage, count: number, where: Where): Next | undefined {
  const { pages, total, more } = signals;
  const { dialect } = where;
  const way = wayIn(signals, where);
  const configured = (dialect.paging === 'page' || dialect.paging === 'offset') && !pages;
  const goesOn = total ? total.value > count : (more?.value ?? (pages ? page.number < pages.value : configured && page.items !== 0));
  if (way === undefined || !goesOn || (pages && way === 'page') || page.items === 0) return undefined;
  return pageBy(way, signals, page, count, where);
}

/** How the next page is requested, if the profile or the answer shows it. */
function wayIn({ page, size, offset }: Signals, { dialect }: Where): 'page' | 'offset' | undefined {
  return wayOf(dialect) ?? (offset ? 'offset' : page || size ? 'page' : undefined);
}

function pageBy(way: 'page' | 'offset', { page: shown, offset }: Signals, page: ListPage, count: number, { dialect }: Where): Next {
  const number = page.number + 1;
  if (way === 'offset') {
    const from = (offset?.value ?? count - (page.items ?? count)) + (page.items ?? count);
    const parameter = dialect.offsetParameter || offset?.key.replace(/^x-/, '') || 'offset';
    return { path: withQuery(page.path, parameter, String(from)), number };
  }
  const base = page.base ?? (page.number === 1 && shown?.value === 0 ? 0 : Number(dialect.firstPage));
  return { path: withQuery(page.path, dialect.pageParameter, String(page.number + base)), number, base };
}

/** The next page if only a total shows that there is one: by its number, as in most services. */
function totalNext({ total, more }: Signals, page: ListPage, count: number, where: Where): Next | undefined {
  const { dialect } = where;
  if (dialect.paging !== 'auto' || !total || total.value <= count || more?.value === false || !page.items) return undefined;
  return { ...pageBy('page', {} as Signals, page, count, where), otherwise: tooFew(total, count, where) };
}

/**
 * The next page if nothing says that there is one, and nothing that there is none: the page is full, or its total is
 * another one than that of the list.
 */
function doubtfulNext(signals: Signals, page: ListPage, count: number, where: Where): Next | undefined {
  const { next, more, pages, ends, page: shown } = signals;
  if (!page.items || ends || next || more || pages) return undefined;
  const doubt = doubtOf(signals, page, count, where);
  if (!doubt || (shown && page.number > 1 && page.base !== undefined && shown.value !== page.number - 1 + page.base)) return undefined;
  return { ...pageBy(wayIn(signals, where) ?? 'page', signals, page, count, where), doubt };
}

/** Why the page may not be the last one; undefined if it is. */
function doubtOf({ total, size, page: shown }: Signals, page: ListPage, count: number, where: Where): Doubt | undefined {
  const { pageSize, pageSizeParameter } = where.dialect;
  const most = size ?? (pageSize === '' ? undefined : { name: pageSizeParameter, value: Number(pageSize), mayBeCount: false });
  const isFull = most ? most.value === page.items : page.number > 1 && page.items === page.firstItems;
  if (total?.mayBe === 'pages' && total.value < count) return page.number < total.value ? misfit(total, count, where) : undefined;
  if (total && total.value < count && total.value !== page.items) return misfit(total, count, where);
  if (total?.value === count) {
    const mayBeMore = total.mayBe === 'pages' ? isFull || (!most && shown) : total.mayBe && most && isFull;
    return mayBeMore ? { error: undefined } : undefined;
  }
  if (!most || !isFull) return undefined;
  if (most.mayBeCount) return { error: undefined };
  const why = `"${most.name}" allows ${most.value} items on a page, as many came, and nothing shows how to request more`;
  return { error: cut(where, why, sentence`${setPaging}. ${ignoring(most.name, where)}`) };
}

function misfit(total: Signal<number>, count: number, where: Where): Doubt {
  return { error: cut(where, `${total.name} says ${total.value} items, but there were ${count}`, ignoring(total.name, where)) };
}

/** The command line that makes a field beside a list one that is ignored. */
export function ignoreLine(name: string, { dialect }: Pick<Where, 'dialect'>): Sentence {
  return sentence`proctor-cli ${typedCommand('config set dialect.ignoredKeys', [[dialect.ignoredKeys, name].filter(Boolean).join(',')])}`;
}

function ignoring(name: string, where: Where): Sentence {
  return sentence`If that is not what "${name}" means, set: ${ignoreLine(name, where)}`;
}

/** How the profile continues lists: all of them, or only those with a total. */
function wayOf({ paging }: Dialect): 'page' | 'offset' | undefined {
  return paging === 'auto' ? undefined : paging.endsWith('offset') ? 'offset' : 'page';
}

function withQuery(path: string, name: string, value: string): string {
  const url = new URL(path, 'http://path');
  url.searchParams.set(name, value);
  return url.pathname + url.search;
}
