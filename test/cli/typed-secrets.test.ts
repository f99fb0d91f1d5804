/** A secret that was typed in the wrong place is not repeated: in no command, and in no position. */
import { describe, expect, test } from 'vitest';
import { parseBaseUrl } from '../../src/config/base-url.ts';
import { looksRandom, typedSecrets } from '../../src/model/typed-secrets.ts';
import { run } from '../support/run.ts';
import { allCommands, commandsByNoun } from './all-commands.ts';
import { answering } from './answering.ts';

const token = 'Qx7vR2kLm9TzW4nB8sYd1f';
const password = 'hunter2x';

/** What a command line printed, in small letters: an address shows its host in them. */
async function printed(argv: string[], env: Record<string, string> = {}): Promise<string> {
  const { code, stdout, stderr, questions } = await run(argv, { env });
  expect(code).not.toBe(1);
  return [stdout, stderr, ...questions].join('\n').toLowerCase();
}

describe.each(allCommands.map((command) => [command.name, command] as const))('%s', (name, command) => {
  const words = name.split(' ');
  // They would serve until stopped, or write into the folder that is named.
  const stopped = name.startsWith('sandbox ') ? ['--no-such-option'] : [];
  const texts = Object.entries(command.flags ?? {}).filter(([, flag]) => flag.type !== 'boolean');
  const options = texts.map(([key]) => `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`);

  test('repeats no token as an argument, nor as the value of an option', async () => {
    const lines = [
      [...words, ...Object.keys(command.args ?? {}).map(() => '1'), '2', token],
      [...words, token, '--no-such-option'],
      ...options.map((option) => [...words, option, token, ...stopped]),
      ...['--profile', '--base-url', '--output', '--timeout', '--timezone', '--columns'].map((option) => [...words, option, token]),
      [...words, `--${token}`],
    ];
    for (const line of lines) expect(await printed([...line, '--no-input']), line.join(' ')).not.toContain(token.toLowerCase());
  });

  test('repeats nothing that stands behind the name of a secret', async () => {
    for (const wrong of [['--token', password], [`--token=${password}`], ['--password', password], [`--api-key=${password}`]])
      expect(await printed([...words, ...wrong]), wrong.join(' ')).not.toContain(password);
    for (const wrong of [`PROCTOR_TOKEN=${password}`, `Authorization: apiServiceToken ${password}`])
      expect(await printed([...words, wrong, '--no-such-option']), wrong).not.toContain(password);
  });
});

test.each(commandsByNoun.map(({ noun }) => noun.name))('%s repeats no token in the place of a verb', async (noun) => {
  expect(await printed([noun, token, '--no-input'])).not.toContain(token.toLowerCase());
});

test.each([
  [[token]],
  [['help', token]],
  [[`PROCTOR_TOKEN=${password}`, 'exams', 'list']],
  [['auth', 'correcthorse']],
  [['auth', 'login', 'correcthorse']],
  [['auth', 'login', '--with-token', 'correcthorse']],
  [['exams', 'list', 'correcthorse']],
  [['exams', 'list', '--tokn=correcthorse']],
  [['exams', 'get', '1', '--base-url', `https://${password}@proctor.example.org`]],
  [['config', 'set', 'baseUrl', `https://ada:${password}@proctor.example.org`]],
  [['config', 'set', `token=${token}`]],
  [['config', 'set', `token=${password}`]],
  [['config', 'set', 'token', password]],
  [['config', 'set', 'baseUrl', token]],
  [['config', 'set', token]],
  [['api', 'GET', '/exams', '-H', `Authorization: apiServiceToken ${password}`]],
])('nor does %j', async (argv) => {
  const text = await printed(argv);
  for (const secret of [token.toLowerCase(), password, 'correcthorse']) expect(text).not.toContain(secret);
});

test.each(['PROCTOR_TOKEN_FILE', 'PROCTOR_PROFILE', 'PROCTOR_BASE_URL', 'PROCTOR_OUTPUT', 'PROCTOR_TIMEZONE', 'PROCTOR_INSTITUTE'])(
  'a token in %s is not repeated',
  async (name) => {
    const env = { PROCTOR_BASE_URL: 'https://proctor.invalid', [name]: token };
    expect(await printed(['users', 'list', '--timeout', '100ms'], env)).not.toContain(token.toLowerCase());
  },
);

test('a token in the place of the address is refused before the network hears of it', async () => {
  const { code, stderr } = await run(['exams', 'list', '--base-url', token], { env: { PROCTOR_TOKEN: 'of-the-tests' } });
  expect(code).toBe(3);
  expect(stderr).toContain('The base URL looks like a token.');
});

test('a host with a name like a token is taken and named where the address is written with its scheme', async () => {
  const address = 'https://proctor-7d9f8b6c5d-x2x4z/api/v1';
  expect(parseBaseUrl(address)).toBe(address);
  expect((await run(['config', 'get', 'baseUrl', '--base-url', address])).stdout).toContain(address);
});

test.each([
  '20261122T095736-b8e59e',
  '0f8fad5b-d9cb-469f-a165-70867728950e',
  'students-2026-11-22',
  'Klausur2026-WS',
  '/home/ada/a1b2c3d4e5f6a7b8',
  'now+2h30m',
  '2027-02-01T09:00:00+01:00',
  'roster-a1b2c3d4e5f6.csv',
  'administrators',
])('%s is shown in an error as it was typed', (word) => {
  expect(looksRandom(word)).toBe(false);
});

test.each([401, 403, 404])('an ID that looks drawn at random is repeated where the service answers %i', async (status) => {
  const id = '507f1f77bcf86cd799439011';
  const { stderr } = await run(['exams', 'get', id], answering(status));
  expect(stderr).toContain(status === 401 ? 'The service refused the token (401)' : `show exam ${id}`);
  expect(stderr).not.toContain('****');
});

test('a setting and a name that only sound like secrets hide no word', () => {
  expect(typedSecrets(['config', 'set', 'dialect.idKey=uuid'])).toEqual([]);
  expect(typedSecrets(['--show-secrets', 'sessions', 'list', '--with-token', 'now'])).toEqual([]);
  expect(typedSecrets(['--profile', 'token-test', 'exams', 'list'])).toEqual([]);
});
