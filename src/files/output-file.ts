/**
 * Files that are written to a path the user gives, under one rule: where nothing is, a new file; a regular file of
 * the user's own, only if it is empty or with --force; /dev/stdout, /dev/stderr and descriptors that the caller passed
 * on, as they are. Nothing else: no link, pipe or device that somebody may have put there, and no input of the command.
 * Each file is for its owner only and is replaced atomically, so that the path itself is never opened for writing.
 */
import { constants, fstatSync, readvSync, type Stats, writeSync, writevSync } from 'node:fs';
import { lstat, readFile, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { CliError } from '../errors.ts';
import { isOwn } from '../host/own.ts';
import { sentence } from '../text/sentence.ts';
import { checkFolderOf, writePrivateFile } from './private-file.ts';
import { whyNotWritten } from './why-not-written.ts';

export type OutputFile = {
  path: string;
  /** The option that names the file, such as --result. */
  option: string;
  /** The contents, as the subject of a sentence: "The report". */
  holds: string;
  /** Whether a file with this text holds nothing worth keeping; an empty file never does. */
  isBlank?(text: string): boolean;
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

/** `key` identifies what is there under any name; undefined for a terminal, which several outputs may share. */
type Place = { key: string | undefined; exists: boolean; descriptor?: number };

/**
 * Call before anything is sent. Throws `usage` if the rule forbids a place, `output_failed` if a file
 * cannot be written.
 */
export async function checkOutputFiles(files: readonly OutputFile[], rule: OutputRule): Promise<void> {
  const taken = new Map<string, OutputFile>();
  for (const file of files) {
    if (file.path.trim() === '') {
      throw new CliError('usage', sentence`${file.option} names no file.`, { hint: sentence`Name a place: ${file.option} FILE` });
    }
    const { key, descriptor } = await failing(file, () => allowedPlace(file, rule));
    const other = key === undefined ? undefined : taken.get(key);
    if (other) {
      throw new CliError('usage', sentence`${other.option} and ${file.option} name the same file: ${JSON.stringify(file.path)}.`, {
        hint: sentence`Name another place: ${file.option} FILE`,
      });
    }
    if (key !== undefined) taken.set(key, file);
    if (descriptor === undefined) await failing(file, () => checkFolderOf(file.path));
  }
}

/**
 * Writes the file under the rule. Throws `output_failed`, or `usage` if something has appeared at the
 * path meanwhile.
 */
export async function writeOutputFile(file: OutputFile, rule: OutputRule, write: (to: Write) => Promise<void>): Promise<void> {
  await failing(file, async () => {
    const { descriptor, exists } = await allowedPlace(file, rule);
    if (descriptor !== undefined) return write((text) => writeAll(descriptor, Buffer.from(rule.shown(text)), rule));
    return writePrivateFile(file.path, (handle) => write((text) => handle.appendFile(rule.shown(text))), { replace: exists });
  });
}

/** The place at a path, if the rule allows it. Throws `usage`, or the file system's error. */
async function allowedPlace(file: OutputFile, { force, inputs }: OutputRule): Promise<Place> {
  const { path, option, isBlank } = file;
  const refused = (what: string) =>
    new CliError('usage', sentence`${JSON.stringify(path)} ${what}: ${option} cannot write to it.`, {
      hint: sentence`Name another place: ${option} FILE`,
    });
  const descriptor = inheritedDescriptor(path);
  const stats = descriptor === undefined ? await lstat(path).catch(unlessMissing) : checkInherited(descriptor);
  const key = !stats ? await keyOfNew(path) : stats.isCharacterDevice() ? undefined : keyOf(stats);
  for (const input of inputs) {
    const read = await stat(input).catch(() => undefined);
    if (read && keyOf(read) === key) throw refused('is the input of this command');
  }
  if (!stats) return { key, exists: false };
  if (descriptor !== undefined) return { key, exists: true, descriptor };
  if (stats.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' });
  if (stats.isSymbolicLink()) throw refused('is a link');
  if (!stats.isFile()) throw refused('is not a regular file');
  // A file that is also stdout may be appended to; replacing it would lose that output.
  for (const [at, what] of ['is the input of', 'takes the output of', 'takes the messages of'].entries())
    if (keyOfStream(at) === key) throw refused(`${what} this command`);
  if (!isOwn(stats)) throw refused('belongs to another user');
  const blank =
    isBlank && stats.size < blankAtMost && (await readFile(path, { encoding: 'utf8', flag: unlinked }).then(isBlank, () => false));
  if (force || stats.size === 0 || blank) return { key, exists: true };
  throw new CliError('usage', sentence`${JSON.stringify(path)} already exists.`, {
    hint: sentence`Name another place with ${option} FILE, or add --force to replace it.`,
  });
}

/** Bytes. */
const blankAtMost = 64 << 10;
/** To read what may have been exchanged meanwhile: no link is followed, no pipe waited for. */
const unlinked = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/** The file behind a standard stream, if there is one. */
function keyOfStream(descriptor: number): string | undefined {
  try {
    const stats = fstatSync(descriptor);
    return stats.isFile() ? keyOf(stats) : undefined;
  } catch {
    return undefined;
  }
}

function keyOf({ dev, ino }: Stats): string {
  return `${dev}:${ino}`;
}

/** Of a file that does not exist yet. Even on a case-sensitive file system, a user does not mean two files by A and a. */
async function keyOfNew(path: string): Promise<string> {
  return `${keyOf(await stat(dirname(path)))}/${basename(path).normalize('NFC').toLowerCase()}`;
}

/** How long a full pipe may accept nothing. Milliseconds. */
const patience = 30_000;
const pause = 20;

async function writeAll(descriptor: number, bytes: Buffer, { sleep }: OutputRule): Promise<void> {
  for (let written = 0, waited = 0; written < bytes.length; ) {
    try {
      written += writeSync(descriptor, bytes, written);
      waited = 0;
    } catch (error) {
      if (waited >= patience || (error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      await sleep(pause);
      waited += pause;
    }
  }
}

/** Turns an error of the file system into one that gives the reason. */
async function failing<T>({ path, option, holds }: OutputFile, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError('output_failed', sentence`${holds} cannot be written to ${JSON.stringify(path)}: ${whyNotWritten(error)}.`, {
      hint: sentence`Name another place: ${option} FILE`,
      cause: error,
    });
  }
}

const descriptorPath = /^(?:\/dev\/(?:(stdout|stderr)|fd\/(\d{1,4}))|\/proc\/self\/fd\/(\d{1,4}))$/;

/** The descriptor that a path names; undefined for any other path, and for stdin. */
function inheritedDescriptor(path: string): number | undefined {
  const [, stream, ...numbers] = descriptorPath.exec(path) ?? [];
  if (stream !== undefined) return stream === 'stdout' ? 1 : 2;
  return Number(numbers.find((number) => number !== undefined) ?? 0) || undefined;
}

/** The file behind a descriptor. Throws `EBADF` if nothing can be written to it, or it is a pipe inside this process. */
function checkInherited(descriptor: number): Stats {
  const stats = fstatSync(descriptor);
  const takesText = stats.isFile() || stats.isFIFO() || stats.isCharacterDevice() || stats.isSocket();
  if (!takesText) throw Object.assign(new Error(), { code: 'ENOTSUP' });
  writevSync(descriptor, nothing);
  if (stats.isFIFO() && readsItself(descriptor, stats)) throw Object.assign(new Error(), { code: 'EBADF' });
  return stats;
}

const nothing = [Buffer.alloc(0)];
/** Node opens its own pipes first, so they have low numbers. */
const highestOfNode = 64;

/** Node wakes its threads through pipes; text in such a pipe would end the process. */
function readsItself(descriptor: number, { dev, ino }: Stats): boolean {
  for (let other = 0; other <= highestOfNode; other += 1) {
    try {
      const stats = fstatSync(other);
      if (other === descriptor || ino === 0 || stats.ino !== ino || stats.dev !== dev) continue;
      // Fails for an end that is written to.
      readvSync(other, nothing);
      return true;
    } catch {}
  }
  return false;
}
