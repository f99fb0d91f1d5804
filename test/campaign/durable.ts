/** How much of a journal would survive a power cut: what was on the disk when a sync began, written down at its end. */
import { appendFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type JournalFile, realFiles } from '../../src/state/journal/files.ts';

/** Writes the durable length of a journal into a folder, where `oracle.ts` reads it. */
export function noteDurable(folder: string, path: string, length: number): void {
  appendFileSync(join(folder, basename(path)), `${length}\n`);
}

/** The file, of which `durable` bytes survive; tells after each sync how many do then. */
export function tellingSyncs(file: JournalFile, durable: number, tell: (length: number) => void): JournalFile {
  let synced = durable;
  return {
    ...file,
    async sync() {
      const length = await file.size();
      await file.sync();
      synced = Math.max(synced, length);
      tell(synced);
    },
  };
}

/** Notes the syncs of this process, into the folder that `noteIn` gives for a journal. Returns what ends that. */
export function noteSyncs(noteIn: (path: string) => string | undefined): () => void {
  const { create, open } = realFiles;
  const telling = async (path: string, file: JournalFile) => {
    const folder = noteIn(path);
    return folder === undefined ? file : tellingSyncs(file, await file.size(), (length) => noteDurable(folder, path, length));
  };
  Object.assign(realFiles, {
    create: async (path) => telling(path, await create(path)),
    open: async (path, how) => (how === 'read' ? open(path, how) : telling(path, await open(path, how))),
  } satisfies Pick<typeof realFiles, 'create' | 'open'>);
  return () => Object.assign(realFiles, { create, open });
}
