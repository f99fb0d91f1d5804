/** One page of a list: its answer, turned into records. */
import { isJsonObject, type Json, type JsonObject, parseJson, stringifyJson } from '../model/json.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { brokenJson, decode, isSuccess, textOf, unwrapItem } from './answer.ts';
import { badAnswer } from './answer-errors.ts';
import { detailOf } from './error-words.ts';
import type { HttpAnswer } from './http.ts';
import { type Listed, listIn, NotAList, noListIn } from './list-body.ts';
import type { Operation } from './operations.ts';
import type { Came } from './paging-signals.ts';
import { problemOf } from './records.ts';
import type { Outgoing } from './request.ts';
import { tries } from './retry.ts';
import { reportsFailure } from './verdict.ts';
import type { Wire } from './wire.ts';

/** The request for a page, and the wire that sends it. */
export type PageReading = { wire: Wire; operation: Operation; outgoing: Outgoing } & PageOptions;

/** `addressed`: each address must be text; `once`: no retry; `quiet`: no message about retries. */
export type PageOptions = { addressed: boolean; once: boolean; quiet: boolean };

/** A page as it came. */
export type Page = { came: Came; items: JsonObject[] };

export function readPage(reading: PageReading): Promise<Page> {
  const { wire, outgoing, once, quiet } = reading;
  return wire.repeat(outgoing, (answer) => pageOf(reading, answer), { attempts: once ? 1 : tries, quiet });
}

/** Successes with which only a part was done: Accepted, Multi-Status, Already Reported, IM Used. */
const notYetWhole = new Set([202, 207, 208, 226]);

async function pageOf(reading: PageReading, answer: HttpAnswer): Promise<Page> {
  const { wire, operation, outgoing } = reading;
  const { secrets } = wire.connection;
  const { status, headers } = answer;
  const bad = (what: string, advice: { html?: string; hint?: Sentence } = {}) => badAnswer(outgoing.does, status, what, advice);
  const isHtml = /html/i.test(headers['content-type'] ?? '');
  if (!isSuccess(answer) || isHtml) {
    const text = textOf(answer, outgoing);
    throw isSuccess(answer) ? bad('HTML instead of JSON', { html: secrets.maskedWords(text) }) : wire.errorFor(outgoing, answer, text);
  }
  if (notYetWhole.has(status)) throw bad('a status that does not promise a whole list');
  const inWords = (error: unknown) => {
    if (error instanceof NotAList) return bad(error.message, error.hint ? { hint: error.hint } : {});
    return error instanceof SyntaxError ? bad(brokenJson(error)) : error;
  };
  try {
    const text = decode(answer.body);
    const json = text.trim() === '' ? undefined : parseJson(text);
    const found = listIn(json, operation.resource, wire.connection.dialect);
    if (!found && reportsFailure(json)) {
      const hint = sentence`Run the command again. If it fails again, report it to the operator of the service.`;
      throw bad(`a failure: ${secrets.maskedWords(detailOf(text, answer)).replace(/\.$/, '')}`, { hint });
    }
    const listed = found ?? (json === undefined && status === 204 ? { items: [], envelopes: [] } : undefined);
    if (!listed) throw noListIn(json, operation.resource, wire.connection.dialect);
    const said = listed.envelopes.find(reportsFailure);
    if (said) throw bad(`a list and a failure: ${secrets.maskedWords(detailOf(textBeside(listed, said), answer)).replace(/\.$/, '')}`);
    return { came: { status, headers, envelopes: listed.envelopes }, items: recordsOf(reading, status, listed.items, text) };
  } catch (error) {
    throw inWords(error);
  }
}

/** The fields beside the list, as text. */
function textBeside({ items, envelopes }: Listed, envelope: JsonObject): string {
  const beside = Object.entries(envelope).filter(([, value]) => value !== items && !envelopes.some((inner) => inner === value));
  return stringifyJson(Object.fromEntries(beside));
}

/** The items as records, with the secrets of this process masked. `text`: the items as they came, in which secrets are searched for. */
function recordsOf(
  { wire, operation, outgoing, addressed }: PageReading,
  status: number,
  items: readonly Json[],
  text: string,
): JsonObject[] {
  const { dialect, secrets } = wire.connection;
  const clean = !secrets.mayStandIn(text);
  return items.map((item) => {
    const shown = clean ? item : wire.unsecret(item);
    const record = isJsonObject(shown) ? unwrapItem(shown, operation, dialect) : shown;
    const problem = problemOf(operation.resource, record, { addressed, masked: (json) => secrets.maskedWords(json) });
    if (problem !== undefined) throw badAnswer(outgoing.does, status, `an item of an unexpected shape: ${problem}`);
    if (!isJsonObject(record)) return { id: record };
    wire.known.sawId(operation.resource, record);
    return record;
  });
}
