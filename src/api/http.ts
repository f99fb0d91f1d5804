/**
 * One exchange of HTTP/1.1 with one origin: deadlines, backpressure, and the fact on which everything above
 * relies: whether sending had started when a request failed. That is known from the dispatcher's request-start
 * event, never guessed from an error's code.
 */
import { isIP, type Socket } from 'node:net';
import { setImmediate as afterThisTurn } from 'node:timers/promises';
import type { SecureContext } from 'node:tls';
import type { buildConnector, Dispatcher, ProxyAgent } from 'undici';
import type { Host } from '../host/host.ts';
import { FreshConnections } from './fresh-connections.ts';
import { KeptConnections } from './kept-connections.ts';
import type { Method } from './operations.ts';
import { addressOfProxy, proxyFor } from './proxy.ts';
import { classify, TransportFailure, UnreachableProxy } from './transport-failure.ts';

export type HttpRequest = {
  method: Method;
  /** Path and query, from the root of the origin. */
  path: string;
  headers: Record<string, string>;
  body?: Buffer;
};

export type HttpAnswer = {
  status: number;
  /** Names in lower case; repeated headers joined with a comma. */
  headers: Record<string, string>;
  /** The body as it arrives. Fails with `TransportFailure` when it is cut short. */
  body: AsyncIterable<Buffer>;
  /** Called for each sign of progress while an answer is awaited. */
  progress(): void;
};

export type TransportOptions = {
  origin: string;
  host: Host;
  /** Time limit for a whole exchange; for one in steps, for each step. Milliseconds. */
  timeout: number;
  /** PEM text of further certificate authorities. */
  ca?: string;
};

export type ExchangeOptions = {
  /** The time limit applies between two calls of `progress`; without `progress`, to the whole exchange. */
  inSteps?: boolean;
  /** Called when sending starts; what it returns keeps the request from being sent. */
  leaves?(): Error | undefined;
  /** Called once, when nothing more will come: with the whole answer, or after a failure. */
  ended?(end: ExchangeEnd): void;
};

/** How an exchange ended. `retryAfter`: the header. */
export type ExchangeEnd = {
  status: number | undefined;
  failure: TransportFailure | undefined;
  retryAfter?: string | undefined;
};

export type Transport = {
  exchange(request: HttpRequest, options?: ExchangeOptions): Promise<HttpAnswer>;
  close(): Promise<void>;
};

/** How much of a body may wait for a slow reader. Bytes. */
const highWater = 1 << 20;
const connectLimit = 10_000;
/** Whatever NODE_TLS_REJECT_UNAUTHORIZED says: the token goes to no server that cannot prove its name. */
const verifying = { rejectUnauthorized: true } as const;

export function openTransport(options: TransportOptions): Transport {
  let opened: Promise<Dispatchers> | undefined;
  let writesInFlight = 0;
  const open = () => {
    opened ??= openDispatchers(options, () => writesInFlight);
    return opened;
  };
  return {
    async exchange(request, how = {}) {
      const { reads, writes, proxy } = await open();
      const isRead = request.method === 'GET';
      // undici keeps the connection of a read that has just ended for a turn of the event loop, and would open another.
      if (isRead) await afterThisTurn();
      else writesInFlight += 1;
      const ended = (end: ExchangeEnd) => {
        if (!isRead) writesInFlight -= 1;
        if (!isRead && end.failure) reads.giveUp();
        how.ended?.(end);
      };
      const exchange = new Exchange(options, { ...how, ended }, proxy);
      // A write is the only request of its connection.
      const sent = { origin: options.origin, ...request, body: request.body ?? null, reset: !isRead };
      (isRead ? reads : writes).dispatch(sent, exchange);
      return exchange.answer;
    },
    async close() {
      // A connection that failed to open needs no closing; the exchange has already given the error.
      await (await opened?.catch(() => undefined))?.close();
    },
  };
}

/** The connections for reads and for writes: a lost read is retried, a lost write is not. */
type Dispatchers = {
  reads: Pick<KeptConnections, 'dispatch' | 'giveUp'>;
  writes: Pick<Dispatcher, 'dispatch'>;
  /** The proxy for all requests, without credentials. */
  proxy?: string;
  close(): Promise<void>;
};

