/** How the program comes up, in which surroundings. */

import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { version } from '../../src/text/version.ts';
import { run, temporaryFolder } from '../support/run.ts';
import { type Ended, ended, internals, launch, type Options, start, program as startedIn } from './program.ts';

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

test.skipIf(inject('command').length === 1)('A Node without WebAssembly is named as the reason, before anything is sent', async () => {
  for (const line of ['--profile sandbox exams list', 'doctor', 'sandbox serve']) {
    const { code, stdout, stderr } = await program(line, { env: { NODE_OPTIONS: '--jitless' } });
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toMatch(
      /^(Warning: .*\n)?error: This Node\.js runs without WebAssembly, which proctor-cli needs\.\nhint: .*--jitless.*\n$/,
    );
  }
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
    for (const line of ['config list', 'config set timeout 30s --profile x', 'runs list']) {
      const { HOME: home } = env;
      const folders = { PROCTOR_CONFIG_DIR: '', PROCTOR_STATE_DIR: '', ...env };
      expectTold(await run(line.split(' '), { home, env: folders }));
    }
  });
});

/** A copy of the package, as another build if the name of one is given. */
function copied(build?: string): {
  dist: string;
  begin: (line: string, home: string) => ReturnType<typeof start>;
  run: (line: string, home: string) => Promise<Ended>;
} {
  const folder = temporaryFolder();
  const dist = join(folder, 'dist');
  for (const part of ['bin', 'dist', 'package.json']) cpSync(join(inject('installation'), part), join(folder, part), { recursive: true });
  const read = (file: string) => readFileSync(join(dist, file), 'utf8');
  const [, now = ''] = /^\/\*([\da-f]{16})\*\//.exec(read('program.cjs')) ?? [];
  for (const file of build ? readdirSync(dist) : []) writeFileSync(join(dist, file), read(file).replaceAll(now, build ?? ''));
  const [node] = inject('command');
  const begin = (line: string, home: string) =>
    start(node, [join(folder, 'bin/proctor-cli.js'), ...line.split(' ')], { home, env: { XDG_CACHE_HOME: undefined } });
  return { dist, begin, run: (line, home) => ended(begin(line, home)) };
}

/** The executable is one file, and brings its compiled code. */
const ofThePackage = describe.skipIf(inject('command').length === 1);

