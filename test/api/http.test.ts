/**
 * The meaning of a failed exchange, and whether its request may have been sent: decided by the dispatcher's
 * events, never by an error's code.
 */
import type { Dispatcher } from 'undici';
import { describe, expect, test } from 'vitest';
import { openTransport } from '../../src/api/http.ts';
import { TransportFailure } from '../../src/api/transport-failure.ts';
import type { Host } from '../../src/host/host.ts';

const origin = 'https://proctor.example';

/** A dispatcher that does with each request what it is told. */
function transport(act: (handler: Dispatcher.DispatchHandler, controller: Dispatcher.DispatchController) => void, timeout = 5000) {
  const control = new AbortController();
  const controller = { abort: () => {}, pause: () => {}, resume: () => {}, paused: false, aborted: false, reason: null };
  const dispatcher = {
    dispatch(_options: unknown, handler: Dispatcher.DispatchHandler) {
      setImmediate(() => act(handler, controller as unknown as Dispatcher.DispatchController));
      return true;
    },
    destroy: async () => {},
  };
  const host = { dispatcher: () => dispatcher, interrupted: control.signal, env: {} } as unknown as Host;
  return { ...openTransport({ origin, host, timeout }), interrupt: () => control.abort(new Error('stopped')) };
}

async function failureOf(exchange: Promise<unknown>): Promise<TransportFailure> {
  const failure = await exchange.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(TransportFailure);
  return failure as TransportFailure;
}

const get = { method: 'GET', path: '/api/v1/exams', headers: {} } as const;
const coded = (code: string, message = code) => Object.assign(new Error(message), { code });

