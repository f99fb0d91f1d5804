/**
 * Sends requests to one service, retries them as far as allowed, and turns every failure into an error of the
 * table. Invariants: the token goes to the configured origin only, and redirects are never followed.
 */
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { clockDifference, clockOffset } from '../model/exam-clock.ts';
import { type Json, stringifyJson } from '../model/json.ts';
import { mask } from '../model/secret-keys.ts';
import { maskSecretPairs, shownHeader } from '../model/secret-pairs.ts';
import type { Secrets } from '../model/secrets.ts';
import { capitalised, inLines, type Sentence, sentence } from '../text/sentence.ts';
import { type Answer, dataOf, dateOf, isSuccess, type Moments, textOf } from './answer.ts';
import { answerError, badAnswer, compressed, isRefusal, unknownOutcome } from './answer-errors.ts';
import type { Dialect } from './dialect.ts';
import { codingOf, detailOf } from './error-words.ts';
import type { HttpAnswer, Transport } from './http.ts';
import { KeptAnswers } from './kept-answers.ts';
import { Known } from './known.ts';
import type { TypedLook } from './operations.ts';
import { backoff, Pacer, type RequestEnd, tries, waitAsked } from './pacer.ts';
import type { Outgoing } from './request.ts';
import { type FailureKind, remedyFor, TransportFailure } from './transport-failure.ts';

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
  /** What all clients of the service have seen; without it, a client has its own. */
  known?: Known;
  /** Copies of a cache that any client of the service was given; without it, the wire has its own. */
  kept?: KeptAnswers;
  /** The pacer of all clients of the service; without it, the wire has its own. */
  pacer?: Pacer;
  /** In a dry run nothing is sent that may change something. */
  dryRun?: boolean;
  /** Receives what happens on the wire, without secrets. */
  debug?: (lines: Sentence) => void;
  /** Called when waiting for the service begins; the function that it returns is called at the end. */
  waiting?: () => () => void;
  /** Tells a person that a request is being repeated, and why. */
  note?: (text: Sentence) => void;
  /** Tells a person that the clocks differ. */
  warn?: (text: Sentence) => void;
  /** Called for each write when sending starts; the function that it returns is called if the service refuses the write. */
  wrote?: (write: Write) => () => void;
};

/** A request that may have changed something: its description, and the command that shows whether it has. */
export type Write = { does: string; look?: TypedLook };

/** `quiet`: no message about retries, so a long wait after a 429 is a failure. */
type Sending = { attempts?: number; quiet?: boolean };
/** An answer, and when it came. */
type Exchanged = HttpAnswer & Moments;

/** A wait that is over before its message is read needs none. Milliseconds. */
const worthNoting = 1000;
/** A larger difference between the clocks is named. Milliseconds. */
const clocksMayDiffer = 120_000;

/**
 * Sends and retries requests; one per connection. Each write goes through `repeat`: once sending has started,
 * every failure is an unknown outcome.
 */
export class Wire {
  readonly connection: Connection;
  readonly pacer: Pacer;
  readonly known: Known;
  readonly #transport: Transport;
  readonly #kept: KeptAnswers;
  #token = '';
  #closed = false;
  /** Until when a reported wait of all requests lasts. */
  #noted = Number.NEGATIVE_INFINITY;

  constructor(connection: Connection, transport: Transport) {
    this.connection = connection;
    this.#kept = connection.kept ?? new KeptAnswers(connection.baseUrl);
    this.#transport = transport;
    this.known = connection.known ?? new Known();
    this.pacer = connection.pacer ?? new Pacer(connection.host);
  }

  /** What fails from now on fails because of it, and is not sent again. */
  close(): Promise<void> {
    this.#closed = true;
    return this.#transport.close();
  }

