/**
 * Writes commands that a user is to paste, for the shell of the reader: a POSIX shell or fish, PowerShell, or cmd. Of a word it
 * leaves nothing to the shell; a line of PowerShell is right in cmd, too, wherever its word allows that.
 */
import { sentence } from '../text/sentence.ts';
import { InvalidValue } from './invalid-value.ts';

/** `plain`: words that need no quotes. */
type Shell = { plain: RegExp; quoted(word: string): string; set(name: string, value: string): string; unset(name: string): string };

const posix: Shell = {
  // Words that need no quotes. A leading = means something to zsh, a leading % to fish; a comma at the end reads as that of a sentence.
  plain: /^[\w@+:,./-][\w@%+=:,./-]*(?<!,)$/,
  // fish would interpret a backslash between single quotes: it stays outside of them.
  quoted: (word) => `'${word.replace(/['\\]/g, "'\\$&'")}'`,
  set: (name, value) => `export ${name}=${shellQuoted(value)}`,
  unset: (name) => `unset ${name}`,
};

const powershell: Shell = {
  // A comma and @ make lists; an option is taken apart at a dot or a colon.
  plain: /^(?!-.*[.:])[\w+:./-][\w+=:./-]*$/,
  // A word stands in double quotes if cmd and the program read the same in them; they may be curly.
  quoted: (word) => (/^[^"\u201c-\u201e$`%!]*(?<!\\)$/.test(word) ? `"${word}"` : inSingleQuotes(word)),
  set: (name, value) => `$env:${name} = ${inSingleQuotes(value)}`,
  unset: (name) => `Remove-Item Env:${name}`,
};

/** Windows PowerShell lets a quote within a word end it, and what stands behind could be an option: the word brings quotes of its own. */
const powershell5: Shell = {
  ...powershell,
  quoted: (word) => (word.includes('"') ? inSingleQuotes(inDoubleQuotes(word.replaceAll('"', '""'))) : powershell.quoted(word)),
};

const cmd: Shell = {
  plain: powershell.plain,
  // A variable between two signs has no such name.
  quoted: (word) => inDoubleQuotes(word.replaceAll('"', '""').replace(/%(?=[^%]*%)/g, '"^%"')),
  set: (name, value) => `set "${name}=${value}"`,
  unset: (name) => `set ${name}=`,
};

/** The program takes a quote for two, and a backslash before one for none. */
function inDoubleQuotes(open: string): string {
  const isQuoteAt = (index: number) => index === open.length || open[index] === '"';
  return `"${open.replace(/\\+/g, (run, at: number) => (isQuoteAt(at + run.length) ? run + run : run))}"`;
}

function inSingleQuotes(text: string): string {
  return `'${text.replace(/['\u2018-\u201b]/g, '$&$&')}'`;
}

let shell: Shell = posix;

type ShellHost = { platform: string; env: Readonly<Record<string, string | undefined>> };

export function writeForShellOf(host: ShellHost) {
  shell = shellOf(host);
}

/**
 * Git Bash says what it is. cmd sets PROMPT, which its children inherit; PowerShell adds a folder of modules to those of the
 * system. In doubt PowerShell: cmd refuses its lines, while PowerShell would take `set` for something else without a word.
 */
function shellOf({ platform, env }: ShellHost): Shell {
  if (platform !== 'win32' || env.MSYSTEM) return posix;
  const modules = env.PSModulePath?.match(/\\(Windows)?PowerShell\\Modules(?=\\?(;|$))/gi) ?? [];
  if (env.PROMPT && modules.length < 2) return cmd;
  return modules.some((each) => !/Windows/i.test(each)) ? powershell : powershell5;
}

export function shellQuoted(word: string): string {
  return shell.plain.test(word) ? word : shell.quoted(word);
}

/** Gives a variable a value; without one, removes it. */
export function typedVariable(name: string, value?: string): string {
  return value === undefined ? shell.unset(name) : shell.set(name, value);
}

/** Gives a file to a command, which reads it on stdin. */
export function typedInput(command: string, file: string): string {
  return shell === posix ? `${command} < ${file}` : `type ${file} | ${command}`;
}

/** Moves a file out of the way, beside itself. */
export function typedMove(path: string, ending: string): string {
  return `${shell === posix ? 'mv' : 'move'} ${shellQuoted(path)} ${shellQuoted(path + ending)}`;
}

/** Makes a file with a line that nobody can guess, for its owner only. */
export function typedKeyFile(path: string): string {
  if (shell === posix) return `(umask 077; openssl rand -hex 32 > ${shellQuoted(path)})`;
  return `powershell -Command ${shellQuoted(`'{0}{1}' -f [guid]::NewGuid(), [guid]::NewGuid() | Set-Content ${inSingleQuotes(path)}`)}`;
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
