/**
 * Sends requests to one service, retries them as far as allowed, and turns every failure into an error of the
 * table. Invariants: the token goes to the configured origin only, and redirects are never followed.
 */
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { type Json, stringifyJson } from '../model/json.ts';
import { mask } from '../model/secret-keys.ts';
import { maskSecretPairs, shownHeader } from '../model/secret-pairs.ts';
import type { Secrets } from '../model/secrets.ts';
import { capitalised, inLines, type Sentence, sentence } from '../text/sentence.ts';
import { type Answer, beginningOf, dataOf, dateOf, isSuccess, type Moments, type Peek, textOf } from './answer.ts';
import type { Dialect } from './dialect.ts';
import { codingOf, detailOf, isHtml } from './error-words.ts';
import { answerError, badAnswer, compressed, isRefusal, unknownOutcome } from './errors.ts';
import type { Gate, GateReads } from './gate.ts';
import type { ExchangeEnd, HttpAnswer, Transport } from './http.ts';
import { Oddities } from './oddities.ts';
import type { TypedLook } from './operations.ts';
import { proxyFor } from './proxy.ts';
import type { Outgoing } from './request.ts';
import { mayRepeat, tries, untilNoticed, waitAsked, waitFor } from './retry.ts';
import type { SlotEnd, Slots } from './slots.ts';
import type { Tracing } from './tracing.ts';
import { remedyFor, TransportFailure } from './transport-failure.ts';

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
  /** What each write passes, whatever module sends it; `closed`: none does, in a dry run. */
  gate: Gate | 'closed';
  /** Receives what happens on the wire, without secrets. */
  debug?: (lines: Sentence) => void;
  /** Called when waiting for the service begins; the function that it returns is called at the end. */
  waiting?: () => () => void;
  /** Tells a person that a request is being repeated, and why. */
  note?: (text: Sentence) => void;
  /** Tells a person what is odd about an answer. */
  warn?: (text: Sentence) => void;
  /** Called for each write when sending starts; the function that it returns is called if the service refuses the write. */
  wrote?: (write: Write) => () => void;
};

/** A request that may have changed something: its description, and the command that shows whether it has. */
export type Write = { does: string; look?: TypedLook };

/** How a request is sent, and how its answer is awaited: see `ExchangeOptions`. `slots`: one is held while it is in flight. */
type Sending = { attempts?: number; inSteps?: boolean; slots?: Slots | undefined };
/** `authPrefix`: a word before the token to try instead of the profile's; `isTrial`: see `ExchangeOptions`. */
export type PeekOptions = { authPrefix?: string | undefined; isTrial?: boolean; signal?: AbortSignal };
/** An answer, and when it came. */
type Exchanged = HttpAnswer & Moments;

/** One try of it. */
type Try = PeekOptions & { attempt: number; inSteps?: boolean; ended?: (end: ExchangeEnd) => void };

/**
 * Sends and retries requests; one per connection. Each write goes through `repeat`: once sending has started,
 * every failure is an unknown outcome.
 */
export class Wire {
  readonly connection: Connection;
  readonly oddities: Oddities;
  readonly #transport: Transport;
  readonly #reads: () => GateReads;
  #token = '';
  #tracing: Promise<Tracing> | undefined;
  #closed = false;

  /** `reads`: through which the gate reads. */
  constructor(connection: Connection, transport: Transport, reads: () => GateReads) {
    this.connection = connection;
    this.#reads = reads;
    this.oddities = new Oddities(connection, (text) => connection.warn?.(text));
    this.#transport = transport;
  }

  /** What fails from now on fails because of it, and is not sent again. */
  close(): Promise<void> {
    this.#closed = true;
    return this.#transport.close();
  }

  rest(): Promise<void> {
    return this.#transport.rest();
  }

  /** Every read demands a new answer: one that a cache has kept would decide about writes, or tell of an exam as it was. */
  headers({ method, body }: Pick<Outgoing, 'method' | 'body'>): Record<string, string> {
    const { dialect } = this.connection;
    return {
      accept: 'application/json',
      ...(method === 'GET' ? { 'cache-control': 'no-cache' } : {}),
      ...(body === undefined ? {} : { 'content-type': dialect.contentType }),
      'user-agent': 'proctor-cli',
    };
  }

