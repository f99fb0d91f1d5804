import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Overrides, profileSettings, type SettingKey, settingKeys } from '../../src/config/profile-settings.ts';
import type { Profile } from '../../src/config/profiles.ts';
import { settingSources, settingsOf } from '../../src/config/settings.ts';
import type { Host } from '../../src/host/host.ts';
import { temporaryFolder } from '../support/run.ts';
import { stored } from './stored.ts';

const url = 'https://a.example/api/v1';
const secret = 'tok_Sup3rS3cretValue';

type Given = { env?: Record<string, string>; profiles?: Record<string, Profile>; current?: string; execute?: Host['execute'] };

function resolved({ profiles, current, ...world }: Given, globals: Overrides = {}) {
  const { host } = stored(profiles && JSON.stringify({ ...(current ? { current } : {}), profiles }), world);
  return settingsOf(settingSources(host, globals));
}

describe('settings', () => {
  test.each([
    ['baseUrl', 'baseUrl', 'https://flag.example', 'PROCTOR_BASE_URL', 'env.example', url],
    ['timezone', 'timeZone', 'Europe/Vienna', 'PROCTOR_TIMEZONE', 'Asia/Tokyo', 'UTC'],
  ] as const)('%s: flag before environment before profile', (key, property, flag, variable, environment, stored) => {
    const profiles = { default: { [key]: stored } };
    const seen = (text: string) => profileSettings[key].normalise(text);
    expect(resolved({ profiles, env: { [variable]: environment } }, { [key]: flag })[property]).toBe(seen(flag));
    expect(resolved({ profiles, env: { [variable]: environment } })[property]).toBe(seen(environment));
    expect(resolved({ profiles, env: { [variable]: '' } })[property]).toBe(stored);
  });

  test('a variable of the dialect that belongs to no setting is refused, unless it is empty', () => {
    const refused = () => resolved({ env: { PROCTOR_DIALECT_LISTQUERY: 'per_page=5' } });
    expect(refused).toThrow('The variable PROCTOR_DIALECT_LISTQUERY belongs to no setting.');
    expect(refused).toThrow(expect.objectContaining({ hint: expect.stringContaining('Did you mean PROCTOR_DIALECT_LIST_QUERY?') }));
    expect(resolved({ env: { PROCTOR_DIALECT_LISTQUERY: '' } }).dialect.listQuery).toBe('');
  });

  test('each has a variable, but for the token, those of the dialect, too', () => {
    const given = { PROCTOR_INSTITUTE: '8', PROCTOR_TIMEOUT: '2m', PROCTOR_AUTH_PREFIX: 'apiAcmeToken', PROCTOR_PLAIN: '1' };
    const more = {
      PROCTOR_PROTECT_RUNNING_EXAMS: 'off',
      PROCTOR_KEEP_RUNS: '26w',
      PROCTOR_STATE: resolve('/srv/runs'),
      PROCTOR_STATE_KEY_FILE: resolve('/k'),
    };
    const ofDialect = { PROCTOR_DIALECT_PAGING: 'page', PROCTOR_DIALECT_LIST_QUERY: 'per_page=5', PROCTOR_DIALECT_ID_KEY: 'uuid' };
    const profile: Profile = { institute: '7', timeout: '1m', 'dialect.proctorsKey': 'proctor_ids', 'dialect.idKey': 'nr' };
    const settings = resolved({ profiles: { default: profile }, env: { ...given, ...more, ...ofDialect } });
    expect(settings).toMatchObject({
      ...{ institute: '8', timeoutMilliseconds: 120_000, authPrefix: 'apiAcmeToken', plain: true, protectRunningExams: false },
      ...{ keepRuns: 182 * 86_400_000, state: 'local', recordFolder: resolve('/srv/runs'), stateKeyFile: resolve('/k') },
      dialect: { proctorsKey: 'proctor_ids', idKey: 'uuid', paging: 'page', listQuery: 'per_page=5' },
    });
    for (const [variable, text] of Object.entries({ PAGING: 'pages', PROCTOR_VALUES: 'x', TIME_FORMAT: 'x', LIST_QUERY: '?' }))
      expect(() => resolved({ env: { [`PROCTOR_DIALECT_${variable}`]: text } })).toThrow(`PROCTOR_DIALECT_${variable}: `);
    const without = settingKeys.filter((key) => profileSettings[key].variable === undefined);
    expect(without).toEqual(['token']);
    expect(settingKeys).toHaveLength(26);
  });

  const unsafe = 'http://a.example';
  test.each<[Given, Overrides, code: string, message: RegExp]>([
    [
      { profiles: { x: { timezone: 'Mars' } } },
      { profile: 'x' },
      'invalid_config',
      /\.json, profile x, timezone: There is no such time zone/,
    ],
    [{ profiles: { default: { baseUrl: unsafe } } }, {}, 'invalid_config', /profile default, baseUrl: /],
    [{ env: { PROCTOR_TIMEZONE: 'Mars' } }, {}, 'invalid_input', /PROCTOR_TIMEZONE: /],
    [{}, { timeout: '30' }, 'invalid_input', /--timeout: The limit is not a number with its unit/],
    [{}, { baseUrl: unsafe }, 'invalid_input', /--base-url: /],
  ])('that are wrong are named with their place, and the fix where they are stored: %o %o', (given, globals, code, message) => {
    const hint = given.profiles ? /config unset timezone$|auth login --base-url/ : /^/;
    const refused = { code, exit: 3, message: expect.stringMatching(message), hint: expect.stringMatching(hint) };
    expect(() => resolved(given, globals)).toThrow(expect.objectContaining(refused));
  });
});

