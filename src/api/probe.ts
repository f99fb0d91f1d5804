/**
 * Checks the route to an origin without a request: the addresses of its name, and its certificate, even an
 * untrusted one. Only handshakes are sent.
 */
import { lookup } from 'node:dns/promises';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { isIP } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { trusting } from './http.ts';
import { classify, classifyProxy, refusedByProxy, TransportFailure } from './transport-failure.ts';

/** The addresses of a name. Throws `TransportFailure`; `milliseconds` is how long that may take. */
export async function addressesOf(hostname: string, milliseconds: number): Promise<string[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TransportFailure('timeout', `no answer within ${milliseconds / 1000} s`, false)), milliseconds);
  });
  try {
    const found = await Promise.race([lookup(hostname, { all: true }), late]);
    return found.map(({ address }) => address);
  } catch (error) {
    throw explained(error);
  } finally {
    clearTimeout(timer);
  }
}

export type Certificate = {
  /** The name that the certificate is for. */
  subject: string;
  issuer: string;
  /** Milliseconds since 1970. */
  ends: number;
  /** Such as TLSv1.3. */
  protocol: string;
  /** Why it is not trusted, as Node's code (CERT_HAS_EXPIRED); undefined if it is trusted. */
  problem: string | undefined;
};

export type Door = {
  origin: string;
  /** Proxy to go through. */
  proxy: string | undefined;
  /** PEM text of further authorities. */
  ca: string | undefined;
  milliseconds: number;
  signal: AbortSignal;
};

/** The certificate of an https origin. Throws `TransportFailure` if there is none. */
export async function certificateOf({ origin, proxy, ca, milliseconds, signal }: Door): Promise<Certificate> {
  const { hostname, port } = new URL(origin);
  const host = hostname.replace(/^\[(.+)\]$/, '$1');
  const target = { host, port: Number(port || 443) };
  const end = AbortSignal.any([signal, AbortSignal.timeout(milliseconds)]);
  const secureContext = await trusting(ca);
  let tunnel: Socket | undefined;
  let socket: TLSSocket | undefined;
  const late = () => new TransportFailure('timeout', `no answer within ${milliseconds / 1000} s`, false);
  const stop = () => (socket ?? tunnel)?.destroy(late());
  end.addEventListener('abort', stop, { once: true });
  try {
    tunnel = proxy === undefined ? undefined : await tunnelThrough(proxy, `${hostname}:${target.port}`, end);
    // Only the certificate is read, and nothing is sent: requests go through `http.ts`, which rejects such a certificate.
    const open = connect({
      ...target,
      secureContext,
      ...(tunnel ? { socket: tunnel } : {}),
      ...(isIP(host) ? {} : { servername: host }),
      rejectUnauthorized: false,
    });
    socket = open;
    await new Promise<void>((resolve, reject) => {
      open.once('secureConnect', resolve);
      open.once('error', reject);
    });
    return described(open);
  } catch (error) {
    throw end.aborted ? late() : explained(error);
  } finally {
    end.removeEventListener('abort', stop);
    socket?.destroy();
    tunnel?.destroy();
  }
}

function described(socket: TLSSocket): Certificate {
  const { subject, issuer, valid_to } = socket.getPeerCertificate();
  // In fact a code, although Node's types say `Error`.
  const problem = socket.authorized ? undefined : String(socket.authorizationError);
  return {
    subject: first(subject?.CN),
    issuer: first(issuer?.CN ?? issuer?.O),
    ends: Date.parse(valid_to),
    protocol: socket.getProtocol() ?? 'TLS',
    problem,
  };
}

function first(name: string | string[] | undefined): string {
  return (Array.isArray(name) ? name[0] : name) ?? '(no name)';
}

/** A connection through a proxy, as yet without TLS. */
async function tunnelThrough(proxy: string, target: string, signal: AbortSignal): Promise<Socket> {
  const { origin: address, protocol, hostname, port, username, password } = new URL(proxy);
  const login = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  const asking = (protocol === 'https:' ? requestHttps : requestHttp)({
    host: hostname.replace(/^\[(.+)\]$/, '$1'),
    port: port || (protocol === 'https:' ? 443 : 80),
    method: 'CONNECT',
    path: target,
    headers: { host: target, ...(username === '' ? {} : { 'proxy-authorization': `Basic ${login}` }) },
    agent: false,
    signal,
  });
  return new Promise((resolve, reject) => {
    // A proxy that refuses may keep the connection, and with it this process.
    const refused = ({ statusCode }: IncomingMessage, socket?: Socket) => {
      socket?.destroy();
      asking.destroy();
      reject(refusedByProxy(statusCode ?? 0, address));
    };
    asking.once('connect', (answer, socket) => (answer.statusCode === 200 ? resolve(socket as Socket) : refused(answer, socket as Socket)));
    asking.once('response', (answer) => refused(answer));
    asking.once('error', (error) => reject(classifyProxy(error, address)));
    asking.end();
  });
}

function explained(error: unknown): TransportFailure {
  return error instanceof TransportFailure ? error : classify(error as Error, false);
}
