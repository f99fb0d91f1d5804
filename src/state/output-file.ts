/**
 * Files that are written to a path the user gives, under one rule. A file is replaced only with --force,
 * an input of the command never, and nothing is written through a link to another place. Each file is for
 * its owner only and is replaced atomically. Devices, pipes and descriptors such as /dev/stdout are
 * written to as they are.
 */
import { constants, fstatSync, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readFile, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { CliError } from '../errors.ts';
import { sentence } from '../text/sentence.ts';
import { checkFolderOf, writePrivateFile } from './private-file.ts';
import { whyNotWritten } from './why-not-written.ts';

export type OutputFile = {
  path: string;
  /** The option that names the file, such as --report. */
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
  /** The log that the command adds to, which may not exist yet. */
  log?: string | undefined;
  /** Waits, and throws when the command is interrupted. */
  sleep(milliseconds: number): Promise<void>;
  /** The text as it may be written: secrets masked on stdout are masked in a file. */
  shown(text: string): string;
};

/** Writes text; resolves when the file or the pipe has taken it. */
export type Write = (text: string) => Promise<void>;

type Place =
  | { kind: 'new'; key: string }
  /** `key` identifies the file under any name. */
  | { kind: 'file'; key: string; size: number }
  /** A stream to write to. `descriptor`: one of this process that can only be written to as it is. */
  | { kind: 'stream'; key: string | undefined; descriptor: number | undefined; isPipeOfOurs: boolean };

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
    const place = await allowedPlace(file, rule);
    const other = place.key === undefined ? undefined : taken.get(place.key);
    if (other) {
      throw new CliError('usage', sentence`${other.option} and ${file.option} name the same file: ${JSON.stringify(file.path)}.`, {
        hint: sentence`Name another place: ${file.option} FILE`,
      });
    }
    if (place.key !== undefined) taken.set(place.key, file);
    if (place.kind !== 'stream') await failing(file, () => checkFolderOf(file.path));
  }
}

/**
 * Writes the file under the rule. Throws `output_failed`, or `usage` if something has appeared at the
 * path meanwhile.
 */
export async function writeOutputFile(file: OutputFile, rule: OutputRule, write: (to: Write) => Promise<void>): Promise<void> {
  const place = await allowedPlace(file, rule);
  const writeShown = (to: Write) => write((text) => to(rule.shown(text)));
  await failing(file, async () => {
    if (place.kind === 'stream') return writeToStream(file.path, place, rule, writeShown);
    const all = (handle: FileHandle) => writeShown((text) => handle.appendFile(text));
    return writePrivateFile(file.path, all, { replace: place.kind === 'file' });
  });
}

async function allowedPlace(file: OutputFile, { force, inputs, log }: OutputRule): Promise<Place> {
  const { path, option } = file;
  const place = await failing(file, () => placeOf(file));
  const elsewhere = sentence`Name another place: ${option} FILE`;
  if (place.key !== undefined && place.kind !== 'new') {
    for (const input of inputs) {
      const stats = await stat(input).catch(() => undefined);
      if (stats && keyOf(stats) === place.key) {
        throw new CliError('usage', sentence`${JSON.stringify(path)} is the input of this command: ${option} cannot write to it.`, {
          hint: elsewhere,
        });
      }
    }
  }
  if (log !== undefined && place.key !== undefined && place.key === (await keyOfLog(log))) {
    throw new CliError('usage', sentence`${JSON.stringify(path)} is the log of this command: ${option} cannot write to it.`, {
      hint: elsewhere,
    });
  }
  if (place.kind === 'new') return place;
  // A file that is also stdout may be appended to; replacing it would lose that output.
  const stream = (place.kind === 'file' ? [0, 1, 2] : [0]).find(
    (descriptor) => place.key !== undefined && regularFile(descriptor) === place.key,
  );
  if (stream !== undefined) {
    const what = ['is the input of', 'takes the output of', 'takes the messages of'][stream];
    throw new CliError('usage', sentence`${JSON.stringify(path)} ${what} this command: ${option} cannot write to it.`, { hint: elsewhere });
  }
  if (place.kind === 'stream' || force || place.size === 0) return place;
  const blank = file.isBlank && place.size < blankAtMost && (await readFile(path, 'utf8').then(file.isBlank, () => false));
  if (blank) return place;
  throw new CliError('usage', sentence`${JSON.stringify(path)} already exists.`, {
    hint: sentence`Name another place with ${option} FILE, or add --force to replace it.`,
  });
}

/** Undefined where there is neither the log nor its folder: it cannot be opened then. */
async function keyOfLog(path: string): Promise<string | undefined> {
  const stats = await stat(path).catch(() => undefined);
  return stats ? keyOf(stats) : keyOfNew(path).catch(() => undefined);
}

