/** The short form of the campaign over delay, shift and move (`npm run campaign -- --only changes`): a few kills and faults of each. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ChangeStory, tellChange } from '../../campaign/changes.ts';
import { type Workshop, workshop } from '../../campaign/importer.ts';
import type { Injury, Point } from '../../campaign/injury.ts';

let shop: Workshop;
beforeAll(async () => {
  shop = await workshop();
});
afterAll(() => shop.remove());

const kill = (point: Point, at: number): Injury => ({ point, at, how: at % 2 === 0 ? 'power-cut' : 'killed', when: 'after', tail: 30 });
const stories: ChangeStory[] = [
  { command: 'delay', students: 3, injuries: [kill('sync', 3), kill('answer', 5)], faults: [{ at: 2, fault: { answer: 'reset' } }] },
  { command: 'shift', students: 3, injuries: [kill('headers', 6), kill('sync', 3)], faults: [{ at: 1, fault: { answer: 'cut' } }] },
  { command: 'move', students: 2, injuries: [kill('sync', 3), kill('sync', 4)], faults: [{ at: 1, fault: { answer: 'reset', done: 60 } }] },
  { command: 'move', students: 2, injuries: [kill('headers', 9), kill('answer', 11)], faults: [{ at: 3, fault: { answer: 'reset' } }] },
];

describe.concurrent('Killed and run again', () => {
  test.each(stories)('exams or sessions $command: nothing is done twice or lost, and it comes to its end', async (story) => {
    const { broken, landed } = await tellChange(shop, story, 'here');
    expect(broken).toEqual([]);
    expect(landed).toBeGreaterThan(0);
  });
});
