/**
 * The meaning of a failed exchange, and whether its request may have been sent, which the dispatcher's events decide and never an error's
 * code; and the connection on which a request goes. `test/faults` has the commands.
 */
import { setImmediate as turn } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { TransportFailure } from '../../src/api/answer.ts';
import { openTransport } from '../../src/api/http.ts';
import type { Host } from '../../src/host/host.ts';
import { answer, type FaultServer, faultServer, type Reaction } from '../faults/server.ts';

const get = { method: 'GET', path: '/api/v1/exams', headers: {} } as const;
const post = { ...get, method: 'POST' } as const;

/** A dispatcher that does with each request what it is told; `aborted` counts the requests that were given up. */
function transport(act: (handler: Dispatcher.DispatchHandler, controller: Dispatcher.DispatchController) => void) {
  const control = new AbortController();
  const seen = { aborted: 0 };
  const controller = { abort: () => (seen.aborted += 1) } as unknown as Dispatcher.DispatchController;
  const dispatcher = {
    dispatch(_options: unknown, handler: Dispatcher.DispatchHandler) {
      setImmediate(() => act(handler, controller));
      return true;
    },
  };
  const host = { dispatcher: () => dispatcher, interrupted: control.signal, env: {} } as unknown as Host;
  const { exchange } = openTransport({ origin: 'https://proctor.example', host, timeout: 30, ca: undefined });
  return { exchange, seen, interrupt: () => control.abort(new Error('stopped')) };
}

async function failureOf(exchange: Promise<unknown>): Promise<TransportFailure> {
  const failure = await exchange.catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(TransportFailure);
  return failure as TransportFailure;
}

const breaks = ['ECONNRESET', 'UND_ERR_SOCKET', 'EPIPE', 'ECONNREFUSED', 'ETIMEDOUT', 'HPE_INVALID_CONSTANT'];
test.each(breaks)('a request that fails with %s once sending has started may have left', async (code) => {
  const { exchange } = transport((handler, controller) => {
    handler.onRequestStart?.(controller, {});
    handler.onResponseError?.(controller, Object.assign(new Error(code), { code }));
  });
  expect((await failureOf(exchange(get))).started).toBe(true);
});

test('an answer of single bytes takes no more memory than another one', async () => {
  const { exchange } = transport((handler, controller) => {
    handler.onRequestStart?.(controller, {});
    handler.onResponseStart?.(controller, 200, {}, '');
    const before = process.memoryUsage().heapUsed;
    const bytes = Buffer.alloc(1 << 16, 'a');
    for (let at = 0; at < 1_000_000; at += 1) handler.onResponseData?.(controller, bytes.subarray(at & 0xffff, (at & 0xffff) + 1));
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(60_000_000);
    handler.onResponseEnd?.(controller, {});
  });
  expect((await exchange(get)).body.equals(Buffer.alloc(1_000_000, 'a'))).toBe(true);
});

describe('a time limit, or an interruption,', () => {
  test('before sending starts proves that nothing was sent, and nothing is sent later', async () => {
    for (const kind of ['timeout', 'interrupted']) {
      let begin = (): void => {};
      const made = transport((handler, controller) => {
        begin = () => handler.onRequestStart?.(controller, {});
        if (kind === 'interrupted') made.interrupt();
      });
      expect(await failureOf(made.exchange(get))).toMatchObject({ kind, started: false });
      begin();
      expect(made.seen.aborted).toBe(1);
    }
  });

  test('afterwards does not, and ends the exchange', async () => {
    const { exchange, seen } = transport((handler, controller) => handler.onRequestStart?.(controller, {}));
    expect(await failureOf(exchange(get))).toMatchObject({ kind: 'timeout', started: true, message: 'no answer within 0.03 s' });
    expect(seen.aborted).toBe(1);
  });

  test('that came earlier lets no request start', async () => {
    let begun = 0;
    const { exchange, interrupt } = transport(() => (begun += 1));
    interrupt();
    expect(await failureOf(exchange(get))).toMatchObject({ kind: 'interrupted', started: false });
    await turn();
    expect(begun).toBe(0);
  });
});

