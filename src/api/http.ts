/**
 * HTTP/1.1 with one origin, over undici. Whether sending had
 * started when a request failed says the dispatcher's request-start event, never an error's code.
 */
import type { Dispatcher } from 'undici';
import { type HttpAnswer, largestAnswer, TransportFailure } from './answer.ts';
import type { TransportOptions } from './connections.ts';
import type { Request } from './operations.ts';

type HttpRequest = Pick<Request, 'method' | 'path'> & { headers: Record<string, string>; body?: string | undefined };

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
      if (isRead) await new Promise<void>((resolve) => setImmediate(resolve));
      else writing += 1;
      const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
      let [started, isOver] = [false, false];
      let head: Omit<HttpAnswer, 'body'> | undefined;
      const parts: Buffer[] = [];
      let crumbs: Buffer[] = [];
      let sending: Dispatcher.DispatchController | undefined;
      const end = () => {
        isOver = true;
        if (head) resolve({ ...head, body: Buffer.concat([...parts, ...crumbs]) });
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
          // The request was given up while it waited for a connection.
          if (isOver) return controller.abort(new Error('given up'));
          const withheld = leaves?.();
          if (withheld) stop(withheld);
          else started = true;
        },
        onResponseStart(_controller, status, headers) {
          if (status < 200) return;
          const joined = Object.entries(headers).map(([name, value = '']) => [name, [value].flat().join(', ')]);
          head = { status, headers: Object.fromEntries(joined), broken: undefined };
        },
        onResponseData(_controller, chunk) {
          // A chunk may be a byte, and takes much more memory.
          if (crumbs.push(chunk) < 4096) return;
          parts.push(Buffer.concat(crumbs));
          crumbs = [];
        },
        onResponseEnd: end,
        async onResponseError(_controller, error) {
          const { transportFailureOf } = await import('./refusal.ts');
          fail(transportFailureOf(error, started, proxy()));
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
        (await import('./connections.ts')).trustSystemStore();
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

const nobodyVouches = /^(UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|CERT_UNTRUSTED)/;

async function openAgents(options: TransportOptions, writing: () => number) {
  const { host, origin } = options;
  if (!host.dispatcher) return (await import('./connections.ts')).openConnections(options, writing);
  const only = host.dispatcher(origin);
  return { reads: only, writes: only, proxy: () => undefined, close: () => only.destroy() };
}
