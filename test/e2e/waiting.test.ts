/** Nothing that is waited for keeps the program from handling a signal, wherever it stands on the line. */
import { type ChildProcess, execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { embedded, silent } from '../commands/embedded.ts';
import { temporaryFolder } from '../support/run.ts';
import { ended, internals, launch, type Options, shell } from './program.ts';

const service = { PROCTOR_BASE_URL: 'http://127.0.0.1:9' };
const ours = { ...service, PROCTOR_TOKEN: 'a-token-of-the-tests' };
const signals = { SIGINT: 130, SIGTERM: 143 };

/** A line that comes to wait, and whether it does. */
type Waiting = Options & { line: string; waits(child: ChildProcess): boolean };
const pipe =
  (line: string, envOf: (path: string) => Record<string, string> = () => ours) =>
  (home: string) => {
    const path = join(home, 'pipe');
    execFileSync('mkfifo', [path]);
    return { line: line.replace('PIPE', path), env: envOf(path), waits: ({ pid }: ChildProcess) => hasOpen(pid, path) };
  };
const waiting: [string, (home: string) => Waiting | Promise<Waiting>][] = [
  ['a pipe as token file', pipe('exams list', (path) => ({ ...service, PROCTOR_TOKEN_FILE: path }))],
  ['a pipe as roster', pipe('sessions import PIPE --exam 6 --yes')],
  [
    'a roster that never ends on stdin',
    () => ({
      line: '--profile sandbox sessions import - --exam 6 --yes',
      // More than a pipe holds: once it is written, it is being read.
      ...{ stdin: 'ada@example.org\n'.repeat(1 << 16), open: true, waits: ({ stdin }) => stdin?.writableLength === 0 },
    }),
  ],
  [
    'a token command',
    (home) => {
      const begun = join(home, 'begun');
      const profile = { baseUrl: 'http://127.0.0.1:9/api/v1', tokenCommand: `sh -c 'touch ${begun}; exec sleep 600'` };
      writeFileSync(join(home, 'config.json'), JSON.stringify({ profiles: { default: profile } }), { mode: 0o600 });
      return { line: 'exams list', env: { PROCTOR_CONFIG_DIR: home }, waits: () => existsSync(begun) };
    },
  ],
  [
    'a service that is silent',
    async () => {
      let isAsked = false;
      const { env } = await embedded().under(
        silent(() => {
          isAsked = true;
        }),
      );
      return { line: 'exams list', env, waits: () => isAsked };
    },
  ],
];

describe.skipIf(process.platform !== 'linux')('a signal ends what waits for', () => {
  test.each(waiting)('%s', async (_what, begin) => {
    for (const [signal, status] of Object.entries(signals)) {
      const home = temporaryFolder();
      const { line, waits, ...options } = await begin(home);
      const child = launch(line.split(' '), { home, ...options });
      const end = ended(child);
      await expect.poll(() => waits(child)).toBe(true);
      child.kill(signal as NodeJS.Signals);
      const { code, stdout, stderr } = await end;
      expect([code, stdout, stderr]).toEqual([status, '', expect.stringMatching(/^error: Stopped by .+\n/)]);
      expect(stderr).not.toMatch(internals);
    }
  });
});

test.skipIf(process.platform !== 'linux')(
  'a signal ends the reading of a long roster midway, where nothing could hear it',
  async () => {
    const stdin = Array.from({ length: 400_000 }, (_, at) => `a${at},b${at}`).join('\n');
    for (const signal of Object.keys(signals) as NodeJS.Signals[]) {
      const child = launch('--profile sandbox sessions import - --exam 6 --yes'.split(' '), { home: temporaryFolder(), stdin });
      const end = ended(child);
      for (const handles of [true, false])
        await expect.poll(() => handlesSignal(child.pid, signal), { timeout: 20_000, interval: 5 }).toBe(handles);
      child.kill(signal);
      expect([(await end).code, child.signalCode]).toEqual([null, signal]);
    }
  },
  60_000,
);

test.skipIf(process.platform === 'win32')('a token may come from another program by a pipe', async () => {
  const line = `PROCTOR_TOKEN_FILE=<(echo a-token-of-the-tests) proctor auth token`;
  expect(await shell(line, { home: temporaryFolder(), env: service })).toMatchObject({ code: 0, stdout: 'a-token-of-the-tests\n' });
});

function hasOpen(pid: number | undefined, path: string): boolean {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).some((name) => readlinkSync(join(folder, name)) === path);
  } catch {
    return false;
  }
}

/** Whether the process does something about it; otherwise it ends. */
function handlesSignal(pid: number | undefined, signal: NodeJS.Signals): boolean {
  const [, caught = ''] = /^SigCgt:\s*(\S+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return ((BigInt(`0x${caught}`) >> BigInt(constants.signals[signal] - 1)) & 1n) === 1n;
}
