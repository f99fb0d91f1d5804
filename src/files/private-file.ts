/**
 * A file for its owner only that is replaced atomically: it is written beside its path, synced, and
 * renamed into place. A link at the path is replaced, never followed.
 */
import { randomUUID } from 'node:crypto';
import { type FileHandle, link, open, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export type Placing = {
  /** Whether an existing file may be replaced; otherwise throws `EEXIST` if there is one, even if it appeared last. */
  replace: boolean;
  /** Its permissions, where it is made for others as well. */
  mode?: number;
};

/** Throws the errors of the file system and of `write`; the path is then unchanged. */
export async function writePrivateFile(
  path: string,
  write: (file: FileHandle) => Promise<void>,
  { replace, mode = 0o600 }: Placing,
): Promise<void> {
  const draft = draftBeside(path);
  const handle = await open(draft, 'wx', mode);
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

/**
 * Throws the file system's error if no file can be created in its folder; for any user, only creating one
 * shows that.
 */
export async function checkFolderOf(path: string): Promise<void> {
  const draft = draftBeside(path);
  await (await open(draft, 'wx', 0o600)).close();
  await unlink(draft);
}

/** Its length does not depend on the path's: a file name may already have the maximum length. */
function draftBeside(path: string): string {
  return join(dirname(path), `.proctor-cli-${randomUUID()}`);
}

/** Errors of various systems for a file system without hard links. */
const noLinks = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK']);

async function putWhereNothingIs(draft: string, path: string): Promise<void> {
  try {
    await link(draft, path);
    await unlink(draft);
  } catch (error) {
    if (!noLinks.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    // An empty file reserves the path until it is replaced.
    await (await open(path, 'wx', 0o600)).close();
    await rename(draft, path);
  }
}

/** Makes the new entry survive a power cut, if the system syncs folders. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined);
  await folder?.sync().catch(() => {});
  await folder?.close().catch(() => {});
}
