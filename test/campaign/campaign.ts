/**
 * The long form of the fault tests: random stories of imports, of deletions, of accommodations
 * (`--only accommodations`) and of changes (`--only changes`) until so many kills have landed (`--kills 1000`), from a seed
 * (`--seed 7`). Prints what was told and every promise broken,
 * with the seed of its story; its exit status is that of a test.
 */
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { accommodationStories, tellAccommodations } from './accommodations.ts';
import { changeStories, tellChange } from './changes.ts';
import { workshop } from './importer.ts';
import { removalStories, tellRemoval } from './removals.ts';
import { type Story, type Told, tell } from './scenario.ts';
import { stories } from './stories.ts';

const { values } = parseArgs({
  options: { kills: { type: 'string' }, seed: { type: 'string' }, workers: { type: 'string' }, only: { type: 'string' } },
});
const kills = Number(values.kills ?? 1000);
const firstSeed = Number(values.seed ?? Date.now() % 1_000_000_000);
const workers = Number(values.workers ?? 4);

const shop = await workshop();
const total = { stories: 0, imports: 0, landed: 0, broken: 0 };
const started = Date.now();
let seed = firstSeed;

/** Of three stories one is of deletions; of the others, one of four is of accommodations, and one of four of changes. */
function toldOf(one: number): Promise<Told> {
  if (values.only === 'accommodations' || (values.only === undefined && one % 12 === 1)) {
    const [given] = fc.sample(accommodationStories({ students: 8, injured: [4, 8] }), { seed: one, numRuns: 1 });
    if (given) return tellAccommodations(shop, given);
  }
  if (values.only === 'changes' || (values.only === undefined && one % 12 === 5)) {
    const [change] = fc.sample(changeStories({ students: 8, injured: [3, 8] }), { seed: one, numRuns: 1 });
    if (change) return tellChange(shop, change);
  }
  const [removal] = one % 3 === 0 ? fc.sample(removalStories({ chosen: 16, injured: [4, 8] }), { seed: one, numRuns: 1 }) : [];
  return removal ? tellRemoval(shop, removal) : tell(shop, storyOf(one));
}

/** Every fourth story of imports has a service that fails as well. */
function storyOf(one: number): Story {
  const [story] = fc.sample(stories({ actions: [10, 20], rows: 40, faulty: one % 4 === 0 }), { seed: one, numRuns: 1 });
  if (!story) throw new Error('fast-check drew nothing');
  return story;
}

async function work() {
  while (total.landed < kills) {
    const mine = seed++;
    const { landed, imports, broken } = await toldOf(mine);
    total.stories += 1;
    total.imports += imports;
    total.landed += landed;
    total.broken += broken.length;
    for (const sentence of broken) console.log(`seed ${mine}: ${sentence}`);
    if (total.stories % 10 === 0) console.log(summary());
  }
}

function summary(): string {
  const { stories: told, imports, landed, broken } = total;
  return `${told} stories, ${imports} imports, ${landed} kills landed, ${broken} promises broken, ${Math.round((Date.now() - started) / 1000)} s`;
}

console.log(`From seed ${firstSeed}, to ${kills} kills.`);
try {
  await Promise.all(Array.from({ length: workers }, work));
} finally {
  shop.remove();
}
console.log(summary());
process.exitCode = total.broken === 0 ? 0 : 1;
