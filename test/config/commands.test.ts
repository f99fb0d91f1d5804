import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Command, Globals, Row } from '../../src/command.ts';
import { auth } from '../../src/commands/auth.ts';
import { config } from '../../src/commands/config.ts';
import type { Profile } from '../../src/config/file.ts';
import { settingKeys } from '../../src/config/profile-settings.ts';
import type { Settings } from '../../src/config/settings.ts';
import { CliError } from '../../src/errors.ts';
import type { Host } from '../../src/host/host.ts';
import { contextOf, world } from './world.ts';

const whichAddress = 'Address of the service, such as proctor.example.org:';
const whichToken = 'Token, from the operator of the service:';

const url = 'https://a.example/api/v1';
const secret = 'tok_Sup3rS3cretValue';
const commands = [...auth, ...config] as readonly unknown[] as readonly Command[];

type Given = Partial<Globals> & { values?: Record<string, unknown>; exams?: (settings: Settings) => AsyncGenerator<never> };

/** Runs a command; its rows, what a person was told, and the settings it connected with. */
async function run(host: Host, name: string, { values = {}, exams, ...globals }: Given = {}) {
  const { context, said, connected } = contextOf(host, globals, exams);
  const result = await commands.find((command) => command.name === name)?.run?.(context, { ...values, body: {} } as never);
  const rows: Row[] = [];
  if (result?.kind === 'list') for await (const row of result.rows) rows.push(row);
  if (result?.kind === 'one') rows.push(result.row);
  return { rows, said: said.join('\n'), connected, result };
}

const fileOf = (host: Host) => join(host.env.PROCTOR_CONFIG_DIR ?? '', 'config.json');
const stored = (host: Host) => JSON.parse(readFileSync(fileOf(host), 'utf8'));

function withConfig(host: ReturnType<typeof world>, profiles: Record<string, Profile>, current?: string) {
  mkdirSync(host.env.PROCTOR_CONFIG_DIR ?? '', { mode: 0o700 });
  writeFileSync(fileOf(host), JSON.stringify({ ...(current ? { current } : {}), profiles }), { mode: 0o600 });
  return host;
}

