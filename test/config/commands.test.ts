/** Logging in, profiles and settings: what is asked, stored, shown and refused. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { settingKeys } from '../../src/config/profile-settings.ts';
import type { Profile } from '../../src/config/profiles.ts';
import { algebra } from '../support/algebra.ts';
import { run, temporaryFolder, told, type World } from '../support/run.ts';
import { refused, Service } from '../support/service.ts';

const whichAddress = 'Address of the service, such as proctor.example.org:';
const whichToken = 'Token, from the operator of the service:';
const orAnother = 'The token again; Enter to change the word before it:';
const whichWord = 'Word before the token, if it is not apiServiceToken:';
const whichZone = 'Time zone of your exams, such as Europe/Vienna; Enter for none:';
const whichInstitute = 'ID of your institute, whose users are the proctors; Enter for none:';
const url = 'https://a.example/api/v1';
const secret = 'tok_Sup3rS3cretValue';

/** A machine with these profiles, and a service that it may reach. */
function machine(profiles?: Record<string, Profile>, current?: string) {
  const home = temporaryFolder();
  const file = join(home, 'config', 'config.json');
  mkdirSync(join(home, 'config'), { mode: 0o700 });
  if (profiles) writeFileSync(file, JSON.stringify({ ...(current ? { current } : {}), profiles }), { mode: 0o600 });
  const service = new Service({ exams: [algebra] });
  const runs = (line: string | string[], world: World = {}) =>
    run(typeof line === 'string' ? line.split(' ') : line, { home, dispatcher: service.dispatcher, ...world });
  return {
    service,
    runs,
    text: () => readFileSync(file, 'utf8'),
    stored: () => JSON.parse(readFileSync(file, 'utf8')),
    write: (text: string) => writeFileSync(file, text),
    /** What a line lists, its status, and its error. */
    async lists(line: string, world: World = {}) {
      const { code, stdout, stderr } = await runs(`${line} -o json`, world);
      return { code, rows: JSON.parse(stdout || '[]') as Record<string, unknown>[], stderr };
    },
    /** The error of a line that is refused. */
    async refuses(line: string | string[], world: World = {}) {
      const words = typeof line === 'string' ? line.split(' ') : line;
      const { code, stderr } = await runs([...words, '-o', 'json'], world);
      return {
        exit: code,
        ...(JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error as { code: string; message: string; hint: string }),
      };
    },
  };
}

