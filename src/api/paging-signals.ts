/**
 * What an answer says about the pages of its list, in headers and in fields beside the list. Both are read
 * with the same words of the dialect, whatever their spelling: `X-Pagination-Page-Count`, `page_count`,
 * `meta.pageCount`. A name that resembles paging and is not a known word, or a value that is not understood, is
 * kept as strange: a list is complete only if every paging signal is understood.
 */
import { isJsonObject, type Json, type JsonObject, parseJson } from '../model/json.ts';
import type { Dialect } from './dialect.ts';
import { messages, type Said, saidIn, sentenceHeader, warningsIn } from './paging-sentences.ts';
import {
  countIn,
  endsOf,
  isAddress,
  isNextRelation,
  isNumeric,
  isOfResource,
  plain,
  type Role,
  sounds,
  speaks,
  vocabularyOf,
} from './paging-words.ts';

/** A value in an answer, and its place: the name of the header, or the path of the field. */
export type Signal<T> = { name: string; value: T };

export type Signals = {
  /** Number of this page. */
  page?: Signal<number>;
  /** Number of pages. `isLast`: the number of the last page, which is one less where pages count from 0. */
  pages?: Signal<number> & { isLast: boolean };
  /** Items on all pages. `mayBe`: what it counts instead, as far as its name and place tell. `said`: by a sentence. */
  total?: Signal<number> & { mayBe: 'pages' | 'items of the page' | undefined; said?: true };
  /** Items per page. `mayBeCount`: its name may also mean the number of the items that came. */
  size?: Signal<number> & { mayBeCount: boolean };
  /** Items before the first of this page. */
  offset?: Signal<number> & { key: string };
  /** The next page: an address, a page number, a cursor. `key`: its own word, without its path. `isLink`: an address, whatever its form. */
  next?: Signal<Json> & { key: string; isLink?: true };
  /** The address of the last page. */
  last?: Signal<string>;
  /** Whether there are more pages, if the answer says so explicitly. */
  more?: Signal<boolean>;
  /** The answer says that this page is the last one: `is_last: true`, a `next` that is empty. */
  ends?: true;
  /** What sentences beside the list say. `strange`: the text, where its name resembles paging. */
  said: (Signal<Said> & { strange: Signal<Json> | undefined })[];
  /** The name of a sentence that says that there is more, and not how much. */
  cut?: string;
  /** Signals that resemble paging and are not understood. */
  strange: Signal<Json>[];
};

export type Came = { headers: Record<string, string>; siblings: JsonObject | undefined };

/** Objects that hold a list, and objects that describe it. */
const wrappers = /^(data|results?|response|hits)$/;
const containers = /^(meta(data)?|links?|paging|pagination|pager|pages?(info)?|cursors?|counts?|totals?|info|summary|range)$/;
const likePages = /^(pages?(info)?|pagination|paging|pager)$/;
const likeTotals = /^(totals?|counts?|range)$/;

/** Words that belong to paging beside a list and in what describes it, and may mean anything elsewhere. */
const ambiguous: ReadonlySet<Role> = new Set(['page', 'size', 'offset', 'end']);

/** Where a field stands. */
type Place = {
  path: string;
  /** Beside the list, or in an object that describes it. */
  speaking: boolean;
  /** In an object that describes the list: so do all objects in it. */
  describing: boolean;
  /** In an object named like a page or its pages: a total may count pages. */
  ofPages: boolean;
  /** In an object named like a total: each number may be one. */
  ofTotals: boolean;
};

const besideTheList: Place = { path: '', speaking: true, describing: false, ofPages: false, ofTotals: false };

export function signalsIn({ headers, siblings }: Came, dialect: Dialect): Signals {
  const reader = new SignalReader(vocabularyOf(dialect));
  for (const [name, value] of Object.entries(headers)) reader.header(name, value);
  if (siblings) reader.fields(siblings, besideTheList);
  return reader.signals;
}

/**
 * The signals, with what their sentences say of a page of `items` items, which are `count` with those before. A sentence
 * with other numbers is about something else, and so is a total that has come.
 */
