/** What the seed decides: the same requests meet the same faults, in whatever order they arrive. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Asked, Draws } from '../../../src/sandbox/faults/draw.ts';
import { faultPlanOf } from '../../../src/sandbox/faults/fault-plan.ts';
import { newExam, serve } from '../harness.ts';

const drawsOf = (seed: string, ...faults: string[]) => new Draws(faultPlanOf({ faults, seed }) ?? { rules: [], seed });
const post = (row: number): Asked => ({ method: 'POST', target: '/exams/6/student_sessions', body: `{"email":"s${row}"}`, list: false });
const nameOf = ({ method, target, body }: Asked) => `${method} ${target} ${body}`;

/** What each request meets, time for time, when they arrive in this order. */
function met(draws: Draws, requests: readonly Asked[]): Record<string, unknown[]> {
  const all: Record<string, unknown[]> = {};
  for (const request of requests) all[nameOf(request)] = [...(all[nameOf(request)] ?? []), draws.of(request)];
  return all;
}

const many = ['latency=0.5', 'lost-after=30%', '429=20%', 'lost-before=10%,on=POST'];

describe('The same seed', () => {
  test('gives each request the same faults in every order, the n-th of its kind included', () => {
    const requests = fc.array(fc.oneof(fc.nat(9).map(post), fc.constant({ method: 'GET', target: '/exams?page=2', body: '', list: true })));
    const shuffled = requests.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })));
    fc.assert(
      fc.property(fc.string(), shuffled, (seed, [sent, again]) => {
        expect(met(drawsOf(seed, ...many), again)).toEqual(met(drawsOf(seed, ...many), sent));
      }),
    );
  });

  test('gives a change the same faults on another day, when the times in it are others', () => {
    const on = (time: unknown, field = 'close_time') => {
      const draws = drawsOf('a', ...many);
      return Array.from({ length: 100 }, (_, id) => {
        const body = JSON.stringify({ name: `${id}`, [field]: time });
        return draws.of({ method: 'PATCH', target: `/student_sessions/${id}`, body, list: false });
      });
    };
    expect(on('2026-12-07T10:00:00Z')).toEqual(on('2026-12-06T09:30:00Z'));
    expect(on(1_800_000_000)).toEqual(on(1_799_999_999));
    expect(on('2026-12-07T10:00:00Z')).not.toEqual(on(null));
    expect(on('a room', 'room')).not.toEqual(on('another room', 'room'));
  });

  test('gives another request, another body, another time and another rule faults of their own', () => {
    const rows = Array.from({ length: 200 }, (_, row) => row);
    const draws = drawsOf('a', 'lost-after=50%', 'lost-after=50%');
    const first = rows.map((row) => draws.of(post(row)).length);
    const second = rows.map((row) => draws.of(post(row)).length);
    expect(new Set(first)).toEqual(new Set([0, 1, 2]));
    expect(second).not.toEqual(first);
  });

  test('gives a rule the same draws whatever other rules are beside it', () => {
    const rows = Array.from({ length: 100 }, (_, row) => post(row));
    const [alone, among] = [drawsOf('a', 'lost-after=30%'), drawsOf('a', '500=10%', 'lost-after=30%', 'latency=1')];
    const lost = (draws: Draws) => rows.map((row) => draws.of(row).some(({ name }) => name === 'lost-after'));
    expect(lost(among)).toEqual(lost(alone));
  });

  test('gives the same faults over HTTP when all requests are sent at once and when they are sent one by one', async () => {
    const lines = async (together: boolean) => {
      const faults = faultPlanOf({ faults: ['409=30%,on=POST', 'latency=40%,delay=1ms,spread=5ms'], seed: 'a' });
      const told: string[] = [];
      const { send } = await serve({ ...(faults ? { faults } : {}), onFault: (line) => void told.push(line) });
      const { path } = await newExam(send);
      const rows = Array.from({ length: 40 }, (_, row) => row);
      const statuses: Record<number, number> = {};
      const add = async (row: number) => {
        statuses[row] = (await send('POST', `${path}/student_sessions`, { email: `s${row}@example.org` })).status;
      };
      if (together) await Promise.all(rows.toReversed().map(add));
      else for (const row of rows) await add(row);
      return { statuses, told: told.map((line) => line.replace(/^#\d+ /, '')).sort() };
    };
    expect(await lines(true)).toEqual(await lines(false));
  });
});

test('Another seed gives other faults', () => {
  const rows = Array.from({ length: 100 }, (_, row) => post(row));
  expect(met(drawsOf('b', ...many), rows)).not.toEqual(met(drawsOf('a', ...many), rows));
});

describe('A rate', () => {
  const drawn = (fault: string, times: number) => {
    const draws = drawsOf('a', fault);
    return Array.from({ length: times }, (_, row) => draws.of(post(row)).length).filter((length) => length > 0).length;
  };

  test('is the share of the requests', () => {
    expect(drawn('500=0', 500)).toBe(0);
    expect(drawn('500=1', 500)).toBe(500);
    expect(drawn('500=10%', 5000) / 5000).toBeCloseTo(0.1, 1);
    expect(drawn('500=0.5', 5000) / 5000).toBeCloseTo(0.5, 1);
  });
});

describe('A gap', () => {
  const places = (fault: string, times = 12, request = (_: number) => post(0)) => {
    const draws = drawsOf('a', fault);
    return Array.from({ length: times }, (_, at) => at + 1).filter((at) => draws.of(request(at)).length > 0);
  };

  test.each([
    ['500=1,after=3,for=2', [4, 5]],
    ['500,after=9', [10, 11, 12]],
    ['500=1,after=1,for=2,every=5', [2, 3, 7, 8, 12]],
    ['500=1,for=1', [1]],
  ])('%s', (fault, expected) => expect(places(fault)).toEqual(expected));

  test('counts only the requests that the rule selects', () => {
    const turns = (at: number): Asked => (at % 2 ? post(0) : { method: 'GET', target: '/exams', body: '', list: true });
    expect(places('500=1,on=GET /exams,after=1,for=2', 12, turns)).toEqual([4, 6]);
    expect(places('list-cut=1,after=1,for=1', 12, turns)).toEqual([4]);
  });

  test('of a refused token begins with the 51st request unless a rate is given', () => {
    expect(places('401', 60)[0]).toBe(51);
    expect(places('401=1', 60)[0]).toBe(1);
  });
});
