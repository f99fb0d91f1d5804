/**
 * The service as operations. A read is sent again as far as that helps. A write is sent once, by a
 * run, which says what its answer means (`src/runs/classify-response.ts`). The token goes to one origin.
 */
import { CliError, expected } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { fieldAt, type IdType, idAs, idOf, type JsonObject, stringifyJson, textOfJson } from '../model/json.ts';
import { mask, maskSecretPairs, type Secrets, shownHeader } from '../model/secrets.ts';
import { inLines, type Sentence, sentence } from '../text/sentence.ts';
import {
  ageOf,
  badAnswer,
  clockDifference,
  dateOf,
  isLimit,
  isSuccess,
  isUnclear,
  type Reply,
  recordProblem,
  replyOf,
  TransportFailure,
  unwrap,
} from './answer.ts';
import type { Dialect } from './dialect.ts';
import type { Doubts, Unsure } from './doubts.ts';
import { openTransport } from './http.ts';
import { Known, momentOf } from './known.ts';
import { type ListRequest, pagesOf, type Settle } from './list.ts';
import { type AnsweredResource, type Operation, type PlannedRequest, type Request, type RequestInput, requestFor } from './operations.ts';
import { backoff, longestWait, longWait, Pacer, type RequestEnd, tries, waitAsked } from './pacer.ts';
import { type Doubt, firstPath } from './paging.ts';
import { type WriteHooks, type Writer, writing } from './write.ts';

/** One each for all clients of a command. */
export type Shared = { pacer: Pacer; known: Known };

export function sharedBy(host: Host): Shared {
  return { pacer: new Pacer(host), known: new Known() };
}

export type Connection = Shared & {
  host: Host;
  baseUrl: string;
  authPrefix: string;
  token(): Promise<string>;
  dialect: Dialect;
  timeoutMilliseconds: number;
  ca: string | undefined;
  tokenRemedy: Sentence | undefined;
  secrets: Secrets;
  dryRun: boolean;
  debug: ((lines: Sentence) => void) | undefined;
  /** A list that is stored in a file has to be whole, like one that decides. */
  refusesDoubt: boolean;
  /** Called when a wait begins; what it returns, when it ends. */
  waiting(): () => void;
  note(text: Sentence): void;
  warn(text: Sentence): void;
};

/** `once`: not again after a failure. `quiet`: again only after short waits, without a word. */
export type ReadOptions = { once?: boolean; quiet?: boolean };
/** `anyExam`: a session of another exam is no error. */
export type ListOptions = ReadOptions & { unsure?: Unsure; anyExam?: boolean };

export class Client implements Writer {
  readonly dialect: Dialect;
  readonly origin: string;
  readonly pacer: Pacer;
  readonly known: Known;
  readonly #connection: Connection;
  readonly #transport: ReturnType<typeof openTransport>;
  #doubts: Promise<Doubts> | undefined;
  /** About a list that was read all the same. */
  #doubt: Doubt | undefined;
  #token = '';
  #isClosed = false;

  constructor(connection: Connection) {
    const { host, timeoutMilliseconds: timeout, ca } = connection;
    this.#connection = connection;
    this.dialect = connection.dialect;
    this.origin = new URL(connection.baseUrl).origin;
    this.pacer = connection.pacer;
    this.known = connection.known;
    this.#transport = openTransport({ origin: this.origin, host, timeout, ca });
  }

  /** Reads that fail from now on are not sent again. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.#transport.close();
  }

  plan(request: Request): PlannedRequest {
    const { method, path, body } = request;
    const url = this.#connection.baseUrl + path;
    return { method, url, headers: this.#headers(request, mask), ...(body === undefined ? {} : { body }) };
  }

  /** A success. Throws the errors of the table. */
  async read(request: Request, { once = false, quiet = false }: ReadOptions = {}): Promise<Reply> {
    const { host, note } = this.#connection;
    for (let failures = 0; ; ) {
      try {
        return await this.#success(request);
      } catch (error) {
        const { code, cause, message } = expected(error);
        const isRefused = code === 'rate_limited';
        if (!isRefused || quiet) failures += 1;
        const { pause, gaveUp } = this.pacer;
        const isLasting = cause instanceof TransportFailure ? cause.lasting : !isRefused && code !== 'unavailable';
        const isLong = quiet && pause >= longWait;
        const isOver = once || failures === tries || (isRefused && gaveUp);
        if (this.#isClosed || isLasting || isLong || isOver) throw error;
        // Clients that failed together do not retry together.
        const wait = pause > 0 ? pause : backoff(failures) * (0.5 + host.random());
        const which = isRefused ? '' : ` (${failures} of ${tries})`;
        const isTold = !quiet && (!isRefused || wait >= longWait) && this.pacer.isNews(wait);
        if (isTold) note(sentence`${message} Retrying in ${(wait / 1000).toFixed(1)} s${which}.`);
        // The pacer waits for the end of a pause.
        if (pause === 0) await host.sleep(wait);
      }
    }
  }

  async #success(request: Request): Promise<Reply> {
    const reply = await this.#exchange(request).catch((error: unknown) => this.#unanswered(error, request));
    if (isSuccess(reply) && reply.broken === undefined) return reply;
    throw await this.refusal(request, reply);
  }

