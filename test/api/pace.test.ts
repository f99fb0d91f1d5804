/** How fast the requests of an import leave. */
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Concurrency, mostInFlight } from '../../src/api/concurrency.ts';
import { Pace } from '../../src/api/pace.ts';
import type { Host, LogRecord } from '../../src/host/host.ts';
import { pause } from '../../src/host/process.ts';
import { virtualTime } from '../support/virtual-time.ts';

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

test('Each change of the number in flight stands in the log, and each burst of refusals once.', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const never = new AbortController().signal;
  const records: LogRecord[] = [];
  const sleep = (milliseconds: number) => pause(milliseconds, never);
  const host = { now: Date.now, random: () => 0.5, sleep, log: (record: LogRecord) => void records.push(record) } as unknown as Host;
  const pace = new Pace(host, { concurrency: { upTo: 64 }, rate: undefined });
  const turns = Array.from({ length: 2000 }, (_, index) =>
    pace.turn(async (turn) => {
      await sleep(20);
      if (index >= 1000 && index < 1010) pace.slowDown(turn, 1000);
      else pace.went(turn);
    }),
  );
  await vi.advanceTimersByTimeAsync(600_000);
  await Promise.all(turns);
  expect(records.filter(({ event }) => event === 'slow_down')).toHaveLength(1);
  // Each change begins where the one before ended.
  let level = 8;
  let highest = level;
  for (const record of records) {
    if (record.event === 'concurrency') expect(record.from).toBe(level);
    level = record.event === 'concurrency' ? record.to : record.event === 'slow_down' ? record.concurrency : level;
    highest = Math.max(highest, level);
  }
  expect(highest).toBeGreaterThan(16);
  expect(level).toBe(pace.level);
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
  Object.entries(saying).flatMap(([when, said]) =>
    [8, 16, 'auto' as const].map((concurrency) => ({ limit, when, concurrency, make: () => make(said) })),
  ),
);

test.each(limited)(
  'A service that takes 50 requests a second $limit and says $when when it takes more is sent 2,000, concurrency $concurrency, in about a tenth more than 40 seconds, and refuses few.',
  async ({ make, concurrency }) => {
    const { seconds, refused } = await paced(make(), { requests: 2000, concurrency });
    // The reads before the first write use up a reserve, and a wait of whole seconds after them weighs most where few are in flight.
    expect(seconds).toBeLessThanOrEqual(concurrency === 8 ? 46 : 45);
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
      async ({ make, concurrency }, jitter, draws) => {
        let drawn = 0;
        const late = () => ((draws[drawn++ % draws.length] ?? 0) / 100) * jitter;
        const { seconds, refused, closed } = await paced(make(), { requests: 1000, concurrency, late });
        expect({ closed, inTime: seconds < 40, few: refused <= 70 }).toEqual({ closed: false, inTime: true, few: true });
      },
    ),
    { numRuns: 25 },
  );
});

test.each([8, 16, 32, 64, 'auto' as const])(
  'A burst of refusals counts once, with %s requests at once: nothing is given up.',
  async (concurrency) => {
    const { closed } = await paced((limits['in any second'] as (said: Said) => Limiter)(saying['not at all']), {
      requests: 500,
      concurrency,
    });
    expect(closed).toBe(false);
  },
);

test('A service that takes nothing any more is given up after ten waits, each longer than the one before.', async () => {
  let taken = 0;
  const { closed, seconds } = await paced(() => (++taken <= 20 ? true : undefined), { requests: 100, concurrency: 8 });
  expect(closed).toBe(true);
  expect(seconds).toBeGreaterThan(120);
});

/** `late`: by how many milliseconds more than 80 the answer to a request comes. */
type Run = { requests: number; concurrency: number | 'auto'; late?: () => number };

/** Sends so many requests in a time of its own. */
async function paced(limiter: Limiter, { requests, concurrency, late = () => 0 }: Run) {
  const { now, sleep, until } = virtualTime();
  let [left, refused] = [requests, 0];
  const trial = async () => {
    await sleep(40);
    const answer = limiter(now());
    await sleep(40);
    if (answer !== true) refused += 1;
    return answer === true ? ('answered' as const) : { limited: true as const, wait: answer };
  };
  const pace = new Pace({ now, sleep } as unknown as Host, {
    concurrency: concurrency === 'auto' ? { upTo: 64 } : concurrency,
    rate: undefined,
    trial,
    limit: sleep,
  });
  async function worker() {
    while (left > 0) {
      left -= 1;
      for (let done = false; !done && !pace.closed; ) {
        done =
          true ===
          (await pace.turn(async (turn) => {
            const more = late() / 2;
            await sleep(40 + more);
            const answer = limiter(now());
            await sleep(40 + more);
            if (answer === true) pace.went(turn);
            else {
              refused += 1;
              pace.slowDown(turn, answer);
            }
            return answer === true;
          }));
      }
    }
  }
  const all = pace.explore(requests).then(() => Promise.all(Array.from({ length: concurrency === 'auto' ? 64 : concurrency }, worker)));
  await until(all);
  return { seconds: now() / 1000, refused, closed: pace.closed };
}

