/** A list, page after page, to its end. One that is not whole is an error, never a shorter list. */
import { CliError, type ErrorCode, isInterruption } from '../errors.ts';
import { fieldAt, isJsonObject, type Json, type JsonObject, textOfJson } from '../model/json.ts';
import { typedCommand } from '../model/shell-quote.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { problemOf, type Reply, saysNo, unwrapItem, wordsOf } from './answer.ts';
import { badAnswer } from './answer-errors.ts';
import { type Dialect, resourceNames, wrappers } from './dialect.ts';
import type { Operation } from './operations.ts';
import {
  firstPath,
  lookBehind,
  nextPath,
  notWhole,
  type Page,
  type Paging,
  pagingOf,
  type Signals,
  shownPaging,
  signalsIn,
  type Where,
  whatFollows,
} from './paging.ts';

export type ListOptions = {
  /** The pages come after the whole list was read: one that changes meanwhile is read again. Otherwise each comes as it is read. */
  whole?: boolean;
  /**
   * How a list is treated that may not be whole. `refuse`: it fails, for whatever decides by it. `warn`: a person reads it, and is
   * warned. `accept`: it only completes what a person types.
   */
  unsure?: 'refuse' | 'warn' | 'accept';
};

type ListAnswer = Pick<Reply, 'status' | 'headers' | 'data'>;

/** A list of a service, and how its pages are read. */
export type Listing = {
  operation: Operation;
  /** Below the base URL. */
  path: string;
  /** Throws the client's errors. */
  read(path: string): Promise<ListAnswer>;
  dialect: Dialect;
  where: Where;
  /** Foreign text without secrets. */
  masked(text: string): string;
  /** Gets each page. */
  saw?(page: readonly JsonObject[]): void;
};

/** How often a list that changes while its pages are read is read again. */
const readings = 3;

/** Pages in a row without a new item: one may be empty, but a list that never ends is an error. */
const emptyAtMost = 3;

/** The list changed while its pages were read: items may be missing. */
class ListChanged extends Error {}

/** The pages of a list. Throws `bad_answer` for one that is not whole. */
export async function* pagesOf(
  listing: Listing,
  doubts: Doubts,
  { whole = false, unsure = 'refuse' }: ListOptions,
): AsyncGenerator<JsonObject[], void> {
  let count = 0;
  for (let reading = 1; ; reading += 1) {
    const pages: JsonObject[][] = [];
    try {
      for await (const page of eachPage(listing, doubts, unsure)) {
        if (whole) pages.push(page);
        else {
          count += page.length;
          yield page;
        }
      }
    } catch (error) {
      if (!(error instanceof ListChanged)) throw count === 0 ? error : brokenOff(error, count);
      if (whole && reading < readings) continue;
      const hint = whole ? again : sentence`Run the command again, or with --output json, which prints a list that was read as a whole.`;
      throw notWhole(listing.where, 'the list changed while its pages were read', hint);
    }
    return yield* pages;
  }
}

const again = sentence`Run the command again.`;

/** The items of pages, one by one. */
export async function* itemsOf(pages: AsyncIterable<readonly JsonObject[]>): AsyncGenerator<JsonObject, void> {
  for await (const page of pages) yield* page;
}

