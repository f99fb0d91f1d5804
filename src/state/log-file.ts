/**
 * A log that several processes append to, a line of JSON each. Invariants: each line is written by one call, so
 * that none is torn by another process; after a torn one, the next begins on a line of its own; the file is for its
 * owner only, never reached through a link, never one that is not a log, and never a standard stream. A full file
 * becomes FILE.1 and so on, under a lock; only logs are moved or replaced.
 */
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import type { Host } from '../host/host.ts';
import { isOwn } from '../host/own.ts';
import { withLock } from './lock.ts';
import { refuseLink } from './refuse-link.ts';

const { O_APPEND, O_CREAT, O_RDONLY, O_RDWR, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_NOCTTY = 0 } = constants;

/** How each record begins, whatever its version: a file that begins in another way is no log. */
const begins = '{"version":';
/** Full files that are kept: FILE.1, the latest, to FILE.3. */
const keptFiles = 3;
/** Milliseconds that another process may take to rotate the log. */
const patience = 5000;
/** Milliseconds without growth after which a line without an end is torn, and not one that another process, perhaps suspended, is writing. */
const lineTakes = 250;
const moment = new Int32Array(new SharedArrayBuffer(4));
const newline = 0x0a;

export type LogFileOptions = {
  path: string;
  /** The size from which the file is full. Bytes. */
  bytes: number;
  host: Pick<Host, 'sleep' | 'random' | 'platform'>;
  /** Called once if a full file cannot be replaced; the log then continues in it. */
  notRotated(error: unknown): void;
};

type Opened = { file: number; stats: Stats };

export class LogFile {
  readonly #options: LogFileOptions;
  #opened: Opened;
  #rotating: Promise<void> | undefined;
  #rotates = true;
  #closed = false;

  /** Opens the log, or creates it. Throws the file system's error, or one that says in words why this is no log. */
  constructor(options: LogFileOptions) {
    this.#options = options;
    this.#opened = openLogFile(options.path, options.host.platform);
  }

  /**
   * Appends a line, which has no newline. The system has it when the call returns. Throws the file system's error. Does
   * nothing once the log is closed: the number of its file may be that of another by then.
   */
  write(line: string): void {
    if (this.#closed) return;
    const { size } = this.#current();
    const bytes = Buffer.from(`${this.#isTorn(size) ? '\n' : ''}${line}\n`);
    for (let written = 0; written < bytes.length; ) written += writeSync(this.#opened.file, bytes, written);
    if (size + bytes.length >= this.#options.bytes && this.#rotates) this.#rotating ??= this.#rotate();
  }

  /** Waits for a rotation, and closes the file, once. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#rotating;
    closeSync(this.#opened.file);
  }

  /** The file at the path: another one once this process or another has rotated it, or it was moved away. */
  #current(): Stats {
    const there = statSync(this.#options.path, { throwIfNoEntry: false });
    if (there && isSame(there, this.#opened.stats)) return there;
    const opened = openLogFile(this.#options.path, this.#options.host.platform);
    closeSync(this.#opened.file);
    this.#opened = opened;
    return opened.stats;
  }

  /**
   * Whether the last line has no end and gets none. A file grows by pages: while another process writes, its size can
   * be that of half a line.
   */
  #isTorn(size: number): boolean {
    let seen = size;
    for (let waited = 0; waited < lineTakes; waited += 1) {
      if (seen === 0 || this.#byteAt(seen - 1) === newline) return false;
      Atomics.wait(moment, 0, 0, 1);
      const now = fstatSync(this.#opened.file).size;
      if (now !== seen) waited = 0;
      seen = now;
    }
    return true;
  }

  #byteAt(position: number): number | undefined {
    const byte = Buffer.alloc(1);
    return readSync(this.#opened.file, byte, 0, 1, position) === 1 ? byte[0] : undefined;
  }

  async #rotate() {
    const { path, host, bytes, notRotated } = this.#options;
    try {
      await withLock(host, `${path}.lock`, () => this.#rename(path, bytes), { wait: patience });
    } catch (error) {
      this.#rotates = false;
      notRotated(error);
    } finally {
      this.#rotating = undefined;
    }
  }

  /** Only under the lock. Another process may have been first. */
  #rename(path: string, full: number) {
    const there = statSync(path, { throwIfNoEntry: false });
    if (!there || there.size < full) return;
    for (let number = 1; number <= keptFiles; number += 1) checkKept(`${path}.${number}`);
    for (let number = keptFiles; number > 0; number -= 1) {
      const from = number === 1 ? path : `${path}.${number - 1}`;
      try {
        renameSync(from, `${path}.${number}`);
      } catch (error) {
        if (number === 1 || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      }
    }
  }
}

/** Opens or creates a log and closes it again. Throws as opening it would. */
export function checkLogFile(path: string, platform: string): void {
  closeSync(openLogFile(path, platform).file);
}

/** Throws if the place of a full file holds anything but a log. */
function checkKept(path: string): void {
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (!there) return;
  const file = there.isFile() ? openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) : undefined;
  try {
    if (file === undefined || !isLog(file, there.size)) throw new Error(`${path} is not a log and stays there`);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function openLogFile(path: string, platform: string): Opened {
  // POSIX does not say that O_RDWR opens a pipe without waiting for its other end.
  const file = openUnlinked(path, O_APPEND | O_CREAT | O_RDWR | O_NONBLOCK | O_NOCTTY);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new Error('it is not a file');
    if (!isOwn(stats)) throw new Error('it belongs to another user');
    // Output that is not appended would be written over the records.
    if (isStream(1, stats)) throw new Error('it takes the output of this command');
    if (isStream(2, stats)) throw new Error('it takes the messages of this command');
    if (!isLog(file, stats.size)) throw new Error('it exists and is not a log');
    if (platform !== 'win32' && (stats.mode & 0o077) !== 0) fchmodSync(file, 0o600);
    return { file, stats };
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function openUnlinked(path: string, flags: number): number {
  try {
    return openSync(path, flags | O_NOFOLLOW, 0o600);
  } catch (error) {
    // Systems that refuse a link in the last place say so with the code for too many of them.
    refuseLink(path);
    throw error;
  }
}

/** Whether it begins as a log does, whose first line may be torn. */
function isLog(file: number, size: number): boolean {
  if (size === 0) return true;
  const head = Buffer.alloc(2 * begins.length + 1);
  const [first = '', second] = head.toString('latin1', 0, readSync(file, head, 0, head.length, 0)).split('\n');
  if (first.startsWith(begins)) return true;
  return begins.startsWith(first) && (second === undefined || second.startsWith(begins) || begins.startsWith(second));
}

function isStream(descriptor: number, stats: Stats): boolean {
  try {
    return isSame(fstatSync(descriptor), stats);
  } catch {
    return false;
  }
}

function isSame(one: Stats, other: Stats): boolean {
  return one.ino === other.ino && one.dev === other.dev;
}
