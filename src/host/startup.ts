/** Shared by `start` and `complete` before anything else is loaded. */
import { writeSync } from 'node:fs';
import { stdoutIsClosed } from './closed-stdout.ts';

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
