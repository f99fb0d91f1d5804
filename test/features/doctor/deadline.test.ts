/** The checks end at their deadline, whatever stays silent, and leave nothing open. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { CliError } from '../../../src/errors.ts';
import type { DoctorContext } from '../../../src/features/doctor/doctor-check.ts';
import { examine } from '../../../src/features/doctor/examine.ts';
import { temporaryFolder } from '../../support/run.ts';

type Door = {
  address: string;
  /** Once something has been heard. */
  heard: Promise<void>;
  /** Once the other side has hung up. */
  closed: Promise<void>;
};

/** A door at which nobody answers. */
async function silentDoor(): Promise<Door> {
  const sockets: Socket[] = [];
  const heard = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {}).on('close', () => closed.resolve());
    socket.once('data', () => heard.resolve());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = server.address() as { port: number };
  return { address: `https://127.0.0.1:${port}`, heard: heard.promise, closed: closed.promise };
}

/** The settings and the world of a profile for an address, at which a request is never answered. */
function contextOf(address: string, deadline: AbortSignal): DoctorContext {
  const settings = {
    profile: 'default',
    sandbox: false,
    baseUrl: `${address}/api/v1`,
    origin: address,
    timeZone: 'UTC',
    timeoutMilliseconds: 3_600_000,
    token: async () => ({ value: 'a-token', source: 'a test' }),
  };
  const home = temporaryFolder();
  return {
    host: {
      env: { PROCTOR_CONFIG_DIR: home, PROCTOR_STATE_DIR: home },
      home,
      platform: 'linux',
      node: process.versions.node,
      now: Date.now,
      interrupted: new AbortController().signal,
    } as unknown as DoctorContext['host'],
    settings: () => settings as unknown as ReturnType<DoctorContext['settings']>,
    addressSource: () => 'a test',
    tokenRuns: () => false,
    offline: false,
    deadline,
    answer: () => new Promise<never>(() => {}),
    readList: () => new Promise<never>(() => {}),
    masked: (text) => text,
    profileOption: () => '',
  } as DoctorContext;
}

const tooLate = new CliError('timeout', 'The checks took too long.');
const stateOf = (rows: readonly Record<string, unknown>[], name: string) => rows.find(({ check }) => check === name);

test('at the deadline, a service that never greets back is hung up on, and the other checks have their rows', async () => {
  const door = await silentDoor();
  const deadline = new AbortController();
  const examination = examine(contextOf(door.address, deadline.signal));
  await door.heard;
  deadline.abort(tooLate);
  const { rows, failure } = await examination;
  expect(stateOf(rows, 'TLS')).toMatchObject({ state: 'failed', detail: tooLate.message });
  expect(stateOf(rows, 'cache')?.state).toBe('skipped');
  expect(failure?.code).toBe('timeout');
  await door.closed;
});