  /**
   * Sends one request. `open`: a body that is not JSON is accepted. `read` extracts the result from the answer; an
   * error that it throws counts as a bad answer of the service.
   */
  async send(
    outgoing: Outgoing,
    open: boolean,
    read: (answer: Answer) => Answer = (answer) => answer,
    sending: Sending = {},
  ): Promise<Answer> {
    return this.repeat(
      outgoing,
      async (answer) => {
        const text = await textOf(answer, outgoing);
        this.#debug(() => [this.#shown(text)]);
        if (!isSuccess(answer)) throw this.errorFor(outgoing, answer, text);
        const { sent, received, headers } = answer;
        const { location } = headers;
        const date = dateOf(headers);
        const { secrets } = this.connection;
        const body = this.unsecret(dataOf(text, answer, outgoing, { open, secrets }));
        // Text that is no JSON may be JSON that was cut short.
        const data = typeof body === 'string' && !secrets.revealed ? secrets.maskedWords(body) : body;
        return read({
          status: answer.status,
          data,
          sent,
          received,
          headers,
          ...(date === undefined ? {} : { date }),
          ...(location === undefined ? {} : { location }),
        });
      },
      sending,
    );
  }

  async peek(outgoing: Outgoing, how: PeekOptions = {}): Promise<Peek> {
    try {
      const answer = await this.#exchange(outgoing, { attempt: 1, ...how });
      const { text, whole } = await beginningOf(answer);
      const { status, headers, sent, received } = answer;
      const success = isSuccess(answer);
      const coding = codingOf(answer);
      if (success && coding !== undefined)
        return { status, headers, text: '', whole, sent, received, problem: compressed(outgoing.does, status, coding) };
      const html =
        success && isHtml(answer, text)
          ? badAnswer(outgoing.does, status, 'HTML instead of JSON', { html: this.connection.secrets.maskedWords(text) })
          : undefined;
      const problem = success ? html : this.errorFor(outgoing, answer, text);
      return { status, headers, text, whole, sent, received, ...(problem ? { problem } : {}) };
    } catch (error) {
      throw this.explain(error, outgoing);
    }
  }

  /**
   * Sends a request and retries it as its class allows: `safe` after any temporary failure, `reconcile` only if
   * nothing was sent, `never` not at all.
   */
  async repeat<T>(
    outgoing: Outgoing,
    read: (answer: Exchanged) => Promise<T>,
    { attempts = tries, inSteps = false, slots }: Sending = {},
  ): Promise<T> {
    const answered = this.connection.waiting?.();
    try {
      return await this.#repeated(outgoing, read, { attempts, inSteps, slots });
    } finally {
      answered?.();
    }
  }

