/**
 * What a journal asks of a file system, so that tests can be one that fails, and Node's own. Nothing
 * here retries or repairs: a short write says so, an error is thrown as it came.
 */
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makePrivateFolder } from '../private-folder.ts';

export type JournalFile = {
  size(): Promise<number>;
  /** Fills `into` from `position`, or less; 0 at the end of the file. */
  read(into: Buffer, position: number): Promise<number>;
  /** Resolves to how many bytes were written, which may be fewer than given. */
  write(bytes: Buffer, position: number): Promise<number>;
  truncate(length: number): Promise<void>;
  /** Resolves when what was written and the file's length will survive a power cut. */
  sync(): Promise<void>;
  close(): Promise<void>;
};

export type JournalFiles = {
  /** Makes the folder and those above it, for their owner only, to survive a power cut. */
  makeFolder(path: string): Promise<void>;
  /** Makes a new file, for its owner only. */
  create(path: string): Promise<JournalFile>;
  open(path: string, how: 'read' | 'write'): Promise<JournalFile>;
  /** What was made in the folder will survive a power cut. */
  syncFolder(path: string): Promise<void>;
  /** Names in the folder, none where there is no such folder; `folders` alone, or files alone. */
  list(path: string, what: 'folders' | 'files'): Promise<string[]>;
};

export const realFiles: JournalFiles = {
  async makeFolder(path) {
    makePrivateFolder(path);
    // All the way up, even if the folder exists: the process that made it may have died before its sync.
    for (let made = path; made !== dirname(made); made = dirname(made)) await realFiles.syncFolder(dirname(made));
  },
  create: async (path) => journalFile(await open(path, 'wx+', 0o600)),
  open: async (path, how) => journalFile(await open(path, how === 'read' ? 'r' : 'r+')),
  async syncFolder(path) {
    try {
      const folder = await open(path, 'r');
      await folder.sync().finally(() => folder.close());
    } catch (error) {
      if (!cannotSyncFolders.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  },
  async list(path, what) {
    try {
      const entries = await readdir(path, { withFileTypes: true });
      return entries.filter((entry) => (what === 'folders' ? entry.isDirectory() : entry.isFile())).map(({ name }) => name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  },
};

/** What Windows, some network file systems and the folders of others answer; there, it is the system's own affair. */
const cannotSyncFolders = new Set(['EISDIR', 'EPERM', 'EACCES', 'EINVAL', 'ENOTSUP']);

function journalFile(handle: FileHandle): JournalFile {
  return {
    size: async () => (await handle.stat()).size,
    read: async (into, position) => (await handle.read(into, 0, into.length, position)).bytesRead,
    write: async (bytes, position) => (await handle.write(bytes, 0, bytes.length, position)).bytesWritten,
    truncate: (length) => handle.truncate(length),
    sync: () => handle.datasync(),
    close: () => handle.close(),
  };
}
