/** How fast the requests of an import leave. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { Pace } from '../../src/bulk/pace.ts';
import { type Host, pause } from '../../src/host.ts';

test('No two requests leave sooner after another than the rate allows, after the service has asked to wait as before.', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const never = new AbortController().signal;
  const host = { now: Date.now, sleep: (milliseconds) => pause(milliseconds, never) } as Host;
  const pace = new Pace(host, { concurrency: 8, rate: 2 });
  const left: number[] = [];
  const turns = Array.from({ length: 12 }, () =>
    pace.turn(async (turn) => {
      if (left.push(host.now()) === 4) pace.slowDown(turn, 10_000);
    }),
  );
  await vi.advanceTimersByTimeAsync(60_000);
  await Promise.all(turns);
  const gaps = left.slice(1).map((at, index) => at - (left[index] ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(500);
  expect(gaps[3]).toBeGreaterThanOrEqual(10_000);
});
