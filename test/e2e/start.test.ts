/** How the program comes up, in which surroundings. */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { version } from '../../src/text/version.ts';
import { run, temporaryFolder } from '../support/run.ts';
import { type Ended, internals, type Options, program as startedIn } from './program.ts';

/** The program with the compiled code where it puts it by itself. */
const program = (line: string | readonly string[], { env, ...options }: Options = {}) =>
  startedIn(line, { ...options, env: { XDG_CACHE_HOME: undefined, ...env } });

describe('--version and --help work', () => {
  const surroundings = () => {
    const home = temporaryFolder();
    mkdirSync(join(home, '.config', 'proctor-cli'), { recursive: true });
    writeFileSync(join(home, '.config', 'proctor-cli', 'config.json'), '{broken');
    return [
      ['with a broken configuration', { home }],
      ['without HOME', { env: { HOME: undefined } }],
      ['with a HOME that is not there', { home: '/nowhere' }],
      ['with nothing but a PATH', { env: { HOME: undefined, TERM: undefined } }],
    ] as const;
  };

  test.each(surroundings())('%s', async (_where, options) => {
    expect(await program('--version', options)).toEqual({ code: 0, stdout: `proctor-cli ${version}\n`, stderr: '' });
    const { code, stdout, stderr } = await program('--help', options);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Usage: proctor-cli');
  });

  test('while a command says what is wrong', async () => {
    const [[, broken]] = surroundings();
    expect(await program('exams list', broken)).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining('config.json:1:2') });
    const homeless = await program('--profile sandbox exams list', { env: { HOME: undefined } });
    expect(homeless.code).toBe(3);
    expect(homeless.stderr).toContain('PROCTOR_STATE_DIR');
    expect(homeless.stderr).not.toMatch(internals);
  });
});

describe('a home that takes no files', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'file'), '');
  symlinkSync('loop', join(folder, 'loop'));
  symlinkSync('/proc', join(folder, 'link'));
  const places = [
    ...['/proc', '/proc/1', '/sys', '/dev/null', join(folder, 'file'), join(folder, 'loop'), join(folder, 'link')].map((home) => ({
      HOME: home,
    })),
    { HOME: folder, XDG_CACHE_HOME: '/proc', XDG_STATE_HOME: '/proc', XDG_CONFIG_HOME: '/proc' },
    { HOME: folder, PROCTOR_STATE_DIR: '/proc/x', PROCTOR_CONFIG_DIR: '/dev/null' },
    { HOME: folder, PROCTOR_STATE_DIR: join(folder, 'loop'), PROCTOR_CONFIG_DIR: join(folder, 'loop') },
  ];
  const expectTold = ({ code, stderr }: Pick<Ended, 'code' | 'stderr'>) => {
    expect([0, 3, 8]).toContain(code);
    expect(stderr).not.toMatch(internals);
    if (code !== 0) expect(stderr).toMatch(/^error: .*\nhint: /);
  };

  test.each(places)('holds nothing up, and the reason is told: %j', async (env) => {
    // Compiled code, configuration and state; and the other entrance of the program.
    for (const line of ['--profile sandbox exams list', '__complete exams get :']) expectTold(await program(line, { env }));
    for (const line of ['config list', 'config set output json --profile x', 'imports list']) {
      const { HOME: home } = env;
      const folders = { PROCTOR_CONFIG_DIR: '', PROCTOR_STATE_DIR: '', ...env };
      expectTold(await run(line.split(' '), { home, env: folders }));
    }
  });
});