ofThePackage('compiled code', () => {
  const cacheOf = (home: string) => join(home, '.cache', 'proctor-cli');
  const keptBy = (home: string) => readdirSync(cacheOf(home)).map((name) => join(cacheOf(home), name));
  const kindsIn = (file: string) => JSON.parse(readFileSync(file, 'latin1').split('\n', 1)[0] ?? '') as string[];
  /** The file that a command has left in this home, or in a new one. */
  async function used(home = temporaryFolder()): Promise<{ home: string; file: string }> {
    expect(await program('config list', { home })).toMatchObject({ code: 0, stderr: '' });
    const [file = '', ...others] = keptBy(home);
    expect(others).toEqual([]);
    return { home, file };
  }

  test('is kept in a folder and a file for their owner alone, and written once', async () => {
    const { home, file } = await used();
    expect(statSync(cacheOf(home)).mode & 0o777).toBe(0o700);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const written = statSync(file).mtimeMs;
    await used(home);
    expect(statSync(file).mtimeMs).toBe(written);
  });

  test('grows by what another command needs', async () => {
    const { home, file } = await used();
    const before = statSync(file).size;
    await program('completion bash', { home });
    await program('exams list --base-url http://127.0.0.1:1', { home, env: { PROCTOR_TOKEN: 'a-token-of-the-tests' } });
    expect(statSync(file).size).toBeGreaterThan(before);
    expect(kindsIn(file)).toHaveLength(3);
  });

  test('of commands that ran meanwhile is not overwritten by one that ends later', async () => {
    const home = temporaryFolder();
    const longest = launch(['sandbox', 'serve'], { home, env: { XDG_CACHE_HOME: undefined }, open: true });
    await once(longest.stderr, 'data');
    const { file } = await used(home);
    longest.kill();
    expect((await ended(longest)).code).toBe(0);
    expect(kindsIn(file)).toEqual([expect.stringMatching(/^config list /)]);
  });

  test.each<[string, (bytes: Buffer) => Buffer]>([
    ['a byte of which has changed', (bytes) => bytes.fill(bytes[5000] === 1 ? 2 : 1, 5000, 5001)],
    ['that was cut', (bytes) => bytes.subarray(0, bytes.length / 3)],
    ['that is empty', () => Buffer.alloc(0)],
  ])('is not used from a file %s, which is replaced', async (_what, damaged) => {
    const { home, file } = await used();
    const wrong = damaged(readFileSync(file));
    writeFileSync(file, wrong);
    await used(home);
    const now = readFileSync(file);
    expect(now.equals(wrong)).toBe(false);
    expect(now.subarray(0, now.length / 2).equals(now.subarray(now.length / 2))).toBe(true);
  });

  test('of two versions, side by side, is kept for both', async () => {
    const home = temporaryFolder();
    const versions = [copied(), copied('0123456789abcdef')];
    const both = () => Promise.all(versions.map(({ run }) => run('completion bash', home)));
    for (const { code, stderr } of await both()) expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const files = keptBy(home);
    expect(files).toHaveLength(2);
    const written = files.map((path) => statSync(path).mtimeMs);
    await both();
    expect(files.map((path) => statSync(path).mtimeMs)).toEqual(written);
  });

  test('of a new version takes the place of the oldest, and of nothing else', async () => {
    const home = temporaryFolder();
    mkdirSync(cacheOf(home), { recursive: true });
    const older = Array.from({ length: 12 }, (_, days) => `00000000000000${10 + days}-v22.22.2-x64.code`);
    for (const [days, name] of older.entries()) {
      writeFileSync(join(cacheOf(home), name), '');
      utimesSync(join(cacheOf(home), name), Date.now() / 1000, Date.now() / 1000 - 86_400 * (days + 1));
    }
    // Where one folder is named for both, the state is beside the code.
    for (const name of ['imports', '0123456789abcdef']) mkdirSync(join(cacheOf(home), name));
    await program('config list', { home });
    const left = readdirSync(cacheOf(home));
    expect(left).toEqual(expect.arrayContaining(['imports', '0123456789abcdef', ...older.slice(0, 7)]));
    expect(left).toHaveLength(2 + 7 + 1);
  });

  test.skipIf(process.getuid?.() !== 0)(
    'is not kept by root in the home of another, where its owner could not use the folder',
    async () => {
      const home = temporaryFolder();
      chownSync(home, 65_534, 65_534);
      expect(await program('config list', { home })).toMatchObject({ code: 0, stderr: '' });
      expect(readdirSync(home)).toEqual([]);
    },
  );

  test.skipIf(process.getuid?.() !== 0)('is not used from a file of another user', async () => {
    const { home, file } = await used();
    chownSync(file, 65_534, 65_534);
    await used(home);
    expect(statSync(file).uid).toBe(0);
  });

  test('is not used from a file that others may write', async () => {
    const { home, file } = await used();
    chmodSync(file, 0o666);
    await used(home);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('is used where files have no owner and a mode for all to write, as on Windows', async () => {
    const { home, file } = await used();
    chmodSync(file, 0o666);
    const asOnWindows = "process.geteuid = undefined; Object.defineProperty(process, 'platform', { value: 'win32' })";
    const env = { LOCALAPPDATA: join(home, '.cache'), NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(asOnWindows)}` };
    expect(await program('config list', { home, env })).toMatchObject({ code: 0, stderr: '' });
    expect(statSync(file).mode & 0o777).toBe(0o666);
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

ofThePackage('a program that is updated or removed', () => {
  const cut = (file: string) => writeFileSync(file, readFileSync(file).subarray(0, 5000));
  const other = (file: string) =>
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/\/\*[\da-f]{16}\*\//g, '/*0123456789abcdef*/'));

  const lines: Record<string, string> = { 'complete.cjs': '__complete exams list :', 'postgres.cjs': 'state status' };

  test.each<[string, string, (file: string) => void]>([
    ['start.cjs', 'removed', rmSync],
    ['start.cjs', 'written in part', cut],
    ['complete.cjs', 'removed', rmSync],
    ['complete.cjs', 'written in part', cut],
    ['program.cjs', 'removed', rmSync],
    ['program.cjs', 'written in part', cut],
    ['program.cjs', 'replaced by another version', other],
    ['postgres.cjs', 'removed', rmSync],
    ['postgres.cjs', 'written in part', cut],
    ['postgres.cjs', 'replaced by another version', other],
  ])('while it starts does not run, and says what to do: %s %s', async (name, _how, change) => {
    const { dist, run } = copied();
    const home = temporaryFolder();
    await run('config set state postgres://proctor@127.0.0.1:1/proctor', home);
    change(join(dist, name));
    const line = lines[name] ?? 'config list';
    const { code, stdout, stderr } = await run(line, home);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /^error: proctor-cli was updated or removed while it started: .+\nhint: Run the same command again\. If it fails again, reinstall proctor-cli\.\n$/,
    );
    const { error } = JSON.parse((await run(`${line} -o json`, home)).stderr) as { error: object };
    expect(error).toMatchObject({ code: 'program_replaced', message: expect.stringContaining('while it started'), exit: 1 });
  });

  test('while it runs goes on to its end, with what it had not used until then', async () => {
    const { dist, begin } = copied();
    const home = temporaryFolder();
    const service = begin('sandbox serve -o json', home);
    const [line] = await once(service.stdout, 'data');
    rmSync(dist, { recursive: true });
    const { base_url, token } = JSON.parse(String(line)) as { base_url: string; token: string };
    const headers = { authorization: `apiServiceToken ${token}` };
    const exams = (await (await fetch(`${base_url}/exams`, { headers })).json()) as unknown[];
    expect(exams.length).toBeGreaterThan(1);
    service.kill();
    expect(await ended(service)).toMatchObject({ code: 0, stderr: expect.not.stringMatching(internals) });
  });
});

test('--version and --help, the short way, are what the program itself would print', async () => {
  const home = temporaryFolder();
  const whole = await program('--help --yes', { home });
  expect(whole.stdout).toContain('Usage: proctor-cli');
  for (const argv of [[], ['help'], ['-h'], ['--help']]) expect(await program(argv, { home })).toEqual(whole);
  const named = await program('--version --yes', { home });
  for (const argv of [['-V'], ['--version']]) expect(await program(argv, { home })).toEqual(named);
});