async function* eachPage(listing: Listing, doubts: Doubts, unsure: Unsure): AsyncGenerator<JsonObject[], void> {
  const { where, dialect } = listing;
  const declared = pagingFor(listing);
  const isAuto = declared.style === 'auto';
  const isNumbered = declared.style === 'page' || declared.style === 'offset';
  const seen = new SeenItems();
  let paging: Paging | undefined = isAuto ? undefined : declared;
  let promised: Partial<Signals> = {};
  let page: Page | undefined;
  let count = 0;
  let withoutNews = 0;
  /** An empty page, or none, is the end of the list. Otherwise the error for it, if something promised that the page exists. */
  let beyond: 'end' | CliError | undefined;
  for (let path = firstPath(listing.path, dialect.listQuery); ; ) {
    const read: Read | undefined = await existing(readPage(listing, path), beyond);
    if (!read) return;
    const { items } = read;
    page = { ...read, items: items.length, path, number: (page?.number ?? 0) + 1, before: page ? page.before + page.items : 0 };
    const fresh = seen.newOf(items);
    if (fresh === 'changed') throw new ListChanged();
    if (fresh === 'again') {
      // A service that ignores the number of its next page has no pages.
      if (isAuto && beyond === 'end' && page.number === 2) return;
      throw beyond instanceof CliError ? beyond : notWhole(where, `its next page (${path}) has only items already read`);
    }
    if (items.length === 0 && beyond instanceof CliError) throw beyond;
    count += fresh.length;
    listing.saw?.(fresh);
    yield fresh;
    withoutNews = fresh.length === 0 ? withoutNews + 1 : 0;
    if (withoutNews === emptyAtMost) throw notWhole(where, `${withoutNews} pages in a row had no new items`);
    if (isAuto) {
      const shown = signalsIn(page);
      if (promised.total && shown.total && shown.total.value < promised.total.value) throw new ListChanged();
      const signals: Signals = { ...shown, total: shown.total ?? promised.total, pages: shown.pages ?? promised.pages };
      const asked = paging?.style === 'page' ? Number(paging.names[1]) + page.number - 1 : undefined;
      if (asked !== undefined && shown.page && shown.page.value !== asked)
        throw notWhole(where, `page ${asked} was requested, but page ${shown.page.value} came`);
      const { is, missing } = whatFollows(signals, page, count);
      if (is === 'unsure') await doubts.settle(listing, path, fresh, unsure);
      if (is === 'end' || is === 'unsure') return;
      paging ??= pagingOf(shownPaging(signals, page, where));
      // A total that equals the number of items may be the number of items on this page.
      promised = { total: signals.total && signals.total.value > count ? signals.total : promised.total, pages: signals.pages };
      beyond = is === 'full' ? 'end' : missing === undefined ? undefined : notWhole(where, missing);
    } else beyond = isNumbered ? 'end' : undefined;
    const next: string | undefined = nextPath(paging ?? declared, page, where);
    if (next === undefined && isAuto)
      throw beyond instanceof CliError ? beyond : notWhole(where, 'it does not show its next page as before');
    if (next === undefined) return;
    path = next;
  }
}

/** The pool of proctors is one array (specification, 4.1), even if the service's other lists have numbered pages. */
function pagingFor({ operation, dialect }: Pick<Listing, 'operation' | 'dialect'>): Paging {
  const declared = pagingOf(dialect.paging);
  return operation.resource === 'proctor' && (declared.style === 'page' || declared.style === 'offset') ? pagingOf('auto') : declared;
}

/** A page; undefined where it does not exist and need not. */
async function existing(read: Promise<Read>, beyond: 'end' | CliError | undefined): Promise<Read | undefined> {
  try {
    return await read;
  } catch (error) {
    if (!(error instanceof CliError) || beyond === undefined) throw error;
    if (beyond === 'end' && error.code === 'not_found') return undefined;
    throw beyond instanceof CliError && refusals.has(error.code) ? beyond : error;
  }
}

const refusals: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['bad_answer', 'rejected', 'not_found']);

/**
 * The items of a list in pages, by their IDs. No item may come twice, except where one page ends and the next begins: otherwise the list
 * changed while it was read, and items may be missing.
 */
class SeenItems {
  readonly #keys = new Set<string>();
  /** The page before, which is not among them yet: most lists have one page, which need not be remembered. */
  #last: readonly JsonObject[] = [];