/** Node writes down the stack of what ends a connection, for which it would read the functions on it once more. */
const noLongerNeeded = Object.assign(new Error('the connections are no longer needed'), { code: 'UND_ERR_DESTROYED', stack: '' });

async function openDispatchers({ origin, host, timeout, ca }: TransportOptions, writesInFlight: () => number): Promise<Dispatchers> {
  if (host.dispatcher) {
    const only = host.dispatcher(origin);
    const reads = { dispatch: only.dispatch.bind(only), giveUp() {} };
    return { reads, writes: only, close: () => only.destroy() };
  }
  const isSecure = origin.startsWith('https:');
  if (isSecure) {
    // From then on, Node reads its authorities in a thread of its own. Meanwhile the rest is loaded, and the pattern is compiled by
    // which Node tells a name from an address, which takes as long.
    await import('node:tls');
    isIP(new URL(origin).hostname);
  }
  const settled = async () => {
    const connect = { timeout: Math.min(connectLimit, timeout), ...verifying, ...(isSecure ? { secureContext: await trusting(ca) } : {}) };
    // HTTP/2 in undici sends a refused POST again by itself; deadlines are ours, so undici's are off.
    return { allowH2: false, connect, headersTimeout: 0, bodyTimeout: 0, pipelining: 1 } as const;
  };
  const proxy = proxyFor(origin, host.env);
  if (!proxy || proxy.exempt !== undefined) {
    const [{ default: Pool }, { default: buildConnector }] = await Promise.all([
      import('undici/lib/dispatcher/pool.js'),
      import('undici/lib/core/connect.js'),
    ]);
    const settings = await settled();
    const fresh = new FreshConnections(buildConnector({ ...settings.connect, allowH2: false }), writesInFlight);
    const reads = new KeptConnections(() => new Pool(origin, settings));
    const writes = new Pool(origin, { ...settings, connect: fresh.connector });
    return {
      reads,
      writes,
      async close() {
        fresh.close();
        await Promise.all([reads.destroy(noLongerNeeded), writes.destroy(noLongerNeeded)]);
      },
    };
  }
  const [{ default: Pool }, { default: ProxyAgent }, { default: connectThrough }] = await Promise.all([
    import('undici/lib/dispatcher/pool.js'),
    import('undici/lib/dispatcher/proxy-agent.js'),
    import('undici/lib/api/api-connect.js'),
  ]);
  const settings = await settled();
  const address = addressOfProxy(proxy);
  // undici reports an error of the proxy and one of the service behind it alike.
  const clientFactory = (url: URL, { connect: toProxy }: { connect: buildConnector.connector }) => {
    const pool = new Pool(url.origin, {
      connect: (to, done) => {
        // undici passes the host of the proxy as the TLS server name even if it is an IP address, which Node refuses.
        const named = isIP(to.servername?.replace(/^\[(.+)\]$/, '$1') ?? '') ? { ...to, servername: '' } : to;
        toProxy(named, (error, socket) => (error ? done(new UnreachableProxy(error), null) : done(null, socket as Socket)));
      },
    });
    // The CONNECT request: undici adds this method to its pools only if the whole library is loaded.
    return Object.assign(pool, { connect: connectThrough });
  };
  const through = () =>
    new ProxyAgent({
      ...settings,
      connectTimeout: settings.connect.timeout,
      requestTls: settings.connect,
      proxyTls: verifying,
      uri: address.href,
      clientFactory: clientFactory as NonNullable<ProxyAgent.Options['clientFactory']>,
    });
  const [reads, writes] = [new KeptConnections(through), through()];
  return {
    reads,
    writes,
    proxy: address.origin,
    async close() {
      await Promise.all([reads.destroy(noLongerNeeded), writes.destroy(noLongerNeeded)]);
    },
  };
}

/**
 * What all connections of a client trust: the authorities that Node trusts, and those of a PEM text. Given as `ca`, Node would
 * write its own hundred and fifty as text and read them again, for each connection.
 */
async function trusting(ca: string | undefined): Promise<SecureContext> {
  const { createSecureContext } = await import('node:tls');
  const secure = createSecureContext();
  if (ca !== undefined) secure.context.addCACert(ca);
  return secure;
}

