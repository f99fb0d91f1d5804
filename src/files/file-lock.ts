/**
 * One process at a time. The lock is SQLite's exclusive lock on an empty database file: the kernel holds it, so it ends with its process,
 * even a killed one, and never goes stale.
 */
import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { makePrivateFolder, refuseLink, whyNotWritten } from './private-folder.ts';
import { DatabaseSync } from './sqlite.ts';

const busy = 5;
/** Milliseconds. */
const patience = 30_000;

/**
 * Acts while no other process holds the lock at `path`. Waits for it as long as `patience`. Throws `output_failed`, which names the file.
 */
export async function withLock<T>(host: Pick<Host, 'sleep' | 'random'>, path: string, act: () => T | Promise<T>): Promise<T> {
  const failed = (what: Sentence, hint: string) =>
    new CliError('output_failed', sentence`${what} Nothing was changed.`, { hint: sentence`${hint}` });
  const take = () => {
    try {
      return locked(path);
    } catch (error) {
      const what = sentence`Could not use the lock file ${path}: ${whyNotWritten(error)}.`;
      throw failed(what, 'Check that its folder is writable and that the file is empty.');
    }
  };
  let lock = take();
  for (let waited = 0; !lock; lock = take()) {
    const what = sentence`Another proctor-cli has held the lock file ${path} for ${patience / 1000} s.`;
    if (waited >= patience) throw failed(what, 'Wait until it ends, or stop it; this releases the lock.');
    const pause = 5 + host.random() * 25;
    await host.sleep(pause);
    waited += pause;
  }
  try {
    return await act();
  } finally {
    lock.close();
  }
}

/** The lock on a file, held until it is closed; undefined if another process has it. With its journal in memory it writes nothing. */
export function locked(path: string): InstanceType<typeof DatabaseSync> | undefined {
  makePrivateFolder(dirname(path));
  createPrivately(path);
  const file = new DatabaseSync(path, { timeout: 0 });
  try {
    file.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return file;
  } catch (error) {
    file.close();
    if (sqliteCode(error) === busy) return undefined;
    throw error;
  }
}

/** Only ever creates: opening and closing an existing file would drop the locks of this process on it (POSIX). */
export function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    // SQLite would create the file that a link leads to, with the rights of any other file.
    refuseLink(path);
  }
}

/** SQLite's primary code; -1 for an error of somebody else. */
export function sqliteCode(error: unknown): number {
  return ((error as { errcode?: number }).errcode ?? -1) % 256;
}
