/** A list, page after page, to its end. One that is not whole is an error, never a shorter list. */
import { CliError, isInterruption } from '../errors.ts';
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
  pagingOf,
  type Signals,
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
        count += whole ? 0 : page.length;
        if (whole) pages.push(page);
        else yield page;
      }
    } catch (error) {
      if (!(error instanceof ListChanged)) throw count === 0 ? error : brokenOff(error, count);
      if (whole && reading < readings) continue;
      const again = whole ? '' : ', or with --output json, which prints a list that was read as a whole';
      throw notWhole(listing.where, 'the list changed while its pages were read', sentence`Run the command again${again}.`);
    }
    return yield* pages;
  }
}

/** The error of a list that fails after some of its items were handed out. */
function brokenOff(error: unknown, items: number): unknown {
  if (!(error instanceof CliError) || isInterruption(error)) return error;
  const hint = sentence`The list printed so far is incomplete. ${error.hint}`;
  const details = { cause: error, hint, ...(error.status === undefined ? {} : { status: error.status }) };
  return new CliError(error.code, sentence`The list broke off after ${items} items. ${error.message}`, details);
}

/** The items of pages, one by one. */
export async function* itemsOf(pages: AsyncIterable<readonly JsonObject[]>): AsyncGenerator<JsonObject, void> {
  for await (const page of pages) yield* page;
}

async function* eachPage(listing: Listing, doubts: Doubts, unsure: ListOptions['unsure']): AsyncGenerator<JsonObject[], void> {
  const { where, dialect } = listing;
  let paging = pagingFor(listing);
  const isAuto = paging.style === 'auto';
  const seen = new Set<string>();
  let promised: Partial<Signals> = {};
  let page: Page | undefined;
  let count = 0;
  let withoutNews = 0;
  /** A page that does not exist is the end of the list, or the error for what promised it. */
  let beyond: 'end' | CliError | undefined = paging.style === 'page' || paging.style === 'offset' ? 'end' : undefined;
  for (let path: string | undefined = firstPath(listing.path, dialect.listQuery); path !== undefined; ) {
    const read: Read | CliError = await orError(readPage(listing, path));
    if (read instanceof CliError) {
      if (page && beyond === 'end' && read.code === 'not_found') return;
      throw beyond instanceof CliError && ['bad_answer', 'rejected', 'not_found'].includes(read.code) ? beyond : read;
    }
    const { items } = read;
    const fresh = items.filter((item) => !seen.has(keyOf(item)));
    // What was added pushes the last items read to the beginning of the next page. Any other that comes again shows that some may be skipped.
    const last = fresh.length === items.length ? [] : [...seen].slice(fresh.length - items.length);
    const isPushed = last.every((key, at) => key === keyOf(items[at] as JsonObject));
    if (fresh.length > 0 && !isPushed) throw new ListChanged();
    if (fresh.length === 0 && beyond instanceof CliError) throw beyond;
    const isAgain = items.length > 0 && fresh.length === 0 && (!isPushed || items.length >= (page?.items ?? 0));
    page = { ...read, items: items.length, path, number: (page?.number ?? 0) + 1, before: page ? page.before + page.items : 0 };
    // A service that ignores the number of its next page has no pages.
    if (isAgain && isAuto && beyond === 'end' && page.number === 2) return;
    if (isAgain) throw notWhole(where, `its next page (${path}) has only items already read`);
    for (const item of fresh) seen.add(keyOf(item));
    count += fresh.length;
    listing.saw?.(fresh);
    yield fresh;
    withoutNews = fresh.length === 0 ? withoutNews + 1 : 0;
    if (withoutNews === emptyAtMost) throw notWhole(where, `${withoutNews} pages in a row had no new items`);
    if (isAuto) {
      const shown = signalsIn(page);
      if (promised.total && shown.total && shown.total.value < promised.total.value) throw new ListChanged();
      const asked = Number(paging.names[1]) + page.number - 1;
      if (paging.style === 'page' && shown.page && shown.page.value !== asked)
        throw notWhole(where, `page ${asked} was requested, but page ${shown.page.value} came`);
      const signals = { ...shown, total: shown.total ?? promised.total, pages: shown.pages ?? promised.pages };
      const { is, way, missing = '' } = whatFollows(signals, page, count);
      if (is === 'unsure') await doubts.settle(listing, path, fresh.map(keyOf), unsure);
      if (is === 'end' || is === 'unsure') return;
      if (paging.style === 'auto' && way === undefined) throw notWhole(where, missing);
      if (paging.style === 'auto') paging = pagingOf(way ?? '');
      // A total that equals the number of items may be the number of items on this page.
      promised = { total: signals.total && signals.total.value > count ? signals.total : promised.total, pages: signals.pages };
      beyond = is === 'full' ? 'end' : missing === '' ? undefined : notWhole(where, missing);
    }
    path = nextPath(paging, page, where);
    if (path === undefined && isAuto)
      throw beyond instanceof CliError ? beyond : notWhole(where, 'it does not show its next page as before');
  }
}

