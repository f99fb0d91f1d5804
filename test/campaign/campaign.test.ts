/** A short form of the campaign: two stories of each family that needs no process of its own, and a few with the database of a team. */
import { describe, expect, test } from 'vitest';
import { whySkipped } from '../support/cluster.ts';
import { toldOf } from './story/places.ts';
import { familiesHere } from './world/families.ts';

test.each(familiesHere.flatMap((family) => [1, 2].map((seed) => [family, seed] as const)))(
  'the promises hold in the story %s:%d',
  async (family, seed) => {
    expect((await toldOf(family, seed)).broken).toEqual([]);
  },
);

const skipped = whySkipped();

describe.skipIf(skipped !== undefined)(`with the database of a team${skipped === undefined ? '' : ` (skipped: ${skipped})`}`, () => {
  // Their time is real, and most of it is spent in waiting.
  test.concurrent.each([
    ['team plain', 1],
    ['team lost', 1],
    ['team busy colleague', 1],
    ['team interrupted', 1],
    ['team two machines', 1],
  ] as const)('the promises hold in the story %s:%d', async (family, seed) => {
    expect((await toldOf(family, seed)).broken).toEqual([]);
  });
});
