import { chmodSync, chownSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folderOf, sandboxPlace } from '../../src/config/folders.ts';
import { settingSources, settingsOf } from '../../src/config/settings.ts';
import { hostOf, run, temporaryFolder } from '../support/run.ts';

/** As this machine spells it. */
const native = (path: string) => resolve(path);
const unix = { home: native('/home/ada'), platform: 'linux' };

describe('the folder of the configuration', () => {
  test.each([
    ['PROCTOR_CONFIG_DIR before all', { PROCTOR_CONFIG_DIR: '/srv/proctor', XDG_CONFIG_HOME: '/xdg' }, '/srv/proctor'],
    ['then XDG_CONFIG_HOME', { XDG_CONFIG_HOME: '/xdg' }, '/xdg/proctor-cli'],
    ['then the home folder', {}, '/home/ada/.config/proctor-cli'],
    ['empty variables are none', { PROCTOR_CONFIG_DIR: '', XDG_CONFIG_HOME: '' }, '/home/ada/.config/proctor-cli'],
    ['a relative XDG_CONFIG_HOME is ignored, as its specification says', { XDG_CONFIG_HOME: 'xdg' }, '/home/ada/.config/proctor-cli'],
    ['~/ is the home folder, as no shell has read a variable of a job', { PROCTOR_CONFIG_DIR: '~/conf' }, '/home/ada/conf'],
    ['and ~ alone', { PROCTOR_CONFIG_DIR: '~' }, '/home/ada'],
  ])('%s', (_rule, env, folder) => {
    expect(native(folderOf({ ...unix, env }, 'configuration'))).toBe(native(folder));
  });

  test('is below ~/.config on macOS too, and in the local part of the profile on Windows, which no server gets', () => {
    expect(folderOf({ env: {}, home: '/Users/ada', platform: 'darwin' }, 'configuration')).toBe(join('/Users/ada/.config/proctor-cli'));
    expect(folderOf({ env: { APPDATA: '/roaming', LOCALAPPDATA: '/local' }, home: '/u', platform: 'win32' }, 'configuration')).toBe(
      join('/local/proctor-cli'),
    );
  });

  test.each(['conf', './conf', '~bob/conf', '~conf'])('is refused where its variable has no absolute path: %s', (path) => {
    const refused = { code: 'invalid_config', message: `PROCTOR_CONFIG_DIR is "${path}", which is not an absolute path.` };
    expect(() => folderOf({ ...unix, env: { PROCTOR_CONFIG_DIR: path } }, 'configuration')).toThrow(expect.objectContaining(refused));
    expect(() => folderOf({ ...unix, home: '', env: { PROCTOR_CONFIG_DIR: '~/conf' } }, 'configuration')).toThrow('not an absolute path');
  });

  test.each(['/srv/proctor\n', '~/conf\r', '/srv/\u200bproctor'])('is refused with a hidden character: %j', (path) => {
    const refused = { code: 'invalid_config', message: expect.stringContaining('contains a line break or another hidden character') };
    expect(() => folderOf({ ...unix, env: { PROCTOR_CONFIG_DIR: path } }, 'configuration')).toThrow(expect.objectContaining(refused));
  });

  test('is asked for by name where there is no home', () => {
    const nowhere = { env: {}, home: '', platform: 'linux' };
    expect(() => folderOf(nowhere, 'configuration')).toThrow(
      expect.objectContaining({ code: 'invalid_config', hint: expect.stringContaining('PROCTOR_CONFIG_DIR') }),
    );
    expect(() => folderOf(nowhere, 'state')).toThrow(expect.objectContaining({ hint: expect.stringContaining('PROCTOR_STATE_DIR') }));
  });
});

