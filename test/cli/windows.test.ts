/** What a person on Windows reads: lines for the shell that runs the program, folders and programs as they are there. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { recordOptions } from '../../src/config/record-options.ts';
import { settingSources, settingsOf } from '../../src/config/settings.ts';
import { HostFailure } from '../../src/host/host.ts';
import { Secrets } from '../../src/model/secrets.ts';
import { writeForShellOf } from '../../src/model/shell-quote.ts';
import { hostOf, run, temporaryFolder, type World } from '../support/run.ts';

const platform = 'win32';
afterEach(() => writeForShellOf({ platform: 'linux', env: {} }));
const shells = { PowerShell: {}, cmd: { PROMPT: '$P$G' } };
const service = { PROCTOR_BASE_URL: 'http://127.0.0.1:9', PROCTOR_TOKEN: 'a-token-of-the-tests' };

/** A home whose configuration is broken. */
function brokenHome(): string {
  const home = temporaryFolder();
  mkdirSync(join(home, 'config'), { mode: 0o700 });
  writeFileSync(join(home, 'config', 'config.json'), '{', { mode: 0o600 });
  return home;
}

describe.each(Object.entries(shells))('A hint is a line of %s', (shell, env) => {
  const isCmd = shell === 'cmd';
  const removed = (name: string) => (isCmd ? `set ${name}=` : `Remove-Item Env:${name}`);
  const set = (name: string, value: string) => (isCmd ? `set "${name}=${value}"` : `$env:${name} = '${value}'`);
  const cases: [what: string, words: string[], world: World, line: string][] = [
    ['that removes a token', ['auth', 'login'], { tty: true, env: service }, removed('PROCTOR_TOKEN')],
    [
      'that removes a proxy',
      ['exams', 'list'],
      { env: { ...service, PROCTOR_BASE_URL: 'https://x.invalid', HTTPS_PROXY: 'x' } },
      removed('HTTPS_PROXY'),
    ],
    [
      'that takes a token from a file',
      ['auth', 'login', '--no-input'],
      {},
      ': type FILE | proctor-cli auth login --base-url URL --with-token\n',
    ],
    [
      'that takes it so once it is asked where the token would be seen',
      ['auth', 'login', '--base-url', 'https://x.invalid', '--with-token'],
      { tty: true },
      ': type FILE | proctor-cli auth login --base-url URL --with-token\n',
    ],
    ['that names a folder', ['runs', 'list'], { env: { ...service, PROCTOR_STATE_DIR: 'state' } }, set('PROCTOR_STATE_DIR', '~/proctor')],
    [
      'that makes a key',
      ['exams', 'delete', '1', '--yes'],
      { env: { ...service, PROCTOR_STATE_KEY_FILE: 'none' } },
      'powershell -Command "',
    ],
  ];
  test.each(cases)('%s', async (_what, words, world, line) => {
    const { code, stderr } = await run(words, { ...world, platform, env: { ...world.env, ...env } });
    expect([code > 0, stderr]).toEqual([true, expect.stringContaining(line)]);
  });

  test('that moves a file with a blank in its path', async () => {
    const { stderr } = await run(['exams', 'list'], { home: brokenHome(), platform, env });
    expect(stderr).toMatch(/: move \S+config\.json \S+config\.json\.broken\n/);
  });
});

test('settings, runs and token are in the local part of the profile', async () => {
  const home = temporaryFolder();
  const env = { PROCTOR_CONFIG_DIR: '', PROCTOR_STATE_DIR: '', LOCALAPPDATA: join(home, 'Local'), APPDATA: join(home, 'Roaming') };
  const { code } = await run(['config', 'set', 'timezone', 'Europe/Vienna'], { home, platform, env });
  expect(code).toBe(0);
  expect((await run(['exams', 'list', '--profile', 'sandbox'], { home, platform, env })).code).toBe(0);
  expect([existsSync(join(home, 'Local', 'proctor-cli', 'config.json')), existsSync(join(home, 'Roaming'))]).toEqual([true, false]);
});

test('the password of a team’s database is in the file that PostgreSQL has on Windows', async () => {
  const home = temporaryFolder();
  mkdirSync(join(home, 'Roaming', 'postgresql'), { recursive: true });
  const line = 'db.example.org:*:proctor:ada:a-password-of-the-tests\n';
  writeFileSync(join(home, 'Roaming', 'postgresql', 'pgpass.conf'), line, { mode: 0o600 });
  const env = { PROCTOR_STATE: 'postgres://ada@db.example.org/proctor', APPDATA: join(home, 'Roaming') };
  const host = hostOf({ home, platform, env });
  const settings = () => settingsOf(settingSources(host, {}));
  const world = { host, settings, secrets: new Secrets(), zone: () => 'UTC', warn: () => {}, reportClosed: () => {} };
  const { at } = recordOptions(world);
  expect(typeof at === 'object' && (await at.password())).toBe('a-password-of-the-tests');
});

test.each([
  ['gettoken.cmd x', 'gettoken.cmd'],
  ['"C:/Program Files/get token.cmd" \'a b\'', '"C:/Program Files/get token.cmd"'],
])('a token command that is a .cmd is named, with how it is run: %s', async (command, whole) => {
  const execute = () => Promise.reject(new HostFailure('could not be run'));
  const env = { ...service, PROCTOR_TOKEN: '', PROCTOR_TOKEN_COMMAND: command };
  const { code, stderr } = await run(['exams', 'list'], { platform, env, execute });
  expect(code).toBe(4);
  expect(stderr).toContain(`A .cmd or .bat, as az and programs of npm are, runs as: cmd /c ${whole}\n`);
});

test.each([
  ['that names no format', ['exams', 'list', '--to'], 'C:\\exams\\list.txt'],
  ['that does not fit', ['exams', 'list', '-o', 'csv', '--to'], 'C:\\exams\\list.json'],
  ['that is read', ['exams', 'apply', 'C:\\exams\\list.csv', '--check', '--to'], 'C:\\exams\\list.csv'],
])('a file %s is named as it was typed', async (_what, words, path) => {
  const { code, stderr } = await run(['--profile', 'sandbox', ...words, path], { platform });
  expect([code, stderr]).toEqual([2, expect.stringContaining(path)]);
});
