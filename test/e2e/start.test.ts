/** How the program comes up, in which surroundings. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { basename, join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { tieringBudget } from '../../src/api/connections.ts';
import { listening } from '../support/listening.ts';
import { run, temporaryFolder } from '../support/run.ts';
import { ended, internals, type Options, start, program as startedIn } from './program.ts';

/** The program with the compiled code where it puts it by itself. */
const program = (line: string | readonly string[], { env, ...options }: Options = {}) =>
  startedIn(line, { ...options, env: { XDG_CACHE_HOME: undefined, ...env } });

function broken() {
  const home = temporaryFolder();
  mkdirSync(join(home, '.config', 'proctor-cli'), { recursive: true });
  writeFileSync(join(home, '.config', 'proctor-cli', 'config.json'), '{broken');
  return { home };
}

test.each([
  ['with a broken configuration', broken()],
  ['with a HOME that is not there', { home: '/nowhere' }],
  ['with nothing but a PATH', { env: { HOME: undefined, TERM: undefined } }],
])('--version and --help work %s, in each spelling, as the whole program prints them', async (_where, options) => {
  const named = { code: 0, stdout: `proctor-cli ${manifest.version}\n`, stderr: '' };
  for (const line of ['-V', '--version', '--version --yes']) expect(await program(line, options)).toEqual(named);
  const whole = await program('--help --yes', options);
  expect(whole.stdout).toContain('Usage: proctor-cli');
  for (const argv of [[], ['help'], ['-h'], ['--help']]) expect(await program(argv, options)).toEqual(whole);
});

test('a command says what is wrong with its surroundings', async () => {
  const invalid = expect.stringContaining('config.json is invalid: it is not JSON (line 1, column 2)');
  expect(await program('exams list', broken())).toMatchObject({ code: 3, stdout: '', stderr: invalid });
  const homeless = await program('--profile sandbox exams list', { env: { HOME: undefined } });
  expect(homeless).toMatchObject({ code: 3, stderr: expect.stringContaining('PROCTOR_STATE_DIR') });
  expect(homeless.stderr).not.toMatch(internals);
});

test.each(['', 'Etc/Unknown', 'Nowhere/Else'])('Where TZ is %j, times are those of UTC, with one warning', async (TZ) => {
  const line = '--profile sandbox exams list --columns id,start_time';
  const utc = await program(line, { home: temporaryFolder(), env: { TZ: 'UTC' } });
  const { code, stdout, stderr } = await program(line, { home: temporaryFolder(), env: { TZ } });
  expect([code, stdout]).toEqual([0, utc.stdout]);
  expect(stderr).toBe(`warning: TZ is ${JSON.stringify(TZ)}, which is no time zone: times are shown in UTC.\n`);
  expect(utc.stderr).toBe('');
});

test('Node says nothing of NO_COLOR beside FORCE_COLOR', async () => {
  for (const NO_COLOR of ['', '1']) {
    const { code, stderr } = await program('--profile sandbox exams get 99999', {
      home: temporaryFolder(),
      env: { NO_COLOR, FORCE_COLOR: '1' },
    });
    expect([code, stderr]).toEqual([6, expect.not.stringMatching(/Warning|node:/)]);
    expect(stderr.includes('\u001b[')).toBe(NO_COLOR === '');
  }
});

const folder = temporaryFolder();
writeFileSync(join(folder, 'file'), '');
symlinkSync('loop', join(folder, 'loop'));
const places = [
  ...['/proc', '/dev/null', join(folder, 'file'), join(folder, 'loop')].map((home) => ({ HOME: home })),
  { HOME: folder, XDG_CACHE_HOME: '/proc', XDG_STATE_HOME: '/proc', XDG_CONFIG_HOME: '/proc' },
  { HOME: folder, PROCTOR_STATE_DIR: join(folder, 'loop'), PROCTOR_CONFIG_DIR: join(folder, 'loop') },
];

