/**
 * The entry point of `bin`: the real host, the program, its exit status. The version and the help of the whole
 * program are answered from this one file; it is bundled separately, as CommonJS, which Node starts faster.
 * Everything else is loaded from here; in the bundle, from compiled code if an earlier start has left some.
 */
import { rootHelp } from './cli/help/help.ts';
import { nouns } from './commands/index.ts';
import { printed } from './host/startup.ts';
import { version } from './text/version.ts';

const help = () => rootHelp(nouns);
const versionLine = () => `proctor-cli ${version}\n`;
const answers: Record<string, () => string> = {
  '': help,
  help,
  '-h': help,
  '--help': help,
  version: versionLine,
  '-v': versionLine,
  '-V': versionLine,
  '--version': versionLine,
};

async function start() {
  const [only = '', ...others] = process.argv.slice(2);
  const answer = others.length === 0 && Object.hasOwn(answers, only) ? answers[only] : undefined;
  if (answer && printed(answer())) return;
  if (only === '__complete') return (await import('./complete.ts')).complete(others);
  if (only === '__candidates') return (await import('./complete.ts')).askService(others);
  const [{ realHost }, { main }] = await Promise.all([import('./host/process.ts'), import('./main.ts')]);
  process.exitCode = await main(realHost());
}

/** If the program failed to load, its error output is missing too. */
function failed(error: unknown) {
  const [reason = ''] = String((error as Error)?.message ?? error).split('\n');
  process.exitCode = 1;
  printed(`error: proctor-cli could not start: ${reason}\nhint: Reinstall it.\n`, 2);
}

start().catch(failed);
