/**
 * HTTP/1.1 with one origin, over undici: its agents, proxies, connections. Whether sending had
 * started when a request failed says the dispatcher's request-start event, never an error's code.
 */
import type { Socket } from 'node:net';
import { setImmediate as afterThisTurn } from 'node:timers/promises';
import type { SecureContext } from 'node:tls';
import type { buildConnector, Dispatcher } from 'undici';
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { orNone } from '../model/invalid-value.ts';
import { typedVariable } from '../model/shell-quote.ts';
import { sentence } from '../text/sentence.ts';
import { type HttpAnswer, TransportFailure } from './answer.ts';
import type { Request } from './request.ts';

type HttpRequest = Pick<Request, 'method' | 'path'> & { headers: Record<string, string>; body?: string | undefined };

/** `timeout`: of a whole exchange, in milliseconds. `ca`: PEM text. */
type TransportOptions = { origin: string; host: Host; timeout: number; ca?: string | undefined };

const connectLimit = 10_000;
/** Bytes. */
const largestAnswer = 64_000_000;

export function openTransport(options: TransportOptions) {
  const { origin, host, timeout } = options;
  const opened: ReturnType<typeof openAgents>[] = [];
  let writing = 0;
  const open = () => {
    const agents = openAgents(options, () => writing);
    opened.push(agents);
    return agents;
  };
  const transport = {
    /** `leaves`: called as sending starts; an error withholds the request. Throws `TransportFailure`. */
    async exchange({ body, ...request }: HttpRequest, leaves?: () => Error | undefined, isSecond = false): Promise<HttpAnswer> {
      const agents = opened.at(-1) ?? open();
      const { reads, writes, proxy } = await agents;
      const isRead = request.method === 'GET';
      // The connection of a read that has ended is free after a turn of the event loop.
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
        // The status says what happened, even if the words are cut short.
        if (head && head.status >= 300 && failure.kind !== 'interrupted') end();
        isOver = true;
        reject(failure);
        sending?.abort(failure);
      };
      const expire = () => {
        const through = proxy() === undefined ? '' : ` through the proxy ${proxy()}`;
        fail(new TransportFailure('timeout', `no ${head ? 'whole ' : ''}answer within ${timeout / 1000} s${through}`, started));
      };
      const stop = (cause: unknown) => fail(new TransportFailure('interrupted', 'the command was stopped', started, { cause }));
      const interrupt = () => stop(host.interrupted.reason);
      const handler: Dispatcher.DispatchHandler = {
        onRequestStart(controller) {
          sending = controller;
          // It was given up while it waited for a connection.
          if (isOver) return controller.abort(new Error('given up'));
          const withheld = leaves?.();
          if (withheld) stop(withheld);
          else started = true;
        },
        onResponseStart(_controller, status, headers) {
          if (status < 200) return;
          const joined = Object.entries(headers).map(([name, value = '']) => [name, [value].flat().join(', ')]);
          head = { status, headers: Object.fromEntries(joined) };
        },
        onResponseData: (_controller, chunk) => void parts.push(chunk),
        onResponseEnd: end,
        async onResponseError(_controller, error) {
          const { failureOf } = await import('./refusal.ts');
          fail(failureOf(error, started, proxy()));
        },
      };
      const timer = setTimeout(expire, timeout);
      host.interrupted.addEventListener('abort', interrupt, { once: true });
      try {
        if (host.interrupted.aborted) interrupt();
        // Each write has a new connection: a service may be about to close a kept one.
        else (isRead ? reads : writes).dispatch({ origin, ...request, body: body ?? null, reset: !isRead }, handler);
        const answer = await promise;
        if (answer.headers['content-encoding'] === undefined) return answer;
        return (await import('./unpack.ts')).unpacked(answer, largestAnswer);
      } catch (error) {
        const { cause, started } = error as TransportFailure;
        if (isSecond || started || !nobodyVouches.test((cause as NodeJS.ErrnoException | undefined)?.code ?? '')) throw error;
        systemStore ??= readSystemStore();
        await systemStore;
        if (opened.at(-1) === agents) open();
        return await transport.exchange({ ...request, body }, leaves, true);
      } finally {
        if (!isRead) writing -= 1;
        clearTimeout(timer);
        host.interrupted.removeEventListener('abort', interrupt);
      }
    },
    async close(): Promise<void> {
      for (const agents of opened) await (await agents.catch(() => undefined))?.close();
    },
  };
  return transport;
}

/** No proxy can reach it. */
const thisMachine = /^((.+\.)?localhost\.?|127(\.\d+){3}|\[::1\])$/;

