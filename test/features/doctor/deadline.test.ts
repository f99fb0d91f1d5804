/** The checks end at their deadline, whatever stays silent, and leave nothing open. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { CliError } from '../../../src/errors.ts';
import type { DoctorContext } from '../../../src/features/doctor/check.ts';
import { examine } from '../../../src/features/doctor/index.ts';
import { temporaryFolder } from '../../support/run.ts';

type Door = {
  address: string;
  /** Once all has been heard that will not be answered. */
  heard: Promise<void>;
  /** Once the other side has hung up. */
  closed: Promise<void>;
};

/** A door at which someone answers like this, and then nothing more. */
async function silentDoor(answer: string): Promise<Door> {
  const sockets: Socket[] = [];
  const heard = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {}).on('close', () => closed.resolve());
    socket.once('data', () => {
      socket.write(answer);
      if (answer === '') heard.resolve();
      else socket.once('data', () => heard.resolve());
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = server.address() as { port: number };
  return { address: `http://127.0.0.1:${port}`, heard: heard.promise, closed: closed.promise };
}

/** A context behind a proxy, whose service answers nothing. */
function contextBehind(proxy: string, deadline: AbortSignal): DoctorContext {
  const settings = {
    profile: 'default',
    sandbox: false,
    baseUrl: 'https://proctor.example/api/v1',
    origin: 'https://proctor.example',
    timeZone: 'UTC',
    timeoutMilliseconds: 3_600_000,
    token: async () => ({ value: 'a-token', source: 'a test' }),
  };
  const home = temporaryFolder();
  return {
    host: {
      env: { HTTPS_PROXY: proxy, PROCTOR_CONFIG_DIR: home, PROCTOR_STATE_DIR: home },
      home,
      platform: 'linux',
      node: process.versions.node,
      now: Date.now,
      interrupted: new AbortController().signal,
    } as unknown as DoctorContext['host'],
    settings: () => settings as unknown as ReturnType<DoctorContext['settings']>,
    addressSource: () => 'a test',
    tokenRuns: () => false,
    completions: {},
    offline: false,
    deadline,
    answer: () => new Promise<never>(() => {}),
    profileOption: () => '',
  } as DoctorContext;
}

const tooLate = new CliError('timeout', 'The checks took too long.');
const stateOf = (rows: readonly Record<string, unknown>[], name: string) => rows.find(({ check }) => check === name);

test('a proxy that refuses and keeps the connection does not keep the checks', async () => {
  const door = await silentDoor('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 10\r\n\r\n');
  const { rows, failure } = await examine(contextBehind(door.address, new AbortController().signal));
  expect(stateOf(rows, 'TLS')).toMatchObject({ state: 'failed', detail: expect.stringContaining('407') });
  expect(failure?.exit).toBe(8);
  await door.closed;
});

test.each([
  ['a proxy that never answers', ''],
  ['a service that never greets back', 'HTTP/1.1 200 Connection established\r\n\r\n'],
])('at the deadline, %s is hung up on, and the other checks have their rows', async (_who, answer) => {
  const door = await silentDoor(answer);
  const deadline = new AbortController();
  const examination = examine(contextBehind(door.address, deadline.signal));
  await door.heard;
  deadline.abort(tooLate);
  const { rows, failure } = await examination;
  expect(stateOf(rows, 'TLS')).toMatchObject({ state: 'failed', detail: tooLate.message });
  expect(stateOf(rows, 'dialect: sessions')?.state).toBe('skipped');
  expect(failure?.code).toBe('timeout');
  await door.closed;
});
