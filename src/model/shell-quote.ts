/**
 * Quotes the words of commands that a user is to paste, for POSIX shells and fish, which would interpret a
 * backslash between single quotes: it stays outside of them.
 */
import { sentence } from '../text/sentence.ts';
import { InvalidValue } from './invalid-value.ts';

/** Not with = in front, which means something to zsh, nor with %, which does to fish. */
const needsNoQuotes = /^[\w@+:,./-][\w@%+=:,./-]*$/;
/** Nor with a comma or @, which make lists; options are taken apart at a dot or a colon. */
const plainInPowershell = /^(?!-.*[.:])[\w+:./-][\w+=:./-]*$/;

function posix(word: string): string {
  return needsNoQuotes.test(word) ? word : `'${word.replace(/['\\]/g, "'\\$&'")}'`;
}

function powershell(word: string): string {
  return plainInPowershell.test(word) ? word : `'${word.replace(/['\u2018-\u201b]/g, '$&$&')}'`;
}

let quoted = posix;

export function quoteForShellOf(platform: string) {
  quoted = platform === 'win32' ? powershell : posix;
}

export function shellQuoted(word: string): string {
  return quoted(word);
}

export function flagName(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** `--exam 5`, and `--exam=--yes` where the value would read as an option itself. */
export function typedOption(option: string, value: string): string {
  return value.startsWith('-') ? shellQuoted(`${option}=${value}`) : `${option} ${shellQuoted(value)}`;
}

/** `sessions delete 4 5 --yes`; behind `--`, an argument that begins with a dash stays one. */
export function typedCommand(command: string, operands: readonly string[], ...options: readonly string[]): string {
  const given = options.map((option) => option.trim()).filter(Boolean);
  const quotedOperands = operands.map(shellQuoted);
  const dashed = operands.some((operand) => operand.startsWith('-'));
  const words = dashed ? [...given, '--', ...quotedOperands] : [...quotedOperands, ...given];
  return [command, ...words].join(' ');
}

/** Quotes keep blanks together; nothing else is special. Throws `InvalidValue`. */
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
  return [program, ...args];
}
