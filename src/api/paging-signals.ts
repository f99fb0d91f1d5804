/**
 * What an answer says about the pages of its list, in headers and in fields beside the list. Both are read
 * with the same words of the dialect, whatever their spelling: `X-Pagination-Page-Count`, `page_count`,
 * `meta.pageCount`. A name that resembles paging and is not a known word is kept as strange: a list is
 * complete only if every paging signal is understood.
 */

import { isJsonObject, type Json, type JsonObject, parseJson } from '../model/json.ts';
import { lettersAndDigits } from '../text/letters.ts';
import { type Dialect, type DialectKey, words } from './dialect.ts';

/** A value in an answer, and its place: the name of the header, or the path of the field. */
export type Signal<T> = { name: string; value: T };

export type Signals = {
  /** Number of this page. */
  page?: Signal<number>;
  /** Number of pages. */
  pages?: Signal<number>;
  /** Items on all pages. */
  total?: Signal<number>;
  /** Items per page, if the service counts pages (`per_page`) rather than items (`limit`). */
  size?: Signal<number>;
  /** Items before the first of this page. */
  offset?: Signal<number> & { key: string };
  /** The next page: an address, a page number, a cursor. `key`: its own word, without its path. */
  next?: Signal<Json> & { key: string };
  /** Whether there are more pages, if the answer says so explicitly. */
  more?: Signal<boolean>;
  /** Signals that resemble paging and are not understood. */
  strange: Signal<Json>[];
};

export type Came = { headers: Record<string, string>; siblings: JsonObject | undefined };

type Role = 'page' | 'pages' | 'total' | 'size' | 'offset' | 'next' | 'more' | 'ignored';

const settings: Record<Role, DialectKey> = {
  page: 'pageKeys',
  pages: 'pageCountKeys',
  total: 'totalKeys',
  size: 'pageSizeKeys',
  offset: 'offsetKeys',
  next: 'nextKeys',
  more: 'moreKeys',
  ignored: 'ignoredKeys',
};

/** Objects beside a list that describe it. */
const containers =
  /^(data|meta(data)?|links?|paging|pagination|pager|page|pages?info|cursors?|counts?|info|summary|range|result|response)$/;

export function signalsIn({ headers, siblings }: Came, dialect: Dialect): Signals {
  const vocabulary = vocabularyOf(dialect);
  const signals: Signals = { strange: [] };
  for (const [name, value] of Object.entries(headers)) readHeader(name, value, vocabulary, signals);
  if (siblings) readFields(siblings, '', true, vocabulary, signals);
  return signals;
}

const vocabularies = new WeakMap<Dialect, ReadonlyMap<string, Role>>();

/** The roles of the words of a dialect. */
function vocabularyOf(dialect: Dialect): ReadonlyMap<string, Role> {
  const known = vocabularies.get(dialect);
  if (known) return known;
  const made = new Map<string, Role>();
  for (const [role, key] of Object.entries(settings)) {
    for (const word of words(dialect[key])) made.set(plain(word), role as Role);
  }
  vocabularies.set(dialect, made);
  return made;
}

function readHeader(name: string, value: string, vocabulary: ReadonlyMap<string, Role>, signals: Signals) {
  if (name === 'link') return;
  if (name === 'content-range') return readRange(value, signals);
  const word = plain(name);
  const role = vocabulary.get(word) ?? vocabulary.get(name);
  if (role) return note(role, name, name, value, signals);
  if (/^x-(pagination|paging|page-info)$/.test(name) && value.trimStart().startsWith('{')) {
    try {
      return readFields(parseJson(value) as JsonObject, `${name}.`, true, vocabulary, signals);
    } catch {}
  }
  if (sounds(name) && speaks(value)) signals.strange.push({ name, value });
}

