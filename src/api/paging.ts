/**
 * How a list goes on: by `Link: rel="next"` within the same origin, or by the page headers of the
 * dialect. A list that says it goes on and cannot be followed is an error, never a shorter list.
 */
import { CliError } from '../errors.ts';
import { isJsonObject, type JsonObject } from '../model/json.ts';
import { sentence } from '../text/sentence.ts';
import { type Dialect, words } from './dialect.ts';

export type Page = {
  /** Path and query below the base URL. */
  path: string;
  /** Number of the page, where the headers count pages. */
  number: number;
  /** Paths already asked for, so that a service that points backwards does not keep us forever. */
  seen: Set<string>;
  /** What came with the page, once it has been read. */
  headers?: Record<string, string>;
  siblings?: JsonObject | undefined;
};

export function firstPage(path: string): Page {
  return { path, number: 1, seen: new Set([path]) };
}

type Where = { dialect: Dialect; origin: string; basePath: string; does: string };

/** The page after this one, or undefined when the list is whole. `count`: items of all pages so far. */
export function pageAfter(page: Page, count: number, where: Where): Page | undefined {
  const headers = page.headers ?? {};
  const next = linkNext(headers.link ?? '', page, where) ?? pageByHeaders(headers, page, where);
  if (next) {
    if (page.seen.has(next.path)) throw cut(where, `its next page (${next.path}) is one that was already read`);
    page.seen.add(next.path);
    return { ...next, seen: page.seen };
  }
  const total = headers[where.dialect.totalCountHeader];
  if (total !== undefined && /^\d+$/.test(total) && Number(total) > count) {
    throw cut(where, `${where.dialect.totalCountHeader} says ${total} items, and ${count} came`);
  }
  const counted = page.siblings && countIn(page.siblings, words(where.dialect.totalKeys));
  if (counted && counted.total > count)
    throw cut(where, `the answer's field "${counted.key}" says ${counted.total} items, and ${count} came`);
  const more = page.siblings && moreIn(page.siblings, words(where.dialect.moreKeys));
  if (more !== undefined) {
    throw cut(where, `the answer's field "${more}" says that there is more, and the specification does not show how to ask for it`);
  }
  return undefined;
}

/** The first of the keys that counts the items of the whole list, beside the list or within an object beside it. */
function countIn(fields: JsonObject, keys: readonly string[]): { key: string; total: number } | undefined {
  for (const [key, value] of Object.entries(fields)) {
    if (keys.includes(key) && typeof value === 'number') return { key, total: value };
    const within = isJsonObject(value) ? countIn(value, keys) : undefined;
    if (within) return within;
  }
  return undefined;
}

/** The first of the keys that says there is more, beside the list or within an object beside it (`links`, `meta`). */
function moreIn(fields: JsonObject, keys: readonly string[]): string | undefined {
  for (const [key, value] of Object.entries(fields)) {
    if (keys.includes(key) && value !== null && value !== false && value !== '' && value !== 0) return key;
    const within = isJsonObject(value) ? moreIn(value, keys) : undefined;
    if (within !== undefined) return within;
  }
  return undefined;
}

function cut({ does }: Where, why: string): CliError {
  return new CliError('bad_answer', sentence`The service's answer to the request to ${does} is not the whole list: ${why}.`, {
    hint: 'Look at the answer with --debug; the settings dialect.pageParameter, dialect.moreKeys and their like say how lists go on.',
  });
}

/** `<target>; name=value; name="quoted, value"`, as RFC 8288 has it. */
const links = /<([^>]*)>((?:[^",<]|"(?:[^"\\]|\\.)*")*)/g;
const parameters = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s";]*))/g;

function isNext(written: string): boolean {
  const relation = [...written.matchAll(parameters)].find(([, name]) => name?.toLowerCase() === 'rel');
  const types = relation?.[2] ?? relation?.[3] ?? '';
  return types.toLowerCase().split(/\s+/).includes('next');
}

function linkNext(header: string, page: Page, where: Where): Omit<Page, 'seen'> | undefined {
  const target = [...header.matchAll(links)].find(([, , written]) => isNext(written ?? ''))?.[1];
  if (target === undefined) return undefined;
  const current = where.origin + where.basePath + page.path;
  const url = URL.canParse(target, current) ? new URL(target, current) : undefined;
  if (!url) throw cut(where, `the address of its next page cannot be read (${target.slice(0, 100)})`);
  if (url.origin !== where.origin) throw cut(where, `its next page is on another origin (${url.origin}), where the token must not go`);
  if (!url.pathname.startsWith(`${where.basePath}/`)) throw cut(where, `its next page is outside ${where.basePath} (${url.pathname})`);
  return { path: url.pathname.slice(where.basePath.length) + url.search, number: page.number + 1 };
}

function pageByHeaders(headers: Record<string, string>, page: Page, where: Where): Omit<Page, 'seen'> | undefined {
  const { dialect } = where;
  const current = Number(headers[dialect.currentPageHeader] ?? Number.NaN);
  const pages = Number(headers[dialect.pageCountHeader] ?? Number.NaN);
  if (!Number.isSafeInteger(current) || !Number.isSafeInteger(pages)) return undefined;
  if (page.number > 1 && current !== page.number) {
    throw cut(
      where,
      `page ${page.number} was asked for and page ${current} came; the parameter "${dialect.pageParameter}" seems not to be understood`,
    );
  }
  if (current >= pages) return undefined;
  const url = new URL(page.path, 'http://path');
  url.searchParams.set(dialect.pageParameter, String(current + 1));
  return { path: url.pathname + url.search, number: current + 1 };
}
