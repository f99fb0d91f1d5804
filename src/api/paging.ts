/**
 * The page after a page of a list. A declared style (`dialect.paging`) is followed strictly, and nothing else in the answer
 * matters. Otherwise the answer's signals are followed; if it says that items are missing and does not show how to get them, that is an error.
 */
import { CliError } from '../errors.ts';
import { fieldAt, isJsonObject, type Json } from '../model/json.ts';
import { typedCommand } from '../model/shell-quote.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import type { Dialect } from './dialect.ts';
import { type Came, isEnd, nextLink, type Signals, signalsIn } from './paging-signals.ts';
import { pagingStyle } from './paging-style.ts';

/** A page as it was requested. */
export type PageRequest = {
  /** Path and query below the base URL. */
  path: string;
  /** From 1, as far as pages were read. */
  number: number;
  /** The number by which it was requested, if it was. */
  asked?: number;
  /** The number of items on all pages before, repeated items included. */
  before: number;
  /** What a page before said of the whole list. */
  promised?: Pick<Signals, 'total' | 'pages'>;
  /** An empty page, or none, is the end of the list. Otherwise the error for it, if something promised that the page exists. */
  beyond?: 'end' | CliError;
};

/** `items`: how many it has. */
export type ListPage = PageRequest & Came & { items: number };

export type Where = { dialect: Pick<Dialect, 'paging' | 'listQuery'>; origin: string; basePath: string; does: string };

/** The list changed while its pages were read: items may be missing. */
export class ListChanged extends Error {
  override readonly name = 'ListChanged';
}

export function firstPage(path: string, { listQuery }: Pick<Dialect, 'listQuery'>): PageRequest {
  const url = new URL(path, 'http://path');
  for (const [name, value] of new URLSearchParams(listQuery)) url.searchParams.set(name, value);
  return { path: listQuery === '' ? path : url.pathname + url.search, number: 1, before: 0 };
}

/**
 * The page after this one; undefined where the list is whole, and `unsure` where its only page may be full and nothing says
 * whether there is another one. `count`: the different items of all pages so far. Throws `bad_answer`.
 */
export function pageAfter(page: ListPage, count: number, where: Where): PageRequest | 'unsure' | undefined {
  const way = pagingStyle(where.dialect.paging);
  if (way.style === 'none') return undefined;
  if (way.style === 'auto') {
    const shown = signalsIn(page);
    const { total, pages } = page.promised ?? {};
    if (total && shown.total && shown.total.value < total.value) throw new ListChanged();
    const signals = { ...shown, total: shown.total ?? total, pages: shown.pages ?? pages };
    const next = shownNext(signals, page, count, where);
    if (typeof next !== 'object') return next;
    // A total that equals the number of items may be the number of items on this page.
    const isWhole = signals.total && signals.total.value > count;
    return { ...next, promised: { total: isWhole ? signals.total : total, pages: signals.pages } };
  }
  if (way.style === 'page') {
    return page.items === 0 ? undefined : { ...numbered(page, way.parameter, way.first + page.number), beyond: 'end' };
  }
  if (way.style === 'offset') {
    return page.items === 0 ? undefined : { ...queried(page, way.parameter, String(page.before + page.items)), beyond: 'end' };
  }
  if (way.style === 'link') {
    const next = nextLink(page.headers.link)?.value ?? '';
    return next === '' ? undefined : addressed(next, page, where);
  }
  const value = valueAt(way.field, page);
  if (isEnd(value)) return undefined;
  const isCursor = typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint';
  if (way.style === 'cursor' && isCursor) return queried(page, way.parameter, String(value));
  if (way.style === 'next' && typeof value === 'string') return addressed(value, page, where);
  throw cut(where, `"${way.field}" is neither empty nor ${way.style === 'cursor' ? 'a cursor' : 'an address'}`, setPaging);
}

/** The declared field of an answer: in the object around its list, or a header. */
function valueAt(field: string, { envelopes: [outermost], headers }: ListPage): Json {
  const inBody = outermost && fieldAt(outermost, field);
  const header = field.toLowerCase();
  return inBody ?? (Object.hasOwn(headers, header) ? (headers[header]?.trim() ?? null) : null);
}

