/** Slots for requests in flight: never more than there are, first come first served, and what waits for them goes on. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Slots } from '../../src/api/slots.ts';

test('No more are taken than there are, in the order of those who come, and all are free again.', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 12 }), async (free, all) => {
      const slots = new Slots(free);
      const order: number[] = [];
      let taken = 0;
      let most = 0;
      const request = async (turns: number, at: number) => {
        await slots.take();
        order.push(at);
        taken += 1;
        most = Math.max(most, taken);
        for (let turn = 0; turn < turns; turn += 1) await nextTurn();
        taken -= 1;
        slots.give();
        await slots.whenSent();
      };
      await Promise.all(all.map(request));
      expect(order).toEqual([...all.keys()]);
      expect(most).toBe(Math.min(free, all.length));
      for (let at = 0; at < free; at += 1) await slots.take();
    }),
    { numRuns: 40 },
  );
});

test('After a stop those that wait, and those that come, are rejected with its reason; the first one counts.', async () => {
  const slots = new Slots(1);
  await slots.take();
  const waiting = slots.take();
  slots.stop('first');
  slots.stop('later');
  await expect(waiting).rejects.toBe('first');
  slots.give();
  await expect(slots.take()).rejects.toBe('first');
});

test('What is done once requests have been sent comes after the request that got the free slot, one per turn.', async () => {
  const slots = new Slots(1);
  const seen: string[] = [];
  await slots.take();
  const next = slots.take().then(async () => {
    seen.push('free');
    await nextTurn();
    await nextTurn();
    seen.push('sent');
  });
  slots.give();
  const parsed = ['one', 'two'].map(async (name) => {
    await slots.whenSent();
    seen.push(name);
    queueMicrotask(() => seen.push(`${name} judged`));
  });
  await Promise.all([next, ...parsed]);
  expect(seen).toEqual(['free', 'sent', 'one', 'one judged', 'two', 'two judged']);
});
