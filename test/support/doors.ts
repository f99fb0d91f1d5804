/** The ways to a service of the tests: a dispatcher for programs in this process, and a server on loopback for processes of their own. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Dispatcher } from 'undici';
import type { Clock } from './clock.ts';

/** `isCut`: the connection breaks in the middle of the body. */
type Outgoing = { status: number; headers: Record<string, string>; bytes: Buffer; isCut: boolean };
/** What a service answers to a request; `lost`: the connection breaks; `none`: nothing ever comes. */
export type Take = (method: string, target: string, headers: Record<string, string>, text: string) => Promise<Outgoing | 'lost' | 'none'>;

const half = (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1);

/** Takes requests as undici does: the start of each is told, and one that was given up by then is not sent. */
export function dispatcherTo(take: Take, service: { readonly isAway: boolean | string; readonly clock: Clock }): Dispatcher {
  const dispatch = (options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) => {
    const dispatching = service.clock.busy();
    let isOver = false;
    const end = (act: () => void) => {
      if (!isOver) act();
      isOver = true;
    };
    const fail = (error: Error) => end(() => queueMicrotask(() => handler.onResponseError?.(controller, error)));
    const controller = { abort: fail, pause() {}, resume() {} } as unknown as Dispatcher.DispatchController;
    const broken = () => fail(Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }));
    const exchange = async () => {
      const code = service.isAway === true ? 'ECONNREFUSED' : service.isAway;
      if (code) return fail(Object.assign(new Error(`connect ${code}`), { code }));
      handler.onRequestStart?.(controller, {});
      if (isOver) return;
      const taken = take(options.method, options.path, options.headers as Record<string, string>, String(options.body ?? ''));
      dispatching();
      const answer = await taken;
      if (answer === 'none' || isOver) return;
      if (answer === 'lost') return broken();
      const { status, headers, bytes, isCut } = answer;
      handler.onResponseStart?.(controller, status, headers, '');
      if (!isOver && bytes.length > 0) handler.onResponseData?.(controller, isCut ? half(bytes) : bytes);
      if (isCut) broken();
      else end(() => handler.onResponseEnd?.(controller, {}));
    };
    setImmediate(() => void exchange().catch(fail).finally(dispatching));
    return true;
  };
  return { dispatch, close: async () => {}, destroy: async () => {} } as unknown as Dispatcher;
}

export type Tls = { key: string; cert: string };

export async function serverOf(take: Take, tls?: Tls): Promise<{ origin: string; close(): void }> {
  const respond = async (incoming: IncomingMessage, response: ServerResponse) => {
    const text = Buffer.concat(await incoming.toArray()).toString();
    const answer = await take(incoming.method ?? '', incoming.url ?? '', incoming.headers as Record<string, string>, text);
    if (answer === 'none') return;
    if (answer === 'lost' || response.destroyed) return void response.socket?.resetAndDestroy();
    const { status, headers, bytes, isCut } = answer;
    response.writeHead(status, { ...headers, ...(status === 204 ? {} : { 'content-length': bytes.length }) });
    if (!isCut) return void response.end(bytes);
    response.write(half(bytes), () => response.socket?.resetAndDestroy());
  };
  // The program may go in the middle of a request.
  const serve = (incoming: IncomingMessage, response: ServerResponse) => void respond(incoming, response).catch(() => response.destroy());
  const server = tls ? createSecureServer(tls, serve) : createServer(serve);
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return { origin: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`, close: () => void server.close().closeAllConnections() };
}