test.each(places)('a home that takes no files holds nothing up, and the reason is told: %j', async (env) => {
  const here = { home: env.HOME, env: { PROCTOR_CONFIG_DIR: '', PROCTOR_STATE_DIR: '', ...env } };
  const outcomes = [
    // Compiled code, configuration and state.
    await program('--profile sandbox exams list', { env }),
    await run(['config', 'set', 'timeout', '30s', '--profile', 'x'], here),
    await run(['runs', 'list'], here),
  ];
  for (const { code, stderr } of outcomes) {
    expect([0, 3, 8]).toContain(code);
    expect(stderr).not.toMatch(internals);
    if (code !== 0) expect(stderr).toMatch(/^error: .*\nhint: /);
  }
});

describe('compiled code', () => {
  const cacheOf = (home: string) => join(home, '.cache', 'proctor-cli');
  const [node] = inject('command');
  /** Of a build by another Node. */
  const elsewhere = temporaryFolder();
  for (const part of ['bin', 'dist', 'package.json'])
    cpSync(join(inject('installation'), part), join(elsewhere, part), { recursive: true });
  rmSync(join(elsewhere, 'dist/compiled'), { recursive: true });
  const list = ({ env, ...options }: Options) =>
    ended(
      start(node, [join(elsewhere, 'bin/proctor-cli.js'), 'config', 'list'], { ...options, env: { XDG_CACHE_HOME: undefined, ...env } }),
    );
  /** The files that a command leaves in this home. */
  async function keptBy(home: string, env: Options['env'] = {}): Promise<string[]> {
    expect(await list({ home, env })).toMatchObject({ code: 0, stderr: '' });
    const all = existsSync(cacheOf(home)) ? readdirSync(cacheOf(home), { recursive: true, withFileTypes: true }) : [];
    return all.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  }
  const isRoot = process.getuid?.() === 0;

  test('comes from the build, where the same Node runs it', async () => {
    const home = temporaryFolder();
    expect(await program('config list', { home })).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(cacheOf(home))).toBe(false);
    const script = `
      const { readFileSync } = require('node:fs');
      const { compiledCode, runBundle } = require('./bin/run-bundle.js');
      process.argv.splice(1, 0, 'proctor-cli');
      const scripts = runBundle((path) => readFileSync('dist/' + path), (path) => readFileSync('dist/' + compiledCode + '/' + path));
      process.on('exit', () => console.log([...scripts].map(([path, { cachedDataRejected }]) => path + ' ' + cachedDataRejected).join()));`;
    const child = spawn(
      node,
      ['-e', script, 'exams', 'update', '6', '--profile', 'sandbox', '--name', 'Statics', '--dry-run', '-o', 'json'],
      { cwd: inject('installation'), env: { HOME: home } },
    );
    expect((await ended(child)).stdout).toMatch(/^\.\/proctor-cli\.cjs false,\.\/work\.cjs false$/m);
  });

  test('is kept in a folder for its owner alone, and written once', async () => {
    const home = temporaryFolder();
    const [file = '', ...others] = await keptBy(home);
    expect(others).toEqual([]);
    expect(statSync(cacheOf(home)).mode & 0o777).toBe(0o700);
    const { mtimeMs } = statSync(file);
    expect(await keptBy(home)).toEqual([file]);
    expect(statSync(file).mtimeMs).toBe(mtimeMs);
  });

  test('is kept neither where others may look nor below the working folder', async () => {
    const open = temporaryFolder();
    mkdirSync(cacheOf(open), { recursive: true });
    for (const rights of [0o777, 0o755, 0o710]) {
      chmodSync(cacheOf(open), rights);
      expect(await keptBy(open)).toEqual([]);
    }
    chmodSync(cacheOf(open), 0o700);
    // Who can write above could exchange the folder.
    for (const above of [join(open, '.cache'), open]) {
      chmodSync(above, 0o777);
      expect(await keptBy(open)).toEqual([]);
      chmodSync(above, 0o755);
    }
    expect(await list({ env: { HOME: undefined, XDG_CACHE_HOME: 'relative' } })).toMatchObject({ code: 0 });
    expect(existsSync('relative')).toBe(false);
    if (!isRoot) return;
    chmodSync(cacheOf(open), 0o700);
    for (const theirs of [cacheOf(open), open]) {
      chownSync(theirs, 65_534, 65_534);
      expect(await keptBy(open)).toEqual([]);
      chownSync(theirs, 0, 0);
    }
  });
});

