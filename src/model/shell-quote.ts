/**
 * Quotes words for a shell: for every command line that a user is told to paste. Text quoted for POSIX shells
 * means the same to fish: a backslash, which fish would interpret between single quotes, stays outside of
 * them. PowerShell has rules of its own.
 */
import { sentence } from '../text/sentence.ts';
import { InvalidValue } from './invalid-value.ts';

/** Not with = in front, which zsh takes for the name of a command, nor with %, which fish takes for a process. */
const plain = /^[\w@+:,./-][\w@%+=:,./-]*$/;
/** Nor with a comma or @, which make lists in PowerShell; and it takes options apart at a dot or a colon. */
const plainInPowershell = /^(?!-.*[.:])[\w+:./-][\w+=:./-]*$/;

const posix = (word: string) => (plain.test(word) ? word : `'${word.replace(/['\\]/g, (each) => `'\\${each}'`)}'`);
const powershell = (word: string) => (plainInPowershell.test(word) ? word : `'${word.replace(/['\u2018-\u201b]/g, '$&$&')}'`);

let quoted = posix;

/** Has words quoted for the shell that people of a platform paste into. */
export function quoteForShellOf(platform: string) {
  quoted = platform === 'win32' ? powershell : posix;
}

/** A word, quoted only where the shell would otherwise change or divide it. */
export function shellQuoted(word: string): string {
  return quoted(word);
}

export function flagName(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** An option with its value: `--exam 5`, and `--exam=--yes` where the value would read as an option itself. */
export function typedOption(option: string, value: string): string {
  return value.startsWith('-') ? shellQuoted(`${option}=${value}`) : `${option} ${shellQuoted(value)}`;
}

/**
 * A command with its arguments and its options, as they were typed: `sessions delete 4 5 --yes`. An argument that
 * begins with a dash stays an argument: all of them then come last, behind `--`.
 */
export function typedCommand(command: string, operands: readonly string[], ...options: readonly string[]): string {
  const given = options.map((option) => option.trim()).filter((option) => option !== '');
  const quotedOperands = operands.map(shellQuoted);
  const dashed = operands.some((operand) => operand.startsWith('-'));
  return (dashed ? [command, ...given, '--', ...quotedOperands] : [command, ...quotedOperands, ...given]).join(' ');
}

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
