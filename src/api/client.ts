/**
 * The service as operations. A read is sent again as far as that helps, and throws. A write is sent once, by a run, and its answer is
 * handed over as it came: what it means is for the run to say (`src/runs/answers.ts`). Invariants: the token goes to the configured
 * origin only, and redirects are never followed.
 */
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { clockDifference, clockOffset } from '../model/exam-clock.ts';
import { type IdType, idAs, idOf } from '../model/id.ts';
import { fieldAt, isJsonObject, type JsonObject, stringifyJson, textOfJson } from '../model/json.ts';
import { mask } from '../model/secret-keys.ts';
import { maskSecretPairs, shownHeader } from '../model/secret-pairs.ts';
import type { Secrets } from '../model/secrets.ts';
import { inLines, type Sentence, sentence } from '../text/sentence.ts';
import { ageOf, dateOf, isSuccess, isUnclear, problemOf, type Reply, replyOf, unwrap } from './answer.ts';
import { badAnswer, errorOf } from './answer-errors.ts';
import { type Dialect, resourceNames } from './dialect.ts';
import { openTransport } from './http.ts';
import { type Known, momentOf } from './known.ts';
import { Doubts, type ListOptions, pagesOf } from './list.ts';
import type { Operation, Resource } from './operations.ts';
import { backoff, type Pacer, type RequestEnd, tries, waitAsked } from './pacer.ts';
import { type PlannedRequest, type Request, type RequestInput, requestFor, type WriteHooks } from './request.ts';
import { type FailureKind, remedyFor, TransportFailure } from './transport-failure.ts';
import { type Writer, writing } from './write.ts';

export type Connection = {
  host: Host;
  /** Ends in /api/v1. */
  baseUrl: string;
  origin: string;
  authPrefix: string;
  /** Called before the first request is sent; a dry run of a write does not need the token. */
  token(): Promise<string>;
  dialect: Dialect;
  /** The time zone for messages, an IANA name. */
  zone: string;
  timeoutMilliseconds: number;
  ca?: string;
  /** The hints for a refused address or token. */
  remedies?: { address: Sentence; token: Sentence | undefined };
  /** The secrets that must not appear in any message or value. */
  secrets: Secrets;
  /** Of all clients of the service: what it has shown, and how many requests it takes. */
  known: Known;
  pacer: Pacer;
  /** In a dry run nothing is sent that may change something. */
  dryRun?: boolean;
  /** Receives what happens on the wire, without secrets. */
  debug?: (lines: Sentence) => void;
  /** Called when waiting for the service begins; the function that it returns is called at the end. */
  waiting?: () => () => void;
  /** Tells a person that a request is being repeated, and why. */
  note?: (text: Sentence) => void;
  warn?: (text: Sentence) => void;
  /** Called for each write when sending starts; the function that it returns is called if the service refuses the write. */
  wrote?: (write: Write) => () => void;
};

/** A request that may have changed something. */
export type Write = Pick<Request, 'does' | 'look'>;

/** How a read is sent. `once`: not again after a failure; `quiet`: no message about a repetition, so a long wait after a 429 is a failure. */
export type Reading = { once?: boolean | undefined; quiet?: boolean | undefined };

/** A wait that is over before its message is read needs none. Milliseconds. */
const worthNoting = 1000;
/** A larger difference between the clocks is named. Milliseconds. */
const clocksMayDiffer = 120_000;

export class Client implements Writer {
  readonly dialect: Dialect;
  readonly origin: string;
  /** By which all requests of the command leave, of this client or another of the service. */
  readonly pacer: Pacer;
  /** The time zone for messages, an IANA name. */
  readonly zone: string;
  /** What the service has shown lately. */
  readonly known: Known;
  readonly #connection: Connection;
  readonly #transport: ReturnType<typeof openTransport>;
  readonly #doubts: Doubts;
  #token = '';
  #isClosed = false;
  /** Until when a reported wait of all requests lasts. */
  #noted = Number.NEGATIVE_INFINITY;

  constructor(connection: Connection) {
    const { dialect, origin, pacer, zone, known, host, timeoutMilliseconds: timeout, ca } = connection;
    this.#connection = connection;
    this.dialect = dialect;
    this.origin = origin;
    this.pacer = pacer;
    this.zone = zone;
    this.known = known;
    this.#doubts = new Doubts((text) => connection.warn?.(text));
    this.#transport = openTransport({ origin, host, timeout, ...(ca === undefined ? {} : { ca }) });
  }

