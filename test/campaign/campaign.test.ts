/** A short form of the campaign: two stories of each family that needs no process of its own. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isOfProcesses, toldOf } from './story/places.ts';
import { families, familiesHere } from './world/families.ts';
import { whyNotFull } from './world/small-disk.ts';

const stories = familiesHere.flatMap((family) =>
  (['moved', 'students'] as const).flatMap((kinds) => [1, 2].map((seed) => ({ family, kinds, seed }))),
);
/** Two machines that import at once come to another end each time: that is for many stories to judge. */
const isOneStory = ({ family, kinds }: (typeof stories)[number]) => !(family === 'two machines' && kinds === 'students');
const isHere = (story: (typeof stories)[number]) =>
  isOneStory(story) && !isOfProcesses(families[story.family] ?? {}, story.seed) && (story.family !== 'full' || whyNotFull() === undefined);

test.each(stories.filter(isHere))('the promises hold in the story $family:$seed of the kinds $kinds', async ({ family, kinds, seed }) => {
  expect((await toldOf(family, seed, kinds)).broken).toEqual([]);
});

test.each(['oracle', 'intents'])('%s knows nothing of the program: who judges it must not share its mistakes', (folder) => {
  const at = join(import.meta.dirname, folder);
  const imports = readdirSync(at).flatMap((name) => readFileSync(join(at, name), 'utf8').match(/'[^']*\/src\/[^']*'/g) ?? []);
  expect(imports).toEqual([]);
});