  async refusal(request: Request, reply: Reply): Promise<CliError> {
    const { refusalOf } = await import('./refusal.ts');
    return refusalOf(request, reply, this.#connection.tokenRemedy);
  }

  async get(operation: Operation, input: RequestInput, reading?: ReadOptions): Promise<JsonObject> {
    const request = requestFor(operation, input);
    const reply = await this.read(request, reading);
    const data = this.recordIn(reply, operation);
    if (typeof data === 'string') throw badAnswer(request.does, reply.status, `an unexpected shape: ${data}`);
    const shown = { data, clockAheadMs: reply.clockAheadMs, at: momentOf(this.#connection.host) };
    if (operation.path.endsWith('/:id')) this.known.saw(operation.resource, input.params?.id ?? '', shown);
    return data;
  }

  listing(operation: Operation, input: RequestInput = {}, reading?: ReadOptions) {
    const { baseUrl, dialect, warn } = this.#connection;
    const request = requestFor(operation, input);
    const path = firstPath(request.path, dialect.listQuery);
    const read = (next: string) => this.read({ ...request, path: next }, reading);
    return { operation, path, does: request.does, baseUrl, dialect, read, warn } satisfies ListRequest;
  }

  /** `whole`: no page before all are read. Throws `list_in_doubt`, and `bad_answer` for a list that is not whole. */
  async *pages(operation: Operation, input: RequestInput, options: ListOptions = {}, whole = false) {
    const { unsure: given = 'refuse', anyExam = false, ...reading } = options;
    const unsure = given === 'warn' && this.#connection.refusesDoubt ? 'refuse' : given;
    const listing = this.listing(operation, input, reading);
    // One for all lists: what one shows holds for the next.
    const settle: Settle = async (keys, beside) => {
      this.#doubts ??= import('./doubts.ts').then((module) => new module.Doubts());
      const doubt = await (await this.#doubts).settle(listing, keys, unsure, beside);
      this.#doubt ??= doubt;
    };
    for await (const page of pagesOf(listing, whole, settle)) {
      if (!anyExam) this.#refuseOthers(input.params?.exam_id, page);
      this.known.sawId(operation.resource, page.at(-1));
      for (const item of page) this.known.sawListed(operation.resource, item);
      yield page;
    }
  }

  /** A service may ignore of which exam students are listed, or a next page lead out of it. Throws `bad_answer`. */
  #refuseOthers(exam: string | undefined, page: readonly JsonObject[]): void {
    const stranger = exam === undefined ? undefined : page.find((item) => ![undefined, exam].includes(examOf(item, this)));
    if (!stranger) return;
    const what = sentence`The service's list of exam ${exam} has session ${idOf(stranger)} of exam ${examOf(stranger, this)}.`;
    const { sessionExamKey } = this.dialect;
    const hint = sentence`If ${sessionExamKey} is not the field of the exam, name that: proctor-cli config set dialect.sessionExamKey FIELD`;
    throw new CliError('bad_answer', what, { hint });
  }

  async list(operation: Operation, input: RequestInput, options?: ListOptions): Promise<readonly JsonObject[]> {
    const pages = await Array.fromAsync(this.pages(operation, input, options, true));
    return pages.flat();
  }

  /** For a search that found nothing: throws if a list that it read may not be whole. `whether`: such as "it is there". */
  refuseDoubt(whether: string): void {
    if (!this.#doubt) return;
    const { code, hint } = this.#doubt;
    throw new CliError(code, sentence`It is unknown whether ${whether}: a list that was read may not be whole.`, { hint });
  }

  idType(resource: AnsweredResource): IdType | undefined {
    return this.known.idTypes.get(resource);
  }

  /** An ID as the service shows it: a number or a text. */
  shownAs(resource: AnsweredResource, id: string | undefined) {
    return id === undefined ? null : idAs(id, this.idType(resource));
  }

  /** The record in an answer; or, in words, what is wrong with it. */
  recordIn({ data }: Reply, operation: Operation): JsonObject | string {
    const record = unwrap(data, operation, this.dialect);
    this.known.sawId(operation.resource, record);
    return recordProblem(operation.resource, record) ?? (record as JsonObject);
  }

  /**
   * Sends a write once. Throws what withholds it, the errors of the table if nothing was sent, and
   * `TransportFailure` for a request that has left and got no answer.
   */
  async [writing](request: Request, hooks: WriteHooks): Promise<Reply> {
    return this.#exchange(request, hooks).catch((error: unknown) => {
      if (error instanceof TransportFailure && error.started) throw error;
      return this.#unanswered(error, request);
    });
  }

  /** The only way to the transport. */
  async #exchange(request: Request, hooks?: WriteHooks): Promise<Reply> {
    const { method, path, body, does } = request;
    const { baseUrl, host, dryRun, secrets, waiting, token, note } = this.#connection;
    if (method !== 'GET' && (dryRun || !hooks)) {
      const who = dryRun ? 'A dry run' : 'A read';
      throw new CliError('internal', sentence`${who} tried to ${does}. Nothing was sent.`);
    }
    this.#token ||= await token();
    const answered = waiting();
    let departure: number | undefined;
    let end: RequestEnd = 'nothing';
    let asked: number | undefined;
    let sent = host.now();
    try {
      const { spacing } = this.pacer;
      if (spacing >= longWait && this.pacer.isNews(longestWait))
        note(sentence`The service limits requests: one is sent every ${(spacing / 1000).toFixed(1)} s.`);
      departure = await this.pacer.departure();
      if (hooks && this.known.cached) throw this.known.cached;
      await hooks?.prepare();
      const withheld = hooks?.withheld();
      if (withheld) throw withheld;
      const payload = body === undefined ? undefined : stringifyJson(body);
      this.#debug(sentence`> ${method} ${baseUrl}${maskSecretPairs(path)}`, this.#headers(request, mask), payload);
      const leaves = () => {
        const late = hooks?.withheld();
        if (hooks && !late) this.known.written.add(request);
        return late;
      };
      const { pathname, search } = new URL(baseUrl + path);
      const headers = this.#headers(request, this.#token);
      sent = host.now();
      const answer = await this.#transport.exchange({ method, path: pathname + search, headers, body: payload }, leaves);
      const received = host.now();
      const { status } = answer;
      asked = waitAsked(answer.headers['retry-after'], received);
      if (isLimit(answer)) end = 'refused';
      else end = isUnclear(status) ? 'failed' : 'answered';
      if (status >= 400 && status < 500 && !isUnclear(status)) this.known.written.delete(request);
      this.#debug(sentence`< ${status} after ${received - sent} ms`, answer.headers, answer.body.toString());
      const reply = replyOf(answer, { sent, received }, secrets);
      this.#compareClocks(reply);
      this.known.date = dateOf(answer.headers) ?? this.known.date;
      if (!hooks) this.#noteCopy(does, reply);
      return reply;
    } catch (error) {
      if (error instanceof TransportFailure && error.kind !== 'interrupted') end = 'failed';
      const { message, cause = '' } = error as Error;
      this.#debug(sentence`< nothing after ${host.now() - sent} ms: ${message} ${String(cause)}`);
      throw error;
    } finally {
      answered();
      if (departure !== undefined) this.pacer.ended(departure, end, asked);
    }
  }

  #headers({ method, body }: Request, token: string): Record<string, string> {
    return {
      accept: 'application/json',
      // A copy from a cache could decide about a write.
      ...(method === 'GET' ? { 'cache-control': 'no-cache' } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      'user-agent': 'proctor-cli',
      authorization: `${this.#connection.authPrefix} ${token}`,
    };
  }

  /** A copy from a cache proves no write, and no write rests on it. Throws `bad_answer`. */
  #noteCopy(does: string, { headers }: Reply): void {
    const age = ageOf(headers);
    if (age === 0) return;
    const what = sentence`A cache answered the request to ${does} with a copy of ${age} s ago.`;
    const hint = sentence`Ask the administrator of the proxy or cache not to cache ${this.#connection.baseUrl}.`;
    this.known.cached ??= new CliError('bad_answer', sentence`${what} Nothing that depends on it was sent.`, { hint });
    if (this.known.written.size > 0) throw this.known.cached;
  }

