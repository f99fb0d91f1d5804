/** Files that are read where the user says: to their end, up to a limit, and nothing holds the program up. */
import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { bytesWithin, readInputFile } from '../../src/host/inputs.ts';
import { withoutRights } from '../support/rights.ts';
import { temporaryFolder } from '../support/run.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
const at = (name: string) => join(folder, name);
const { signal } = new AbortController();
const read = async (path: string, limit = 1000) => (await readInputFile(path, limit, signal)).toString();
/** The number of files open in this process: a refused file is closed. */
const open = () => (process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0);

describe('a file', () => {
  test('is read to its end, whether or not the system knows its size', async () => {
    writeFileSync(at('file'), 'x'.repeat(100_001));
    expect(await read(at('file'), 100_001)).toHaveLength(100_001);
    if (process.platform === 'linux') expect(await read('/proc/self/comm')).not.toBe('');
  });

  test('that is too large is refused, and a device unopened', async () => {
    writeFileSync(at('file'), 'x'.repeat(1025));
    const [links, notIn] = withoutRights ? [[], 'no such file or directory (ENOENT)'] : [[at('loop')], 'not a directory (ENOTDIR)'];
    for (const link of links) symlinkSync('loop', link);
    const before = open();
    const devices = process.platform === 'linux' ? ['/dev/zero', '/dev/null', '/dev/full'] : [];
    // Its first page is not there: so a disk or a share fails while it is read.
    const broken = process.platform === 'linux' ? ['/proc/self/mem'] : [];
    for (const [path, why] of [
      [at('file'), 'it is larger than 1 KiB'],
      [folder, 'it is a folder'],
      [at('missing'), 'no such file or directory (ENOENT)'],
      ...links.map((link) => [link, 'too many symbolic links encountered (ELOOP)'] as const),
      [at('file/x'), notIn],
      ...devices.map((device) => [device, 'it is a device'] as const),
      ...broken.map((file) => [file, 'i/o error (EIO)'] as const),
    ] as const)
      await expect(read(path, 1024), path).rejects.toMatchObject({ name: 'HostFailure', message: why });
    expect(open()).toBe(before);
  });
});

test('A stream without end is refused as soon as it is beyond the limit.', async () => {
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (;;) yield Buffer.alloc(400, 'a,');
  }
  await expect(bytesWithin(1024, endless())).rejects.toMatchObject({ name: 'HostFailure', message: 'it is larger than 1 KiB' });
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

  test.each(['', 'printf one; sleep 20'])('that never ends is given up at a signal: %j', async (script) => {
    const writer = script === '' ? undefined : fill(script);
    const stop = new AbortController();
    const reading = readInputFile(at('pipe'), 1000, stop.signal);
    stop.abort(new Error('interrupted'));
    await expect(reading).rejects.toThrow('interrupted');
    writer?.kill();
  });
});
