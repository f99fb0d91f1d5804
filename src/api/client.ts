/**
 * The service as operations. A read is sent again as far as that helps, and throws. A write is sent once, by a run, and its answer is
 * handed over as it came: what it means is for the run to say (`src/runs/answers.ts`). Invariants: the token goes to the configured
 * origin only, and redirects are never followed.
 */
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { type IdType, idAs, idTypeOf } from '../model/id.ts';
import { fieldAt, isJsonObject, type Json, type JsonObject, stringifyJson, textOfJson } from '../model/json.ts';
import { mask, maskSecretPairs, type Secrets, shownHeader } from '../model/secrets.ts';
import { inLines, type Sentence, sentence } from '../text/sentence.ts';
import {
  ageOf,
  badAnswer,
  clockDifference,
  isSuccess,
  isUnclear,
  problemOf,
  type Reply,
  replyOf,
  TransportFailure,
  unwrap,
} from './answer.ts';
import type { Dialect } from './dialect.ts';
import type { Doubts, Unsure } from './doubts.ts';
import { openTransport } from './http.ts';
import { type Listing, pagesOf } from './list.ts';
import type { Operation, Resource } from './operations.ts';
import { backoff, type Pacer, type RequestEnd, tries, waitAsked } from './pacer.ts';
import { firstPath } from './paging.ts';
import { type PlannedRequest, type Request, type RequestInput, requestFor } from './request.ts';
import { type WriteHooks, type Writer, writing } from './write.ts';

/** A moment by both clocks of this machine: the wall clock may be set, the other one stands still while the machine sleeps. */
export type Moment = { wall: number; elapsed: number };

export function momentOf(clock: Pick<Host, 'now' | 'elapsed'>): Moment {
  return { wall: clock.now(), elapsed: clock.elapsed?.() ?? 0 };
}

/** How long ago that was: the larger of the two clocks' answers. Milliseconds. */
export function ageOfMoment({ wall, elapsed }: Moment, clock: Pick<Host, 'now' | 'elapsed'>): number {
  return Math.max(clock.now() - wall, (clock.elapsed?.() ?? 0) - elapsed);
}

/** A resource that an answer showed by itself; `ahead`: the service's clock. */
export type Shown = { data: JsonObject; at: Moment; ahead: number | undefined };

/** What the service has shown lately: by that a write is judged, and only while it is young enough may it leave (`src/runs`). */
export class Known {
  clockIsNamed = false;
  /** The error for the first answer that was a copy from a cache. */
  copy: CliError | undefined;
  /** What has left and may have been carried out, the last one at the end. */
  readonly written = new Set<Request>();
  readonly #shown = new Map<string, Shown>();
  readonly idTypes = new Map<Resource, IdType>();

  sawId(resource: Resource, item: Json | undefined): void {
    const type = isJsonObject(item) ? idTypeOf(item.id) : undefined;
    if (type) this.idTypes.set(resource, type);
  }

  saw(resource: Resource, id: string, shown: Shown): void {
    this.#shown.set(`${resource} ${id}`, shown);
  }

  shown(resource: Resource, id: string): Shown | undefined {
    return this.#shown.get(`${resource} ${id}`);
  }

  /** What is about to change will not be as it was shown. */
  forget(resource: Resource, id: string): void {
    this.#shown.delete(`${resource} ${id}`);
  }
}

/** `known` and `pacer`: one each for all clients of the service. `baseUrl`: ends in /api/v1. */
export type Connection = {
  host: Host;
  known: Known;
  pacer: Pacer;
  baseUrl: string;
  authPrefix: string;
  token(): Promise<string>;
  dialect: Dialect;
  timeoutMilliseconds: number;
  ca?: string;
  tokenRemedy?: Sentence | undefined;
  secrets: Secrets;
  dryRun?: boolean;
  debug?: (lines: Sentence) => void;
  /** Called when waiting for the service begins; what it returns is called at the end. */
  waiting?: () => () => void;
  note?: (text: Sentence) => void;
  warn?: (text: Sentence) => void;
};