function shownNext(signals: Signals, page: ListPage, count: number, where: Where): PageRequest | 'unsure' | undefined {
  const { next, more, total, pages, page: shown, size } = signals;
  if (shown && page.asked !== undefined && shown.value !== page.asked) {
    throw cut(where, `page ${page.asked} was requested, but page ${shown.value} came`, setPaging);
  }
  if (next && !isEnd(next.value) && more?.value !== false) return followed(next, page, where);
  // Pages count from 0 where the first one says so.
  const number = (page.asked ?? (shown?.value === 0 ? 0 : page.number)) + 1;
  const left = whatIsLeft(signals, page, count);
  if (left !== undefined) {
    const missing = cut(where, left, setPaging);
    if (!total && !pages && !shown) throw missing;
    return { ...numbered(page, 'page', number), beyond: missing };
  }
  if (next || more || pages || total?.value === count) return undefined;
  const isFull = size && page.items >= size.value;
  if (isFull && shown) return { ...numbered(page, 'page', number), beyond: 'end' };
  return page.number === 1 && (isFull || page.items >= smallestPage) ? 'unsure' : undefined;
}

/** Why the answer itself says that items are missing. */
function whatIsLeft({ total, pages, more }: Signals, { status, number }: ListPage, count: number): string | undefined {
  if (total && total.value > count) return `${total.name} says ${total.value} items, but there were ${count}`;
  if (pages && pages.value > number) return `${pages.name} says ${pages.value} pages, but there was only page ${number}`;
  if (more?.value) return `${more.name} says that there are more items`;
  if (status === 206 && !total && !pages && !more) return 'its status (206) says that it is only a part';
  return undefined;
}

/** A list with fewer items counts as whole, unless its answer says otherwise. */
const smallestPage = 10;

/** The value of `dialect.paging` by which the pages of a list are requested that an answer shows; undefined where it shows none. */
export function shownPaging(came: Came): string | undefined {
  const { next, total, pages, page: shown, size } = signalsIn(came);
  const written = next && !isEnd(next.value) ? next : undefined;
  if (written?.kind === 'link') return 'link';
  if (written?.kind === 'next_cursor') return `cursor,${written.name}`;
  if (written && isAddress(written.value)) return `next,${written.name}`;
  if (!written && !total && !pages && !(shown && size)) return undefined;
  return shown?.value === 0 ? 'page,page,0' : 'page';
}

function followed({ kind, name, value: written }: NonNullable<Signals['next']>, page: ListPage, where: Where): PageRequest {
  // A link object, as JSON:API has it.
  const value = isJsonObject(written) ? (written.href ?? written) : written;
  if (typeof value === 'string' && (kind === 'link' || (kind !== 'next_cursor' && isAddress(value)))) return addressed(value, page, where);
  const isText = typeof value === 'string' || typeof value === 'number';
  if (kind === 'next_cursor' && isText) return queried(page, 'cursor', String(value));
  if (isText && /^\d{1,15}$/.test(String(value))) return numbered(page, 'page', Number(value));
  const hint = sentence`If it is a cursor, set: proctor-cli ${typedCommand('config set dialect.paging', [`cursor,${name},PARAMETER`])}. Otherwise find out how the next page is requested: proctor-cli doctor`;
  throw cut(where, `"${name}" shows that there is a next page, but not how to request it`, hint);
}

export function isAddress(value: Json): value is string {
  return typeof value === 'string' && /^(https?:\/\/|\.{0,2}\/|\?)/i.test(value);
}

/** An address, within the service that the token is for. */
function addressed(target: string, page: ListPage, where: Where): PageRequest {
  const current = where.origin + where.basePath + page.path;
  if (!URL.canParse(target, current)) throw cut(where, 'the URL of its next page cannot be read');
  const url = new URL(target, current);
  if (url.origin !== where.origin) throw cut(where, `its next page is on another origin (${url.origin}), where the token must not be sent`);
  if (!url.pathname.startsWith(`${where.basePath}/`)) throw cut(where, `its next page is outside ${where.basePath} (${url.pathname})`);
  return following(page, url.pathname.slice(where.basePath.length) + url.search);
}

function numbered(page: ListPage, parameter: string, number: number): PageRequest {
  return { ...queried(page, parameter, String(number)), asked: number };
}

function queried(page: ListPage, parameter: string, value: string): PageRequest {
  return following(page, withQuery(page.path, parameter, value));
}

function following({ number, before, items }: ListPage, path: string): PageRequest {
  return { path, number: number + 1, before: before + items };
}

export function withQuery(path: string, name: string, value: string): string {
  const url = new URL(path, 'http://path');
  url.searchParams.set(name, value);
  return url.pathname + url.search;
}

/** The standing advice for a list that cannot be followed. */
const setPaging = sentence`Set dialect.paging to the way in which the next page is requested. To find out the way: proctor-cli doctor`;

/** The error for a list with missing items. The message continues "is not the whole list: …". */
export function cut({ does }: Pick<Where, 'does'>, why: string, hint: Sentence = setPaging): CliError {
  return new CliError('bad_answer', sentence`The service's answer to the request to ${does} is not the whole list: ${why}.`, { hint });
}
