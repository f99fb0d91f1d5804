/** How fast requests leave, at services that are simulated in virtual time, and what Retry-After asks for. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Pacer, type RequestEnd, waitAsked } from '../../src/api/pacer.ts';
import { inventedClock } from '../support/clock.ts';

const clock = () => inventedClock('1970-01-01T00:00:00Z');

/** What a service does with a request: answers it, refuses it with or without a time to wait, or fails. */
type Said = 'answered' | 'failed' | { wait: number | undefined };
type Service = (now: number, inFlight: number) => Said;
type Load = { rows?: number; roundTrip?: number; jitter?: number; perSecond?: number };

/** Sends rows as an import does: each again after a refusal, up to the end of the pacer's patience. */
async function sent(service: Service, { rows = 2000, roundTrip = 80, jitter = 0, ...limits }: Load = {}) {
  const { now, wait: sleep } = clock();
  const windows = new Set<number>();
  const pacer = new Pacer({ elapsed: now, sleep });
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
      windows.add(pacer.window);
      counts[typeof said !== 'string' ? 'refused' : said === 'failed' ? 'failed' : 'done'] += 1;
      if (said === 'answered') return;
    }
  };
  await pacer.map(Array(rows).fill(0), row);
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

const distances = { near: { roundTrip: 2, jitter: 0.5 }, far: { roundTrip: 80, jitter: 4 } };

