/** A list, page after page. One that ends early is an error, never a shorter list. */
import { CliError, type ErrorCode, isInterruption } from '../errors.ts';
import type { JsonObject } from '../model/json.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import type { Dialect } from './dialect.ts';
import { type Page, type PageReading, readPage } from './list-page.ts';
import type { Operation } from './operations.ts';
import type { PageProbe } from './page-probe.ts';
import { cut, firstPage, ListChanged, type PageRequest, pageAfter } from './paging.ts';
import type { Outgoing } from './request.ts';
import { keyOf, SeenPages } from './seen-pages.ts';
import { TransportFailure } from './transport-failure.ts';
import type { Wire } from './wire.ts';

export type ListOptions = {
  /** The items come page after page; otherwise once the whole list was read. */
  stream?: boolean;
  /** Nothing is retried. */
  once?: boolean;
  /** Retries are not reported. */
  quiet?: boolean;
  /** Each address must be text, or the list fails. */
  addressed?: boolean;
  /**
   * How a list is treated that may not be whole. `refuse`: it fails, for whatever decides by it. `warn`: a person reads it, and is
   * warned. `accept`: it only completes what a person types.
   */
  unsure?: 'refuse' | 'warn' | 'accept';
};

/** A list to read, and through what. */
type Listing = { wire: Wire; operation: Operation; outgoing: Outgoing; probe: PageProbe };

/** How often a list that changes while its pages are read is read again. */
const readings = 3;

/** Pages in a row without a new item: one may be empty, but a list that never ends is an error. */
const emptyAtMost = 3;

/** The items of a list. Throws `bad_answer` for a list that is not whole. */
export async function* readList(listing: Listing, options: ListOptions): AsyncGenerator<JsonObject[], void> {
  if (options.stream) return yield* pagesOf(listing, options);
  for (let reading = 1; ; reading += 1) {
    const pages: JsonObject[][] = [];
    try {
      for await (const items of pagesOf(listing, options)) pages.push(items);
    } catch (error) {
      if (!(error instanceof ListChanged)) throw error;
      if (options.once || reading === readings) throw changed(listing, sentence`Run the command again.`);
      continue;
    }
    return yield* pages;
  }
}

async function* pagesOf(listing: Listing, options: ListOptions): AsyncGenerator<JsonObject[], void> {
  const { wire, operation, outgoing } = listing;
  const { dialect, origin, baseUrl } = wire.connection;
  const where = {
    dialect: { ...dialect, paging: pagingOf(operation, dialect) },
    origin,
    basePath: new URL(baseUrl).pathname,
    does: outgoing.does,
  };
  const seen = new SeenPages();
  let count = 0;
  let withoutNews = 0;
  try {
    for (let request: PageRequest | undefined = firstPage(outgoing.path, dialect); request; ) {
      const page = await existing(readPage(requestOf(listing, request.path, options)), request);
      if (!page) return;
      const items = page.items.length;
      let fresh = page.items;
      if (request.number === 1) seen.first(fresh, { kept: true });
      else {
        const further = seen.further(fresh);
        // A service that ignores the number of its next page has no pages.
        if (further === 'again' && request.number === 2 && request.beyond === 'end' && where.dialect.paging === 'auto') return;
        fresh = newOf(further, request, where);
      }
      count += fresh.length;
      yield fresh;
      withoutNews = items === 0 || (fresh.length === 0 && request.number > 1) ? withoutNews + 1 : 0;
      if (items === 0 && request.beyond instanceof CliError) throw request.beyond;
      if (withoutNews === emptyAtMost) throw cut(where, `${withoutNews} pages in a row had no new items`);
      const next: ReturnType<typeof pageAfter> = pageAfter({ ...request, ...page.came, items }, count, where);
      if (next === 'unsure') await makeSure(listing, request.path, fresh, options);
      request = next === 'unsure' ? undefined : next;
    }
  } catch (error) {
    if (!options.stream || count === 0) throw wire.explain(error, outgoing);
    if (error instanceof ListChanged) throw changed(listing, wholeFirst);
    throw brokenOff(wire, error, outgoing, count);
  }
}

function requestOf({ wire, operation, outgoing }: Listing, path: string, options: ListOptions): PageReading {
  return { wire, operation, outgoing: { ...outgoing, path }, addressed: false, once: false, quiet: false, ...options };
}

const wholeFirst = sentence`Run the command again, or with --output json, which prints a list that was read as a whole.`;

/** The pool of proctors is one array (specification, 4.1), even if the service's other lists have numbered pages. */
function pagingOf({ resource }: Operation, { paging }: Dialect): string {
  return resource === 'proctor' && /^(page|offset)\b/.test(paging) ? 'auto' : paging;
}

/** A page; undefined where it does not exist and need not. */
async function existing(read: Promise<Page>, { beyond }: PageRequest): Promise<Page | undefined> {
  try {
    return await read;
  } catch (error) {
    if (!(error instanceof CliError) || beyond === undefined) throw error;
    if (beyond === 'end' && error.code === 'not_found') return undefined;
    throw beyond instanceof CliError && refusals.has(error.code) ? beyond : error;
  }
}

const refusals: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['bad_answer', 'rejected', 'not_found']);

/** What is new on a further page. Throws `ListChanged`, and `bad_answer` for a page that came before. */
function newOf(fresh: ReturnType<SeenPages['further']>, { beyond, path }: PageRequest, where: { does: string }): JsonObject[] {
  if (fresh === 'changed') throw new ListChanged();
  if (fresh !== 'again') return fresh;
  throw beyond instanceof CliError ? beyond : cut(where, `its next page (${path}) has only items already read`);
}

/** Throws, or warns, if the only page of a list does not show that it is the last one. */
async function makeSure(listing: Listing, path: string, items: readonly JsonObject[], options: ListOptions) {
  const { unsure = 'refuse' } = options;
  if (unsure === 'accept') return;
  const { wire, operation, outgoing, probe } = listing;
  const keysOf = (page: readonly JsonObject[]) => page.map((item) => keyOf(item));
  const doubt = await probe.doubt(operation, outgoing.does, path, keysOf(items), async (asked) => {
    try {
      return keysOf((await readPage(requestOf(listing, asked, options))).items);
    } catch (error) {
      const explained = wire.explain(error, outgoing);
      if (explained instanceof CliError && !isInterruption(explained)) return explained;
      throw explained;
    }
  });
  if (doubt && unsure === 'refuse') throw doubt;
  if (doubt && probe.warns(operation)) wire.connection.warn?.(sentence`warning: ${doubt.message} ${doubt.hint ?? ''}`);
}

function changed({ outgoing }: Listing, hint: Sentence): CliError {
  return cut(outgoing, 'the list changed while its pages were read', hint);
}

/** The error of a list that fails after `items` items were handed out. */
function brokenOff(wire: Wire, error: unknown, outgoing: Outgoing, items: number): Error {
  const hint = 'The list printed so far is incomplete; run the command again.';
  if (error instanceof TransportFailure && error.kind !== 'interrupted') {
    const code = error.kind === 'timeout' ? 'timeout' : 'network';
    return new CliError(code, sentence`The list broke off after ${items} items: ${error.message}.`, { cause: error, hint });
  }
  const explained = wire.explain(error, outgoing);
  // A later page was requested in vain.
  if (!(explained instanceof CliError) || !temporary.has(explained.code)) return explained;
  const { code, message, status } = explained;
  const what = sentence`The list broke off after ${items} items. ${message}`;
  return new CliError(code, what, { cause: explained, hint, ...(status === undefined ? {} : { status }) });
}

const temporary: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['network', 'timeout', 'unavailable', 'rate_limited']);