/** The dispatcher's handler for one request. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly answer: Promise<HttpAnswer>;
  readonly #options: TransportOptions;
  readonly #how: ExchangeOptions;
  readonly #proxy: string | undefined;
  #resolve: (answer: HttpAnswer) => void = () => {};
  #reject: (failure: TransportFailure) => void = () => {};
  #controller: Dispatcher.DispatchController | undefined;
  #started = false;
  #status: number | undefined;
  #retryAfter: string | undefined;
  #failure: TransportFailure | undefined;
  #ended = false;
  #timer: NodeJS.Timeout | undefined;
  #chunks: Buffer[] = [];
  #waiting = 0;
  #wake: () => void = () => {};
  readonly #interrupt = () =>
    this.#fail(new TransportFailure('interrupted', 'the command was stopped', this.#started, this.#options.host.interrupted.reason));

  constructor(options: TransportOptions, how: ExchangeOptions, proxy?: string) {
    this.#options = options;
    this.#how = how;
    this.#proxy = proxy;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    options.host.interrupted.addEventListener('abort', this.#interrupt, { once: true });
    this.#arm();
    if (options.host.interrupted.aborted) this.#interrupt();
  }

  onRequestStart(controller: Dispatcher.DispatchController) {
    this.#controller = controller;
    // The request was cancelled while it waited for a connection: it is never sent.
    if (this.#ended) {
      controller.abort(this.#failure ?? new Error('abandoned'));
      return;
    }
    const withheld = this.#how.leaves?.();
    if (withheld) {
      this.#fail(new TransportFailure('interrupted', withheld.message, false, withheld));
      return;
    }
    this.#started = true;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Record<string, string | string[] | undefined>) {
    if (status < 200) return;
    this.#status = status;
    this.#progress();
    const flat: HttpAnswer['headers'] = {};
    for (const name in headers) {
      const value = headers[name] ?? '';
      flat[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value;
    }
    this.#retryAfter = flat['retry-after'];
    this.#resolve({ status, headers: flat, body: this.#body(), progress: () => this.#progress() });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer) {
    this.#chunks.push(chunk);
    this.#waiting += chunk.length;
    if (this.#waiting >= highWater) {
      controller.pause();
      // The time limit is paused while the reader, not the service, is slow.
      if (this.#how.inSteps) clearTimeout(this.#timer);
    }
    this.#wake();
  }

  onResponseEnd() {
    this.#finish();
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error) {
    this.#fail(classify(error, this.#started, this.#proxy));
  }

  async *#body(): AsyncGenerator<Buffer> {
    try {
      for (;;) {
        const chunks = this.#chunks;
        this.#chunks = [];
        this.#waiting = 0;
        yield* chunks;
        if (this.#chunks.length > 0) continue;
        if (this.#failure !== undefined) throw this.#failure;
        if (this.#ended) return;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
          if (this.#controller?.paused) {
            this.#progress();
            this.#controller.resume();
          }
        });
      }
    } finally {
      if (!this.#ended) this.#fail(new TransportFailure('unread', 'the answer was not read completely', true));
    }
  }

  #progress() {
    if (this.#how.inSteps && !this.#ended) this.#arm();
  }

  #arm() {
    clearTimeout(this.#timer);
    const { timeout } = this.#options;
    const expire = () => {
      const through = this.#proxy === undefined ? '' : ` through the proxy ${this.#proxy}`;
      const late = `no ${this.#status === undefined ? '' : 'whole '}answer within ${timeout / 1000} s${through}`;
      this.#fail(new TransportFailure('timeout', late, this.#started));
    };
    this.#timer = setTimeout(expire, timeout);
  }

  #fail(failure: TransportFailure) {
    if (this.#ended) return;
    this.#failure = failure;
    this.#finish();
    this.#controller?.abort(failure);
    this.#reject(failure);
  }

  #finish() {
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#options.host.interrupted.removeEventListener('abort', this.#interrupt);
    this.#how.ended?.({ status: this.#status, failure: this.#failure, retryAfter: this.#retryAfter });
    this.#wake();
  }
}
