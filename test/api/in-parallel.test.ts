/** Calls for many items: a few are in flight at a time, and all have ended when the results or the error come. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inParallel } from '../../src/api/in-parallel.ts';

type Turns = number;

/** Calls that end after some turns of the event loop each, as their item says, and how many of them have begun and ended. */
function calls() {
  const seen = { begun: [] as Turns[], ended: [] as Turns[], most: 0 };
  const call = async (turns: Turns) => {
    seen.begun.push(turns);
    seen.most = Math.max(seen.most, seen.begun.length - seen.ended.length);
    for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    seen.ended.push(turns);
    return turns * 2;
  };
  return { call, seen };
}

test('The results keep the order of the items, and never more calls are in flight than allowed.', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 5 })), fc.integer({ min: 1, max: 10 }), async (items, concurrency) => {
      const { call, seen } = calls();
      expect(await inParallel(items, call, { concurrency })).toEqual(items.map((turns) => turns * 2));
      expect(seen.begun).toEqual(items);
      expect(seen.most).toBe(Math.min(items.length, concurrency));
    }),
    { numRuns: 50 },
  );
});

test('Eight calls are in flight by default.', async () => {
  const { call, seen } = calls();
  await inParallel(Array(20).fill(3), call);
  expect(seen.most).toBe(8);
});

test('After an error no further call begins, and those in flight end before the first error comes.', async () => {
  const { call, seen } = calls();
  const failing = async (turns: Turns) => {
    await call(turns);
    if (turns === 2) throw new Error('first');
    if (turns === 4) throw new Error('later');
  };
  await expect(inParallel([5, 2, 4, 3, 1, 1, 1], failing, { concurrency: 4 })).rejects.toThrow('first');
  expect(seen).toEqual({ begun: [5, 2, 4, 3], ended: [2, 3, 4, 5], most: 4 });
  await new Promise((resolve) => setImmediate(resolve));
  expect(seen.begun).toHaveLength(4);
});

test('A call that throws at once, even nothing, is an error as well.', async () => {
  const throwing = () => {
    throw undefined;
  };
  await expect(inParallel([1, 2, 3], throwing, { concurrency: 2 })).rejects.toBeUndefined();
});
