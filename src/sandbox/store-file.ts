/** The file of a store: shared by any number of processes, and intact when one of them is killed. One of another program is left as it is. */
import { closeSync, lstatSync, openSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../errors.ts';
import { makePrivateFolder } from '../files/private-folder.ts';
import { typedCommand, typedOption } from '../model/shell-quote.ts';
import { sentence } from '../text/sentence.ts';
import { applicationId, Store } from './store.ts';

type Fill<T> = (store: Store) => T;

/** Opens the folder's store; one that is missing or empty is filled first. Throws `unavailable`. */
export function openStore(folder: string, fill: Fill<unknown>): Store {
  return orUnusable(folder, (file) => {
    makePrivateFolder(folder);
    if (!isOurs(file)) throw new Error('it is not a file of the sandbox');
    const store = new Store(file);
    try {
      store.create(fill);
      return store;
    } catch (error) {
      store.close();
      throw error;
    }
  });
}

/** Does some work on the folder's store. Throws `unavailable`. */
export function inStore<T>(folder: string, fill: Fill<unknown>, work: Fill<T>): T {
  const store = openStore(folder, fill);
  try {
    return orUnusable(folder, () => work(store));
  } finally {
    store.close();
  }
}

/** Replaces what the folder's store holds, in one transaction; a damaged one is made anew. Throws `unavailable`. */
export function refillStore<T>(folder: string, fill: Fill<T>): T {
  const refilled = () => inStore(folder, fill, (store) => store.refill(fill));
  try {
    return refilled();
  } catch (error) {
    if (!isDamage((error as CliError).cause)) throw error;
    orUnusable(folder, (file) => {
      for (const part of ['', '-wal', '-shm']) rmSync(file + part, { force: true });
    });
    return refilled();
  }
}

/** What the system or SQLite refuses is thrown as `unavailable`. */
function orUnusable<T>(folder: string, work: (file: string) => T): T {
  const file = join(folder, 'sandbox.db');
  try {
    return work(file);
  } catch (error) {
    throw new CliError('unavailable', sentence`The sandbox cannot use its database ${file}: ${(error as Error).message}.`, {
      hint: isDamage(error)
        ? sentence`To make it anew, with the first data: proctor-cli ${typedCommand('sandbox reset', [], typedOption('--folder', folder))}`
        : 'Move the file away, or choose another folder with PROCTOR_STATE_DIR.',
      cause: error,
    });
  }
}

/** By SQLite's codes: SQLITE_ERROR (a table is missing), SQLITE_CORRUPT, SQLITE_NOTADB. */
function isDamage(error: unknown): boolean {
  return [1, 11, 26].includes((error as { errcode?: number }).errcode ?? 0);
}

/** Whether a file is empty, or has our mark where SQLite keeps it: damage further on leaves it there. A missing one is made. */
function isOurs(file: string): boolean {
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() === false) return false;
  const header = Buffer.alloc(72);
  // Before this process has it open: closing a file drops the locks of its process on it (POSIX).
  const descriptor = openSync(file, 'a+', 0o600);
  const length = readSync(descriptor, header, { position: 0 });
  closeSync(descriptor);
  return length === 0 || (header.toString('latin1', 0, 15) === 'SQLite format 3' && header.readUInt32BE(68) === applicationId);
}
