/** A file for its owner only that is written beside its path, synced, and renamed into place: a link there is replaced, never followed. */
import { randomUUID } from 'node:crypto';
import { type FileHandle, link, open, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** `replace`: whether an existing file may be; else throws `EEXIST`, even if it appeared last. */
type Placing = { replace: boolean };

/** Throws the errors of the file system and of `write`; the path is then unchanged. */
export async function writePrivateFile(path: string, write: (file: FileHandle) => Promise<void>, { replace }: Placing): Promise<void> {
  const draft = draftBeside(path);
  const handle = await open(draft, 'wx', 0o600);
  try {
    await write(handle);
    await handle.sync();
    await handle.close();
    const isPlaced = !replace && (await link(draft, path).then(() => true, unlessThere));
    // Where there are no hard links, an empty file reserves the path until it is replaced.
    if (!replace && !isPlaced) await (await open(path, 'wx', 0o600)).close();
    await (isPlaced ? unlink(draft) : rename(draft, path));
  } catch (error) {
    await handle.close().catch(() => {});
    await unlink(draft).catch(() => {});
    throw error;
  }
  // The new entry survives a power cut, where the system syncs folders.
  const folder = await open(dirname(path), 'r').catch(() => undefined);
  await folder?.sync().catch(() => {});
  await folder?.close();
}

/** Throws the file system's error if no file can be created in its folder; for any user, only creating one shows that. */
export async function checkFolderOf(path: string): Promise<void> {
  const draft = draftBeside(path);
  await (await open(draft, 'wx', 0o600)).close();
  await unlink(draft);
}

function unlessThere(error: NodeJS.ErrnoException): false {
  if (error.code === 'EEXIST') throw error;
  return false;
}

/** Its length does not depend on the path's: a file name may already have the maximum length. */
function draftBeside(path: string): string {
  return join(dirname(path), `.proctor-cli-${randomUUID()}`);
}
