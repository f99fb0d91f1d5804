/** What the tests of the state of runs share: a host, plans, and processes of their own that write to one folder. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, onTestFinished } from 'vitest';
import { parseTeamPlace } from '../../src/model/team-place.ts';
import { initState, openState, stateStatus } from '../../src/state/open-state.ts';
import type { StateOptions, StateStatus, TeamAccess } from '../../src/state/options.ts';
import { RunDatabase } from '../../src/state/run-database.ts';
import type { State } from '../../src/state/state.ts';
import { newDatabase, owner, sqlAt, whySkipped } from '../support/cluster.ts';
import { temporaryFolder } from '../support/run.ts';
import { host } from './plain-world.ts';

export * from './plain-world.ts';

/** The teams of folders that have one. */
const teams = new Map<string, TeamAccess>();

/** How long the lock of a killed process lives in the tests of a team. */
export const lockLives = '500 milliseconds';

/** A machine of a team whose state is new: its folder has the key. */
export async function teamFolder(): Promise<string> {
  const [folder, database] = [temporaryFolder(), await newDatabase()];
  await database.sql(`ALTER DATABASE ${database.name} SET proctor_cli.lock_lives = '${lockLives}'`);
  const team: TeamAccess = { place: parseTeamPlace(database.url()), password: async () => owner.password };
  teams.set(folder, team);
  const options = { folder, host, team };
  await initState(options);
  return folder;
}

/** As another machine would at a database for all of them: locks of one machine do not let it. */
async function takenInFile(folder: string): Promise<void> {
  const database = new RunDatabase(join(folder, 'runs.sqlite'));
  for (const standing of [...database.all('standings')]) database.put('standings', { ...standing, epoch: standing.epoch + 1 });
  database.close();
}

/** Another process of the team takes it, once this one has given no sign of life for long enough; it may give one meanwhile. */
async function takenFromTeam(folder: string, run: string): Promise<void> {
  const other = await opened(folder, { host: { ...host, pid: 7 } });
  for (let tries = 1; ; tries += 1) {
    await sqlOf(folder, `UPDATE proctor_cli.processes SET until = clock_timestamp() - interval '1 second'`);
    try {
      await other.take(run, 'grace@build-8');
      return;
    } catch (error) {
      if (tries === 50) throw error;
    }
  }
}

/** How the state of a folder with a team is reached. */
export function teamOf(folder: string): TeamAccess {
  return teams.get(folder) as TeamAccess;
}

/** Asks the database of a team as its owner. */
export async function sqlOf(folder: string, text: string): Promise<unknown[][]> {
  const { port, database } = teamOf(folder).place;
  return sqlAt(port, database, text);
}

const skipped = whySkipped();

/**
 * What keeps a state, and the folder of a new one. The state of both is the same. `lockLives`: after so many milliseconds a
 * killed process has its locks no more. `has`: whether a text is in anything that is kept. `sealed`: the personal values of steps.
 */
export const kinds = [
  {
    ...{ kind: 'SQLite', isSkipped: false, lockLives: 0, newFolder: async () => temporaryFolder() },
    ...{ takeOver: takenInFile, has: async (folder: string, text: string) => filesWith(folder, text).length > 0, sealed: sealedInFile },
  },
  {
    kind: `PostgreSQL${skipped === undefined ? '' : ` (skipped: ${skipped})`}`,
    ...{ isSkipped: skipped !== undefined, lockLives: 700, newFolder: teamFolder },
    ...{ takeOver: takenFromTeam, has: isInTeam, sealed: sealedInTeam },
  },
];

/** Tests that hold whatever keeps the state. */
export function eachKind(tests: (kind: (typeof kinds)[number]) => void): void {
  for (const kind of kinds) describe.skipIf(kind.isSkipped)(`with ${kind.kind}`, () => tests(kind));
}

