/** The messages of the client for connections that failed to open. */
import type { Dispatcher } from 'undici';
import { expect, test } from 'vitest';
import { Client } from '../../src/api/client.ts';
import { defaultDialect } from '../../src/api/dialect.ts';
import { Known } from '../../src/api/known.ts';
import { operations, requestFor } from '../../src/api/operations.ts';
import { Pacer } from '../../src/api/pacer.ts';
import { sendOnce } from '../../src/api/write.ts';
import { CliError } from '../../src/errors.ts';
import type { Host } from '../../src/host/host.ts';
import { Secrets } from '../../src/model/secrets.ts';

/** A client of a service to which every connection fails, and the waits between its tries. */
function unreachable(error: Error, { readOnly = false } = {}) {
  const waits: number[] = [];
  const dispatcher = {
    dispatch(_options: unknown, handler: Dispatcher.DispatchHandler) {
      setImmediate(() => handler.onResponseError?.({} as Dispatcher.DispatchController, error));
    },
    destroy: async () => {},
  };
  const host = {
    dispatcher: () => dispatcher,
    interrupted: new AbortController().signal,
    env: {},
    now: () => 0,
    elapsed: () => 0,
    random: () => 0.5,
    sleep: async (milliseconds: number) => void waits.push(milliseconds),
  } as unknown as Host;
  const client = new Client({
    host,
    known: new Known(),
    pacer: new Pacer(host),
    baseUrl: 'https://proctor.example/api/v1',
    authPrefix: 'apiServiceToken',
    token: async () => 'token',
    dialect: defaultDialect,
    timeoutMilliseconds: 1000,
    secrets: new Secrets(),
    dryRun: readOnly,
    ca: undefined,
    tokenRemedy: undefined,
    debug: undefined,
    refusesDoubt: false,
    waiting: () => () => {},
    note() {},
    warn() {},
  });
  return { client, waits };
}

async function errorOf(act: Promise<unknown>): Promise<CliError> {
  const error = await act.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(CliError);
  return error as CliError;
}

/** A step of a run that nothing keeps from leaving. */
const step = { prepare: async () => {}, withheld: () => undefined };
const coded = (code: string, message = code) => Object.assign(new Error(message), { code });

test.each([
  [false, 2],
  [true, 0],
])('a client that is closed (%s) repeats no read that fails then', async (closed, repeated) => {
  const { client, waits } = unreachable(coded('ECONNRESET'));
  const read = errorOf(client.get(operations.getExam, { params: { id: '1' } }));
  if (closed) await client.close();
  await read;
  expect(waits).toHaveLength(repeated);
});

const both = new AggregateError([coded('ECONNREFUSED'), coded('ENETUNREACH')], 'both');
test.each([
  [coded('ENOTFOUND'), 'network', 'its name could not be resolved', 'Check the network and the base URL'],
  [coded('ECONNREFUSED'), 'network', 'the connection was refused', 'proctor-cli config get baseUrl'],
  [coded('EHOSTUNREACH'), 'network', 'the connection failed (EHOSTUNREACH)', 'proctor-cli config get baseUrl'],
  [both, 'network', 'the connection was refused', 'proctor-cli config get baseUrl'],
  [coded('UND_ERR_CONNECT_TIMEOUT'), 'timeout', 'the connection timed out', '--timeout'],
  [coded('CERT_HAS_EXPIRED', 'certificate has expired; try'), 'network', 'failed: certificate has expired (CERT_', 'date -u'],
  [coded('DEPTH_ZERO_SELF_SIGNED_CERT'), 'network', 'the secure connection failed', 'config set caFile'],
] as const)('a connection that was never made, %o, is a sentence with a way out', async (failure, code, words, hint) => {
  const { client } = unreachable(failure);
  const read = await errorOf(client.get(operations.getExam, { params: { id: '1' } }));
  expect(read).toMatchObject({ code, exit: 8, hint: expect.stringContaining(hint), message: expect.stringContaining(words) });
  expect(read.message).toMatch(/^Could not show exam 1 at https:\/\/proctor\.example: (?!.*Nothing was sent).*[^.]\.$/);
  const write = await errorOf(sendOnce(client, requestFor(operations.sendEmails, { params: { id: '1' } }), step));
  expect(write).toMatchObject({ code, exit: 8, message: expect.stringMatching(/\. This request was not sent\.$/) });
});

test('a dry run lets no write through, whatever asks for one', async () => {
  const { client, waits } = unreachable(coded('ECONNREFUSED'), { readOnly: true });
  const writes = Object.values(operations).filter(({ method }) => method !== 'GET');
  for (const operation of writes) {
    const error = await errorOf(sendOnce(client, requestFor(operation, { params: { id: '1', exam_id: '1' }, body: {} }), step));
    expect(error).toMatchObject({ code: 'internal', message: expect.stringMatching(/^A dry run tried to .*Nothing was sent\.$/) });
  }
  expect(waits).toEqual([]);
  expect((await errorOf(client.get(operations.getExam, { params: { id: '1' } }))).code).toBe('network');
});

test('Requests that were kept from leaving take no room from others.', async () => {
  const { client, waits } = unreachable(Object.assign(new Error('gone'), { code: 'ENOTFOUND' }));
  const write = { ...step, withheld: () => new CliError('interrupted', 'The run has stopped.') };
  for (let kept = 0; kept < 20; kept += 1)
    await expect(sendOnce(client, requestFor(operations.deleteExam, { params: { id: '1' } }), write)).rejects.toThrow(
      'The run has stopped.',
    );
  await errorOf(client.get(operations.getExam, { params: { id: '1' } }));
  expect(waits).toHaveLength(2);
});
