/** A list of batches is the list of its items, for every reader and every end. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { oneByOne } from '../../src/api/client.ts';

/** Batches that say what becomes of them, and may fail at their end. */
function batchesOf(all: number[][], error?: Error) {
  const told = { closed: false };
  async function* batches() {
    try {
      yield* all;
      if (error) throw error;
    } finally {
      told.closed = true;
    }
  }
  return { items: oneByOne(batches()), told };
}

test('The items come in their order, whatever the batches, and the end is the end.', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(fc.integer())), async (all) => {
      const { items } = batchesOf(all);
      const seen: number[] = [];
      for await (const item of items) seen.push(item);
      expect(seen).toEqual(all.flat());
      expect(await items.next()).toEqual({ done: true, value: undefined });
    }),
  );
});

test('A failure comes after all items before it.', async () => {
  const { items } = batchesOf([[1, 2], [], [3]], new Error('the service hung up'));
  const seen: number[] = [];
  await expect(
    (async () => {
      for await (const item of items) seen.push(item);
    })(),
  ).rejects.toThrow('the service hung up');
  expect(seen).toEqual([1, 2, 3]);
});

test('Whoever has seen enough closes the source, and gets nothing more.', async () => {
  const { items, told } = batchesOf([[1, 2, 3], [4]]);
  for await (const item of items) if (item === 2) break;
  expect(told.closed).toBe(true);
  expect(await items.next()).toEqual({ done: true, value: undefined });
});
