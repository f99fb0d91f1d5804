/**
 * The connections to one origin: kept ones for reads, a new one for each write; by way of a proxy; and which authorities
 * vouch for the server.
 */
import { subscribe } from 'node:diagnostics_channel';
import { BlockList, type Socket } from 'node:net';
import { createSecureContext, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { setFlagsFromString } from 'node:v8';
import type { buildConnector as Connector } from 'undici';
import connectMethod from 'undici/lib/api/api-connect.js';
import buildConnector from 'undici/lib/core/connect.js';
import symbols from 'undici/lib/core/symbols.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
import EnvHttpProxyAgent from 'undici/lib/dispatcher/env-http-proxy-agent.js';
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { orNone } from '../model/invalid-value.ts';
import { typedVariable } from '../model/shell-quote.ts';
import { sentence } from '../text/sentence.ts';
import { largestAnswer } from './answer.ts';

/** `timeout`: limit for a whole exchange, in milliseconds. `ca`: PEM text. */
export type TransportOptions = { origin: string; host: Host; timeout: number; ca: string | undefined };

const connectLimit = 10_000;

// The entry point of undici gives dispatchers `connect`, by which they ask a proxy for a connection; imports of single files do not.
Object.assign(Dispatcher.prototype, { connect: connectMethod });

/** No proxy can reach it. */
const thisMachine = /^((.+\.)?localhost\.?|127(\.\d+){3}|\[::1\])$/;

/** `writing`: how many writes are under way. */
export function openConnections({ origin, host, timeout, ca }: TransportOptions, writing: () => number) {
  const { env } = host;
  const variable = env.https_proxy ? 'https_proxy' : 'HTTPS_PROXY';
  const { hostname } = new URL(origin);
  const noProxy = env.no_proxy || env.NO_PROXY || '';
  const isDirect = thisMachine.test(hostname) || (noProxy.includes('/') && isInNetwork(hostname, noProxy));
  const httpsProxy = isDirect ? '' : (env[variable] ?? '');
  let proxy = httpsProxy === '' ? undefined : addressOf(httpsProxy, variable);
  // HTTP/2 in undici sends a refused POST again by itself.
  const allowH2 = false;
  // Whatever NODE_TLS_REJECT_UNAUTHORIZED says: the token goes to no unproven server.
  const verifying = { rejectUnauthorized: true, timeout: Math.min(connectLimit, timeout), allowH2 };
  const secureContext = ca === undefined ? undefined : createSecureContext({ ca: [...getCACertificates('default'), ca] });
  const trusting = secureContext ? { ...verifying, secureContext } : verifying;
  const agent = (connector: Connector.connector) =>
    new EnvHttpProxyAgent({
      httpProxy: '',
      httpsProxy,
      noProxy,
      connect(to, done) {
        // Past a proxy, only NO_PROXY leads here.
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

/** NO_PROXY may name whole networks, which undici does not know. */
function isInNetwork(hostname: string, noProxy: string): boolean {
  const familyOf = (address: string) => (address.includes(':') ? 'ipv6' : 'ipv4');
  const list = new BlockList();
  for (const [, network = '', bits] of noProxy.matchAll(/(?<![^\s,])([\d.]+|[\da-f:]+)\/(\d+)(?![^\s,])/gi))
    orNone(() => list.addSubnet(network, Number(bits), familyOf(network)));
  const address = hostname.replace(/^\[|\]$/g, '');
  return list.check(address, familyOf(address));
}

/** The reason without a stack, which takes Node 4 ms to make. */
const noLongerNeeded = Object.assign(new Error('the connections are no longer needed'), { stack: '' });

/** The address of a proxy without its password. Throws `invalid_input`, which does not repeat it. */
function addressOf(proxy: string, variable: string): string {
  const url = URL.parse(proxy);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.origin;
  throw new CliError('invalid_input', sentence`${variable} is not the address of an http or https proxy.`, {
    hint: sentence`Write it as http://HOST:PORT, or remove it with: ${typedVariable(variable)}`,
  });
}

/** Some services soon close a silent connection: one that waits longer for its write is closed. Milliseconds. */
const readyFor = 2_000;
/** The events after which a connection is not used: data that come without a request are no answer. */
const connectionEnds = ['readable', 'close', 'error'] as const;

/**
 * A new connection for each write. It is opened during the write before, so that writes in a row
 * wait for no handshakes. `inFlight`: how many are opened ahead at most.
 */
function freshConnections(connect: Connector.connector, inFlight: () => number) {
  const ready = new Set<Socket>();
  let [asked, opening] = [0, 0];
  let isClosed = false;
  const openAhead = (options: Connector.Options) => {
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
  const connector: Connector.connector = (options, callback) => {
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

let isSystemTrusted = false;

/** Reading the system's store takes longer than a command: it counts where Node's own authorities do not vouch for a server. */
export function trustSystemStore(): void {
  if (isSystemTrusted) return;
  isSystemTrusted = true;
  setDefaultCACertificates([...getCACertificates('default'), ...getCACertificates('system')]);
}

/**
 * What undici's parser lacks: it ends a connection for "100 Continue", which clients must accept (nodejs/undici issue
 * 197), and gets the status 102 instead, which it passes over; and it does not name the header that breaks HTTP.
 * `statusCode`: less than 200 until the headers are complete. `contentLength`: -1 where none was seen.
 */
type Parser = {
  statusCode: number;
  contentLength: number;
  onHeadersComplete(status: number, upgrade: boolean, keepAlive: boolean): number;
  execute(chunk: Buffer): void;
  createError(code: number, rest: Buffer): Error;
};

/** The budget that Node sets by default. */
export const tieringBudget = 13_000_000;
/**
 * The parser is WebAssembly, made for the first connection. Optimized after two answers, as it would be, it holds up the end of a short
 * command for 20 ms. Compiled code is kept for a Node with the same flags only: from the first connection on they are as they were.
 */
const setTieringBudget = (budget: number) => setFlagsFromString(`--wasm-tiering-budget=${budget}`);
setTieringBudget(10 * tieringBudget);
let isPostponed = true;

subscribe('undici:client:connected', (message) => {
  // Node's own client has another symbol.
  const parser = (message as { socket: { [symbols.kParser]?: Parser } }).socket[symbols.kParser];
  if (!parser) return;
  // Each write has a connection of its own: once is enough.
  if (isPostponed) setTieringBudget(tieringBudget);
  isPostponed = false;
  const { onHeadersComplete, execute, createError } = parser;
  let last: Buffer = Buffer.alloc(0);
  parser.onHeadersComplete = (status, ...rest) => onHeadersComplete.call(parser, status === 100 ? 102 : status, ...rest);
  parser.execute = (chunk) => {
    last = chunk;
    // At the end of each connection undici throws away an error, and Node reads its stack.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    try {
      execute.call(parser, chunk);
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
    }
  };
  parser.createError = (code, rest) => {
    // A length that was read before the mistake explains nothing. Without a rest, the connection has ended.
    if (rest.length > 0) parser.contentLength = -1;
    // What a chunk begins with may be the end of a line, such as the last letters of a secret.
    const [, ...lines] = last
      .toString('latin1', 0, last.length - rest.length)
      .trimEnd()
      .split('\n');
    const [header] = parser.statusCode >= 200 ? [] : (/^[^\s:]+/.exec(lines.at(-1) ?? '') ?? []);
    return Object.assign(createError.call(parser, code, rest), { header });
  };
});
