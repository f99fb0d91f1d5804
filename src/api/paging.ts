/**
 * How the next page of a list is requested. A declared style is followed strictly. With `auto`, the
 * first page shows one, and the answers also say whether items are missing.
 */
import { CliError, type ErrorCode } from '../errors.ts';
import { InvalidValue, orNone } from '../model/invalid-value.ts';
import { booleanIn, fieldAt, isJsonObject, isScalar, type Json, type JsonObject } from '../model/json.ts';
import { isSecretKey } from '../model/secrets.ts';
import { typedCommand } from '../model/shell-quote.ts';
import { normalForm } from '../text/fold.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { operationAt, pathSegment } from './operations.ts';

/** The ways of paging, each with the usual names of its fields and parameters; for pages, also the first number. */
const styles = { auto: [], none: [], link: [], next: ['next'], cursor: ['next_cursor', 'cursor'], page: ['page', '1'], offset: ['offset'] };
type Style = keyof typeof styles;

export const pagingStyles = Object.keys(styles) as Style[];

export type Paging = { style: Style; names: readonly string[] };

/** The lists that may have a way of their own, as `doctor` calls them. */
export const listNames = { listExams: 'exams', listSessions: 'sessions', listExamSessions: 'students', listUsers: 'users' };

/** `page exams=none`: the way of all lists but of those that are named. */
export function wayOfList(setting: string, { id }: { id: string }): string {
  const [most = '', ...own] = setting.split(' ');
  const name = `${fieldAt(listNames, id)}=`;
  return own.findLast((each) => each.startsWith(name))?.slice(name.length) ?? most;
}

/** `dialect.paging` with the way of a list: of all, as long as none is declared. */
export function settingWith(way: string, setting: string, { id }: { id: string }): string {
  return setting === 'auto' ? way : `${setting} ${fieldAt(listNames, id)}=${way}`;
}

export function commandToSet(...way: Parameters<typeof settingWith>): string {
  return typedCommand('config set dialect.paging', [settingWith(...way)]);
}

const isListParameter = new RegExp(`^(${Object.values(listNames).join('|')})=`);

/** Throws `InvalidValue`. */
export function checkWays(setting: string): void {
  for (const [at, part] of setting.split(' ').entries()) pagingOf(at === 0 ? part : part.replace(isListParameter, ''));
}

/** Throws `InvalidValue`. */
export function pagingOf(setting: string): Paging {
  const [word = '', ...given] = setting.split(',').map((part) => part.trim());
  const style = pagingStyles.find((each) => each === word);
  const usual: readonly string[] = style ? styles[style] : [];
  const names = [...given, ...usual.slice(given.length)];
  const isGiven = given.length <= usual.length && !given.includes('');
  const isNumber = style !== 'page' || /^[01]$/.test(names[1] ?? '');
  if (style && isGiven && isNumber) return { style, names };
  const ways = 'auto, none, link, next,FIELD, cursor,FIELD,PARAMETER, page,PARAMETER,FIRST (0 or 1) and offset,PARAMETER';
  const own = 'a list may have its own: page exams=none';
  throw new InvalidValue(sentence`"${setting}" is not a way to request the next page. The ways: ${ways}; ${own}.`);
}

