/** How fast requests leave, at services that are simulated in virtual time. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nextLeaves, type PaceEvent, paceAfter, startOfPace } from '../../src/api/pace-calculator.ts';
import { Pacer } from '../../src/api/pacer.ts';
import { virtualTime } from '../support/virtual-time.ts';

/** What a service does with a request: answers it, refuses it with or without a time to wait, or fails. */
type Said = 'answered' | 'failed' | { wait: number | undefined };
type Service = (now: number, inFlight: number) => Said;
type Load = { rows?: number; roundTrip?: number; jitter?: number; atOnce?: number; perSecond?: number };

/** Sends rows as an import does: each again after a refusal, up to the end of the pacer's patience. */
async function sent(service: Service, { rows = 2000, roundTrip = 80, jitter = 0, ...limits }: Load = {}) {
  const { now, sleep, until } = virtualTime();
  const windows = new Set<number | undefined>();
  const pacer = new Pacer({ now, sleep });
  pacer.limit(limits);
  const counts = { done: 0, refused: 0, failed: 0, inFlight: 0, most: 0 };
  const left: number[] = [];
  let drawn = 7;
  const late = () => {
    drawn = (drawn * 16_807) % 2_147_483_647;
    return (drawn / 2_147_483_647) * jitter;
  };
  const row = async () => {
    while (!pacer.gaveUp) {
      const departure = await pacer.departure();
      left.push(now());
      counts.inFlight += 1;
      counts.most = Math.max(counts.most, counts.inFlight);
      await sleep(roundTrip / 2 + late());
      const said = service(now(), counts.inFlight);
      await sleep(roundTrip / 2 + late());
      counts.inFlight -= 1;
      pacer.ended(departure, typeof said === 'string' ? said : 'refused', typeof said === 'string' ? undefined : said.wait);
      windows.add(pacer.limitedWindow);
      counts[typeof said !== 'string' ? 'refused' : said === 'failed' ? 'failed' : 'done'] += 1;
      if (said === 'answered') return;
    }
  };
  await until(pacer.each(Array(rows).fill(0), row));
  return { ...counts, left, windows: [...windows], seconds: now() / 1000, gaveUp: pacer.gaveUp };
}

/** How a service says when it takes more: exactly, in whole seconds, not at all. */
const saying = { exactly: (wait: number) => wait, 'in whole seconds': () => 1000, 'not at all': () => undefined };
type Saying = (wait: number) => number | undefined;

/** Takes `perSecond` in the long run and `burst` at once, as nginx does. */
function bucket(perSecond: number, burst: number, say: Saying): Service {
  let [room, since] = [burst, 0];
  return (now) => {
    room = Math.min(burst, room + ((now - since) * perSecond) / 1000);
    since = now;
    if (room < 1 - 1e-9) return { wait: say(((1 - room) * 1000) / perSecond) };
    room -= 1;
    return 'answered';
  };
}

/** Takes `perSecond` in each second of a clock that is `off` milliseconds ahead. */
function eachSecond(perSecond: number, off: number, say: Saying): Service {
  let [second, taken] = [-1, 0];
  return (time) => {
    const now = time + off;
    if (Math.floor(now / 1000) !== second) [second, taken] = [Math.floor(now / 1000), 0];
    taken += 1;
    return taken <= perSecond ? 'answered' : { wait: say(1000 - (now % 1000)) };
  };
}

const said = Object.entries(saying);
const near = { roundTrip: 2, jitter: 0.5 };
const far = { roundTrip: 80, jitter: 4 };

