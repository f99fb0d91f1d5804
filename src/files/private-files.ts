/** Files and folders for their owner only, which are never reached through a link. */
import * as fs from 'node:fs';
import { link, open, rm, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CliError, systemReason } from '../errors.ts';
import { type Host, HostFailure } from '../host/host.ts';
import { orNone } from '../model/invalid-value.ts';
import { typedVariable } from '../model/shell-quote.ts';
import { type Sentence, sentence } from '../text/sentence.ts';

const newFile = { flag: 'wx', mode: 0o600 };

/** Throws, in words, for a link, also a dangling one. */
export function refuseLink(path: string): void {
  const stats = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isSymbolicLink()) throw new HostFailure('it is a link, which is not followed');
}

/**
 * Reads a regular file: a pipe would wait for its writer, and a device may have no end. `isPrivate`: it is judged again
 * here, as whoever can write above its folder could have exchanged it since. Throws in words.
 */
export function contentOf(path: string, { isPrivate = false } = {}): Buffer {
  const { O_RDONLY, O_NONBLOCK = 0 } = fs.constants;
  const descriptor = fs.openSync(path, O_RDONLY | O_NONBLOCK);
  try {
    const stats = fs.fstatSync(descriptor);
    if (!stats.isFile()) throw new HostFailure('it is not a file');
    if (isPrivate && !isTrusted(stats)) throw new HostFailure('it belongs to another user');
    return fs.readFileSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Also makes its parents. Node's recursive mkdir never ends in /proc. */
export function makePrivateFolder(path: string): void {
  if (fs.existsSync(path)) return;
  makePrivateFolder(dirname(path));
  try {
    fs.mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have been faster.
    if (!fs.existsSync(path)) throw error;
  }
}

/** `rights`: the rights that others must not have. */
export type PrivatePlace = { path: string; rights: number };

/** A folder that the user has chosen may hold other files, which others may read: the file in it is private itself. */
export function folderPlace(path: string, { isChosen }: { isChosen: boolean }): PrivatePlace {
  return { path, rights: isChosen ? 0o022 : 0o077 };
}

export function filePlace(path: string): PrivatePlace {
  return { path, rights: 0o077 };
}

/** The folder of the record and of the sandbox's data. */
export function statePlace(folder: string, { env }: Pick<Host, 'env'>): PrivatePlace {
  return folderPlace(folder, { isChosen: Boolean(env.PROCTOR_STATE_DIR) });
}

/** Closes the files of the state to others: whoever can write there can exchange it. */
export function closeState(places: readonly PrivatePlace[], hint?: Sentence): string[] {
  return closePrivate('The state', places, hint ?? sentence`Choose a folder of your own: ${typedVariable('PROCTOR_STATE_DIR', 'FOLDER')}`);
}

/**
 * Closes private files and folders to others before they are read, and returns the paths that were open.
 * Throws `invalid_config` for another user's, and for a folder that all share.
 */
export function closePrivate(holds: string, places: readonly PrivatePlace[], hint: Sentence): string[] {
  return places.flatMap(({ path, rights }) => {
    try {
      return closeToOthers(path, rights) ? path : [];
    } catch (cause) {
      throw new CliError('invalid_config', sentence`${holds} is not used because of ${path}: ${systemReason(cause)}.`, { hint, cause });
    }
  });
}

function closeToOthers(path: string, rights: number): boolean {
  const stats = statsOf(path);
  if (!stats) return false;
  // A link of another user could lead to any file or folder of this one, to be used or closed.
  if (!isTrusted(fs.lstatSync(path))) throw new Error('it belongs to another user');
  // SQLite would wait at a pipe for ever.
  if (!stats.isFile() && !stats.isDirectory()) throw new Error('it is not a file or a folder');
  if (isPrivate(path, stats, rights)) return false;
  if (!isOwn(stats)) throw new Error('it belongs to another user');
  if ((stats.mode & 0o1000) !== 0) throw new Error('all users share it');
  fs.chmodSync(path, stats.mode & ~rights);
  if ((fs.statSync(path).mode & rights) !== 0) throw new Error('its file system keeps no permissions');
  return true;
}

/** Whether other users have these rights to a file; for a warning, as the file is used all the same. */
export function isOpenToOthers(path: string, rights = 0o077): boolean {
  const stats = statsOf(path);
  return stats !== undefined && !isPrivate(path, stats, rights);
}

/** Whether a file of this user, such as root, is in the home of another user, who cannot read it. */
export function isInAnothersHome(path: string, home: string): boolean {
  const [file, folder] = [path, home].map((each) => orNone(() => statsOf(each)));
  return file !== undefined && folder !== undefined && isOwn(file) && !isOwn(folder);
}

/** Undefined on Windows, which shows no rights; there, the folders of a user's profile are closed to others. */
function statsOf(path: string): fs.Stats | undefined {
  return process.geteuid ? fs.statSync(path, { throwIfNoEntry: false }) : undefined;
}

/** A file of root that others cannot change, or one that nobody can change, is taken as it is: so containers mount secrets. */
function isPrivate(path: string, stats: fs.Stats, rights: number): boolean {
  const isClosed = (stats.mode & (isOwn(stats) ? rights : 0o022)) === 0;
  return isTrusted(stats) && (isClosed || isReadOnly(path));
}

function isTrusted(stats: fs.Stats): boolean {
  return isOwn(stats) || stats.uid === 0;
}

function isReadOnly(path: string): boolean {
  try {
    fs.accessSync(path, fs.constants.W_OK);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EROFS';
  }
}

/** Writes beside the path, and renames: a link is replaced. `EEXIST` if it may not replace a file. */
export async function writePrivateFile(path: string, content: string | Uint8Array, { replace }: { replace: boolean }): Promise<void> {
  const draft = draftBeside(path);
  try {
    await writeFile(draft, content, { ...newFile, flush: true });
    // Where there are no hard links, an empty file reserves the path.
    if (!replace) await link(draft, path).catch(() => writeFile(path, '', newFile));
    replaceFile(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
  // So that the new entry survives a power cut.
  const folder = await open(dirname(path), 'r').catch(() => undefined);
  await folder?.sync().catch(() => {});
  await folder?.close();
}

/** On Windows, a scanner or an editor may have the file open for a moment: it is tried for a second. */
export function replaceFile(from: string, to: string, tries = 20): void {
  try {
    fs.renameSync(from, to);
  } catch (error) {
    if (tries === 1 || !['EPERM', 'EBUSY', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    replaceFile(from, to, tries - 1);
  }
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

export function isOwn({ uid }: { uid: number | bigint }): boolean {
  return Number(uid) === (process.geteuid?.() ?? Number(uid));
}
