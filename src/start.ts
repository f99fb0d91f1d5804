/**
 * The entry point of `bin`: the real host, the program, its exit status. The version and the help of the whole
 * program are answered from this one file, which the bundle has by itself. Everything else is loaded from here.
 */
import { rootHelp } from './cli/help/help.ts';
import { wantsJson } from './cli/parse/wants-json.ts';
import { nouns } from './commands/index.ts';
import { CliError } from './errors.ts';
import { printed } from './host/startup.ts';
import { sentence } from './text/sentence.ts';
import { version } from './text/version.ts';

const help = () => rootHelp(nouns);
const versionLine = () => `proctor-cli ${version}\n`;
const answers: Record<string, () => string> = {
  '': help,
  help,
  '-h': help,
  '--help': help,
  '-V': versionLine,
  '--version': versionLine,
};

async function start() {
  const [only = '', ...others] = process.argv.slice(2);
  const answer = others.length === 0 && Object.hasOwn(answers, only) ? answers[only] : undefined;
  if (answer && printed(answer())) return;
  if (only === '__complete') return (await import('./complete.ts')).complete(others);
  if (only === '__candidates') return (await import('./complete.ts')).askService(others);
  process.exitCode = await (await import('./program-file.ts')).run();
}

/** The program is not there to say so itself. */
function failed(error: unknown) {
  const { code, message, hint, exit } = error instanceof CliError ? error : asFailure(error as NodeJS.ErrnoException);
  process.exitCode = exit;
  const json = wantsJson({ argv: process.argv.slice(2), env: process.env });
  printed(json ? `${JSON.stringify({ error: { code, message, hint, exit } })}\n` : `error: ${message}\nhint: ${hint}\n`, 2);
}

function asFailure(error: NodeJS.ErrnoException): CliError {
  const [reason = ''] = String(error?.message ?? error).split('\n');
  // A file is missing, or written in part.
  const isReplaced = error?.code === 'MODULE_NOT_FOUND' || error instanceof SyntaxError;
  if (isReplaced) return new CliError('program_replaced', sentence`proctor-cli was updated or removed while it started: ${reason}`);
  return new CliError('internal', sentence`proctor-cli could not start: ${reason}`, { hint: 'Reinstall proctor-cli.' });
}

start().catch(failed);