describe('auth login', () => {
  test('asks for both, checks them, and stores them in the first profile', async () => {
    const host = world({ terminal: true, answers: ['a.example', secret] });
    const { said, connected } = await run(host, 'auth login');
    expect(host.questions).toEqual([whichAddress, whichToken]);
    expect(connected).toHaveLength(1);
    expect(connected[0]).toMatchObject({ baseUrl: url, origin: 'https://a.example', authPrefix: 'apiServiceToken' });
    expect(await connected[0]?.token()).toMatchObject({ value: secret });
    expect(stored(host)).toEqual({ current: 'default', profiles: { default: { baseUrl: url, token: secret } } });
    expect(said).toBe('Logged in to https://a.example as profile default.');
  });

  test('takes the token from stdin, the rest from flags, and makes further profiles', async () => {
    const host = withConfig(world({ stdin: `${secret}\n` }), { default: { baseUrl: url, token: 'other-token' } }, 'default');
    const { said } = await run(host, 'auth login', {
      profile: 'new',
      baseUrl: 'b.example',
      values: { withToken: true, authPrefix: 'apiAcmeToken', institute: '7' },
    });
    expect(stored(host)).toEqual({
      current: 'default',
      profiles: {
        default: { baseUrl: url, token: 'other-token' },
        new: { authPrefix: 'apiAcmeToken', institute: '7', baseUrl: 'https://b.example/api/v1', token: secret },
      },
    });
    expect(said).toContain('proctor-cli auth switch new');
  });

  test('takes the place of a token command, and keeps the other settings', async () => {
    const host = withConfig(world({ stdin: secret }), { default: { baseUrl: url, tokenCommand: 'vault', timezone: 'UTC' } });
    const { said } = await run(host, 'auth login', { values: { withToken: true } });
    expect(stored(host).profiles.default).toEqual({ baseUrl: url, timezone: 'UTC', token: secret });
    expect(said).toContain('token command of profile default was removed');
  });

  test('asks for the token alone again where the service refuses it, or it cannot be one, and trims it', async () => {
    const host = world({ terminal: true, answers: ['a.example', 'two words', 'old-token', ` ${secret} `] });
    let calls = 0;
    const exams = (settings: Settings) =>
      (async function* (): AsyncGenerator<never> {
        calls += 1;
        if ((await settings.token()).value === 'old-token') throw new CliError('token_refused', 'The service refused the token (401).');
        yield* [];
      })();
    const { said } = await run(host, 'auth login', { exams });
    expect(host.questions).toEqual([whichAddress, whichToken, whichToken, whichToken]);
    expect(calls).toBe(2);
    expect(said).toContain('The token contains a space or a line break (the prompt).');
    expect(said).toContain('The service refused the token (401). Nothing was stored. Enter another token,');
    expect(stored(host).profiles.default).toEqual({ baseUrl: url, token: secret });
  });

  test('that is refused stores nothing, says what happened, and keeps the secret', async () => {
    const host = withConfig(world({ stdin: 'new-token' }), { default: { baseUrl: url, token: secret } });
    const before = readFileSync(fileOf(host), 'utf8');
    const exams = () => {
      throw new CliError('token_refused', 'The service refused the token (401): new-token is unknown.', { status: 401 });
    };
    const failure = await run(host, 'auth login', { exams, values: { withToken: true } }).catch((error) => error);
    expect(failure).toMatchObject({
      code: 'token_refused',
      exit: 4,
      status: 401,
      message: 'The service refused the token (401): ******** is unknown. Nothing was stored.',
    });
    expect(readFileSync(fileOf(host), 'utf8')).toBe(before);
  });

  test('with --no-verify sends nothing', async () => {
    const host = world({ stdin: secret });
    const { connected, said } = await run(host, 'auth login', { baseUrl: url, values: { withToken: true, verify: false } });
    expect(connected).toEqual([]);
    expect(stored(host).profiles.default.token).toBe(secret);
    expect(said).toContain('(not checked)');
  });

  test.each(['PROCTOR_TOKEN', 'PROCTOR_TOKEN_FILE', 'PROCTOR_TOKEN_COMMAND'])('is refused while %s would override it', async (variable) => {
    const host = world({ env: { [variable]: 'x' }, terminal: true });
    await expect(run(host, 'auth login')).rejects.toMatchObject({ code: 'usage', hint: `Remove it first: unset ${variable}` });
  });

  test('off a terminal names what to give in place of answers', async () => {
    await expect(run(world(), 'auth login')).rejects.toMatchObject({
      code: 'needs_terminal',
      exit: 2,
      hint: expect.stringMatching(/--base-url.*--with-token/),
    });
    await expect(run(world({ stdin: secret }), 'auth login', { values: { withToken: true } })).rejects.toMatchObject({
      code: 'needs_terminal',
      hint: expect.stringContaining('--base-url'),
    });
    await expect(run(world({ terminal: true }), 'auth login', { noInput: true })).rejects.toMatchObject({ code: 'needs_terminal' });
  });

  test('does not let a token be typed where it would be seen', async () => {
    await expect(
      run(world({ terminal: true, stdin: secret }), 'auth login', { baseUrl: url, values: { withToken: true } }),
    ).rejects.toMatchObject({ code: 'usage' });
  });

  test.each(['', '\n', 'two words', `${secret}\nmore`])('refuses %j as a token, without repeating it', async (stdin) => {
    const failure = await run(world({ stdin }), 'auth login', { baseUrl: url, values: { withToken: true } }).catch((error) => error);
    expect(failure).toMatchObject({ code: 'invalid_input', exit: 3 });
    expect(failure.message + failure.hint).not.toContain('S3cret');
  });

  test('is not for the built-in profile, and does not ask before it knows that it may store', async () => {
    await expect(run(world({ terminal: true }), 'auth login', { profile: 'sandbox' })).rejects.toMatchObject({ code: 'usage' });
    const host = world({ terminal: true });
    mkdirSync(host.env.PROCTOR_CONFIG_DIR ?? '');
    writeFileSync(fileOf(host), '{');
    await expect(run(host, 'auth login')).rejects.toMatchObject({ code: 'invalid_config' });
  });
});

