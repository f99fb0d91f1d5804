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

/** A service 80 ms away that takes so many requests, by rules of its own; it answers `true`, or how long to wait as it says. */
type Limiter = (now: number) => true | number | undefined;

const limiters: Record<string, () => Limiter> = {
  'in each second of the clock, and says in whole seconds when it takes more'() {
    let [second, taken] = [-1, 0];
    return (now) => {
      if (Math.floor(now / 1000) !== second) [second, taken] = [Math.floor(now / 1000), 0];
      return ++taken <= 50 || 1000;
    };
  },
  'in any second, and says in whole seconds when it takes more'() {
    const taken: number[] = [];
    return (now) => {
      while ((taken[0] ?? now) <= now - 1000) taken.shift();
      return taken.length < 50 ? Boolean(taken.push(now)) || undefined : 1000;
    };
  },
  'in any second, and does not say when it takes more'() {
    const taken: number[] = [];
    return (now) => {
      while ((taken[0] ?? now) <= now - 1000) taken.shift();
      return taken.length < 50 ? Boolean(taken.push(now)) || undefined : undefined;
    };
  },
  'with a reserve of ten, and says in parts of a second when it takes more'() {
    let [reserve, filled] = [10, 0];
    return (now) => {
      reserve = Math.min(10, reserve + (now - filled) / 20);
      filled = now;
      if (reserve < 1) return (1 - reserve) * 20;
      reserve -= 1;
      return true;
    };
  },
};

test.each(Object.entries(limiters))(
  'At a service that takes 50 requests a second %s, 2,000 take at most a tenth more than 40 seconds, and few are refused.',
  async (_, limiter) => {
    const { seconds, refused } = await paced(limiter(), { requests: 2000, concurrency: 8 });
    expect(seconds).toBeLessThanOrEqual(44);
    expect(refused).toBeLessThanOrEqual(100);
  },
);

test.each([8, 16, 32, 64])('A burst of refusals counts once, with %i requests at once: nothing is given up.', async (concurrency) => {
  const { closed } = await paced((limiters['in any second, and does not say when it takes more'] as () => Limiter)(), {
    requests: 500,
    concurrency,
  });
  expect(closed).toBe(false);
});

test('A service that takes nothing any more is given up after ten waits, each longer than the one before.', async () => {
  let taken = 0;
  const { closed, seconds } = await paced(() => (++taken <= 20 ? true : undefined), { requests: 100, concurrency: 8 });
  expect(closed).toBe(true);
  expect(seconds).toBeGreaterThan(120);
});

/** Sends so many requests in a time of its own. */
async function paced(limiter: Limiter, { requests, concurrency }: { requests: number; concurrency: number }) {
  let now = 0;
  const waiting: { at: number; go: () => void }[] = [];
  const sleep = (milliseconds: number) => new Promise<void>((go) => void waiting.push({ at: now + Math.max(0, milliseconds), go }));
  const pace = new Pace({ now: () => now, sleep } as unknown as Host, { concurrency, rate: undefined });
  let [left, refused] = [requests, 0];
  async function worker() {
    while (left > 0) {
      left -= 1;
      for (let done = false; !done && !pace.closed; ) {
        done = await pace.turn(async (turn) => {
          await sleep(40);
          const answer = limiter(now);
          await sleep(40);
          if (answer === true) pace.went();
          else {
            refused += 1;
            pace.slowDown(turn, answer);
          }
          return answer === true;
        });
      }
    }
  }
  let over = false;
  const all = Promise.all(Array.from({ length: concurrency }, worker)).then(() => {
    over = true;
  });
  while (!over) {
    await new Promise((resolve) => setImmediate(resolve));
    waiting.sort((one, other) => one.at - other.at);
    const next = waiting.shift();
    if (next) now = next.at;
    next?.go();
  }
  await all;
  return { seconds: now / 1000, refused, closed: pace.closed };
}
