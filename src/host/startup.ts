/** Shared by `start` and `complete` before anything else is loaded. */
import { chmodSync, statSync, writeSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { makePrivateFolder, nearestExisting } from '../state/private-folder.ts';
import { stdoutIsClosed } from './closed-stdout.ts';
import { isOwn } from './own.ts';

/** The user's folder for compiled code, closed to others; undefined where there is none. */
export function codeFolder({ env, platform }: Pick<NodeJS.Process, 'env' | 'platform'> = process): string | undefined {
  const { XDG_CACHE_HOME: given, LOCALAPPDATA: local, HOME: home } = env;
  const places = platform === 'win32' ? [given, local] : [given, home && join(home, '.cache')];
  const cache = places.find((path) => path && isAbsolute(path));
  if (!cache) return undefined;
  const folder = join(cache, 'proctor-cli');
  try {
    // In the home of another, as with sudo, a folder of root would stand in the way of its owner.
    if (!isOwn(statSync(nearestExisting(folder)))) return undefined;
    makePrivateFolder(folder);
    closeToOthers(folder);
    return folder;
  } catch {
    // The program starts a little later without it.
    return undefined;
  }
}

/** Takes write access from others. Compiled code is run unchecked. */
function closeToOthers(folder: string): void {
  if ((statSync(folder).mode & 0o022) !== 0) chmodSync(folder, 0o700);
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
