/** How the program comes up, in which surroundings. */

import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { version } from '../../src/text/version.ts';
import { run, temporaryFolder } from '../support/run.ts';
import { type Ended, ended, internals, type Options, start, program as startedIn } from './program.ts';

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
    expect(await program('exams list', broken)).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringContaining('config.json is invalid: it is not JSON (line 1, column 2)'),
    });
    const homeless = await program('--profile sandbox exams list', { env: { HOME: undefined } });
    expect(homeless.code).toBe(3);
    expect(homeless.stderr).toContain('PROCTOR_STATE_DIR');
    expect(homeless.stderr).not.toMatch(internals);
  });
});

test('A Node without WebAssembly is named as the reason, before anything is sent', async () => {
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

describe('compiled code', () => {
  const cacheOf = (home: string) => join(home, '.cache', 'proctor-cli');
  /** The files that a command leaves in this home. */
  async function keptBy(home: string, env: Options['env'] = {}): Promise<string[]> {
    expect(await program('config list', { home, env })).toMatchObject({ code: 0, stderr: '' });
    const all = existsSync(cacheOf(home)) ? readdirSync(cacheOf(home), { recursive: true, withFileTypes: true }) : [];
    return all.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  }

  test('is kept in a folder for its owner alone, and written once', async () => {
    const home = temporaryFolder();
    const [file = '', ...others] = await keptBy(home);
    expect(others).toEqual([]);
    expect(statSync(cacheOf(home)).mode & 0o777).toBe(0o700);
    const { mtimeMs } = statSync(file);
    expect(await keptBy(home)).toEqual([file]);
    expect(statSync(file).mtimeMs).toBe(mtimeMs);
  });

  test('is kept where files have no owner and a mode for all to write, as on Windows', async () => {
    const home = temporaryFolder();
    mkdirSync(cacheOf(home), { recursive: true });
    chmodSync(cacheOf(home), 0o777);
    const asOnWindows = "process.geteuid = undefined; Object.defineProperty(process, 'platform', { value: 'win32' })";
    const env = { LOCALAPPDATA: join(home, '.cache'), NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(asOnWindows)}` };
    expect(await keptBy(home, env)).toHaveLength(1);
  });

  const isRoot = process.getuid?.() === 0;
  test.skipIf(!isRoot)('is not kept by root in the home of another, where its owner could not use the folder', async () => {
    const home = temporaryFolder();
    chownSync(home, 65_534, 65_534);
    expect(await keptBy(home)).toEqual([]);
    expect(readdirSync(home)).toEqual([]);
  });

  test.skipIf(!isRoot)('is not kept in a folder of another user', async () => {
    const home = temporaryFolder();
    mkdirSync(cacheOf(home), { recursive: true });
    chownSync(cacheOf(home), 65_534, 65_534);
    expect(await keptBy(home)).toEqual([]);
  });

  test('is not kept where others may write, nor in a folder that takes no files, nor below the working folder', async () => {
    const open = temporaryFolder();
    mkdirSync(cacheOf(open), { recursive: true });
    chmodSync(cacheOf(open), 0o777);
    expect(await keptBy(open)).toEqual([]);
    const linked = temporaryFolder();
    mkdirSync(join(linked, '.cache'));
    symlinkSync('/proc', cacheOf(linked));
    expect(await program('config list', { home: linked })).toMatchObject({ code: 0, stderr: '' });
    expect(await program('config list', { env: { HOME: undefined, XDG_CACHE_HOME: 'relative' } })).toMatchObject({ code: 0 });
    expect(existsSync('relative')).toBe(false);
  });
});

describe('a program that is updated or removed', () => {
  test('while it runs goes on to its end, with what it had not used until then', async () => {
    const folder = temporaryFolder();
    for (const part of ['bin', 'dist', 'package.json']) cpSync(join(inject('installation'), part), join(folder, part), { recursive: true });
    const [node] = inject('command');
    const service = start(node, [join(folder, 'bin/proctor-cli.js'), 'sandbox', 'serve', '-o', 'json'], { home: temporaryFolder() });
    const [line] = await once(service.stdout, 'data');
    rmSync(join(folder, 'dist'), { recursive: true });
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