  /** What fails from now on fails because of it, and is not sent again. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.#transport.close();
  }

  /** The request as it would be sent. */
  plan({ method, path, body }: Request): PlannedRequest {
    const { baseUrl, authPrefix } = this.#connection;
    const headers = { ...headersOf(method, body), authorization: `${authPrefix} ${mask}` };
    return { method, url: baseUrl + path, headers, ...(body === undefined ? {} : { body }) };
  }

  /** A success. After a 429 the read waits for its next moment, until the pacer gives up. Throws the errors of the table. */
  async read(request: Request, { once = false, quiet = false }: Reading = {}): Promise<Reply> {
    const { host, note, waiting, remedies } = this.#connection;
    const attempts = once ? 1 : tries;
    const answered = waiting?.();
    try {
      for (let failures = 0; ; ) {
        const reply = await this.#exchange(request).catch((error: unknown) => this.#unanswered(error, request));
        if (!(reply instanceof CliError) && isSuccess(reply)) {
          if (reply.broken !== undefined) throw badAnswer(request.does, reply.status, reply.broken);
          return reply;
        }
        const error = reply instanceof CliError ? reply : errorOf(request, reply, remedies?.token);
        const isRefused = error.code === 'rate_limited';
        const isPassing = error.cause instanceof TransportFailure ? !error.cause.lasting : isRefused || error.code === 'unavailable';
        if (!isRefused || quiet) failures += 1;
        const isOver = isRefused && (once || this.pacer.gaveUp || (quiet && this.pacer.pause >= worthNoting));
        if (this.#isClosed || !isPassing || isOver || failures === attempts) throw error;
        const isPaused = isRefused || (!(reply instanceof CliError) && waitAsked(reply.headers['retry-after'], host.now()) !== undefined);
        // Clients that were refused together must not retry together.
        const wait = isPaused ? this.pacer.pause : backoff(failures) * (0.5 + host.random());
        const which = isRefused ? '' : ` (${failures} of ${attempts})`;
        if (!quiet && (!isRefused || this.#isNews(wait)))
          note?.(sentence`${error.message} Retrying in ${(wait / 1000).toFixed(1)} s${which}.`);
        if (!isPaused) await host.sleep(wait);
      }
    } finally {
      answered?.();
    }
  }

  /** The resource that a `one` operation answers with. */
  async get(operation: Operation, input: RequestInput, reading?: Reading): Promise<JsonObject> {
    const request = requestFor(operation, input);
    const reply = await this.read(request, reading);
    const { status, sent, received } = reply;
    const data = unwrap(reply.data, operation, this.dialect);
    if (data === undefined) throw badAnswer(request.does, status, 'an empty body');
    const problem = isJsonObject(data) ? this.#problemIn(operation, data) : 'the body is not an object';
    if (!isJsonObject(data) || problem !== undefined) throw badAnswer(request.does, status, `an unexpected shape: ${problem}`);
    if (operation.path.endsWith('/:id') && (operation.resource === 'exam' || operation.resource === 'session')) {
      const at = momentOf(this.#connection.host);
      this.known.saw(operation.resource, input.params?.id ?? '', { data, date: dateOf(reply), sent, received, at });
    }
    return data;
  }

  /** The pages of a list, each as it is read, or after the whole list was read. Throws `bad_answer` for a list that is not whole. */
  pages(operation: Operation, input: RequestInput, { once, quiet, ...options }: Reading & ListOptions = {}) {
    const { origin, dialect } = this;
    const { baseUrl, secrets } = this.#connection;
    const request = requestFor(operation, input);
    const read = (path: string) => this.read({ ...request, path }, { once, quiet });
    const where = { origin, basePath: new URL(baseUrl).pathname, does: request.does };
    const masked = (text: string) => secrets.maskedWords(text);
    const saw = (page: readonly JsonObject[]) => this.known.sawId(operation.resource, page.at(-1));
    return pagesOf({ operation, path: request.path, read, dialect, where, masked, saw }, this.#doubts, options);
  }

  /** The items of a whole list. */
  async list(operation: Operation, input: RequestInput, options?: Reading & Omit<ListOptions, 'whole'>): Promise<readonly JsonObject[]> {
    const all: JsonObject[][] = [];
    for await (const page of this.pages(operation, input, { ...options, whole: true })) all.push(page);
    return all.flat();
  }

  /** The JSON type of the IDs of a resource, as the service last showed one; undefined where it has shown none. */
  idType(resource: Resource): IdType | undefined {
    return this.known.idType(resource);
  }

  /** The record that the answer to a write shows, if it can be used; to a create, also with its ID from the Location alone. */
  recordIn({ data: body, headers: { location } }: Reply, operation: Operation): JsonObject | undefined {
    const { writes, resource } = operation;
    const data = unwrap(body, operation, this.dialect);
    const lacksId = writes?.writing === 'create' && (data === undefined || (isJsonObject(data) && idOf(data) === undefined));
    const id = lacksId ? idInLocation(location, resource, this.#connection.baseUrl) : undefined;
    const record = id === undefined ? data : { ...(data as JsonObject | undefined), id: idAs(id, this.known.idType(resource)) };
    return isJsonObject(record) && this.#problemIn(operation, record) === undefined ? record : undefined;
  }

  /**
   * Sends a write once, and hands over its answer as it came. Throws what withholds it, the errors of the table while nothing has been
   * sent, and `TransportFailure` for a request that has left and got no answer.
   */
  async [writing](request: Request, hooks: WriteHooks): Promise<Reply> {
    const answered = this.#connection.waiting?.();
    try {
      return await this.#exchange(request, hooks);
    } catch (error) {
      throw error instanceof TransportFailure && error.started ? error : this.#unanswered(error, request);
    } finally {
      answered?.();
    }
  }

  /** The error for a write that the service did not carry out. */
  refusal(request: Request, reply: Reply): CliError {
    return errorOf(request, reply, this.#connection.remedies?.token);
  }

  /** The only way to the transport: nothing that may change something gets there but from a run. */
  async #exchange(request: Request, hooks?: WriteHooks): Promise<Reply> {
    const { method, path, body, does, look } = request;
    const { baseUrl, host, wrote, dryRun, authPrefix, secrets } = this.#connection;
    if (method !== 'GET' && (dryRun || !hooks))
      throw new CliError('internal', sentence`${dryRun ? 'A dry run' : 'A read'} tried to ${does}. Nothing was sent.`);
    this.#token ||= await this.#connection.token();
    const departure = await this.pacer.departure(hooks && (() => hooks.prepare()));
    let end: RequestEnd = 'nothing';
    let asked: number | undefined;
    let refused: (() => void) | undefined;
    let sent = host.now();
    try {
      if (hooks && this.known.copy !== undefined)
        throw new CliError('bad_answer', sentence`The request to ${does} was not sent: ${this.known.copy}.`, { hint: this.#noCache() });
      if (!departure.prepared) await hooks?.prepare();
      const withheld = hooks?.withheld();
      if (withheld) throw withheld;
      const url = new URL(baseUrl + path);
      const payload = body === undefined ? undefined : stringifyJson(body);
      const headers = { ...headersOf(method, body), authorization: `${authPrefix} ${this.#token}` };
      this.#debug(() => [
        sentence`> ${method} ${baseUrl}${maskSecretPairs(path)}`,
        ...headerLines({ ...headers, authorization: `${authPrefix} ${mask}` }),
        ...(payload === undefined ? [] : [this.#shown(payload)]),
      ]);
      sent = host.now();
      const leaves = () => {
        const late = hooks?.withheld();
        if (!hooks || late) return late;
        this.known.hasWritten = true;
        refused = wrote?.({ does, ...(look === undefined ? {} : { look }) });
        return undefined;
      };
      const outgoing = {
        method,
        path: url.pathname + url.search,
        headers,
        ...(payload === undefined ? {} : { body: Buffer.from(payload) }),
      };
      const answer = await this.#transport.exchange(outgoing, leaves);
      const received = host.now();
      asked = waitAsked(answer.headers['retry-after'], received);
      const { status } = answer;
      end = endOf(status, asked);
      if (status >= 400 && status < 500 && !isUnclear(status)) refused?.();
      const reply = replyOf(answer, { sent, received }, secrets);
      this.#debug(() => [
        sentence`< ${status} after ${received - sent} ms`,
        ...headerLines(answer.headers),
        this.#shown(new TextDecoder().decode(answer.body)),
      ]);
      this.#compareClocks(reply);
      if (!hooks && status !== 429 && !isUnclear(status)) this.#noteCopy(does, reply);
      return reply;
    } catch (error) {
      if (error instanceof TransportFailure && trouble.has(error.kind)) end = 'failed';
      const why = error instanceof TransportFailure ? error.details : (error as Error).message;
      this.#debug(() => [sentence`< nothing after ${host.now() - sent} ms: ${why}`]);
      throw error;
    } finally {
      this.pacer.ended(departure, end, asked);
    }
  }

  /** A copy from a cache proves nothing about a write, and no write rests on it. Throws `bad_answer`. */
  #noteCopy(does: string, { status, headers }: Reply): void {
    const age = ageOf(headers);
    if (age === 0) return;
    const copy = sentence`a copy that was in a cache for ${age} s (Age: ${age}), although a new answer was requested`;
    if (this.known.hasWritten) throw badAnswer(does, status, copy, this.#noCache());
    this.known.copy ??= sentence`the request to ${does} was answered with ${copy}`;
  }

  #noCache(): Sentence {
    return sentence`Ask the administrator of the proxy or cache not to cache ${this.#connection.baseUrl}.`;
  }

  /** The error for a request that got no answer, while nothing was changed; throws what is no failure of the network. */
  #unanswered(error: unknown, { does, method }: Request): CliError {
    if (!(error instanceof TransportFailure)) throw error;
    if (error.kind === 'interrupted') throw error.cause;
    const { origin, remedies } = this.#connection;
    const hint = error.kind === 'name' && remedies ? remedies.address : remedyFor(error);
    const nothing = method === 'GET' ? '' : ' Nothing was sent.';
    return new CliError(
      error.kind === 'timeout' ? 'timeout' : 'network',
      sentence`Could not ${does} at ${origin}: ${error.message}.${nothing}`,
      { cause: error, ...(hint === undefined ? {} : { hint }) },
    );
  }

  #problemIn({ resource }: Operation, data: JsonObject): string | undefined {
    this.known.sawId(resource, data);
    return problemOf(resource, data, (json) => this.#connection.secrets.maskedWords(json));
  }

  /** What has begun and what is over is judged by this machine's clock. */
  #compareClocks(reply: Reply): void {
    const ahead = clockOffset(dateOf(reply), reply);
    if (Math.abs(ahead) <= clocksMayDiffer || this.known.clockIsNamed) return;
    this.known.clockIsNamed = true;
    this.#connection.warn?.(sentence`warning: ${clockDifference(ahead)}, by which times are judged. To set it: proctor-cli doctor`);
  }

  /** Whether the wait of all requests has not been reported yet, and is long enough for a message. */
  #isNews(wait: number): boolean {
    const until = this.#connection.host.now() + wait;
    if (wait < worthNoting || until <= this.#noted) return false;
    this.#noted = until;
    return true;
  }

  /** A body for a debug line: without secrets, and cut if it is long. */
  #shown(text: string): Sentence {
    // Far more than is shown, because masked values may be long.
    const masked = this.#connection.secrets.maskedWords(text.slice(0, 1 << 20));
    return masked.length > 4000 ? sentence`  ${masked.slice(0, 4000)}… (${text.length} characters)` : sentence`  ${masked}`;
  }

  #debug(lines: () => readonly Sentence[]): void {
    this.#connection.debug?.(inLines(lines()));
  }
}

/** Every read demands a new answer: a copy from a cache could decide about a write, or show an outdated exam. */
function headersOf(method: Request['method'], body: Request['body']): Record<string, string> {
  return {
    accept: 'application/json',
    ...(method === 'GET' ? { 'cache-control': 'no-cache' } : {}),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    'user-agent': 'proctor-cli',
  };
}

function headerLines(headers: Readonly<Record<string, string>>): Sentence[] {
  return Object.entries(headers).map(([name, value]) => sentence`  ${shownHeader(name, value)}`);
}

/** 502 and 504 are a proxy's words for a reset and a timeout. */
function endOf(status: number, asked: number | undefined): RequestEnd {
  if (status === 429) return 'refused';
  return status === 408 || (status >= 502 && status <= 504) || (status >= 500 && asked !== undefined) ? 'failed' : 'answered';
}

/** A name that is not found, or an interruption, says nothing of the service. */
const trouble: ReadonlySet<FailureKind> = new Set(['broken', 'timeout', 'unreachable']);

/** The ID of the exam that a session belongs to; undefined where the service shows none. */
export function examOf(session: JsonObject, { dialect }: Pick<Client, 'dialect'>): string | undefined {
  const exam = fieldAt(session, dialect.sessionExamKey) ?? undefined;
  return exam === undefined || exam === '' ? undefined : textOfJson(exam);
}

/** Undefined if it leads to another origin or to another kind of resource. */
export function idInLocation(location: string | undefined, resource: Resource, baseUrl: string): string | undefined {
  const url = location === undefined ? null : URL.parse(location, `${baseUrl}/`);
  if (url?.origin !== URL.parse(baseUrl)?.origin) return undefined;
  const [id = '', collection = ''] = url?.pathname.replace(/\/$/, '').split('/').reverse() ?? [];
  if (id === '' || !(resourceNames[resource].many as readonly string[]).includes(collection)) return undefined;
  try {
    return decodeURIComponent(id);
  } catch {
    return undefined;
  }
}
