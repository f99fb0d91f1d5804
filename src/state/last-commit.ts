/**
 * The database's ID and the number of its last commit, in a small file beside it: a database that has come to fewer
 * commits, or another one, was put there from a backup. The file is overwritten in its place after each commit and not
 * synced: after a power cut it says less than is true, never more.
 */
import { closeSync, constants, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { refuseLink } from './refuse-link.ts';

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

/** Of a new or accepted database: this one is on the disk when the call returns. */
export function writeFirstCommit(path: string, commit: LastCommit): void {
  const file = new LastCommitFile(path, commit.id);
  try {
    file.write(commit.seq);
    file.sync();
  } finally {
    file.close();
  }
}

export class LastCommitFile {
  readonly #file: number;
  readonly #id: string;

  /** Throws the file system's error. */
  constructor(path: string, id: string) {
    this.#id = id;
    this.#file = openSync(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600);
  }

  write(seq: number): void {
    // Always of one length, so that it never grows: a full disk does not matter.
    writeSync(this.#file, `${this.#id} ${String(seq).padStart(15, '0')}\n`, 0, 'latin1');
  }

  sync(): void {
    fsyncSync(this.#file);
  }

  close(): void {
    closeSync(this.#file);
  }
}
