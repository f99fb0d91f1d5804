import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Profile } from '../../src/config/file.ts';
import { type Overrides, profileSettings, type SettingKey, settingKeys } from '../../src/config/profile-settings.ts';
import { resolveSettings } from '../../src/config/settings.ts';
import type { Host } from '../../src/host/host.ts';
import { hostOf, temporaryFolder } from '../support/run.ts';

const url = 'https://a.example/api/v1';
const secret = 'tok_Sup3rS3cretValue';

type Given = { env?: Record<string, string>; profiles?: Record<string, Profile>; current?: string; execute?: Host['execute'] };

function hostWith({ env = {}, profiles, current, execute }: Given): Host {
  const host = hostOf({ env, ...(execute ? { execute } : {}) });
  const folder = host.env.PROCTOR_CONFIG_DIR ?? '';
  mkdirSync(folder, { mode: 0o700 });
  if (profiles) writeFileSync(join(folder, 'config.json'), JSON.stringify({ ...(current ? { current } : {}), profiles }), { mode: 0o600 });
  return host;
}

const resolved = (given: Given, globals: Overrides = {}) => resolveSettings(hostWith(given), globals);

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

  test('each has a variable, but for the token, and those of the dialect have none', () => {
    const given = { PROCTOR_INSTITUTE: '8', PROCTOR_TIMEOUT: '2m', PROCTOR_AUTH_PREFIX: 'apiAcmeToken', PROCTOR_PLAIN: '1' };
    const more = {
      PROCTOR_PROTECT_RUNNING_EXAMS: 'off',
      PROCTOR_KEEP_RUNS: '26w',
      PROCTOR_STATE: '/srv/runs',
      PROCTOR_STATE_KEY_FILE: '/k',
    };
    const profile: Profile = { institute: '7', timeout: '1m', 'dialect.proctorsKey': 'proctor_ids' };
    const settings = resolved({ profiles: { default: profile }, env: { ...given, ...more } });
    expect(settings).toMatchObject({
      ...{ institute: '8', timeoutMilliseconds: 120_000, authPrefix: 'apiAcmeToken', plain: true, protectRunningExams: false },
      ...{ keepRuns: 182 * 86_400_000, state: 'local', recordFolder: '/srv/runs', stateKeyFile: '/k' },
      dialect: { proctorsKey: 'proctor_ids', idKey: 'id' },
    });
    const without = settingKeys.filter((key) => profileSettings[key].variable === undefined);
    expect(without).toEqual(['token', ...settingKeys.filter((key) => key.startsWith('dialect.'))]);
    expect(settingKeys).toHaveLength(26);
  });

  test('that are wrong are named with their place and the fix', () => {
    const at = { profiles: { default: {}, x: { timezone: 'Mars/Base' } } };
    expect(() => resolved(at, { profile: 'x' })).toThrow(
      expect.objectContaining({
        code: 'invalid_config',
        message: expect.stringMatching(/config\.json, profile x, timezone: There is no such time zone/),
        hint: expect.stringContaining('proctor-cli config unset timezone --profile x'),
      }),
    );
    expect(() => resolved({ env: { PROCTOR_TIMEZONE: 'Mars' } })).toThrow(
      expect.objectContaining({ code: 'invalid_input', message: expect.stringContaining('PROCTOR_TIMEZONE: ') }),
    );
    expect(() => resolved({}, { timeout: '30' })).toThrow(
      expect.objectContaining({ code: 'invalid_input', message: expect.stringContaining('--timeout: ') }),
    );
    expect(() => resolved({}, { baseUrl: 'http://a.example' })).toThrow(expect.objectContaining({ code: 'invalid_input', exit: 3 }));
    expect(() => resolved({ profiles: { default: { baseUrl: 'http://a.example' } } })).toThrow(
      expect.objectContaining({ code: 'invalid_config', exit: 3 }),
    );
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

describe('the built-in profile', () => {
  test('takes nothing of its connection from elsewhere, and everything else', async () => {
    const env = { PROCTOR_BASE_URL: 'https://evil.example', PROCTOR_TOKEN: secret, PROCTOR_PROFILE: 'sandbox' };
    const settings = resolved({ env, profiles: { sandbox: { timezone: 'UTC', baseUrl: url, token: secret } } });
    expect(settings).toMatchObject({
      sandbox: true,
      baseUrl: '',
      origin: '',
      timeZone: 'UTC',
      authPrefix: 'apiServiceToken',
    });
    await expect(settings.token()).rejects.toMatchObject({ code: 'internal' });
  });
});

describe('the token', () => {
  const stored = { default: { baseUrl: url, token: secret } };

  test('comes from PROCTOR_TOKEN, PROCTOR_TOKEN_FILE, PROCTOR_TOKEN_COMMAND, the token command or the profile', async () => {
    const file = join(temporaryFolder(), 'token');
    writeFileSync(file, `${secret}-file\n`);
    const execute = async () => `${secret}-command\n`;
    const command = { default: { ...stored.default, tokenCommand: 'vault read' } };
    expect(await resolved({ profiles: command, env: { PROCTOR_TOKEN: 'envtoken' } }).token()).toEqual({
      value: 'envtoken',
      source: 'PROCTOR_TOKEN',
    });
    expect(await resolved({ profiles: command, env: { PROCTOR_TOKEN_FILE: file } }).token()).toEqual({
      value: `${secret}-file`,
      source: `PROCTOR_TOKEN_FILE (${file})`,
    });
    expect(await resolved({ profiles: stored, env: { PROCTOR_TOKEN_COMMAND: 'vault read' }, execute }).token()).toEqual({
      value: `${secret}-command`,
      source: 'PROCTOR_TOKEN_COMMAND',
    });
    expect(await resolved({ profiles: command, execute }).token()).toEqual({
      value: `${secret}-command`,
      source: 'token command of profile default',
    });
    expect(await resolved({ profiles: stored }).token()).toEqual({ value: secret, source: 'profile default' });
  });

  test('is fetched once', async () => {
    let runs = 0;
    const settings = resolved({ profiles: { default: { baseUrl: url, tokenCommand: 'vault' } }, execute: async () => `t${++runs}` });
    await settings.token();
    expect((await settings.token()).value).toBe('t1');
  });

  test('that is missing is asked for with the login command', async () => {
    await expect(resolved({}).token()).rejects.toMatchObject({
      code: 'not_logged_in',
      exit: 4,
      hint: 'Log in with: proctor-cli auth login',
    });
    await expect(resolved({ profiles: { prod: { baseUrl: url } } }, { profile: 'prod' }).token()).rejects.toMatchObject({
      message: 'No token for profile prod at https://a.example.',
      hint: 'Log in with: proctor-cli auth login --profile prod',
    });
    await expect(resolved({ env: { PROCTOR_TOKEN: secret } }).token()).rejects.toMatchObject({
      code: 'not_logged_in',
      hint: expect.stringContaining('PROCTOR_BASE_URL'),
    });
  });

  test.each([
    ['stored', { baseUrl: url, token: secret }],
    ['given by a command', { baseUrl: url, tokenCommand: 'vault' }],
    ['of a profile that names no service', { token: secret }],
  ])('%s is not sent to another origin', async (_which, profile) => {
    const host = { profiles: { default: profile } };
    for (const other of ['https://b.example', 'https://a.example:8443']) {
      await expect(resolved(host, { baseUrl: other }).token()).rejects.toMatchObject({
        code: 'not_logged_in',
        hint: expect.stringContaining('PROCTOR_TOKEN'),
      });
      await expect(resolved({ ...host, env: { PROCTOR_BASE_URL: other } }).token()).rejects.toMatchObject({ code: 'not_logged_in' });
      expect((await resolved({ ...host, env: { PROCTOR_TOKEN: 'envtoken' } }, { baseUrl: other }).token()).value).toBe('envtoken');
    }
  });

  test('of the environment must be clear', async () => {
    await expect(
      resolved({ env: { PROCTOR_TOKEN: secret, PROCTOR_TOKEN_FILE: '/x', PROCTOR_BASE_URL: url } }).token(),
    ).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(resolved({ env: { PROCTOR_TOKEN_FILE: '/nonexistent/token', PROCTOR_BASE_URL: url } }).token()).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('/nonexistent/token'),
    });
  });

  test('never stands in an error, whatever is wrong with it and around it', async () => {
    const file = join(temporaryFolder(), 'token');
    const bend = fc.constantFrom('', ' ', '\n', '\n\n', 'ä', '\0', '\u202e', '"');
    const where = fc.constantFrom('profile', 'environment', 'file', 'command', 'failing command', 'both', 'base URL', 'prefix', 'timeout');
    await fc.assert(
      fc.asyncProperty(
        bend,
        bend,
        where,
        fc.constantFrom('', 'https://b.example', 'http://b.example'),
        async (before, after, place, other) => {
          const token = `${before}${secret}${after}`;
          const profile: Record<string, string> = { baseUrl: url };
          const env: Record<string, string> = {};
          let execute: Host['execute'] = async () => token;
          if (place === 'profile') profile.token = token;
          if (place === 'environment' || place === 'both') env.PROCTOR_TOKEN = token;
          if (place === 'file' || place === 'both') env.PROCTOR_TOKEN_FILE = file;
          if (place.includes('command')) profile.tokenCommand = 'vault';
          if (place === 'failing command')
            execute = () => Promise.reject(Object.assign(new Error(token), { code: 1, stdout: token, stderr: token }));
          if (place === 'base URL') profile.baseUrl = `https://u:${token}@a.example`;
          if (place === 'prefix') profile.authPrefix = `${token} x`;
          writeFileSync(file, token);
          try {
            const { value } = await resolved({ profiles: { default: profile }, env, execute }, other ? { baseUrl: other } : {}).token();
            expect(value).toMatch(/^[\x21-\x7e]+$/);
          } catch (error) {
            expect(error).toHaveProperty('name', 'CliError');
            const { message, hint, cause } = error as { message: string; hint: string; cause?: Error };
            expect(`${message}${hint}${cause?.stack ?? ''}`).not.toContain('S3cret');
          }
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe('a setting', () => {
  const certificate = join(import.meta.dirname, 'no-such.pem');

  test.each<[SettingKey, string]>([
    ['authPrefix', 'two words'],
    ['authPrefix', ''],
    ['authPrefix', 'a\r\nX-Evil: 1'],
    ['institute', ''],
    ['institute', '7 8'],
    ['timezone', ''],
    ['timezone', 'Vienna'],
    ['timezone', '+02:00'],
    ['timeout', '0s'],
    ['timeout', '25h'],
    ['timeout', '30'],
    ['caFile', certificate],
    ['caFile', '/dev/zero'],
    ['caFile', join(import.meta.dirname, 'store-worker.ts')],
    ['tokenCommand', '"open'],
    ['token', 'two words'],
    ['token', 'ümlaut'],
    ['dialect.timeFormat', 'sundial'],
  ])('%s is not %j', (key, text) => {
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
