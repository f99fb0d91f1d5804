/** A list, page by page. One that is not whole is an error, never a shorter list. */
import { CliError, expected, orElse } from '../errors.ts';
import { fieldAt, isJsonObject, type Json, type JsonObject, textOfJson } from '../model/json.ts';
import { maskSecretPairs } from '../model/secrets.ts';
import { typedCommand } from '../model/shell-quote.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { badAnswer, jsonKind, type Reply, recordProblem, saysNo, textsInAnswer, unwrapItem } from './answer.ts';
import { type Dialect, resourceNames, wrappers } from './dialect.ts';
import type { Operation } from './operations.ts';
import {
  askForWay,
  type Cure,
  commandToSet,
  nextPath,
  notWhole,
  type Page,
  type Paging,
  pagingOf,
  type Signals,
  signalsIn,
  unheardIn,
  wayOfList,
  whatFollows,
  whatIsMissing,
} from './paging.ts';

export type ListAnswer = Pick<Reply, 'status' | 'headers' | 'data'>;

export type ListRequest = {
  operation: Operation;
  /** The path of the first page, below the base URL. */
  path: string;
  baseUrl: string;
  /** Continues "the request to …". */
  does: string;
  dialect: Dialect;
  read(path: string): Promise<ListAnswer>;
  warn(text: Sentence): void;
};

/** How often a list that changes is read, and how many pages in a row may have no new item. */
const [readings, emptyAtMost] = [3, 3];
/** A service that makes up new items for ever would be read for ever. */
const mostPages = 10_000;

const behindLast = sentence`${askForWay}. Behind the last page has to be an empty page, or 404.`;
const again = sentence`Run the command again, or with --output json, which prints a list that was read as a whole.`;
const listChanged = (listing: ListRequest) =>
  notWhole(listing, 'the list changed while its pages were read', { code: 'bad_answer', hint: again });
const largerPages = sentence`If it has so many, set larger pages: proctor-cli config set dialect.listQuery per_page=100`;
const report = sentence`Run the command again. If it fails again, report it to the operator of the service.`;
export const idField = sentence`Name the field of the ID: proctor-cli config set dialect.idKey FIELD`;
/** Another reading may have what this one lacks. */
const lost = { code: 'bad_answer', hint: report } as const;

/** Words beside the items of a page that may say that there are more; or `counted`: its total says that there are none. */
export type Beside = readonly string[] | 'counted';

/** Throws if a page whose items have these keys must not be taken for the whole list. */
export type Settle = (keys: readonly string[], beside: Beside) => Promise<unknown>;

/** `whole`: no page before all are read, again if the list changes meanwhile. Throws `bad_answer`, `list_in_doubt`. */
export async function* pagesOf(listing: ListRequest, whole: boolean, settle: Settle): AsyncGenerator<JsonObject[], void> {
  for (let reading = 1; ; reading += 1) {
    const pages: JsonObject[][] = [];
    let printed = 0;
    try {
      for await (const page of eachPage(listing, settle)) {
        if (whole) pages.push(page);
        else yield page;
        printed += page.length;
      }
      return yield* pages;
    } catch (thrown) {
      const error = expected(thrown);
      if (whole && error.hint === again && reading < readings) continue;
      if (whole || printed === 0) throw error;
      const hint = sentence`The list printed so far is incomplete. ${error.hint}`;
      const message = sentence`The list broke off after ${printed} items. ${error.message}`;
      throw new CliError(error.code, message, { cause: error, hint, status: error.status });
    }
  }
}

export async function* itemsOf<T>(pages: AsyncIterable<readonly T[]>): AsyncGenerator<T, void> {
  for await (const page of pages) yield* page;
}

/** The page behind one. `isGuess`: how it is requested. `mayEnd`: it need not exist. `absent`: the error if it does not. */
type NextPage = { isGuess: boolean; mayEnd: boolean; absent: CliError | undefined };