describe('A service that limits requests', () => {
  test('gets them soon, and refuses few', async () => {
    const services: [string, perSecond: number, make: (say: Saying) => Service][] = [
      ...[5, 20, 50].map((limit): (typeof services)[0] => [`${limit} a second without a burst`, limit, (say) => bucket(limit, 1, say)]),
      ...[10, 50].map((burst): (typeof services)[0] => [`50 a second with a burst of ${burst}`, 50, (say) => bucket(50, burst, say)]),
      ...[0, 450].map((off): (typeof services)[0] => [`50 in each second, ${off} ms off`, 50, (say) => eachSecond(50, off, say)]),
    ];
    const results: { name: string; times: number; refused: number }[] = [];
    for (const [what, perSecond, make] of services) {
      for (const [when, say] of Object.entries(saying)) {
        for (const [where, distance] of Object.entries(distances)) {
          const rows = perSecond === 50 ? 2000 : 20 * perSecond;
          const { seconds, refused } = await sent(make(say), { rows, ...distance });
          results.push({ name: `${what}, says ${when}, ${where}`, times: (seconds * perSecond) / rows, refused });
        }
      }
    }
    expect(results.filter(({ times, refused }) => times > 1.8 || refused > 90)).toEqual([]);
    const withBurst = results.filter(({ name }) => name.startsWith('50') && !/without|not at all/.test(name));
    expect(withBurst.filter(({ times }) => times > 1.3)).toEqual([]);
    expect(results.reduce((sum, { times }) => sum + times, 0) / results.length).toBeLessThan(1.3);
  });

  test('to one a second, and says no more, is soon asked no faster', async () => {
    const { seconds, refused } = await sent(
      bucket(1, 1, () => undefined),
      { rows: 12, ...distances.near },
    );
    expect(seconds).toBeLessThan(1.4 * 12);
    expect(refused).toBeLessThan(20);
  });

  test('is soon asked as before where it refuses one request by chance', async () => {
    let count = 0;
    const { seconds, windows } = await sent(() => (++count === 300 ? { wait: undefined } : 'answered'));
    expect(seconds).toBeLessThan(7);
    expect(windows).toEqual([8, 16, 32, 64, 80]);
  });

  test('is given up once it refuses ten times in a row, each wait longer than the one before', async () => {
    let taken = 0;
    const { gaveUp, seconds, done } = await sent(() => (++taken <= 20 ? 'answered' : { wait: undefined }), { rows: 100 });
    expect({ gaveUp, done }).toEqual({ gaveUp: true, done: 20 });
    expect(seconds).toBeGreaterThan(240);
  });

  test('gets nothing while it asks to wait, reads and writes alike', async () => {
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
  test('doubles with each round of clear answers, from 8 to 80: 2,000 rows at 80 ms take less than 3 seconds', async () => {
    const { seconds, most } = await sent(() => 'answered');
    expect(most).toBe(80);
    expect(seconds).toBeLessThan(3);
  });

  test('is halved once per burst of failures, and then grows by one a round', async () => {
    const pacer = new Pacer({ elapsed: () => 0, sleep: async () => {} });
    const windows = async (is: RequestEnd, requests: number) => {
      const inFlight: number[] = [];
      while (inFlight.length < requests) inFlight.push(await pacer.departure());
      return inFlight.map((departure) => {
        pacer.ended(departure, is);
        return pacer.window;
      });
    };
    expect(await windows('failed', 8)).toEqual(Array(8).fill(4));
    expect(await windows('failed', 1)).toEqual([2]);
    expect(await windows('answered', 2)).toEqual([2, 3]);
    expect(await windows('answered', 3)).toEqual([3, 3, 4]);
  });

  test.each([6, 20, 40])('finds its way at a service that fails more than %i at once', async (bears) => {
    const { done, failed } = await sent((_, inFlight) => (inFlight > bears ? 'failed' : 'answered'), { rows: 1000 });
    expect(done).toBe(1000);
    // It meets the limit again and again, as it grows by one a round.
    expect(failed).toBeLessThan(500);
  });
});

describe('The rate', () => {
  test('of --rate has each request leave no sooner after another, and after a long wait as before', async () => {
    let count = 0;
    const { left } = await sent(() => (++count === 4 ? { wait: 10_000 } : 'answered'), { rows: 12, perSecond: 2 });
    const gaps = left.slice(1).map((at, index) => at - (left[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(500);
    expect(Math.max(...gaps)).toBeGreaterThanOrEqual(9_500);
  });

  test('does not stand still while the clock of the machine is set back', async () => {
    const { now, wait: sleep } = clock();
    let back = 0;
    const pacer = new Pacer({ elapsed: now, sleep, ...{ now: () => now() - back } });
    pacer.limit({ perSecond: 10 });
    let count = 0;
    await pacer.map(Array(20).fill(0), async () => {
      pacer.ended(await pacer.departure(), 'answered');
      if (++count === 5) back = 3_600_000;
    });
    expect(now()).toBeLessThan(2_500);
  });
});

test('Whatever a service says, the window and the waits stay within their bounds.', async () => {
  const saidNext = fc.oneof(
    fc.constantFrom('answered', 'failed', 'nothing'),
    fc.record({ wait: fc.option(fc.nat(500_000), { nil: undefined }) }),
  );
  const property = fc.asyncProperty(fc.array(saidNext, { maxLength: 300 }), async (script) => {
    const waits: number[] = [];
    const pacer = new Pacer({ elapsed: () => 0, sleep: async (wait) => void waits.push(wait) });
    pacer.limit({ perSecond: 40 });
    for (const said of script) {
      const departure = await pacer.departure();
      if (typeof said === 'string') pacer.ended(departure, said as RequestEnd);
      else pacer.ended(departure, 'refused', said.wait);
      expect(pacer.window).toBeGreaterThanOrEqual(1);
      expect(pacer.window).toBeLessThanOrEqual(80);
    }
    expect(Math.max(0, ...waits)).toBeLessThan(120_001);
  });
  await fc.assert(property);
});

describe('Many items', () => {
  const pacer = () => new Pacer({ elapsed: Date.now, sleep: async () => {} });
  const turns = async (number: number) => {
    for (let at = 0; at < number; at += 1) await new Promise((resolve) => setImmediate(resolve));
  };

  test('give their results in order, no more than eight at a time at first', async () => {
    let [running, most] = [0, 0];
    const results = await pacer().map([...Array(30).keys()], async (item) => {
      running += 1;
      most = Math.max(most, running);
      await turns((item * 7) % 5);
      running -= 1;
      return 2 * item;
    });
    expect(results).toEqual([...Array(30).keys()].map((item) => 2 * item));
    expect(most).toBe(8);
  });

  test('end with the first error, once those in flight have ended, and no further one begins', async () => {
    const [begun, ended]: [number[], number[]] = [[], []];
    const act = async (item: number) => {
      begun.push(item);
      await turns(item);
      ended.push(item);
      if (item === 3) throw new Error('three');
    };
    await expect(pacer().map([9, 3, 8, 7, 6, 5, 4, 2, 1, 0], act)).rejects.toThrow('three');
    expect(begun).toHaveLength(ended.length);
    expect(ended).toContain(9);
    expect(begun.length).toBeLessThan(10);
  });

  test('leave room for others once they have ended', async () => {
    const one = pacer();
    one.ended(await one.departure(), 'answered');
    const { window } = one;
    for (let running = 0; running < window; running += 1) await one.departure();
    let isSecond = false;
    void one.departure().then(() => {
      isSecond = true;
    });
    await turns(3);
    expect(isSecond).toBe(false);
  });

  test('that are interrupted while they wait send nothing more', async () => {
    const stop = new Error('interrupted');
    const interrupted = new Pacer({ elapsed: () => 0, sleep: () => Promise.reject(stop) });
    interrupted.limit({ perSecond: 1 });
    let count = 0;
    const act = async () => {
      await interrupted.departure();
      count += 1;
    };
    await expect(interrupted.map([1, 2, 3, 4], act)).rejects.toBe(stop);
    expect(count).toBe(1);
  });
});

test.each<[header: string | undefined, wait: number | undefined]>([
  [' 3 ', 3000],
  ['0.4', 400],
  ['2, 2', 2000],
  ['Sat, 21 Nov 2026 08:00:05 GMT', 5000],
  ['Saturday, 21-Nov-26 08:00:05 GMT', 5000],
  ...[undefined, '', '3, then log in again', 'soon', 'see 2099', '-5', '0.0', 'Sat, 21 Nov 2026 08:00:00 GMT'].map(
    (none): [string | undefined, undefined] => [none, undefined],
  ),
])('Retry-After %s asks for a wait of %s ms', (header, wait) => {
  expect(waitAsked(header, Date.parse('2026-11-21T08:00:00Z'))).toBe(wait);
});