describe('a failure', () => {
  test.each([
    [coded('ENOTFOUND'), 'dns', 'its name could not be resolved'],
    [coded('EAI_AGAIN'), 'dns', 'its name could not be resolved'],
    [coded('ECONNREFUSED'), 'refused', 'the connection was refused'],
    [coded('EHOSTUNREACH'), 'refused', 'the connection failed (EHOSTUNREACH)'],
    [coded('UND_ERR_CONNECT_TIMEOUT'), 'timeout', 'the connection timed out'],
    [coded('ETIMEDOUT'), 'timeout', 'the connection timed out'],
    [
      coded('SELF_SIGNED_CERT_IN_CHAIN', 'self-signed certificate'),
      'tls',
      'its certificate chain ends at a self-signed authority that this machine does not trust (SELF_SIGNED_CERT_IN_CHAIN)',
    ],
    [
      coded('UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'unable to verify; try running Node.js with --use-system-ca'),
      'tls',
      /^the secure connection failed: its certificate was issued by an authority that this machine does not trust \(UNABLE_TO_VERIFY_LEAF_SIGNATURE\)$/,
    ],
    [coded('DEPTH_ZERO_SELF_SIGNED_CERT'), 'tls', 'its certificate is self-signed (DEPTH_ZERO_SELF_SIGNED_CERT)'],
    [coded('CERT_HAS_EXPIRED'), 'tls', 'its certificate has expired (CERT_HAS_EXPIRED)'],
    [coded('CERT_NOT_YET_VALID'), 'tls', 'its certificate is not yet valid (CERT_NOT_YET_VALID)'],
    [coded('ERR_TLS_CERT_ALTNAME_INVALID'), 'tls', 'its certificate is for another name (ERR_TLS_CERT_ALTNAME_INVALID)'],
    [
      coded('ERR_SSL_WRONG_VERSION_NUMBER', '0:error:0A00010B:SSL routines'),
      'tls',
      /^the secure connection failed: it answers without TLS \(ERR_SSL_WRONG_VERSION_NUMBER\)$/,
    ],
    [
      coded('ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR', 'ssl/record/rec_layer_s3.c'),
      'tls',
      /^the secure connection failed \(ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR\)$/,
    ],
    [new AggregateError([coded('ECONNREFUSED'), coded('ENETUNREACH')], 'both'), 'refused', 'the connection was refused'],
    [new Error('Proxy response (407) !== 200 when HTTP Tunneling'), 'proxy', 'the proxy asks for a user name and a password (407)'],
  ])('%o before anything left is %s', async (error, kind, words) => {
    const failure = await failureOf(transport((handler, controller) => handler.onResponseError?.(controller, error)).exchange(get));
    expect(failure).toMatchObject({ kind, started: false });
    if (typeof words === 'string') expect(failure.message).toContain(words);
    else expect(failure.message).toMatch(words);
  });

  test.each(['ECONNRESET', 'UND_ERR_SOCKET', 'EPIPE', 'ECONNREFUSED', 'ETIMEDOUT', 'HPE_INVALID_CONSTANT'])(
    '%s once it has begun may have left',
    async (code) => {
      const { exchange } = transport((handler, controller) => {
        handler.onRequestStart?.(controller, {});
        handler.onResponseError?.(controller, coded(code));
      });
      expect((await failureOf(exchange(get))).started).toBe(true);
    },
  );
});

describe('a deadline', () => {
  test('that passes before sending starts proves that nothing was sent, and nothing is sent later', async () => {
    let begin = (): void => {};
    let aborted = 0;
    const { exchange } = transport((handler) => {
      begin = () => handler.onRequestStart?.({ abort: () => (aborted += 1) } as unknown as Dispatcher.DispatchController, {});
    }, 30);
    expect(await failureOf(exchange(get))).toMatchObject({ kind: 'timeout', started: false });
    begin();
    expect(aborted).toBe(1);
  });

  test('that passes afterwards does not', async () => {
    const { exchange } = transport((handler, controller) => handler.onRequestStart?.(controller, {}), 30);
    expect(await failureOf(exchange(get))).toMatchObject({ kind: 'timeout', started: true, message: 'no answer within 0.03 s' });
  });
});

describe('an interruption', () => {
  test('before the request begins proves that nothing left', async () => {
    const made = transport(() => {});
    const exchange = made.exchange(get);
    made.interrupt();
    expect(await failureOf(exchange)).toMatchObject({ kind: 'interrupted', started: false });
  });

  test('that has already fired lets no request start', async () => {
    let aborted = 0;
    const made = transport((handler) =>
      handler.onRequestStart?.({ abort: () => (aborted += 1) } as unknown as Dispatcher.DispatchController, {}),
    );
    made.interrupt();
    expect(await failureOf(made.exchange(get))).toMatchObject({ kind: 'interrupted', started: false });
    await new Promise((resolve) => setImmediate(resolve));
    expect(aborted).toBe(1);
  });
});

test('an informational answer is not the answer', async () => {
  const { exchange } = transport((handler, controller) => {
    handler.onRequestStart?.(controller, {});
    handler.onResponseStart?.(controller, 103, { link: '<x>' }, 'Early Hints');
    handler.onResponseStart?.(controller, 200, { 'X-A': ['1', '2'] }, 'OK');
    handler.onResponseData?.(controller, Buffer.from('[]'));
    handler.onResponseEnd?.(controller, {});
  });
  const { status, headers, body } = await exchange(get);
  expect([status, headers]).toEqual([200, { 'x-a': '1, 2' }]);
  const parts: Buffer[] = [];
  for await (const part of body) parts.push(part);
  expect(Buffer.concat(parts).toString()).toBe('[]');
});

test('a slow reader holds the answer back, and gets all of it', async () => {
  const events: string[] = [];
  const piece = Buffer.alloc(700_000, 'x');
  let send = (): void => {};
  let handlerOf: { handler: Dispatcher.DispatchHandler; controller: Dispatcher.DispatchController } | undefined;
  const { exchange } = transport((handler, controller) => {
    const pausing = Object.assign(controller, {
      pause: () => {
        events.push('pause');
        Object.assign(pausing, { paused: true });
      },
      resume: () => {
        events.push('resume');
        Object.assign(pausing, { paused: false });
        setImmediate(() => send());
      },
    });
    handlerOf = { handler, controller: pausing };
    handler.onRequestStart?.(pausing, {});
    handler.onResponseStart?.(pausing, 200, {}, 'OK');
    handler.onResponseData?.(pausing, piece);
    handler.onResponseData?.(pausing, piece);
  });
  send = () => {
    if (!handlerOf) return;
    handlerOf.handler.onResponseData?.(handlerOf.controller, piece);
    handlerOf.handler.onResponseEnd?.(handlerOf.controller, {});
  };
  let length = 0;
  for await (const part of (await exchange(get, { inSteps: true })).body) length += part.length;
  expect(length).toBe(2_100_000);
  expect(events).toEqual(['pause', 'resume']);
});
