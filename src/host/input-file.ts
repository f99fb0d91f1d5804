/**
 * Reads files that the user names. Nothing at a path can block the program: a pipe is read as it fills, until it
 * ends or a signal ends the wait; devices, folders and sockets are refused without being opened.
 */
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { sentence } from '../text/sentence.ts';

/** Its message is the reason, for the end of a sentence: "it is a folder". */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

/** All bytes of a file or a pipe. Throws `UnreadableFile`, also beyond the limit, or the reason of the signal. */
export async function readInputFile(path: string, limit: number, signal: AbortSignal): Promise<Buffer> {
  const descriptor = opened(path);
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of fstatSync(descriptor).isFIFO() ? pipeBytes(descriptor, signal) : fileBytes(descriptor)) {
    parts.push(part);
    length += part.length;
    const most = limit < 1 << 20 ? `${limit >> 10} KiB` : `${limit >> 20} MiB`;
    if (length > limit) throw new UnreadableFile(sentence`it is larger than ${most}`);
  }
  return Buffer.concat(parts);
}

function opened(path: string): number {
  try {
    // Opening a device may have an effect, and opening a pipe waits for its writer.
    const stats = statSync(path);
    if (stats.isFile() || stats.isFIFO())
      return openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0));
    throw new UnreadableFile(`it is a ${stats.isDirectory() ? 'folder' : stats.isSocket() ? 'socket' : 'device'}`);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw error instanceof UnreadableFile ? error : new UnreadableFile((code && reasons[code]) ?? message);
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist (ENOENT)',
  EACCES: 'permission denied (EACCES)',
  EPERM: 'permission denied (EPERM)',
  ENOTDIR: 'its folder is a file (ENOTDIR)',
  ELOOP: 'it is a link to itself (ELOOP)',
};

/** Closes the descriptor. Files below /proc have no size, so all are read to their end. */
function* fileBytes(descriptor: number): Generator<Buffer> {
  try {
    for (;;) {
      const part = Buffer.allocUnsafe(64 << 10);
      const read = readSync(descriptor, part);
      if (read === 0) return;
      yield part.subarray(0, read);
    }
  } finally {
    closeSync(descriptor);
  }
}

/** The bytes of a pipe until its last writer closes it. Closes the descriptor. */
async function* pipeBytes(descriptor: number, signal: AbortSignal): AsyncGenerator<Buffer> {
  const { Socket } = await import('node:net');
  const pipe = new Socket({ fd: descriptor, readable: true, writable: false });
  const stop = () => pipe.destroy(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    for await (const part of pipe) yield part as Buffer;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
