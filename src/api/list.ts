/** A list, page after page, split into items while it arrives; one that ends early is an error, never a shorter list. */
import { CliError } from '../errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import { parseSize } from '../model/size.ts';
import { sentence } from '../text/sentence.ts';
import { brokenJson, isSuccess, textOf, tooLarge } from './answer.ts';
import { type Dialect, listNames } from './dialect.ts';
import { badAnswer } from './errors.ts';
import type { HttpAnswer } from './http.ts';
import { JsonItems, NotAList, TooLarge } from './json-items.ts';
import type { Odd } from './oddities.ts';
import type { Operation } from './operations.ts';
import { firstPage, type ListPage, pageAfter, stuck } from './paging.ts';
import { KeyedItems, recordOf } from './records.ts';
import type { Outgoing } from './request.ts';
import { tries } from './retry.ts';
import { SeenItems } from './seen-items.ts';
import type { Slots } from './slots.ts';
import { heldBack, type SmallList, smallList } from './small-list.ts';
import { TransportFailure } from './transport-failure.ts';
import type { Wire } from './wire.ts';

/** `relyOn`: fields that must have the expected type, or the list fails. */
export type ListOptions = { stream?: boolean; once?: boolean; relyOn?: readonly string[] };

/** The part of a list that is split at once: few items are in memory at a time. Bytes. */
const portion = 8 << 10;

/** A body of this size is no burden as a whole. Bytes. */
const heldAtMost = 1 << 20;

export async function* readList(
  wire: Wire,
  operation: Operation,
  outgoing: Outgoing,
  { stream = false, once = false, relyOn = [], slots }: ListOptions & { slots?: Slots | undefined },
): AsyncGenerator<JsonObject[], void> {
  const { dialect } = wire.connection;
  const names = listNames(operation.resource, dialect);
  const sending = { attempts: once ? 1 : tries, inSteps: true, slots };
  const news = new News(outgoing.does, dialect, { atOnce: stream });
  let page: ListPage | undefined = firstPage(outgoing.path, dialect);
  let count = 0;
  while (page) {
    const current: ListPage = page;
    const request = { ...outgoing, path: current.path };
    const hold = stream ? 0 : mostHeld(dialect);
    const read = (answer: HttpAnswer) =>
      itemsOf(wire, operation, request, answer, { items: itemReader(names, dialect), hold, page: current, news, relyOn, slots });
    if (stream) {
      try {
        const answered = await wire.repeat(request, (answer) => opened(wire, request, answer), sending);
        for await (const batch of read(answered)) {
          count += batch.length;
          yield batch;
        }
      } catch (error) {
        throw instead(current, error) ?? brokenOff(wire, error, request, count);
      }
    } else {
      const whole = async (answer: HttpAnswer) => {
        const all: JsonObject[][] = [];
        for await (const batch of read(await opened(wire, request, answer))) all.push(batch);
        return all.length === 1 ? (all[0] as JsonObject[]) : all.flat();
      };
      const items = await wire.repeat(request, whole, sending).catch((error: unknown) => {
        throw instead(current, error) ?? error;
      });
      count += items.length;
      yield items;
    }
    page = pageAfter(current, count, {
      dialect,
      origin: wire.connection.origin,
      basePath: new URL(wire.connection.baseUrl).pathname,
      does: outgoing.does,
    });
    if (page) news.endPage();
  }
}

function itemReader(
  names: readonly string[],
  { listForm, idKey, largestItem, largestHead, largestObject }: Dialect,
): JsonItems | KeyedItems {
  if (listForm === 'map') return new KeyedItems(names, idKey, parseSize(largestObject));
  return new JsonItems(names, { item: parseSize(largestItem), head: parseSize(largestHead) });
}

/** How much of a body is held back, so that it can be parsed at once: no more than any of its parts may have. Bytes. */
function mostHeld({ listForm, largestItem, largestHead }: Dialect): number {
  return listForm === 'map' ? 0 : Math.min(parseSize(largestItem), parseSize(largestHead), heldAtMost);
}

/** An answer whose body is worth reading as a list; any other is an error. */
async function opened(wire: Wire, outgoing: Outgoing, answer: HttpAnswer): Promise<HttpAnswer> {
  const type = answer.headers['content-type'] ?? '';
  if (isSuccess(answer) && !/html/i.test(type)) return answer;
  const text = await textOf(answer, outgoing, wire.connection.dialect);
  if (!isSuccess(answer)) throw wire.errorFor(outgoing, answer, text);
  throw badAnswer(outgoing.does, answer.status, 'HTML instead of JSON', { html: wire.connection.secrets.maskedWords(text) });
}

/** `hold`: bytes of a body that are held back. */
type Reading = {
  items: JsonItems | KeyedItems;
  hold: number;
  page: ListPage;
  news: News;
  relyOn: readonly string[];
  slots: Slots | undefined;
};

