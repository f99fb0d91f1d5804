/**
 * How a list continues: by an address, a cursor, a number of pages, or a total with an offset, as given by the
 * answer or the profile. A list that says it continues and cannot be followed is an error, never a shorter
 * list.
 */
import { CliError } from '../errors.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { typedCommand } from '../model/shell-quote.ts';
import { sentence } from '../text/sentence.ts';
import type { Dialect, DialectKey } from './dialect.ts';
import { type Signal, type Signals, signalsIn } from './paging-signals.ts';

export type ListPage = {
  /** Path and query below the base URL. */
  path: string;
  /** Number of the page, from 1, as far as pages were counted. */
  number: number;
  /** Number of the first page: 1, or 0 for a service that counts from 0. */
  base?: number;
  /** Paths that were requested already: a service that points backwards would never end the list. */
  seen: Set<string>;
  /** Values beside the items, once the page is read. */
  headers?: Record<string, string>;
  siblings?: JsonObject | undefined;
  /** Items on this page. */
  items?: number;
  /** The error for a page that only a total implies, if it cannot be read. */
  otherwise?: CliError;
};

type Next = Pick<ListPage, 'path' | 'number' | 'base' | 'otherwise'>;
type Where = { dialect: Dialect; origin: string; basePath: string; does: string };

export function firstPage(path: string, dialect: Dialect): ListPage {
  const first = dialect.pageSize === '' ? path : withQuery(path, dialect.pageSizeParameter, dialect.pageSize);
  return { path: first, number: 1, seen: new Set([first]) };
}

/** The page after this one, or undefined when the list is whole. `count`: items of all pages so far. */
export function pageAfter(page: ListPage, count: number, where: Where): ListPage | undefined {
  const signals = signalsIn({ headers: page.headers ?? {}, siblings: page.siblings }, where.dialect);
  const next =
    linkNext(page.headers?.link ?? '', page, where) ??
    shownNext(signals, page, where) ??
    numberedNext(signals, page, where) ??
    countedNext(signals, page, count, where) ??
    totalNext(signals, page, count, where);
  if (next) {
    if (page.seen.has(next.path)) throw cut(where, `its next page (${next.path}) was read before`);
    page.seen.add(next.path);
    return { ...next, seen: page.seen };
  }
  refuseRest(signals, count, where);
  return undefined;
}

const setPaging = sentence`Set dialect.paging to the way in which the next page is requested; to find it out: proctor-cli doctor`;

/** Throws if the answer says, or may mean, that there are more items. */
function refuseRest({ total, more, next, strange }: Signals, count: number, where: Where) {
  if (total && total.value > count) throw tooFew(total, count, where);
  const said = more?.value ? more : more ? undefined : next;
  if (said) throw cut(where, `"${said.name}" says that there are more items, but nothing shows how to request them`, setPaging);
  const odd = strange.find(({ value }) => !(isCount(value) && Number(value) <= count));
  if (!odd) return;
  throw cut(
    where,
    `"${odd.name}" may mean that there are more items, but proctor-cli does not know this field`,
    sentence`If it does not, set: proctor-cli ${typedCommand('config set dialect.ignoredKeys', [[where.dialect.ignoredKeys, odd.name].filter(Boolean).join(',')])}`,
  );
}

function tooFew({ name, value }: Signal<number>, count: number, where: Where): CliError {
  return cut(where, `${name} says ${value} items, but there were ${count}`, setPaging);
}

function isCount(value: Json): boolean {
  return typeof value === 'number' || (typeof value === 'string' && /^\d{1,15}$/.test(value));
}

function cut(
  { does }: Where,
  why: string,
  hint = sentence`See the answer with --debug; the dialect settings say how the next page is requested.`,
): CliError {
  return new CliError('bad_answer', sentence`The service's answer to the request to ${does} is not the whole list: ${why}.`, { hint });
}

/** The error for a list that makes no progress; the message continues "is not the whole list: …". */
export function stuck(does: string, why: string, key: DialectKey): CliError {
  return cut({ does } as Where, why, sentence`Find the right settings (dialect.${key}, dialect.paging) with: proctor-cli doctor`);
}

