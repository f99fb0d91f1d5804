import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { withLock } from '../src/lock.ts';
import { temporaryFolder } from './config/world.ts';

const host = { sleep: (milliseconds: number) => pause(milliseconds / 10), random: Math.random };
const lockFile = () => join(temporaryFolder(), 'some.lock');

describe('a lock', () => {
  it('lets one in at a time', async () => {
    const path = lockFile();
    let inside = 0;
    const turns: number[] = [];
    await Promise.all(
      Array.from({ length: 8 }, () =>
        withLock(host, path, async () => {
          turns.push(++inside);
          await pause(1);
          inside--;
        }),
      ),
    );
    expect(turns).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
  });

  it('gives back what was done, opens after a failure, and leaves an empty file', async () => {
    const path = lockFile();
    await expect(withLock(host, path, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await withLock(host, path, () => 42)).toBe(42);
    expect(readFileSync(path)).toHaveLength(0);
  });

  it('is not waited for without end: the error names the file', async () => {
    const path = lockFile();
    const late = withLock(host, path, () => withLock(host, path, () => 'never', { wait: 50 }));
    await expect(late).rejects.toMatchObject({ code: 'output_failed', message: expect.stringContaining(path) });
  });

  it('is not lost when somebody else in the same process tries in vain', async () => {
    const path = lockFile();
    const other = `const d = new (require('node:sqlite').DatabaseSync)(${JSON.stringify(path)}); d.exec('BEGIN EXCLUSIVE')`;
    const taken = () => spawnSync(process.execPath, ['-e', other]).status === 0;
    await withLock(host, path, async () => {
      await withLock(host, path, () => 'never', { wait: 10 }).catch(() => {});
      expect(taken()).toBe(false);
    });
    expect(taken()).toBe(true);
  });

  it('stops waiting when the command is interrupted', async () => {
    const path = lockFile();
    const interrupted = { ...host, sleep: () => Promise.reject(new Error('interrupted')) };
    await expect(withLock(host, path, () => withLock(interrupted, path, () => 'never'))).rejects.toThrow('interrupted');
  });

  it('cannot be made of another file, or in no folder', async () => {
    const path = lockFile();
    writeFileSync(path, 'something else that is long enough to look like no database at all'.repeat(20));
    await expect(withLock(host, path, () => 'never')).rejects.toMatchObject({
      code: 'output_failed',
      message: expect.stringContaining(path),
    });
    const nowhere = join(path, 'x.lock');
    await expect(withLock(host, nowhere, () => 'never')).rejects.toMatchObject({
      code: 'output_failed',
      message: expect.stringContaining(nowhere),
    });
  });
});