type Failing = { requests?: number; trial?: boolean; concurrency?: Concurrency };

describe('A higher number of requests', () => {
  /** A service 80 ms away that fails what is more than so many at once; resolves to the writes that failed. */
  async function failing(bears: number, { requests = 1000, trial = true, concurrency = { upTo: 64 } }: Failing = {}) {
    let [inFlight, writing, most, failed, mixed, reads] = [0, 0, 0, 0, 0, 0];
    const { now, sleep, until } = virtualTime();
    const answered = async () => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      const fine = inFlight <= bears;
      await sleep(80);
      inFlight -= 1;
      return fine;
    };
    const read = async () => {
      reads += 1;
      if (writing > 0) mixed += 1;
      return (await answered()) ? ('answered' as const) : ('failed' as const);
    };
    const pace = new Pace({ now, sleep } as unknown as Host, {
      concurrency,
      rate: undefined,
      ...(trial ? { trial: read, limit: sleep } : {}),
    });
    let [left, excused] = [requests, 0];
    const worker = async () => {
      while (left-- > 0)
        await pace.turn(async (turn) => {
          writing += 1;
          const fine = await answered();
          writing -= 1;
          if (fine) return pace.went(turn);
          failed += 1;
          if (pace.failed(turn)) excused += 1;
        });
    };
    const workers = Array.from({ length: mostInFlight(concurrency) }, () => worker);
    await until(pace.explore(requests).then(() => Promise.all(workers.map((work) => work()))));
    return { seconds: now() / 1000, most, failed, excused, mixed, reads, level: pace.level };
  }

  test.each([1, 2, 3, 5, 7, 9, 12, 20, 40])(
    'costs a service no write that fails more than %i at once, because reads try it first.',
    async (bears) => {
      const { failed, mixed, reads } = await failing(bears);
      expect({ failed, mixed }).toEqual({ failed: 0, mixed: 0 });
      expect(reads).toBeGreaterThan(8);
    },
  );

  test('is reached where the service bears it.', async () => {
    expect(await failing(64)).toMatchObject({ failed: 0, level: 64, reads: 1 + 64 });
  });

  test('is tried for few requests with few reads, and for one with none.', async () => {
    expect(await failing(64, { requests: 5 })).toMatchObject({ failed: 0, reads: 5 });
    expect(await failing(64, { requests: 20 })).toMatchObject({ failed: 0, reads: 9 });
    expect(await failing(64, { requests: 1 })).toMatchObject({ failed: 0, reads: 0 });
  });

  const few = [1, 2, 3, 4, 5, 6, 7].flatMap((bears) =>
    [2, 5, 8, 20, 100].flatMap((requests) =>
      [{ upTo: 64 }, 8, 16].map((concurrency) => ({ bears, requests, concurrency, name: JSON.stringify(concurrency) })),
    ),
  );
  test.each(few)(
    'with concurrency $name costs none of $requests writes at a service that fails more than $bears at once.',
    async ({ bears, requests, concurrency }) => {
      const { failed, mixed, level } = await failing(bears, { requests, concurrency });
      expect({ failed, mixed }).toEqual({ failed: 0, mixed: 0 });
      if (requests > bears) expect(level).toBeLessThanOrEqual(Math.max(bears, 1));
    },
  );

  test('is what a service answers slowly, too: its first answers are awaited for ten seconds, and the others four times as long as the first.', async () => {
    const { now, sleep, until } = virtualTime();
    let [reads, inFlight, most] = [0, 0, 0];
    const trial = async () => {
      reads += 1;
      await sleep(3000 + 100 * reads);
      return 'answered' as const;
    };
    const pace = new Pace({ now, sleep } as unknown as Host, { concurrency: { upTo: 64 }, rate: undefined, trial, limit: sleep });
    let left = 20;
    const worker = async () => {
      while (left-- > 0)
        await pace.turn(async (turn) => {
          inFlight += 1;
          most = Math.max(most, inFlight);
          await sleep(3000);
          inFlight -= 1;
          pace.went(turn);
        });
    };
    await until(pace.explore(left).then(() => Promise.all(Array.from({ length: 64 }, worker))));
    expect({ reads, most }).toEqual({ reads: 9, most: 8 });
  });

  test('is tried no further where reads are not answered at all: twice ten seconds, with one each.', async () => {
    const { now, sleep, until } = virtualTime();
    let reads = 0;
    const trial = () => {
      reads += 1;
      return new Promise<never>(() => {});
    };
    const pace = new Pace({ now, sleep } as unknown as Host, { concurrency: { upTo: 64 }, rate: undefined, trial, limit: sleep });
    await until(pace.explore(1000));
    expect({ reads, milliseconds: now(), level: pace.level }).toEqual({ reads: 2, milliseconds: 20_100, level: 8 });
  });

  test('counts as too many for the connections where not one read was answered: each is given up as late, which closes those at rest.', async () => {
    const { now, sleep, until } = virtualTime();
    const reasons: unknown[] = [];
    const trial = (over: AbortSignal) =>
      new Promise<'failed'>((resolve) =>
        over.addEventListener('abort', () => {
          reasons.push(over.reason);
          resolve('failed');
        }),
      );
    const pace = new Pace({ now, sleep } as unknown as Host, { concurrency: 8, rate: undefined, trial, limit: sleep });
    await until(pace.explore(9));
    expect(reasons).toEqual(Array(10).fill('late'));
  });

  test('is tried with no further reads once the command is interrupted.', async () => {
    let reads = 0;
    const trial = async () => {
      reads += 1;
      throw new Error('interrupted');
    };
    const sleep = () => Promise.reject(new Error('interrupted'));
    const host = { now: () => 0, sleep } as unknown as Host;
    await new Pace(host, { concurrency: { upTo: 64 }, rate: undefined, trial }).explore(1000);
    expect(reads).toBe(1);
  });

  test('is tried again with reads after a write has failed, before the next write; the failure does not count, and the run goes on with fewer.', async () => {
    const { now, sleep, until } = virtualTime();
    let [inFlight, sent, bears] = [0, 0, 64];
    const seen: string[] = [];
    const answered = async (what: string) => {
      inFlight += 1;
      const fine = inFlight <= bears;
      seen.push(what);
      await sleep(80);
      inFlight -= 1;
      return fine;
    };
    const trial = async () => ((await answered('read')) ? ('answered' as const) : ('failed' as const));
    const pace = new Pace({ now, sleep } as unknown as Host, { concurrency: 8, rate: undefined, trial, limit: sleep });
    let left = 60;
    const excused: boolean[] = [];
    const worker = async () => {
      while (left-- > 0)
        await pace.turn(async (turn) => {
          sent += 1;
          if (sent === 30) bears = 3;
          if (await answered('write')) pace.went(turn);
          else excused.push(pace.failed(turn));
        });
    };
    await until(pace.explore(left).then(() => Promise.all(Array.from({ length: 8 }, worker))));
    expect(excused.length).toBeGreaterThan(0);
    expect(excused.length).toBeLessThanOrEqual(8);
    expect(excused).not.toContain(false);
    expect(pace.level).toBeLessThanOrEqual(3);
    expect(seen.slice(-12)).toEqual(Array(12).fill('write'));
  });

  test('is no excuse for a service that fails the first write, or each one that is sent alone.', async () => {
    const { now, sleep, until } = virtualTime();
    const trial = async () => 'answered' as const;
    const fails = async (concurrency: number, requests: number) => {
      const pace = new Pace({ now, sleep } as unknown as Host, { concurrency, rate: undefined, trial, limit: sleep });
      const excused: boolean[] = [];
      await until(
        pace.explore(requests).then(async () => {
          for (let more = 0; more < requests; more += 1) await pace.turn(async (turn) => void excused.push(pace.failed(turn)));
        }),
      );
      return excused;
    };
    expect(await fails(8, 3)).toEqual([false, false, false]);
    expect(await fails(1, 3)).toEqual([false, false, false]);
  });

  test('is tried with reads that are given up when the trial ends: a service that answers only some of them loses no write.', async () => {
    const { now, sleep, until } = virtualTime();
    let [open, lost, given] = [0, 0, 0];
    const exchange = async (over?: AbortSignal) => {
      open += 1;
      const answers = open <= 20;
      await (answers ? sleep(80) : new Promise<void>((resolve) => over?.addEventListener('abort', () => resolve())));
      open -= 1;
      return answers;
    };
    const trial = async (over: AbortSignal) => {
      if (await exchange(over)) return 'answered' as const;
      given += 1;
      return 'failed' as const;
    };
    const pace = new Pace({ now, sleep } as unknown as Host, { concurrency: { upTo: 64 }, rate: undefined, trial, limit: sleep });
    let left = 1000;
    const worker = async () => {
      while (left-- > 0)
        await pace.turn(async (turn) => {
          if (open >= 20) lost += 1;
          else if (await exchange()) pace.went(turn);
        });
    };
    await until(pace.explore(left).then(() => Promise.all(Array.from({ length: 64 }, worker))));
    expect(lost).toBe(0);
    expect(given).toBeGreaterThanOrEqual(12);
  });

  test('is not tried first where the rate is too low for so many reads: the first request leaves at once.', async () => {
    const { now, sleep, until } = virtualTime();
    let reads = 0;
    const trial = async () => {
      reads += 1;
      return 'answered' as const;
    };
    const pace = new Pace({ now, sleep } as unknown as Host, { concurrency: { upTo: 64 }, rate: 5, trial, limit: sleep });
    const left: number[] = [];
    await until(
      pace.explore(2000).then(() =>
        pace.turn(async (turn) => {
          left.push(now());
          pace.went(turn);
        }),
      ),
    );
    expect({ reads, left }).toEqual({ reads: 0, left: [0] });
  });

  test('is given up for good once writes fail, and none of these failures counts.', async () => {
    const { failed, excused, level } = await failing(12, { trial: false });
    expect(level).toBe(8);
    expect(failed).toBeGreaterThan(0);
    expect(excused).toBe(failed);
  });
});

