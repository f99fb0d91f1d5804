/**
 * One exchange of HTTP/1.1 with one origin, over undici: its agents, its proxies, its connections. What everything above relies on is
 * whether sending had started when a request failed: the dispatcher's request-start event says so, never an error's code.
 */
import type { Socket } from 'node:net';
import { setImmediate as afterThisTurn } from 'node:timers/promises';
import type { buildConnector, Dispatcher } from 'undici';
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { sentence } from '../text/sentence.ts';
import { failureOf, type HttpAnswer, TransportFailure } from './answer.ts';
import type { Method } from './operations.ts';

type HttpRequest = { method: Method; path: string; headers: Record<string, string>; body?: string | undefined };

/** `timeout`: for a whole exchange, in milliseconds. `ca`: PEM text of further certificate authorities. */
type TransportOptions = { origin: string; host: Host; timeout: number; ca?: string | undefined };

const connectLimit = 10_000;
/** What is read of one answer: a thousand times what any resource needs. Bytes. */
const largestAnswer = 64_000_000;

export function openTransport(options: TransportOptions) {
  const { origin, host, timeout } = options;
  let opened: ReturnType<typeof openAgents> | undefined;
  let writing = 0;
  return {
    /** `leaves`: called when sending starts; what it returns keeps the request from leaving. Throws `TransportFailure`. */
    async exchange({ body, ...request }: HttpRequest, leaves?: () => Error | undefined): Promise<HttpAnswer> {
      opened ??= openAgents(options, () => writing);
      const { reads, writes, proxy } = await opened;
      const isRead = request.method === 'GET';
      // undici keeps the connection of a read that has just ended for a turn of the event loop, and would open another.
      if (isRead) await afterThisTurn();
      else writing += 1;
      const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
      let [started, isOver] = [false, false];
      let head: Omit<HttpAnswer, 'body'> | undefined;
      const parts: Buffer[] = [];
      let sending: Dispatcher.DispatchController | undefined;
      const end = () => {
        isOver = true;
        if (head) resolve({ ...head, body: Buffer.concat(parts) });
      };
      const fail = (failure: TransportFailure) => {
        if (isOver) return;
        // The status of a failure says what happened, even if its words are cut short.
        if (head && head.status >= 300 && failure.kind !== 'interrupted') end();
        isOver = true;
        reject(failure);
        sending?.abort(failure);
      };
      const expire = () => {
        const through = proxy() === undefined ? '' : ` through the proxy ${proxy()}`;
        fail(new TransportFailure('timeout', `no ${head ? 'whole ' : ''}answer within ${timeout / 1000} s${through}`, started));
      };
      const stop = (cause: unknown) => fail(new TransportFailure('interrupted', 'the command was stopped', started, cause));
      const interrupt = () => stop(host.interrupted.reason);
      const handler: Dispatcher.DispatchHandler = {
        onRequestStart(controller) {
          sending = controller;
          // The request was given up while it waited for a connection.
          if (isOver) return controller.abort(new Error('given up'));
          const withheld = leaves?.();
          if (withheld) stop(withheld);
          else started = true;
        },
        onResponseStart(_controller, status, headers) {
          if (status < 200) return;
          const joined = Object.entries(headers).map(([name, value = '']) => [name.toLowerCase(), [value].flat().join(', ')]);
          head = { status, headers: Object.fromEntries(joined) };
        },
        onResponseData: (_controller, chunk) => void parts.push(chunk),
        onResponseEnd: end,
        onResponseError: (_controller, error) => fail(failureOf(error, started, proxy())),
      };
      const timer = setTimeout(expire, timeout);
      host.interrupted.addEventListener('abort', interrupt, { once: true });
      try {
        if (host.interrupted.aborted) interrupt();
        // A write is the only request of its connection. A service may close a kept one meanwhile: a lost read is sent again, a write is not.
        else (isRead ? reads : writes).dispatch({ origin, ...request, body: body ?? null, reset: !isRead }, handler);
        return await promise;
      } finally {
        if (!isRead) writing -= 1;
        clearTimeout(timer);
        host.interrupted.removeEventListener('abort', interrupt);
      }
    },
    async close(): Promise<void> {
      // What failed to open needs no closing; the exchange has thrown the error.
      await (await opened?.catch(() => undefined))?.close();
    },
  };
}

/** A proxy would look for the service on its own machine. */
const thisMachine = /^((.+\.)?localhost\.?|127(\.\d+){3}|\[::1\])$/;

