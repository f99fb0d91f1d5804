/** A short form of the campaign: two stories of each family that needs no process of its own, forty of those that are enumerated, and two dozen walks. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { chosenRoots } from './every/every.ts';
import { tell, titleOf, ways } from './every/tell.ts';
import { isOfProcesses, toldOf } from './story/places.ts';
import { walked } from './walks/walk.ts';
import { families, familiesHere } from './world/families.ts';
import { Random } from './world/random.ts';
import { whyNotFull } from './world/small-disk.ts';

const stories = familiesHere.flatMap((family) =>
  (['moved', 'students'] as const).flatMap((kinds) => [1, 2].map((seed) => ({ family, kinds, seed }))),
);
/** Two machines that import at once come to another end each time: that is for many stories to judge. */
const isOneStory = ({ family, kinds }: (typeof stories)[number]) => !(family === 'two machines' && kinds === 'students');
const isHere = (story: (typeof stories)[number]) =>
  isOneStory(story) && !isOfProcesses(families[story.family] ?? {}, story.seed) && (story.family !== 'full' || whyNotFull() === undefined);

test.each(stories.filter(isHere))('the promises hold in each story: $family:$seed of the kinds $kinds', async ({ family, kinds, seed }) => {
  expect((await toldOf(family, seed, kinds)).broken).toEqual([]);
});

test('the laws of runs hold in forty of the enumerated stories', async () => {
  const random = new Random(1);
  const broken: Record<string, string[]> = {};
  for (const root of await chosenRoots({ sample: 40, seed: 1 })) {
    const way = random.pick(ways);
    for (const told of await tell(root, [way])) if (told.broken.length > 0) broken[titleOf(root, way)] = told.broken;
  }
  expect(broken).toEqual({});
});

test('the laws hold in twenty-four walks of many commands, which are undone', async () => {
  const broken: Record<string, string[]> = {};
  for (let number = 1; number <= 24; number += 1) {
    const told = await walked(`1:${number}`);
    if (told.broken.length > 0) broken[told.title] = told.broken;
  }
  expect(broken).toEqual({});
});

test.each(['oracle', 'intents'])('%s knows nothing of the program: who judges it must not share its mistakes', (folder) => {
  const at = join(import.meta.dirname, folder);
  const imports = readdirSync(at).flatMap((name) => readFileSync(join(at, name), 'utf8').match(/'[^']*\/src\/[^']*'/g) ?? []);
  expect(imports).toEqual([]);
});
