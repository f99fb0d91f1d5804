/** A command that prints the token, for example from a vault. It is run without a shell; its output never appears in a message. */
import { CliError } from '../errors.ts';
import { type Host, ProgramFailure } from '../host/host.ts';
import { commandWords } from '../model/shell-quote.ts';
import { sentence } from '../text/sentence.ts';

const limit = { milliseconds: 10_000 };

/** The first line that the token command of a profile prints. Throws `not_logged_in`, or the reason of an interruption. */
export async function runTokenCommand(host: Host, text: string, profile: string): Promise<string> {
  const [program, ...args] = commandWords(text);
  const failed = (why: string) =>
    new CliError('not_logged_in', sentence`The token command of profile ${profile} failed: ${program} ${why}.`, {
      hint: 'Run the program yourself to see why; it must print the token and exit with status 0.',
    });
  let printed: string;
  try {
    printed = await host.execute(program, args, limit);
  } catch (error) {
    if (error instanceof CliError) throw error;
    // Any other failure may contain the output of the program, so it is dropped, even as a cause.
    throw failed(error instanceof ProgramFailure ? error.message : 'could not be run');
  }
  const [line = ''] = printed.split(/\r?\n/, 1);
  if (line === '') throw failed('printed nothing');
  return line;
}