/** Bytes. */
const blankAtMost = 64 << 10;

/** What is at a path. Throws the file system's error, including `EISDIR` and the like; `usage` for a link to a file. */
async function placeOf({ path, option }: OutputFile): Promise<Place> {
  const stats = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!stats) {
    return { kind: 'new', key: await keyOfNew(path) };
  }
  if (stats.isFile()) return { kind: 'file', key: keyOf(stats), size: stats.size };
  const descriptor = await descriptorOf(path);
  if (descriptor !== undefined) return placeOfDescriptor(descriptor);
  const leadsTo = stats.isSymbolicLink() ? await stat(path).catch(() => undefined) : stats;
  if (stats.isSymbolicLink() && (!leadsTo || leadsTo.isFile() || leadsTo.isDirectory())) {
    const where = await realpath(path).catch(() => undefined);
    throw new CliError(
      'usage',
      sentence`${JSON.stringify(path)} is a link to ${where === undefined ? 'nowhere' : JSON.stringify(where)}.`,
      {
        hint: sentence`Name a file that is not a link: ${option} FILE`,
      },
    );
  }
  return streamOf(leadsTo ?? stats, undefined);
}

function placeOfDescriptor(descriptor: number): Place {
  const stats = fstatSync(descriptor);
  // A file keeps what it holds before the descriptor's position, and a socket has no other name.
  const asItIs = stats.isFile() || stats.isSocket();
  const stream = streamOf(stats, asItIs ? descriptor : undefined);
  return { ...stream, isPipeOfOurs: stats.isFIFO() };
}

function streamOf(stats: Stats, descriptor: number | undefined): Place & { kind: 'stream' } {
  if (stats.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' });
  if (descriptor === undefined && !stats.isFIFO() && !stats.isCharacterDevice()) throw Object.assign(new Error(), { code: 'ENOTSUP' });
  // A terminal or /dev/null loses nothing when two outputs share it.
  return { kind: 'stream', key: stats.isCharacterDevice() ? undefined : keyOf(stats), descriptor, isPipeOfOurs: false };
}

/** The descriptor of this process behind a path such as /dev/stdout; undefined for any other path. */
async function descriptorOf(path: string): Promise<number | undefined> {
  const folders = await Promise.all(descriptorFolders.map((folder) => realpath(folder).catch(() => undefined)));
  let at = resolve(path);
  for (let links = 0; links < 10; links++) {
    const folder = await realpath(dirname(at)).catch(() => undefined);
    if (folder === undefined) return undefined;
    const name = basename(at);
    if (/^\d+$/.test(name) && folders.includes(folder)) return Number(name);
    const next = await readlink(join(folder, name)).catch(() => undefined);
    if (next === undefined) return undefined;
    at = resolve(folder, next);
  }
  return undefined;
}

/** Folders that name the descriptors of this process. */
const descriptorFolders = ['/dev/fd', '/proc/self/fd'];

/** The file behind a standard stream, if there is one. */
function regularFile(descriptor: number): string | undefined {
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

/** How long a pipe may accept nothing. Milliseconds. */
const patience = 30_000;
const pause = 20;

async function writeToStream(
  path: string,
  { descriptor, isPipeOfOurs }: Place & { kind: 'stream' },
  rule: OutputRule,
  write: (to: Write) => Promise<void>,
): Promise<void> {
  if (descriptor !== undefined) {
    const { writeSync } = await import('node:fs');
    return write((text) => inParts(Buffer.from(text), async (bytes) => writeSync(descriptor, bytes), rule));
  }
  // A pipe without a reader would otherwise block the program, out of reach of signals.
  const flags = constants.O_WRONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);
  const retried = new Set(isPipeOfOurs ? [] : ['ENXIO']);
  const handle = await patiently(() => open(path, flags), retried, rule);
  try {
    if ((await handle.stat()).isFile()) throw Object.assign(new Error(), { code: 'EEXIST' });
    await write((text) => inParts(Buffer.from(text), async (bytes) => (await handle.write(bytes)).bytesWritten, rule));
  } finally {
    await handle.close();
  }
}

async function inParts(bytes: Buffer, write: (bytes: Buffer) => Promise<number>, rule: OutputRule): Promise<void> {
  for (let rest = bytes; rest.length > 0; ) {
    const part = rest;
    rest = part.subarray(await patiently(() => write(part), new Set(['EAGAIN']), rule));
  }
}

/** Retries for a while if `act` fails with one of these codes. */
async function patiently<T>(act: () => Promise<T>, again: ReadonlySet<string>, { sleep }: OutputRule): Promise<T> {
  for (let waited = 0; ; waited += pause) {
    try {
      return await act();
    } catch (error) {
      if (waited >= patience || !again.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
    await sleep(pause);
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
