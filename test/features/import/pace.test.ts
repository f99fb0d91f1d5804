/** How fast the requests of an import leave. */
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Pace } from '../../../src/features/import/pace.ts';
import type { Host } from '../../../src/host/host.ts';
import { pause } from '../../../src/host/process.ts';

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

/** How a service says when it takes more: exactly, in whole seconds, not at all. */
const saying = { exactly: (wait: number) => wait, 'in whole seconds': () => 1000, 'not at all': () => undefined };
type Said = (wait: number) => number | undefined;

const limits: Record<string, (said: Said) => Limiter> = {
  'in each second of the clock': perSecond,
  ...Object.fromEntries(
    [250, 400, 450, 600, 650, 900].map((off) => [
      `in each second of a clock that is ${off} ms off`,
      (said: Said): Limiter => {
        const limit = perSecond(said);
        return (now) => limit(now + off);
      },
    ]),
  ),
  'in any second'(said) {
    const taken: number[] = [];
    return (now) => {
      while ((taken[0] ?? now) <= now - 1000) taken.shift();
      if (taken.length >= 50) return said((taken[0] ?? 0) + 1000 - now);
      taken.push(now);
      return true;
    };
  },
  'with a reserve of ten'(said) {
    return reserve(10, said);
  },
  'with a reserve of fifty'(said) {
    return reserve(50, said);
  },
};

function perSecond(said: Said): Limiter {
  let [second, taken] = [-1, 0];
  return (now) => {
    if (Math.floor(now / 1000) !== second) [second, taken] = [Math.floor(now / 1000), 0];
    return ++taken <= 50 || said(1000 - (now % 1000));
  };
}

function reserve(most: number, said: Said): Limiter {
  let [left, filled] = [most, 0];
  return (now) => {
    left = Math.min(most, left + (now - filled) / 20);
    filled = now;
    if (left < 1) return said((1 - left) * 20);
    left -= 1;
    return true;
  };
}

const limited = Object.entries(limits).flatMap(([limit, make]) =>
  Object.entries(saying).flatMap(([when, said]) => [8, 16].map((concurrency) => ({ limit, when, concurrency, make: () => make(said) }))),
);

test.each(limited)(
  'A service that takes 50 requests a second $limit and says $when when it takes more is sent 2,000, $concurrency at once, in a tenth more than 40 seconds, and refuses few.',
  async ({ make, concurrency }) => {
    const { seconds, refused } = await paced(make(), { requests: 2000, concurrency });
    expect(seconds).toBeLessThanOrEqual(44);
    expect(refused).toBeLessThanOrEqual(100);
  },
);

// Of 1,500 draws seven took longer than 28 seconds, and none longer than 31.
test('A service of which each request takes its own time is sent more than half of what it takes.', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...limited),
      fc.nat({ max: 40 }),
      fc.array(fc.nat({ max: 100 }), { minLength: 31, maxLength: 31 }),
      async ({ make }, jitter, draws) => {
        let drawn = 0;
        const late = () => ((draws[drawn++ % draws.length] ?? 0) / 100) * jitter;
        const { seconds, refused, closed } = await paced(make(), { requests: 1000, concurrency: 8, late });
        expect({ closed, inTime: seconds < 40, few: refused <= 50 }).toEqual({ closed: false, inTime: true, few: true });
      },
    ),
    { numRuns: 25 },
  );
});

test.each([8, 16, 32, 64])('A burst of refusals counts once, with %i requests at once: nothing is given up.', async (concurrency) => {
  const { closed } = await paced((limits['in any second'] as (said: Said) => Limiter)(saying['not at all']), {
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

/** `late`: by how many milliseconds more than 80 the answer to a request comes. */
type Run = { requests: number; concurrency: number; late?: () => number };

/** Sends so many requests in a time of its own. */
async function paced(limiter: Limiter, { requests, concurrency, late = () => 0 }: Run) {
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
          const more = late() / 2;
          await sleep(40 + more);
          const answer = limiter(now);
          await sleep(40 + more);
          if (answer === true) pace.went(turn);
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
