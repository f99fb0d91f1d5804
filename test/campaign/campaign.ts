/**
 * The campaign: stories of all families, and kills of the built program, from a seed; or one story again, with its log:
 * `npm run campaign -- --stories 1500 --kills 400 --seed 7`, `--kinds moved` for single writes and times, `times`, `students`, `--family lost` (as often as wanted),
 * `--rare` for services that nobody can be sure of, `--each-kill`, `--replay lost:7`. At the end a table, and each broken invariant with
 * the line that tells its story again, the shortest story first. The exit status is that of a test.
 */
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import startClusterFolder, { whySkipped } from '../support/cluster.ts';
import { temporaryPlace } from '../support/memory.ts';
import { removeTemporaryFolders } from '../support/run.ts';
import { drawKind, namesOf } from './intents/index.ts';
import type { Kinds } from './intents/intent.ts';
import { isOfProcesses, ofProcesses, toldOf } from './story/places.ts';
import { builtHere, type Injury } from './story/process-machine.ts';
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
    workers: { type: 'string', default: '3' },
  },
});
Object.assign(process.env, temporaryPlace());
const seed = Number(values.seed);
const workers = Number(values.workers);
const kinds = values.kinds as Kinds;
if (!['moved', 'times', 'students', 'all'].includes(kinds)) throw new Error('The kinds: moved, times, students, all');
for (const name of values.family ?? []) if (!families[name]) throw new Error(`The families: ${Object.keys(families).join(', ')}`);

/** What matters most is said first, as in the contract of exit statuses. */
const gravest = [null, 130, 143, 10, 9, 4, 12, 11, 7, 8, 6];
/** Services that do all as it should be: each story ends well. */
const always = new Set(['plain', 'pages', 'notation']);
const all: Told[] = [];
const started = Date.now();
const stopCluster = startClusterFolder();

function tells(told: Told) {
  all.push(told);
  if (all.length % 20 === 0) console.log(progress());
}

type Point = Pick<Injury, 'point' | 'when'>;
const points: readonly Point[] = [
  { point: 'arrival' },
  { point: 'answer' },
  { point: 'commit', when: 'before' },
  { point: 'commit', when: 'after' },
];

type Job = { name: string; one: number };

/** Most of their time is spent in waiting, so that some of them take place at once. */
async function tellAtOnce(next: () => Job | undefined) {
  const worker = async () => {
    for (let job = next(); job; job = next()) tells(await toldOf(job.name, job.one, kinds));
  };
  await Promise.all(Array.from({ length: workers }, worker));
}

const sum = (of: (told: Told) => number, told: readonly Told[] = all) => told.reduce((total, one) => total + of(one), 0);
const progress = () =>
  `${all.length} stories, ${sum(({ invocations }) => invocations)} invocations, ${sum(({ kills }) => kills)} kills, ` +
  `${sum(({ broken }) => broken.length)} broken, ${Math.round((Date.now() - started) / 1000)} s`;

if (values.replay !== undefined) {
  const [family = '', one = ''] = values.replay.split(/:(?=\d+$)/);
  const told = await toldOf(family, Number(one), kinds);
  console.log([...told.log, ...told.broken.map((sentence) => `BROKEN: ${sentence}`), progressOf(told)].join('\n'));
  process.exitCode = told.broken.length === 0 ? 0 : 1;
} else {
  const [stories, kills] = [Number(values.stories), Number(values.kills)];
  const reasons = { team: whySkipped(), full: whyNotFull() };
  const isChosen = (name: string) => {
    const reason = Object.entries(reasons).find(([word, why]) => why && name.split(' ').includes(word))?.[1];
    if (reason) console.log(`${name} is left out: ${reason}.`);
    return !reason && (values.family?.includes(name) ?? true);
  };
  console.log(`From seed ${seed}: ${stories} stories, ${kills} kills.`);
  const here = [...familiesHere, ...(values.rare || values.family ? familiesRare : [])].filter(isChosen);
  const jobs = Array.from({ length: here.length > 0 ? stories : 0 }, (_, at) => jobOf(here, at));
  for (const { name, one } of jobs.filter((job) => !isReal(job))) {
    tells(await toldOf(name, one, kinds));
    removeTemporaryFolders();
  }
  const real = jobs.filter(isReal);
  if (kills > 0 || real.length > 0 || values['each-kill'])
    execFileSync('npm', ['run', '--silent', 'prepare'], { stdio: ['ignore', 'ignore', 'inherit'] });
  await tellAtOnce(() => real.shift());
  const killed = familiesOfProcesses.filter(isChosen);
  let at = 0;
  await tellAtOnce(() => (killed.length === 0 || sum((told) => told.kills) >= kills ? undefined : jobOf(killed, at++)));
  if (values['each-kill']) await killEach();
  report();
}
stopCluster();