/** How a read is sent. `once`: not again after a failure; `quiet`: without a word about a repetition, so none after a long wait. */
export type Reading = { once?: boolean | undefined; quiet?: boolean | undefined };
/** `whole`: its pages are given after all were read. */
export type ListOptions = Reading & { unsure?: Unsure | undefined; whole?: boolean | undefined };

/** A wait that is over before its message is read needs none. Milliseconds. */
const worthNoting = 1000;

export class Client implements Writer {
  readonly dialect: Dialect;
  readonly origin: string;
  readonly pacer: Pacer;
  readonly known: Known;
  readonly tokenRemedy: Sentence | undefined;
  readonly #connection: Connection;
  readonly #transport: ReturnType<typeof openTransport>;
  #doubts: Promise<Doubts> | undefined;
  #token = '';
  #isClosed = false;
  /** Until when the last reported wait of all requests lasts. */
  #noted = Number.NEGATIVE_INFINITY;

  constructor(connection: Connection) {
    const { dialect, baseUrl, pacer, known, host, timeoutMilliseconds: timeout, ca, tokenRemedy } = connection;
    this.#connection = connection;
    this.dialect = dialect;
    this.origin = new URL(baseUrl).origin;
    this.pacer = pacer;
    this.known = known;
    this.tokenRemedy = tokenRemedy;
    this.#transport = openTransport({ origin: this.origin, host, timeout, ca });
  }

