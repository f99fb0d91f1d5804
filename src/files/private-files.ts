/** Files and folders for their owner only, which are never reached through a link. */
import { accessSync, chmodSync, constants, existsSync, lstatSync, mkdirSync, type Stats, statSync } from 'node:fs';
import { link, open, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CliError, systemReason } from '../errors.ts';
import { type Host, HostFailure } from '../host/host.ts';
import { sentence } from '../text/sentence.ts';

const newFile = { flag: 'wx', mode: 0o600 };

/** Throws, in words, for a link, also a dangling one. */
export function refuseLink(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isSymbolicLink()) throw new HostFailure('it is a link, which is not followed');
}

/** Also makes its parents. Node's recursive mkdir never ends in /proc. */
export function makePrivateFolder(path: string): void {
  if (existsSync(path)) return;
  makePrivateFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have been faster.
    if (!existsSync(path)) throw error;
  }
}

/** Takes rights from others, if they have any. Throws, in words, for another user's file, and for one that all share. */
export function closeToOthers(path: string, rights: number): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return false;
  if (!isOwn(stats)) throw new Error('it belongs to another user');
  if ((stats.mode & rights) === 0) return false;
  if ((stats.mode & 0o1000) !== 0) throw new Error('all users share it');
  chmodSync(path, stats.mode & ~rights);
  return true;
}

/** Also takes what others cannot change and root has, or nobody can change: so containers mount secrets. */
export function closeSecret(path: string, rights: number): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return false;
  const isClosed = (stats.mode & (isOwn(stats) ? rights : 0o022)) === 0;
  const isTrusted = isOwn(stats) || stats.uid === 0;
  return isTrusted && (isClosed || isReadOnly(path)) ? false : closeToOthers(path, rights);
}

function isReadOnly(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EROFS';
  }
}

/** Whoever may write there could exchange the state. Throws `invalid_config`. */
export function closeStateFolder(folder: string, { env, platform }: Pick<Host, 'env' | 'platform'>): void {
  try {
    // A folder of the user's choice may hold more than the state, whose files are closed to others.
    if (platform !== 'win32') closeToOthers(folder, env.PROCTOR_STATE_DIR ? 0o022 : 0o077);
  } catch (cause) {
    const what = sentence`The state folder ${folder} cannot be used: ${systemReason(cause)}.`;
    throw new CliError('invalid_config', what, { hint: 'Choose a folder of your own: export PROCTOR_STATE_DIR=FOLDER', cause });
  }
}

/** Writes beside the path, and renames: a link is replaced. `EEXIST` if it may not replace a file. */
export async function writePrivateFile(path: string, content: string | Uint8Array, { replace }: { replace: boolean }): Promise<void> {
  const draft = draftBeside(path);
  try {
    await writeFile(draft, content, { ...newFile, flush: true });
    // Where there are no hard links, an empty file reserves the path.
    if (!replace) await link(draft, path).catch(() => writeFile(path, '', newFile));
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
  // So that the new entry survives a power cut.
  const folder = await open(dirname(path), 'r').catch(() => undefined);
  await folder?.sync().catch(() => {});
  await folder?.close();
}

/** Throws the system's error if no file can be created there: only creating one shows that. */
export async function checkFolderOf(path: string): Promise<void> {
  const draft = draftBeside(path);
  await writeFile(draft, '', newFile);
  await unlink(draft);
}

/** A file's name may already have the maximum length. */
function draftBeside(path: string): string {
  return join(dirname(path), `.proctor-cli-${crypto.randomUUID()}`);
}

/** Windows does not say; there, the folders of a user's profile are closed to others. */
export function isOwn({ uid }: Pick<Stats, 'uid'>): boolean {
  return uid === (process.geteuid?.() ?? uid);
}
