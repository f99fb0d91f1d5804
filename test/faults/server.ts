/**
 * A service that fails as networks and servers do: raw sockets, one scripted reaction for each
 * request, and a log of what has arrived, which is the truth that the tests compare with.
 */
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { algebra } from '../support/algebra.ts';
import { listening } from '../support/listening.ts';

export type Received = {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string /** Which connection it came on, from 1. */;
  connection: number;
};

/** The reaction to a complete request. */
export type Reaction = (socket: Socket, request: Received) => void;

export type FaultServer = Awaited<ReturnType<typeof serverBy>>;

type Options = { port?: number; address?: string; tls?: { key: string; cert: string } };

/** Serves the reactions in turn; a request too many gets a 418, and stands in the log. */
export function faultServer(reactions: readonly Reaction[], options: Options = {}): Promise<FaultServer> {
  const left = [...reactions];
  return serverBy(() => left.shift() ?? answer(418, { message: 'one request too many' }), options);
}

/** Serves what a function says to each request. */
export async function serverBy(react: (request: Received) => Reaction, { port = 0, address = '127.0.0.1', tls }: Options = {}) {
  const received: Received[] = [];
  const sockets: Socket[] = [];
  const open = new Set<Socket>();
  let most = 0;
  const serve = (socket: Socket) => {
    const connection = sockets.push(socket);
    open.add(socket);
    most = Math.max(most, open.size);
    socket.on('close', () => void open.delete(socket));
    let waiting = Buffer.alloc(0);
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      waiting = Buffer.concat([waiting, chunk]);
      for (let found = requestIn(waiting); found; found = requestIn(waiting)) {
        waiting = waiting.subarray(found.length);
        const request = { ...found.request, connection };
        received.push(request);
        react(request)(socket, request);
      }
    });
  };
  const server: Server = tls ? createTlsServer(tls, serve) : createServer(serve);
  server.on('tlsClientError', () => {});
  const at = await listening(server, port, address);
  const requests = () => received.map(({ method, path }) => `${method} ${path.replace('/api/v1', '')}`);
  return {
    origin: `${tls ? 'https' : 'http'}://${address}:${at}`,
    port: at,
    received,
    /** "GET /exams" for each request, without the prefix of the version. */
    requests,
    writes: () => requests().filter((line) => !line.startsWith('GET ')),
    connections: () => sockets.length,
    /** The connections that are open: how many, how many at most so far; `end` closes them. */
    open: { now: () => open.size, most: () => most, end: () => void open.forEach((socket) => void socket.end()) },
  };
}

/** Shows an exam and its sessions to those who read, and reacts so to what is written. */
export function writesMeet(reaction: Reaction, sessions: readonly unknown[] = []): Promise<FaultServer> {
  return serverBy(({ method, path }) => (method === 'GET' ? answer(200, path.endsWith('sessions') ? sessions : algebra) : reaction));
}

function requestIn(bytes: Buffer): { request: Omit<Received, 'connection'>; length: number } | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [line = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const [method = '', path = ''] = line.split(' ');
  const headers = Object.fromEntries(
    lines.map((header) => [header.slice(0, header.indexOf(':')).toLowerCase(), header.slice(header.indexOf(':') + 1).trim()]),
  );
  const length = end + 4 + Number(headers['content-length'] ?? 0);
  return bytes.length < length ? undefined : { request: { method, path, headers, body: bytes.toString('utf8', end + 4, length) }, length };
}

/** A port without a listener. */
export async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

const text = (body: unknown) => (body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body));

function head(status: number, headers: Record<string, string | number>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Whatever\r\n${lines.join('')}\r\n`;
}

/** A whole answer; JSON unless the headers say something else. */
export function answer(status: number, body?: unknown, headers: Record<string, string> = {}): Reaction {
  const content = text(body);
  const all = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(content), ...headers };
  return (socket) => socket.write(head(status, all) + content);
}

/** Shows what a function says of each path, without the prefix of the version, and its query. */
export function showing(of: (path: string, query: URLSearchParams, request: Received) => unknown): Reaction {
  return (socket, request) => {
    const { pathname, searchParams } = new URL(request.path.replace('/api/v1', ''), 'http://x');
    const shown = of(pathname, searchParams, request);
    (typeof shown === 'function' ? (shown as Reaction) : answer(200, shown))(socket, request);
  };
}

/** The connection is reset without an answer; the outcome of the request is unknown. */
export const reset: Reaction = (socket) => socket.resetAndDestroy();

/** The connection is closed in good order, without an answer. */
export const hangUp: Reaction = (socket) => socket.end();

/** Nothing, ever. */
export const silence: Reaction = () => {};

/** Something before or beside another reaction. */
export function also(act: (request: Received) => void, reaction: Reaction): Reaction {
  return (socket, request) => {
    act(request);
    reaction(socket, request);
  };
}

/** The answer promises its whole length and breaks off after some of it. */
export function cutByLength(status: number, body: unknown, kept: number): Reaction {
  const content = text(body);
  return (socket) => {
    socket.write(head(status, { 'content-type': 'application/json', 'content-length': content.length }) + content.slice(0, kept));
    socket.end();
  };
}

/** A chunked answer that breaks off before its last chunk. */
export function cutChunked(status: number, pieces: readonly string[]): Reaction {
  return (socket) => {
    socket.write(head(status, { 'content-type': 'application/json', 'transfer-encoding': 'chunked' }) + pieces.map(chunk).join(''));
    setTimeout(() => socket.resetAndDestroy(), 20);
  };
}

function chunk(piece: string): string {
  return `${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`;
}

/** An answer whose body is these bytes, one for each character. */
export function bytes(body: string, status = 200, headers: Record<string, string> = {}): Reaction {
  const all = { 'content-type': 'application/json', 'content-length': body.length, ...headers };
  return (socket) => socket.write(Buffer.from(`${head(status, all)}${body}`, 'latin1'));
}