describe('auth status', () => {
  test('shows every profile, its token masked, and what is wrong with the others', async () => {
    const host = withConfig(world(), {
      default: { baseUrl: url, token: secret },
      bare: { baseUrl: 'https://b.example' },
      vault: { baseUrl: url, tokenCommand: 'vault' },
    });
    const { rows } = await run(host, 'auth status');
    const problem = 'No token for profile bare at https://b.example. Log in with: proctor-cli auth login --profile bare';
    expect(rows).toEqual([
      { profile: 'default', current: true, baseUrl: 'https://a.example/api/v1', token: '********alue', problem: null },
      { profile: 'bare', current: false, baseUrl: 'https://b.example/api/v1', token: null, problem },
      { profile: 'vault', current: false, baseUrl: 'https://a.example/api/v1', token: null, problem: null },
      { profile: 'sandbox', current: false, baseUrl: 'built in', token: null, problem: null },
    ]);
    expect((await run(host, 'auth status', { profile: 'default' })).rows).toHaveLength(1);
  });

  test('fails with the problem of the current profile, and the command that fixes it, and lists the others', async () => {
    const { rows, result } = await run(world(), 'auth status');
    expect(rows.map(({ profile }) => profile)).toEqual(['default', 'sandbox']);
    expect(result).toMatchObject({ failure: { code: 'not_logged_in', exit: 4, hint: 'Log in with: proctor-cli auth login' } });
    const host = withConfig(world({ env: { PROCTOR_BASE_URL: 'https://b.example' } }), { default: { baseUrl: url, token: secret } });
    const message = expect.stringContaining('belongs to https://a.example');
    expect((await run(host, 'auth status')).result).toMatchObject({ failure: { code: 'not_logged_in', message } });
    const lost = withConfig(world(), { default: { baseUrl: url, token: secret } }, 'gone');
    const switched = await run(lost, 'auth status');
    expect(switched.result).toMatchObject({ failure: { code: 'invalid_config', hint: expect.stringContaining('auth switch NAME') } });
    expect(switched.rows.map(({ profile }) => profile)).toEqual(['gone', 'default', 'sandbox']);
  });
});

describe('auth logout and auth token', () => {
  test('removes the token only', async () => {
    const host = withConfig(world(), { default: { baseUrl: url, token: secret, timezone: 'UTC' } });
    await run(host, 'auth logout');
    expect(stored(host).profiles.default).toEqual({ baseUrl: url, timezone: 'UTC' });
    await expect(run(host, 'auth logout')).rejects.toMatchObject({ code: 'not_logged_in', exit: 4 });
  });

  test('says that the environment still gives one', async () => {
    const host = withConfig(world({ env: { PROCTOR_TOKEN: 'x' } }), { default: { baseUrl: url, token: secret } });
    expect((await run(host, 'auth logout')).said).toContain('PROCTOR_TOKEN is still set');
  });

  test('auth token shows the token, and alone does', async () => {
    const host = withConfig(world(), { default: { baseUrl: url, token: secret } });
    expect((await run(host, 'auth token')).result).toMatchObject({ row: { token: secret }, only: 'token', reveal: true });
    for (const name of ['auth status', 'config list']) {
      expect(JSON.stringify(await run(host, name)), name).not.toContain(secret);
    }
    await expect(run(host, 'config get', { values: { key: 'token' } })).rejects.toMatchObject({
      code: 'invalid_input',
      hint: expect.stringContaining('auth token'),
    });
  });
});

describe('auth switch', () => {
  test('chooses a profile by its name', async () => {
    const profiles = { default: { baseUrl: url }, prod: { baseUrl: 'https://p.example/api/v1', token: secret } };
    const host = withConfig(world(), profiles, 'prod');
    await run(host, 'auth switch', { values: { name: 'default' } });
    expect(stored(host).current).toBe('default');
    await run(host, 'auth switch', { values: { name: 'sandbox' } });
    expect(stored(host).current).toBe('sandbox');
    await expect(run(host, 'auth switch', { values: { name: 'prdo' } })).rejects.toMatchObject({
      code: 'invalid_input',
      hint: expect.stringContaining('Did you mean prod?'),
    });
  });
});