  /** Throws what it means that a request got no answer and changed nothing; any other error as it is. */
  #unanswered(error: unknown, { does, method }: Request): never {
    if (!(error instanceof TransportFailure)) throw error;
    const { kind, message, hint } = error;
    if (kind === 'interrupted') throw error.cause;
    const nothing = method === 'GET' ? '' : ' This request was not sent.';
    throw new CliError(kind, sentence`Could not ${does} at ${this.origin}: ${message}.${nothing}`, { cause: error, hint });
  }

  #compareClocks({ clockAheadMs = 0 }: Reply): void {
    if (Math.abs(clockAheadMs) <= 120_000 || this.known.clockIsNamed) return;
    this.known.clockIsNamed = true;
    const text = sentence`warning: ${clockDifference(clockAheadMs)}. Commands judge times by this machine's clock.`;
    this.#connection.warn(sentence`${text} How to set it: proctor-cli doctor`);
  }

  #debug(line: Sentence, headers: Readonly<Record<string, string>> = {}, body?: string): void {
    const { debug, secrets } = this.#connection;
    if (!debug) return;
    const lines = Object.entries(headers).map(([name, value]) => sentence`  ${shownHeader(name, value)}`);
    if (body !== undefined) lines.push(sentence`  ${secrets.maskedWords(body).slice(0, 4000)}`);
    debug(inLines([line, ...lines]));
  }
}

export function examOf(session: JsonObject, { dialect }: Pick<Client, 'dialect'>): string | undefined {
  const exam = fieldAt(session, dialect.sessionExamKey) ?? undefined;
  return exam === undefined || exam === '' ? undefined : textOfJson(exam);
}