export function heeding(signals: Signals, { items, number }: { items?: number; number: number }, count: number): Signals {
  for (const { name, value, strange } of signals.said) {
    if ('cut' in value) {
      if (value.at === undefined || value.at === count || value.at === items) signals.cut ??= name;
    } else if (value.unit === 'pages' ? value.last !== number : value.last !== count && value.last !== items) {
      if (strange) signals.strange.push(strange);
    } else if (value.unit === 'pages') {
      if (value.of <= number || signals.pages) continue;
      signals.pages = { name, value: value.of, isLast: false };
      signals.cut ??= name;
    } else if (value.of > Math.max(count, signals.total?.value ?? 0))
      signals.total = { name, value: value.of, mayBe: undefined, said: true };
  }
  return signals;
}

class SignalReader {
  readonly signals: Signals = { said: [], strange: [] };
  readonly #vocabulary: ReadonlyMap<string, Role>;

  constructor(vocabulary: ReadonlyMap<string, Role>) {
    this.#vocabulary = vocabulary;
  }

  header(name: string, value: string) {
    const role = this.#vocabulary.get(plain(name)) ?? this.#vocabulary.get(name) ?? this.#byItsEnd(name);
    if (role === 'ignored') return;
    if (name === 'link') return this.#linkHeader(value);
    if (name === 'content-range') return this.#range(value);
    const like = sounds(name);
    if ((role || like) && value.trimStart().startsWith('{')) {
      try {
        return this.#object(role, name, name, parseJson(value) as JsonObject, { ...besideTheList, describing: true, ofPages: true });
      } catch {}
    }
    if (role) this.#note(role, name, name, unrepeated(value));
    else if (sentenceHeader.test(name)) for (const text of warningsIn(value)) this.#sentences('message', name, text);
    else if (like && speaks(value)) this.#strange(name, value);
  }

  /** The role of the end of a name: of `Total` in `X-WP-Total`. */
  #byItsEnd(name: string): Role | undefined {
    if (!sounds(name)) return undefined;
    return endsOf(name)
      .map((end) => this.#vocabulary.get(end))
      .find((role) => role !== undefined && role !== 'ignored');
  }