  async #repeated<T>(
    outgoing: Outgoing,
    read: (answer: Exchanged) => Promise<T>,
    { attempts, inSteps, slots }: Required<Sending>,
  ): Promise<T> {
    const { host, note } = this.connection;
    for (let [attempt, sent, late] = [1, 1, 0]; ; sent += 1) {
      let answer: Exchanged | undefined;
      const slot = await slots?.take(late);
      // Fewer at a time may be answered: then it is as if it had not been sent.
      let isExcused = false;
      const ended = onlyOnce((end?: ExchangeEnd) => {
        if (slot) isExcused = slot.give(slotEndOf(end), waitAsked(end?.retryAfter, host.now())) && attempts > 1;
      });
      try {
        answer = await this.#exchange(outgoing, { attempt: sent, inSteps, ended, ...(slot ? { signal: slot.late } : {}) });
        slot?.heard();
        const coding = isSuccess(answer) ? codingOf(answer) : undefined;
        if (coding !== undefined) throw compressed(outgoing.does, answer.status, coding);
        return await read(answer);
      } catch (error) {
        ended();
        const failure = this.explain(error, outgoing, answer);
        const retryAfter = answer?.headers['retry-after'];
        const again = (isExcused || attempt < attempts) && !this.#closed && mayRepeat(error, outgoing.repeat);
        if (!again) throw failure;
        // The slots wait themselves as long as the service asks for.
        const wait = isExcused ? untilNoticed : waitFor(attempt, retryAfter, host);
        if (!isExcused) attempt += 1;
        if (slot?.late.aborted) late += 1;
        if (!isExcused) note?.(sentence`${failure.message} Retrying in ${(wait / 1000).toFixed(1)} s (${attempt} of ${attempts}).`);
        (await this.#tracing)?.retry(outgoing, { next: sent + 1, wait, ...reasonOf(failure) });
        await host.sleep(wait);
        if (this.#closed) throw failure;
      }
    }
  }

  /** The only way to the transport: nothing that may change something gets there without the gate. */
  async #exchange(
    outgoing: Outgoing,
    { attempt, inSteps = false, authPrefix = this.connection.authPrefix, isTrial, signal, ended }: Try,
  ): Promise<Exchanged> {
    const { method, path, body, repeat, does, look } = outgoing;
    const { baseUrl, host, wrote, gate } = this.connection;
    if (method !== 'GET') {
      if (gate === 'closed') throw new CliError('internal', sentence`A dry run tried to ${does}. Nothing was sent.`);
      await gate.admit(outgoing, this.#reads());
    }
    this.#token ||= await this.connection.token();
    await outgoing.admitted?.();
    const url = new URL(baseUrl + path);
    const payload = body === undefined ? undefined : Buffer.from(stringifyJson(body));
    const tracing = this.#traced();
    const traced = tracing && (await tracing).begin(outgoing, { attempt, bytes: payload?.length ?? 0 });
    const headers: Record<string, string> = {
      ...this.headers(outgoing),
      authorization: `${authPrefix} ${this.#token}`,
      ...traced?.headers,
    };
    const sent = host.now();
    this.#debug(() => {
      const line = sentence`> ${method} ${baseUrl}${maskSecretPairs(path)}`;
      return [
        line,
        ...headerLines({ ...headers, authorization: `${authPrefix} ${mask}` }),
        ...(payload ? [this.#shown(payload.toString())] : []),
      ];
    });
    const request = { method, path: url.pathname + url.search, headers, ...(payload ? { body: payload } : {}) };
    let refused: (() => void) | undefined;
    try {
      const answer = await this.#transport.exchange(request, {
        inSteps,
        isTrial,
        signal,
        leaves() {
          if (repeat !== 'safe') refused = wrote?.({ does, ...(look === undefined ? {} : { look }) });
        },
        ended(end) {
          ended?.(end);
          traced?.ended(end);
        },
      });
      const received = host.now();
      if (isRefusal(answer.status)) refused?.();
      this.#debug(() => [sentence`< ${answer.status} after ${received - sent} ms`, ...headerLines(answer.headers)]);
      return { ...answer, sent, received };
    } catch (error) {
      if (error instanceof TransportFailure) traced?.ended({ status: undefined, failure: error, started: error.started, received: 0 });
      this.#debug(() => [sentence`< nothing after ${host.now() - sent} ms: ${error instanceof Error ? error.message : String(error)}`]);
      throw error;
    }
  }

  /** Undefined where a request needs no ID. */
  #traced(): Promise<Tracing> | undefined {
    const { host, dialect } = this.connection;
    if (!host.log && dialect.requestIdHeader === '' && !host.env.TRACEPARENT) return undefined;
    const load = async () => {
      const tracing = new (await import('./tracing.ts')).Tracing(this.connection);
      const { ignored } = tracing;
      if (ignored.length > 0)
        this.#debug(() => ignored.map((name) => sentence`${name} is ignored: its value is not valid W3C Trace Context.`));
      return tracing;
    };
    this.#tracing ??= load();
    return this.#tracing;
  }

  errorFor(outgoing: Outgoing, answer: HttpAnswer, text: string): CliError {
    const { secrets, remedies } = this.connection;
    const headers = Object.fromEntries(Object.entries(answer.headers).map(([name, value]) => [name, secrets.masked(value)]));
    return answerError(outgoing, { ...answer, headers }, secrets.maskedWords(detailOf(text, answer)), {
      dialect: this.connection.dialect,
      tokenRemedy: remedies?.token,
    });
  }

  /**
   * Turns any failure into an error of the table. `answer`: the part that had arrived; without it, only a transport
   * failure shows whether the request was sent.
   */
  explain(error: unknown, outgoing: Outgoing, answer?: HttpAnswer): Error {
    if (!(error instanceof TransportFailure)) return answer ? misread(error, outgoing, answer) : (error as Error);
    const { origin } = this.connection;
    if (error.started && outgoing.repeat !== 'safe') {
      const failure = unknownOutcome(outgoing, `${capitalised(error.message)} after the request to ${outgoing.does} had been sent.`, {});
      return error.kind === 'interrupted' && error.cause instanceof CliError
        ? new CliError(error.cause.code, sentence`${error.cause.message} ${failure.message}`, { hint: failure.hint, cause: failure })
        : failure;
    }
    if (error.kind === 'interrupted') return error.cause as Error;
    const nothing = outgoing.repeat === 'safe' ? '' : ' Nothing was sent.';
    const hint =
      error.kind === 'dns'
        ? (this.connection.remedies?.address ??
          sentence`Check the network, and the spelling of the base URL: proctor-cli config get baseUrl`)
        : remedyFor(error, origin, proxyFor(origin, this.connection.host.env)?.variable);
    return new CliError(
      error.kind === 'timeout' ? 'timeout' : 'network',
      sentence`Could not ${outgoing.does} at ${origin}: ${error.message}.${nothing}`,
      {
        cause: error,
        ...(hint === undefined ? {} : { hint }),
      },
    );
  }

  /** A body for a debug line: without secrets, and cut if it is long. */
  #shown(text: string): Sentence {
    // Far more than is shown, because masked values may be long.
    const masked = this.connection.secrets.maskedWords(text.slice(0, 1 << 20));
    return masked.length > 4000 ? sentence`  ${masked.slice(0, 4000)}… (${text.length} characters)` : sentence`  ${masked}`;
  }

  #debug(lines: () => readonly Sentence[]) {
    this.connection.debug?.(inLines(lines()));
  }

  /** The data of the service without the secrets of this process, unless secrets were requested. */
  unsecret<T extends Json | undefined>(data: T): T {
    const { secrets } = this.connection;
    return secrets.revealed ? data : secrets.maskedIn(data);
  }
}

