/** The token file: one line; anything else is refused by name and never shown. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { run, temporaryFolder } from '../support/run.ts';

/** Runs `auth token` with the file. */
async function token(path: string) {
  return run(['auth', 'token', '-o', 'json'], { env: { PROCTOR_TOKEN_FILE: path, PROCTOR_BASE_URL: 'https://proctor.example.org' } });
}

describe('a token file', () => {
  const folder = temporaryFolder();
  const file = (name: string, text: string | Uint8Array, mode = 0o600) => {
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), mode);
    return join(folder, name);
  };

  test.each(['secret-token', 'secret-token\n', 'secret-token\r\n'])('with %j gives the token', async (text) => {
    expect(JSON.parse((await token(file('good', text))).stdout)).toEqual({ token: 'secret-token' });
  });

  test('is trimmed no further, but a token in the environment is', async () => {
    const env = { PROCTOR_TOKEN: ' a-token-of-the-tests\n', PROCTOR_BASE_URL: 'https://proctor.example' };
    expect((await run(['auth', 'token'], { env })).stdout).toBe('a-token-of-the-tests\n');
  });

  test('that others may read or write is used, as CI systems make them so; doctor tells', async () => {
    for (const mode of [0o644, 0o666]) expect((await token(file('open', 'secret-token', mode))).code).toBe(0);
  });

  mkdirSync(join(folder, 'folder'));
  const bad: [string, string, string][] = [
    ['is empty', file('empty', ''), 'it is empty'],
    ['is a line break', file('break', '\n'), 'it is empty'],
    ['has several lines', file('lines', 'secret-token\nsecret-two\n'), 'it has several lines'],
    ['is huge', file('huge', 'secret'.repeat(20_000)), 'it is larger than 64 KiB'],
    ['has a space', file('space', 'secret token'), 'contains a space'],
    ['is binary', file('binary', Buffer.from([0xff, 0xfe, 0x73, 0, 0x65, 0])), 'not printable ASCII'],
    ['is missing', join(folder, 'missing'), 'it does not exist (ENOENT)'],
    ['is a folder', join(folder, 'folder'), 'it is a folder'],
    ['is a device', '/dev/null', 'it is a device'],
    ['is an endless device', '/dev/zero', 'it is a device'],
  ];
  test.skipIf(process.platform === 'win32').each(bad)('that %s is refused, and nothing of it is shown', async (_what, path, why) => {
    const { code, stdout, stderr } = await token(path);
    expect([code, stdout]).toEqual([3, '']);
    const { error } = JSON.parse(stderr);
    expect(error.message).toContain(why);
    expect(error.message).toContain(path);
    expect(stderr.replaceAll(path, '')).not.toContain('secret');
  });
});

describe('a token in the place of the path', () => {
  const env = { PROCTOR_BASE_URL: 'https://proctor.invalid', PROCTOR_TIMEOUT: '1s' };
  const lines = [['auth', 'token'], ['auth', 'status'], ['exams', 'list'], ['doctor'], ['config', 'list'], ['exams', 'list', '--debug']];

  test.each(['correcthorse', 'hunter2x', 'abc/def=', 'eyJhbGciOiJIUzI1NiJ9.e30.x'])('is never shown: %s', async (secret) => {
    for (const line of lines) {
      const { stdout, stderr } = await run(line, { env: { ...env, PROCTOR_TOKEN_FILE: secret } });
      expect(stdout + stderr, line.join(' ')).not.toContain(secret);
    }
    const { code, stderr } = await run(['auth', 'token'], { env: { ...env, PROCTOR_TOKEN_FILE: secret } });
    expect([code, stderr]).toEqual([
      3,
      expect.stringContaining('The token file of PROCTOR_TOKEN_FILE cannot be used: it does not exist (ENOENT).'),
    ]);
  });
});
