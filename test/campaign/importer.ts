/** Importing processes: the program bundled with its injuries, started with a state of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Bundle, bundled } from '../support/bundle.ts';
import { run } from '../support/run.ts';
import { noteSyncs } from './durable.ts';
import type { Injury } from './injury.ts';
import type { ExamService } from './service.ts';

export type Ended = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string };

/** The worker; in its folder, the machines on which it runs. */
export type Workshop = Bundle;

export async function workshop(): Promise<Workshop> {
  const bundle = await bundled(join(import.meta.dirname, 'import-worker.ts'));
  const ofHome = (path: string) => /^home-\d+/.exec(relative(bundle.folder, path))?.[0];
  const quiet = noteSyncs((path) => {
    const own = ofHome(path);
    return own === undefined ? undefined : join(bundle.folder, own, 'durable');
  });
  return {
    ...bundle,
    remove() {
      quiet();
      bundle.remove();
    },
  };
}

export type Home = { folder: string; state: string; durable: string; counts: string; roster: string };

let homes = 0;

/** A folder for one machine: its state, and the roster that it imports. */
export function home({ folder }: Workshop, roster: string): Home {
  const own = join(folder, `home-${++homes}`);
  const made: Home = {
    folder: own,
    state: join(own, 'state'),
    durable: join(own, 'durable'),
    counts: join(own, 'counts.json'),
    roster: join(own, 'roster.csv'),
  };
  mkdirSync(made.durable, { recursive: true });
  writeFileSync(made.roster, roster);
  return made;
}

/** All that a process on this machine knows of its world. */
export function environment(
  { folder }: Workshop,
  { baseUrl }: Pick<ExamService, 'baseUrl'>,
  { state, folder: own, durable, counts }: Home,
): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    HOME: own,
    XDG_CACHE_HOME: join(folder, 'cache'),
    NODE_COMPILE_CACHE: join(folder, 'cache'),
    PROCTOR_STATE_DIR: state,
    PROCTOR_CONFIG_DIR: join(own, 'config'),
    PROCTOR_BASE_URL: baseUrl,
    PROCTOR_TOKEN: 'a-token-of-the-campaign',
    DURABLE: durable,
    COUNTS: counts,
  };
}

/** Where a run that comes to no harm happens: in a process of its own, or in this one, which takes a tenth of the time. */
export type Place = 'process' | 'here';

export function importWords({ roster }: Home, args: readonly string[]): string[] {
  return ['sessions', 'import', roster, '--exam', '6', '--yes', ...args];
}

/** Starts an import; `args` beside the file, the exam and --yes. */
export function startImport(
  shop: Workshop,
  service: Pick<ExamService, 'baseUrl'>,
  own: Home,
  args: readonly string[] = [],
  injury?: Injury,
): Started {
  return startCommand(shop, service, own, importWords(own, args), injury);
}

type Started = { child: ChildProcess; ended: Promise<Ended> };

/** Starts a command; a question is answered as `import-worker.ts` says. */
export function startCommand(
  shop: Workshop,
  service: Pick<ExamService, 'baseUrl'>,
  own: Home,
  words: readonly string[],
  injury?: Injury,
): Started {
  const env = { ...environment(shop, service, own), ...(injury === undefined ? {} : { INJURY: JSON.stringify(injury) }) };
  const child = spawn(process.execPath, [shop.file, ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text;
    });
  }
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, ...printed }));
  return { child, ended };
}

/** Runs a command that comes to no harm: on the same machine, with its waits. */
export async function runUnharmed(
  shop: Workshop,
  service: Pick<ExamService, 'baseUrl'>,
  own: Home,
  words: readonly string[],
  place: Place,
): Promise<Ended> {
  if (place === 'process') return startCommand(shop, service, own, words).ended;
  const env = environment(shop, service, own) as Record<string, string>;
  const { code, stdout, stderr } = await run(words, { env, home: own.folder, sleeps: true });
  return { code, signal: null, stdout, stderr };
}

export const email = (row: number) => `student${row}@example.org`;

/** A roster of so many students, every one of them with a name; some with an open_time where `opening` says so. */
export function rosterOf(rows: number, opening = false): string {
  const lines = Array.from({ length: rows }, (_, at) => {
    const open = opening && at % 3 === 0 ? '2027-01-10T09:00:00Z' : '';
    return `${email(at + 1)},Student ${at + 1}${opening ? `,${open}` : ''}`;
  });
  return `${[opening ? 'email,name,open_time' : 'email,name', ...lines].join('\n')}\n`;
}
