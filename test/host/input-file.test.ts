/** Files that are read where the user says: to their end, up to a limit, and nothing holds the program up. */
import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { readInputFile, readRegularFile } from '../../src/host/input-file.ts';
import { temporaryFolder } from '../support/run.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
const at = (name: string) => join(folder, name);
const { signal } = new AbortController();
const read = async (path: string, limit = 1000) => (await readInputFile(path, limit, { signal })).toString();
/** The number of files open in this process: a refused file is closed. */
const open = () => readdirSync('/proc/self/fd').length;

describe('a file', () => {
  test('is read to its end, whether or not the system knows its size', async () => {
    writeFileSync(at('file'), 'text');
    expect(await read(at('file'))).toBe('text');
    expect(readRegularFile(at('file'), 4).toString()).toBe('text');
    if (process.platform === 'linux') expect(await read('/proc/self/comm')).not.toBe('');
  });

  test('beyond its limit is refused', async () => {
    writeFileSync(at('file'), 'x'.repeat(100_001));
    expect(await read(at('file'), 100_001)).toHaveLength(100_001);
    await expect(read(at('file'), 100_000)).rejects.toThrow('it is larger than 97 KiB');
  });

  test('that is none is refused in words', async () => {
    symlinkSync('loop', at('loop'));
    writeFileSync(at('file'), '');
    for (const [path, why] of [
      [folder, 'it is a folder'],
      [at('missing'), 'it does not exist (ENOENT)'],
      [at('loop'), 'it is a link to itself (ELOOP)'],
      [at('file/x'), 'its folder is a file (ENOTDIR)'],
    ] as const)
      await expect(read(path)).rejects.toMatchObject({ name: 'UnreadableFile', message: why });
  });

  test.skipIf(process.platform !== 'linux')('that is a device is refused unopened, be it endless or empty', async () => {
    const before = open();
    for (const path of ['/dev/zero', '/dev/null', '/dev/full', '/dev/urandom']) {
      await expect(read(path)).rejects.toThrow('it is a device');
      expect(() => readRegularFile(path, 1000)).toThrow('it is a device');
    }
    expect(open()).toBe(before);
  });
});

describe.skipIf(process.platform === 'win32')('a pipe', () => {
  beforeEach(() => void execFileSync('mkfifo', [at('pipe')]));
  const fill = (script: string) => spawn('sh', ['-c', `exec > '${at('pipe')}'; ${script}`]);

  test('is read as it fills, until its writer has gone', async () => {
    fill('printf one; sleep 0.05; printf two');
    expect(await read(at('pipe'))).toBe('onetwo');
  });

  test('beyond its limit is refused, although its writer never ends', async () => {
    const writer = fill('yes');
    await expect(read(at('pipe'), 200_000)).rejects.toThrow('it is larger than 195 KiB');
    writer.kill();
  });

  test.each(['', 'printf one; sleep 20'])('that never ends is cancelled at the deadline, and at a signal: %j', async (script) => {
    const writer = script === '' ? undefined : fill(script);
    await expect(readInputFile(at('pipe'), 1000, { signal, milliseconds: 30 })).rejects.toThrow('the pipe did not end within');
    const stop = new AbortController();
    const reading = readInputFile(at('pipe'), 1000, { signal: stop.signal });
    stop.abort(new Error('interrupted'));
    await expect(reading).rejects.toThrow('interrupted');
    writer?.kill();
  });

  test('is refused where only a file will do, at once', () => {
    expect(() => readRegularFile(at('pipe'), 1000)).toThrow('it is a pipe');
  });
});
