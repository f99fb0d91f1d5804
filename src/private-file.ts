/**
 * A file for its owner only that is there whole or not at all: it is written beside its place,
 * brought to the disk, and moved over whatever stood there.
 */
import { randomUUID } from 'node:crypto';
import { access, constants, type FileHandle, open, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Throws what the file system says where no file can be written: its folder takes none, or a folder stands there. */
export async function checkWritable(path: string): Promise<void> {
  await access(dirname(path), constants.W_OK);
  const there = await stat(path).catch(() => undefined);
  if (there?.isDirectory()) throw Object.assign(new Error('a folder stands there'), { code: 'EISDIR' });
}

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
