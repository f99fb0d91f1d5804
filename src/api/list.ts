/** A list, page after page, taken apart while it arrives; one that ends early is an error, never a shorter list. */
import { CliError } from '../errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import { misfit } from '../model/schema.ts';
import { parseSize } from '../model/size.ts';
import { sentence } from '../text/sentence.ts';
import { brokenJson, isSuccess, models, textOf, tooLarge } from './answer.ts';
import { resourceNames, words } from './dialect.ts';
import { badAnswer } from './errors.ts';
import { type HttpAnswer, TransportFailure } from './http.ts';
import { JsonItems, NotAList, TooLarge } from './json-items.ts';
import type { Operation } from './operations.ts';
import { firstPage, type Page, pageAfter } from './paging.ts';
import type { Outgoing } from './request.ts';
import { tries } from './retry.ts';
import type { Wire } from './wire.ts';

export type ListOptions = { stream?: boolean; once?: boolean };

/** How much of a list is taken apart at once: few items are alive at a time then, and memory stays low. Bytes. */
const portion = 8 << 10;

export async function* readList(
  wire: Wire,
  operation: Operation,
  outgoing: Outgoing,
  { stream = false, once = false }: ListOptions,
): AsyncGenerator<JsonObject[], void> {
  const { dialect } = wire.connection;
  const names = [...resourceNames[operation.resource].many, ...words(dialect.listKeys)];
  const sending = { attempts: once ? 1 : tries, inSteps: true };
  const limits = { item: parseSize(dialect.largestItem), head: parseSize(dialect.largestHead) };
  let page: Page | undefined = firstPage(outgoing.path);
  let count = 0;
  while (page) {
    const current: Page = page;
    const request = { ...outgoing, path: current.path };
    const read = (answer: HttpAnswer) => itemsOf(wire, operation, request, answer, new JsonItems(names, limits), current);
    if (stream) {
      const answered = await wire.repeat(request, (answer) => opened(wire, request, answer), sending);
      try {
        for await (const batch of read(answered)) {
          count += batch.length;
          yield batch;
        }
      } catch (error) {
        throw brokenOff(wire, error, request, count);
      }
    } else {
      const whole = async (answer: HttpAnswer) => {
        const all: JsonObject[][] = [];
        for await (const batch of read(await opened(wire, request, answer))) all.push(batch);
        return all.flat();
      };
      const items = await wire.repeat(request, whole, sending);
      count += items.length;
      yield items;
    }
    page = pageAfter(current, count, {
      dialect,
      origin: wire.connection.origin,
      basePath: new URL(wire.connection.baseUrl).pathname,
      does: outgoing.does,
    });
  }
}

/** An answer whose body is worth reading as a list; any other is an error. */
async function opened(wire: Wire, outgoing: Outgoing, answer: HttpAnswer): Promise<HttpAnswer> {
  const type = answer.headers['content-type'] ?? '';
  if (isSuccess(answer) && !/html/i.test(type)) return answer;
  const text = await textOf(answer, outgoing, wire.connection.dialect);
  if (!isSuccess(answer)) throw wire.errorFor(outgoing, answer, text);
  throw badAnswer(outgoing.does, answer.status, 'HTML in place of JSON', { html: wire.connection.secrets.maskedWords(text) });
}

async function* itemsOf(
  wire: Wire,
  operation: Operation,
  outgoing: Outgoing,
  answer: HttpAnswer,
  items: JsonItems,
  page: Page,
): AsyncGenerator<JsonObject[]> {
  const { dialect } = wire.connection;
  const model = models[operation.resource];
  const check = (item: Json): JsonObject => {
    const problem = misfit(model, item);
    if (problem !== undefined) throw badAnswer(outgoing.does, answer.status, `an item of an unexpected shape: ${problem}`);
    return isJsonObject(item) ? item : { [dialect.idKey]: item };
  };
  try {
    for await (const chunk of answer.body) {
      for (let at = 0; at < chunk.length; at += portion) {
        const batch = items.push(chunk.subarray(at, at + portion));
        if (batch.length === 0) continue;
        answer.progress();
        yield batch.map((item) => check(wire.unsecret(item)));
      }
    }
    items.end();
  } catch (error) {
    if (error instanceof NotAList) throw badAnswer(outgoing.does, answer.status, error.message);
    if (error instanceof SyntaxError) throw badAnswer(outgoing.does, answer.status, brokenJson(error));
    if (error instanceof TooLarge) throw tooLarge(outgoing, answer, error.message, error.key);
    throw error;
  }
  page.headers = answer.headers;
  page.siblings = items.siblings;
}

/** The failure of a list of which so many items have been handed out. */
function brokenOff(wire: Wire, error: unknown, outgoing: Outgoing, items: number): Error {
  if (items === 0 || !(error instanceof TransportFailure) || error.kind === 'interrupted') return wire.explain(error, outgoing);
  return new CliError(
    error.kind === 'timeout' ? 'timeout' : 'network',
    sentence`The list broke off after ${items} items: ${error.message}.`,
    {
      cause: error,
      hint: 'What was printed is not the whole list; run the command again.',
    },
  );
}
