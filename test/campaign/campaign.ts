/**
 * The campaign: stories of all families, and kills of the built program, from a seed; or one story again, with its log:
 * `npm run campaign -- --stories 1500 --kills 400 --seed 7`, `--kinds moved` for single writes and times, `students` for those about many,
 * `--family lost` (as often as wanted), `--rare` for services that nobody can be sure of, `--each-kill`, `--replay lost:7`. At the end a
 * table, and each broken invariant with the line that tells its story again. The exit status is that of a test.
 * `--every` enumerates instead of drawing (`every/every.ts`): all stories, `--sample 40`, `--pairs 200` of two faults; with `--only`, those of one command, or one.
 * `--walks 1000` tells of many commands in a row, and of their undoing (`walks/walk.ts`); with `--only 7:123`, of one walk, with its log.
 */
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import startClusterFolder, { whySkipped } from '../support/cluster.ts';
import { temporaryPlace } from '../support/memory.ts';
import { removeTemporaryFolders } from '../support/run.ts';
import { drawKind, namesOf } from './intents/index.ts';
import type { Kinds } from './intents/intent.ts';
import { isOfProcesses, ofProcesses, toldOf } from './story/places.ts';
import { builtHere } from './story/process-machine.ts';
import { type Told, tell } from './story/story.ts';
import { families, familiesHere, familiesOfProcesses, familiesRare } from './world/families.ts';
import { whyNotFull } from './world/small-disk.ts';

