/**
 * The file of a store: made atomically, shared by any number of processes, and intact when one of them is killed. A file that
 * another program has put in its place is left alone.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, linkSync, lstatSync, openSync, readSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../errors.ts';
import { makePrivateFolder } from '../state/private-folder.ts';
import { sentence } from '../text/sentence.ts';
import { applicationId, Store } from './store.ts';

/** The folder's store; if it is missing, makes it. Throws `unavailable`. */
export function openStore(folder: string, fill: (store: Store) => unknown): Store {
  return orUnusable(folder, (file) => {
    makeIfMissing(file, fill);
    const store = new Store(file);
    store.token();
    return store;
  });
}

/** Replaces what the folder's store holds, in one transaction; one that is missing or damaged is made anew. Throws `unavailable`. */
export function refillStore<T>(folder: string, fill: (store: Store) => T): T {
  return orUnusable(folder, (file) => {
    makeIfMissing(file, fill);
    try {
      return refill(file, fill);
    } catch (error) {
      if (!isDamage(error)) throw error;
      // The rest of its log would be taken for that of the new one.
      for (const rest of ['-wal', '-shm']) rmSync(file + rest, { force: true });
      return make(file, fill, renameSync);
    }
  });
}

/** Does what needs the folder's store. What the system or SQLite refuses is thrown as `unavailable`. */
export function orUnusable<T>(folder: string, work: (file: string) => T): T {
  const file = join(folder, 'sandbox.db');
  try {
    return work(file);
  } catch (error) {
    throw new CliError('unavailable', sentence`The sandbox cannot use its database ${file}: ${(error as Error).message}.`, {
      hint: isDamage(error)
        ? 'To make it anew, with the first data: sandbox reset'
        : 'Move the file away, or choose another folder with PROCTOR_STATE_DIR.',
      cause: error,
    });
  }
}

/** Throws if there is a file that is not ours. */
function makeIfMissing(file: string, fill: (store: Store) => unknown): void {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats && !(stats.isFile() && isOurs(file))) throw new Error('it is not a file of the sandbox');
  if (stats) return;
  try {
    make(file, fill, linkSync);
  } catch (error) {
    // Another process was faster: its store serves as well.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Whether a file is empty, or has our mark where SQLite keeps it: damage further on leaves it there. */
function isOurs(file: string): boolean {
  const header = Buffer.alloc(72);
  // Before this process has it open: closing a file drops the locks of its process on it (POSIX).
  const descriptor = openSync(file, 'r');
  const length = readSync(descriptor, header);
  closeSync(descriptor);
  return length === 0 || (header.toString('latin1', 0, 15) === 'SQLite format 3' && header.readUInt32BE(68) === applicationId);
}

/** Made under another name and put into place when complete, so that an incomplete one is never opened. */
function make<T>(file: string, fill: (store: Store) => T, put: (draft: string, file: string) => void): T {
  makePrivateFolder(join(file, '..'));
  const draft = `${file}.${randomUUID()}`;
  try {
    closeSync(openSync(draft, 'wx', 0o600));
    const filled = using(draft, (store) => store.create(fill));
    put(draft, file);
    return filled;
  } finally {
    rmSync(draft, { force: true });
  }
}

function refill<T>(file: string, fill: (store: Store) => T): T {
  return using(file, (store) =>
    store.transaction('write', () => {
      store.token();
      store.clear();
      const filled = fill(store);
      const found = store.sql('PRAGMA quick_check(1)').get()?.quick_check;
      if (found !== 'ok') throw Object.assign(new Error(String(found)), { errcode: corrupt });
      return filled;
    }),
  );
}

function using<T>(file: string, work: (store: Store) => T): T {
  const store = new Store(file);
  try {
    return work(store);
  } finally {
    store.close();
  }
}

const corrupt = 11;

/** By SQLite's codes: SQLITE_ERROR (a table is missing), SQLITE_CORRUPT, SQLITE_NOTADB. */
function isDamage(error: unknown): boolean {
  return [1, corrupt, 26].includes((error as { errcode?: number }).errcode ?? 0);
}
