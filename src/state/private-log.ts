/**
 * A file for its owner only. Several processes may append lines to it at once; none is ever removed. A
 * line is on the disk once the call resolves.
 */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makePrivateFolder } from './private-folder.ts';

const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW = 0 } = constants;

/** `line` has no newline. Throws the file system's error. */
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
