/** A list, page after page, split into items while it arrives; one that ends early is an error, never a shorter list. */
import { CliError, type ErrorCode } from '../errors.ts';
import { fieldAt, isJsonObject, type Json, type JsonObject, stringifyJson } from '../model/json.ts';
import { parseSize } from '../model/size.ts';
import { sentence } from '../text/sentence.ts';
import { goneSince, notIn } from './another-reading.ts';
import { brokenJson, isSuccess, textOf, tooLarge } from './answer.ts';
import { type Dialect, listNames } from './dialect.ts';
import { refusalOfEmpty } from './empty-list.ts';
import { detailOf } from './error-words.ts';
import { badAnswer } from './errors.ts';
import type { HttpAnswer } from './http.ts';
import { JsonItems, NotAList, TooLarge } from './json-items.ts';
import type { Odd } from './oddities.ts';
import type { Operation } from './operations.ts';
import { changing, firstPage, ignoreLine, ListChanged, type ListPage, pageAfter, unidentified } from './paging.ts';
import { KeyedItems, recordOf } from './records.ts';
import type { Outgoing } from './request.ts';
import { tries } from './retry.ts';
import type { SeenItems } from './seen-items.ts';
import { SeenPages } from './seen-pages.ts';
import type { Slots } from './slots.ts';
import { heldBack, type SmallList, smallList } from './small-list.ts';
import { TransportFailure } from './transport-failure.ts';
import { saysNo } from './verdict.ts';
import type { Wire } from './wire.ts';

/** `relyOn`: fields that must have the expected type, or the list fails. */
export type ListOptions = { stream?: boolean; once?: boolean; relyOn?: readonly string[] };

/** The part of a list that is split at once: few items are in memory at a time. Bytes. */
const portion = 8 << 10;

/** A body of this size is no burden as a whole. Bytes. */
const heldAtMost = 1 << 20;

/** How often a list that changes while its pages are read is read again. */
const readings = 3;

/**
 * The items of a list, page after page if it is streamed, otherwise once the whole list was read. A list that changes
 * while its pages are read is read again; a streamed one then continues with the items that were not handed out yet.
 * Throws `bad_answer` for a list that is not whole.
 */
export async function* readList(
  wire: Wire,
  operation: Operation,
  outgoing: Outgoing,
  options: ListOptions & { slots?: Slots | undefined },
): AsyncGenerator<JsonObject[], void> {
  const { dialect } = wire.connection;
  let given: SeenItems | undefined;
  for (let reading = 1; ; reading += 1) {
    const pages: JsonObject[][] = [];
    const seen = new SeenPages(outgoing.does, dialect);
    try {
      for await (const items of pagesOf(wire, operation, outgoing, seen, { ...options, given: given?.size ?? 0 })) {
        if (!options.stream) pages.push(items);
        else yield given ? notIn(given, items, dialect) : items;
      }
    } catch (error) {
      if (!(error instanceof ListChanged)) throw error;
      if (options.once || reading === readings) throw changing(outgoing.does);
      if (options.stream && !seen.identified) throw unidentified(outgoing.does, dialect);
      if (options.stream) given ??= seen.items;
      continue;
    }
    yield* pages;
    if (given && given.size > seen.items.size) wire.connection.warn?.(goneSince(given, seen.items, operation.resource));
    return;
  }
}

