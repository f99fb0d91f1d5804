/**
 * A file for its owner only that is there whole or not at all: it is written beside its place,
 * brought to the disk, and moved over the file that stood there. A link stays, and what it leads to is replaced.
 */
import { randomUUID } from 'node:crypto';
import { access, constants, type FileHandle, open, realpath, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Throws what the file system says where no file can be written: its folder takes none, or something else stands there. */
export async function checkWritable(path: string): Promise<void> {
  const there = await stat(path).catch(() => undefined);
  // Whoever may write to the folder of devices could put a file in place of one.
  if (there && !there.isFile()) throw Object.assign(new Error('no file stands there'), { code: there.isDirectory() ? 'EISDIR' : 'EEXIST' });
  await access(dirname(await placeOf(path)), constants.W_OK);
}

/** Throws what the file system or `write` throws; the place is then as it was. */
export async function writePrivateFile(path: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
  const place = await placeOf(path);
  const draft = join(dirname(place), `.${basename(place)}.${randomUUID()}`);
  const handle = await open(draft, 'wx', 0o600);
  try {
    await write(handle);
    await handle.sync();
    await handle.close();
    await rename(draft, place);
  } catch (error) {
    await handle.close().catch(() => {});
    await unlink(draft).catch(() => {});
    throw error;
  }
}

/** Where a link leads; the path itself where nothing is there. */
function placeOf(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}
