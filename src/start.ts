/** The entry point: completion, or a command. Each loads what it needs; `bin` answers for the version and the help of the program. */
import { writeSync } from 'node:fs';

async function start(): Promise<void> {
  const [first, ...others] = process.argv.slice(2);
  if (first === '__complete') return complete(others);
  const [{ realHost }, { main }] = await Promise.all([import('./host/process.ts'), import('./main.ts')]);
  process.exitCode = await main(realHost());
}

/** A shell is answered within so many milliseconds from the start of this process, however slow the service, the network or a disk is. */
const patience = 900;

/** Prints the answer to a shell's script (completions). */
async function complete(words: readonly string[]): Promise<void> {
  const [{ realHost }, { completed, nothing }] = await Promise.all([import('./host/process.ts'), import('./cli/complete/complete.ts')]);
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

void start();
