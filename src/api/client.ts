/**
 * The service as operations: builds each request from the table, repeats it as far as the
 * operation's `repeat` class allows, and turns every answer into data or into one clear error.
 * The token goes to the configured origin and nowhere else; redirects are never followed.
 */
import { CliError } from '../errors.ts';
import type { Host } from '../host.ts';
import { Exam } from '../model/exam.ts';
import { isJsonObject, type Json, type JsonObject, parseJson, stringifyJson } from '../model/json.ts';
import { Proctor } from '../model/proctor.ts';
import { misfit } from '../model/schema.ts';
import { maskSecretPairs, redact, shownHeader } from '../model/secrets.ts';
import { sentence } from '../model/sentence.ts';
import { shellQuoted } from '../model/shell-quote.ts';
import { StudentSession } from '../model/student-session.ts';
import { User } from '../model/user.ts';
import { type Dialect, resourceNames, words } from './dialect.ts';
import { answerError, badAnswer, detailOf, isHtml, unknownOutcome } from './errors.ts';
import { type HttpAnswer, openTransport, type Transport, TransportFailure } from './http.ts';
import { JsonItems, NotAList } from './json-items.ts';
import { oneByOne } from './one-by-one.ts';
import { filled, type Method, type Operation, type Repeat } from './operations.ts';
import { firstPage, type Page, pageAfter } from './paging.ts';

/** What one request carries besides its operation. */
export type RequestInput = {
  /** Values of the `:name` segments of the path. */
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: JsonObject;
};

/** A request as it would be sent, for the dry run. */
export type PlannedRequest = { method: Method; url: string; headers: Record<string, string>; body?: JsonObject };

export type Answer = {
  status: number;
  /** The body; undefined where there is none. */
  data: Json | undefined;
  /** What the service's clock showed (the Date header), where it says so. */
  date?: string;
};

/** A request of the user's own making (`api METHOD PATH`). */
export type RawRequest = {
  method: Method /** Path and query below the base URL. */;
  path: string;
  body?: Json;
  repeat: Repeat;
  does: string;
  look?: string;
};

/** An answer as it came, for those who examine the service itself. */
export type Peek = {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  /** The body, or its beginning. */
  text: string;
  whole: boolean;
  /** When the request left and when the answer began, by this machine's clock: milliseconds since 1970. */
  sent: number;
  received: number;
  /** What it means where it is no success, or not the service's. */
  problem?: CliError;
};

/** So much of a body is looked at. Bytes. */
const peeked = 4 << 20;

type ListOptions = { stream?: boolean; once?: boolean };

export type Client = {
  readonly dialect: Dialect;
  readonly origin: string;
  /** Sends one request and returns its answer, unwrapped and checked against the resource's model. */
  call(operation: Operation, input: RequestInput, options?: { once?: boolean }): Promise<Answer>;
  /** The resource that a `one` operation answers with. */
  get(operation: Operation, input: RequestInput): Promise<JsonObject>;
  /**
   * All items of a list, page after page. With `stream`, items come as they arrive and a failure
   * after the first one ends the list with an error; without, a page is repeated as a whole. With
   * `once`, nothing is repeated: for a list that only spares somebody typing, and has to come soon.
   */
  list(operation: Operation, input: RequestInput, options?: ListOptions): AsyncIterableIterator<JsonObject>;
  raw(request: RawRequest): Promise<Answer>;
  /** The answer to a reading operation, whatever it is; asked for once. */
  peek(operation: Operation, input: RequestInput): Promise<Peek>;
  plan(operation: Operation, input: RequestInput): PlannedRequest;
  close(): Promise<void>;
};

export type Connection = {
  host: Host;
  /** Ends in /api/v1. */
  baseUrl: string;
  origin: string;
  authPrefix: string;
  /** Asked when the first request is about to be sent; a dry run needs none. */
  token(): Promise<string>;
  dialect: Dialect;
  timeoutMilliseconds: number;
  ca?: string;
  /** Receives one line for each thing that happens on the wire, redacted. */
  debug?: (line: string) => void;
  /** Tells a person that a request is being repeated, and why. */
  note?: (text: string) => void;
};

const models = { exam: Exam, session: StudentSession, proctor: Proctor, user: User } as const;

/** How much of a list is taken apart at once: few items are alive at a time then, and memory stays low. Bytes. */
const portion = 8 << 10;

