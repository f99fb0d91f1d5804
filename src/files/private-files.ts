/** Files and folders for their owner only: what is written in its place is the user's own, and is never reached through a link. */
import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, lstatSync, mkdirSync, type Stats, statSync } from 'node:fs';
import { link, open, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CliError, systemReason } from '../errors.ts';
import { type Host, HostFailure } from '../host/host.ts';
import { sentence } from '../text/sentence.ts';

const newFile = { flag: 'wx', mode: 0o600 };

/** Throws for a link, also a dangling one, with the reason in words. */
export function refuseLink(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) throw new HostFailure('it is a link, which is not followed');
}

/** Creates the folder and its missing parents, one by one: Node's recursive mkdir never ends in /proc. Throws the file system's error. */
export function makePrivateFolder(path: string): void {
  if (existsSync(path)) return;
  makePrivateFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!existsSync(path)) throw error;
  }
}

/** Takes rights from others, if it exists. Throws, in words, for what is another user's, and for a folder that all share by its sticky bit. */
export function closeToOthers(path: string, rights: number): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return;
  if (!isOwn(stats)) throw new Error('it belongs to another user');
  if ((stats.mode & rights) === 0) return;
  if ((stats.mode & 0o1000) !== 0) throw new Error('all users share it');
  chmodSync(path, stats.mode & ~rights);
}

/** Before anything is recorded in the folder of the state, if it exists: whoever may write there could exchange it. Throws `invalid_config`. */
export function closeStateFolder(folder: string, { env, platform }: Pick<Host, 'env' | 'platform'>): void {
  try {
    // A folder that the user has chosen may hold more than the state, which is closed to others by itself.
    if (platform !== 'win32') closeToOthers(folder, env.PROCTOR_STATE_DIR ? 0o022 : 0o077);
  } catch (cause) {
    throw new CliError('invalid_config', sentence`The state folder ${folder} cannot be used: ${systemReason(cause)}.`, {
      hint: 'Choose a folder of your own: export PROCTOR_STATE_DIR=FOLDER',
      cause,
    });
  }
}

/** Writes a file beside its path, and renames it when it is on the disk: a link there is replaced, never followed. `EEXIST` if it may not be replaced. */
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
  // The new entry survives a power cut, where the system syncs folders.
  const folder = await open(dirname(path), 'r').catch(() => undefined);
  await folder?.sync().catch(() => {});
  await folder?.close();
}

/** Throws the file system's error if no file can be created beside the path; for any user, only creating one shows that. */
export async function checkFolderOf(path: string): Promise<void> {
  const draft = draftBeside(path);
  await writeFile(draft, '', newFile);
  await unlink(draft);
}

/** Its length does not depend on the path's: a file name may already have the maximum length. */
function draftBeside(path: string): string {
  return join(dirname(path), `.proctor-cli-${randomUUID()}`);
}

/** Whether the user owns a file. Windows does not say; there, the folders of a user's profile are closed to others. */
export function isOwn({ uid }: Pick<Stats, 'uid'>): boolean {
  return uid === (process.geteuid?.() ?? uid);
}
