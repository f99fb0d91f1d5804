/**
 * How the next page of a list is requested. `dialect.paging` is one value: a style and, after commas, the names that it takes. A declared
 * style is followed strictly, and nothing else in an answer matters. Where none is declared (`auto`), the first page shows one of
 * them; its answers then also say whether items are missing, and if they say so, the list is an error.
 */
import { CliError } from '../errors.ts';
import { InvalidValue } from '../model/invalid-value.ts';
import { fieldAt, isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import { typedCommand } from '../model/shell-quote.ts';
import { type Sentence, sentence } from '../text/sentence.ts';

/** Each style, and the names that it takes where none are given: fields or headers of an answer, parameters, the number of the first page. */
const styles = { auto: [], none: [], link: [], next: ['next'], cursor: ['next_cursor', 'cursor'], page: ['page', '1'], offset: ['offset'] };
type Style = keyof typeof styles;

export const pagingStyles = Object.keys(styles) as Style[];

export type Paging = { style: Style; names: readonly string[] };

/** Throws `InvalidValue`. */
export function pagingOf(setting: string): Paging {
  const [word = '', ...given] = setting.split(',').map((part) => part.trim());
  const style = pagingStyles.find((each) => each === word);
  const usual: readonly string[] = style ? styles[style] : [];
  const names = [...given, ...usual.slice(given.length)];
  const isNumber = style !== 'page' || /^[01]$/.test(names[1] ?? '');
  if (style && given.length <= usual.length && !given.includes('') && isNumber) return { style, names };
  throw new InvalidValue(
    sentence`"${setting}" is not a way to request the next page. The ways: auto, none, link, next,FIELD, cursor,FIELD,PARAMETER, page,PARAMETER,FIRST (0 or 1) and offset,PARAMETER.`,
  );
}

/** Throws `InvalidValue` for anything but a query such as `per_page=100&sort=id`. */
export function checkListQuery(query: string): void {
  if (query === '' || /^[\w.~%[\]-]+=[^\s#?&]*(&[\w.~%[\]-]+=[^\s#?&]*)*$/.test(query)) return;
  throw new InvalidValue(sentence`"${query}" is not a query such as per_page=100.`);
}

/** A page as it came. `beside`: the object that holds its items. `number`: from 1. `items`: how many; `before`: those of the pages before. */
export type Page = {
  path: string;
  status: number;
  headers: Readonly<Record<string, string>>;
  beside: JsonObject;
  items: number;
  number: number;
  before: number;
};

export type Where = { origin: string; basePath: string; does: string };

/** The path of the first page below the base URL. */
export function firstPath(path: string, listQuery: string): string {
  return [...new URLSearchParams(listQuery)].reduce((sofar, [name, value]) => withQuery(sofar, name, value), path);
}

/** The path of the next page; undefined behind the last one. Throws `bad_answer`. */
export function nextPath({ style, names: [name = '', second = ''] }: Paging, page: Page, where: Where): string | undefined {
  if (style === 'page') return page.items === 0 ? undefined : withQuery(page.path, name, String(Number(second) + page.number));
  if (style === 'offset') return page.items === 0 ? undefined : withQuery(page.path, name, String(page.before + page.items));
  if (style === 'none' || style === 'auto') return undefined;
  const header = name.toLowerCase();
  const inHeader = Object.hasOwn(page.headers, header) ? page.headers[header]?.trim() : undefined;
  const value = style === 'link' ? nextLink(page.headers.link)?.value : plain(fieldAt(page.beside, name) ?? inHeader);
  if (value === undefined || isEnd(value)) return undefined;
  if (style === 'cursor' && isText(value)) return withQuery(page.path, second, String(value));
  if (style !== 'cursor' && typeof value === 'string') return addressed(value, page, where);
  throw notWhole(where, `"${name}" is neither empty nor ${style === 'cursor' ? 'a cursor' : 'an address'}`);
}

const signalNames = ['next', 'next_page', 'next_cursor', 'has_more', 'total', 'total_count', 'total_pages', 'page', 'per_page'] as const;
type SignalName = (typeof signalNames)[number];

/** Besides `Link` and `X-Pagination-…`. Yii has other names for the number of pages and the number of this page. */
const headerNames: Partial<Record<SignalName, readonly string[]>> = {
  next_page: ['x-next-page'],
  total: ['x-total'],
  total_count: ['x-total-count'],
  total_pages: ['x-total-pages', 'x-pagination-page-count'],
  page: ['x-pagination-current-page'],
};

/** A value and its place: the name of the header, or the path of the field. */
type Signal<T> = { name: string; value: T };

/** What an answer says about its list. `next`: an empty value says that no page follows. */
export type Signals = {
  next: (Signal<Json> & { kind: string }) | undefined;
  more: Signal<boolean> | undefined;
  total: Signal<number> | undefined;
  pages: Signal<number> | undefined;
  page: Signal<number> | undefined;
  size: Signal<number> | undefined;
};

/**
 * Nine names count, spelled exactly like this, beside the list and in `meta`, `pagination` and `links` there; and a few headers. No
 * other field or header is a signal, whatever its name looks like.
 */
export function signalsIn({ headers, beside }: Pick<Page, 'headers' | 'beside'>): Signals {
  const found = (kind: SignalName) => {
    const inHeaders = [...(headerNames[kind] ?? []), `x-pagination-${kind.replaceAll('_', '-')}`];
    return [
      ...inHeaders.map((name) => ({ name, kind, value: headers[name]?.trim() as Json | undefined })),
      ...['', 'meta.', 'pagination.', 'links.'].map((place) => ({ name: place + kind, kind, value: fieldAt(beside, place + kind) })),
    ].filter((signal): signal is Signal<Json> & { kind: SignalName } => signal.value !== undefined);
  };
  const counted = (...kinds: SignalName[]) =>
    kinds
      .flatMap(found)
      .map(({ name, value }) => ({ name, value: typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value }))
      .find((signal): signal is Signal<number> => Number.isSafeInteger(signal.value) && (signal.value as number) >= 0);
  const nexts = (['next', 'next_page', 'next_cursor'] as const).flatMap(found);
  return {
    next: nextLink(headers.link) ?? nexts.find(({ value }) => !isEnd(value)) ?? nexts[0],
    more: found('has_more')
      .map(({ name, value }) => ({ name, value: value === 'true' || (value === 'false' ? false : value) }))
      .find((signal): signal is Signal<boolean> => typeof signal.value === 'boolean'),
    total: counted('total', 'total_count'),
    pages: counted('total_pages'),
    page: counted('page'),
    size: counted('per_page'),
  };
}

/** Fewer items are a whole list, unless their answer says otherwise. */
const smallestPage = 10;

/**
 * Whether a page follows. `full`: one may, because this one has as many items as its answer says that a page has. `unsure`: it is the only
 * page so far, and nothing shows that it is the last one. `missing`: why the answer itself says that items are missing. `count`: the different items so far.
 */
export function whatFollows(signals: Signals, page: Page, count: number): { is: 'more' | 'full' | 'unsure' | 'end'; missing?: string } {
  const { next, more, total, pages, page: shown, size } = signals;
  if (hasNext(signals)) return { is: 'more' };
  const missing = whatIsMissing(signals, page, count);
  if (missing !== undefined) return { is: 'more', missing };
  if (next || more || pages || total?.value === count) return { is: 'end' };
  const isFull = size !== undefined && size.value > 0 && page.items >= size.value;
  if (isFull && shown) return { is: 'full' };
  return { is: page.number === 1 && (isFull || page.items >= smallestPage) ? 'unsure' : 'end' };
}

function hasNext({ next, more }: Signals): boolean {
  return next !== undefined && !isEnd(next.value) && more?.value !== false;
}

function whatIsMissing({ total, pages, more }: Signals, { status, number }: Page, count: number): string | undefined {
  if (total && total.value > count) return `${total.name} says ${total.value} items, but there were ${count}`;
  if (pages && pages.value > number) return `${pages.name} says ${pages.value} pages, but there was only page ${number}`;
  if (more?.value) return `${more.name} says that there are more items`;
  return status === 206 && !total && !pages && !more ? 'its status (206) says that it is only a part' : undefined;
}

/** The value of `dialect.paging` that a first page shows which others follow. Throws `bad_answer` where it does not show how. */
export function shownPaging(signals: Signals, page: Page, where: Where): string {
  const { next, total, pages, page: shown } = signals;
  if (next && hasNext(signals)) {
    const value = plain(next.value);
    if (next.kind === 'link') return 'link';
    if (next.kind === 'next_cursor' && isText(value)) return `cursor,${next.name}`;
    if (next.kind !== 'next_cursor' && isAddress(value)) return `next,${next.name}`;
    if (isText(value) && /^[12]$/.test(String(value))) return String(value) === '2' ? 'page' : 'page,page,0';
    const hint = sentence`If it is a cursor, set: proctor-cli ${typedCommand('config set dialect.paging', [`cursor,${next.name},PARAMETER`])}. Otherwise find out how the next page is requested: proctor-cli doctor`;
    throw notWhole(where, `"${next.name}" shows that there is a next page, but not how to request it`, hint);
  }
  const missing = whatIsMissing(signals, page, page.items);
  if (missing !== undefined && !total && !pages && !shown) throw notWhole(where, missing);
  return shown?.value === 0 ? 'page,page,0' : 'page';
}

/** A next page that is null, empty, false or 0 is none. */
function isEnd(value: Json): boolean {
  return value === null || value === '' || value === false || value === 0 || value === '0';
}

/** A link object, as JSON:API has it, as its address. */
function plain(value: Json | undefined): Json | undefined {
  return isJsonObject(value) ? (value.href ?? value) : value;
}

function isText(value: Json | undefined): value is string | number | bigint {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint';
}

function isAddress(value: Json | undefined): boolean {
  return typeof value === 'string' && /^(https?:\/\/|\.{0,2}\/|\?)/i.test(value);
}

/** The target of `rel="next"` (RFC 8288); an empty target if the header shows that pages exist, as on the last page. */
function nextLink(header = ''): (Signal<string> & { kind: string }) | undefined {
  const links = [...header.matchAll(/<([^<>]*)>((?:"[^"]*"|[^",])*)/g)].map(([, target = '', parameters = '']) => {
    const rel = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(parameters);
    return { target: target.trim(), relations: (rel?.[1] ?? rel?.[2] ?? '').toLowerCase().trim().split(/\s+/) };
  });
  const next = links.find(({ relations }) => relations.includes('next'));
  const isPaged = links.some(({ relations }) => relations.some((relation) => /^(first|prev|previous|last)$/.test(relation)));
  return next || isPaged ? { name: 'link', value: next?.target ?? '', kind: 'link' } : undefined;
}

/** An address, within the service that the token is for. */
function addressed(target: string, { path }: Page, { origin, basePath, ...where }: Where): string {
  const url = URL.parse(target, origin + basePath + path);
  if (!url) throw notWhole(where, 'the URL of its next page cannot be read');
  if (url.origin !== origin) throw notWhole(where, `its next page is on another origin (${url.origin}), where the token must not be sent`);
  if (!url.pathname.startsWith(`${basePath}/`)) throw notWhole(where, `its next page is outside ${basePath} (${url.pathname})`);
  return url.pathname.slice(basePath.length) + url.search;
}

function withQuery(path: string, name: string, value: string): string {
  const url = new URL(path, 'http://path');
  url.searchParams.set(name, value);
  return url.pathname + url.search;
}

/** The standing advice for a list that cannot be followed. */
const setPaging = sentence`Set dialect.paging to the way in which the next page is requested. To find out the way: proctor-cli doctor`;

/** The error for a list with missing items. The message continues "is not the whole list: …". */
export function notWhole({ does }: Pick<Where, 'does'>, why: string, hint: Sentence = setPaging): CliError {
  return new CliError('bad_answer', sentence`The service's answer to the request to ${does} is not the whole list: ${why}.`, { hint });
}

/** What page 2 brings, by the keys of its items: or why it brings none. */
type Asked = readonly string[] | CliError;

/**
 * What is behind the first page of a list. `way`: the value of `dialect.paging` that brings its pages, as far as they show it. A list
 * can be whole and have a way: a longer one would have a second page. `words`: what page 2 is.
 */
type Behind = { isWhole: boolean; way?: string; words: string };

/**
 * Requests page 2 by its number and by its offset. A service that answers with the same items again has no pages. `path` and `keys`: those
 * of the first page.
 */
export async function lookBehind(path: string, keys: readonly string[], read: (path: string) => Promise<Asked>): Promise<Behind> {
  const ask = (query: Readonly<Record<string, string>>) => read(firstPath(path, String(new URLSearchParams(query))));
  const known = new Set(keys);
  // Meanwhile, an item may have been added or deleted.
  const isSame = (page: Asked) => {
    if (page instanceof CliError || page.length === 0) return false;
    const shown = new Set(page);
    return page.every((key) => known.has(key)) || keys.every((key) => shown.has(key));
  };
  const both = await ask({ page: '2', offset: String(keys.length) });
  // A service may refuse a parameter that it does not know.
  const isRefused = both instanceof CliError && both.code === 'rejected';
  if (isSame(both)) return { isWhole: true, words: wordsFor(both) };
  if (both instanceof CliError && !isRefused && !isNone(both)) return { isWhole: false, words: wordsFor(both) };
  const second = await ask({ page: '2' });
  if (isSame(second)) return { isWhole: isRefused, words: wordsFor(both), ...(isRefused ? {} : { way: 'offset' }) };
  const words = wordsFor(second);
  if (second instanceof CliError && !isNone(second)) return { isWhole: false, words };
  const isOver = isNone(second) && (isRefused || isNone(both));
  const first = await ask({ page: '1' });
  if (isSame(first)) return { isWhole: isOver, way: 'page', words };
  // If pages count from 0, page 2 is the third page.
  if (!isNone(first)) return { isWhole: false, words, ...(first instanceof CliError ? {} : { way: 'page,page,0' }) };
  const isFromZero = isOver && isSame(await ask({ page: '0' }));
  return { isWhole: isFromZero, words, ...(isFromZero ? { way: 'page,page,0' } : {}) };
}

/** A page behind the last one may not exist. */
export function isNone(page: Asked): boolean {
  return page instanceof CliError ? page.code === 'not_found' : page.length === 0;
}

function wordsFor(page: Asked): string {
  if (!(page instanceof CliError)) return page.length === 0 ? 'is empty' : 'has other items';
  return page.status === undefined ? 'could not be read' : `was refused (${page.status})`;
}
