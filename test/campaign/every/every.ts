/**
 * The campaign enumerates: each command and its undo, with each fault at each of their requests, with all that may have happened since, at
 * services of six kinds, and each way to go on. In as many processes as there are cores.
 */
import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { removeTemporaryFolders } from '../../support/run.ts';
import { Random } from '../world/random.ts';
import { type Command, commands } from './commands.ts';
import { harmsOf, since } from './harms.ts';
import { worlds } from './office.ts';
import { type Root, requestsOf, rootOf, type Told, tell, titleOf, ways } from './tell.ts';

type Options = { only?: string | undefined; sample?: number; pairs?: number; seed: number };
type Short = Omit<Told, 'log'>;

/** After which faults it is told what has happened since, and what services of other kinds do. */
const few = (methods: readonly string[]): { at: number; harm: string }[] => {
  const [first, last] = [methods.findIndex((one) => one !== 'GET') + 1, methods.findLastIndex((one) => one !== 'GET') + 1];
  const all = [
    { at: first, harm: 'lost after' },
    { at: first, harm: 'killed after' },
    ...(last > first ? [{ at: last, harm: '422' }] : []),
  ];
  return [{ at: 0, harm: 'none' }, ...(first > 0 ? all : [])];
};
const kinds = Object.keys(commands).flatMap((name) => [false, true].map((isUndo) => ({ name, isUndo })));

const known = new Map<string, Root[]>();

/** The stories of a command, or of its undo, at a service of this kind: all that is told of them, in an order that does not change. */
async function rootsOf({ name, isUndo }: (typeof kinds)[number], world: string): Promise<Root[]> {
  const key = `${name} ${isUndo} ${world}`;
  const methods = known.has(key) ? [] : await requestsOf(world, name, isUndo);
  const root = ({ at, harm }: { at: number; harm: string }): Root => ({ world, name, isUndo, at: [at], harms: [harm] });
  const some = few(methods);
  const all = methods.flatMap((method, at) =>
    Object.keys(harmsOf(commands[name] as Command, method)).map((harm) => ({ harm, at: at + 1 })),
  );
  const others = all.filter(({ at, harm }) => !some.some((one) => one.at === at && one.harm === harm));
  const then = some.flatMap((one) => Object.keys(since).map((meanwhile) => ({ ...root(one), since: meanwhile })));
  const roots = known.get(key) ?? [...some.map(root), ...(world === 'plain' ? [...others.map(root), ...then] : [])];
  known.set(key, roots);
  return roots;
}

/** Two faults of one command, of which the second may be at a request that only the first one causes. */
function pairOf(roots: readonly Root[], random: Random): Root {
  const [one, other] = [0, 1].map(() => random.pick(roots.filter(({ harms, since: then }) => harms[0] !== 'none' && !then))) as [
    Root,
    Root,
  ];
  const later = (other.at[0] ?? 0) + (random.chance(0.3) ? random.below(4) : 0);
  return { ...one, at: [...one.at, later === one.at[0] ? later + 1 : later], harms: [...one.harms, ...other.harms] };
}

/** All, those of one command, or so many as are drawn: the same from the same seed. */
export async function chosenRoots({ only, sample, pairs, seed }: Options): Promise<Root[]> {
  const random = new Random(seed);
  const all: Root[] = [];
  const chosen = kinds.filter(({ name }) => only === undefined || name === only);
  if (!sample && !pairs) for (const kind of chosen) for (const world of Object.keys(worlds)) all.push(...(await rootsOf(kind, world)));
  while (all.length < (sample || pairs || 0)) {
    const world = pairs || random.chance(0.8) ? 'plain' : random.pick(Object.keys(worlds));
    const roots = await rootsOf(random.pick(chosen), world);
    const isHarmed = roots.some(({ harms }) => harms[0] !== 'none');
    if (isHarmed) all.push(pairs ? pairOf(roots, random) : random.pick(roots));
  }
  removeTemporaryFolders();
  return all;
}

/** The status is that of a test. */
export async function tellEvery(options: Options): Promise<void> {
  if (options.only?.includes('/')) {
    const { root, way } = rootOf(options.only);
    const all = await tell(root, [way]);
    for (const { log } of all) console.log(log.join('\n'));
    all.forEach(tellBroken);
    return report(all, 0);
  }
  const started = Date.now();
  const titles = (await chosenRoots(options)).map((root) => titleOf(root, 'alone'));
  console.log(`${titles.length} stories.`);
  const told: Short[] = [];
  await inProcesses<Short[]>(titles, (some) => {
    told.push(...some);
    some.forEach(tellBroken);
    return told.filter(({ broken }) => broken.length > 0).length;
  });
  report(told, Math.round((Date.now() - started) / 1000), titles.length);
}

/** Each title is told by `worker.ts`, in as many processes as there are cores. `told`: how many are broken so far. */
export async function inProcesses<One>(titles: readonly string[], told: (one: One) => number): Promise<void> {
  const started = Date.now();
  const next = titles.values();
  let count = 0;
  await Promise.all(
    Array.from({ length: availableParallelism() }, () => {
      const worker = fork(new URL('worker.ts', import.meta.url), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
      const go = () => {
        const { value, done } = next.next();
        done ? worker.disconnect() : worker.send(value);
      };
      worker.on('message', (one: One) => {
        const broken = told(one);
        count += 1;
        if (count % 500 === 0) console.log(`${count} told, ${broken} broken, ${Math.round((Date.now() - started) / 1000)} s`);
        go();
      });
      go();
      return new Promise((over) => worker.on('exit', over));
    }),
  );
}

function tellBroken({ root, way, broken: sentences }: Short): void {
  if (sentences.length === 0) return;
  console.log(`\nnpm run campaign -- --every --only "${titleOf(root, way)}"\n  ${sentences.join('\n  ').replaceAll(/\n\s+/g, '\n    ')}`);
}

function report(told: readonly Short[], seconds: number, stories = 1): void {
  const broken = told.filter((one) => one.broken.length > 0);
  console.log(
    `\n${'command'.padEnd(24)}${'then'.padEnd(10)}${['told', 'hit', 'closed', 'broken'].map((word) => word.padStart(7)).join('')}  ends with`,
  );
  const kindOf = ({ root: { name, isUndo } }: Short) => `${name}${isUndo ? ' undone' : ''}`;
  for (const [kind, ofKind] of Map.groupBy(told, kindOf))
    for (const way of ways) {
      const all = ofKind.filter((one) => one.way === way);
      const count = (is: (one: Short) => boolean) => String(all.filter(is).length).padStart(7);
      const codes = [...Map.groupBy(all, ({ code }) => code ?? 'killed')].map(([code, { length }]) => `${code}: ${length}`);
      const cells = [
        String(all.length).padStart(7),
        count(({ hits }) => hits > 0),
        count(({ closed }) => closed),
        count((one) => one.broken.length > 0),
      ];
      if (all.length > 0) console.log(`${kind.padEnd(24)}${way.padEnd(10)}${cells.join('')}  ${codes.sort().join(', ')}`);
    }
  const closed = told.filter((one) => one.way !== 'close' && one.closed).length;
  console.log(`${stories} stories, told in ${told.length} ways, ${broken.length} broken, ${closed} by close, ${seconds} s`);
  if (broken.length > 0 || closed > told.length * 0.02) process.exitCode = 1;
}

export const waysOf = async (title: string): Promise<Short[]> => {
  const all = await tell(rootOf(title).root);
  removeTemporaryFolders();
  return all.map(({ log: _, ...one }) => one);
};