describe('auth login', () => {
  test('asks for address and token, checks them, and stores them in the first profile; zone and institute can be left out', async () => {
    const { runs, stored, service } = machine();
    const { questions, stderr } = await runs('auth login', { tty: true, answers: [' a.example ', secret, '', ''] });
    expect(questions).toEqual([whichAddress, whichToken, whichZone, whichInstitute]);
    expect(service.requests()[0]).toBe('GET /exams');
    expect(service.arrived[0]?.headers.authorization).toBe(`apiServiceToken ${secret}`);
    expect(stored()).toEqual({ current: 'default', profiles: { default: { baseUrl: url, token: secret } } });
    expect(stderr).toContain('Logged in to https://a.example as profile default.\nNext: proctor-cli exams list\n');
  });

  test('stores the zone and the institute that are answered, and asks for neither where they are set', async () => {
    const { runs, stored } = machine();
    const answers = ['a.example', secret, 'Vienna', 'Europe/Vienna', '7'];
    const { refusals } = await runs('auth login', { tty: true, answers });
    expect(refusals).toEqual([expect.stringContaining('Give an IANA name')]);
    expect(stored().profiles.default).toEqual({ baseUrl: url, token: secret, timezone: 'Europe/Vienna', institute: '7' });
    const again = await runs('auth login', { tty: true, answers: ['', secret] });
    expect(again.questions).toHaveLength(2);
  });

  test('takes the word before a token that is pasted with it, and asks for it where the service refuses the token', async () => {
    const { runs, stored, service } = machine();
    service.fault = ({ headers }) => (headers.authorization === `apiAcmeToken ${secret}` ? undefined : refused(401));
    const { questions } = await runs('auth login', { tty: true, answers: ['a.example', `Bearer ${secret}`, '', 'apiAcmeToken', '', ''] });
    expect(questions.slice(1, 4)).toEqual([
      expect.stringContaining(whichToken),
      orAnother,
      expect.stringContaining(whichWord.replace('apiServiceToken', 'Bearer')),
    ]);
    expect(stored().profiles.default).toEqual({ baseUrl: url, token: secret, authPrefix: 'apiAcmeToken' });
  });

  test('takes the token from stdin, the rest from flags, and makes further profiles', async () => {
    const { runs, stored } = machine({ default: { baseUrl: url, token: 'other-token' } }, 'default');
    const line = 'auth login --profile new --base-url b.example --with-token --auth-prefix apiAcmeToken --institute 7';
    expect((await runs(line, { stdin: `${secret}\n` })).stderr).toContain('proctor-cli auth switch new');
    expect(stored()).toEqual({
      current: 'default',
      profiles: {
        default: { baseUrl: url, token: 'other-token' },
        new: { authPrefix: 'apiAcmeToken', institute: '7', baseUrl: 'https://b.example/api/v1', token: secret },
      },
    });
  });

  test('takes the place of a token command, and keeps the other settings', async () => {
    const { runs, stored } = machine({ default: { baseUrl: url, tokenCommand: 'vault', timezone: 'UTC' } });
    expect((await runs('auth login --with-token', { stdin: secret })).stderr).toContain('token command of profile default was removed');
    expect(stored().profiles.default).toEqual({ baseUrl: url, timezone: 'UTC', token: secret });
  });

  test('asks for the token alone again where the service refuses it, or it cannot be one, and trims it', async () => {
    const { runs, stored, service } = machine();
    service.fault = ({ headers }) => (headers.authorization?.endsWith('old-token') ? refused(401) : undefined);
    const answers = ['a.example', 'three words here', 'old-token', ` ${secret} `, '', ''];
    const { questions, stderr } = await runs('auth login', { tty: true, answers });
    expect(questions.slice(0, 4)).toEqual([whichAddress, whichToken, whichToken, orAnother]);
    expect(stderr).toContain('The answer: The token contains a space or a line break.');
    expect(stderr.replaceAll('\n', ' ')).toMatch(/401.* Nothing was stored\./);
    expect(stored().profiles.default).toEqual({ baseUrl: url, token: secret });
  });

  test.each([true, 'ENOTFOUND'])('at a service that cannot be reached names no profile that is not stored: %s', async (isAway) => {
    const { refuses, service } = machine();
    service.isAway = isAway;
    const line = 'auth login --profile new --base-url a.example --with-token';
    const { exit, message, hint } = await refuses(line, { stdin: secret });
    expect([exit, message, hint]).toEqual([8, expect.stringContaining('Nothing was stored.'), expect.not.stringContaining('proctor-cli')]);
  });

  test('of a token that is refused later is printed as a command of its own', async () => {
    const { refuses, service } = machine({ default: { baseUrl: url, token: secret } });
    service.fault = () => refused(401);
    const word = 'If the service has another word than "apiServiceToken" before the token: proctor-cli config set authPrefix WORD';
    expect((await refuses('exams list')).hint).toBe(`Store another token with: proctor-cli auth login. ${word}`);
  });

  test.each([
    [302, 8, 'a redirect (302) to /login'],
    [404, 6, 'not found (404)'],
  ])('that is led to another page, as of a log-in, or to none, names token, word and address: %i', async (status, exits, says) => {
    const { refuses, service } = machine();
    service.fault = () => refused(status, undefined, { location: '/login' });
    const { exit, message, hint } = await refuses('auth login --base-url a.example --with-token', { stdin: secret });
    expect([exit, message]).toEqual([exits, expect.stringContaining(says)]);
    expect(hint).toBe('Check the token, the word before it (--auth-prefix) and the address, and log in again.');
  });

  test('offers the field that holds a list; without it, nothing is stored', async () => {
    const { runs, stored, service } = machine();
    service.fault = () => ({ answer: (whole) => ({ ...whole, body: { payload: { rows: whole.body } } }) });
    const answers = ['a.example', secret, '', ''];
    const refused = await runs('auth login', { tty: true, answers: [...answers, false] });
    expect(refused.code).toBe(8);
    expect(refused.questions.at(-1)).toContain('Set dialect.listKey to payload.rows?');
    expect(stored).toThrow('no such file');
    const env = { PROCTOR_DIALECT_LIST_KEY: 'entries' };
    expect((await runs('auth login', { tty: true, answers: [...answers, ''], env })).stderr).toContain('unset PROCTOR_DIALECT_LIST_KEY');
    expect((await runs('auth login', { tty: true, answers: [...answers, ''] })).code).toBe(0);
    expect(stored().profiles.default).toMatchObject({ token: secret, 'dialect.listKey': 'payload.rows' });
    expect((await runs('exams list -o id')).stdout).toBe('1\n');
  });

  test('offers no field that holds an empty list, which may be another one; the command of its hint sets it', async () => {
    const { runs, stored, service } = machine();
    service.fault = () => refused(200, { count: 0, warnings: [] });
    const answers = ['a.example', secret, '', ''];
    const { code, questions, stderr } = await runs('auth login', { tty: true, answers });
    expect([code, questions.length], stderr).toEqual([8, 2]);
    expect(stderr).toContain('set: proctor-cli config set dialect.listKey warnings');
    await runs('config set dialect.listKey warnings');
    expect((await runs('auth login', { tty: true, answers })).code).toBe(0);
    expect(stored().profiles.default).toMatchObject({ token: secret, 'dialect.listKey': 'warnings' });
  });

  test('that is refused stores nothing, says what happened, and keeps the secret', async () => {
    const { refuses, text, service } = machine({ default: { baseUrl: url, token: secret } });
    const before = text();
    service.always('GET', refused(401, { message: 'new-token is unknown' }));
    const { exit, code, message } = await refuses('auth login --with-token', { stdin: 'new-token' });
    expect([exit, code, message]).toEqual([4, 'token_refused', expect.stringMatching(/\*{8} is unknown.* Nothing was stored\.$/)]);
    expect(text()).toBe(before);
  });

  test('with --no-verify says which profile is current now; PROCTOR_PROFILE is named where it is the reason', async () => {
    const { runs, refuses } = machine();
    const line = `auth login --base-url ${url} --with-token --no-verify`;
    expect((await runs(line, { stdin: secret })).stderr).toContain('Profile default is the current profile now.');
    expect((await runs(`${line} --profile b`, { stdin: secret })).stderr).not.toContain('current profile now');
    const env = { PROCTOR_PROFILE: 'sandbox' };
    expect((await refuses(line, { stdin: secret, env })).message).toBe(
      'PROCTOR_PROFILE is set: The profile sandbox is built in and needs no login.',
    );
    const other = await refuses('exams list', { env: { PROCTOR_PROFILE: 'nobody' } });
    expect(other.message).toBe('PROCTOR_PROFILE is set: There is no profile of this name.');
  });

  test('with --no-verify sends nothing', async () => {
    const { runs, stored, service } = machine();
    const { stderr } = await runs(`auth login --base-url ${url} --with-token --no-verify`, { stdin: secret });
    expect([service.requests(), stored().profiles.default.token, stderr]).toEqual([[], secret, expect.stringContaining('(not checked)')]);
  });

  test.each([
    [
      'while PROCTOR_TOKEN would override it',
      '',
      { tty: true, env: { PROCTOR_TOKEN: 'x' } },
      2,
      /^Remove it first: (unset |Remove-Item Env:)PROCTOR_TOKEN$/,
    ],
    [
      'while PROCTOR_TOKEN_FILE would',
      '',
      { tty: true, env: { PROCTOR_TOKEN_FILE: 'x' } },
      2,
      /(unset |Remove-Item Env:)PROCTOR_TOKEN_FILE$/,
    ],
    [
      'where a variable would override the word that is typed',
      '',
      { tty: true, env: { PROCTOR_AUTH_PREFIX: 'Bearer' }, answers: ['a.example', `apiAcmeToken ${secret}`] },
      2,
      /(unset |Remove-Item Env:)PROCTOR_AUTH_PREFIX$/,
    ],
    ['off a terminal', '', {}, 2, /--base-url.*--with-token/],
    ['without an address', '--with-token', { stdin: secret }, 2, /--base-url/],
    ['where nothing may be asked', '--no-input', { tty: true }, 2, /--with-token/],
    ['where the token would be seen', `--base-url ${url} --with-token`, { tty: true, stdin: secret }, 2, /Leave out --with-token/],
    ['for the built-in profile', '--profile sandbox', { tty: true }, 2, /--profile NAME/],
    ...['', '\n', 'two words', `${secret}\nmore`].map((stdin) => [
      ...([`with ${JSON.stringify(stdin)} as token`, `--base-url ${url} --with-token`, { stdin }, 3, /one line/] as const),
    ]),
  ] as [string, string, World, number, RegExp][])('is refused %s', async (_why, more, world, status, way) => {
    const { refuses } = machine();
    const { exit, message, hint } = await refuses(`auth login ${more}`.trim(), world);
    expect([exit, hint]).toEqual([status, expect.stringMatching(way)]);
    expect(message + hint).not.toContain('S3cret');
  });

  test('does not ask before it knows that it may store', async () => {
    const { refuses, write } = machine();
    write('{');
    expect((await refuses('auth login', { tty: true })).code).toBe('invalid_config');
  });
});

