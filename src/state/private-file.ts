/**
 * A file for its owner only that is there whole or not at all: it is written beside its place, brought
 * to the disk, and put there at one stroke. A link at the place is replaced, never followed.
 */
import { randomUUID } from 'node:crypto';
import { type FileHandle, link, open, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export type Placing = {
  /** Whether what stands at the place may be replaced; else `EEXIST` is thrown where something does, even if it came last. */
  replace: boolean;
};

/** Throws what the file system or `write` throws; the place is then as it was. */
export async function writePrivateFile(path: string, write: (file: FileHandle) => Promise<void>, { replace }: Placing): Promise<void> {
  const draft = draftBeside(path);
  const handle = await open(draft, 'wx', 0o600);
  try {
    await write(handle);
    await handle.sync();
    await handle.close();
    if (replace) await rename(draft, path);
    else await putWhereNothingIs(draft, path);
  } catch (error) {
    await handle.close().catch(() => {});
    await unlink(draft).catch(() => {});
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Throws the file system's error if its folder takes no file: only creating one shows it, for any user. */
export async function checkFolderOf(path: string): Promise<void> {
  const draft = draftBeside(path);
  await (await open(draft, 'wx', 0o600)).close();
  await unlink(draft);
}

/** Of a length of its own: the name of the place may be as long as a name can be. */
function draftBeside(path: string): string {
  return join(dirname(path), `.proctor-cli-${randomUUID()}`);
}

/** What several systems say of a file system without hard links. */
const noLinks = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK']);

async function putWhereNothingIs(draft: string, path: string): Promise<void> {
  try {
    await link(draft, path);
    await unlink(draft);
  } catch (error) {
    if (!noLinks.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    // An empty file holds the place for the moment until it is replaced.
    await (await open(path, 'wx', 0o600)).close();
    await rename(draft, path);
  }
}

/** What was put there survives a power cut, where the system syncs folders. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined);
  await folder?.sync().catch(() => {});
  await folder?.close().catch(() => {});
}