const tries = 3;
/** Milliseconds: the longest first wait between tries, and the longest that the service may ask for. */
const backoffBase = 500;
const longestWait = 30_000;

/** The request that has to be sent for an operation, wrapped as the dialect has it. */
type Outgoing = { method: Method; path: string; body?: Json; repeat: Repeat; does: string; look?: string };

export function connect(connection: Connection): Client {
  const { dialect, host } = connection;
  const transport = openTransport({
    origin: connection.origin,
    host,
    timeout: connection.timeoutMilliseconds,
    ...(connection.ca === undefined ? {} : { ca: connection.ca }),
  });
  const wire = new Wire(connection, transport);
  const call: Client['call'] = async (operation, input, { once = false } = {}) => {
    const outgoing = outgoingFor(operation, input, dialect);
    const answer = await wire.send(outgoing, operation.answer === 'open', once ? 1 : tries);
    if (operation.answer !== 'one') return answer;
    const data = unwrap(answer.data, operation, dialect);
    const problem = isJsonObject(data) ? misfit(models[operation.resource], data) : `the body is ${describe(data)}, not an object`;
    if (problem !== undefined) {
      const failure = badAnswer(outgoing.does, answer.status, `an unexpected shape: ${problem}`);
      throw operation.repeat === 'safe' ? failure : unknownOutcome(outgoing, failure.message, { happened: true, status: answer.status });
    }
    if (operation.writes?.writing === 'create' && isJsonObject(data) && !Object.hasOwn(data, dialect.idKey)) {
      const what = `The service answered ${answer.status} to the request to ${outgoing.does}, but its answer has no "${dialect.idKey}".`;
      throw unknownOutcome(outgoing, what, { status: answer.status });
    }
    return { ...answer, data };
  };
  return {
    dialect,
    origin: connection.origin,
    call,
    async get(operation, input) {
      return (await call(operation, input)).data as JsonObject;
    },
    list: (operation, input, options = {}) => oneByOne(wire.list(operation, outgoingFor(operation, input, dialect), options)),
    raw: (request) => wire.send(request, true),
    peek: (operation, input) => wire.peek(outgoingFor(operation, input, dialect)),
    plan(operation, input) {
      const { method, path, body } = outgoingFor(operation, input, dialect);
      const headers = { ...wire.headers(body), authorization: `${connection.authPrefix} ********` };
      return { method, url: connection.baseUrl + path, headers, ...(body === undefined ? {} : { body: body as JsonObject }) };
    },
    close: () => transport.close(),
  };
}

/** Path, query and body of an operation's request. Throws `invalid_input` for an ID that would change the path. */
function outgoingFor(operation: Operation, { params = {}, query = {}, body }: RequestInput, dialect: Dialect): Outgoing {
  const path = operation.path.replace(/:(\w+)/g, (_, name: string) => pathSegment(params[name] ?? ''));
  const search = Object.keys(query).length === 0 ? '' : `?${new URLSearchParams(query)}`;
  const wrapper = operation.writes?.resource === 'exam' ? dialect.examWrapper : operation.writes ? dialect.sessionWrapper : '';
  return {
    method: operation.method,
    path: path + search,
    repeat: operation.repeat,
    does: filled(operation.does, params),
    ...(operation.look === undefined ? {} : { look: filled(operation.look, asTyped(params)) }),
    ...(body === undefined ? {} : { body: wrapper === '' ? body : { [wrapper]: body } }),
  };
}

/** The ID of what the service has answered with; undefined where it shows none. */
export function idOf(item: JsonObject, { dialect }: Client): string | undefined {
  const id = item[dialect.idKey];
  return id === undefined || id === null ? undefined : String(id);
}

/** An ID as one segment of a path: encoded, or refused where a server might read it as something else. */
export function pathSegment(id: string): string {
  const refuse = (why: string) =>
    new CliError('invalid_input', `The ID ${JSON.stringify(id)} ${why}.`, { hint: 'Give the ID as the service lists it.' });
  if (id.trim() === '') throw refuse('is empty');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[/\\\u0000-\u001f\u007f]/.test(id)) throw refuse('has a slash or a control character in it, which would lead to another path');
  if (/^\.+$/.test(id)) throw refuse('consists of dots, which would lead to another path');
  if (!id.isWellFormed()) throw refuse('is not valid text');
  return encodeURIComponent(id);
}

/** The parameters as they stand in a command line. */
function asTyped(params: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, shellQuoted(value)]));
}