async function isInTeam(folder: string, text: string): Promise<boolean> {
  const names = await sqlOf(folder, `SELECT tablename FROM pg_tables WHERE schemaname = 'proctor_cli'`);
  const rows = await Promise.all(names.map(([table]) => sqlOf(folder, `SELECT t::text FROM proctor_cli.${table} t`)));
  return rows.flat(2).some((row) => String(row).includes(text));
}

async function sealedInTeam(folder: string, where: string): Promise<string[]> {
  const rows = await sqlOf(folder, `SELECT record::json ->> 'personal' FROM proctor_cli.steps WHERE (${where})`);
  return rows.flat().flatMap((personal) => (typeof personal === 'string' ? personal : []));
}

/** As they are in the database, read by another process: opening the file here would end the locks of this one. */
async function sealedInFile(folder: string, where: string): Promise<string[]> {
  const program = `
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
    const database = new DatabaseSync(${JSON.stringify(join(folder, 'runs.sqlite'))});
    for (const { personal } of database.prepare("SELECT record ->> 'personal' AS personal FROM steps WHERE personal IS NOT NULL AND (${where})").all()) console.log(personal);`;
  return spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' }).stdout.trim().split('\n');
}

/** Open until the end of the test. */
export async function opened(folder: string, options: Partial<StateOptions> = {}): Promise<State> {
  const state = await openState({ folder, host, team: teams.get(folder), ...options });
  let isOpen = true;
  const close = state.close.bind(state);
  const once = async () => {
    if (isOpen) {
      isOpen = false;
      await close();
    }
  };
  onTestFinished(() => once().catch(() => {}));
  return { ...state, close: once };
}

export function statusOf(folder: string): Promise<StateStatus> {
  return stateStatus({ folder, host, team: teams.get(folder) });
}

/** The files below a folder in whose bytes a text is. */
export function filesWith(folder: string, text: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => statSync(join(folder, name)).isFile());
  return names.filter((name) => readFileSync(join(folder, name)).includes(text));
}

export type Worker = ChildProcess & { lines: string[]; said(word: string): Promise<string[]>; ended(): Promise<number | null> };

/** Starts a process that runs `body` with a state `state`, its options and `say`, which prints a line. */
export function worker(folder: string, body: string, { prefix = [] }: { prefix?: string[] } = {}): Worker {
  const module = (name: string) => JSON.stringify(join(import.meta.dirname, name));
  const program = `
    import { writeSync } from 'node:fs';
    import { openState } from ${module('../../src/state/open-state.ts')};
    import { host, newRun, step, steps } from ${module('plain-world.ts')};
    const say = (...words) => writeSync(1, words.join(' ') + '\\n');
    const place = ${JSON.stringify(teams.get(folder)?.place ?? null)};
    const team = place === null ? undefined : { place, password: async () => ${JSON.stringify(owner.password)} };
    const options = { folder: ${JSON.stringify(folder)}, host, team };
    try {
      ${body}
    } catch (error) {
      say('error', error.code ?? error.name, error.message);
      process.exitCode = 3;
    }`;
  const [file = '', ...args] = [...prefix, process.execPath, '--input-type=module', '-e', program];
  const child = spawn(file, args, { env: { PATH: process.env.PATH }, stdio: ['ignore', 'pipe', 'inherit'] }) as unknown as Worker;
  onTestFinished(() => void child.kill('SIGKILL'));
  child.lines = [];
  let rest = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    child.lines.push(...lines);
    child.emit('line');
  });
  const exit = once(child, 'close');
  child.ended = async () => (await exit)[0] as number | null;
  child.said = async (word) => {
    for (;;) {
      const found = child.lines.find((line) => line.split(' ')[0] === word);
      if (found !== undefined) return found.split(' ').slice(1);
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`It ended with ${child.exitCode}: ${child.lines.join(' | ')}`);
      await Promise.race([once(child, 'line'), exit]);
    }
  };
  return child;
}