async function openAgents({ origin, host, timeout, ca }: TransportOptions, writing: () => number) {
  if (host.dispatcher) {
    const only = host.dispatcher(origin);
    return { reads: only, writes: only, proxy: () => undefined, close: () => only.destroy() };
  }
  const { env } = host;
  const variable = env.https_proxy ? 'https_proxy' : 'HTTPS_PROXY';
  const { hostname } = new URL(origin);
  const noProxy = env.no_proxy || env.NO_PROXY || '';
  const isDirect = thisMachine.test(hostname) || (noProxy.includes('/') && (await isInNetwork(hostname, noProxy)));
  const httpsProxy = isDirect ? '' : (env[variable] ?? '');
  let proxy = httpsProxy === '' ? undefined : addressOf(httpsProxy, variable);
  const [{ default: EnvHttpProxyAgent }, { default: buildConnector }, dispatchers, asking] = await Promise.all([
    import('undici/lib/dispatcher/env-http-proxy-agent.js'),
    import('undici/lib/core/connect.js'),
    import('undici/lib/dispatcher/dispatcher.js'),
    import('undici/lib/api/api-connect.js'),
    import('./answer-parser.ts'),
  ]);
  // As in the whole library: a proxy is asked for a connection.
  Object.assign(dispatchers.default.prototype, { connect: asking.default });
  // HTTP/2 in undici sends a refused POST again by itself.
  const allowH2 = false;
  // Whatever NODE_TLS_REJECT_UNAUTHORIZED says: the token goes to no unproven server.
  const verifying = { rejectUnauthorized: true, timeout: Math.min(connectLimit, timeout), allowH2 };
  const secureContext = ca && (await contextWith(ca));
  const trusting = secureContext ? { ...verifying, secureContext } : verifying;
  const agent = (connector: buildConnector.connector) =>
    new EnvHttpProxyAgent({
      httpProxy: '',
      httpsProxy,
      noProxy,
      connect(to, done) {
        // Only NO_PROXY leads past a proxy to here.
        proxy = undefined;
        connector(to, done);
      },
      requestTls: trusting,
      proxyTls: verifying,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxResponseSize: largestAnswer,
      allowH2,
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

/** In undici, NO_PROXY has names and addresses only. */
async function isInNetwork(hostname: string, noProxy: string): Promise<boolean> {
  const { BlockList } = await import('node:net');
  const familyOf = (address: string) => (address.includes(':') ? 'ipv6' : 'ipv4');
  const list = new BlockList();
  for (const [, network = '', bits] of noProxy.matchAll(/(?<![^\s,])([\d.]+|[\da-f:]+)\/(\d+)(?![^\s,])/gi))
    orNone(() => list.addSubnet(network, Number(bits), familyOf(network)));
  const address = hostname.replace(/^\[|\]$/g, '');
  return list.check(address, familyOf(address));
}

const nobodyVouches = /^(UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|CERT_UNTRUSTED)/;
let systemStore: Promise<void> | undefined;

/** Reading it takes longer than a command: it counts where Node's own authorities do not vouch for a server. */
async function readSystemStore(): Promise<void> {
  const { getCACertificates, setDefaultCACertificates } = await import('node:tls');
  setDefaultCACertificates([...getCACertificates('default'), ...getCACertificates('system')]);
}

async function contextWith(ca: string): Promise<SecureContext> {
  const { createSecureContext, getCACertificates } = await import('node:tls');
  return createSecureContext({ ca: [...getCACertificates('default'), ca] });
}

/** Without a stack, which takes Node 4 ms. */
const noLongerNeeded = Object.assign(new Error('the connections are no longer needed'), { stack: '' });

/** Without its password. Throws `invalid_input`, without repeating it. */
function addressOf(proxy: string, variable: string): string {
  const url = URL.parse(proxy);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.origin;
  throw new CliError('invalid_input', sentence`${variable} is not the address of an http or https proxy.`, {
    hint: sentence`Write it as http://HOST:PORT, or remove it with: ${typedVariable(variable)}`,
  });
}

/** Some services soon close a silent connection: one that waits longer for its write is closed. Milliseconds. */
const readyFor = 2_000;
/** What ends it, too: data that come without a request are no answer. */
const connectionEnds = ['readable', 'close', 'error'] as const;

/**
 * A new connection for each write. It is opened during the write before, so that writes in a row
 * wait for no handshakes. `inFlight`: how many are opened ahead at most.
 */
function freshConnections(connect: buildConnector.connector, inFlight: () => number) {
  const ready = new Set<Socket>();
  let [asked, opening] = [0, 0];
  let isClosed = false;
  const openAhead = (options: buildConnector.Options) => {
    opening += 1;
    connect(options, (...[, socket]) => {
      opening -= 1;
      if (!socket) return;
      const drop = () => {
        if (ready.delete(socket)) socket.destroy();
      };
      ready.add(socket);
      for (const event of connectionEnds) socket.once(event, drop);
      setTimeout(drop, readyFor).unref();
      if (isClosed) drop();
    });
  };
  const connector: buildConnector.connector = (options, callback) => {
    asked += 1;
    const first = [...ready].find(({ destroyed }) => !destroyed);
    if (first) {
      ready.delete(first);
      queueMicrotask(() => callback(null, first));
    } else connect(options, callback);
    // The first write may be the only one.
    while (asked > 1 && ready.size + opening < inFlight()) openAhead(options);
  };
  const close = () => {
    isClosed = true;
    for (const socket of ready) socket.destroy();
  };
  return { connector, close };
}
