/** What start-up does before the program is loaded: its deadline, and where its compiled code is. */
import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { filesIn, markOf, partsOf } from '../../src/host/compiled-code.ts';
import { codeFolder } from '../../src/host/startup.ts';
import { temporaryFolder } from '../support/run.ts';

test('a process ends at its deadline although its only thread never comes back', () => {
  const source = new URL('../../src/host/startup.ts', import.meta.url).href;
  const script = `const { endAfter } = await import(${JSON.stringify(source)});
await endAfter(50, 'words 0\\n');
for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);`;
  const { signal, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  expect({ signal, stdout, stderr }).toEqual({ signal: 'SIGKILL', stdout: 'words 0\n', stderr: '' });
});

test('compiled code is in the cache of the user, on Windows beside the state', () => {
  const [cache, home] = [temporaryFolder(), temporaryFolder()];
  const env = { LOCALAPPDATA: cache, HOME: home };
  expect(codeFolder({ env, platform: 'win32' })).toBe(join(cache, 'proctor-cli'));
  expect(codeFolder({ env, platform: 'linux' })).toBe(join(home, '.cache/proctor-cli'));
  expect(codeFolder({ env: { ...env, XDG_CACHE_HOME: join(home, 'given') }, platform: 'win32' })).toBe(join(home, 'given/proctor-cli'));
  expect(codeFolder({ env: { HOME: home }, platform: 'win32' })).toBeUndefined();
});

test('compiled code is used where files have no owner and a mode for all to write, as on Windows', () => {
  const [folder, cache] = [temporaryFolder(), temporaryFolder()];
  const build = '0123456789abcdef';
  writeFileSync(join(folder, 'all.cjs'), `${markOf(build)}(() => () => ({ one: (module) => { module.exports = { it: 1 }; } }))`);
  const files = () => filesIn(folder, build, () => cache);
  const getuid = vi.spyOn(process, 'getuid').mockReturnValue(undefined as never);
  const before = process.listeners('exit');
  try {
    expect(partsOf({ ...files(), first: 'all', elsewhere: {}, alone: [], require: createRequire(import.meta.url) })('one')).toEqual({
      it: 1,
    });
    for (const listener of process.listeners('exit').filter((each) => !before.includes(each))) {
      process.removeListener('exit', listener);
      listener(0);
    }
    const kept = readdirSync(cache, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('all'));
    for (const name of kept) chmodSync(join(cache, name), 0o666);
    expect(kept).toHaveLength(1);
    expect(files().open('all').code?.length).toBeGreaterThan(0);
    getuid.mockRestore();
    expect(process.platform === 'win32' ? undefined : files().open('all').code).toBeUndefined();
  } finally {
    getuid.mockRestore();
  }
});
