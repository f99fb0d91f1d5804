/** doctor as a whole, and its checks of this machine and the configuration. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { examined } from '../features/doctor/examined.ts';
import { run, temporaryFolder } from '../support/run.ts';
import { embedded, freshHome } from './embedded.ts';

const connection = { PROCTOR_BASE_URL: 'http://127.0.0.1:1', PROCTOR_TOKEN: 'a-token-of-the-tests' };

function brokenConfiguration(): string {
  const home = temporaryFolder();
  mkdirSync(join(home, 'config'));
  writeFileSync(join(home, 'config', 'config.json'), '{"profiles":\n oops}');
  return home;
}

test('on the embedded service nothing fails, and status is 0', async () => {
  const { code, found } = await examined(['--profile', 'sandbox', '--timezone', 'UTC'], { home: freshHome() });
  expect(code).toBe(0);
  expect(Object.values(found).filter(({ state }) => state !== 'ok' && state !== 'skipped')).toEqual([]);
  expect(found.program?.detail).toMatch(/^proctor-cli \d+\.\d+\.\d+ on Node \d+\./);
});

test('a person reads a table, and below it what to do about each thing', async () => {
  const { code, stdout, stderr } = await run(['doctor', '--no-color'], { tty: true, columns: 100 });
  expect(code).toBe(4);
  expect(stdout).toMatch(/^CHECK +STATE +DETAIL\n/);
  for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
  expect(stderr).toContain('time zone: Set the zone of your exams: proctor-cli config set timezone UTC\n');
  expect(stderr).toMatch(/error: origin: .*\nhint: Log in with: proctor-cli auth login\n$/);
});

describe('a broken configuration', () => {
  test('is the finding, not the end: what does not rest on it is still checked', async () => {
    const { code, found, failure } = await examined([], { home: brokenConfiguration() });
    expect(code).toBe(3);
    expect(failure).toMatchObject({ code: 'invalid_config' });
    expect(found.configuration).toMatchObject({
      state: 'failed',
      detail: expect.stringContaining('config.json is invalid: it is not JSON (line 2, column 2)'),
    });
    expect(found.program?.state).toBe('ok');
    expect(found['state folder']?.state).toBe('ok');
    for (const name of ['record', 'time zone', 'origin', 'token', 'service']) expect(found[name]?.state).toBe('skipped');
  });

  test.each([
    [['--profile', 'nowhere'], {}, 'nowhere'],
    [[], { PROCTOR_TIMEZONE: 'Europe/Wien' }, 'PROCTOR_TIMEZONE'],
    [['--base-url', 'ftp://x'], {}, '--base-url'],
  ])('so is a setting that will not do: %j %j', async (argv, env, named) => {
    const { code, found } = await examined(argv, { env });
    expect(code).toBe(3);
    expect(found.configuration).toMatchObject({ state: 'failed', detail: expect.stringContaining(named) });
  });

  test('no folder to keep anything in', async () => {
    const { code, found } = await examined([], { env: { PROCTOR_CONFIG_DIR: '', PROCTOR_STATE_DIR: '' }, home: 'nowhere' });
    expect(code).toBe(3);
    expect(found['state folder']).toMatchObject({ state: 'failed', remedy: expect.stringContaining('PROCTOR_STATE_DIR') });
    expect(found.configuration?.state).toBe('ok');
  });
});

test('a token file that others may read', async () => {
  const file = join(temporaryFolder(), "ada's token");
  writeFileSync(file, 'a-token-of-the-tests\n');
  const look = async (mode: number) => {
    chmodSync(file, mode);
    return (await examined([], { env: { PROCTOR_BASE_URL: 'http://127.0.0.1:1', PROCTOR_TOKEN_FILE: file } })).found.token;
  };
  expect(await look(0o644)).toMatchObject({ state: 'warning', remedy: expect.stringMatching(/: chmod go= '.*ada'\\''s token'$/) });
  expect(await look(0o600)).toMatchObject({ state: 'ok' });
});

test('a configuration folder that others may enter and that is not ours to close', async () => {
  // Directly below the root's or within a home's own parents nothing is tightened; here the home lies inside of it.
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, 'config.json'), '{"profiles":{}}', { mode: 0o600 });
  const { found } = await examined([], { home: join(folder, 'home'), env: { PROCTOR_CONFIG_DIR: folder } });
  expect(found.configuration).toMatchObject({ state: 'warning', remedy: `Make it private: chmod go= ${folder}` });
});

test('no service: status 8, and the token is in no line', async () => {
  const { code, found, stdout } = await examined([], { env: connection });
  expect(code).toBe(8);
  expect(found.token).toMatchObject({ state: 'ok', detail: 'from PROCTOR_TOKEN' });
  expect(found.service?.state).toBe('failed');
  expect(stdout).not.toContain('a-token-of-the-tests');
});

test('a state folder that cannot be written to', async () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  const { code, found } = await examined([], { env: { ...connection, PROCTOR_STATE_DIR: join(file, 'state') } });
  expect(code).toBe(3);
  expect(found['state folder']).toMatchObject({ state: 'failed', remedy: 'Choose another folder: export PROCTOR_STATE_DIR=FOLDER' });
});

test('the record of a team is named by its address, and where each setting comes from', async () => {
  const place = 'postgres://proctor@db.example.org/proctor';
  const { found } = await examined([], { env: { ...connection, PROCTOR_STATE: place } });
  expect(found.record).toMatchObject({ state: 'ok', detail: place });
  expect(found.configuration?.detail).toMatch(/; baseUrl from: PROCTOR_BASE_URL; .*state from: PROCTOR_STATE/);
});

test('an interruption ends it', async () => {
  const service = embedded();
  const stop = new AbortController();
  const { CliError } = await import('../../src/errors.ts');
  stop.abort(new CliError('interrupted', 'Stopped by Ctrl-C.'));
  const { code, stdout } = await service.run('doctor', { interrupt: stop.signal });
  expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
});