async function* itemsOf(
  wire: Wire,
  operation: Operation,
  outgoing: Outgoing,
  answer: HttpAnswer,
  { items, hold, page, news, relyOn, slots }: Reading,
): AsyncGenerator<JsonObject[]> {
  const { dialect, secrets } = wire.connection;
  const odd: Odd[] = [];
  const check = (item: Json): JsonObject => {
    const record = isJsonObject(item) ? recordOf(item, operation.resource, dialect) : item;
    const problem = wire.oddities.problemOf(operation.resource, record, odd, relyOn);
    if (problem !== undefined) throw badAnswer(outgoing.does, answer.status, `an item of an unexpected shape: ${problem}`);
    return isJsonObject(record) ? record : { [dialect.idKey]: record };
  };
  const take = (batch: readonly Json[], text?: string): JsonObject[] => {
    const clean = text !== undefined && !secrets.mayStandIn(text);
    const checked = batch.map((item) => check(clean ? item : wire.unsecret(item)));
    news.take(checked);
    page.items = (page.items ?? 0) + batch.length;
    return checked;
  };
  function* inPortions(bytes: Buffer) {
    for (let at = 0; at < bytes.length; at += portion) {
      const batch = items.push(bytes.subarray(at, at + portion));
      if (batch.length === 0) continue;
      answer.progress();
      yield take(batch, items.text);
    }
  }
  page.items = 0;
  news.beginPage();
  try {
    let small: SmallList | undefined;
    for await (const { bytes, whole } of heldBack(answer, hold)) {
      if (whole) await slots?.whenSent();
      small = whole ? smallList(bytes) : undefined;
      if (small) yield take(small.items, small.text);
      else yield* inPortions(bytes);
    }
    const last = small ? [] : items.end();
    if (last.length > 0) yield take(last);
  } catch (error) {
    if (error instanceof NotAList) throw badAnswer(outgoing.does, answer.status, error.message);
    if (error instanceof SyntaxError) throw badAnswer(outgoing.does, answer.status, brokenJson(error));
    if (error instanceof TooLarge) throw tooLarge(outgoing, answer, error.message, error.key);
    throw error;
  }
  wire.oddities.tell(operation.resource, odd);
  page.headers = answer.headers;
  page.siblings = items.siblings;
}

/**
 * Checks that a list makes progress: no page starts like an earlier one, and only a few pages in a row have no new item.
 * Most lists have one page, whose items need not be remembered: they are when another page follows.
 */
class News {
  readonly #does: string;
  readonly #dialect: Dialect;
  #seen: SeenItems | undefined;
  #held: (readonly JsonObject[])[] = [];
  readonly #atOnce: boolean;
  readonly #firsts = new Set<string>();
  #first: string | undefined;
  #fresh = 0;
  #without = 0;
  #open = false;
  #again = false;

  /** `atOnce`: the items of a page are not held until its end, because there may be more than memory has room for. */
  constructor(does: string, dialect: Dialect, { atOnce }: { atOnce: boolean }) {
    this.#does = does;
    this.#dialect = dialect;
    this.#atOnce = atOnce;
  }

  /** Before a page is read again after a failure. */
  beginPage() {
    this.#again = this.#open;
    this.#open = true;
    this.#first = undefined;
    this.#fresh = 0;
    this.#held = [];
  }

  take(items: readonly JsonObject[]) {
    const [first] = items;
    if (first && this.#first === undefined) this.#begin(this.#keyOf(first));
    if (this.#atOnce) this.#count(items);
    else this.#held.push(items);
  }

  #begin(key: string | undefined) {
    if (key !== undefined && this.#firsts.has(key)) {
      throw stuck(
        this.#does,
        `the same page came twice, beginning with ${key}; the service does not seem to know the parameter that requests the next one`,
        'pageParameter',
      );
    }
    this.#first = key ?? '';
  }

  #count(items: readonly JsonObject[]) {
    this.#seen ??= new SeenItems();
    for (const item of items) {
      const key = this.#keyOf(item);
      if (key === undefined || this.#seen.add(key)) this.#fresh += 1;
    }
  }

  #keyOf(item: JsonObject): string | undefined {
    const id = item[this.#dialect.idKey];
    return id === undefined || id === null ? undefined : String(id);
  }

  endPage() {
    this.#open = false;
    for (const items of this.#held.splice(0)) this.#count(items);
    if (this.#first) this.#firsts.add(this.#first);
    // On the second read of a page no item is new.
    this.#without = this.#fresh > 0 || this.#again ? 0 : this.#without + 1;
    if (this.#without >= Number(this.#dialect.pagesWithoutNews)) {
      throw stuck(this.#does, `${this.#without} pages in a row had no new items`, 'pagesWithoutNews');
    }
  }
}

/** The error of a page that only a total implies: the service does not accept its number. */
function instead({ otherwise }: ListPage, error: unknown): CliError | undefined {
  return error instanceof CliError && ['bad_answer', 'rejected', 'not_found'].includes(error.code) ? otherwise : undefined;
}

/** The error of a list that fails after `items` items were handed out. */
function brokenOff(wire: Wire, error: unknown, outgoing: Outgoing, items: number): Error {
  if (items === 0 || !(error instanceof TransportFailure) || error.kind === 'interrupted') return wire.explain(error, outgoing);
  return new CliError(
    error.kind === 'timeout' ? 'timeout' : 'network',
    sentence`The list broke off after ${items} items: ${error.message}.`,
    {
      cause: error,
      hint: 'The list printed so far is incomplete; run the command again.',
    },
  );
}
