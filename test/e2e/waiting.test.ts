/** Nothing that is waited for keeps the program from handling a signal, wherever it stands on the line. */
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/run.ts';
import { ended, internals, launch, shell } from './program.ts';

const service = { PROCTOR_BASE_URL: 'http://127.0.0.1:9' };
const ours = { ...service, PROCTOR_TOKEN: 'a-token-of-the-tests' };
const signals = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const;

describe.skipIf(process.platform !== 'linux').concurrent('ends at a signal', () => {
  test.for([
    ['a pipe as token file', 'exams list', (pipe: string) => ({ ...service, PROCTOR_TOKEN_FILE: pipe })],
    ['a pipe as body', 'exams update 1 --body PIPE', () => ours],
    ['a pipe as field', 'exams update 1 -F name=@PIPE', () => ours],
    ['a pipe as roster', 'sessions import PIPE --exam 6 --yes', () => ours],
  ] as const)('%s', async ([_what, line, env], { expect }) => {
    const home = temporaryFolder();
    const pipe = join(home, 'pipe');
    execFileSync('mkfifo', [pipe]);
    for (const [signal, status] of signals) {
      const child = launch(line.replace('PIPE', pipe).split(' '), { home, env: env(pipe) });
      const end = ended(child);
      await expect.poll(() => hasOpen(child.pid, pipe), { timeout: 20_000 }).toBe(true);
      child.kill(signal);
      const { code, stderr } = await end;
      expect(code).toBe(status);
      expect(stderr).not.toMatch(internals);
    }
  });

  test('a token command', async ({ expect }) => {
    const home = temporaryFolder();
    for (const [signal, status] of signals) {
      const begun = join(home, signal);
      const profile = { baseUrl: 'http://127.0.0.1:9/api/v1', tokenCommand: `sh -c 'touch ${begun}; exec sleep 600'` };
      writeFileSync(join(home, 'config.json'), JSON.stringify({ profiles: { default: profile } }), { mode: 0o600 });
      const child = launch(['exams', 'list'], { home, env: { PROCTOR_CONFIG_DIR: home } });
      const end = ended(child);
      await expect.poll(() => existsSync(begun), { timeout: 20_000 }).toBe(true);
      child.kill(signal);
      expect((await end).code).toBe(status);
    }
  });
});

test.skipIf(process.platform === 'win32')('a token may come from another program by a pipe', async () => {
  const line = `PROCTOR_TOKEN_FILE=<(echo a-token-of-the-tests) proctor auth token`;
  expect(await shell(line, { home: temporaryFolder(), env: service })).toMatchObject({ code: 0, stdout: 'a-token-of-the-tests\n' });
});

function hasOpen(pid: number | undefined, path: string): boolean {
  try {
    return execFileSync('ls', ['-l', `/proc/${pid}/fd`], { encoding: 'utf8' }).includes(`-> ${path}`);
  } catch {
    return false;
  }
}
