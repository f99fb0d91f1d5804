/**
 * One process at a time. The lock is SQLite's exclusive lock on an empty database file: the kernel
 * holds it, so it goes with its process however that ends, and none is ever left behind.
 */
import { closeSync, openSync } from 'node:fs';
import { CliError } from '../errors.ts';
import type { Host } from '../host.ts';

const busy = 5;

/**
 * Runs `act` while no other process holds the lock at `path`. Waits for it, `wait` milliseconds at
 * the longest, then throws `output_failed`, which names the file.
 */
export async function withLock<T>(
  host: Pick<Host, 'sleep' | 'random'>,
  path: string,
  act: () => T | Promise<T>,
  { wait = 30_000 }: { wait?: number } = {},
): Promise<T> {
  const { DatabaseSync } = await import('../sqlite.ts');
  const failed = (error: unknown) =>
    new CliError('output_failed', `Could not use the lock file ${path}: ${(error as Error).message}.`, {
      hint: 'Check that its folder can be written to, and that the file is empty. Nothing was changed.',
      cause: error,
    });
  let database: InstanceType<typeof DatabaseSync>;
  try {
    createPrivately(path);
    database = new DatabaseSync(path);
  } catch (error) {
    throw failed(error);
  }
  try {
    let waited = 0;
    while (!acquired()) {
      if (waited >= wait) {
        throw new CliError('output_failed', `Another proctor-cli has held the lock file ${path} for ${wait / 1000} s.`, {
          hint: 'Let it finish, or end it; the lock then opens by itself. Nothing was changed.',
        });
      }
      const pause = 5 + host.random() * 25;
      await host.sleep(pause);
      waited += pause;
    }
    return await act();
  } finally {
    database.close();
  }

  function acquired(): boolean {
    try {
      // A journal in memory: taking the lock writes nothing, so a full disk cannot keep anybody out.
      database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
      return true;
    } catch (error) {
      if (((error as { errcode?: number }).errcode ?? 0) % 256 === busy) return false;
      throw failed(error);
    }
  }
}

/** Only ever creates: to open and close a file that exists would drop this process's own lock on it (POSIX). */
function createPrivately(path: string) {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
