/** Node's own SQLite, and its exclusive lock on an empty file, which ends with a killed process, too. */
import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { makePrivateFolder, refuseLink } from './private-files.ts';

export type { SQLInputValue, StatementSync } from 'node:sqlite';

// Older versions of Node print a warning while it loads.
const { emitWarning } = process;
process.emitWarning = () => {};
export const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
process.emitWarning = emitWarning;

/** Held until it is closed; undefined if another process has it. Writes nothing. */
export function locked(path: string, timeout = 0): InstanceType<typeof DatabaseSync> | undefined {
  makePrivateFolder(dirname(path));
  createPrivately(path);
  const file = new DatabaseSync(path, { timeout });
  try {
    file.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return file;
  } catch (error) {
    file.close();
    // SQLITE_BUSY
    if (sqliteCode(error) === 5) return undefined;
    throw error;
  }
}

/** A database and what SQLite keeps beside it: the journal of another user would be played back into it. */
export function databaseFiles(path: string): string[] {
  return ['', '-journal', '-wal', '-shm'].map((ending) => path + ending);
}

/** Opening and closing a file that exists would drop this process's locks on it (POSIX). */
export function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    // SQLite would create the file that a link leads to.
    refuseLink(path);
  }
}

/** SQLite's primary code; -1 for any other error. */
export function sqliteCode(error: unknown): number {
  return ((error as { errcode?: number }).errcode ?? -1) % 256;
}
