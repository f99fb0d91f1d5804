/** Shared by `start` and `complete` before anything else is loaded. */
import { chmodSync, statSync, writeSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { makePrivateFolder } from '../state/private-folder.ts';
import { stdoutIsClosed } from './closed-stdout.ts';

/** The user's folder for compiled code, closed to others; undefined where there is none. */
export function codeFolder(): string | undefined {
  const { XDG_CACHE_HOME: given, HOME: home } = process.env;
  const cache = [given, home && join(home, '.cache')].find((path) => path && isAbsolute(path));
  if (!cache) return undefined;
  const folder = join(cache, 'proctor-cli');
  try {
    makePrivateFolder(folder);
    return isOwn(folder) ? folder : undefined;
  } catch {
    // The program starts a little later without it.
    return undefined;
  }
}

/** Whether a folder belongs to this user; takes write access from others. Compiled code is run unchecked. */
function isOwn(folder: string): boolean {
  const { uid, mode } = statSync(folder);
  if (uid !== (process.getuid?.() ?? uid)) return false;
  if ((mode & 0o022) !== 0) chmodSync(folder, 0o700);
  return true;
}

/**
 * Ends this process after so many milliseconds, whatever it does then. A timer would wait for a call
 * of the system to come back; a thread of its own does not. `last` is printed before the end. The streams
 * of the thread are not joined to ours, which would have a long answer cut where a pipe is full.
 */
export async function endAfter(milliseconds: number, last = ''): Promise<void> {
  const { Worker } = await import('node:worker_threads');
  const end = `const{last,milliseconds}=require('node:worker_threads').workerData;
setTimeout(()=>{try{require('node:fs').writeSync(1,last)}catch{}process.kill(process.pid,'SIGKILL')},milliseconds)`;
  new Worker(end, { eval: true, execArgv: [], stdout: true, stderr: true, workerData: { last, milliseconds } })
    .on('error', () => {})
    .unref();
}

/** Prints at once. False if nothing could be written: the program then says why. */
export function printed(text: string, descriptor = 1): boolean {
  if (descriptor === 1 && stdoutIsClosed(process.ppid)) return false;
  const bytes = Buffer.from(text);
  let written = 0;
  try {
    while (written < bytes.length) written += writeSync(descriptor, bytes, written);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') return true;
    if (written > 0) process.exitCode = 3;
    return written > 0;
  }
  return true;
}