/** `<target>; name=value; name="quoted, value"`, as RFC 8288 has it. */
const links = /<([^>]*)>((?:[^",<]|"(?:[^"\\]|\\.)*")*)/g;
const parameters = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s";]*))/g;

function isNext(written: string): boolean {
  const relation = [...written.matchAll(parameters)].find(([, name]) => name?.toLowerCase() === 'rel');
  const types = relation?.[2] ?? relation?.[3] ?? '';
  return types.toLowerCase().split(/\s+/).includes('next');
}

function linkNext(header: string, page: ListPage, where: Where): Next | undefined {
  const target = [...header.matchAll(links)].find(([, , written]) => isNext(written ?? ''))?.[1];
  return target === undefined ? undefined : following(target, page, where);
}

/** An address, within the service that the token is for. */
function following(target: string, page: ListPage, where: Where): Next {
  const current = where.origin + where.basePath + page.path;
  const url = URL.canParse(target, current) ? new URL(target, current) : undefined;
  if (!url) throw cut(where, 'the URL of its next page cannot be read');
  if (url.origin !== where.origin) throw cut(where, `its next page is on another origin (${url.origin}), where the token must not be sent`);
  if (!url.pathname.startsWith(`${where.basePath}/`)) throw cut(where, `its next page is outside ${where.basePath} (${url.pathname})`);
  return { path: url.pathname.slice(where.basePath.length) + url.search, number: page.number + 1 };
}

/** The next page as the answer gives it: an address, a page number, an offset, or a cursor. */
function shownNext({ next, more }: Signals, page: ListPage, where: Where): Next | undefined {
  if (!next || more?.value === false) return undefined;
  const { key, value } = next;
  const text = typeof value === 'string' ? value.trim() : isCount(value) ? String(value) : undefined;
  if (text === undefined) return undefined;
  if (/^(https?:)?\/\/|^[/?]|^[\w./-]+\?/i.test(text)) return following(text, page, where);
  const { dialect } = where;
  const number = /^\d{1,15}$/.test(text);
  if (number && /offset/i.test(key))
    return { path: withQuery(page.path, dialect.offsetParameter || 'offset', text), number: page.number + 1 };
  if (number && !/cursor|token|after/i.test(key)) {
    return {
      path: withQuery(page.path, dialect.pageParameter, text),
      number: Number(text),
      ...(page.base === undefined ? {} : { base: page.base }),
    };
  }
  const parameter = dialect.cursorParameter === '' ? cursorParameter(key) : dialect.cursorParameter;
  return { path: withQuery(page.path, parameter, text), number: page.number + 1 };
}

/** The parameter that a cursor belongs to, by the name of its field: `next_page_token` is asked for with `page_token`. */
function cursorParameter(key: string): string {
  const bare = key.replace(/^(x-)?(next|end)[-_]?/i, '');
  return bare === '' ? 'cursor' : bare.charAt(0).toLowerCase() + bare.slice(1);
}

/**
 * The next page by its number, if the answer shows the number of pages. If the answer does not show its own number,
 * the requested one counts.
 */
function numberedNext({ page: shown, pages, offset }: Signals, page: ListPage, where: Where): Next | undefined {
  if (!pages || wayOf(where.dialect) === 'offset' || (offset && !shown)) return undefined;
  const base = page.base ?? (page.number === 1 && shown?.value === 0 ? 0 : 1);
  const asked = page.number - 1 + base;
  if (page.number > 1 && shown && shown.value !== asked) {
    throw cut(
      where,
      `page ${asked} was requested, but page ${shown.value} came; the service does not seem to know the parameter "${where.dialect.pageParameter}"`,
      sentence`Set the name of that parameter: proctor-cli config set dialect.pageParameter NAME`,
    );
  }
  const current = page.number > 1 ? asked : (shown?.value ?? asked);
  if (current - base + 1 >= pages.value) return undefined;
  return { path: withQuery(page.path, where.dialect.pageParameter, String(current + 1)), number: current + 2 - base, base };
}

/** The next page by its offset, if the answer has a total or says that there are more items. */
function countedNext(
  { page: shown, pages, size, offset, total, more }: Signals,
  page: ListPage,
  count: number,
  where: Where,
): Next | undefined {
  const { dialect } = where;
  const way = wayOf(dialect) ?? (offset ? 'offset' : shown || size ? 'page' : undefined);
  const configured = (dialect.paging === 'page' || dialect.paging === 'offset') && !pages;
  const goesOn = total ? total.value > count : (more?.value ?? (configured && page.items !== 0));
  if (way === undefined || !goesOn || (pages && way === 'page')) return undefined;
  if (page.items === 0) return undefined;
  if (way === 'offset') {
    const from = (offset?.value ?? count - (page.items ?? count)) + (page.items ?? count);
    const parameter = dialect.offsetParameter || offset?.key.replace(/^x-/, '') || 'offset';
    return { path: withQuery(page.path, parameter, String(from)), number: page.number + 1 };
  }
  const base = page.base ?? (page.number === 1 && shown?.value === 0 ? 0 : Number(dialect.firstPage));
  return { path: withQuery(page.path, dialect.pageParameter, String(page.number + base)), number: page.number + 1, base };
}

/** The next page if only a total shows that there is one: by its number, as in most services. */
function totalNext({ total, more }: Signals, page: ListPage, count: number, where: Where): Next | undefined {
  const { dialect } = where;
  if (dialect.paging !== 'auto' || !total || total.value <= count || more?.value === false || !page.items) return undefined;
  const base = page.base ?? Number(dialect.firstPage);
  const path = withQuery(page.path, dialect.pageParameter, String(page.number + base));
  return { path, number: page.number + 1, base, otherwise: tooFew(total, count, where) };
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