  #linkHeader(value: string) {
    for (const { target, relations } of linksIn(value)) {
      if (relations.some(isNextRelation)) this.signals.next ??= { name: 'link', key: 'next', value: target, isLink: true };
      else if (relations.includes('last')) this.signals.last ??= { name: 'link', value: target };
    }
    if (/\brel\s*=[^;,]*\bnext\b/i.test(value.replace(links, ''))) this.#strange('link', value);
  }

  /** `items 0-99/364`, `0-99/*`, `bytes` aside. */
  #range(value: string) {
    const name = 'content-range';
    const [, first, last, total] = /^\s*(?:[a-z-]+[ =])?(?:(\d+)-(\d+)|\*)\/(\d+|\*)\s*$/i.exec(value) ?? [];
    if (total === undefined) return this.#strange(name, value);
    if (first !== undefined) this.signals.offset ??= { name, key: '', value: Number(first) };
    if (total !== '*') this.#total({ name, value: Number(total), mayBe: undefined });
    else if (Number(last) >= Number(first)) this.signals.more ??= { name, value: true };
  }

  fields(fields: JsonObject, place: Place) {
    for (const [key, value] of Object.entries(fields)) {
      const name = place.path + key;
      const known = this.#roleIn(key, place);
      if (known === 'ignored') continue;
      const role = known && isOfResource(key, value, fields) ? undefined : known;
      if (Array.isArray(value)) this.#array(role, key, name, value, place);
      else if (isJsonObject(value)) this.#object(role, key, name, value, place);
      else if (role) this.#note(role, key, name, value, place);
      else if (!place.speaking || (typeof value === 'string' && this.#sentences(key, name, value))) continue;
      else if (speaks(value) && (place.ofTotals ? isNumeric(value) : sounds(key))) this.#strange(name, value);
    }
  }

  #roleIn(key: string, { speaking, ofPages, ofTotals }: Place): Role | undefined {
    const word = plain(key);
    const role = this.#vocabulary.get(word);
    if (role === undefined) return ofPages && word === 'current' ? 'page' : ofTotals && word === 'value' ? 'total' : undefined;
    return speaking || role === 'ignored' || !(ambiguous.has(role) || word === 'pages' || word === 'left') ? role : undefined;
  }

  #array(role: Role | undefined, key: string, name: string, value: readonly Json[], place: Place) {
    if (/^_?links?$/.test(key)) {
      for (const link of value) if (isJsonObject(link)) this.#link(link, name);
    } else if (place.speaking && !role && !sounds(key) && messages.test(key)) {
      for (const part of value) for (const text of textsOf(part)) this.#sentences(key, name, text);
    } else if (role || (place.speaking && sounds(key))) {
      if (!value.every(isJsonObject)) this.#strange(name, [...value]);
      else for (const [at, item] of value.entries()) this.#object(role, key, `${name}[${at}]`, item, place);
    }
  }

  #link(link: JsonObject, name: string) {
    const relations = [link.rel ?? link.relation ?? ''].flat().map((relation) => String(relation).toLowerCase());
    const address = link.href ?? link.url ?? link.uri ?? null;
    if (relations.some(isNextRelation)) this.#note('next', 'next', name, address);
    else if (relations.includes('last') && typeof address === 'string') this.signals.last ??= { name, value: address };
  }

  #object(role: Role | undefined, key: string, name: string, value: JsonObject, place: Place) {
    const address = value.href ?? value.url ?? value.uri;
    if (address !== undefined && (role === 'next' || role === 'more' || role === 'end')) return this.#note(role, key, name, address);
    if (role === 'next') return this.#nextIn(name, value);
    const word = plain(key);
    const describes = !wrappers.test(word) && (containers.test(word) || role !== undefined || sounds(key));
    this.fields(value, {
      path: `${name}.`,
      speaking: place.speaking && (place.describing || describes || wrappers.test(word)),
      describing: place.describing || describes,
      ofPages: likePages.test(word),
      ofTotals: role === 'total' || likeTotals.test(word),
    });
  }

  /** The next page as an object: with its number, or with one cursor. */
  #nextIn(name: string, value: JsonObject) {
    const said = Object.entries(value).filter(([key, part]) => speaks(part) && this.#vocabulary.get(plain(key)) !== 'size');
    const numbers = said.filter(([key, part]) => this.#vocabulary.get(plain(key)) === 'page' && countIn(part) !== undefined);
    const [first, ...others] = numbers.length > 0 ? numbers : said;
    if (!first) this.signals.ends = true;
    else if (others.length > 0 || typeof first[1] === 'object') this.#strange(name, value);
    else this.#note('next', first[0], `${name}.${first[0]}`, first[1]);
  }

  /** Records one signal. */
  #note(role: Role, key: string, name: string, value: Json, place: Place = besideTheList) {
    if (role === 'next') return this.#next(key, name, value);
    if (role === 'more') return this.#more(key, name, value);
    if (role === 'end' || (role === 'pages' && isVerdict(value))) return this.#end(key, name, value);
    const number = countIn(value);
    if (number === undefined) return this.#noCount(role, key, name, value);
    if (role === 'total') this.#total({ name, value: number, mayBe: likeWhat(key, place) });
    if (role === 'pages') this.signals.pages ??= { name, value: number, isLast: /last/i.test(key) };
    if (role === 'size') this.signals.size ??= { name, value: number, mayBeCount: plain(key) === 'size' };
    if (role === 'page') this.signals.page ??= { name, value: number };
    if (role === 'offset') this.signals.offset ??= { name, key, value: number };
  }

  /** An address comes first; otherwise the first counts. */
  #next(key: string, name: string, value: Json) {
    const { next, more } = this.signals;
    if (value === true) this.signals.more = more?.value ? more : { name, value };
    else if (!speaks(value)) this.signals.ends = true;
    else if (!next || (!next.isLink && isAddress(value) && !isAddress(next.value))) this.signals.next = { name, key, value };
  }

  /** The first one counts, but one that is true overrides one that is false. */
  #more(key: string, name: string, value: Json) {
    if (isAddress(value)) return this.#next(key, name, value);
    if (typeof value === 'string' && plain(key) === 'left' && countIn(value) === undefined) return;
    const said = speaks(value);
    if (said || !this.signals.more) this.signals.more = { name, value: said };
  }

  /** `is_last: false` says that there is more; `last: 5` and `last: "/exams?page=5"` tell which page is the last. */
  #end(key: string, name: string, value: Json) {
    const number = plain(key) === 'last' ? countIn(value) : undefined;
    if (isAddress(value)) this.signals.last ??= { name, value };
    else if (number !== undefined) this.signals.pages ??= { name, value: number, isLast: true };
    else if (!isVerdict(value) && !(plain(key).startsWith('is') && /^[01]$/.test(String(value)))) return;
    else if (speaks(value)) this.signals.ends = true;
    else this.signals.more ??= { name, value: true };
  }

  /** Whether a text says anything about the pages. */
  #sentences(key: string, name: string, text: string): boolean {
    const isPaging = sounds(key);
    const said = saidIn(key, text, isPaging);
    for (const value of said) this.signals.said.push({ name, value, strange: isPaging ? { name, value: text } : undefined });
    return said.length > 0;
  }

  /** Of several totals, the greatest counts: the smaller one may be that of the page. */
  #total(total: NonNullable<Signals['total']>) {
    if (total.value > (this.signals.total?.value ?? -1)) this.signals.total = total;
  }

  /** A value that is not the count that its name promises: `1 of 5`, `23 students`, 2.5. Text without a digit means something else. */
  #noCount(role: Role, key: string, name: string, value: Json) {
    if (!speaks(value)) return;
    const other = typeof value === 'string' && role !== 'total' && !/[/?]/.test(value);
    if (other && (!/\d/.test(value) || /^(number|start)$/.test(plain(key)))) return;
    // `start_at` may be the time at which an exam begins.
    if (role === 'offset' && typeof value === 'string' && /^\s*\d{4}-\d\d-\d\d/.test(value)) return;
    this.#strange(name, value);
  }

  #strange(name: string, value: Json) {
    this.signals.strange.push({ name, value });
  }
}