/** `proxy`: the address of the one on the way, without credentials. */
async function openAgents({ origin, host, timeout, ca }: TransportOptions, writing: () => number) {
  if (host.dispatcher) {
    const only = host.dispatcher(origin);
    return { reads: only, writes: only, proxy: () => undefined, close: () => only.destroy() };
  }
  const { env } = host;
  const variable = env.https_proxy ? 'https_proxy' : 'HTTPS_PROXY';
  const httpsProxy = thisMachine.test(new URL(origin).hostname) ? '' : (env[variable] ?? '');
  let proxy = httpsProxy === '' ? undefined : addressOf(httpsProxy, variable);
  const [{ default: EnvHttpProxyAgent }, { default: buildConnector }, { default: Dispatcher }, { default: askProxy }] = await Promise.all([
    import('undici/lib/dispatcher/env-http-proxy-agent.js'),
    import('undici/lib/core/connect.js'),
    import('undici/lib/dispatcher/dispatcher.js'),
    import('undici/lib/api/api-connect.js'),
  ]);
  // As the library does it where all of it is loaded: a proxy is asked for a connection.
  Object.assign(Dispatcher.prototype, { connect: askProxy });
  // Whatever NODE_TLS_REJECT_UNAUTHORIZED says: the token goes to no server that cannot prove its name.
  const verifying = { rejectUnauthorized: true, timeout: Math.min(connectLimit, timeout), allowH2: false };
  const { createSecureContext, getCACertificates } = await import('node:tls');
  // What Node trusts, and the authorities of a PEM text: read once for all connections.
  const trusted = ca && createSecureContext({ ca: [...getCACertificates('default'), ca] });
  const trusting = trusted ? { ...verifying, secureContext: trusted } : verifying;
  const agent = (connector: buildConnector.connector) =>
    new EnvHttpProxyAgent({
      httpProxy: '',
      httpsProxy,
      noProxy: env.no_proxy || env.NO_PROXY || '',
      connect(to, done) {
        // Only NO_PROXY leads here past a proxy.
        proxy = undefined;
        connector(to, done);
      },
      requestTls: trusting,
      proxyTls: verifying,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxResponseSize: largestAnswer,
      // HTTP/2 in undici sends a refused POST again by itself.
      allowH2: false,
    });
  const connect = buildConnector(trusting);
  const fresh = freshConnections(connect, writing);
  const [reads, writes] = [agent(connect), agent(fresh.connector)];
  const close = () => {
    fresh.close();
    return Promise.all([reads.destroy(noLongerNeeded), writes.destroy(noLongerNeeded)]);
  };
  return { reads, writes, proxy: () => proxy, close };
}

/** Without a stack, for which Node would read the functions on it once more: 4 ms. */
const noLongerNeeded = Object.assign(new Error('the connections are no longer needed'), { stack: '' });

/** The address of a proxy, without its password. Throws `invalid_input` for anything else, without repeating it. */
function addressOf(proxy: string, variable: string): string {
  const url = URL.parse(proxy);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.origin;
  throw new CliError('invalid_input', sentence`${variable} is not the address of an http or https proxy.`, {
    hint: sentence`Write it as http://HOST:PORT, or remove it with: unset ${variable}`,
  });
}

/** A connection that waits longer for its write is closed: some services close a silent connection soon after. Milliseconds. */
const readyFor = 2_000;
/** What ends a connection before its write: data that come without a request are no answer. */
const ends = ['readable', 'close', 'error'] as const;

/**
 * A new connection for each write: a service may close a kept one without notice, and a write in flight then has an unknown outcome. It is
 * opened during the write before, so that writes in a row wait for no handshakes. `inFlight`: as many are opened ahead at most.
 */
function freshConnections(connect: buildConnector.connector, inFlight: () => number) {
  const ready = new Set<Promise<Socket>>();
  let asked = 0;
  const open = (options: buildConnector.Options) =>
    new Promise<Socket>((resolve, reject) => connect(options, (...[error, socket]) => (socket ? resolve(socket) : reject(error))));
  const drop = (one: Promise<Socket>) => {
    if (ready.delete(one)) one.then((socket) => socket.destroy()).catch(() => {});
  };
  const openAhead = (options: buildConnector.Options) => {
    const one = open(options);
    const dropIt = () => drop(one);
    ready.add(one);
    one.then((socket) => {
      for (const event of ends) socket.once(event, dropIt);
      setTimeout(dropIt, readyFor).unref();
    }, dropIt);
  };
  /** The one that was opened first, even if it is still opening; a new one if there is none, or the service has closed it. */
  const taken = async (options: buildConnector.Options) => {
    const [first] = ready;
    if (first) ready.delete(first);
    const socket = first && (await first.catch(() => undefined));
    return socket && !socket.destroyed ? socket : open(options);
  };
  /** Nothing is opened ahead of the second write: the first may be the only one. */
  const connector: buildConnector.connector = (options, callback) => {
    asked += 1;
    taken(options).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    );
    while (asked > 1 && ready.size < inFlight()) openAhead(options);
  };
  return { connector, close: () => ready.forEach(drop) };
}