describe('the current profile', () => {
  const profiles = { default: {}, prod: {}, test: {} };

  test('is that of the flag, of the environment, the current one, or default', () => {
    expect(resolved({ profiles, current: 'prod', env: { PROCTOR_PROFILE: 'test' } }, { profile: 'sandbox' }).profile).toBe('sandbox');
    expect(resolved({ profiles, current: 'prod', env: { PROCTOR_PROFILE: 'test' } }).profile).toBe('test');
    expect(resolved({ profiles, current: 'prod', env: { PROCTOR_PROFILE: '' } }).profile).toBe('prod');
    expect(resolved({ profiles }).profile).toBe('default');
  });

  test.each(['prd', 'constructor', 'toString'])('%s does not exist', (profile) => {
    expect(() => resolved({ profiles }, { profile })).toThrow(
      expect.objectContaining({ code: 'invalid_input', hint: expect.stringContaining('auth login --profile NAME') }),
    );
  });

  test.each(['', '..', '__proto__', '-x', 'a b', 'a/b', 'ä'])('cannot be called %j', (profile) => {
    expect(() => resolved({ profiles }, { profile })).toThrow(expect.objectContaining({ code: 'invalid_input' }));
  });
});

test('the built-in profile takes nothing of its connection from elsewhere, and everything else', async () => {
  const env = { PROCTOR_BASE_URL: 'https://evil.example', PROCTOR_TOKEN: secret, PROCTOR_PROFILE: 'sandbox' };
  const settings = resolved({ env, profiles: { sandbox: { timezone: 'UTC', baseUrl: url, token: secret } } });
  expect(settings).toMatchObject({ sandbox: true, baseUrl: '', origin: '', timeZone: 'UTC', authPrefix: 'apiServiceToken' });
  await expect(settings.token()).rejects.toMatchObject({ code: 'internal' });
});