/** What is sent and how often; one per connection. */
class Wire {
  readonly #connection: Connection;
  readonly #transport: Transport;
  #token = '';

  constructor(connection: Connection, transport: Transport) {
    this.#connection = connection;
    this.#transport = transport;
  }

  headers(body: unknown): Record<string, string> {
    const { dialect } = this.#connection;
    return {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': dialect.contentType }),
      'user-agent': 'proctor-cli',
    };
  }

  /** One request to its answer. `open`: a body that is not JSON does no harm. */
  async send(outgoing: Outgoing, open: boolean, attempts = tries): Promise<Answer> {
    const read = async (answer: HttpAnswer): Promise<Answer> => {
      const text = await textOf(answer, outgoing);
      this.#debug(() => `  ${this.#shown(text)}`);
      if (answer.status < 200 || answer.status > 299) throw this.#errorFor(outgoing, answer, text);
      try {
        const { date } = answer.headers;
        return { status: answer.status, data: dataOf(text, answer, outgoing, open), ...(date === undefined ? {} : { date }) };
      } catch (error) {
        if (outgoing.repeat === 'safe' || !(error instanceof CliError)) throw error;
        throw unknownOutcome(outgoing, error.message, { happened: !isHtml(answer, text), status: answer.status });
      }
    };
    return this.#repeat(outgoing, read, attempts);
  }

  async peek(outgoing: Outgoing): Promise<Peek> {
    const { host } = this.#connection;
    try {
      const sent = host.now();
      const answer = await this.#exchange(outgoing);
      const received = host.now();
      const { text, whole } = await beginningOf(answer);
      const { status, headers } = answer;
      const success = status >= 200 && status <= 299;
      const html = success && isHtml(answer, text) ? badAnswer(outgoing.does, status, 'HTML in place of JSON', text) : undefined;
      const problem = success ? html : this.#errorFor(outgoing, answer, text);
      return { status, headers, text, whole, sent, received, ...(problem ? { problem } : {}) };
    } catch (error) {
      throw this.#explain(error, outgoing);
    }
  }

