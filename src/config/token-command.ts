/** A command that prints the token, for example from a vault. It is run without a shell; its output never appears in a message. */
import { CliError } from '../errors.ts';
import { type Host, ProgramFailure } from '../host/host.ts';
import { InvalidValue } from '../model/invalid-value.ts';
import { sentence } from '../text/sentence.ts';

/**
 * Program and arguments of a command: words with blanks between them, where quotes keep blanks together and nothing
 * else is special. Throws `InvalidValue`.
 */
export function commandWords(text: string): [program: string, ...args: string[]] {
  const pieces = /"([^"]*)"|'([^']*)'|([^\s"']+)|(\s+)|(["'])/g;
  const words: string[] = [];
  let isInside = false;
  for (const [, double, single, bare, blank, unclosed] of text.matchAll(pieces)) {
    if (unclosed) throw new InvalidValue(sentence`A quote (${unclosed}) in the command is not closed.`);
    const piece = double ?? single ?? bare ?? '';
    if (blank === undefined) words.push(isInside ? words.pop() + piece : piece);
    isInside = blank === undefined;
  }
  const [program, ...args] = words;
  if (!program) throw new InvalidValue('The command names no program.', 'Write it like: vault-program read proctor-token');
  if (text.includes('\0')) throw new InvalidValue('The command contains a zero byte.');
  return [program, ...args];
}

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