describe('config', () => {
  const set = (host: Host, key: string, value: string, globals: Partial<Globals> = {}) =>
    run(host, 'config set', { ...globals, values: { key, value } });

  test('sets, gets, lists and unsets', async () => {
    const host = world();
    await set(host, 'timezone', 'Europe/Vienna');
    await set(host, 'dialect.listQuery', '');
    expect(stored(host)).toEqual({ current: 'default', profiles: { default: { timezone: 'Europe/Vienna', 'dialect.listQuery': '' } } });
    expect((await run(host, 'config get', { values: { key: 'timezone' } })).result).toMatchObject({
      row: { value: 'Europe/Vienna', source: 'profile default' },
      only: 'value',
    });
    const { rows } = await run(host, 'config list', { timezone: 'UTC' });
    const row = (name: string) => rows.find(({ setting }) => setting === name);
    expect(row('timezone')).toMatchObject({ value: 'UTC', source: '--timezone' });
    expect(row('timeout')).toMatchObject({ value: '30s', source: 'default' });
    expect(row('institute')).toMatchObject({ value: null, source: 'not set' });
    await run(host, 'config unset', { values: { key: 'timezone' } });
    expect(stored(host).profiles.default).not.toHaveProperty('timezone');
  });

  test('says when the environment overrides what was set', async () => {
    expect((await set(world({ env: { PROCTOR_TIMEZONE: 'UTC' } }), 'timezone', 'Europe/Vienna')).said).toContain(
      'PROCTOR_TIMEZONE is set and overrides it',
    );
  });

  test('makes a profile that is named and new, and says so', async () => {
    const host = world();
    expect((await set(host, 'baseUrl', 'a.example', { profile: 'vault' })).said).toContain('Created profile vault.');
    expect(stored(host)).toEqual({ current: 'vault', profiles: { vault: { baseUrl: url } } });
  });

  test('refuses what is no setting, no value, or a secret', async () => {
    await expect(set(world(), 'timezon', 'UTC')).rejects.toMatchObject({ code: 'invalid_input', hint: 'Did you mean timezone?' });
    await expect(set(world(), 'timezone', 'Vienna')).rejects.toMatchObject({
      code: 'invalid_input',
      message: 'timezone: the value is not a time zone.',
    });
    const failure = await set(world(), 'token', secret).catch((error) => error);
    expect(failure).toMatchObject({ code: 'invalid_input', hint: expect.stringContaining('auth login --with-token') });
    expect(failure.message).not.toContain(secret);
    await expect(run(world(), 'config unset', { values: { key: 'token' } })).rejects.toMatchObject({
      hint: expect.stringContaining('auth logout'),
    });
  });

  test('does not move a stored token to another service', async () => {
    const host = withConfig(world(), { default: { baseUrl: url, token: secret } });
    await expect(set(host, 'baseUrl', 'https://b.example')).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('belongs to https://a.example'),
    });
    await expect(run(host, 'config unset', { values: { key: 'baseUrl' } })).rejects.toMatchObject({ code: 'invalid_input' });
    await set(host, 'baseUrl', 'https://a.example/exam/api/v1');
    expect(stored(host).profiles.default).toEqual({ baseUrl: 'https://a.example/exam/api/v1', token: secret });
  });

  test('lets a token command take the place of the stored token', async () => {
    const host = withConfig(world(), { default: { baseUrl: url, token: secret } });
    const { said } = await set(host, 'tokenCommand', 'vault read "my token"');
    expect(stored(host).profiles.default).toEqual({ baseUrl: url, tokenCommand: 'vault read "my token"' });
    expect(said).toContain('was removed');
  });

  test('stores for the built-in profile what is not its connection', async () => {
    const host = world();
    await set(host, 'timezone', 'Europe/Vienna', { profile: 'sandbox' });
    expect(stored(host)).toEqual({ profiles: { sandbox: { timezone: 'Europe/Vienna' } } });
    for (const [key, value] of [
      ['baseUrl', url],
      ['state', 'none'],
    ] as const)
      await expect(set(host, key, value, { profile: 'sandbox' })).rejects.toMatchObject({
        code: 'invalid_input',
        message: `The profile sandbox is built in and brings its own ${key}.`,
      });
  });

  test('list names what the file says and nobody reads', async () => {
    const host = withConfig(world(), { default: { timezon: 'UTC' } as Profile });
    const said = 'warning: The configuration has an unknown key: profiles.default.timezon (did you mean timezone?).';
    expect((await run(host, 'config list')).said).toBe(said);
  });

  test('fixes a value that was written into the file by hand', async () => {
    const host = withConfig(world(), { default: { timezone: 'Mars' } });
    expect((await run(host, 'config list')).rows.find(({ setting }) => setting === 'timezone')).toMatchObject({ value: 'Mars' });
    await run(host, 'config unset', { values: { key: 'timezone' } });
    expect(stored(host).profiles.default).toEqual({});
  });

  test('list has the settings of the dialect that are set, and with --all every one', async () => {
    const host = withConfig(world(), { default: { 'dialect.proctorsKey': 'proctor_ids' } });
    const names = async (values = {}) => (await run(host, 'config list', { values })).rows.map(({ setting }) => String(setting));
    const dialect = (await names()).filter((name) => name.startsWith('dialect.'));
    expect(dialect).toEqual(['dialect.proctorsKey']);
    expect(await names()).toContain('timezone');
    expect(await names({ all: true })).toEqual(settingKeys);
  });
});