describe('auth status', () => {
  test('shows every profile, its token masked, and what is wrong with the others', async () => {
    const { lists } = machine({
      default: { baseUrl: url, token: secret },
      bare: { baseUrl: 'https://b.example' },
      vault: { baseUrl: url, tokenCommand: 'vault' },
    });
    const problem = 'No token for profile bare at https://b.example.';
    expect(await lists('auth status')).toMatchObject({
      code: 0,
      rows: [
        { profile: 'default', current: true, baseUrl: 'https://a.example/api/v1', token: '********alue', problem: null },
        { profile: 'bare', current: false, baseUrl: 'https://b.example/api/v1', token: null, problem },
        { profile: 'vault', current: false, baseUrl: 'https://a.example/api/v1', token: null, problem: null },
        { profile: 'sandbox', current: false, baseUrl: 'built in', token: null, problem: null },
      ],
    });
    expect((await lists('auth status --profile default')).rows).toHaveLength(1);
  });

  test.each([
    ['no token', {}, undefined, {}, 4, /Set PROCTOR_TOKEN, or log in with: proctor-cli auth login/, ['default', 'sandbox']],
    [
      ...['a token of another service', { default: { baseUrl: url, token: secret } }, undefined],
      ...[{ PROCTOR_BASE_URL: 'https://b.example' }, 4, /belongs to https:\/\/a\.example/, ['default', 'sandbox']],
    ],
    [
      'no profile',
      { default: { baseUrl: url, token: secret } },
      'gone',
      {},
      3,
      /auth login --profile NAME/,
      ['gone', 'default', 'sandbox'],
    ],
  ] as [string, Record<string, Profile>, string | undefined, Record<string, string>, number, RegExp, string[]][])(
    'fails where the current profile has %s, with the command that fixes it, and lists the others',
    async (_what, profiles, current, env, status, says, names) => {
      const { code, rows, stderr } = await machine(profiles, current).lists('auth status', { env });
      expect([code, stderr, rows.map(({ profile }) => profile)]).toEqual([status, expect.stringMatching(says), names]);
    },
  );
});

