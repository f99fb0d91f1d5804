/**
 * The database's ID and the number of its last commit, in a small file beside it: a database that has come to fewer
 * commits, or another one, was put there from a backup. The file is overwritten in its place after each commit and not
 * synced: after a power cut it says less than is true, never more.
 */
import { closeSync, constants, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { refuseLink } from '../files/refuse-link.ts';

const { O_CREAT, O_RDWR, O_NOFOLLOW = 0 } = constants;

export type LastCommit = { id: string; seq: number };

/** Undefined where there is no such file, or what is in it is nothing that was written by us. */
export function readLastCommit(path: string): LastCommit | undefined {
  refuseLink(path);
  try {
    const [, id, seq] = /^([\w-]{22}) (\d{15})\n$/.exec(readFileSync(path, 'latin1')) ?? [];
    return id === undefined ? undefined : { id, seq: Number(seq) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** `sync`: it is on the disk when the call returns. Throws the file system's error. */
export function writeLastCommit(path: string, { id, seq }: LastCommit, { sync = false } = {}): void {
  const file = openSync(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600);
  try {
    // Always of one length, so that it never grows: a full disk does not matter.
    writeSync(file, `${id} ${String(seq).padStart(15, '0')}\n`, 0, 'latin1');
    if (sync) fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
