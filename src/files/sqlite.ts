/** Node's own SQLite, and its exclusive lock on an empty file: the kernel holds it, so it ends with its process, even a killed one. */
import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { makePrivateFolder, refuseLink } from './private-files.ts';

export type { SQLInputValue, StatementSync } from 'node:sqlite';

// Older versions of Node print a warning while it loads.
const { emitWarning } = process;
process.emitWarning = () => {};
export const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
process.emitWarning = emitWarning;

/** The lock on a file, held until it is closed; undefined if another process has it. With its journal in memory it writes nothing. */
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
