/** What the tests of the record share: both databases, and processes of their own. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, onTestFinished } from 'vitest';
import type { ErrorCode } from '../../src/errors.ts';
import { parseTeamPlace } from '../../src/model/team-place.ts';
import type { RecordOptions, RunRecord } from '../../src/record/index.ts';
import { newDatabase, owner, sqlAt, whySkipped } from '../support/cluster.ts';
import { ofSources } from '../support/memory.ts';
import { temporaryFolder } from '../support/run.ts';
import { openAt, type Place } from './plain-record.ts';

export * from './plain-record.ts';

export const skipped = whySkipped();
export const newTeam = async (): Promise<Place> => ({ folder: temporaryFolder(), url: (await newDatabase()).url() });

/** Tests that hold whatever keeps the record. */
export function eachKind(tests: (newPlace: () => Promise<Place>) => void): void {
  describe('with SQLite', () => tests(async () => ({ folder: temporaryFolder() })));
  describe.skipIf(skipped !== undefined)(`with PostgreSQL${skipped === undefined ? '' : ` (${skipped})`}`, () => tests(newTeam));
}

/** Open until the end of the test. */
export async function opened(place: Place, more: Partial<RecordOptions> = {}): Promise<RunRecord> {
  const record = await openAt(place, more);
  onTestFinished(() => record.close().catch(() => {}));
  return record;
}

/** Asks the database itself: in a process of its own, as opening the file here would end the locks of this one. */
export async function sqlOf({ folder, url }: Place, text: string): Promise<unknown[][]> {
  if (url !== undefined) {
    const { port, database } = parseTeamPlace(url);
    return sqlAt(port, database, text.replace(/\b(FROM|UPDATE) /g, '$1 proctor_cli_runs.'));
  }
  const program = `const database = new (process.getBuiltinModule('node:sqlite').DatabaseSync)(process.argv[1], { timeout: 60_000 });
    console.log(JSON.stringify(database.prepare(process.argv[2]).all().map(Object.values)));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', program, join(folder, 'record.sqlite'), text], { encoding: 'utf8' });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
}

/** Others' transactions, until they end: one here that sees what is there now, and one in another database that has written. */
export async function lookedAt({ url }: Place): Promise<{ end(): Promise<unknown> }> {
  const { port, database } = parseTeamPlace(url ?? 'postgres://nobody@nowhere/none');
  const open = async (name: string, text: string) => {
    const client = new pg.Client({ host: '127.0.0.1', port, database: name, ...owner });
    await client.connect();
    await client.query(`BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT ${text}`);
    return client;
  };
  const opened = url === undefined ? [] : [await open(database, '1'), await open('postgres', 'pg_current_xact_id()')];
  return {
    async end() {
      const [here, elsewhere] = opened;
      await here?.end();
      await pause(60);
      await elsewhere?.end();
    },
  };
}

/** The files of the record in whose bytes a text is. */
export async function filesWith(place: Place, text: string): Promise<string[]> {
  const folders = [place.folder];
  if (place.url !== undefined) {
    await sqlOf(place, 'CHECKPOINT');
    const { port } = parseTeamPlace(place.url);
    const [[database] = []] = await sqlAt(
      port,
      parseTeamPlace(place.url).database,
      'SELECT oid::text FROM pg_database WHERE datname = current_database()',
    );
    folders.push(join(process.env.PROCTOR_TEST_CLUSTER ?? '', 'data', 'base', String(database)));
  }
  const { stdout } = spawnSync('grep', ['-raFl', '--', text, ...folders], { encoding: 'utf8' });
  return stdout.split('\n').filter((file) => file !== '');
}

/** That it is refused, with the status of this code, in one sentence that has these words, and with this way on, which is returned. */
export async function refusal(act: Promise<unknown>, code: ErrorCode, says: string | RegExp, wayOn: string | RegExp): Promise<string> {
  const error = await act.then(
    () => undefined,
    (refused) => refused,
  );
  expect(error).toMatchObject({ code, exit: ['already_running', 'state_unavailable'].includes(code) ? 8 : 3 });
  expect(error.message).toMatch(/^[^\n]+\.$/);
  expect(error.message).toMatch(says);
  expect(error.hint).toMatch(wayOn);
  return error.hint;
}

/** How many steps of a run have each state. */
export async function countsOf(record: RunRecord, { run }: { run: { id: string } }) {
  const counts = (await record.counts([run.id])).get(run.id) ?? [];
  return Object.fromEntries(counts.map(({ state, reason, number }) => [reason === null ? state : `${state} ${reason}`, number]));
}

export type Worker = ChildProcess & { lines: string[]; said(word: string): Promise<string[]>; ended: Promise<unknown> };

/** Starts a process that runs `body` with `place`, `open`, and `say`, which prints a line. */
export function worker(place: Place, body: string, prefix: string[] = []): Worker {
  const program = `
    import { writeSync } from 'node:fs';
    import { setTimeout as pause } from 'node:timers/promises';
    import { newRun, openAt, step, steps } from ${JSON.stringify(join(import.meta.dirname, 'plain-record.ts'))};
    const say = (...words) => writeSync(1, words.join(' ') + '\\n');
    const place = ${JSON.stringify(place)};
    const open = () => openAt(place, { who: 'grace@build-8' });
    try { ${body} } catch (error) { say('error', error.code ?? error.name, error.exit, error.message); process.exitCode = 3; }`;
  const [file = '', ...args] = [...prefix, process.execPath, '--input-type=module', '-e', program];
  const child = spawn(file, args, { env: ofSources, stdio: ['ignore', 'pipe', 'inherit'] }) as unknown as Worker;
  onTestFinished(() => void child.kill('SIGKILL'));
  child.lines = [];
  let rest = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const all = (rest + text).split('\n');
    rest = all.pop() ?? '';
    child.lines.push(...all);
    child.emit('line');
  });
  child.ended = once(child, 'close');
  child.said = async (word) => {
    for (;;) {
      const found = child.lines.find((line) => line.split(' ')[0] === word);
      if (found !== undefined) return found.split(' ').slice(1);
      if (child.exitCode !== null || child.signalCode !== null) throw new Error(`It ended: ${child.lines.join(' | ')}`);
      await Promise.race([once(child, 'line'), child.ended]);
    }
  };
  return child;
}

/** Has the lock of `begun`, once its holder is found dead. */
export async function takesOver(record: RunRecord): Promise<void> {
  await expect.poll(() => record.lock(['d'], 'theirs').catch(({ code }) => code)).toHaveProperty('release');
}
