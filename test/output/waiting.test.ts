/** The sign of life while the service is waited for. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { waitingOn } from '../../src/output/waiting.ts';
import { embedded } from '../commands/embedded.ts';
import { run } from '../support/run.ts';

let written: string[];
const stderr = { write: async (text: string) => void written.push(text) };
const gone = '\r\u001b[K';

beforeEach(() => {
  written = [];
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

test('there is none for an answer within a second', () => {
  const end = waitingOn(stderr, () => false).begin();
  vi.advanceTimersByTime(999);
  end();
  vi.advanceTimersByTime(10_000);
  expect(written).toEqual([]);
});

test('it counts the seconds on one line, and is gone with the answer', () => {
  const end = waitingOn(stderr, () => false).begin();
  vi.advanceTimersByTime(2500);
  end();
  end();
  vi.advanceTimersByTime(10_000);
  expect(written).toEqual([`${gone}Waiting for the service, 1 s`, `${gone}Waiting for the service, 2 s`, gone]);
});

test('other output gets an empty line, and a question the whole terminal', () => {
  const waiting = waitingOn(stderr, () => false);
  const end = waiting.begin();
  vi.advanceTimersByTime(1000);
  waiting.clear();
  expect(written).toEqual([`${gone}Waiting for the service, 1 s`, gone]);
  const resume = waiting.pause();
  vi.advanceTimersByTime(5000);
  expect(written).toHaveLength(2);
  resume();
  vi.advanceTimersByTime(1000);
  expect(written.at(-1)).toBe(`${gone}Waiting for the service, 7 s`);
  end();
});

test('several requests at a time have one sign, until the last is answered', () => {
  const waiting = waitingOn(stderr, () => false);
  const [first, second] = [waiting.begin(), waiting.begin()];
  vi.advanceTimersByTime(1000);
  first();
  vi.advanceTimersByTime(1000);
  second();
  expect(written).toEqual([`${gone}Waiting for the service, 1 s`, `${gone}Waiting for the service, 2 s`, gone]);
});

test('with --plain it is one line, and nothing is drawn again', () => {
  const end = waitingOn(stderr, () => true).begin();
  vi.advanceTimersByTime(5000);
  end();
  expect(written).toEqual(['Waiting for the service.\n']);
});

test.each([
  ['on a terminal', { tty: true }, [], true],
  ['in a pipe', {}, [], false],
  ['in CI', { tty: true, env: { CI: 'true' } }, [], false],
  ['with --quiet', { tty: true }, ['--quiet'], false],
] as const)('%s', async (_where, world, options, isShown) => {
  vi.useRealTimers();
  const { run } = await embedded().under((service) => async (request, env) => {
    await pause(1300);
    return service(request, env);
  });
  const { code, stdout, stderr } = await run(['exams', 'get', '1', '-o', 'id', ...options], world);
  expect([code, stdout]).toEqual([0, '1\n']);
  if (isShown) expect(stderr).toBe(`${gone}Waiting for the service, 1 s${gone}`);
  else expect(stderr).not.toMatch(/Waiting/);
});

test('the checks of the doctor show it, too', async () => {
  vi.useRealTimers();
  let waited = false;
  const server = createServer(async (_request, response) => {
    if (!waited) await pause(1300);
    waited = true;
    response.writeHead(404).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const env = { PROCTOR_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, PROCTOR_TOKEN: 'of-the-tests' };
  const { stderr } = await run(['doctor'], { tty: true, env });
  server.closeAllConnections();
  server.close();
  expect(waited).toBe(true);
  expect(stderr).toContain('Waiting for the service, 1 s');
});