describe('A service that limits requests', () => {
  test.each([5, 20, 50].flatMap((limit) => said.map(([when, say]) => ({ limit, when, say }))))(
    'to $limit a second without a burst, and says $when when it takes more, gets them in less than twice the least time.',
    async ({ limit, say }) => {
      for (const distance of [near, far]) {
        const { seconds, refused } = await sent(bucket(limit, 1, say), { rows: 20 * limit, ...distance });
        expect(seconds).toBeLessThan(2 * 20);
        expect(refused).toBeLessThan(0.1 * 20 * limit + 8);
      }
    },
  );

  const bursts = said.flatMap(([when, say]) => [
    { limit: 'with a burst of 50', when, make: () => bucket(50, 50, say) },
    { limit: 'with a burst of 10', when, make: () => bucket(50, 10, say) },
    ...[0, 300, 450, 900].map((off) => ({ limit: `in each second, ${off} ms off`, when, make: () => eachSecond(50, off, say) })),
  ]);
  test.each(bursts)(
    'to 50 a second $limit, and says $when when it takes more, gets them in 1.3 times the least time and refuses a tenth at most.',
    async ({ make }) => {
      for (const distance of [near, far]) {
        const { seconds, refused } = await sent(make(), distance);
        expect(seconds).toBeLessThan(1.3 * 40);
        expect(refused).toBeLessThan(200);
      }
    },
  );

  test('keeps the window: as many are in flight afterwards as before.', async () => {
    let [count, wide] = [0, 0];
    const { windows } = await sent((_, inFlight) => {
      count += 1;
      wide = Math.max(wide, inFlight);
      return count === 300 ? { wait: undefined } : 'answered';
    });
    expect(wide).toBe(64);
    expect(windows).toEqual([8, 16, 32, 64]);
  });

  test('lowers the rate again only after a clear answer: while it refuses all, the waits grow instead.', () => {
    let state = startOfPace();
    const refuse = (at: number) => {
      state = paceAfter(state, { is: 'left', at });
      state = paceAfter(state, { is: 'refused', at, request: state.left });
    };
    refuse(0);
    const { rate, gain } = state;
    for (let times = 1; times <= 40; times += 1) refuse(times * 120_000);
    expect(state).toMatchObject({ rate, gain, waits: 41 });
    state = paceAfter(state, { is: 'answered', at: 5_000_000, paced: false });
    refuse(5_001_000);
    expect(state.rate).toBeLessThan(rate);
    expect(state.gain).toBeLessThan(gain);
  });

  test('is given up once it refuses ten times in a row, each wait longer than the one before.', async () => {
    let taken = 0;
    const { gaveUp, seconds, done } = await sent(() => (++taken <= 20 ? 'answered' : { wait: undefined }), { rows: 100 });
    expect({ gaveUp, done }).toEqual({ gaveUp: true, done: 20 });
    expect(seconds).toBeGreaterThan(240);
  });

  test('gets nothing while it asks to wait, reads and writes alike.', async () => {
    let asked = 0;
    const { left } = await sent((now) => {
      if (now < 500 || asked > 0) return 'answered';
      asked = now;
      return { wait: 45_000 };
    });
    expect(left.filter((at) => at > asked + 40 && at < asked + 45_040)).toEqual([]);
    expect(left.at(-1)).toBeGreaterThan(45_000);
  });
});

describe('The window', () => {
  test('doubles with each round of clear answers, from 8 to 64: 2,000 rows at 80 ms take less than 3 seconds.', async () => {
    const { seconds, most } = await sent(() => 'answered');
    expect(most).toBe(64);
    expect(seconds).toBeLessThan(3);
  });

  test('of --concurrency is never exceeded, not even at first.', async () => {
    for (const atOnce of [1, 3, 20, 200]) expect((await sent(() => 'answered', { atOnce })).most).toBe(atOnce);
  });

  test('stays within 1.15 times the least time where 16 workers need 50 ms each.', async () => {
    const free: number[] = Array(16).fill(0);
    const { now, sleep, until } = virtualTime();
    const pacer = new Pacer({ now, sleep });
    await until(
      pacer.each(Array(2000).fill(0), async () => {
        const departure = await pacer.departure();
        await sleep(40);
        const worker = free.indexOf(Math.min(...free));
        const end = Math.max(free[worker] ?? 0, now()) + 50;
        free[worker] = end;
        await sleep(end - now() + 40);
        pacer.ended(departure, 'answered');
      }),
    );
    expect(now() / 1000).toBeLessThan((1.15 * 2000 * 0.05) / 16);
  });

  test('is halved once per burst of failures, and then grows by one a round.', () => {
    let state = startOfPace();
    const windowAfter = (...events: PaceEvent[]) => {
      for (const event of events) state = paceAfter(state, event);
      return state.window;
    };
    const left = Array.from({ length: 8 }, (): PaceEvent => ({ is: 'left', at: 0 }));
    windowAfter(...left);
    const failed = (request: number): PaceEvent => ({ is: 'failed', at: 100, request });
    expect(windowAfter(failed(1), failed(2), failed(8))).toBe(4);
    windowAfter({ is: 'left', at: 200 });
    expect(windowAfter(failed(9))).toBe(2);
    const answered: PaceEvent = { is: 'answered', at: 300, paced: false };
    expect([windowAfter(answered), windowAfter(answered), windowAfter(answered, answered), windowAfter(answered)]).toEqual([2, 3, 3, 4]);
    expect(nextLeaves(state)).toBeLessThanOrEqual(300);
  });

  test.each([6, 20, 40])('finds its way at a service that fails more than %i at once.', async (bears) => {
    const { done, failed } = await sent((_, inFlight) => (inFlight > bears ? 'failed' : 'answered'), { rows: 1000 });
    expect(done).toBe(1000);
    // It meets the limit again and again, as it grows by one a round.
    expect(failed).toBeLessThan(500);
  });
});

