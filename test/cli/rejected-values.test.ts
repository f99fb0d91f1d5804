/** A value that is rejected is not repeated: it may be a secret in the wrong place. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { flagName } from '../../src/model/shell-quote.ts';
import { run, temporaryFolder } from '../support/run.ts';
import { allCommands, commandsByNoun } from './all-commands.ts';

const token = 'Qx7vR2kLm9TzW4nB8sYd1f';
const password = 'hunter2x';

/** An address shows its host in small letters. */
async function expectSilence(argv: readonly string[], env: Record<string, string> = {}) {
  const { code, stdout, stderr, questions } = await run(argv, { env });
  expect([2, 3, 4], `${argv.join(' ')}\n${stderr}`).toContain(code);
  const printed = [stdout, stderr, ...questions].join('\n').toLowerCase();
  for (const secret of [token.toLowerCase(), password]) expect(printed, argv.join(' ')).not.toContain(secret);
}

test.each(allCommands)('no command repeats a value that it rejects: $name', async ({ name, args, flags = {} }) => {
  const words = name.split(' ');
  if (!Object.values(args ?? {}).some(({ variadic }) => variadic))
    await expectSilence([...words, ...Object.keys(args ?? {}).map(() => '1'), '2', token]);
  for (const wrong of [['--token', token], [`--token=${token}`], ['--password', password], [`-P${password}`], [`--yes=${token}`]])
    await expectSilence([...words, ...wrong]);
  for (const [key, flag] of Object.entries(flags))
    if (flag.type === 'number' || flag.type === 'duration' || ('choices' in flag && flag.choices))
      await expectSilence([...words, flagName(key), token]);
});

test.each(commandsByNoun.filter(({ commands }) => commands.length > 1))('$noun.name repeats none in place of a verb', async ({ noun }) => {
  await expectSilence([noun.name, token, '--no-input']);
});

describe('nor does', () => {
  test.each([
    [token],
    [`PROCTOR_TOKEN=${password}`, 'exams', 'list'],
    ['auth', 'login', '--with-token', password],
    ['exams', 'list', '--profile', token],
    ['exams', 'list', '--base-url', token],
    ['exams', 'list', '--output', token],
    ['exams', 'list', '--timeout', token],
    ['exams', 'list', '--timezone', token],
    ['exams', 'get', '1', '--base-url', `https://${password}@proctor.example.org`],
    ['config', 'set', 'baseUrl', `https://ada:${password}@proctor.example.org`],
    ['config', 'set', 'token', password],
    ['config', 'set', 'baseUrl', token],
    ['config', 'set', 'timezone', token],
    ['config', 'set', token, '1'],
    ['config', 'set', 'dialect.listQuery', `per_page=9&api_key=${password}`],
    ['api', 'POST', '/exams', '--body', `{"name":"A","password":"${password}"}`],
    ['api', token, '/exams'],
    ['api', 'GET', '/exams', '-H', `Authorization: apiServiceToken ${password}`],
  ])('%s %s %s %s', async (...argv) => {
    await expectSilence(argv);
  });

  const variables = ['PROCTOR_TOKEN_FILE', 'PROCTOR_PROFILE', 'PROCTOR_BASE_URL', 'PROCTOR_OUTPUT', 'PROCTOR_TIMEZONE'];
  test.each(variables)('a variable: %s', async (name) => {
    await expectSilence(['users', 'list', '--timeout', '100ms'], { PROCTOR_BASE_URL: 'https://proctor.invalid', [name]: token });
  });
});

describe('an address with a password is shown without it, wherever it comes from', () => {
  const addresses = [`postgres://ci:${password}@db.example.org/x`, `postgres://db.example.org/x?password=${password}`];
  const lines = ['config list', 'config get state', 'config list -o json', 'doctor', 'auth status'].map((line) => line.split(' '));

  test.each(addresses)('a variable: %s', async (PROCTOR_STATE) => {
    for (const line of lines) {
      const { stdout, stderr } = await run(line, { env: { PROCTOR_STATE } });
      expect(`${stdout}${stderr}`, line.join(' ')).not.toContain(password);
    }
  });

  test.each(addresses)('a profile: %s', async (state) => {
    const home = temporaryFolder();
    mkdirSync(join(home, 'config'), { mode: 0o700 });
    writeFileSync(join(home, 'config', 'config.json'), JSON.stringify({ profiles: { default: { state } } }), { mode: 0o600 });
    for (const line of lines) {
      const { stdout, stderr } = await run(line, { home });
      expect(`${stdout}${stderr}`, line.join(' ')).not.toContain(password);
    }
    expect((await run(['config', 'get', 'state'], { home })).stdout).toContain('db.example.org');
  });
});
