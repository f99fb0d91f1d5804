import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { holdLock, withLock } from '../../src/state/lock.ts';
import { temporaryFolder } from '../config/world.ts';

const inWords = (instant: number) => `${(instant - Date.UTC(2026, 0, 2)) / 60_000} minutes after midnight`;
const host = { sleep: (milliseconds: number) => pause(milliseconds / 10), random: Math.random, inWords };
/** Waits take it no time. */
const impatient = { ...host, sleep: async () => {} };
const lockFile = () => join(temporaryFolder(), 'some.lock');

describe('a lock', () => {
  test('lets one in at a time', async () => {
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

  test('gives back what was done, opens after a failure, and leaves an empty file', async () => {
    const path = lockFile();
    await expect(withLock(host, path, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await withLock(host, path, () => 42)).toBe(42);
    expect(readFileSync(path)).toHaveLength(0);
  });

  test('is not taken through a link, which would create a file elsewhere', async () => {
    const path = lockFile();
    symlinkSync(`${path}.elsewhere`, path);
    await expect(withLock(host, path, () => 'never')).rejects.toMatchObject({
      code: 'output_failed',
      message: `Could not use the lock file ${path}: it is a link, which is not followed.`,
    });
    expect(existsSync(`${path}.elsewhere`)).toBe(false);
  });

  test('is not waited for without end: the error names the file', async () => {
    const path = lockFile();
    const late = withLock(host, path, () => withLock(impatient, path, () => 'never'));
    await expect(late).rejects.toMatchObject({ code: 'output_failed', message: expect.stringContaining(path) });
  });

  test('is not lost when another caller in the same process fails to take it', async () => {
    const path = lockFile();
    const other = `const d = new (require('node:sqlite').DatabaseSync)(${JSON.stringify(path)}); d.exec('BEGIN EXCLUSIVE')`;
    const taken = () => spawnSync(process.execPath, ['-e', other]).status === 0;
    await withLock(host, path, async () => {
      await withLock(impatient, path, () => 'never').catch(() => {});
      expect(taken()).toBe(false);
    });
    expect(taken()).toBe(true);
  });

  test('stops waiting when the command is interrupted', async () => {
    const path = lockFile();
    const interrupted = { ...host, sleep: () => Promise.reject(new Error('interrupted')) };
    await expect(withLock(host, path, () => withLock(interrupted, path, () => 'never'))).rejects.toThrow('interrupted');
  });

  test('cannot be made of another file, or in no folder', async () => {
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

describe('a lock that is held for a whole run', () => {
  const holder = { pid: 4711, machine: 'build-7', since: Date.UTC(2026, 0, 2, 10, 15), command: 'sessions import' };

  test('refuses the next one at once, and names the holder', async () => {
    const path = lockFile();
    const held = await holdLock(host, path, { ...holder, run: '20260102T101500-abcdef' });
    const refused = (who: string) => ({ code: 'already_running', exit: 8, message: `${who} holds the lock file ${path}.` });
    await expect(holdLock(host, path, { ...holder, pid: 1 })).rejects.toMatchObject(
      refused(
        'Another proctor-cli (process 4711 on build-7, since 615 minutes after midnight, sessions import, run 20260102T101500-abcdef)',
      ),
    );
    writeFileSync(`${path}.json`, '{"pid":');
    await expect(holdLock(host, path, holder)).rejects.toMatchObject(refused('Another proctor-cli'));

    held.release();
    expect(existsSync(`${path}.json`)).toBe(false);
    (await holdLock(host, path, holder)).release();
  });

  test('is held by another process until that is killed, whatever it leaves behind', async () => {
    const path = lockFile();
    const module = join(import.meta.dirname, '../../src/state/lock.ts');
    const program = `import { holdLock } from ${JSON.stringify(module)};
      await holdLock({}, ${JSON.stringify(path)}, { ...${JSON.stringify(holder)}, pid: process.pid });
      console.log('held');
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], { env: { PATH: process.env.PATH } });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    await expect(holdLock(host, path, holder)).rejects.toMatchObject({
      code: 'already_running',
      message: expect.stringContaining(`process ${child.pid} on build-7`),
    });
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(existsSync(`${path}.json`)).toBe(true);
    const held = await holdLock(host, path, { ...holder, pid: 12 });
    await expect(holdLock(host, path, holder)).rejects.toMatchObject({ message: expect.stringContaining('process 12 ') });
    held.release();
  });

  const named = (who: string) => ({ message: expect.stringContaining(who) });

  test('waits a moment for the holder to write its name', async () => {
    const path = lockFile();
    let waits = 0;
    const sleep = async () => {
      if (++waits === 3) writeFileSync(`${path}.json`, JSON.stringify({ ...holder, pid: 99 }));
    };
    await withLock(host, path, async () => {
      await expect(holdLock({ ...host, sleep }, path, holder)).rejects.toMatchObject(named('process 99 on build-7'));
    });
  });

  test('does not name an earlier holder', async () => {
    const path = lockFile();
    writeFileSync(`${path}.json`, JSON.stringify({ ...holder, pid: 98 }));
    const sleep = async () => writeFileSync(`${path}.json`, JSON.stringify({ ...holder, pid: 99 }));
    await withLock(host, path, async () => {
      await expect(holdLock({ ...host, sleep }, path, holder)).rejects.toMatchObject(named('process 99 '));
    });
  });

  test('is free for whoever asked while its holder ended', async () => {
    const path = lockFile();
    const first = await holdLock(host, path, holder);
    const second = await holdLock({ ...host, sleep: async () => first.release() }, path, { ...holder, pid: 12 });
    await expect(holdLock(host, path, holder)).rejects.toMatchObject(named('process 12 '));
    second.release();
  });

  test('names no holder if none is written, and has then waited a second', async () => {
    const path = lockFile();
    let waited = 0;
    const sleep = async (milliseconds: number) => {
      waited += milliseconds;
    };
    await withLock(host, path, async () => {
      await expect(holdLock({ ...host, sleep }, path, holder)).rejects.toMatchObject({
        message: `Another proctor-cli holds the lock file ${path}.`,
      });
    });
    expect(waited).toBe(1000);
  });

  test('does not need the file that names its holder', async () => {
    const path = lockFile();
    mkdirSync(`${path}.json`);
    const held = await holdLock(host, path, holder);
    await expect(holdLock(host, path, holder)).rejects.toMatchObject({ code: 'already_running' });
    held.release();
  });
});