export async function* eachPage(listing: ListRequest, settle: Settle): AsyncGenerator<JsonObject[], void> {
  let paging = pagingFor(listing);
  const isAuto = paging.style === 'auto';
  const seen = new Set<string>();
  let promised: Pick<Signals, 'total' | 'pages'> = { total: undefined, pages: undefined };
  let page: Page | undefined;
  let withoutNews = 0;
  let next: NextPage = { isGuess: false, mayEnd: isCounted(paging), absent: undefined };
  for (let path: string | undefined = listing.path; path !== undefined; ) {
    const read: ReadPage | undefined = await orElse(readPage(listing, path), (error) => {
      if (page && next.mayEnd && error.code === 'not_found') return undefined;
      if (next.absent && ['bad_answer', 'rejected', 'not_found'].includes(error.code)) throw next.absent;
      if (!page || error.code !== 'rejected') throw error;
      throw notWhole(listing, `its next page (${path}) was refused (${error.status})`, { hint: behindLast });
    });
    if (!read) break;
    const { fresh, shows } = compare(read.items, seen, page, next);
    const shown = signalsIn(read);
    const isLess = (kind: 'total' | 'pages') => Number(shown[kind]?.value) < Number(promised[kind]?.value);
    // A total of no more than was read may be that of a page.
    const isShorter = isLess('pages') || (isLess('total') && Number(promised.total?.value) > seen.size);
    if (shows === 'changes' || isShorter) throw listChanged(listing);
    if (shows !== 'news' && next.absent) {
      // A service that ignores the number of its next page may count items.
      if (page?.number !== 1 || !next.isGuess || paging.style !== 'page') throw next.absent;
      paging = pagingOf('offset');
      path = nextPath(paging, page, listing);
      continue;
    }
    const number = (page?.number ?? 0) + 1;
    if (number > mostPages) throw notWhole(listing, `it goes on after ${mostPages} pages`, { hint: largerPages });
    page = { ...read, items: read.items.length, path, number, before: page ? page.before + page.items : 0 };
    // If it has not promised one, it has no pages.
    if (shows === 'the same' && isAuto && next.mayEnd && number === 2) return void (await settle([...seen], []));
    if (shows === 'the same') {
      const isShort = whatIsMissing({ ...promised, more: shown.more }, { ...page, number: 1 }, seen.size) !== undefined;
      const hint = isShort || number > 2 ? behindLast : onOnePage(listing);
      throw notWhole(listing, `its next page (${path}) has only items already read`, isAuto ? {} : { hint });
    }
    for (const item of fresh) seen.add(itemKey(item));
    yield fresh;
    withoutNews = shows === 'news' ? 0 : withoutNews + 1;
    if (withoutNews === emptyAtMost) throw notWhole(listing, `${withoutNews} pages in a row had no new items`);
    const signals = { ...shown, total: shown.total ?? promised.total, pages: shown.pages ?? promised.pages };
    promised = signals;
    if (isAuto) {
      const asked = Number(paging.names[1]) + number - 1;
      if (paging.style === 'page' && shown.page && shown.page.value !== asked)
        throw notWhole(listing, `page ${asked} was requested, but page ${shown.page.value} came`);
      const { is, way, missing } = whatFollows(signals, page, seen.size);
      if (is === 'unsure' || is === 'counted')
        await settle([...seen], is === 'counted' ? is : [...new Set([...unheardIn(page.beside), ...signals.unread])]);
      if (is === 'end' || is === 'unsure' || is === 'counted') return;
      if (paging.style === 'auto' && way === undefined) throw notWhole(listing, missing ?? '');
      if (paging.style === 'auto') paging = pagingOf(way ?? '');
      const isGuess = isCounted(paging) && !shown.page;
      const absent = missing === undefined ? undefined : notWhole(listing, missing, isGuess ? {} : lost);
      next = { isGuess, mayEnd: is === 'full', absent };
    }
    path = nextPath(paging, page, listing);
    if (path === undefined && isAuto) throw next.absent ?? notWhole(listing, 'it shows its next page in another way than before');
  }
  if (!page || paging.style === 'none') return;
  const number = Math.max(1, page.number - withoutNews);
  const missing = whatIsMissing({ ...promised, more: undefined }, { ...page, number }, seen.size);
  if (missing !== undefined) throw notWhole(listing, missing, lost);
}

/** The items of a page that none before it had, and what it shows beside what was read. */
function compare(items: readonly JsonObject[], seen: ReadonlySet<string>, page: Page | undefined, { isGuess }: NextPage) {
  const fresh = items.filter((item) => !seen.has(itemKey(item)));
  // A new item pushes the last ones onto the next page. If others come again, some may be skipped.
  const old = items.length - fresh.length;
  const last = old === 0 ? [] : [...seen].slice(-old);
  const isPushed = last.every((key, at) => key === itemKey(items[at] as JsonObject));
  // A service that ignores the number of its next page has shown the first one again, which is another one now.
  const isFirstAgain = isGuess && page?.number === 1 && old > 0;
  if (fresh.length > 0) return { fresh, shows: isPushed && !isFirstAgain ? 'news' : 'changes' } as const;
  const isSame = items.length > 0 && (!isPushed || items.length >= (page?.items ?? 0));
  return { fresh, shows: isSame ? 'the same' : 'nothing' } as const;
}

/** The hint for a list that does not know the declared way. */
function onOnePage({ dialect, operation }: ListRequest): Sentence {
  const set = commandToSet('none', dialect.paging, operation);
  return sentence`If the service shows this list on one page, set: proctor-cli ${set}; if not: ${askForWay}`;
}

function isCounted({ style }: Paging): boolean {
  return style === 'page' || style === 'offset';
}

/** The pool of proctors is one array (specification, 4.1), even if other lists have pages. */
function pagingFor({ operation, dialect }: ListRequest): Paging {
  const declared = pagingOf(wayOfList(dialect.paging, operation));
  return operation.resource === 'proctor' && isCounted(declared) ? pagingOf('auto') : declared;
}

/** What an item is recognised by: its ID, or all of it. */
export function itemKey(item: JsonObject): string {
  return textOfJson(item.id ?? item);
}

