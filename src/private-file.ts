/**
 * A file for its owner only that is there whole or not at all: it is written beside its place,
 * brought to the disk, and moved over whatever stood there.
 */
import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Throws what the file system or `write` throws; the place is then as it was. */
export async function writePrivateFile(path: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
  const draft = join(dirname(path), `.${basename(path)}.${randomUUID()}`);
  const handle = await open(draft, 'wx', 0o600);
  try {
    await write(handle);
    await handle.sync();
    await handle.close();
    await rename(draft, path);
  } catch (error) {
    await handle.close().catch(() => {});
    await unlink(draft).catch(() => {});
    throw error;
  }
}
