/** A pipe without a writer never keeps the program from handling a signal, wherever it stands on the line. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isAlive } from '../support/is-alive.ts';
import { temporaryFolder } from '../support/run.ts';
import { ended, internals, launch, shell } from './program.ts';

const service = { PROCTOR_BASE_URL: 'http://127.0.0.1:9' };
const ours = { ...service, PROCTOR_TOKEN: 'a-token-of-the-tests' };

describe.skipIf(process.platform !== 'linux').concurrent('waiting for a pipe ends at a signal', () => {
  test.for([
    ['the token file', 'exams list', (pipe: string) => ({ ...service, PROCTOR_TOKEN_FILE: pipe })],
    ['the body', 'exams update 1 --body PIPE', () => ours],
    ['the file of a field', 'exams update 1 -F name=@PIPE', () => ours],
    ['the roster', 'sessions import PIPE --exam 6 --yes', () => ours],
  ] as const)('%s', async ([_what, line, env], { expect }) => {
    const home = temporaryFolder();
    const pipe = join(home, 'pipe');
    execFileSync('mkfifo', [pipe]);
    for (const [signal, status] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const) {
      const child = launch(line.replace('PIPE', pipe).split(' '), { home, env: env(pipe) });
      const end = ended(child);
      await expect.poll(() => hasOpen(child.pid, pipe), { timeout: 20_000 }).toBe(true);
      child.kill(signal);
      const { code, stderr } = await end;
      expect(code).toBe(status);
      expect(stderr).not.toMatch(internals);
    }
  });
});

test.skipIf(process.platform === 'win32')('a token may come from another program by a pipe', async () => {
  const home = temporaryFolder();
  const line = `PROCTOR_TOKEN_FILE=<(echo a-token-of-the-tests) proctor auth token`;
  expect(await shell(line, { home, env: service })).toMatchObject({ code: 0, stdout: 'a-token-of-the-tests\n' });
});

test.skipIf(process.platform === 'win32')('a configured authority that has become a pipe is refused at once', async () => {
  const home = temporaryFolder();
  const config = join(home, 'config.json');
  const pipe = join(home, 'pipe');
  execFileSync('mkfifo', [pipe]);
  writeFileSync(config, JSON.stringify({ profiles: { default: { caFile: pipe } } }), { mode: 0o600 });
  const { code, stderr } = await shell('proctor exams list', { home, env: { ...ours, PROCTOR_CONFIG_DIR: home } });
  expect([code, stderr]).toEqual([3, expect.stringContaining('it is a pipe')]);
  expect(readFileSync(config, 'utf8')).toContain(pipe);
});

function hasOpen(pid: number | undefined, path: string): boolean {
  try {
    return execFileSync('ls', ['-l', `/proc/${pid}/fd`], { encoding: 'utf8' }).includes(`-> ${path}`);
  } catch {
    return false;
  }
}

test.skipIf(process.platform === 'win32')('a token command ends with the program, and so do its children', async () => {
  const home = temporaryFolder();
  const begun = join(home, 'begun');
  const line = `sleep 600 & echo $! > ${begun}.part; mv ${begun}.part ${begun}; wait`;
  const profile = { baseUrl: 'http://127.0.0.1:9/api/v1', tokenCommand: JSON.stringify(['sh', '-c', line]) };
  writeFileSync(join(home, 'config.json'), JSON.stringify({ profiles: { default: profile } }), { mode: 0o600 });
  for (const [signal, status] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    rmSync(begun, { force: true });
    const child = launch(['exams', 'list'], { home, env: { PROCTOR_CONFIG_DIR: home } });
    const end = ended(child);
    await expect.poll(() => existsSync(begun), { timeout: 20_000 }).toBe(true);
    child.kill(signal);
    expect((await end).code).toBe(status);
    const sleeper = Number(readFileSync(begun, 'utf8'));
    await expect.poll(() => isAlive(sleeper)).toBe(false);
  }
});
