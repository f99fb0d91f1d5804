/** Files and folders for their owner only: what is written in its place is the user's own, and is never reached through a link. */
import { chmodSync, lstatSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { CliError } from '../errors.ts';
import { type Host, isOwn } from '../host/host.ts';
import { sentence } from '../text/sentence.ts';

const reasons: Record<string, string> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'its folder is a file',
  EISDIR: 'it is a folder',
  EEXIST: 'another program has just created a file there',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'its file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota is used up',
  ENAMETOOLONG: 'its name is too long',
};

/** As a continuation of "cannot be written:". An error without a known code says it itself. */
export function whyNotWritten(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const why = reasons[code];
  return why === undefined ? message.replace(/\.$/, '') : `${why} (${code})`;
}

/** Throws for a link, also a dangling one, with the reason in words. */
export function refuseLink(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) throw new Error('it is a link, which is not followed');
}

/**
 * Creates the folder and its missing parents, one by one: Node's recursive mkdir loops forever on a file system that denies that a parent
 * exists, such as /proc. Throws the file system's error, with its code, in words.
 */
export function makePrivateFolder(path: string): void {
  const isThere = () => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isThere()) return;
  if (dirname(path) !== path) makePrivateFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    // Another process may have created it meanwhile.
    if (!isThere()) throw Object.assign(new Error(`the folder ${path} cannot be created (${code})`, { cause }), { code });
  }
}

/** Takes rights from others, if it exists. Throws, in words, for what is another user's, and for a folder that all share, such as /tmp. */
export function closeToOthers(path: string, rights: number): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return;
  if (!isOwn(stats)) throw new Error('it belongs to another user');
  if ((stats.mode & rights) === 0) return;
  // The sticky bit.
  if ((stats.mode & 0o1000) !== 0) throw new Error('all users share it');
  chmodSync(path, stats.mode & ~rights);
}

/** Before anything is recorded in the folder of the state, if it exists: whoever may write there could exchange it. Throws `invalid_config`. */
export function closeStateFolder(folder: string, { env, platform }: Pick<Host, 'env' | 'platform'>): void {
  try {
    // A folder that the user has chosen may hold more than the state, which is closed to others by itself.
    if (platform !== 'win32') closeToOthers(folder, env.PROCTOR_STATE_DIR ? 0o022 : 0o077);
  } catch (cause) {
    throw new CliError('invalid_config', sentence`The state folder ${folder} cannot be used: ${whyNotWritten(cause)}.`, {
      hint: 'Choose a folder of your own: export PROCTOR_STATE_DIR=FOLDER',
      cause,
    });
  }
}
