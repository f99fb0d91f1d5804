/**
 * A disk in memory that knows what would survive a power cut, and fails where a test says so. `log`
 * holds what was asked of it, in order.
 */
import type { JournalFile, JournalFiles } from '../../../src/state/journal/files.ts';

type Operation = 'create' | 'write' | 'sync' | 'syncFolder' | 'truncate' | 'close';
/** Throws to fail the operation; a number is how many bytes a write takes. */
export type Fault = (operation: Operation, count: number) => number | undefined;

export type Disk = JournalFiles & {
  log: string[];
  /** How often each kind was asked for. */
  counts: Record<Operation, number>;
  /** How many files were opened and not closed. */
  opened(): number;
  /** What a reader sees now. */
  now: Map<string, Buffer>;
  /** What a power cut leaves at least. */
  durable: Map<string, Buffer>;
};

export function memoryDisk(given: Iterable<[string, Buffer]> = [], fault: Fault = () => undefined): Disk {
  const now = new Map(given);
  const durable = new Map(now);
  const named = new Set(now.keys());
  const log: string[] = [];
  const counts = { create: 0, write: 0, sync: 0, syncFolder: 0, truncate: 0, close: 0 };
  let opened = 0;

  const ask = async (operation: Operation) => {
    await new Promise(setImmediate);
    const count = ++counts[operation];
    const limit = fault(operation, count);
    log.push(operation);
    return limit;
  };
  const settle = (path: string) => {
    if (named.has(path)) durable.set(path, now.get(path) ?? Buffer.alloc(0));
  };

  const fileAt = (path: string): JournalFile => {
    opened++;
    const bytes = () => now.get(path) ?? Buffer.alloc(0);
    return {
      size: async () => bytes().length,
      // Never all that was asked for: a reader has to ask again.
      read: async (into, position) => bytes().copy(into, 0, position, position + Math.ceil(into.length / 2)),
      async write(given, position) {
        const limit = await ask('write');
        const part = given.subarray(0, limit ?? given.length);
        now.set(path, Buffer.concat([bytes().subarray(0, position), part]));
        return part.length;
      },
      async truncate(length) {
        await ask('truncate');
        now.set(path, bytes().subarray(0, length));
      },
      async sync() {
        await ask('sync');
        settle(path);
      },
      // Not in the log, which holds what is asked of the disk: a failed journal still closes its file.
      async close() {
        opened--;
        fault('close', ++counts.close);
      },
    };
  };

  return {
    log,
    counts,
    opened: () => opened,
    now,
    durable,
    makeFolder: async () => {},
    async create(path) {
      await ask('create');
      if (now.has(path)) throw Object.assign(new Error(`EEXIST: ${path}`), { code: 'EEXIST' });
      now.set(path, Buffer.alloc(0));
      return fileAt(path);
    },
    open: async (path) => fileAt(path),
    async syncFolder(folder) {
      await ask('syncFolder');
      for (const path of now.keys()) {
        if (!path.startsWith(folder)) continue;
        named.add(path);
        // What was synced before its name was: only now can it be found after a power cut.
        if (!durable.has(path)) settle(path);
      }
    },
    async list(folder, what) {
      const below = [...now.keys()].filter((path) => path.startsWith(`${folder}/`)).map((path) => path.slice(folder.length + 1));
      const folders = below.filter((path) => path.includes('/')).map((path) => path.slice(0, path.indexOf('/')));
      return what === 'files' ? below.filter((path) => !path.includes('/')) : [...new Set(folders)];
    },
  };
}