  async *list(operation: Operation, outgoing: Outgoing, { stream = false, once = false }: ListOptions): AsyncGenerator<JsonObject[], void> {
    const { dialect } = this.#connection;
    const names = [...resourceNames[operation.resource].many, ...words(dialect.listKeys)];
    let page: Page | undefined = firstPage(outgoing.path);
    let count = 0;
    while (page) {
      const current: Page = page;
      const request = { ...outgoing, path: current.path };
      const read = (answer: HttpAnswer) => this.#items(operation, request, answer, new JsonItems(names), current);
      if (stream) {
        const answered = await this.#repeat(request, (answer) => this.#opened(request, answer), once ? 1 : tries);
        try {
          for await (const batch of read(answered)) {
            count += batch.length;
            yield batch;
          }
        } catch (error) {
          throw this.#brokenOff(error, request, count);
        }
      } else {
        const whole = async (answer: HttpAnswer) => {
          const all: JsonObject[][] = [];
          for await (const batch of read(await this.#opened(request, answer))) all.push(batch);
          return all.flat();
        };
        const items = await this.#repeat(request, whole, once ? 1 : tries);
        count += items.length;
        yield items;
      }
      page = pageAfter(current, count, {
        dialect,
        origin: this.#connection.origin,
        basePath: new URL(this.#connection.baseUrl).pathname,
        does: outgoing.does,
      });
    }
  }

  /** An answer whose body is worth reading as a list; any other is an error. */
  async #opened(outgoing: Outgoing, answer: HttpAnswer): Promise<HttpAnswer> {
    const type = answer.headers['content-type'] ?? '';
    if (answer.status >= 200 && answer.status <= 299 && !/html/i.test(type)) return answer;
    const text = await textOf(answer, outgoing);
    if (answer.status < 200 || answer.status > 299) throw this.#errorFor(outgoing, answer, text);
    throw badAnswer(outgoing.does, answer.status, 'HTML in place of JSON', text);
  }

  async *#items(operation: Operation, outgoing: Outgoing, answer: HttpAnswer, items: JsonItems, page: Page): AsyncGenerator<JsonObject[]> {
    const { dialect } = this.#connection;
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
          if (batch.length > 0) yield batch.map(check);
        }
      }
      items.end();
    } catch (error) {
      if (error instanceof NotAList) throw badAnswer(outgoing.does, answer.status, error.message);
      if (error instanceof SyntaxError)
        throw badAnswer(outgoing.does, answer.status, `JSON that is cut short or broken (${error.message})`);
      throw error;
    }
    page.headers = answer.headers;
    page.siblings = items.siblings;
  }

  /**
   * Sends a request, again where its class allows: `safe` after any passing failure, `reconcile`
   * only while nothing has left, `never` not at all.
   */
  async #repeat<T>(outgoing: Outgoing, read: (answer: HttpAnswer) => Promise<T>, attempts = tries): Promise<T> {
    const { host, note } = this.#connection;
    for (let attempt = 1; ; attempt += 1) {
      let retryAfter: string | undefined;
      try {
        const answer = await this.#exchange(outgoing);
        retryAfter = answer.headers['retry-after'];
        return await read(answer);
      } catch (error) {
        const failure = this.#explain(error, outgoing);
        const again = attempt < attempts && mayRepeat(error, outgoing.repeat);
        if (!again) throw failure;
        const wait = waitFor(attempt, retryAfter, host);
        note?.(`${failure.message} Trying again in ${(wait / 1000).toFixed(1)} s (${attempt + 1} of ${attempts}).`);
        await host.sleep(wait);
      }
    }
  }

  async #exchange({ method, path, body }: Outgoing): Promise<HttpAnswer> {
    const { baseUrl, authPrefix, host } = this.#connection;
    this.#token ||= await this.#connection.token();
    const url = new URL(baseUrl + path);
    const payload = body === undefined ? undefined : Buffer.from(stringifyJson(body));
    const headers: Record<string, string> = { ...this.headers(body), authorization: `${authPrefix} ${this.#token}` };
    const started = host.now();
    this.#debug(() => `> ${method} ${baseUrl}${path}\n  ${headerLines(headers)}${payload ? `\n  ${this.#shown(payload.toString())}` : ''}`);
    const request = { method, path: url.pathname + url.search, headers, ...(payload ? { body: payload } : {}) };
    try {
      const answer = await this.#transport.exchange(request, { stream: method === 'GET' });
      this.#debug(() => `< ${answer.status} after ${host.now() - started} ms\n  ${headerLines(answer.headers)}`);
      return answer;
    } catch (error) {
      this.#debug(() => `< nothing after ${host.now() - started} ms: ${error instanceof Error ? error.message : error}`);
      throw error;
    }
  }

  #errorFor(outgoing: Outgoing, answer: HttpAnswer, text: string): CliError {
    return answerError(outgoing, answer, detailOf(redact(text, [this.#token]), answer, this.#connection.dialect));
  }

  /** A failure of the transport in the words of the error table; other errors as they are. */
  #explain(error: unknown, outgoing: Outgoing): Error {
    if (!(error instanceof TransportFailure)) return error as Error;
    const { origin } = this.#connection;
    if (error.started && outgoing.repeat !== 'safe') {
      const failure = unknownOutcome(outgoing, `${sentence(error.message)} after the request to ${outgoing.does} had been sent.`, {});
      return error.kind === 'interrupted' && error.cause instanceof CliError
        ? new CliError(error.cause.code, `${error.cause.message} ${failure.message}`, { hint: failure.hint, cause: failure })
        : failure;
    }
    if (error.kind === 'interrupted') return error.cause as Error;
    const nothing = outgoing.repeat === 'safe' ? '' : ' Nothing was sent.';
    const hints: Partial<Record<TransportFailure['kind'], string>> = {
      dns: 'Check the network, and the spelling of the base URL: proctor-cli config get baseUrl',
      tls: 'For a private certificate authority, set its PEM file: proctor-cli config set caFile FILE',
      proxy: 'Check HTTPS_PROXY and NO_PROXY.',
    };
    const hint = hints[error.kind];
    return new CliError(
      error.kind === 'timeout' ? 'timeout' : 'network',
      `Could not ${outgoing.does} at ${origin}: ${error.message}.${nothing}`,
      {
        cause: error,
        ...(hint === undefined ? {} : { hint }),
      },
    );
  }

  /** The failure of a list of which so many items have been handed out. */
  #brokenOff(error: unknown, outgoing: Outgoing, items: number): Error {
    if (items === 0 || !(error instanceof TransportFailure) || error.kind === 'interrupted') return this.#explain(error, outgoing);
    return new CliError(error.kind === 'timeout' ? 'timeout' : 'network', `The list broke off after ${items} items: ${error.message}.`, {
      cause: error,
      hint: 'What was printed is not the whole list; run the command again.',
    });
  }

  /** A body for a debug line: without secrets, and of a long one the beginning. */
  #shown(text: string): string {
    const masked = redact(maskSecretPairs(text), [this.#token]);
    return masked.length > 4000 ? `${masked.slice(0, 4000)}… (${text.length} characters)` : masked;
  }

  #debug(line: () => string) {
    this.#connection.debug?.(redact(line(), [this.#token]));
  }
}

