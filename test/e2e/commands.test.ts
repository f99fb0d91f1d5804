/** A command of each noun, before a release each command, and each library that is loaded late, in the program as it ships: bundling breaks what sources do not show. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/index.ts';
import { type ExampleRuns, firstExamples, lasting, startExamples, statusesOf } from '../commands/example-runs.ts';
import { textRow, workbookOf } from '../roster/workbook.ts';
import { type Run, temporaryFolder, type World } from '../support/run.ts';
import { command, ended, internals, launch, start } from './program.ts';

/** One line in a process of its own; an endless command is interrupted after its first output. */
async function shipped(argv: readonly string[], { home = temporaryFolder(), stdin = '', env = {} }: World = {}): Promise<Run> {
  const folders = { PROCTOR_CONFIG_DIR: join(home, 'config'), PROCTOR_STATE_DIR: join(home, 'state') };
  const child = launch(argv, { home, stdin, env: { ...folders, ...env } });
  if ([...lasting].some((name) => ` ${argv.join(' ')} `.includes(` ${name} `))) {
    // Once: a second signal ends a process that is ending, without a status.
    const printed = [child.stdout, child.stderr].map((stream) => once(stream, 'data'));
    void Promise.any(printed).then(() => child.kill('SIGINT'));
  }
  const { code, ...printed } = await ended(child);
  return { ...printed, code: code ?? -1, questions: [], refusals: [], offered: [] };
}

/** Nouns whose records name the embedded service as their origin, or that are about it. */
const ofSandbox = new Set(['sandbox', 'runs']);

/** The same with the embedded service in this process: a process of the program with its own takes twice as long. */
async function served(argv: readonly string[], world: World = {}): Promise<Run> {
  const [, profile, noun = '', ...rest] = argv;
  if (profile !== 'sandbox' || ofSandbox.has(noun) || world.home === undefined) return shipped(argv, world);
  const sandbox = await startSandbox({ folder: join(world.home, 'state', 'sandbox') });
  const env = { ...world.env, PROCTOR_BASE_URL: sandbox.baseUrl, PROCTOR_TOKEN: sandbox.token };
  return shipped([noun, ...rest], { ...world, env }).finally(() => sandbox.close());
}

const nounOf = ([, { name }]: (typeof firstExamples)[number]) => name.split(' ')[0];
const each = firstExamples.filter(([line]) => line !== 'proctor-cli auth login');
const lines = inject('isRelease') ? each : [...Map.groupBy(each, nounOf).values()].flatMap((ofNoun) => ofNoun.slice(0, 1));
let runs: ExampleRuns;
const outcomes = new Map<string, Promise<Run>>();

beforeAll(async () => {
  runs = await startExamples(served);
  // Several side by side: most of the time of each is Node's own start.
  const queues = Array.from({ length: 4 }, () => Promise.resolve() as Promise<unknown>);
  for (const [index, [line, record]] of lines.entries()) {
    const outcome = (queues[index % queues.length] as Promise<unknown>).then(() => runs.run(line, record));
    outcomes.set(line, outcome);
    queues[index % queues.length] = outcome.catch(() => {});
  }
});
afterAll(() => runs.close());

test.each(lines)('%s', async (line, record) => {
  const { code, stderr } = (await outcomes.get(line)) as Run;
  expect(statusesOf(record, lasting.has(record.name)), stderr).toContain(code);
  expect(stderr).not.toMatch(internals);
});

describe('the libraries that only some lines need', () => {
  const sandbox = ['--profile', 'sandbox'];

  test('an Excel workbook', async () => {
    const home = temporaryFolder();
    const file = join(home, 'roster.xlsx');
    writeFileSync(file, workbookOf({ rows: textRow(1, ['E-mail']) + textRow(2, ['ada@example.org']) }));
    const { code, stdout, stderr } = await shipped([...sandbox, 'sessions', 'import', file, '--exam', '6', '--dry-run'], { home });
    expect(code, stderr).toBe(0);
    expect(stdout).toContain('ada@example.org');
  });

  test('a time of a zone, also where Node has no calendar of its own', async () => {
    const line = 'exams create --start 2027-02-01T09:00 --end 2027-02-01T11:00 --timezone Europe/Vienna --dry-run';
    const without = 'delete globalThis.Temporal';
    const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(without)}` };
    const { code, stdout, stderr } = await shipped([...sandbox, ...line.split(' ')], { env });
    expect(code, stderr).toBe(0);
    expect(stdout).toContain('2027-02-01T08:00:00Z');
  });

  test.skipIf(spawnSync('script', ['--version']).error !== undefined)('a table on a terminal', async () => {
    const line = `${command} --profile sandbox exams list`;
    const { code, stdout } = await ended(start('script', ['-qefc', line, '/dev/null'], { home: temporaryFolder() }));
    expect(code).toBe(0);
    expect(stdout).toContain('Lineare Algebra I');
  });
});
