/** A command that prints the token, for example from a vault. It is run without a shell; its output never appears in a message. */
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { ProgramFailure } from '../host/program-failure.ts';
import { InvalidValue } from '../model/invalid-value.ts';
import { type Sentence, sentence } from '../text/sentence.ts';

/**
 * Program and arguments of a command: a JSON array of words, or words with blanks between them,
 * where quotes keep blanks together and nothing else is special. Throws `InvalidValue`.
 */
export function commandWords(text: string): [program: string, ...args: string[]] {
  const [program, ...args] = text.trimStart().startsWith('[') ? wordsOfArray(text) : wordsOfLine(text);
  if (!program) throw new InvalidValue('The command names no program.', 'Write it like: vault-program read proctor-token');
  if ([program, ...args].some((word) => word.includes('\0'))) throw new InvalidValue('The command contains a zero byte.');
  return [program, ...args];
}

function wordsOfArray(text: string): string[] {
  const hint = 'Write it like: ["vault-program", "read", "proctor token"]';
  let words: unknown;
  try {
    words = JSON.parse(text);
  } catch {
    throw new InvalidValue('The command starts like a JSON array, but is not valid JSON.', hint);
  }
  if (!Array.isArray(words) || !words.every((word) => typeof word === 'string'))
    throw new InvalidValue('The command is not an array of strings.', hint);
  return words;
}

function wordsOfLine(text: string): string[] {
  const pieces = /"([^"]*)"|'([^']*)'|([^\s"']+)|(\s+)|(["'])/g;
  const words: string[] = [];
  let word: string | undefined;
  for (const [, double, single, bare, blank, unclosed] of text.matchAll(pieces)) {
    if (unclosed) throw new InvalidValue(sentence`A quote (${unclosed}) in the command is not closed.`);
    if (blank !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = `${word ?? ''}${double ?? single ?? bare ?? ''}`;
    }
  }
  return word === undefined ? words : [...words, word];
}

const limit = { milliseconds: 10_000 };

const reasons: Record<ProgramFailure['how'], (detail: string) => Sentence> = {
  missing: () => sentence`was not found`,
  forbidden: () => sentence`may not be run`,
  unstartable: () => sentence`could not be run`,
  late: (seconds) => sentence`took longer than ${seconds} s`,
  verbose: (kibibytes) => sentence`printed more than ${kibibytes} KiB`,
  status: (status) => sentence`exited with ${status}`,
  signal: (name) => sentence`was ended by ${name}`,
};

/** The first line that the token command of a profile prints. Throws `not_logged_in`, or the reason of an interruption. */
export async function runTokenCommand(host: Host, text: string, profile: string): Promise<string> {
  const [program, ...args] = commandWords(text);
  const failed = (why: Sentence) =>
    new CliError('not_logged_in', sentence`The token command of profile ${profile} failed: ${program} ${why}.`, {
      hint: 'Run the program yourself to see why; it must print the token and exit with status 0.',
    });
  let printed: string;
  try {
    printed = await host.execute(program, args, limit);
  } catch (error) {
    if (error instanceof CliError) throw error;
    // The rest of the failure may contain the output of the program, so it is dropped, even as a cause.
    throw failed(error instanceof ProgramFailure ? reasons[error.how](error.detail) : reasons.unstartable(''));
  }
  const [line = ''] = printed.split(/\r?\n/, 1);
  if (line === '') throw failed(sentence`printed nothing`);
  return line;
}