function headerLines(headers: Record<string, string>): string {
  return Object.entries(headers)
    .map(([name, value]) => shownHeader(name, value))
    .join('\n  ');
}

async function textOf(answer: HttpAnswer, outgoing: Outgoing): Promise<string> {
  const parts: Buffer[] = [];
  try {
    for await (const part of answer.body) parts.push(part);
  } catch (error) {
    if (!(error instanceof TransportFailure) || error.kind === 'interrupted') throw error;
    // The status of a failure says what has happened; of its words, those that came will do.
    if (answer.status < 200 || answer.status > 299) return Buffer.concat(parts).toString();
    if (outgoing.repeat === 'safe') throw error;
    const what = `The service answered ${answer.status} to the request to ${outgoing.does}, but the answer was cut short.`;
    throw unknownOutcome(outgoing, what, { happened: true, status: answer.status });
  }
  return Buffer.concat(parts)
    .toString('utf8')
    .replace(/^\uFEFF/, '');
}

async function beginningOf({ body }: HttpAnswer): Promise<{ text: string; whole: boolean }> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of body) {
    parts.push(part);
    length += part.length;
    if (length > peeked) break;
  }
  return {
    text: Buffer.concat(parts)
      .toString('utf8')
      .replace(/^\uFEFF/, ''),
    whole: length <= peeked,
  };
}

function dataOf(text: string, answer: HttpAnswer, outgoing: Outgoing, open: boolean): Json | undefined {
  if (isHtml(answer, text)) throw badAnswer(outgoing.does, answer.status, 'HTML in place of JSON', text);
  if (text.trim() === '') {
    if (open || answer.status === 204) return undefined;
    throw badAnswer(outgoing.does, answer.status, 'an empty body');
  }
  try {
    return parseJson(text);
  } catch (error) {
    if (open && !/^\s*[[{"]/.test(text)) return text;
    throw badAnswer(outgoing.does, answer.status, `JSON that is cut short or broken (${(error as Error).message})`);
  }
}

/** The resource in an answer: bare, or under one of the names that the dialect knows. */
function unwrap(data: Json | undefined, operation: Operation, dialect: Dialect): Json | undefined {
  if (!isJsonObject(data) || Object.hasOwn(data, dialect.idKey)) return data;
  const names = [...resourceNames[operation.resource].one, ...words(dialect.objectKeys)];
  const name = names.find((key) => isJsonObject(data[key]));
  return name === undefined ? data : data[name];
}

function describe(data: Json | undefined): string {
  if (data === undefined) return 'empty';
  return data === null ? 'null' : Array.isArray(data) ? 'a list' : `a ${typeof data}`;
}

function mayRepeat(error: unknown, repeat: Repeat): boolean {
  if (repeat === 'never') return false;
  if (error instanceof TransportFailure) {
    if (error.kind === 'interrupted' || error.kind === 'tls') return false;
    return repeat === 'safe' || !error.started;
  }
  return repeat === 'safe' && error instanceof CliError && (error.code === 'unavailable' || error.code === 'rate_limited');
}

/** Full jitter, and at least what the service asks for, within a limit. Milliseconds. */
function waitFor(attempt: number, retryAfter: string | undefined, host: Host): number {
  const jitter = host.random() * backoffBase * 2 ** (attempt - 1);
  return Math.max(jitter, waitAsked(retryAfter, host.now()) ?? 0);
}

/** What a service asks to wait with Retry-After, as seconds or as a date, within a limit; undefined where it cannot be read. Milliseconds. */
export function waitAsked(retryAfter: string | undefined, now: number, limit = longestWait): number | undefined {
  if (retryAfter === undefined) return undefined;
  const asked = /^\d+$/.test(retryAfter.trim()) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - now;
  return Number.isNaN(asked) ? undefined : Math.min(Math.max(asked, 0), limit);
}
