/** Slots for requests in flight: never more than there are, first come first served, and what waits for them goes on. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Concurrency } from '../../src/api/concurrency.ts';
import { type SlotEnd, Slots } from '../../src/api/slots.ts';
import type { LogRecord } from '../../src/host/host.ts';
import { virtualTime } from '../support/virtual-time.ts';

const slotsOf = (concurrency: Concurrency) => new Slots({ now: Date.now, sleep: async () => {} }, concurrency);

test('No more are taken than there are, in the order of those who come, and all are free again.', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 12 }), async (free, all) => {
      const slots = slotsOf(free);
      const order: number[] = [];
      let taken = 0;
      let most = 0;
      const request = async (turns: number, at: number) => {
        const slot = await slots.take();
        order.push(at);
        taken += 1;
        most = Math.max(most, taken);
        for (let turn = 0; turn < turns; turn += 1) await nextTurn();
        taken -= 1;
        slot.give();
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
  const slots = slotsOf(1);
  const slot = await slots.take();
  const waiting = slots.take();
  slots.stop('first');
  slots.stop('later');
  await expect(waiting).rejects.toBe('first');
  slot.give();
  await expect(slots.take()).rejects.toBe('first');
});

test('What is done once requests have been sent comes after the request that got the free slot, one per turn.', async () => {
  const slots = slotsOf(1);
  const seen: string[] = [];
  const slot = await slots.take();
  const next = slots.take().then(async () => {
    seen.push('free');
    await nextTurn();
    await nextTurn();
    seen.push('sent');
  });
  slot.give();
  const parsed = ['one', 'two'].map(async (name) => {
    await slots.whenSent();
    seen.push(name);
    queueMicrotask(() => seen.push(`${name} judged`));
  });
  await Promise.all([next, ...parsed]);
  expect(seen).toEqual(['free', 'sent', 'one', 'one judged', 'two', 'two judged']);
});

/** So many reads of 80 ms each; how each ends is said by how many are in flight. */
async function reads(number: number, endOf: (inFlight: number) => SlotEnd = () => 'answered') {
  const { now, sleep, until } = virtualTime();
  const records: LogRecord[] = [];
  const slots = new Slots({ now, sleep, log: (record) => void records.push(record) }, { upTo: 64 });
  const counts = { inFlight: 0, most: 0, failed: 0 };
  const read = async (): Promise<void> => {
    const slot = await slots.take();
    counts.inFlight += 1;
    counts.most = Math.max(counts.most, counts.inFlight);
    const end = endOf(counts.inFlight);
    await sleep(80);
    counts.inFlight -= 1;
    slot.give(end);
    if (end === 'answered') return;
    counts.failed += 1;
    await read();
  };
  await until(Promise.all(Array.from({ length: number }, read)));
  return { ...counts, records, seconds: now() / 1000 };
}

test('Slots that find their number go from 8 to the cap where more requests bring more answers.', async () => {
  const { most, seconds } = await reads(500);
  expect(most).toBe(64);
  expect(seconds).toBeLessThan(1.2);
});

test('Each change of the number of slots is recorded, from the first to the last.', async () => {
  const { most, records } = await reads(500, (inFlight) => (inFlight > 20 ? 'failed' : 'answered'));
  expect(records.map(({ event }) => event)).toEqual(records.map(() => 'concurrency'));
  const steps = records.flatMap((record) => (record.event === 'concurrency' ? [record] : []));
  expect(steps[0]?.from).toBe(8);
  expect(steps.slice(1).map(({ from }) => from)).toEqual(steps.slice(0, -1).map(({ to }) => to));
  expect(Math.max(...steps.map(({ to }) => to))).toBe(most);
  expect(steps.some(({ from, to }) => to < from)).toBe(true);
});

test('Slots go back to 8 for good after a failure, and are halved once for a burst of refusals; each read gets its answer.', async () => {
  const failing = await reads(500, (inFlight) => (inFlight > 20 ? 'failed' : 'answered'));
  expect(failing).toMatchObject({ inFlight: 0, most: 32 });
  const limited = await reads(500, (inFlight) => (inFlight > 20 ? 'limited' : 'answered'));
  expect(limited).toMatchObject({ inFlight: 0, most: 32 });
  expect(Math.max(failing.failed, limited.failed)).toBeLessThanOrEqual(2 * 32);
});

test('While many answers wait to be parsed no further request begins, and in the end all have.', async () => {
  const slots = slotsOf(4);
  const seen = { answered: 0, parsed: 0, most: 0 };
  const request = async () => {
    const slot = await slots.take();
    slot.give();
    seen.answered += 1;
    seen.most = Math.max(seen.most, seen.answered - seen.parsed);
    await slots.whenSent();
    seen.parsed += 1;
  };
  await Promise.all(Array.from({ length: 100 }, request));
  expect(seen.parsed).toBe(100);
  expect(seen.most).toBeLessThanOrEqual(16 + 4);
});

test('Slots are fewer than at first while a service fails what is more: hardly a read fails twice.', async () => {
  const { failed } = await reads(400, (inFlight) => (inFlight > 4 ? 'failed' : 'answered'));
  expect(failed).toBeLessThan(20);
});

test('A read that is not answered while others are is given up after a second, and sent again with as many in flight as were answered.', async () => {
  const { now, sleep, until } = virtualTime();
  const limit = (milliseconds: number, over: AbortSignal) =>
    Promise.race([sleep(milliseconds), new Promise<void>((resolve) => over.addEventListener('abort', () => resolve()))]);
  const slots = new Slots({ now, sleep }, 8, { limit });
  let [inFlight, excused] = [0, 0];
  const gaveUp: number[] = [];
  const read = async (late = 0): Promise<void> => {
    const slot = await slots.take(late);
    inFlight += 1;
    // The service ignores what is more than one.
    const ignored = inFlight > 1;
    const began = now();
    if (ignored) await new Promise<void>((resolve) => slot.late.addEventListener('abort', () => resolve()));
    else await sleep(80);
    inFlight -= 1;
    if (!ignored) return void slot.give();
    gaveUp.push(now() - began);
    if (slot.give('failed')) excused += 1;
    await read(late + 1);
  };
  await until(Promise.all(Array.from({ length: 60 }, () => read())));
  expect(excused).toBe(gaveUp.length);
  expect(gaveUp.slice(0, 7)).toEqual(Array(7).fill(1000));
  expect(gaveUp.length).toBeLessThan(20);
});

test('A read that is refused waits as the service asks, and all others with it, and does not count as a try.', async () => {
  const { now, sleep, until } = virtualTime();
  const slots = new Slots({ now, sleep }, 8);
  const sent: number[] = [];
  let opens = 0;
  const read = async (): Promise<void> => {
    const slot = await slots.take();
    sent.push(now());
    await sleep(20);
    if (now() >= opens && sent.length !== 20) return void slot.give();
    opens ||= now() + 45_000;
    expect(slot.give('limited', 45_000)).toBe(true);
    await read();
  };
  await until(Promise.all(Array.from({ length: 40 }, read)));
  const waited = sent.filter((at) => at > 1000 && at < opens);
  expect(waited).toEqual([]);
  expect(now()).toBeGreaterThan(45_000);
});
