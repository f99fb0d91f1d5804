/**
 * Node's own SQLite, and the locks that it gives: its exclusive lock on an empty database file. The kernel holds such a lock, so it ends
 * with its process, even a killed one, and never goes stale.
 */
import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { CliError } from '../errors.ts';
import { systemReason } from '../host/host.ts';
import { sentence } from '../text/sentence.ts';
import { makePrivateFolder, refuseLink } from './private-files.ts';

export type { SQLInputValue, StatementSync } from 'node:sqlite';

// Older versions of Node print a warning while it loads.
const { emitWarning } = process;
process.emitWarning = () => {};
export const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
process.emitWarning = emitWarning;

type Database = InstanceType<typeof DatabaseSync>;

const busy = 5;
/** Milliseconds. */
const patience = 10_000;

/** Acts while no other process holds the lock at `path`. Throws `output_failed`, which names the file. */
export async function withLock<T>(path: string, act: () => T | Promise<T>): Promise<T> {
  const lock = taken(path);
  try {
    return await act();
  } finally {
    lock.close();
  }
}

function taken(path: string): Database {
  try {
    const lock = locked(path, patience);
    if (lock) return lock;
    throw new Error(`another proctor-cli has held it for ${patience / 1000} s`);
  } catch (cause) {
    const what = sentence`Could not use the lock file ${path}: ${systemReason(cause)}. Nothing was changed.`;
    const hint = 'Wait until no other proctor-cli runs; check that the folder is writable and the file empty.';
    throw new CliError('output_failed', what, { cause, hint });
  }
}

/** The lock on a file, held until it is closed; undefined if another process has it. With its journal in memory it writes nothing. */
export function locked(path: string, timeout = 0): Database | undefined {
  makePrivateFolder(dirname(path));
  createPrivately(path);
  const file = new DatabaseSync(path, { timeout });
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