type ReadPage = Pick<Page, 'status' | 'headers' | 'beside'> & { items: JsonObject[] };

/** Throws the client's errors, and `bad_answer` for what is no list of the resource. */
export async function readPage(listing: ListRequest, path = listing.path): Promise<ReadPage> {
  const { operation, dialect, does, read } = listing;
  const { status, headers, data } = await read(path);
  const bad = (what: string, hint?: Sentence, cure?: Cure) => badAnswer(does, status, what, hint, cure);
  // Accepted, Multi-Status, Already Reported, IM Used.
  if ([202, 207, 208, 226].includes(status)) throw bad('a status that does not promise a whole list');
  if (data === undefined && status === 204) return { status, headers, items: [], beside: {} };
  const listed = listIn(data, operation, dialect);
  const isNone = typeof listed === 'string';
  const beside = isNone ? data : listed.beside;
  if (saysNo(beside)) {
    const words = maskSecretPairs(textsInAnswer(beside)).replace(/\.$/, '');
    throw bad(`${isNone ? 'a failure' : 'a list and a failure'}${words && `: ${words}`}`, report);
  }
  if (isNone) throw bad(listed, ...adviceFor(data, operation));
  const items = listed.items.map((item) => {
    const record = unwrapItem(item, operation, dialect);
    const problem = recordProblem(operation.resource, record);
    if (problem !== undefined) throw bad(`an item of an unexpected shape: ${problem}`);
    return isJsonObject(record) ? record : { id: record };
  });
  const ids = new Set(items.map(itemKey));
  const isTold = ids.size === items.length || ids.size === new Set(items.map(textOfJson)).size;
  if (!isTold) throw bad(`several items of one "${dialect.idKey}"`, idField);
  return { status, headers, items, beside: listed.beside };
}

/** The list in a body; or, in words, what the body is instead. */
export function listIn(
  data: Json | undefined,
  { resource }: Operation,
  { listKey }: Dialect,
): { items: Json[]; beside: JsonObject } | string {
  if (Array.isArray(data)) return { items: data, beside: {} };
  if (!isJsonObject(data)) return `${jsonKind(data)} instead of a list`;
  const { many }: { many: readonly string[] } = resourceNames[resource];
  const usual = [...many, ...wrappers];
  const listsAt = (names: readonly string[]) =>
    names.flatMap((name) => {
      const items = fieldAt(data, name);
      return Array.isArray(items) ? [{ name, items }] : [];
    });
  const outside = listsAt(Array.isArray(fieldAt(data, listKey)) ? [listKey] : usual);
  const inside = [...wrappers, listKey].flatMap((holder) => usual.map((name) => `${holder}.${name}`));
  const lists = outside.length > 0 ? outside : listsAt(inside);
  const filled = lists.filter(({ items }) => items.length > 0);
  if (filled.length > 1) return `${filled.length} lists, under ${filled.map(({ name }) => `"${name}"`).join(' and ')}`;
  const list = filled[0] ?? lists[0];
  if (!list) return `an object without a list (fields: ${Object.keys(data).slice(0, 8).join(', ')})`;
  const { name, items } = list;
  // The key that is declared for all lists may name another list here, such as that of the warnings.
  const own = many.find((one) => Array.isArray(data[one]) && data[one].length > 0);
  if (own !== undefined && items.length === 0 && !many.includes(name))
    return `2 lists, an empty one under "${name}" and one under "${own}"`;
  const holder = fieldAt(data, name.split('.').slice(0, -1).join('.'));
  const around = { ...data, ...(isJsonObject(holder) ? holder : {}) };
  const beside = Object.entries(around).filter(([key, value]) => value !== items && !name.startsWith(`${key}.`));
  return { items, beside: Object.fromEntries(beside) };
}

/** The advice for a body that shows no list, or several. */
function adviceFor(data: Json | undefined, { resource }: Operation): [hint: Sentence, cure?: Cure] {
  const body = isJsonObject(data) ? data : {};
  const usual: readonly string[] = resourceNames[resource].many;
  const found = Object.entries(body).flatMap(([key, value]) => {
    const inner = isJsonObject(value) ? Object.keys(value).filter((name) => Array.isArray(value[name])) : [];
    // The lists of the other resources are in the same field, under their own names.
    return Array.isArray(value) ? [key] : inner.map((name) => (usual.includes(name) ? key : `${key}.${name}`));
  });
  const [name] = found;
  if (name === undefined) return [sentence`An empty list is [] or the status 204. Ask the operator of the service what this answer means.`];
  // No words of the service's own stand in a hint.
  const only = found.length === 1 && /^\w[\w.-]{0,99}$/.test(name) ? name : undefined;
  const set = typedCommand('config set dialect.listKey', [only ?? 'NAME']);
  const hint = sentence`If one of its fields holds the list, set: proctor-cli ${set}`;
  // An empty list may be one of anything.
  const isNone = only === undefined || [fieldAt(body, only)].flat().length === 0;
  return isNone ? [hint] : [hint, { key: 'dialect.listKey', value: only }];
}