async function* pagesOf(
  wire: Wire,
  operation: Operation,
  outgoing: Outgoing,
  seen: SeenPages,
  { stream = false, once = false, relyOn = [], slots, given }: ListOptions & { slots?: Slots | undefined; given: number },
): AsyncGenerator<JsonObject[], void> {
  const { dialect } = wire.connection;
  const names = listNames(operation.resource, dialect);
  const sending = { attempts: once ? 1 : tries, inSteps: true, slots };
  let page: ListPage | undefined = firstPage(outgoing.path, dialect);
  let count = 0;
  while (page) {
    const current: ListPage = page;
    const request = { ...outgoing, path: current.path };
    // Only the first page is handed out while it arrives: what comes after it is compared with what was there.
    const arriving = stream && current.number === 1;
    const hold = arriving ? 0 : mostHeld(dialect);
    const read = (answer: HttpAnswer) =>
      itemsOf(wire, operation, request, answer, { items: itemReader(names, dialect), names, hold, page: current, relyOn, slots });
    if (arriving) {
      try {
        const answered = await wire.repeat(request, (answer) => opened(wire, request, answer), sending);
        for await (const batch of read(answered)) {
          count += batch.length;
          seen.arrived(batch);
          yield batch;
        }
      } catch (error) {
        throw brokenOff(wire, error, request, Math.max(given, count));
      }
    } else {
      const whole = async (answer: HttpAnswer) => {
        const all: JsonObject[][] = [];
        for await (const batch of read(await opened(wire, request, answer))) all.push(batch);
        return all.length === 1 ? (all[0] as JsonObject[]) : all.flat();
      };
      const items = await wire.repeat(request, whole, sending).catch((error: unknown) => {
        if (current.doubt && isRefusal(error)) return undefined;
        throw current.otherwise && isRefusal(error)
          ? current.otherwise
          : stream
            ? brokenOff(wire, error, request, Math.max(given, count))
            : error;
      });
      if (items === undefined) return;
      const fresh = seen.fresh(items, current);
      if (fresh === undefined) return;
      count += fresh.length;
      yield fresh;
    }
    page = pageAfter(current, count, {
      dialect,
      origin: wire.connection.origin,
      basePath: new URL(wire.connection.baseUrl).pathname,
      does: outgoing.does,
    });
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

/** Successes with which only a part was done: Accepted, Multi-Status, Already Reported, IM Used. */
const notYetWhole = new Set([202, 207, 208, 226]);

/** An answer whose body is worth reading as a list; any other is an error. */
async function opened(wire: Wire, outgoing: Outgoing, answer: HttpAnswer): Promise<HttpAnswer> {
  const type = answer.headers['content-type'] ?? '';
  if (isSuccess(answer) && !/html/i.test(type)) {
    if (notYetWhole.has(answer.status)) throw badAnswer(outgoing.does, answer.status, 'a status that does not promise a whole list');
    return answer;
  }
  const text = await textOf(answer, outgoing, wire.connection.dialect);
  if (!isSuccess(answer)) throw wire.errorFor(outgoing, answer, text);
  throw badAnswer(outgoing.does, answer.status, 'HTML instead of JSON', { html: wire.connection.secrets.maskedWords(text) });
}

/** Throws if the answer says that it failed, or has another list. */
function refuseOtherwise(wire: Wire, siblings: JsonObject, names: readonly string[], outgoing: Outgoing, answer: HttpAnswer) {
  const { dialect, secrets } = wire.connection;
  // Of a list, `done: false` says that there is more.
  const { done: _, ...said } = siblings;
  if (saysNo(said, { reads: true, isResource: (object) => object[dialect.idKey] !== undefined })) {
    const detail = detailOf(secrets.maskedWords(stringifyJson(said)), answer, dialect).replace(/\.$/, '');
    throw badAnswer(outgoing.does, answer.status, `a list and a failure: ${detail}`);
  }
  const lists = names.filter((name) => Array.isArray(fieldAt(siblings, name)));
  // The items of the list that was read are not among its siblings.
  if (lists.every((name) => (fieldAt(siblings, name) as Json[]).length === 0)) return;
  throw badAnswer(outgoing.does, answer.status, `${lists.length} lists, under ${lists.map((name) => `"${name}"`).join(' and ')}`, {
    hint: sentence`Name the one that is not the list: ${ignoreLine('NAME', { dialect })}`,
  });
}

/** `hold`: bytes of a body that are held back. */
type Reading = {
  items: JsonItems | KeyedItems;
  names: readonly string[];
  hold: number;
  page: ListPage;
  relyOn: readonly string[];
  slots: Slots | undefined;
};

async function* itemsOf(
  wire: Wire,
  operation: Operation,
  outgoing: Outgoing,
  answer: HttpAnswer,
  { items, names, hold, page, relyOn, slots }: Reading,
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
  let { siblings } = items;
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
    siblings = items.siblings;
  } catch (error) {
    if (error instanceof NotAList) {
      siblings = error.instead.under === undefined ? undefined : error.instead.body;
      if (siblings) refuseOtherwise(wire, siblings, names, outgoing, answer);
      const refusal = refusalOfEmpty(error.instead, answer.status, dialect);
      if (refusal) throw badAnswer(outgoing.does, answer.status, refusal.what, refusal.hint ? { hint: refusal.hint } : {});
    } else if (error instanceof SyntaxError) throw badAnswer(outgoing.does, answer.status, brokenJson(error));
    else if (error instanceof TooLarge) throw tooLarge(outgoing, answer, error.message, error.key);
    else throw error;
  }
  wire.oddities.tell(operation.resource, odd);
  page.status = answer.status;
  page.headers = answer.headers;
  page.siblings = siblings;
  if (siblings) refuseOtherwise(wire, siblings, names, outgoing, answer);
}

/** Whether the service does not have a page: it refuses its number, or answers with something else than a list. */
function isRefusal(error: unknown): boolean {
  return error instanceof CliError && ['bad_answer', 'rejected', 'not_found'].includes(error.code);
}

/** The error of a list that fails after `items` items were handed out. */
function brokenOff(wire: Wire, error: unknown, outgoing: Outgoing, items: number): Error {
  const hint = 'The list printed so far is incomplete; run the command again.';
  if (items > 0 && error instanceof TransportFailure && error.kind !== 'interrupted') {
    const code = error.kind === 'timeout' ? 'timeout' : 'network';
    return new CliError(code, sentence`The list broke off after ${items} items: ${error.message}.`, { cause: error, hint });
  }
  const explained = wire.explain(error, outgoing);
  // A later page, or another reading, was requested in vain.
  if (items === 0 || !(explained instanceof CliError) || !temporary.has(explained.code)) return explained;
  const { code, message, status } = explained;
  const what = sentence`The list broke off after ${items} items. ${message}`;
  return new CliError(code, what, { cause: explained, hint, ...(status === undefined ? {} : { status }) });
}

const temporary: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['network', 'timeout', 'unavailable', 'rate_limited']);