/** The pool of proctors is one array (specification, 4.1), even if the service's other lists have numbered pages. */
function pagingFor({ operation, dialect }: Pick<Listing, 'operation' | 'dialect'>) {
  const declared = pagingOf(dialect.paging);
  return operation.resource === 'proctor' && (declared.style === 'page' || declared.style === 'offset') ? pagingOf('auto') : declared;
}

/** The value, or the error in its place. Rejects when the command was stopped. */
export function orError<T>(act: Promise<T>): Promise<T | CliError> {
  return act.catch((error: unknown) => {
    if (error instanceof CliError && !isInterruption(error)) return error;
    throw error;
  });
}

/** What stands for an item: its ID, or all of it where it has none. */
export function keyOf(item: JsonObject): string {
  return textOfJson(item.id ?? item);
}

/** The keys of the items on a page, or why there are none. */
export async function keysOn(listing: Listing, path: string): Promise<readonly string[] | CliError> {
  const read = await orError(readPage(listing, path));
  return read instanceof CliError ? read : read.items.map(keyOf);
}

/** The items of a page, and what came with them. */
type Read = Pick<Page, 'status' | 'headers' | 'beside'> & { items: JsonObject[] };

/** Requests one page. Throws the client's errors, and `bad_answer` for what is no list of the resource. */
export async function readPage({ operation, dialect, where, masked, read }: Listing, path: string): Promise<Read> {
  const { status, headers, data } = await read(path);
  const bad = (what: string, hint?: Sentence) => badAnswer(where.does, status, what, hint);
  // Accepted, Multi-Status, Already Reported, IM Used: only a part was done.
  if ([202, 207, 208, 226].includes(status)) throw bad('a status that does not promise a whole list');
  if (data === undefined && status === 204) return { status, headers, items: [], beside: {} };
  const listed = listIn(data, operation, dialect);
  const [what, beside] = typeof listed === 'string' ? ['a failure', data] : ['a list and a failure', listed.beside];
  const again = sentence`Run the command again. If it fails again, report it to the operator of the service.`;
  if (saysNo(beside)) throw bad(`${what}: ${masked(wordsOf(beside)).replace(/\.$/, '')}`, again);
  if (typeof listed === 'string') throw bad(listed, adviceFor(data));
  const items = listed.items.map((item) => {
    const record = isJsonObject(item) ? unwrapItem(item, operation, dialect) : item;
    const problem = problemOf(operation.resource, record, masked);
    if (problem !== undefined) throw bad(`an item of an unexpected shape: ${problem}`);
    return isJsonObject(record) ? record : { id: record };
  });
  return { status, headers, items, beside: listed.beside };
}

/** The list in a body, and the fields beside it; or what the body is instead, in words. Null may be a failure: it is no empty list. */
export function listIn(
  data: Json | undefined,
  { resource }: Pick<Operation, 'resource'>,
  { listKey }: Pick<Dialect, 'listKey'>,
): { items: Json[]; beside: JsonObject } | string {
  if (Array.isArray(data)) return { items: data, beside: {} };
  if (!isJsonObject(data)) return data === null ? 'null instead of a list' : data === undefined ? 'an empty body' : 'a single value';
  const names = Array.isArray(fieldAt(data, listKey)) ? [listKey] : [...resourceNames[resource].many, ...wrappers];
  const lists = names.flatMap((name) => {
    const items = fieldAt(data, name);
    return Array.isArray(items) ? [{ name, items }] : [];
  });
  const filled = lists.filter(({ items }) => items.length > 0);
  if (filled.length > 1) return `${filled.length} lists, under ${filled.map(({ name }) => `"${name}"`).join(' and ')}`;
  const empty = names.find((name) => data[name] === null);
  const list = filled[0] ?? lists[0];
  if (!list)
    return empty === undefined ? `an object without a list (fields: ${Object.keys(data).slice(0, 8).join(', ')})` : `null in "${empty}"`;
  const { name, items } = list;
  const holder = fieldAt(data, name.split('.').slice(0, -1).join('.'));
  const beside = Object.entries({ ...data, ...(isJsonObject(holder) ? holder : {}) }).filter(([, value]) => value !== items);
  return { items, beside: Object.fromEntries(beside) };
}