describe('auth logout, token and switch', () => {
  test('logout removes the token only, and says that the environment still gives one', async () => {
    const { runs, stored, refuses } = machine({ default: { baseUrl: url, token: secret, timezone: 'UTC' } });
    expect((await runs('auth logout', { env: { PROCTOR_TOKEN: 'x' } })).stderr).toContain('PROCTOR_TOKEN is still set');
    expect(stored().profiles.default).toEqual({ baseUrl: url, timezone: 'UTC' });
    expect(await refuses('auth logout')).toMatchObject({ exit: 4, code: 'not_logged_in' });
  });

  test('auth token shows the token, and alone does', async () => {
    const { runs, refuses } = machine({ default: { baseUrl: url, token: secret } });
    expect((await runs('auth token')).stdout).toBe(`${secret}\n`);
    for (const line of ['auth status', 'config list']) expect((await runs(`${line} -o json`)).stdout, line).not.toContain(secret);
    expect((await refuses('config get token')).hint).toContain('auth token');
  });

  test('switch chooses a profile by its name', async () => {
    const { runs, stored, refuses } = machine({ default: { baseUrl: url }, prod: { baseUrl: url, token: secret } }, 'prod');
    for (const name of ['default', 'sandbox']) {
      expect((await runs(`auth switch ${name}`)).code).toBe(0);
      expect(stored().current).toBe(name);
    }
    expect(await refuses('auth switch prdo')).toMatchObject({ exit: 3, hint: expect.stringContaining('Did you mean prod?') });
  });
});

