/** The last line of stderr while a command is at work: how long the service is waited for, and how far something has come. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { progressLine } from '../../src/output/stderr.ts';
import { embedded } from '../commands/embedded.ts';

let written: string[];
const gone = '\r\u001b[K';
const lineOf = (isDrawn = true, isForProgram = false) =>
  progressLine(
    { write: async (text) => void written.push(text) },
    { isDrawn: () => isDrawn, tellsWaiting: () => true, isForProgram: () => isForProgram },
  );

beforeEach(() => {
  written = [];
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

test('several requests at a time have one line, after a second, which counts from the first until the last is answered', () => {
  const line = lineOf();
  const end = line.waiting();
  vi.advanceTimersByTime(999);
  end();
  vi.advanceTimersByTime(10_000);
  expect(written).toEqual([]);
  const first = line.waiting();
  vi.advanceTimersByTime(600);
  const second = line.waiting();
  vi.advanceTimersByTime(400);
  first();
  vi.advanceTimersByTime(1500);
  second();
  vi.advanceTimersByTime(10_000);
  expect(written).toEqual([`${gone}Waiting for the service, 1 s`, `${gone}Waiting for the service, 2 s`, gone]);
});

test('other output gets an empty line, and a question the whole terminal', () => {
  const line = lineOf();
  const end = line.waiting();
  vi.advanceTimersByTime(1000);
  line.clear();
  expect(written).toEqual([`${gone}Waiting for the service, 1 s`, gone]);
  const resume = line.pause();
  vi.advanceTimersByTime(5000);
  expect(written).toHaveLength(2);
  resume();
  vi.advanceTimersByTime(1000);
  expect(written.at(-1)).toBe(`${gone}Waiting for the service, 7 s`);
  end();
});

test('where nothing is drawn, waiting is not told, and progress every five seconds as long as something ends', () => {
  const line = lineOf(false);
  const end = line.waiting();
  vi.advanceTimersByTime(5000);
  end();
  expect(written).toEqual([]);
  const progress = line.progress(40);
  for (let row = 0; row < 30; row++) {
    const answered = line.waiting();
    vi.advanceTimersByTime(200);
    answered();
    progress.tick(true);
  }
  vi.advanceTimersByTime(60_000);
  progress.end();
  expect(written[0]).toMatch(/^24 of 40 requests done, 3 s left\.\n$/);
  expect(written.slice(1)).toEqual([expect.stringMatching(/^30 of 40 requests done/)]);
});

test('a program is told of progress in objects', () => {
  const line = lineOf(false, true);
  const progress = line.progress(4);
  progress.tick(true);
  progress.tick(false);
  vi.advanceTimersByTime(6000);
  progress.end();
  expect(written.map((text) => JSON.parse(text))).toEqual([{ progress: { total: 4, done: 1, failed: 1 } }]);
});

test('a bar in the same words is in place of the waiting, and stays when it has ended', () => {
  const line = lineOf();
  line.waiting();
  const progress = line.progress(40);
  vi.advanceTimersByTime(900);
  progress.tick(true);
  vi.advanceTimersByTime(60_000);
  expect(written.join('')).not.toContain('Waiting');
  expect(written.join('')).toMatch(/█░{23} 1 of 40 requests done, 35 s left\r/);
  expect(written.at(-1)).toMatch(/█░{23} 1 of 40 requests done$/);
  progress.tick(false);
  progress.end();
  expect(written.at(-2)).toMatch(/█░{23} 1 of 40 requests done, 1 failed, 19 min left$/);
  expect(written.at(-1)).toBe('\n');
  vi.advanceTimersByTime(1000);
  expect(written.at(-1)).toMatch(/Waiting for the service, 6\d s$/);
});

test.each([
  ['on a terminal', { tty: true }, [], true],
  ['in a pipe', {}, [], false],
  ['in CI', { tty: true, env: { CI: 'true' } }, [], false],
  ['with --quiet', { tty: true }, ['--quiet'], false],
] as const)('a command that waits tells it or not: %s', async (_where, world, options, isShown) => {
  vi.useRealTimers();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'] });
  const { run } = await embedded().under((service) => (request, env) => {
    vi.advanceTimersByTime(1300);
    return service(request, env);
  });
  const { code, stdout, stderr } = await run(['exams', 'get', '1', '-o', 'id', ...options], world);
  expect([code, stdout]).toEqual([0, '1\n']);
  if (isShown) expect(stderr).toBe(`${gone}Waiting for the service, 1 s${gone}`);
  else expect(stderr).not.toMatch(/Waiting/);
});