describe('The rate', () => {
  test('of --rate has each request leave no sooner after another, and after a long wait as before.', async () => {
    let count = 0;
    const { left } = await sent(() => (++count === 4 ? { wait: 10_000 } : 'answered'), { rows: 12, perSecond: 2 });
    const gaps = left.slice(1).map((at, index) => at - (left[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(500);
    expect(Math.max(...gaps)).toBeGreaterThanOrEqual(9_500);
  });

  test('and the window survive any sequence of events: both stay within their bounds.', () => {
    const event = fc.record({
      is: fc.constantFrom('left', 'answered', 'refused', 'failed'),
      ms: fc.nat(3000),
      asked: fc.option(fc.nat(500_000)),
    });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 300 }), fc.integer({ min: 1, max: 100 }), (events, cap) => {
        let [state, at] = [startOfPace({ cap, most: 40 }), 0];
        for (const { is, ms, asked } of events) {
          at += ms;
          const request = Math.max(1, state.left - (ms % 5));
          state = paceAfter(state, { is, at, request, asked: asked ?? undefined, paced: ms % 2 === 0 } as PaceEvent);
          expect(state.window).toBeGreaterThanOrEqual(1);
          expect(state.window).toBeLessThanOrEqual(cap);
          expect(state.rate).toBeGreaterThan(0);
          expect(nextLeaves(state)).toBeLessThanOrEqual(at + 120_000 + 1000 / Math.min(state.rate, 40));
        }
      }),
    );
  });

  test('does not stand still while the clock of the machine is set back.', async () => {
    const { now, sleep, until } = virtualTime();
    let back = 0;
    const pacer = new Pacer({ now: () => now() - back, sleep });
    pacer.limit({ perSecond: 10 });
    let count = 0;
    await until(
      pacer.each(Array(20).fill(0), async () => {
        pacer.ended(await pacer.departure(), 'answered');
        if (++count === 5) back = 3_600_000;
      }),
    );
    expect(now()).toBeLessThan(2_500);
  });
});

describe('Many items', () => {
  const pacer = () => new Pacer({ now: Date.now, sleep: async () => {} });

  test('give their results in order, no more than eight at a time at first.', async () => {
    let [running, most] = [0, 0];
    const results = await pacer().map([...Array(30).keys()], async (item) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, (item * 7) % 5));
      running -= 1;
      return 2 * item;
    });
    expect(results).toEqual([...Array(30).keys()].map((item) => 2 * item));
    expect(most).toBe(8);
  });

  test('end with the first error, once those in flight have ended, and no further one begins.', async () => {
    const [begun, ended]: [number[], number[]] = [[], []];
    const act = async (item: number) => {
      begun.push(item);
      await new Promise((resolve) => setTimeout(resolve, item));
      ended.push(item);
      if (item === 3) throw new Error('three');
    };
    await expect(pacer().each([9, 3, 8, 7, 6, 5, 4, 2, 1, 0], act)).rejects.toThrow('three');
    expect(begun).toHaveLength(ended.length);
    expect(ended).toContain(9);
    expect(begun.length).toBeLessThan(10);
  });

  test('leave room for others once they have ended, however often that is told.', async () => {
    const one = pacer();
    one.limit({ atOnce: 1 });
    const first = await one.departure();
    one.ended(first, 'answered');
    one.ended(first, 'nothing');
    await one.departure();
    let isSecond = false;
    void one.departure().then(() => {
      isSecond = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(isSecond).toBe(false);
  });

  test('that a rate spaces prepare one by one, each right before its moment.', async () => {
    const { now, sleep, until } = virtualTime();
    const spaced = new Pacer({ now, sleep });
    spaced.limit({ perSecond: 5 });
    let [prepared, left, most] = [0, 0, 0];
    await until(
      spaced.each(Array(40).fill(0), async () => {
        const departure = await spaced.departure(async () => {
          prepared += 1;
          most = Math.max(most, prepared - left);
          await sleep(30);
        });
        left += 1;
        expect(departure.prepared).toBe(true);
        await sleep(20);
        spaced.ended(departure, 'answered');
      }),
    );
    expect(prepared).toBe(40);
    expect(most).toBeLessThan(3);
    expect(now() / 1000).toBeCloseTo(39 / 5, 0);
  });

  test('that are interrupted while they wait send nothing more.', async () => {
    const stop = new Error('interrupted');
    const interrupted = new Pacer({ now: () => 0, sleep: () => Promise.reject(stop) });
    interrupted.limit({ perSecond: 1 });
    let sent = 0;
    const act = async () => {
      await interrupted.departure();
      sent += 1;
    };
    await expect(interrupted.each([1, 2, 3, 4], act)).rejects.toBe(stop);
    expect(sent).toBe(1);
  });
});