describe('config', () => {
  test('sets, gets, lists and unsets', async () => {
    const { runs, stored, lists } = machine();
    await runs('config set timezone Europe/Vienna');
    await runs(['config', 'set', 'dialect.listQuery', '']);
    expect(stored()).toEqual({ current: 'default', profiles: { default: { timezone: 'Europe/Vienna', 'dialect.listQuery': '' } } });
    expect((await runs('config get timezone')).stdout).toBe('Europe/Vienna\n');
    const { rows } = await lists('config list --timezone UTC');
    const row = (name: string) => rows.find(({ setting }) => setting === name);
    expect(row('timezone')).toMatchObject({ value: 'UTC', source: '--timezone' });
    expect(row('timeout')).toMatchObject({ value: '30s', source: 'default' });
    expect(row('institute')).toMatchObject({ value: null, source: 'not set' });
    await runs('config unset timezone');
    expect(stored().profiles.default).not.toHaveProperty('timezone');
  });

  test.each([
    ['state', `ci:${secret}@db.example.org/x`],
    ['state', `host=db user=ci password=${secret}`],
    ['baseUrl', `ci:${secret}@proctor.example`],
    ['baseUrl', `proctor.example/api/v1?api_key=${secret}`],
    ['authPrefix', `Bearer ${secret}`],
    ['dialect.listQuery', `token=${secret}`],
  ])('shows no value that it refuses, which may be a password: %s %s', async (key, value) => {
    const { runs } = machine({ default: { [key]: value } });
    for (const line of ['config list --all', 'config list -o json', `config get ${key}`]) {
      const { stdout } = await runs(line);
      expect(stdout, line).not.toContain(secret);
      expect(stdout, line).toContain('********');
    }
  });

  test('says that the environment overrides it, that a profile is new, and that a token command takes the place of the token', async () => {
    const { runs, stored } = machine({ default: { baseUrl: url, token: secret } }, 'default');
    const env = { PROCTOR_TIMEZONE: 'UTC' };
    expect((await runs('config set timezone Europe/Vienna', { env })).stderr).toContain('PROCTOR_TIMEZONE is set and overrides it');
    expect((await runs('config set --profile vault baseUrl a.example')).stderr).toContain('Created profile vault.');
    const command = 'vault read "my token"';
    expect((await runs(['config', 'set', 'tokenCommand', command])).stderr).toContain('was removed');
    const profiles = { default: { baseUrl: url, timezone: 'Europe/Vienna', tokenCommand: command }, vault: { baseUrl: url } };
    expect(stored()).toEqual({ current: 'default', profiles });
  });

  test.each([
    ['set timezon UTC', 3, /Did you mean timezone\?/],
    ['set timezone Vienna', 3, /Europe\/Vienna/],
    [`set token ${secret}`, 3, /auth login --with-token/],
    ['unset token', 3, /auth logout/],
    ['set baseUrl https://b.example', 3, /Log in to the new service/],
    ['unset baseUrl', 3, /Log in to the new service/],
    [`set --profile sandbox baseUrl ${url}`, 3, /Choose another profile/],
    ['set --profile sandbox state none', 3, /Choose another profile/],
  ])('%s is refused, and nothing is changed', async (line, status, way) => {
    const { refuses, text } = machine({ default: { baseUrl: url, token: secret } });
    const before = text();
    const { exit, message, hint } = await refuses(`config ${line}`);
    expect([exit, hint]).toEqual([status, expect.stringMatching(way)]);
    expect(message).not.toContain(secret);
    expect(text()).toBe(before);
  });

  test('keeps the token of a service that only gets another path; for the built-in profile it stores what is not its own', async () => {
    const { runs, stored } = machine({ default: { baseUrl: url, token: secret } });
    await runs('config set baseUrl https://a.example/exam/api/v1');
    await runs('config set timezone UTC --profile sandbox');
    expect(stored().profiles).toEqual({
      default: { baseUrl: 'https://a.example/exam/api/v1', token: secret },
      sandbox: { timezone: 'UTC' },
    });
  });

  test.each([7, null, { listQuery: 'a=b' }, ['x']])('names what nobody reads, whatever its value is: %j', async (dialect) => {
    const { lists } = machine({ default: { dialect } as unknown as Profile });
    expect(told((await lists('config list')).stderr)).toContain('warning: The configuration has unknown keys: profiles.default.dialect.');
  });

  test('lists and fixes what was written into the file by hand, and names what nobody reads', async () => {
    const { runs, stored, lists } = machine({ default: { timezone: 'Mars', timezon: 'UTC' } as Profile });
    const { rows, stderr } = await lists('config list');
    expect(rows.find(({ setting }) => setting === 'timezone')).toMatchObject({ value: 'Mars' });
    expect(told(stderr)).toContain('warning: The configuration has unknown keys: profiles.default.timezon.');
    await runs('config unset timezone');
    expect(stored().profiles.default).toEqual({ timezon: 'UTC' });
  });

  test('list has the settings of the dialect that are set, and with --all every one', async () => {
    const { lists } = machine({ default: { 'dialect.proctorsKey': 'proctor_ids' } });
    const names = async (line: string) => (await lists(line)).rows.map(({ setting }) => String(setting));
    const some = [...settingKeys.filter((key) => !key.startsWith('dialect.')), 'dialect.proctorsKey'];
    expect(await names('config list')).toEqual(some);
    expect(await names('config list --all')).toEqual(settingKeys);
  });
});
