/** The program that a shell starts at each Tab. It answers within a second, however slow the service, the network or a disk is. */
import { writeSync } from 'node:fs';
import { completed, nothing } from './cli/complete/complete.ts';
import { realHost } from './host/process.ts';

/** Milliseconds, from the start of this process. */
const patience = 900;

/** Prints the answer to a shell's script (completions). */
export async function complete(words: readonly string[]): Promise<void> {
  const left = Math.max(0, Math.ceil(patience - 1000 * process.uptime()));
  const late = new Promise<string>((resolve) => setTimeout(resolve, left, nothing));
  process.on('uncaughtException', () => end(nothing));
  const found = completed({ ...realHost(), interrupted: AbortSignal.timeout(left) }, words).catch(() => nothing);
  end(await Promise.race([late, found]));
}

/** Ends at once: an exit would wait for a name that is being looked up, or for a disk. */
function end(text: string) {
  const bytes = Buffer.from(text);
  try {
    for (let written = 0; written < bytes.length; ) written += writeSync(1, bytes, written);
  } finally {
    process.kill(process.pid, 'SIGKILL');
  }
}