/**
 * Each kind of command of the built program, killed at each of its requests and commits, once before and once after: then the same
 * command again, and the printed ones, lead to its end. One after the other for a point, as nobody knows how many there are.
 */
async function killEach(): Promise<void> {
  const all = namesOf[kinds].flatMap((name) => points.map((point) => ({ name, ...point })));
  const worker = async () => {
    for (let next = all.shift(); next; next = all.shift()) {
      const { name, ...point } = next;
      for (let at = 1; ; at += 1) {
        const place = ofProcesses(seed, {}, builtHere, { ...point, at });
        const told = await tell(`${name}, ${[point.when, point.point, at].filter(Boolean).join(' ')}`, seed, place, kinds, (draw) =>
          drawKind(name, draw),
        );
        if (told.kills === 0) break;
        tells(told);
      }
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));
}

function jobOf(names: readonly string[], at: number): Job {
  return { name: names[at % names.length] ?? '', one: seed + Math.floor(at / names.length) };
}

function isReal({ name, one }: Job): boolean {
  return isOfProcesses(families[name] ?? {}, one);
}

function progressOf({ family, seed: one, invocations, kills, faults, broken, ends }: Told): string {
  const codes = ends.map(({ code }) => String(code)).join(' ');
  return `${family}:${one}: ${invocations} invocations, ${faults} faults, ${kills} kills, ended with ${codes}, ${broken.length} broken`;
}

/** The status of a story: that of its intent which ended worst. */
function statusOf({ ends }: Told): number | null {
  const codes = ends.map(({ code }) => code);
  return gravest.find((one) => codes.includes(one)) ?? codes.find((one) => one !== 0) ?? 0;
}

function report() {
  for (const told of all.filter(({ broken }) => broken.length > 0).sort((one, other) => one.invocations - other.invocations)) {
    console.log(`\n${progressOf(told)}\n  npm run campaign -- --kinds ${kinds} --replay "${told.family}:${told.seed}"`);
    for (const sentence of told.broken.slice(0, 4)) console.log(`  ${sentence.replaceAll(/\s+/g, ' ').slice(0, 300)}`);
  }
  const words = ['stories', 'faults', 'kills', 'right', 'closed', 'broken'];
  console.log(`\n${'family'.padEnd(26)}${words.map((word) => word.padStart(8)).join('')}  ended with`);
  for (const [family, told] of Map.groupBy(all, (one) => one.family.replace(/, .*/, ', killed'))) {
    const count = (is: (one: Told) => boolean) => told.filter(is).length;
    const right = count(({ ends }) => ends.every(({ isRight }) => isRight));
    const counts = [
      ...[told.length, sum((one) => one.faults, told), sum((one) => one.kills, told), right],
      ...[count(({ ends }) => ends.some(({ closed }) => closed)), count(({ broken }) => broken.length > 0)],
    ];
    // Of few stories no share is known.
    const isShort = told.length >= 100 && (right < told.length * (always.has(family) ? 1 : 0.9) || (counts[4] ?? 0) > told.length * 0.02);
    if (isShort) process.exitCode = 1;
    const statuses = [...Map.groupBy(told, statusOf)].map(([status, those]) => `${status}: ${those.length}`).sort();
    console.log(
      `${family.padEnd(26)}${counts.map((one) => String(one).padStart(8)).join('')}  ${statuses.join(', ')}${isShort ? '  TOO FEW' : ''}`,
    );
  }
  console.log(progress());
  if (all.some(({ broken }) => broken.length > 0)) process.exitCode = 1;
}