/** Throws `InvalidValue`. */
export function checkListQuery(query: string): void {
  const secret = [...new URLSearchParams(query).keys()].find(isSecretKey);
  if (secret !== undefined) throw new InvalidValue(sentence`The query has the secret ${secret}, which would be stored and shown.`);
  if (query === '' || /^[\w.~%[\]-]+=[^\s#?&]*(&[\w.~%[\]-]+=[^\s#?&]*)*$/.test(query)) return;
  throw new InvalidValue(sentence`"${query}" is not a query such as per_page=100.`);
}

/** `beside`: the fields beside its items. `number`: from 1. `before`: items of the pages before. */
export type Page = {
  path: string;
  status: number;
  headers: Readonly<Record<string, string>>;
  beside: JsonObject;
  items: number;
  number: number;
  before: number;
};

type PageOrigin = { baseUrl: string; does: string };

export function firstPath(path: string, listQuery: string): string {
  return [...new URLSearchParams(listQuery)].reduce((sofar, [name, value]) => withQuery(sofar, name, value), path);
}

/** Undefined behind the last one. Throws `list_in_doubt`. */
export function nextPath({ style, names }: Paging, page: Page, where: PageOrigin): string | undefined {
  const [name = '', second = ''] = names;
  if (style === 'none' || style === 'auto') return undefined;
  if (style === 'page' || style === 'offset') {
    const value = style === 'page' ? Number(second) + page.number : page.before + page.items;
    return page.items === 0 ? undefined : withQuery(page.path, name, String(value));
  }
  const field = valueAt(page.beside, name) ?? valueAt(page.headers, name.toLowerCase());
  const value = style === 'link' ? nextLink(page.headers.link)?.value : field;
  if (value === undefined || lastPageValues.includes(value)) return undefined;
  if (style === 'cursor' && isScalar(value)) return withQuery(page.path, second, String(value));
  if (style !== 'cursor' && typeof value === 'string') return nextPageUrl(value, page, where);
  throw notWhole(where, `"${name}" is neither empty nor ${style === 'cursor' ? 'a cursor' : 'an address'}`);
}

/** `name`: of the header, or the path of the field. */
type Signal = { name: string; kind: string; value: Json };

export type Signals = ReturnType<typeof signalsIn>;

const totals = ['total', 'total_count', 'item_count'];
const pageCounts = ['total_pages', 'page_count'];
const nextNames = ['next', 'next_page', 'next_cursor'];
const names = [...nextNames, ...totals, ...pageCounts, 'has_more', 'page', 'per_page'];
const pagingHolders = ['meta', 'pagination', 'links'];

/**
 * What an answer says about its list: `Link`, `Content-Range`, and eleven names, spelled exactly so, beside the
 * list and in `meta`, `pagination` and `links` there, or as `X-…`, `X-Pagination-…` and (WordPress) `X-WP-…`.
 */
export function signalsIn({ headers, beside }: Pick<Page, 'headers' | 'beside'>) {
  const found = (kind: string): Signal[] => {
    const word = kind.replaceAll('_', '-');
    const fields = [kind, ...pagingHolders.map((holder) => `${holder}.${kind}`)];
    return [`x-${word}`, `x-pagination-${word}`, `x-wp-${word}`, ...fields].flatMap((name) => {
      const value = name.startsWith('x-') ? headers[name] : valueAt(beside, name);
      return value === undefined ? [] : [{ name, kind, value }];
    });
  };
  /** The greatest of several totals: a list that may have more is not taken for the whole. A header that stands twice has both values. */
  const counted = (...signals: Signal[]) => {
    const numbers = signals.flatMap(({ value, ...signal }) => {
      const texts = isScalar(value) ? String(value).split(',') : [];
      return texts.flatMap((text) => (/^\s*\d{1,15}\s*$/.test(text) ? { ...signal, value: Number(text) } : []));
    });
    return numbers.toSorted((one, other) => other.value - one.value)[0];
  };
  const nexts = nextNames.flatMap(found);
  const mores = found('has_more').filter(({ value }) => typeof value === 'boolean' || isScalar(value));
  const more = mores.find(({ value }) => booleanIn(value) !== undefined);
  const amounts = [...totals, ...pageCounts].flatMap(found);
  return {
    next: nextLink(headers.link) ?? nexts.find(({ value }) => !lastPageValues.includes(value)) ?? nexts[0],
    more: more && { ...more, value: booleanIn(more.value) === true },
    total: counted(...totals.flatMap(found), ...(headers['content-range'] ?? '').split(',').flatMap(totalOfRange)),
    pages: counted(...pageCounts.flatMap(found)),
    page: counted(...found('page')),
    size: counted(...found('per_page')),
    /** What says how many there are, but not in a number, or whether there are more, but neither yes nor no. */
    unread: [...amounts.filter((one) => !counted(one)), ...(more ? [] : mores)].flatMap(({ name, value }) =>
      lastPageValues.includes(value) ? [] : `"${name}"`,
    ),
  };
}

/** The names beside a list that mean nothing here, and may say in other words that there are more. */
export function unheardIn(beside: JsonObject, within = ''): string[] {
  return Object.entries(beside).flatMap(([key, value]) => {
    if (isJsonObject(value) && within === '' && pagingHolders.includes(key)) return unheardIn(value, `${key}.`);
    const isHeard = ['success', 'ok', 'error', 'errors'].includes(key) || (names.includes(key) && isScalar(value));
    return isHeard || lastPageValues.includes(value) ? [] : `"${within}${key}"`;
  });
}

/** Fewer items are a whole list, unless the answer says otherwise. */
const smallestPage = 10;

type Counted = Pick<Page, 'status' | 'items' | 'number'>;

/** `way`: the `dialect.paging` that an answer shows. `missing`: how it shows missing items. */
type Following = { is: 'more' | 'full' | 'unsure' | 'counted' | 'end'; way?: string | undefined; missing?: string };

/**
 * Whether a page follows, after `count` items. `full`: it may, as this page has as many items as it
 * says that a page has. `unsure`: nothing shows that the first page is the last; `counted`: only a total does,
 * which may be that of the page.
 */
export function whatFollows(signals: Signals, page: Counted, count = page.items): Following {
  const { next, more, total, pages, page: shown, size, unread } = signals;
  if (next && !lastPageValues.includes(next.value) && more?.value !== false) {
    const way = wayOf(next);
    // The first page shows how all others are requested.
    if (way !== undefined || page.number > 1) return { is: 'more', way };
    return { is: 'more', missing: `"${next.name}" shows that there is a next page, but not how to request it` };
  }
  const missing = whatIsMissing(signals, page, count);
  const byNumber = shown?.value === 0 ? 'page,page,0' : 'page';
  if (missing !== undefined) return { is: 'more', way: total || pages || shown ? byNumber : undefined, missing };
  if (next || more || (pages && pages.value >= page.number)) return { is: 'end' };
  if (total?.value === count) return { is: page.number === 1 && page.items >= smallestPage ? 'counted' : 'end' };
  const isFull = size !== undefined && size.value > 0 && page.items >= size.value;
  if (isFull && shown) return { is: 'full', way: byNumber };
  const mayGoOn = isFull || page.items >= smallestPage || (page.items > 0 && unread.length > 0);
  return { is: page.number === 1 && mayGoOn ? 'unsure' : 'end' };
}

export function whatIsMissing(
  { total, pages, more }: Pick<Signals, 'total' | 'pages' | 'more'>,
  { status, number }: Counted,
  count: number,
): string | undefined {
  if (total && total.value > count) return `${total.name} says ${total.value} items, but there were ${count}`;
  if (pages && pages.value > number) return `${pages.name} says ${pages.value} pages, but there was only page ${number}`;
  if (more?.value) return `${more.name} says that there are more items`;
  return status === 206 && !total && !pages && !more ? 'its status (206) says that it is only a part' : undefined;
}

function wayOf({ kind, name, value }: Signal): string | undefined {
  if (kind === 'link') return 'link';
  if (!isScalar(value)) return undefined;
  if (kind === 'next_cursor') return `cursor,${name}`;
  const text = String(value);
  if (/^(https?:\/\/|\.{0,2}\/|\?)/i.test(text)) return `next,${name}`;
  if (text === '2') return 'page';
  return text === '1' ? 'page,page,0' : undefined;
}

const lastPageValues: readonly Json[] = [null, '', false, 0, '0'];

/** A link object, as JSON:API has it, is its address. */
function valueAt(object: JsonObject, name: string): Json | undefined {
  const value = fieldAt(object, name);
  return isJsonObject(value) ? (value.href ?? value) : value;
}

/** The target of `rel="next"` (RFC 8288); empty on the last page, which has other relations. */
function nextLink(header = ''): Signal | undefined {
  const links = [...header.matchAll(/<([^<>]*)>((?:"[^"]*"|[^",])*)/g)].map(([, target = '', parameters = '']) => {
    const [, relations = ''] = /;\s*rel\s*=\s*["']?([^"';,]*)/i.exec(parameters) ?? [];
    return { target: target.trim(), relations };
  });
  const next = links.find(({ relations }) => /(^|\s)next(\s|$)/i.test(relations));
  const isPaged = links.some(({ relations }) => /(^|\s)(first|prev|previous)(\s|$)/i.test(relations));
  return next || isPaged ? { name: 'link', value: next?.target ?? '', kind: 'link' } : undefined;
}

/** `items 0-9/25`: that many, or as many as its last number; `*` is no total, and bytes are no items (RFC 9110, 14.4). */
function totalOfRange(header: string): Signal[] {
  const [, first, last, total] = /^\s*(?!bytes\b)(?:[^\s=]+[\s=]+)?(?:(\d+)-(\d+)|\*)\s*\/\s*(\d+)\s*$/i.exec(header) ?? [];
  const numbers = Number(first) <= Number(last) ? [last, total] : [total];
  return numbers.flatMap((value) => (value === undefined ? [] : { name: 'content-range', kind: 'total', value }));
}

/** The path of an address within the service. */
function nextPageUrl(target: string, { path }: Page, where: PageOrigin): string {
  const { href: base } = new URL(where.baseUrl);
  const url = URL.parse(target, base + path);
  if (!url) throw notWhole(where, 'the URL of its next page cannot be read');
  const address = url.origin + url.pathname;
  const isWithin = address.startsWith(`${base}/`);
  const isPlain = url.pathname
    .split('/')
    .every((segment) => segment === '' || orNone(() => pathSegment(decodedSegment(segment))) !== undefined);
  if (!isWithin || !isPlain) throw notWhole(where, `its next page is outside ${base} (${address}), where the token must not be sent`);
  const next = address.slice(base.length);
  const [own = ''] = path.split('?');
  const isOther = operationAt(next)?.operation === operationAt(own)?.operation && decodedSegment(next) !== decodedSegment(own);
  if (isOther) throw notWhole(where, `its next page is one of another list (${address})`);
  return next + url.search;
}

/** A segment of a path as servers, and proxies before them, may read it: decoded again, in one form, without parameters. */
function decodedSegment(segment: string, times = 5): string {
  const text = decodeURIComponent(segment);
  if (text === segment) return normalForm(text, 'NFKC').replace(/;.*/s, '');
  if (times === 0) throw new Error('it is encoded without end');
  return decodedSegment(text, times - 1);
}

function withQuery(path: string, name: string, value: string): string {
  const url = new URL(path, 'http://path');
  url.searchParams.set(name, value);
  return url.pathname + url.search;
}

export const askForWay = sentence`Ask the service's operator how the next page is requested, and set that (docs/network.md has all ways)`;
export const setPaging = sentence`${askForWay}, for example: proctor-cli config set dialect.paging page`;

/** The setting with which a list is surely read, as `cause` of an error. */
export type Cure = { key: 'dialect.paging' | 'dialect.listKey'; value: string };

/** `is`: "is not", or "may not be". `paging`: the value that cures it. */
export type Doubt = { code: ErrorCode; hint: Sentence; is: string; paging: string | undefined };

/** `why` continues "is not the whole list: …". A setting decides, unless `code` says otherwise. */
export function notWhole({ does }: Pick<PageOrigin, 'does'>, why: string, doubt: Partial<Doubt> = {}): CliError {
  const { code = 'list_in_doubt', hint = setPaging, is = 'is not', paging } = doubt;
  return new CliError(code, sentence`The service's answer to the request to ${does} ${is} the whole list: ${why}.`, {
    hint,
    cause: paging === undefined ? undefined : ({ key: 'dialect.paging', value: paging } satisfies Cure),
  });
}