const { values } = parseArgs({
  options: {
    stories: { type: 'string', default: '200' },
    kills: { type: 'string', default: '0' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    family: { type: 'string', multiple: true },
    kinds: { type: 'string', default: 'all' },
    rare: { type: 'boolean', default: false },
    'each-kill': { type: 'boolean', default: false },
    replay: { type: 'string' },
    every: { type: 'boolean', default: false },
    sample: { type: 'string' },
    pairs: { type: 'string' },
    walks: { type: 'string' },
    only: { type: 'string' },
  },
});
Object.assign(process.env, temporaryPlace());
const [seed, stories, kills] = [values.seed, values.stories, values.kills].map(Number) as [number, number, number];
if (values.every) {
  const { tellEvery } = await import('./every/every.ts');
  await tellEvery({ seed, only: values.only, sample: Number(values.sample ?? 0), pairs: Number(values.pairs ?? 0) });
  process.exit();
}
if (values.walks) {
  const { tellWalks } = await import('./walks/walk.ts');
  await tellWalks({ seed, only: values.only, walks: Number(values.walks) });
  process.exit();
}
const kinds = values.kinds as Kinds;
if (!namesOf[kinds]) throw new Error(`The kinds: ${Object.keys(namesOf).join(', ')}`);
for (const name of values.family ?? []) if (!families[name]) throw new Error(`The families: ${Object.keys(families).join(', ')}`);

/** Services that do all as it should be: each story ends well. */
const always = new Set(['plain', 'pages', 'notation']);
const points = [
  { point: 'arrival' },
  { point: 'answer' },
  { point: 'commit', when: 'before' },
  { point: 'commit', when: 'after' },
] as const;
const all: Told[] = [];
const started = Date.now();
const stopCluster = startClusterFolder();
const sum = (of: (told: Told) => number, told: readonly Told[] = all) => told.reduce((total, one) => total + of(one), 0);

if (values.replay === undefined) {
  console.log(`From seed ${seed}: ${stories} stories, ${kills} kills.`);
  const here = [...familiesHere, ...(values.rare || values.family ? familiesRare : [])].filter(isChosen);
  const killed = familiesOfProcesses.filter(isChosen);
  const jobs = Array.from({ length: here.length > 0 ? stories : 0 }, (_, at) => jobOf(here, at));
  for (const job of jobs.filter(({ isReal }) => !isReal)) {
    await job.tells();
    removeTemporaryFolders();
  }
  const real = jobs.filter(({ isReal }) => isReal);
  if (real.length > 0 || kills > 0 || values['each-kill'])
    execFileSync('npm', ['run', '--silent', 'prepare'], { stdio: ['ignore', 'ignore', 'inherit'] });
  const inTurn = (function* () {
    for (const { tells } of real) yield tells();
    for (let at = 0; killed.length > 0 && sum((told) => told.kills) < kills; at += 1) yield jobOf(killed, at).tells();
    if (values['each-kill']) for (const name of namesOf[kinds]) for (const point of points) yield killEach(name, point);
  })();
  // Most of their time is spent in waiting, so that some of them take place at once.
  await Promise.all(
    [1, 2, 3].map(async () => {
      for (const one of inTurn) await one;
    }),
  );
  report();
} else {
  const [family = '', one = ''] = values.replay.split(/:(?=\d+$)/);
  const told = await toldOf(family, Number(one), kinds);
  all.push(told);
  console.log(told.log.join('\n'));
  report();
}
stopCluster();

function isChosen(name: string): boolean {
  const why = (name.includes('team') && whySkipped()) || (name.includes('full') && whyNotFull());
  if (why) console.log(`${name} is left out: ${why}.`);
  return !why && (values.family?.includes(name) ?? true);
}

function jobOf(names: readonly string[], at: number) {
  const [name = '', one] = [names[at % names.length], seed + Math.floor(at / names.length)];
  return { isReal: isOfProcesses(families[name] ?? {}, one), tells: async () => tells(await toldOf(name, one, kinds)) };
}

function tells(told: Told) {
  all.push(told);
  if (all.length % 20 === 0) console.log(progress());
}

/**
 * A kind of command of the built program, killed at each of its requests or commits, once before and once after: then the same command
 * again, and the printed ones, lead to its end. One after the other, as nobody knows how many there are.
 */
async function killEach(name: string, { point, ...when }: (typeof points)[number]): Promise<void> {
  for (let at = 1; ; at += 1) {
    const place = ofProcesses(seed, {}, builtHere, { point, at, ...when });
    const family = `${name}, ${[...Object.values(when), point, at].join(' ')}`;
    const told = await tell(family, seed, place, kinds, (draw) => drawKind(name, draw));
    if (told.kills === 0) return;
    tells(told);
  }
}

function progress() {
  const [invocations, killed, broken] = [sum((one) => one.invocations), sum((one) => one.kills), sum((one) => one.broken.length)];
  const seconds = Math.round((Date.now() - started) / 1000);
  return `${all.length} stories, ${invocations} invocations, ${killed} kills, ${broken} broken, ${seconds} s`;
}

/** What was broken, in the shortest stories first; and a line for each family. */
function report() {
  for (const { family, seed: one, broken } of all
    .toSorted((a, b) => a.invocations - b.invocations)
    .filter((told) => told.broken.length > 0))
    console.log(
      [`\nnpm run campaign -- --kinds ${kinds} --replay "${family}:${one}"`, ...broken].join('\n  ').replaceAll(/\n\s+/g, '\n  '),
    );
  const row = (name: string, cells: readonly unknown[], last: string) =>
    console.log(`${name.padEnd(26)}${cells.map((cell) => String(cell).padStart(8)).join('')}  ${last}`);
  console.log();
  row('family', ['stories', 'faults', 'kills', 'closed', 'broken', 'right'], 'ends with');
  for (const [family, told] of Map.groupBy(all, (one) => one.family.replace(/, .*/, ', killed'))) {
    const count = (is: (one: Told) => boolean) => told.filter(is).length;
    const closed = count(({ ends }) => ends.some((end) => end.closed));
    const right = count(({ ends }) => ends.every(({ isRight }) => isRight));
    const harms = [sum((one) => one.faults, told), sum((one) => one.kills, told)];
    // Of few stories no share is known.
    const isShort = told.length >= 100 && (right < told.length * (always.has(family) ? 1 : 0.9) || closed > told.length * 0.02);
    if (isShort || count(({ broken }) => broken.length > 0) > 0) process.exitCode = 1;
    const codes = [
      ...Map.groupBy(
        told.flatMap(({ ends }) => ends),
        ({ code }) => code,
      ),
    ].map(([code, { length }]) => `${code}: ${length}`);
    const cells = [told.length, ...harms, closed, count(({ broken }) => broken.length > 0), right];
    row(family, cells, `${codes.sort().join(', ')}${isShort ? '  TOO FEW' : ''}`);
  }
  console.log(progress());
}
