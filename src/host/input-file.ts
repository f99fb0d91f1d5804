/**
 * Reads files that the user names. Nothing at a path can block the program: a pipe is read as it fills, until it
 * ends or a signal ends the wait; devices, folders and sockets are refused without being opened.
 */
import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { type Sentence, sentence } from '../text/sentence.ts';

/** The reason why a file cannot be read, for the end of a sentence: "it is a folder". */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
  /** The error code of the system, such as `ENOENT`; undefined for our own refusals. */
  readonly code: string | undefined;
  readonly reason: Sentence;

  constructor(reason: Sentence, code?: string) {
    super(reason);
    this.reason = reason;
    this.code = code;
  }
}

export type Patience = {
  /** Ends the wait for a pipe; its reason is thrown. */
  signal: AbortSignal;
  /** Limit for reading a whole pipe. Milliseconds. */
  milliseconds?: number;
};

/** All bytes of a file or a pipe. Throws `UnreadableFile`, also beyond the limit, or the reason of the signal. */
export async function readInputFile(path: string, limit: number, patience: Patience): Promise<Buffer> {
  const opened = openInputFile(path);
  if (opened.kind === 'file') return bytesOf(opened.descriptor, limit);
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of pipeBytes(opened.descriptor, patience)) {
    parts.push(part);
    length += part.length;
    if (length > limit) throw tooLong(limit);
  }
  return Buffer.concat(parts);
}

/** All bytes of a regular file, at once; a pipe is refused. Throws `UnreadableFile`. */
export function readRegularFile(path: string, limit: number): Buffer {
  const { kind, descriptor } = openInputFile(path);
  if (kind === 'file') return bytesOf(descriptor, limit);
  closeSync(descriptor);
  throw new UnreadableFile(sentence`it is a pipe`);
}

/** Opens a file or a pipe, which the caller closes. Throws `UnreadableFile`. */
export function openInputFile(path: string): { kind: 'file' | 'pipe'; descriptor: number } {
  return failing(() => {
    // Opening a device may have an effect, and opening a pipe waits for its writer.
    kindOf(statSync(path));
    const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0));
    try {
      return { kind: kindOf(fstatSync(descriptor)), descriptor };
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
  });
}

/** The bytes of a pipe until its last writer closes it. Closes the descriptor. */
export async function* pipeBytes(descriptor: number, { signal, milliseconds }: Patience): AsyncGenerator<Buffer> {
  const { Socket } = await import('node:net');
  if (signal.aborted) closeSync(descriptor);
  signal.throwIfAborted();
  const pipe = new Socket({ fd: descriptor, readable: true, writable: false });
  const stop = () => pipe.destroy(signal.reason);
  const late = () => pipe.destroy(new UnreadableFile(sentence`the pipe did not end within ${(milliseconds ?? 0) / 1000} s`));
  signal.addEventListener('abort', stop, { once: true });
  const timer = milliseconds === undefined ? undefined : setTimeout(late, milliseconds);
  try {
    for await (const part of pipe) yield part as Buffer;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    pipe.destroy();
  }
}

function kindOf(stats: Stats): 'file' | 'pipe' {
  if (stats.isFile()) return 'file';
  if (stats.isFIFO()) return 'pipe';
  if (stats.isDirectory()) throw new UnreadableFile(sentence`it is a folder`);
  throw new UnreadableFile(stats.isSocket() ? sentence`it is a socket` : sentence`it is a device`);
}

/** Closes the descriptor. Files below /proc have no size, so all are read to their end. */
function bytesOf(descriptor: number, limit: number): Buffer {
  return failing(() => {
    try {
      const parts: Buffer[] = [];
      let length = 0;
      for (;;) {
        const part = Buffer.allocUnsafe(Math.min(limit + 1, 64 << 10));
        const read = readSync(descriptor, part);
        if (read === 0) return Buffer.concat(parts);
        parts.push(part.subarray(0, read));
        length += read;
        if (length > limit) throw tooLong(limit);
      }
    } finally {
      closeSync(descriptor);
    }
  });
}

function tooLong(limit: number): UnreadableFile {
  return new UnreadableFile(
    limit < 1 << 20 ? sentence`it is larger than ${limit >> 10} KiB` : sentence`it is larger than ${limit >> 20} MiB`,
  );
}

const reasons: Readonly<Record<string, Sentence>> = {
  ENOENT: sentence`it does not exist`,
  EISDIR: sentence`it is a folder`,
  EACCES: sentence`permission denied`,
  EPERM: sentence`permission denied`,
  ENOTDIR: sentence`its folder is a file`,
  ELOOP: sentence`it is a link to itself`,
};

function failing<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof UnreadableFile) throw error;
    const { code = '', message } = error as NodeJS.ErrnoException;
    const known = reasons[code];
    throw new UnreadableFile(known ? sentence`${known} (${code})` : sentence`${message}`, code);
  }
}