/** The executable brings its compiled code. */
describe.skipIf(inject('command').length === 1)('compiled code', () => {
  const cacheOf = (home: string) => join(home, '.cache', 'proctor-cli');
  const keptBy = (home: string) => readdirSync(cacheOf(home)).map((name) => join(cacheOf(home), name));
  /** A home in which a command has left its compiled code. */
  async function usedHome(): Promise<string> {
    const home = temporaryFolder();
    expect(await program('config list', { home })).toMatchObject({ code: 0, stderr: '' });
    return home;
  }
  /** What the file holds after the command has run once more. */
  async function afterwards(home: string, path: string): Promise<Buffer> {
    expect(await program('config list', { home })).toMatchObject({ code: 0, stderr: '' });
    return readFileSync(path);
  }

  test('is kept in a folder and files for their owner alone, and written once', async () => {
    const home = await usedHome();
    expect(statSync(cacheOf(home)).mode & 0o777).toBe(0o700);
    const files = keptBy(home);
    expect(files.length).toBeGreaterThan(0);
    for (const path of files) expect(statSync(path).mode & 0o777).toBe(0o600);
    const written = files.map((path) => statSync(path).mtimeMs);
    await program('config list', { home });
    expect(keptBy(home)).toEqual(files);
    expect(files.map((path) => statSync(path).mtimeMs)).toEqual(written);
  });

  test('grows by what another command needs', async () => {
    const home = await usedHome();
    const sizeOf = () => keptBy(home).reduce((sum, path) => sum + statSync(path).size, 0);
    const before = sizeOf();
    await program('config path', { home });
    await program('exams list --base-url http://127.0.0.1:1', { home, env: { PROCTOR_TOKEN: 'a-token-of-the-tests' } });
    expect(sizeOf()).toBeGreaterThan(before);
  });

  test.each<[string, (bytes: Buffer) => Buffer]>([
    ['a byte of which has changed', (bytes) => bytes.fill(bytes[5000] === 1 ? 2 : 1, 5000, 5001)],
    ['that was cut', (bytes) => bytes.subarray(0, bytes.length / 3)],
    ['that is empty', () => Buffer.alloc(0)],
    [
      'of another build',
      (bytes) => Buffer.from(bytes.toString('latin1').replaceAll(/"build":"\w{16}"/g, '"build":"0000000000000000"'), 'latin1'),
    ],
  ])('is not used from a file %s, which is replaced', async (_what, damaged) => {
    const home = await usedHome();
    for (const path of keptBy(home)) {
      const whole = readFileSync(path);
      const wrong = damaged(Buffer.from(whole));
      writeFileSync(path, wrong);
      const now = await afterwards(home, path);
      expect(now.equals(wrong)).toBe(false);
      expect(now.subarray(0, now.length / 2).equals(now.subarray(now.length / 2))).toBe(true);
    }
  });

  test('is not used from a file that others may write', async () => {
    const home = await usedHome();
    for (const path of keptBy(home)) {
      chmodSync(path, 0o666);
      await afterwards(home, path);
      expect(statSync(path).mode & 0o777).toBe(0o600);
    }
  });

  test('is not kept where others may write, nor in a folder that takes no files', async () => {
    const home = temporaryFolder();
    mkdirSync(cacheOf(home), { recursive: true });
    chmodSync(cacheOf(home), 0o777);
    await program('config list', { home });
    expect(statSync(cacheOf(home)).mode & 0o777).toBe(0o700);
    const linked = temporaryFolder();
    mkdirSync(join(linked, '.cache'));
    symlinkSync('/proc', cacheOf(linked));
    expect(await program('config list', { home: linked })).toMatchObject({ code: 0, stderr: '' });
    expect(await program('config list', { env: { HOME: undefined, XDG_CACHE_HOME: 'relative' } })).toMatchObject({ code: 0 });
    expect(existsSync('relative')).toBe(false);
  });
});

test('--version and --help, the short way, are what the program itself would print', async () => {
  const home = temporaryFolder();
  const whole = await program('--help --yes', { home });
  expect(whole.stdout).toContain('Usage: proctor-cli');
  for (const argv of [[], ['help'], ['-h'], ['--help']]) expect(await program(argv, { home })).toEqual(whole);
  const named = await program('--version --yes', { home });
  for (const argv of [['-V'], ['-v'], ['version'], ['--version']]) expect(await program(argv, { home })).toEqual(named);
});