/** `items 0-99/364`, `0-99/*`, `bytes` aside. */
function readRange(value: string, signals: Signals) {
  const [, first, last, total] = /^\s*(?:[a-z-]+[ =])?(?:(\d+)-(\d+)|\*)\/(\d+|\*)\s*$/i.exec(value) ?? [];
  if (total === undefined) signals.strange.push({ name: 'content-range', value });
  if (first !== undefined) signals.offset ??= { name: 'content-range', key: '', value: Number(first) };
  if (total === '*' && last !== undefined) signals.more ??= { name: 'content-range', value: true };
  else if (total !== undefined && total !== '*') signals.total ??= { name: 'content-range', value: Number(total) };
}

function readFields(fields: JsonObject, path: string, speaking: boolean, vocabulary: ReadonlyMap<string, Role>, signals: Signals) {
  for (const [key, value] of Object.entries(fields)) {
    const name = path + key;
    const role = vocabulary.get(plain(key));
    if (Array.isArray(value)) {
      const next = key === 'links' ? value.find((link) => isJsonObject(link) && link.rel === 'next') : undefined;
      if (isJsonObject(next)) note('next', 'next', name, next.href ?? null, signals);
    } else if (isJsonObject(value)) {
      const address = role === 'next' ? (value.href ?? value.url) : undefined;
      if (address !== undefined) note('next', key, name, address, signals);
      else if (role !== 'ignored') readFields(value, `${name}.`, speaking && containers.test(plain(key)), vocabulary, signals);
    } else if (role && (speaking || role === 'total' || role === 'more' || role === 'next')) note(role, key, name, value, signals);
    else if (!role && speaking && sounds(key) && speaks(value)) signals.strange.push({ name, value });
  }
}

/** Records one signal. The first one counts, but a `more` that is true overrides one that is false. */
function note(role: Role, key: string, name: string, value: Json, signals: Signals) {
  if (role === 'ignored') return;
  if (role === 'next') {
    if (value === true) note('more', key, name, true, signals);
    else if (speaks(value)) signals.next ??= { name, key, value };
    return;
  }
  if (role === 'more') {
    const said = typeof value === 'string' ? speaks(value) && value !== 'no' : speaks(value);
    if (said || !signals.more) signals.more = { name, value: said };
    return;
  }
  const number = typeof value === 'number' || (typeof value === 'string' && /^\s*\d{1,15}\s*$/.test(value)) ? Number(value) : undefined;
  if (number !== undefined && Number.isSafeInteger(number) && number >= 0) {
    // Of two counts, the smaller one may be that of the page.
    if (role === 'total' && number <= (signals.total?.value ?? -1)) return;
    if (role === 'total') signals.total = { name, value: number };
    else signals[role] ??= { name, key, value: number };
  }
  // A count that is not a number is no count; a URL in such a field may be the next page.
  else if (typeof value === 'string' && /[/?]/.test(value)) signals.strange.push({ name, value });
}

/** A name without case, separators and the prefixes of its family. */
function plain(name: string): string {
  const own = name
    .toLowerCase()
    .replace(/^@odata\./, '')
    .replace(/^x-/, '')
    .replace(/^(pagination|paging)[-_](?=.)/, '');
  return lettersAndDigits(own);
}

const paging =
  /^(page|pages|paging|paginated|pagination|pager|total|totals|count|counts|cursor|offset|range|next|more|continuation|truncated|partial)$/;
/** Headers and fields in which such words have another meaning. */
const otherFamilies =
  /^(rate|ratelimit|quota|cache|cors|accept|access|query|queries|db|sql|retry|speed|request|requests|age|view|views|powered|nextjs|frame|previous|prev|title|name)$/;

function sounds(name: string): boolean {
  const parts = lettersAndDigits(name.replace(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase(), ' ').split(' ');
  return parts.some((part) => paging.test(part)) && !parts.some((part) => otherFamilies.test(part));
}

/** Whether a value is a signal: null, false, an empty text and 0 are not. */
function speaks(value: Json): boolean {
  if (typeof value === 'string') return !/^\s*(|0|false|none|null|no)\s*$/i.test(value);
  return value !== null && value !== false && value !== 0;
}