describe('the token', () => {
  const profiles = { default: { baseUrl: url, token: secret } };
  const command = { default: { ...profiles.default, tokenCommand: 'vault read' } };
  const execute = async () => `${secret}-command\n`;
  const file = join(temporaryFolder(), 'token');

  test.each<[source: string, Given, value: string]>([
    ['PROCTOR_TOKEN', { profiles: command, env: { PROCTOR_TOKEN: 'envtoken' } }, 'envtoken'],
    ['PROCTOR_TOKEN_FILE', { profiles: command, env: { PROCTOR_TOKEN_FILE: file } }, `${secret}-file`],
    ['PROCTOR_TOKEN_COMMAND', { profiles, env: { PROCTOR_TOKEN_COMMAND: 'vault read' }, execute }, `${secret}-command`],
    ['token command of profile default', { profiles: command, execute }, `${secret}-command`],
    ['profile default', { profiles }, secret],
  ])('comes from %s', async (source, given, value) => {
    writeFileSync(file, `${secret}-file\n`);
    const { token, tokenSource } = resolved(given);
    expect([await token(), tokenSource]).toEqual([value, source]);
  });

  test('is fetched once', async () => {
    let runs = 0;
    const settings = resolved({ profiles: { default: { baseUrl: url, tokenCommand: 'vault' } }, execute: async () => `t${++runs}` });
    await settings.token();
    expect(await settings.token()).toBe('t1');
  });

  const missing = '/nonexistent/token';
  test.each<[Given, Overrides, object]>([
    [{}, {}, { code: 'not_logged_in', exit: 4, hint: 'Set PROCTOR_TOKEN, or log in with: proctor-cli auth login' }],
    [
      ...[{ profiles: { prod: { baseUrl: url } } }, { profile: 'prod' }],
      { message: 'No token for profile prod at https://a.example.', hint: 'Set PROCTOR_TOKEN, or log in with: proctor-cli auth login' },
    ] as const,
    [{ env: { PROCTOR_TOKEN: secret } }, {}, { code: 'not_logged_in', hint: expect.stringContaining('PROCTOR_BASE_URL') }],
    [{ env: { PROCTOR_TOKEN: secret, PROCTOR_TOKEN_FILE: '/x' } }, { baseUrl: url }, { code: 'invalid_input' }],
    [{ env: { PROCTOR_TOKEN_FILE: missing } }, { baseUrl: url }, { code: 'invalid_input' }],
  ])('that is missing, has no place to go, or is not clear, is asked for: %o %o', async (given, globals, refused) => {
    await expect(resolved(given, globals).token()).rejects.toMatchObject(refused);
  });

  test.each([
    ['stored', { baseUrl: url, token: secret }],
    ['given by a command', { baseUrl: url, tokenCommand: 'vault' }],
    ['of a profile that names no service', { token: secret }],
  ])('%s is not sent to another origin', async (_which, profile) => {
    const host = { profiles: { default: profile } };
    for (const other of ['https://b.example', 'https://a.example:8443']) {
      const refused = { code: 'not_logged_in', hint: expect.stringContaining('PROCTOR_TOKEN') };
      await expect(resolved(host, { baseUrl: other }).token()).rejects.toMatchObject(refused);
      await expect(resolved({ ...host, env: { PROCTOR_BASE_URL: other } }).token()).rejects.toMatchObject({ code: 'not_logged_in' });
      expect(await resolved({ ...host, env: { PROCTOR_TOKEN: 'envtoken' } }, { baseUrl: other }).token()).toBe('envtoken');
    }
  });

  const places: Record<string, (token: string) => Given> = {
    profile: (token) => ({ profiles: { default: { baseUrl: url, token } } }),
    environment: (token) => ({ profiles, env: { PROCTOR_TOKEN: token } }),
    file: () => ({ profiles, env: { PROCTOR_TOKEN_FILE: file } }),
    both: (token) => ({ profiles, env: { PROCTOR_TOKEN: token, PROCTOR_TOKEN_FILE: file } }),
    command: (token) => ({ profiles: command, execute: async () => token }),
    'failing command': (token) => ({
      profiles: command,
      execute: () => Promise.reject(Object.assign(new Error(token), { code: 1, stdout: token, stderr: token })),
    }),
    'base URL': (token) => ({ profiles: { default: { baseUrl: `https://u:${token}@a.example` } } }),
    prefix: (token) => ({ profiles: { default: { ...profiles.default, authPrefix: `${token} x` } } }),
  };
  test.each(Object.entries(places))('never stands in an error, whatever is wrong with it and around it: %s', async (_place, given) => {
    const bend = fc.constantFrom('', ' ', '\n', '\n\n', 'ä', '\0', '\u202e', '"');
    const others = fc.constantFrom({}, { baseUrl: 'https://b.example' }, { baseUrl: 'http://b.example' });
    const property = fc.asyncProperty(bend, bend, others, async (before, after, globals) => {
      const token = `${before}${secret}${after}`;
      writeFileSync(file, token);
      const read = async () => resolved(given(token), globals).token();
      const failure = await read().then(
        (value) => void expect(value).toMatch(/^[\x21-\x7e]+$/),
        (error) => error,
      );
      if (failure) expect(failure).toHaveProperty('name', 'CliError');
      expect(`${failure?.message}${failure?.hint}${failure?.cause?.stack}`).not.toContain('S3cret');
    });
    await fc.assert(property, { numRuns: 30 });
  });
});

describe('a setting', () => {
  const none: [SettingKey, string[]][] = [
    ['authPrefix', ['two words', '', 'a\r\nX-Evil: 1']],
    ['institute', ['', '7 8']],
    ['timezone', ['', 'Vienna', '+02:00']],
    ['timeout', ['0s', '25h', '30']],
    ['caFile', [join(import.meta.dirname, 'no-such.pem'), '/dev/zero', join(import.meta.dirname, 'stored.ts')]],
    ['token', ['two words', 'ümlaut']],
    ['tokenCommand', ['"open']],
    ['dialect.timeFormat', ['sundial']],
  ];
  test.each(none.flatMap(([key, texts]) => texts.map((text) => [key, text] as const)))('%s is not %j', (key, text) => {
    expect(() => profileSettings[key].normalise(text)).toThrow(expect.objectContaining({ name: 'InvalidValue' }));
  });

  test('normalised once is normal, and every default is', () => {
    for (const key of settingKeys) {
      const { default: standard, normalise } = profileSettings[key];
      if (standard !== undefined) expect(normalise(standard)).toBe(standard);
    }
    const pem = join(temporaryFolder(), 'ca.pem');
    writeFileSync(pem, '-----BEGIN CERTIFICATE-----\n');
    expect(profileSettings.caFile.normalise(pem)).toBe(pem);
  });
});
