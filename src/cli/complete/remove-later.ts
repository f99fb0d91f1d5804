/** Removes a file after the process that wrote it has ended: a shell sleeps until then. */
import { spawn } from 'node:child_process';

/** Milliseconds. Where there is no such shell, the next command removes the file (`cache.ts`). */
export function removeLater(path: string, milliseconds: number): void {
  const words = ['-c', 'sleep "$0"; rm -f -- "$1"', String(Math.ceil(milliseconds / 1000)), path];
  const options = { cwd: '/', detached: true, stdio: 'ignore', env: { PATH: '/usr/bin:/bin' } } as const;
  spawn('/bin/sh', words, options)
    .on('error', () => {})
    .unref();
}
