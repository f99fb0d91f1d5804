/** A short form of the campaign: two stories of each family that needs no process of its own. */
import { expect, test } from 'vitest';
import { toldOf } from './story/places.ts';
import { familiesHere } from './world/families.ts';

test.each(familiesHere.flatMap((family) => [1, 2].map((seed) => [family, seed] as const)))(
  'the promises hold in the story %s:%d',
  async (family, seed) => {
    expect((await toldOf(family, seed)).broken).toEqual([]);
  },
);