  /** The new items of a page; `again`: it has items, and all came before; `changed`: some of them did. */
  newOf(items: JsonObject[]): JsonObject[] | 'again' | 'changed' {
    const before = this.#last.map(keyOf);
    for (const key of before) this.#keys.add(key);
    if (items.length > 0) this.#last = items;
    if (this.#keys.size === 0) return items;
    const keys = items.map(keyOf);
    const repeated = keys.indexOf(before.at(-1) ?? '') + 1;
    const isOverlap = repeated < before.length && before.slice(before.length - repeated).every((key, at) => key === keys[at]);
    const overlap = isOverlap ? repeated : 0;
    const known = keys.slice(overlap).filter((key) => this.#keys.has(key)).length;
    if (known > 0) return known === keys.length ? 'again' : 'changed';
    return items.slice(overlap);
  }
}

/** What stands for an item: its ID, or all of it where it has none. */
export function keyOf(item: JsonObject): string {
  return textOfJson(item.id ?? item);
}

/** The items of a page, and what came with them. */
type Read = Pick<Page, 'status' | 'headers' | 'beside'> & { items: JsonObject[] };

/** Requests one page. Throws the client's errors, and `bad_answer` for what is no list of the resource. */
export async function readPage(listing: Listing, path: string): Promise<Read> {
  const answer = await listing.read(path);
  return { status: answer.status, headers: answer.headers, ...recordsIn(listing, answer) };
}

/** Successes with which only a part was done: Accepted, Multi-Status, Already Reported, IM Used. */
const notYetWhole = new Set([202, 207, 208, 226]);

function recordsIn({ operation, dialect, where, masked }: Listing, { status, data }: ListAnswer): Pick<Read, 'items' | 'beside'> {
  const bad = (what: string, hint?: Sentence) => badAnswer(where.does, status, what, hint);
  const said = (json: Json) => masked(wordsOf(json)).replace(/\.$/, '');
  if (notYetWhole.has(status)) throw bad('a status that does not promise a whole list');
  if (data === undefined && status === 204) return { items: [], beside: {} };
  const listed = listIn(data, operation, dialect);
  if (typeof listed === 'string') {
    if (!isJsonObject(data) || !saysNo(data)) throw bad(listed, adviceFor(data));
    throw bad(`a failure: ${said(data)}`, sentence`Run the command again. If it fails again, report it to the operator of the service.`);
  }
  const { items, beside } = listed;
  if (saysNo(beside)) throw bad(`a list and a failure: ${said(beside)}`);
  const records = items.map((item) => {
    const record = isJsonObject(item) ? unwrapItem(item, operation, dialect) : item;
    const problem = problemOf(operation.resource, record, masked);
    if (problem !== undefined) throw bad(`an item of an unexpected shape: ${problem}`);
    return isJsonObject(record) ? record : { id: record };
  });
  return { items: records, beside };
}

/** The list in a body, and the fields beside it; or what the body is instead, in words. Null may be a failure: it is no empty list. */
export function listIn(
  data: Json | undefined,
  { resource }: Pick<Operation, 'resource'>,
  { listKey }: Pick<Dialect, 'listKey'>,
): { items: Json[]; beside: JsonObject } | string {
  if (Array.isArray(data)) return { items: data, beside: {} };
  if (!isJsonObject(data)) return data === null ? 'null instead of a list' : data === undefined ? 'an empty body' : 'a single value';
  const declared = listKey === '' ? undefined : fieldAt(data, listKey);
  if (Array.isArray(declared)) {
    const inner = fieldAt(data, listKey.split('.').slice(0, -1).join('.'));
    return { items: declared, beside: without(isJsonObject(inner) ? { ...data, ...inner } : data, declared) };
  }
  const names = [...resourceNames[resource].many, ...wrappers].filter((name) => Object.hasOwn(data, name));
  const lists = names.filter((name) => Array.isArray(data[name]));
  const filled = lists.filter((name) => (data[name] as Json[]).length > 0);
  if (filled.length > 1) return `${filled.length} lists, under ${filled.map((name) => `"${name}"`).join(' and ')}`;
  const items = data[filled[0] ?? lists[0] ?? ''];
  if (Array.isArray(items)) return { items, beside: without(data, items) };
  const empty = names.find((name) => data[name] === null);
  return empty === undefined ? `an object without a list (fields: ${Object.keys(data).slice(0, 8).join(', ')})` : `null in "${empty}"`;
}

/** The fields beside a list. */
function without(object: JsonObject, list: Json[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== list));
}

/** Which setting finds the list in a body that shows none, or several. */
function adviceFor(data: Json | undefined): Sentence {
  const names = (object: JsonObject) => Object.keys(object).filter((key) => Array.isArray(object[key]));
  const own = isJsonObject(data) ? names(data) : [];
  const inner = isJsonObject(data)
    ? Object.entries(data).flatMap(([key, value]) => (isJsonObject(value) ? names(value).map((name) => `${key}.${name}`) : []))
    : [];
  const found = own.length > 0 ? own : inner;
  const [only] = found;
  if (only === undefined) return sentence`An empty list is [] or the status 204. Ask the operator of the service what this answer means.`;
  const set = sentence`proctor-cli ${typedCommand('config set dialect.listKey', [found.length === 1 ? only : 'NAME'])}`;
  return found.length === 1 ? sentence`If the list is in "${only}", set: ${set}` : sentence`Name the field of the list: ${set}`;
}

type Unsure = NonNullable<ListOptions['unsure']>;

/** What one client has found out about lists that do not show their end. */
export class Doubts {
  /** For each operation, the last question. Lists of other exams wait for its answer. */
  readonly #asked = new Map<string, Promise<unknown>>();
  /** For each operation, the most items of a list that was found to be whole: a page of it holds as many. */
  readonly #held = new Map<string, number>();
  readonly #warned = new Set<string>();
  readonly #warn: (text: Sentence) => void;

