/**
 * A file for its owner only to which lines are added, by several processes at once, and from which none is ever
 * taken. A line is on the disk when it has been added.
 */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makePrivateFolder } from './private-folder.ts';

const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW = 0 } = constants;

/** `line` without its end. Throws the file system's error. */
export async function addPrivateLine(path: string, line: string): Promise<void> {
  makePrivateFolder(dirname(path));
  const file = await open(path, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600);
  try {
    await file.appendFile(`${line}\n`);
    await file.datasync();
  } finally {
    await file.close();
  }
}
