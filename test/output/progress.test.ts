/** The time left is shown while rows end, and not while nothing does. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { OutputStream } from '../../src/host/host.ts';
import { progressOn } from '../../src/output/progress.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function counted({ isTTY }: { isTTY: boolean }) {
  const lines: string[] = [];
  const stderr: OutputStream = { isTTY, columns: 80, write: async (text) => void lines.push(text) };
  return { lines, progress: progressOn(stderr, { now: () => Date.now(), total: 40, plain: false }) };
}

test('a log shows no time left during a wait in which no row ends', () => {
  const { lines, progress } = counted({ isTTY: false });
  for (let row = 0; row < 30; row++) {
    vi.advanceTimersByTime(200);
    progress.tick(true);
  }
  vi.advanceTimersByTime(60_000);
  progress.end();
  expect(lines[0]).toMatch(/^24 of 40 done, 0 failed, 4\.8\/s, 3 s left\.\n$/);
  const waiting = lines.slice(2);
  expect(waiting.length).toBeGreaterThan(5);
  for (const line of waiting) expect(line).toMatch(/^30 of 40 done, 0 failed, \d\.\d\/s\.\n$/);
});

test('a bar shows a dash during a wait in which no row ends', () => {
  const { lines, progress } = counted({ isTTY: true });
  vi.advanceTimersByTime(1000);
  progress.tick(true);
  vi.advanceTimersByTime(60_000);
  expect(lines[0]).toMatch(/ 1\/40 · 0 failed · 1\.0\/s · 0:39$/);
  expect(lines.at(-1)).toMatch(/ 1\/40 · 0 failed · 0\.0\/s · -$/);
  progress.end();
});
