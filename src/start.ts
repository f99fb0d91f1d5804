/**
 * What `bin` runs: the real world, the program, its exit status. The version and the help of the
 * whole program are answered from this one file; it is bundled by itself, as CommonJS, which Node
 * starts faster. Everything else is loaded from there on, from compiled code where it is cached.
 */
import { writeSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { rootHelp } from './cli/help.ts';
import { nouns } from './commands/index.ts';
import { version } from './version.ts';

const answers: Record<string, () => string> = {
  '': () => rootHelp(nouns),
  help: () => rootHelp(nouns),
  '-h': () => rootHelp(nouns),
  '--help': () => rootHelp(nouns),
  '-V': () => `proctor-cli ${version}\n`,
  '--version': () => `proctor-cli ${version}\n`,
};

async function start() {
  const [only = '', ...others] = process.argv.slice(2);
  const answer = others.length === 0 && Object.hasOwn(answers, only) ? answers[only] : undefined;
  if (answer && printed(answer())) return;
  // Not in Node's own default place, which is below /tmp and so open to others.
  const cache = process.env.XDG_CACHE_HOME || (process.env.HOME && join(process.env.HOME, '.cache'));
  if (cache) enableCompileCache(join(cache, 'proctor-cli'));
  const [{ realHost }, { main }] = await Promise.all([import('./host.ts'), import('./main.ts')]);
  process.exitCode = await main(realHost());
}

/** False if nothing could be written: the program then says why. */
function printed(text: string): boolean {
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

void start();
