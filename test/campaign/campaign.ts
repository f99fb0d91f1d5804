/**
 * The campaign: stories of all families, and kills of the built program, from a seed; or one story again, with its log:
 * `npm run campaign -- --stories 1500 --kills 400 --seed 7`, `--team` for those with the database of a team, `--family lost`,
 * `--replay lost:7`. Kills are cuts of a connection, too, and what happens to the server. At the end a table, and each broken
 * invariant with the line that tells its story again, the shortest story first. The exit status is that of a test.
 */
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import startClusterFolder, { whySkipped } from '../support/cluster.ts';
import { temporaryPlace } from '../support/memory.ts';
import { removeTemporaryFolders } from '../support/run.ts';
import { toldOf } from './story/places.ts';
import type { Told } from './story/told.ts';
import { families, familiesHere, familiesOfProcesses, familiesOfTeams, familyNames } from './world/families.ts';
import { whyNotFull } from './world/team-database.ts';

const { values } = parseArgs({
  options: {
    stories: { type: 'string', default: '200' },
    kills: { type: 'string', default: '0' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    family: { type: 'string' },
    team: { type: 'boolean', default: false },
    replay: { type: 'string' },
    workers: { type: 'string', default: '3' },
  },
});
Object.assign(process.env, temporaryPlace());
const seed = Number(values.seed);
if (values.family !== undefined && !families[values.family]) throw new Error(`The families: ${familyNames.join(', ')}`);

const all: Told[] = [];
const started = Date.now();
const stopCluster = startClusterFolder();

async function tellOne(family: string, one: number) {
  all.push(await toldOf(family, one));
  if (all.length % 20 === 0) console.log(progress());
}

/** Most of their time is spent in waiting, so that some of them take place at once. */
async function tellAtOnce(names: readonly string[], isEnough: (told: number) => boolean) {
  let next = 0;
  const worker = async () => {
    while (names.length > 0 && !isEnough(next)) {
      const at = next++;
      await tellOne(names[at % names.length] ?? '', seed + Math.floor(at / names.length));
    }
  };
  await Promise.all(Array.from({ length: Number(values.workers) }, worker));
}

const sum = (of: (told: Told) => number, told: readonly Told[] = all) => told.reduce((total, one) => total + of(one), 0);
const progress = () =>
  `${all.length} stories, ${sum(({ invocations }) => invocations)} invocations, ${sum(({ kills }) => kills)} kills, ` +
  `${sum(({ broken }) => broken.length)} broken, ${Math.round((Date.now() - started) / 1000)} s`;

if (values.replay !== undefined) {
  const [family = '', one = ''] = values.replay.split(/:(?=\d+$)/);
  const told = await toldOf(family, Number(one));
  console.log([...told.log, ...told.broken.map((sentence) => `BROKEN: ${sentence}`), progressOf(told)].join('\n'));
  process.exitCode = told.broken.length === 0 ? 0 : 1;
} else {
  const chosen =
    values.family === undefined ? familyNames.filter((name) => familiesOfTeams.includes(name) === values.team) : [values.family];
  const without = [whySkipped() === undefined ? [] : familiesOfTeams, whyNotFull() === undefined ? [] : ['team full']].flat();
  const of = (names: readonly string[]) => names.filter((name) => chosen.includes(name) && !without.includes(name));
  for (const name of chosen.filter((one) => without.includes(one))) console.log(`${name} is left out: ${whySkipped() ?? whyNotFull()}.`);
  console.log(`From seed ${seed}: ${values.stories} stories, ${values.kills} kills.`);
  const here = of(familiesHere);
  for (let at = 0; here.length > 0 && at < Number(values.stories); at += 1) {
    await tellOne(here[at % here.length] ?? '', seed + Math.floor(at / here.length));
    removeTemporaryFolders();
  }
  const [stories, kills] = [Number(values.stories), Number(values.kills)];
  await tellAtOnce(
    of(familiesOfTeams).filter((name) => !familiesOfProcesses.includes(name)),
    (told) => told >= stories,
  );
  if (kills > 0) execFileSync('npm', ['run', '--silent', 'prepare'], { stdio: ['ignore', 'ignore', 'inherit'] });
  await tellAtOnce(kills > 0 ? of(familiesOfProcesses) : [], () => sum((told) => told.kills) >= kills);
  report();
}
stopCluster();

function progressOf({ family, seed: one, invocations, kills, broken }: Told): string {
  return `${family}:${one}: ${invocations} invocations, ${kills} kills, ${broken.length} broken`;
}

function report() {
  for (const told of all.filter(({ broken }) => broken.length > 0).sort((one, other) => one.invocations - other.invocations)) {
    console.log(`\n${progressOf(told)}\n  npm run campaign -- --replay '${told.family}:${told.seed}'`);
    for (const sentence of told.broken.slice(0, 4)) console.log(`  ${sentence.replaceAll(/\s+/g, ' ').slice(0, 300)}`);
  }
  console.log(
    `\n${'family'.padEnd(24)}${['stories', 'invocations', 'kills', 'broken stories', 'broken'].map((word) => word.padStart(16)).join('')}`,
  );
  for (const [family, told] of Map.groupBy(all, (one) => one.family)) {
    const counts = [told.length, sum((one) => one.invocations, told), sum((one) => one.kills, told)];
    const broken = [told.filter((one) => one.broken.length > 0).length, sum((one) => one.broken.length, told)];
    console.log(`${family.padEnd(24)}${[...counts, ...broken].map((count) => String(count).padStart(16)).join('')}`);
  }
  console.log(progress());
  process.exitCode = all.some(({ broken }) => broken.length > 0) ? 1 : 0;
}
