/**
 * The file system calls of a journal: Node's own, and an interface for tests that make them fail. Nothing
 * here retries or repairs: a short write is reported, and an error is thrown as it came.
 */
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makePrivateFolder } from '../private-folder.ts';

export type JournalFile = {
  size(): Promise<number>;
  /** Reads up to the length of `into`, from `position`; 0 at the end of the file. */
  read(into: Buffer, position: number): Promise<number>;
  /** Resolves to the number of bytes written, which may be fewer than given. */
  write(bytes: Buffer, position: number): Promise<number>;
  truncate(length: number): Promise<void>;
  /** Resolves when the written bytes and the file's length will survive a power cut. */
  sync(): Promise<void>;
  close(): Promise<void>;
};

export type JournalFiles = {
  /** Creates the folder and its missing parents, for their owner only; they survive a power cut. */
  makeFolder(path: string): Promise<void>;
  /** Creates a new file, for its owner only. */
  create(path: string): Promise<JournalFile>;
  open(path: string, how: 'read' | 'write'): Promise<JournalFile>;
  /** Makes new entries of the folder survive a power cut. */
  syncFolder(path: string): Promise<void>;
  /** Names in the folder, none if the folder is missing; either folders only or files only. */
  list(path: string, what: 'folders' | 'files'): Promise<string[]>;
};

export const realFiles: JournalFiles = {
  async makeFolder(path) {
    makePrivateFolder(path);
    // All the way up, even if the folder exists: the process that created it may have died before its sync.
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

/** Errors on Windows, on some network file systems and on folders of other users; syncing is up to the system there. */
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
