/** The entry point: completion, or a command. `bin` answers for the version and the first page. */
import { writeSync } from 'node:fs';

async function start(): Promise<void> {
  const [first, ...others] = process.argv.slice(2);
  if (first === '__complete') return complete(others);
  // One overrides the other (`wantsColor`): Node would say on stderr which it ignores.
  delete process.env[process.env.NO_COLOR ? 'FORCE_COLOR' : 'NO_COLOR'];
  const { realHost } = await import('./host/process.ts');
  const { main } = await import('./main.ts');
  process.exitCode = await main(realHost());
}

/** Milliseconds from the start of this process within which a shell is answered. */
const lastWaitMs = 900;

/** Prints the answer to a shell's script (completions). */
async function complete(words: readonly string[]): Promise<void> {
  const { realHost } = await import('./host/process.ts');
  const { completed, nothing } = await import('./cli/complete/complete.ts');
  const left = Math.max(0, Math.ceil(lastWaitMs - 1000 * process.uptime()));
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