  /** Every read demands a new answer: a copy from a cache could decide about a write, or show an outdated exam. */
  headers({ method, body }: Pick<Outgoing, 'method' | 'body'>): Record<string, string> {
    return {
      accept: 'application/json',
      ...(method === 'GET' ? { 'cache-control': 'no-cache' } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
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
        const text = textOf(answer, outgoing);
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

  /**
   * Sends a request, again as far as it may be: after a 429 the refused request alone, at its next moment, until the pacer gives
   * up; after any other temporary failure up to `attempts` times.
   */
  async repeat<T>(
    outgoing: Outgoing,
    read: (answer: Exchanged) => Promise<T>,
    { attempts: most = tries, quiet = false }: Sending = {},
  ): Promise<T> {
    const attempts = outgoing.write ? 1 : most;
    const { host, note, waiting } = this.connection;
    const answered = waiting?.();
    try {
      for (let failures = 0; ; ) {
        let answer: Exchanged | undefined;
        try {
          answer = await this.#exchange(outgoing);
          const coding = isSuccess(answer) ? codingOf(answer) : undefined;
          if (coding !== undefined) throw compressed(outgoing.does, answer.status, coding);
          if (outgoing.method === 'GET') this.#kept.see(outgoing.does, answer);
          return await read(answer);
        } catch (error) {
          const failure = this.explain(error, outgoing, answer);
          if (this.#closed || !mayRepeat(error, outgoing)) throw failure;
          const isRefused = answer?.status === 429;
          if (!isRefused || quiet) failures += 1;
          const isOver = isRefused ? attempts === 1 || this.pacer.gaveUp || (quiet && this.pacer.pause >= worthNoting) : false;
          if (isOver || failures === attempts) throw failure;
          const isPaused = isRefused || waitAsked(answer?.headers['retry-after'], host.now()) !== undefined;
          // Clients that were refused together must not retry together.
          const wait = isPaused ? this.pacer.pause : backoff(failures) * (0.5 + host.random());
          const which = isRefused ? '' : ` (${failures} of ${attempts})`;
          if (!quiet && (!isRefused || this.#isNews(wait)))
            note?.(sentence`${failure.message} Retrying in ${(wait / 1000).toFixed(1)} s${which}.`);
          if (!isPaused) await host.sleep(wait);
          if (this.#closed) throw failure;
        }
      }
    } finally {
      answered?.();
    }
  }

  /** Whether the wait of all requests has not been reported yet, and is long enough for a message. */
  #isNews(wait: number): boolean {
    const until = this.connection.host.now() + wait;
    if (wait < worthNoting || until <= this.#noted) return false;
    this.#noted = until;
    return true;
  }

  /** The only way to the transport: nothing that may change something gets there but from a run. */
  async #exchange(outgoing: Outgoing): Promise<Exchanged> {
    const { method, path, body, repeat, does, look } = outgoing;
    const { baseUrl, host, wrote, dryRun, authPrefix } = this.connection;
    const { write } = outgoing;
    if (repeat !== 'safe' && (dryRun || !write))
      throw new CliError('internal', sentence`${dryRun ? 'A dry run' : 'A read'} tried to ${does}. Nothing was sent.`);
    this.#token ||= await this.connection.token();
    const prepare = write ? () => write.prepare() : undefined;
    const departure = await this.pacer.departure(prepare);
    let refused: (() => void) | undefined;
    let sent = host.now();
    try {
      if (write) this.#kept.refuseWrite(does);
      if (!departure.prepared) await prepare?.();
      const withheld = write?.withheld();
      if (withheld) throw withheld;
      const url = new URL(baseUrl + path);
      const payload = body === undefined ? undefined : Buffer.from(stringifyJson(body));
      const headers: Record<string, string> = {
        ...this.headers(outgoing),
        authorization: `${authPrefix} ${this.#token}`,
      };
      this.#debug(() => [
        sentence`> ${method} ${baseUrl}${maskSecretPairs(path)}`,
        ...headerLines({ ...headers, authorization: `${authPrefix} ${mask}` }),
        ...(payload ? [this.#shown(payload.toString())] : []),
      ]);
      sent = host.now();
      const request = { method, path: url.pathname + url.search, headers, ...(payload ? { body: payload } : {}) };
      const answer = await this.#transport.exchange(request, () => {
        if (!write) return undefined;
        const late = write.withheld();
        if (late) return late;
        this.#kept.wrote();
        refused = wrote?.({ does, ...(look === undefined ? {} : { look }) });
        return undefined;
      });
      const received = host.now();
      this.pacer.ended(departure, endOf(answer), waitAsked(answer.headers['retry-after'], received));
      if (isRefusal(answer.status)) refused?.();
      this.#debug(() => [sentence`< ${answer.status} after ${received - sent} ms`, ...headerLines(answer.headers)]);
      this.#compareClocks(answer.headers, { sent, received });
      return { ...answer, sent, received };
    } catch (error) {
      this.pacer.ended(departure, error instanceof TransportFailure && trouble.has(error.kind) ? 'failed' : 'nothing');
      this.#debug(() => [
        sentence`< nothing after ${host.now() - sent} ms: ${error instanceof TransportFailure ? error.details : (error as Error).message}`,
      ]);
      throw error;
    }
  }

  /** What has begun and what is over is judged by this machine's clock. */
  #compareClocks(headers: HttpAnswer['headers'], moments: Moments) {
    const ahead = clockOffset(dateOf(headers), moments);
    if (Math.abs(ahead) <= clocksMayDiffer || this.known.clockIsNamed) return;
    this.known.clockIsNamed = true;
    this.connection.warn?.(sentence`warning: ${clockDifference(ahead)}, by which times are judged. To set it: proctor-cli doctor`);
  }

  errorFor(outgoing: Outgoing, answer: HttpAnswer, text: string): CliError {
    const { secrets, remedies } = this.connection;
    const headers = Object.fromEntries(Object.entries(answer.headers).map(([name, value]) => [name, secrets.masked(value)]));
    return answerError(outgoing, { ...answer, headers }, secrets.maskedWords(detailOf(text, answer)), remedies?.token);
  }

  /**
   * Turns any failure into an error of the table. `answer`: the part that had arrived; without it, only a transport
   * failure shows whether the request was sent.
   */
  explain(error: unknown, outgoing: Outgoing, answer?: HttpAnswer): Error {
    if (!(error instanceof TransportFailure)) return answer ? misread(error, outgoing, answer) : (error as Error);
    const { origin, remedies } = this.connection;
    if (error.started && outgoing.repeat !== 'safe') {
      const failure = unknownOutcome(outgoing, `${capitalised(error.message)} after the request to ${outgoing.does} had been sent.`, {});
      return error.kind === 'interrupted' && error.cause instanceof CliError
        ? new CliError(error.cause.code, sentence`${error.cause.message} ${failure.message}`, { hint: failure.hint, cause: failure })
        : failure;
    }
    if (error.kind === 'interrupted') return error.cause as Error;
    const nothing = outgoing.repeat === 'safe' ? '' : ' Nothing was sent.';
    const hint = (error.kind === 'name' ? remedies?.address : undefined) ?? remedyFor(error);
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

/** Whether a request that failed so may be sent again by itself: a read; a step of a run is sent once, and the run decides. */
function mayRepeat(error: unknown, { write }: Outgoing): boolean {
  if (write) return false;
  if (error instanceof TransportFailure) return !error.lasting;
  return error instanceof CliError && (error.code === 'rate_limited' || error.code === 'unavailable');
}

/** 502 and 504 are a proxy's words for a reset and a timeout. */
function endOf({ status, headers }: HttpAnswer): RequestEnd {
  if (status === 429) return 'refused';
  const isFailed = status === 408 || (status >= 502 && status <= 504) || (status >= 500 && headers['retry-after'] !== undefined);
  return isFailed ? 'failed' : 'answered';
}

/** A name that is not found, or an interruption, says nothing of the service. */
const trouble: ReadonlySet<FailureKind> = new Set(['unreachable', 'timeout', 'broken']);

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

function headerLines(headers: Record<string, string>): Sentence[] {
  return Object.entries(headers).map(([name, value]) => sentence`  ${shownHeader(name, value)}`);
}