  /** What fails from now on fails because of it, and is not sent again. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.#transport.close();
  }

  plan({ method, path, body }: Request): PlannedRequest {
    const { baseUrl } = this.#connection;
    return { method, url: baseUrl + path, headers: this.#headers(method, body, mask), ...(body === undefined ? {} : { body }) };
  }

  /** A success; after a 429, once the pacer lets it leave again. Throws the errors of the table. */
  async read(request: Request, { once = false, quiet = false }: Reading = {}): Promise<Reply> {
    const { host, note } = this.#connection;
    for (let failures = 0; ; ) {
      const reply = await this.#exchange(request).catch((error: unknown) => this.#unanswered(error, request));
      if (!(reply instanceof CliError) && isSuccess(reply) && reply.broken === undefined) return reply;
      const error = reply instanceof CliError ? reply : (await import('./refusal.ts')).refusalOf(request, reply, this.tokenRemedy);
      const isRefused = error.code === 'rate_limited';
      const isPassing = error.cause instanceof TransportFailure ? !error.cause.lasting : isRefused || error.code === 'unavailable';
      if (!isRefused || quiet) failures += 1;
      const { pause, gaveUp } = this.pacer;
      const isOver = once || failures === tries || (isRefused && gaveUp) || (quiet && pause >= worthNoting);
      if (this.#isClosed || !isPassing || isOver) throw error;
      // Clients that failed together must not retry together; what all requests wait for, the pacer waits for.
      const wait = pause > 0 ? pause : backoff(failures) * (0.5 + host.random());
      const which = isRefused ? '' : ` (${failures} of ${tries})`;
      const until = host.now() + wait;
      const isNews = !isRefused || (wait >= worthNoting && until > this.#noted);
      if (isRefused && isNews) this.#noted = until;
      if (isNews && !quiet) note?.(sentence`${error.message} Retrying in ${(wait / 1000).toFixed(1)} s${which}.`);
      if (pause === 0) await host.sleep(wait);
    }
  }

  async get(operation: Operation, input: RequestInput, reading?: Reading): Promise<JsonObject> {
    const request = requestFor(operation, input);
    const reply = await this.read(request, reading);
    const data = this.recordIn(reply, operation);
    if (!isJsonObject(data)) throw badAnswer(request.does, reply.status, `an unexpected shape: ${data}`);
    const shown = { data, ahead: reply.ahead, at: momentOf(this.#connection.host) };
    if (operation.path.endsWith('/:id')) this.known.saw(operation.resource, input.params?.id ?? '', shown);
    return data;
  }

  listing(operation: Operation, input: RequestInput = {}, reading?: Reading) {
    const { dialect } = this;
    const { baseUrl, warn } = this.#connection;
    const request = requestFor(operation, input);
    const first = firstPath(request.path, dialect.listQuery);
    const read = (path: string) => this.read({ ...request, path }, reading);
    return { operation, path: first, does: request.does, baseUrl, dialect, read, warn } satisfies Listing;
  }

  /** The pages of a list, each as it is read. Throws `bad_answer` for a list that is not whole. */
  async *pages(operation: Operation, input: RequestInput, { whole = false, unsure = 'refuse', ...reading }: ListOptions = {}) {
    const listing = this.listing(operation, input, reading);
    for await (const page of pagesOf(listing, whole, (keys) => this.#settle(listing, keys, unsure))) {
      this.known.sawId(operation.resource, page.at(-1));
      yield page;
    }
  }

  /** Of all lists of this client, one answers the other. */
  async #settle(listing: Listing, keys: readonly string[], unsure: Unsure): Promise<void> {
    this.#doubts ??= import('./doubts.ts').then((module) => new module.Doubts());
    return (await this.#doubts).settle(listing, keys, unsure);
  }

  async list(operation: Operation, input: RequestInput, options?: ListOptions): Promise<readonly JsonObject[]> {
    const pages = await Array.fromAsync(this.pages(operation, input, { ...options, whole: true }));
    return pages.flat();
  }

  idType(resource: Resource): IdType | undefined {
    return this.known.idTypes.get(resource);
  }

  /** An ID that is known as text, as the service shows those of its resource; null for none. */
  shownAs(resource: Resource, id: string | undefined) {
    return id === undefined ? null : idAs(id, this.idType(resource));
  }

  /** The record that an answer shows; in words, why it cannot be used. */
  recordIn({ data }: Reply, operation: Operation): JsonObject | string {
    const record = unwrap(data, operation, this.dialect);
    this.known.sawId(operation.resource, record);
    return problemOf(operation.resource, record) ?? (record as JsonObject);
  }

  /**
   * Sends a write once, and hands over its answer as it came. Throws what withholds it, the errors of the table while nothing has been
   * sent, and `TransportFailure` for a request that has left and got no answer.
   */
  async [writing](request: Request, hooks: WriteHooks): Promise<Reply> {
    try {
      return await this.#exchange(request, hooks);
    } catch (error) {
      throw error instanceof TransportFailure && error.started ? error : this.#unanswered(error, request);
    }
  }

  /** The only way to the transport: nothing that may change something gets there but from a run. */
  async #exchange(request: Request, hooks?: WriteHooks): Promise<Reply> {
    const { method, path, body, does } = request;
    const { baseUrl, host, dryRun, secrets, waiting } = this.#connection;
    if (method !== 'GET' && (dryRun || !hooks))
      throw new CliError('internal', sentence`${dryRun ? 'A dry run' : 'A read'} tried to ${does}. Nothing was sent.`);
    this.#token ||= await this.#connection.token();
    const answered = waiting?.();
    let departure: number | undefined;
    let end: RequestEnd = 'nothing';
    let asked: number | undefined;
    let sent = host.now();
    try {
      departure = await this.pacer.departure();
      if (hooks && this.known.copy) throw this.known.copy;
      await hooks?.prepare();
      const withheld = hooks?.withheld();
      if (withheld) throw withheld;
      const payload = body === undefined ? undefined : stringifyJson(body);
      this.#debug(sentence`> ${method} ${baseUrl}${maskSecretPairs(path)}`, this.#headers(method, body, mask), payload);
      const leaves = () => {
        const late = hooks?.withheld();
        if (hooks && !late) this.known.written.add(request);
        return late;
      };
      const { pathname, search } = new URL(baseUrl + path);
      const headers = this.#headers(method, body, this.#token);
      sent = host.now();
      const answer = await this.#transport.exchange({ method, path: pathname + search, headers, body: payload }, leaves);
      const received = host.now();
      const { status } = answer;
      asked = waitAsked(answer.headers['retry-after'], received);
      end = endOf(status, asked);
      if (status >= 400 && status < 500 && !isUnclear(status)) this.known.written.delete(request);
      this.#debug(sentence`< ${status} after ${received - sent} ms`, answer.headers, answer.body.toString());
      const reply = replyOf(answer, { sent, received }, secrets);
      this.#compareClocks(reply);
      if (!hooks) this.#noteCopy(does, reply);
      return reply;
    } catch (error) {
      // A name that is not found, or an interruption, says nothing of the service.
      if (error instanceof TransportFailure && ['broken', 'timeout', 'unreachable'].includes(error.kind)) end = 'failed';
      const { message, cause = '' } = error as Error;
      this.#debug(sentence`< nothing after ${host.now() - sent} ms: ${message} ${String(cause)}`);
      throw error;
    } finally {
      answered?.();
      if (departure !== undefined) this.pacer.ended(departure, end, asked);
    }
  }

  /** Every read demands a new answer: a copy from a cache could decide about a write, or show an outdated exam. */
  #headers(method: Request['method'], body: Request['body'], token: string): Record<string, string> {
    return {
      accept: 'application/json',
      ...(method === 'GET' ? { 'cache-control': 'no-cache' } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      'user-agent': 'proctor-cli',
      authorization: `${this.#connection.authPrefix} ${token}`,
    };
  }

  /** A copy from a cache proves nothing about a write, and no write rests on it. Throws `bad_answer`. */
  #noteCopy(does: string, { headers }: Reply): void {
    const age = ageOf(headers);
    if (age === 0) return;
    const what = sentence`A cache answered the request to ${does} with a copy of ${age} s ago (Age: ${age}). Nothing that depends on it was sent.`;
    const hint = sentence`Ask the administrator of the proxy or cache not to cache ${this.#connection.baseUrl}.`;
    this.known.copy ??= new CliError('bad_answer', what, { hint });
    if (this.known.written.size > 0) throw this.known.copy;
  }

  /** The error for a request that got no answer, while nothing was changed; throws what is no failure of the network. */
  #unanswered(error: unknown, { does, method }: Request): CliError {
    if (!(error instanceof TransportFailure)) throw error;
    if (error.kind === 'interrupted') throw error.cause;
    const nothing = method === 'GET' ? '' : ' Nothing was sent.';
    const message = sentence`Could not ${does} at ${this.origin}: ${error.message}.${nothing}`;
    return new CliError(error.kind === 'timeout' ? 'timeout' : 'network', message, { cause: error, hint: error.hint });
  }

  /** This machine's clock decides what has begun and what is over: a service whose clock is more than two minutes off is named. */
  #compareClocks({ ahead = 0 }: Reply): void {
    if (Math.abs(ahead) <= 120_000 || this.known.clockIsNamed) return;
    this.known.clockIsNamed = true;
    this.#connection.warn?.(sentence`warning: ${clockDifference(ahead)}, which judges times here. How to set it: proctor-cli doctor`);
  }

  #debug(line: Sentence, headers: Readonly<Record<string, string>> = {}, body?: string): void {
    const { debug, secrets } = this.#connection;
    if (!debug) return;
    const lines = Object.entries(headers).map(([name, value]) => sentence`  ${shownHeader(name, value)}`);
    debug(inLines([line, ...lines, ...(body === undefined ? [] : [sentence`  ${secrets.maskedWords(body).slice(0, 4000)}`])]));
  }
}

/** 502 and 504 are a proxy's words for a reset and a timeout. */
function endOf(status: number, asked: number | undefined): RequestEnd {
  if (status === 429) return 'refused';
  return status === 408 || (status >= 502 && status <= 504) || (status >= 500 && asked !== undefined) ? 'failed' : 'answered';
}

/** The ID of the exam that a session belongs to; undefined where the service shows none. */
export function examOf(session: JsonObject, { dialect }: Pick<Client, 'dialect'>): string | undefined {
  const exam = fieldAt(session, dialect.sessionExamKey) ?? undefined;
  return exam === undefined || exam === '' ? undefined : textOfJson(exam);
}
