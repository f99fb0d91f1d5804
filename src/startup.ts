/** What the answers of `start` and `complete` share before anything else is loaded. */
import { writeSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

/** Has what is loaded from here on kept as compiled code. */
export function useCompileCache() {
  // Not in Node's own default place, which is below /tmp and so open to others.
  const cache = process.env.XDG_CACHE_HOME || (process.env.HOME && join(process.env.HOME, '.cache'));
  if (cache) enableCompileCache(join(cache, 'proctor-cli'));
}

/** Prints at once. False if nothing could be written: the program then says why. */
export function printed(text: string): boolean {
  const bytes = Buffer.from(text);
  let written = 0;
  try {
    while (written < bytes.length) written += writeSync(1, bytes, written);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') return true;
    if (written > 0) process.exitCode = 3;
    return written > 0;
  }
  return true;
}