/** Which setting finds the list in a body that shows none, or several. */
function adviceFor(data: Json | undefined): Sentence {
  const found = Object.entries(isJsonObject(data) ? data : {}).flatMap(([key, value]) => {
    const inner = isJsonObject(value) ? Object.keys(value).filter((name) => Array.isArray(value[name])) : [];
    return Array.isArray(value) ? [key] : inner.map((name) => `${key}.${name}`);
  });
  const [name] = found;
  if (name === undefined) return sentence`An empty list is [] or the status 204. Ask the operator of the service what this answer means.`;
  const set = typedCommand('config set dialect.listKey', [found.length === 1 ? name : 'NAME']);
  return sentence`If one of its fields holds the list, set: proctor-cli ${set}`;
}

/** What one client has found out about lists that do not show their end. */
export class Doubts {
  /**
   * For each operation, its last question, for whose answer lists of other exams wait. `held`: the most items of a list that was found to
   * be whole: a page of it holds as many. A longer list may be a full page: what follows a shorter one is the same again at a service
   * that repeats its last page.
   */
  readonly #asked = new Map<string, Promise<{ held: number; doubt?: CliError }>>();
  readonly #warned = new Set<string>();
  readonly #warn: (text: Sentence) => void;

  constructor(warn: (text: Sentence) => void) {
    this.#warn = warn;
  }

  /** Throws, or warns, if the only page of a list is not shown to be the whole list. */
  async settle(listing: Listing, path: string, keys: readonly string[], unsure: ListOptions['unsure']): Promise<void> {
    if (unsure === 'accept') return;
    const { id } = listing.operation;
    const before = this.#asked.get(id) ?? Promise.resolve({ held: 0 });
    const asking = before.then(async ({ held }) => {
      if (keys.length <= held) return { held };
      const { isWhole, way, words } = await lookBehind(path, keys, (asked) => keysOn(listing, asked));
      return isWhole ? { held: keys.length } : { held, doubt: doubtful(listing.where, keys.length, words, way) };
    });
    this.#asked.set(id, asking);
    const { doubt } = await asking;
    if (doubt && unsure === 'refuse') throw doubt;
    if (doubt && !this.#warned.has(id)) this.#warn(sentence`warning: ${doubt.message} ${doubt.hint}`);
    if (doubt) this.#warned.add(id);
  }
}

/** Says what is in doubt, and which setting brings the next page, or how to find out. */
function doubtful({ does }: Where, items: number, words: string, way: string | undefined): CliError {
  const what = sentence`The service's answer to the request to ${does} may not be the whole list: it has ${items} items and does not say whether there are more, and page 2 ${words}.`;
  const set = sentence`proctor-cli ${typedCommand('config set dialect.paging', [way ?? 'none'])}`;
  const onePage = sentence`If the service shows each list on one page, set: ${set}. Otherwise find out how the next page is requested: proctor-cli doctor`;
  const hint = way === undefined ? onePage : sentence`The service shows long lists on several pages. Set: ${set}`;
  return new CliError('bad_answer', what, { hint });
}

/** The warning for one answer to the request for a list that shows, or may mean, that there are more items: the command `api` prints it as it is. */
export async function onePageWarning(
  listing: Pick<Listing, 'operation' | 'path' | 'dialect' | 'where'>,
  answer: ListAnswer,
): Promise<Sentence | undefined> {
  const listed = listIn(answer.data, listing.operation, listing.dialect);
  if (typeof listed === 'string') return undefined;
  const items = listed.items.length;
  const page = { ...answer, beside: listed.beside, items, path: listing.path, number: 1, before: 0 };
  const paging = pagingFor(listing);
  const { is } = whatFollows(signalsIn(page), page, items);
  const next = await orError((async () => nextPath(paging, page, listing.where))());
  if (paging.style === 'auto' ? is === 'end' || is === 'unsure' : next === undefined) return undefined;
  return sentence`warning: the answer may be only one page of the list: it has ${items} items. Commands such as sessions list read all pages; api prints one answer.`;
}