/** Writes to a service so far away, with so many workers that take `takes` milliseconds each. Levels in their order. */
async function served({ workers, takes, roundTrip }: { workers: number; takes: number; roundTrip: number }) {
  const { now, sleep, until } = virtualTime();
  const free = Array.from({ length: workers }, () => 0);
  const levels: number[] = [];
  const log = (record: LogRecord) => void (record.event === 'concurrency' && levels.push(record.to));
  const trial = async () => {
    await sleep(roundTrip);
    return 'answered' as const;
  };
  const host = { now, sleep, log } as unknown as Host;
  const pace = new Pace(host, { concurrency: { upTo: 64 }, rate: undefined, trial, limit: sleep });
  let [left, first, last] = [2000, Number.POSITIVE_INFINITY, 0];
  const worker = async () => {
    while (left-- > 0)
      await pace.turn(async (turn) => {
        await sleep(roundTrip / 2);
        first = Math.min(first, now());
        const at = free.indexOf(Math.min(...free));
        const ends = Math.max(free[at] ?? 0, now()) + takes;
        free[at] = ends;
        await sleep(ends - now());
        last = now();
        await sleep(roundTrip / 2);
        pace.went(turn);
      });
  };
  await until(pace.explore(left).then(() => Promise.all(Array.from({ length: 64 }, worker))));
  return { share: (2000 * takes) / workers / (last - first + roundTrip), levels };
}

test('A service far away is used to more than nine tenths: the first step goes as far as reads have shown before the first write.', async () => {
  const { share, levels } = await served({ workers: 16, takes: 50, roundTrip: 80 });
  expect(levels).toEqual([64]);
  expect(share).toBeGreaterThan(0.935);
});

test.each([1, 2, 4])(
  'A service nearby with %i workers, whose writes take much longer than its reads, gets no more than one small step.',
  async (workers) => {
    const { levels } = await served({ workers, takes: 20, roundTrip: 2 });
    expect(Math.max(...levels)).toBe(16);
    expect(levels.at(-1)).toBe(8);
  },
);

test('A clock that is set back by an hour holds up no request.', async () => {
  const { now, sleep, until } = virtualTime();
  let back = 0;
  const pace = new Pace({ now: () => now() - back, sleep } as unknown as Host, { concurrency: 4, rate: 10 });
  const turns = Array.from({ length: 20 }, (_, index) =>
    pace.turn(async (turn) => {
      if (index === 9) back = 3_600_000;
      pace.went(turn);
    }),
  );
  await until(Promise.all(turns));
  expect(now()).toBeLessThan(3_000);
});