function onlyOnce<T>(act: (given?: T) => void): (given?: T) => void {
  let done = false;
  return (given) => {
    if (!done) act(given);
    done = true;
  };
}

/** Undefined: the request was not sent. */
function slotEndOf(end: ExchangeEnd | undefined): SlotEnd {
  if (end?.status === 429) return 'limited';
  return end && !end.failure && end.status !== undefined && end.status < 500 && end.status !== 408 ? 'answered' : 'failed';
}

/** The error thrown while an answer was read. A write answered with a success is never a plain error. */
function misread(error: unknown, outgoing: Outgoing, answer: HttpAnswer): Error {
  const broken = error as Error & { code?: string };
  const beyondReading = broken instanceof RangeError || broken.code === 'ERR_STRING_TOO_LONG';
  const told = beyondReading ? badAnswer(outgoing.does, answer.status, `more than can be read (${broken.message})`) : broken;
  const settled = told instanceof CliError && told.code !== 'bad_answer' && told.code !== 'internal';
  if (settled || outgoing.repeat === 'safe') return told;
  const what =
    told instanceof CliError ? told.message : `The answer to the request to ${outgoing.does} could not be used: ${told.message}.`;
  return unknownOutcome(outgoing, what, {
    happened: told instanceof CliError ? told.happened : isSuccess(answer),
    status: answer.status,
  });
}

function reasonOf(error: Error): { reason: string; status: number | undefined } {
  return error instanceof CliError ? { reason: error.code, status: error.status } : { reason: 'internal', status: undefined };
}

function headerLines(headers: Record<string, string>): Sentence[] {
  return Object.entries(headers).map(([name, value]) => sentence`  ${shownHeader(name, value)}`);
}
