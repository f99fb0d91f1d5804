/**
 * One request after the other to one service: sent from its parts, again as far as it may be, and
 * every failure in the words of the error table. The token goes to the configured origin and nowhere
 * else; redirects are never followed.
 */
import { CliError } from '../errors.ts';
import type { Host } from '../host.ts';
import { stringifyJson } from '../model/json.ts';
import { maskSecretPairs, redact, shownHeader } from '../model/secrets.ts';
import { sentence } from '../model/sentence.ts';
import { type Answer, beginningOf, dataOf, type Peek, textOf } from './answer.ts';
import type { Dialect } from './dialect.ts';
import { answerError, badAnswer, detailOf, isHtml, unknownOutcome } from './errors.ts';
import { type HttpAnswer, type Transport, TransportFailure } from './http.ts';
import type { Outgoing } from './request.ts';
import { mayRepeat, tries, waitFor } from './retry.ts';

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

/** What is sent and how often; one per connection. */
export class Wire {
  readonly connection: Connection;
  readonly #transport: Transport;
  #token = '';

  constructor(connection: Connection, transport: Transport) {
    this.connection = connection;
    this.#transport = transport;
  }

  headers(body: unknown): Record<string, string> {
    const { dialect } = this.connection;
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
      if (answer.status < 200 || answer.status > 299) throw this.errorFor(outgoing, answer, text);
      try {
        const { date } = answer.headers;
        return { status: answer.status, data: dataOf(text, answer, outgoing, open), ...(date === undefined ? {} : { date }) };
      } catch (error) {
        if (outgoing.repeat === 'safe' || !(error instanceof CliError)) throw error;
        throw unknownOutcome(outgoing, error.message, { happened: !isHtml(answer, text), status: answer.status });
      }
    };
    return this.repeat(outgoing, read, attempts);
  }

  async peek(outgoing: Outgoing): Promise<Peek> {
    const { host } = this.connection;
    try {
      const sent = host.now();
      const answer = await this.#exchange(outgoing);
      const received = host.now();
      const { text, whole } = await beginningOf(answer);
      const { status, headers } = answer;
      const success = status >= 200 && status <= 299;
      const html = success && isHtml(answer, text) ? badAnswer(outgoing.does, status, 'HTML in place of JSON', text) : undefined;
      const problem = success ? html : this.errorFor(outgoing, answer, text);
      return { status, headers, text, whole, sent, received, ...(problem ? { problem } : {}) };
    } catch (error) {
      throw this.explain(error, outgoing);
    }
  }

  /**
   * Sends a request, again where its class allows: `safe` after any passing failure, `reconcile`
   * only while nothing has left, `never` not at all.
   */
  async repeat<T>(outgoing: Outgoing, read: (answer: HttpAnswer) => Promise<T>, attempts = tries): Promise<T> {
    const { host, note } = this.connection;
    for (let attempt = 1; ; attempt += 1) {
      let retryAfter: string | undefined;
      try {
        const answer = await this.#exchange(outgoing);
        retryAfter = answer.headers['retry-after'];
        return await read(answer);
      } catch (error) {
        const failure = this.explain(error, outgoing);
        const again = attempt < attempts && mayRepeat(error, outgoing.repeat);
        if (!again) throw failure;
        const wait = waitFor(attempt, retryAfter, host);
        note?.(`${failure.message} Trying again in ${(wait / 1000).toFixed(1)} s (${attempt + 1} of ${attempts}).`);
        await host.sleep(wait);
      }
    }
  }

  async #exchange({ method, path, body }: Outgoing): Promise<HttpAnswer> {
    const { baseUrl, authPrefix, host } = this.connection;
    this.#token ||= await this.connection.token();
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

  errorFor(outgoing: Outgoing, answer: HttpAnswer, text: string): CliError {
    return answerError(outgoing, answer, detailOf(redact(text, [this.#token]), answer, this.connection.dialect));
  }

  /** A failure of the transport in the words of the error table; other errors as they are. */
  explain(error: unknown, outgoing: Outgoing): Error {
    if (!(error instanceof TransportFailure)) return error as Error;
    const { origin } = this.connection;
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

  /** A body for a debug line: without secrets, and of a long one the beginning. */
  #shown(text: string): string {
    const masked = redact(maskSecretPairs(text), [this.#token]);
    return masked.length > 4000 ? `${masked.slice(0, 4000)}… (${text.length} characters)` : masked;
  }

  #debug(line: () => string) {
    this.connection.debug?.(redact(line(), [this.#token]));
  }
}

function headerLines(headers: Record<string, string>): string {
  return Object.entries(headers)
    .map(([name, value]) => shownHeader(name, value))
    .join('\n  ');
}
