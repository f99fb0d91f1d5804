/** A list, page after page, to its end. One that is not whole is an error, never a shorter list. */
import { CliError, isInterruption } from '../errors.ts';
import { fieldAt, isJsonObject, type Json, type JsonObject, textOfJson } from '../model/json.ts';
import { maskSecretPairs } from '../model/secrets.ts';
import { typedCommand } from '../model/shell-quote.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { kindOf, problemOf, type Reply, saysNo, unwrapItem, wordsOf } from './answer.ts';
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
  /** Gets each page. */
  saw?(page: readonly JsonObject[]): void;
  warn?: ((text: Sentence) => void) | undefined;
};

/** How often a list that changes while its pages are read is read again. */
const readings = 3;

/** Pages in a row without a new item: one may be empty, but a list that never ends is an error. */
const emptyAtMost = 3;

/** Items may be missing. */
class ListChanged extends CliError<Sentence, Sentence> {
  constructor(where: Where) {
    super('bad_answer', notWhole(where, 'the list changed while its pages were read').message, {
      hint: sentence`Run the command again, or with --output json, which prints a list that was read as a whole.`,
    });
  }
}

/** The pages of a list. Throws `bad_answer` for one that is not whole. */
export async function* pagesOf(
  listing: Listing,
  doubts: Doubts,
  { whole = false, unsure = 'refuse' }: ListOptions,
): AsyncGenerator<JsonObject[], void> {
  for (let reading = 1; ; reading += 1) {
    const pages: JsonObject[][] = [];
    let printed = 0;
    try {
      for await (const page of eachPage(listing, doubts, unsure)) {
        if (whole) pages.push(page);
        else yield page;
        printed += whole ? 0 : page.length;
      }
      return yield* pages;
    } catch (error) {
      if (whole && error instanceof ListChanged && reading < readings) continue;
      throw printed === 0 ? error : brokenOff(error, printed);
    }
  }
}

/** The error of a list that fails after some of its items were handed out. */
function brokenOff(error: unknown, items: number): unknown {
  if (!(error instanceof CliError) || isInterruption(error)) return error;
  const { code, message, hint, status } = error;
  const what = sentence`The list broke off after ${items} items. ${message}`;
  return new CliError(code, what, { cause: error, hint: sentence`The list printed so far is incomplete. ${hint}`, status });
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
    if (fresh.length > 0 && !isPushed) throw new ListChanged(where);
    if (fresh.length === 0 && beyond instanceof CliError) throw beyond;
    const isAll = items.length > 0 && fresh.length === 0 && (!isPushed || items.length >= (page?.items ?? 0));
    page = { ...read, items: items.length, path, number: (page?.number ?? 0) + 1, before: page ? page.before + page.items : 0 };
    const shown = isAuto ? signalsIn(page) : undefined;
    const asked = paging.style === 'page' ? Number(paging.names[1]) + page.number - 1 : undefined;
    // A page that shows the number that was requested is another one: items that were added have pushed all of the last one there.
    const isAgain = isAll && (asked === undefined || shown?.page?.value !== asked);
    // A service that ignores the number of its next page has no pages.
    if (isAgain && isAuto && beyond === 'end' && page.number === 2) return;
    if (isAgain) throw notWhole(where, `its next page (${path}) has only items already read`);
    for (const item of fresh) seen.add(keyOf(item));
    count += fresh.length;
    listing.saw?.(fresh);
    yield fresh;
    withoutNews = fresh.length === 0 ? withoutNews + 1 : 0;
    if (withoutNews === emptyAtMost) throw notWhole(where, `${withoutNews} pages in a row had no new items`);
    if (shown) {
      if (promised.total && shown.total && shown.total.value < promised.total.value) throw new ListChanged(where);
      if (asked !== undefined && shown.page && shown.page.value !== asked)
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
export async function readPage({ operation, dialect, where, read }: Listing, path: string): Promise<Read> {
  const { status, headers, data } = await read(path);
  const bad = (what: string, hint?: Sentence) => badAnswer(where.does, status, what, hint);
  // Accepted, Multi-Status, Already Reported, IM Used: only a part was done.
  if ([202, 207, 208, 226].includes(status)) throw bad('a status that does not promise a whole list');
  if (data === undefined && status === 204) return { status, headers, items: [], beside: {} };
  const listed = listIn(data, operation, dialect);
  const [what, beside] = typeof listed === 'string' ? ['a failure', data] : ['a list and a failure', listed.beside];
  const again = sentence`Run the command again. If it fails again, report it to the operator of the service.`;
  if (saysNo(beside)) throw bad(`${what}: ${maskSecretPairs(wordsOf(beside)).replace(/\.$/, '')}`, again);
  if (typeof listed === 'string') throw bad(listed, adviceFor(data));
  const items = listed.items.map((item) => {
    const record = isJsonObject(item) ? unwrapItem(item, operation, dialect) : item;
    const problem = problemOf(operation.resource, record);
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
  if (!isJsonObject(data)) return `${kindOf(data)} instead of a list`;
  const names = Array.isArray(fieldAt(data, listKey)) ? [listKey] : [...resourceNames[resource].many, ...wrappers];
  const lists = names.flatMap((name) => {
    const items = fieldAt(data, name);
    return Array.isArray(items) ? [{ name, items }] : [];
  });
  const filled = lists.filter(({ items }) => items.length > 0);
  if (filled.length > 1) return `${filled.length} lists, under ${filled.map(({ name }) => `"${name}"`).join(' and ')}`;
  const list = filled[0] ?? lists[0];
  if (!list) return `an object without a list (fields: ${Object.keys(data).slice(0, 8).join(', ')})`;
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
    if (doubt && !this.#warned.has(id)) listing.warn?.(sentence`warning: ${doubt.message} ${doubt.hint}`);
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

/** How many items one answer to the request for a list has, if it shows that there are more: the command `api` prints it as it is. */
export function itemsOfPart(operation: Operation, dialect: Dialect, answer: ListAnswer): number | undefined {
  const listed = listIn(answer.data, operation, dialect);
  if (typeof listed === 'string') return undefined;
  const { items, beside } = listed;
  const { is } = whatFollows(signalsIn({ ...answer, beside }), { ...answer, items: items.length, number: 1 }, items.length);
  return is === 'more' || is === 'full' ? items.length : undefined;
}