/** The texts of a warning in a list of warnings: it is a text itself, or an object that has one. */
function textsOf(value: Json): string[] {
  if (typeof value === 'string') return [value];
  return isJsonObject(value) ? [value.message, value.text, value.detail].filter((text) => typeof text === 'string') : [];
}

function isVerdict(value: Json): boolean {
  return typeof value === 'boolean' || (typeof value === 'string' && /^\s*(true|false|yes|no)\s*$/i.test(value));
}

/** What else a total may count. */
function likeWhat(key: string, { ofPages }: Place): 'pages' | 'items of the page' | undefined {
  const word = plain(key);
  return ofPages && /^(total|count|of)$/.test(word) ? 'pages' : word.includes('total') ? undefined : 'items of the page';
}

/** The value of a header that was sent several times with one value, without quotation marks. */
function unrepeated(value: string): string {
  const [first = '', ...others] = value.split(',').map((part) => part.trim());
  return (others.every((other) => other === first) ? first : value).replace(/^"(.*)"$/, '$1');
}

/** `<target>; name=value; name="quoted, value"`, as RFC 8288 has it. */
const links = /<([^>]*)>((?:[^",<]|"(?:[^"\\]|\\.)*")*)/g;
const parameters = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s";]*))/g;

function linksIn(header: string): { target: string; relations: string[] }[] {
  return [...header.matchAll(links)].map(([, target = '', written = '']) => {
    const relation = [...written.matchAll(parameters)].find(([, name]) => name?.toLowerCase() === 'rel');
    const types = relation?.[2] ?? relation?.[3] ?? '';
    return { target, relations: types.toLowerCase().trim().split(/\s+/) };
  });
}