test('what the system says of a file is said in words, without its path once more', async () => {
  const home = temporaryFolder();
  const nowhere = join(home, 'no', 'where');
  const { stderr } = await run(['config', 'set', 'caFile', nowhere], { home });
  expect(stderr).toContain(`error: caFile: The certificate file ${nowhere} cannot be read: no such file or directory (ENOENT).\n`);
  writeFileSync(join(home, 'file'), '');
  const folder = join(home, 'file', 'sandbox');
  expect((await run(['sandbox', 'reset', '--yes', '--folder', folder], { home })).stderr).toMatch(
    /^error: The sandbox cannot use its database .*[/\\]sandbox\.db: (not a directory \(ENOTDIR\)|no such file or directory \(ENOENT\))\.\n/,
  );
  const env = { PROCTOR_CONFIG_DIR: folder };
  expect((await run(['config', 'set', 'institute', '7'], { home, env })).stderr).toMatch(/ (not a directory|no such file or directory) \(/);
});

describe('~/ is the home, which neither cmd nor the env of a job puts in its place,', () => {
  const home = temporaryFolder();
  const path = join(home, 'one file');
  writeFileSync(path, '-----BEGIN CERTIFICATE-----\n', { mode: 0o600 });

  test.each(['state', 'stateKeyFile', 'caFile'])('in the setting %s, as it is stored', async (key) => {
    expect((await run(['config', 'set', key, '~/one file'], { home })).stderr).toContain(`is now: ${path}\n`);
    expect((await run(['config', 'get', key], { home })).stdout).toBe(`${path}\n`);
  });

  test('in the variable of a file', async () => {
    const env = { PROCTOR_CA_FILE: '~/one file', PROCTOR_STATE_KEY_FILE: '~/one file' };
    const host = hostOf({ home, env: { ...env, PROCTOR_BASE_URL: 'https://x.invalid' } });
    expect(settingsOf(settingSources(host, {}))).toMatchObject({ caFile: path, stateKeyFile: path });
    writeFileSync(join(home, 'token'), 'a-token-of-the-tests', { mode: 0o600 });
    const given = { PROCTOR_TOKEN_FILE: '~/token', PROCTOR_BASE_URL: 'https://x.invalid' };
    expect((await run(['auth', 'token'], { home, env: given })).stdout).toBe('a-token-of-the-tests\n');
  });
});

test('the state has a folder of its own, the sandbox one inside it', () => {
  expect(folderOf({ ...unix, env: {} }, 'state')).toBe(native('/home/ada/.local/state/proctor-cli'));
  expect(folderOf({ ...unix, env: { XDG_STATE_HOME: '/xdg' } }, 'state')).toBe(join('/xdg/proctor-cli'));
  expect(sandboxPlace({ ...unix, env: { PROCTOR_STATE_DIR: '/state' } }).folder).toBe(native('/state/sandbox'));
});

describe.skipIf(process.platform === 'win32')('a state folder', () => {
  const list = async (folder: string, env: Record<string, string>, profile = 'sandbox') =>
    run(['exams', 'list', '-o', 'id', '--profile', profile], { home: folder, env });
  const mode = (path: string) => (statSync(path).mode & 0o7777).toString(8);

  test('that others may read or write is closed to them before anything is recorded', async () => {
    const home = temporaryFolder();
    const folder = join(home, '.local', 'state', 'proctor-cli');
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o777);
    expect((await list(home, { PROCTOR_STATE_DIR: '' })).code).toBe(0);
    expect(mode(folder)).toBe('700');
  });

  test('that the user has chosen keeps its readers, and loses who may write to it', async () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o775);
    expect((await list(temporaryFolder(), { PROCTOR_STATE_DIR: folder })).code).toBe(0);
    expect(mode(folder)).toBe('755');
  });

  test('for all users is refused and stays', async () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o1777);
    const { code, stderr } = await list(temporaryFolder(), { PROCTOR_STATE_DIR: folder });
    expect([code, stderr]).toEqual([
      3,
      `error: The state is not used because of ${folder}: all users share it.\nhint: Choose a folder of your own: export PROCTOR_STATE_DIR=FOLDER\n`,
    ]);
    expect(mode(folder)).toBe('1777');
  });

  test.skipIf(process.getuid?.() !== 0)('of another user is refused', async () => {
    const folder = temporaryFolder();
    chownSync(folder, 65534, 65534);
    expect((await list(temporaryFolder(), { PROCTOR_STATE_DIR: folder })).stderr).toContain('it belongs to another user');
  });
});