  constructor(warn: (text: Sentence) => void) {
    this.#warn = warn;
  }

  /** Throws, or warns, if the only page of a list is not shown to be the whole list. */
  async settle(listing: Listing, path: string, items: readonly JsonObject[], unsure: Unsure): Promise<void> {
    if (unsure === 'accept') return;
    const { id } = listing.operation;
    const doubt = await this.#about(listing, path, items.map(keyOf));
    if (!doubt) return;
    if (unsure === 'refuse') throw doubt;
    if (!this.#warned.has(id)) this.#warn(sentence`warning: ${doubt.message} ${doubt.hint ?? ''}`);
    this.#warned.add(id);
  }

  /** The error for a list of so many items that may not be whole; undefined for a whole one. */
  async #about(listing: Listing, path: string, keys: readonly string[]): Promise<CliError | undefined> {
    const { id } = listing.operation;
    const before = this.#asked.get(id);
    const asking = (async () => {
      await before?.catch(() => undefined);
      // A longer list may be a full page: what follows a shorter one is the same again at a service that repeats its last page.
      if (keys.length <= (this.#held.get(id) ?? 0)) return undefined;
      const { isWhole, way, words } = await lookBehind(path, keys, (asked) => keysOn(listing, asked));
      if (!isWhole) return doubtful(listing.where, keys.length, words, way);
      this.#held.set(id, keys.length);
      return undefined;
    })();
    this.#asked.set(id, asking);
    return asking;
  }
}

/** The keys of the items on a page, or why there are none. */
export async function keysOn(listing: Listing, path: string): Promise<readonly string[] | CliError> {
  try {
    return (await readPage(listing, path)).items.map(keyOf);
  } catch (error) {
    if (!(error instanceof CliError) || isInterruption(error)) throw error;
    return error;
  }
}

/** Says what is in doubt, and which setting brings the next page, or how to find out. */
function doubtful({ does }: Where, items: number, words: string, way: string | undefined): CliError {
  const what = sentence`The service's answer to the request to ${does} may not be the whole list: it has ${items} items and does not say whether there are more, and page 2 ${words}.`;
  const set = (value: string) => sentence`proctor-cli ${typedCommand('config set dialect.paging', [value])}`;
  const hint =
    way === undefined
      ? sentence`If the service shows each list on one page, set: ${set('none')}. Otherwise find out how the next page is requested: proctor-cli doctor`
      : way === 'offset'
        ? sentence`The service skips items by an offset. Set: ${set(way)}`
        : sentence`The service numbers its pages${way === 'page' ? '' : ' from 0'}. Set: ${set(way)}`;
  return new CliError('bad_answer', what, { hint });
}

/** The error of a list that fails after so many items were handed out, where it may be whole another time. */
function brokenOff(error: unknown, items: number): unknown {
  if (!(error instanceof CliError) || !temporary.has(error.code)) return error;
  const { code, message, status } = error;
  return new CliError(code, sentence`The list broke off after ${items} items. ${message}`, {
    cause: error,
    hint: 'The list printed so far is incomplete; run the command again.',
    ...(status === undefined ? {} : { status }),
  });
}

const temporary: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['network', 'timeout', 'unavailable', 'rate_limited']);

/** The warning for one answer to the request for a list that shows, or may mean, that there are more items: the command `api` prints it as it is. */
export function onePageWarning(
  listing: Pick<Listing, 'operation' | 'path' | 'dialect' | 'where'>,
  answer: ListAnswer,
): Sentence | undefined {
  const listed = listIn(answer.data, listing.operation, listing.dialect);
  if (typeof listed === 'string') return undefined;
  const items = listed.items.length;
  const page = { ...answer, beside: listed.beside, items, path: listing.path, number: 1, before: 0 };
  const paging = pagingFor(listing);
  const is =
    paging.style === 'auto' ? whatFollows(signalsIn(page), page, items).is : showsNext(paging, page, listing.where) ? 'more' : 'end';
  if (is === 'end' || is === 'unsure') return undefined;
  return sentence`warning: the answer may be only one page of the list: it has ${items} items. Commands such as sessions list read all pages; api prints one answer.`;
}

function showsNext(paging: Paging, page: Page, where: Where): boolean {
  try {
    return nextPath(paging, page, where) !== undefined;
  } catch (error) {
    if (error instanceof CliError) return true;
    throw error;
  }
}