test('a write that is withheld as sending starts is not sent', async () => {
  const { exchange, seen } = transport((handler, controller) => handler.onRequestStart?.(controller, {}));
  const why = new Error('the lock is lost');
  expect(await failureOf(exchange(post, () => why))).toMatchObject({ kind: 'interrupted', started: false, cause: why });
  expect(seen.aborted).toBe(1);
});

test('an informational answer is not the answer', async () => {
  const { exchange } = transport((handler, controller) => {
    handler.onRequestStart?.(controller, {});
    handler.onResponseStart?.(controller, 103, { link: '<x>' }, 'Early Hints');
    handler.onResponseStart?.(controller, 200, { 'x-a': ['1', '2'] }, 'OK');
    handler.onResponseData?.(controller, Buffer.from('[]'));
    handler.onResponseEnd?.(controller, {});
  });
  expect(await exchange(get)).toEqual({ status: 200, headers: { 'x-a': '1, 2' }, body: Buffer.from('[]') });
});

/** A transport to a real service. */
async function over(reaction: Reaction): Promise<FaultServer & ReturnType<typeof openTransport>> {
  const server = await faultServer(Array(400).fill(reaction));
  const host = { interrupted: new AbortController().signal, env: {} } as unknown as Host;
  const { exchange, close } = openTransport({ origin: server.origin, host, timeout: 5000, ca: undefined });
  onTestFinished(close);
  return { ...server, exchange, close };
}

describe('connections', () => {
  const ok = answer(200, {});
  /** Answers in some turns of the event loop. */
  const soon: Reaction = async (socket, request) => {
    for (let at = 0; at < 20; at += 1) await turn();
    ok(socket, request);
  };
  const settled = (seen: () => number, number: number) => expect.poll(seen, { interval: 1 }).toBe(number);

  test('each write has one of its own, and says that it closes it; reads keep theirs', async () => {
    const { exchange, received } = await over(ok);
    for (const request of [get, post, get, post, get, post]) await exchange(request);
    const writes = received.filter(({ method }) => method === 'POST');
    expect(new Set(writes.map(({ connection }) => connection)).size).toBe(3);
    expect(writes.map(({ headers }) => headers.connection)).toEqual(['close', 'close', 'close']);
    const reads = received.filter(({ method }) => method === 'GET');
    expect(new Set(reads.map(({ connection }) => connection)).size).toBe(1);
  });

  test('four readers, one request after the other each, take four', async () => {
    const { exchange, connections } = await over(soon);
    const reader = async () => {
      for (let read = 0; read < 10; read += 1) await exchange(get);
    };
    await Promise.all([reader(), reader(), reader(), reader()]);
    expect(connections()).toBe(4);
  });

  test('a single write opens one; from the second one on, one more is ready for each in flight', async () => {
    const { exchange, connections, open } = await over(soon);
    await exchange(post);
    await turn();
    expect(connections()).toBe(1);
    for (let write = 2; write <= 6; write += 1) await exchange(post);
    await settled(connections, 7);
    await Promise.all(Array.from({ length: 40 }, () => exchange(post)));
    expect(open.most()).toBeLessThanOrEqual(80);
  });

  test('one that is ready carries no write after two seconds, or once the service has closed it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { exchange, received, connections, open } = await over(ok);
    await exchange(post);
    await exchange(post);
    await settled(connections, 3);
    open.end();
    await settled(open.now, 0);
    await exchange(post);
    expect(received.at(-1)?.connection).toBe(4);
    await settled(open.now, 1);
    vi.advanceTimersByTime(2000);
    await settled(open.now, 0);
    await exchange(post);
    expect(received.map(({ connection }) => connection)).toEqual([1, 2, 4, 6]);
  });

  test('none is left once it is closed', async () => {
    const { exchange, close, open } = await over(ok);
    for (const request of [get, post, post]) await exchange(request);
    const cut = exchange(post).catch(() => {});
    for (let at = 0; at < 20; at += 1) await undefined;
    await Promise.all([close(), cut]);
    await settled(open.now, 0);
  });
});