test('a program that is removed while it runs goes on to its end, with what it had not used until then', async () => {
  const folder = temporaryFolder();
  for (const part of ['bin', 'dist', 'package.json']) cpSync(join(inject('installation'), part), join(folder, part), { recursive: true });
  const [node] = inject('command');
  const service = start(node, [join(folder, 'bin/proctor-cli.js'), 'sandbox', 'serve', '-o', 'json'], { home: temporaryFolder() });
  const [line] = await once(service.stdout, 'data');
  rmSync(join(folder, 'dist'), { recursive: true });
  const { base_url, token } = JSON.parse(String(line)) as { base_url: string; token: string };
  const headers = { authorization: `apiServiceToken ${token}` };
  expect(((await (await fetch(`${base_url}/exams`, { headers })).json()) as unknown[]).length).toBeGreaterThan(1);
  service.kill();
  expect(await ended(service)).toMatchObject({ code: 0, stderr: expect.not.stringMatching(internals) });
});

const [node, script] = inject('command');
test.runIf(script !== undefined)('a list over HTTP loads nothing of Node and of the program that it does not use', async () => {
  const folder = temporaryFolder();
  const [hook, loaded] = [join(folder, 'hook.cjs'), join(folder, 'loaded.json')];
  const both = 'JSON.stringify([process.moduleLoadList, files])';
  const write = `fs.writeFileSync(${JSON.stringify(loaded)}, ${both})`;
  const reading = '{ readFileSync } = fs; fs.readFileSync = (path, ...how) => { files.push(path); return readFileSync(path, ...how); }';
  writeFileSync(hook, `const files = [], fs = require('node:fs'), ${reading};\nprocess.on('exit', () => ${write})`);
  const service = createServer((_request, response) => response.setHeader('content-type', 'application/json').end('[{"id":1}]'));
  const env = { PROCTOR_BASE_URL: `http://127.0.0.1:${await listening(service)}/api/v1`, PROCTOR_TOKEN: 'a-token-of-the-tests' };
  const hooked = { NODE_OPTIONS: `--require ${hook}` };
  const modules = () => JSON.parse(readFileSync(loaded, 'utf8')) as [ofNode: string[], files: string[]];
  expect(await program('exams list -o json', { home: folder, env: { ...env, ...hooked } })).toMatchObject({ code: 0, stderr: '' });
  const [used, files] = modules();
  expect(files.map((file) => basename(file))).toEqual([
    'proctor-cli.js',
    'package.json',
    'run-bundle.js',
    // With what the build has compiled of it.
    'proctor-cli.cjs',
    'proctor-cli.cjs',
  ]);
  await ended(start(node, ['-e', '0'], { env: hooked }));
  const [bare] = modules();
  const names = used.filter((name) => !bare.includes(name)).map((name) => name.replace(/^(NativeModule|Internal Binding) /, ''));
  expect(names).toContain('net');
  expect(names.length).toBeLessThanOrEqual(60);
  const idle = [
    ...['assert', 'child_process', 'crypto', 'dgram', 'fs/promises', 'http2', 'perf_hooks', 'readline', 'sqlite', 'tls'],
    ...['worker_threads', 'zlib'],
  ];
  expect(names.filter((name) => idle.includes(name))).toEqual([]);
});

test.runIf(script !== undefined)('what Node reads to start the program is ASCII', () => {
  const files = globSync('dist/*.cjs', { cwd: inject('installation') });
  expect(files).toContain('dist/proctor-cli.cjs');
  for (const file of files) expect(readFileSync(join(inject('installation'), file), 'latin1').search(/[^\0-\x7f]/)).toBe(-1);
});

test('what a connection changes of the flags of Node, and changes back, is what Node itself has', () => {
  const [node] = inject('command');
  expect(execFileSync(node, ['--v8-options'], { encoding: 'utf8' })).toContain(`default: --wasm-tiering-budget=${tieringBudget}`);
});
