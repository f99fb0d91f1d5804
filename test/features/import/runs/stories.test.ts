/** The short form of the campaign: a few random stories; `npm run campaign` tells more. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AccommodationStory, accommodationStories, tellAccommodations } from '../../../campaign/accommodations.ts';
import { type Workshop, workshop } from '../../../campaign/importer.ts';
import { type RemovalStory, removalStories, tellRemoval } from '../../../campaign/removals.ts';
import { type Story, tell } from '../../../campaign/scenario.ts';
import { stories } from '../../../campaign/stories.ts';

let shop: Workshop;
beforeAll(async () => {
  shop = await workshop();
});
afterAll(() => shop.remove());

const seed = Number(process.env.CAMPAIGN_SEED ?? 20_261_121);
const drawn: Story[] = fc.sample(stories({ actions: [2, 4], rows: 20, faulty: true }), { seed, numRuns: 4 });

const removals: RemovalStory[] = fc.sample(removalStories({ chosen: 6, injured: [2, 2] }), { seed, numRuns: 3 });

test.concurrent.each(removals.map((story, at) => [at + 1, story] as const))(
  `Story %i of seed ${seed} about deletions breaks no promise.`,
  async (_, story) => {
    expect((await tellRemoval(shop, story, 'here')).broken).toEqual([]);
  },
);

const accommodations: AccommodationStory[] = fc.sample(accommodationStories({ students: 4, injured: [2, 2] }), { seed, numRuns: 1 });

test.concurrent.each(accommodations.map((story, at) => [at + 1, story] as const))(
  `Story %i of seed ${seed} about accommodations breaks no promise.`,
  async (_, story) => {
    expect((await tellAccommodations(shop, story, 'here')).broken).toEqual([]);
  },
);

test.concurrent.each(drawn.map((story, at) => [at + 1, story] as const))(
  `Story %i of seed ${seed} breaks no promise.`,
  async (_, story) => {
    expect((await tell(shop, story, 'here')).broken).toEqual([]);
  },
);
