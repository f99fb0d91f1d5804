/**
 * Files that are written to a path the user gives, under one rule: where nothing is, a new file; a regular file of the user's own, only
 * if it is empty, was written by such a command, or with --force; /dev/stdout, /dev/stderr and descriptors that the caller passed on, as
 * they are. Nothing else: no link, pipe or device that somebody may have put there, and nothing that the command reads. A file is
 * replaced as a whole.
 */
import { fstatSync, lstatSync, type Stats, writeSync, writevSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { CliError } from '../errors.ts';
import { isOwn } from '../host/host.ts';
import { sentence } from '../text/sentence.ts';
import { checkFolderOf, writePrivateFile } from './private-file.ts';
import { whyNotWritten } from './why-not-written.ts';

/**
 * `option` names it, such as --rejects; `holds`: the contents, as the subject of a sentence: "The report". `isOwn`: whether a file that
 * begins so is one that the program has written, and writes anew; `encode`: of a file that is not UTF-8.
 */
export type OutputFile = {
  path: string;
  option: string;
  holds: string;
  isOwn?(beginning: string): boolean;
  encode?(text: string): Uint8Array;
};

export type OutputRule = {
  /** Whether a file may be replaced. */
  force: boolean;
  /** Paths of the command's inputs. */
  inputs: readonly string[];
  /** Waits, and throws when the command is interrupted. */
  sleep(milliseconds: number): Promise<void>;
  /** The text as it may be written: secrets masked on stdout are masked in a file. */
  shown(text: string): string;
};

/** Writes text; resolves when the file or the descriptor has taken it. */
export type Write = (text: string) => Promise<void>;

/** Call before anything is sent. Throws `usage` if the rule forbids a place, `output_failed` if a file cannot be written. */
export async function checkOutputFiles(files: readonly OutputFile[], rule: OutputRule): Promise<void> {
  const taken = new Map<string, OutputFile>();
  for (const file of files) {
    const { key, descriptor } = await failing(file, () => allowedPlace(file, rule));
    const other = taken.get(key);
    if (other) throw refused(file, `is named by ${other.option} as well`);
    taken.set(key, file);
    if (descriptor === undefined) await failing(file, () => checkFolderOf(file.path));
  }
}

/** Throws `output_failed`, or `usage` if something has appeared at the path meanwhile. */
export async function writeOutputFile(file: OutputFile, rule: OutputRule, write: (to: Write) => Promise<void>): Promise<void> {
  await failing(file, async () => {
    const { descriptor, exists } = await allowedPlace(file, rule);
    const { encode = Buffer.from } = file;
    const bytes = (text: string) => encode(rule.shown(text));
    if (descriptor !== undefined) return write((text) => writeAll(descriptor, bytes(text), rule));
    return writePrivateFile(file.path, (handle) => write((text) => handle.appendFile(bytes(text))), { replace: exists });
  });
}

/** `key`: by which two names of one file are known; terminals and the like may be shared. Throws `usage`, or the file system's error. */
async function allowedPlace(file: OutputFile, { force, inputs }: OutputRule) {
  const { path, option, isOwn: isOwnText } = file;
  if (path.trim() === '') throw refused(file, 'names no file');
  const descriptor = { '/dev/stdout': 1, '/dev/stderr': 2 }[path] ?? (Number(/^\/dev\/fd\/(\d{1,4})$/.exec(path)?.[1]) || undefined);
  // `EBADF` where nothing can be written to a descriptor.
  if (descriptor !== undefined) writevSync(descriptor, [Buffer.alloc(0)]);
  const stats = descriptor === undefined ? lstatSync(path, { throwIfNoEntry: false }) : fstatSync(descriptor);
  const key = stats?.isCharacterDevice() ? option : stats ? keyOf(stats) : await keyOfNew(path);
  // Replacing what takes the output of this command would lose that.
  for (const used of [...inputs, ...(descriptor === undefined ? ['/dev/stdin', '/dev/stdout', '/dev/stderr'] : [])]) {
    const there = await stat(used).catch(() => undefined);
    if (there?.isFile() && keyOf(there) === key) throw refused(file, 'is in use by this command');
  }
  if (!stats || descriptor !== undefined) return { key, descriptor, exists: false };
  if (stats.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' });
  if (!stats.isFile()) throw refused(file, stats.isSymbolicLink() ? 'is a link' : 'is not a regular file');
  if (!isOwn(stats)) throw refused(file, 'belongs to another user');
  if (force || stats.size === 0 || isOwnText?.(await beginningOf(path))) return { key, descriptor, exists: true };
  if (!isOwnText) throw refused(file, 'already exists', ', or add --force to replace it.');
  const what = sentence`${JSON.stringify(path)} is another file, and is not replaced.`;
  throw new CliError('output_failed', what, { hint: sentence`Name another place: ${option} FILE` });
}

/** Letters of the first kilobytes, also of text in UTF-16. */
async function beginningOf(path: string): Promise<string> {
  const handle = await open(path);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(64 << 10));
    return buffer.toString('latin1', 0, bytesRead).replaceAll('\0', '');
  } finally {
    await handle.close();
  }
}

function refused({ path, option }: OutputFile, what: string, more = ''): CliError {
  return new CliError('usage', sentence`${JSON.stringify(path)} ${what}.`, { hint: sentence`Name another place: ${option} FILE${more}` });
}

function keyOf({ dev, ino }: Stats): string {
  return `${dev}:${ino}`;
}

/** Of a file that does not exist yet. Even on a case-sensitive file system, a user does not mean two files by A and a. */
async function keyOfNew(path: string): Promise<string> {
  return `${keyOf(await stat(dirname(path)))}/${basename(path).normalize('NFC').toLowerCase()}`;
}

/** A full pipe is waited for. */
async function writeAll(descriptor: number, bytes: Uint8Array, { sleep }: OutputRule): Promise<void> {
  for (let written = 0; written < bytes.length; )
    try {
      written += writeSync(descriptor, bytes, written);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      await sleep(20);
    }
}

/** Turns an error of the file system into one that gives the reason. */
async function failing<T>({ path, option, holds }: OutputFile, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    const what = sentence`${holds} cannot be written to ${JSON.stringify(path)}: ${whyNotWritten(cause)}.`;
    throw new CliError('output_failed', what, { hint: sentence`Name another place: ${option} FILE`, cause });
  }
}
