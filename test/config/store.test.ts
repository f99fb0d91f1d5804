import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { configPath, readConfig } from '../../src/config/profiles.ts';
import { changeConfig, withProfile } from '../../src/config/store.ts';
import { ofSources } from '../support/memory.ts';
import { withoutRights } from '../support/rights.ts';
import { hostOf, temporaryFolder } from '../support/run.ts';
import { stored } from './stored.ts';

const worker = join(import.meta.dirname, 'store-worker.ts');
const execute = promisify(execFile);
/** Without vitest's own variables, about which Node would warn on stderr. */
const run = (file: string, args: string[]) => execute(file, args, { env: ofSources });

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
const fileIn = (folder: string) => join(folder, 'config.json');
const institute = (value: string) => (config: Parameters<Parameters<typeof changeConfig>[1]>[0]) =>
  withProfile(config, 'default', { institute: value });

describe('a change', () => {
  test.skipIf(withoutRights)('makes the file for its owner only, or makes one that was open so', async () => {
    const host = hostOf();
    await changeConfig(host, institute('6'));
    chmodSync(configPath(host), 0o644);
    await changeConfig(host, institute('7'));
    const folder = host.env.PROCTOR_CONFIG_DIR ?? '';
    expect(readConfig(host)).toEqual({ current: 'default', profiles: { default: { institute: '7' } } });
    expect([modeOf(folder), modeOf(fileIn(folder)), modeOf(join(folder, 'config.lock'))]).toEqual(['700', '600', '600']);
    expect(readdirSync(folder).sort()).toEqual(['config.json', 'config.lock']);
  });

  test.skipIf(withoutRights)('keeps a link, and changes what it points to', async () => {
    const { host, path } = stored();
    const target = join(temporaryFolder(), 'dotfile.json');
    writeFileSync(target, '{"profiles":{}}');
    symlinkSync(target, path);
    await changeConfig(host, institute('7'));
    expect(readlinkSync(path)).toBe(target);
    expect(lstatSync(target).isFile()).toBe(true);
    expect(readFileSync(target, 'utf8')).toContain('"institute": "7"');
    expect(modeOf(target)).toBe('600');
  });

  test.each(['{"profiles": {', '', 'null', '{"profiles":{"default":{"timezone":7}}}'])('overwrites no broken file: %j', async (text) => {
    const { host, path } = stored(text);
    const refused = { code: 'invalid_config', message: expect.stringContaining(path) };
    await expect(changeConfig(host, institute('7'))).rejects.toMatchObject(refused);
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  test('that throws changes nothing', async () => {
    const host = hostOf();
    await changeConfig(host, institute('7'));
    const refuse = () => {
      throw new Error('no');
    };
    await expect(changeConfig(host, refuse)).rejects.toThrow('no');
    expect(readConfig(host).profiles.default).toEqual({ institute: '7' });
  });

  test('says so where the folder cannot be made', async () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    const host = hostOf({ env: { PROCTOR_CONFIG_DIR: join(file, 'conf') } });
    await expect(changeConfig(host, institute('7'))).rejects.toMatchObject({ exit: 3, message: expect.stringContaining('config.json') });
  });

  test('keeps what the file says and this version does not know, and takes away what a killed process has left', async () => {
    const { host, folder, path } = stored('{"later":1,"profiles":{"default":{"newer":"x"}}}');
    mkdirSync(join(folder, '.new-config'));
    writeFileSync(join(folder, '.new-config', 'config.json'), 'half');
    await changeConfig(host, (config) => withProfile(config, 'default', { ...config.profiles.default, institute: '7' }));
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
      ...{ later: 1, current: 'default', profiles: { default: { newer: 'x', institute: '7' } } },
    });
    expect(existsSync(join(folder, '.new-config'))).toBe(false);
  });
});

describe('with real processes', () => {
  test('8 changes at once all arrive', async () => {
    const folder = temporaryFolder();
    const keys = ['institute', 'timezone', 'plain', 'timeout'] as const;
    const changes = Array.from({ length: 8 }, (_, index) => [`p${index >> 2}`, keys[index % 4] ?? '', `v${index}`]);
    const ends = await Promise.all(changes.map((change) => run(process.execPath, [worker, folder, 'set', ...change])));
    expect(ends.map(({ stderr }) => stderr).join('')).toBe('');
    const { profiles } = JSON.parse(readFileSync(fileIn(folder), 'utf8'));
    expect(changes.filter(([profile = '', key = '', value]) => profiles[profile]?.[key] !== value)).toEqual([]);
    expect(readdirSync(folder).sort()).toEqual(['config.json', 'config.lock']);
  });

  test('one killed at any moment leaves the file whole, old or new, and the lock open', async () => {
    const killed = async () => {
      const folder = temporaryFolder();
      const child = spawn(process.execPath, [worker, folder, 'flip'], { env: ofSources, stdio: ['ignore', 'pipe', 'inherit'] });
      const ended = once(child, 'exit');
      await once(child.stdout, 'data');
      await pause(Math.random() * 25);
      child.kill('SIGKILL');
      await ended;
      const { flip } = readConfig(hostOf({ env: { PROCTOR_CONFIG_DIR: folder } })).profiles;
      expect(flip?.timezone).toBe(flip?.institute?.repeat(20_000));
      return folder;
    };
    const [folder = ''] = await Promise.all(Array.from({ length: 6 }, killed));
    await run(process.execPath, [worker, folder, 'set', 'after', 'institute', 'x']);
    expect(JSON.parse(readFileSync(fileIn(folder), 'utf8')).profiles.after).toEqual({ institute: 'x' });
    expect(readdirSync(folder).sort()).toEqual(['config.json', 'config.lock']);
  });

  const prlimit = spawnSync('prlimit', ['--version']).status === 0;
  test.skipIf(!prlimit).each([40, 4096])('a disk that takes only %i bytes leaves the old file whole', async (bytes) => {
    const folder = temporaryFolder();
    const old = '{"profiles":{"old":{"institute":"x"}}}';
    writeFileSync(fileIn(folder), old);
    const change = [worker, folder, 'set', 'new', 'timezone', 'z'.repeat(5000)];
    const end = await run('prlimit', [`--fsize=${bytes}`, process.execPath, ...change]).catch((error) => error);
    expect(end.stderr).toMatch(/^output_failed: .*config\.json.*as it was/);
    expect(readFileSync(fileIn(folder), 'utf8')).toBe(old);
    expect(readdirSync(folder).sort()).toEqual(['config.json', 'config.lock']);
  });
});
