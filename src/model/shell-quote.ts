/**
 * Quotes words for a shell: for every command line that a user is told to paste. Text quoted for POSIX shells
 * means the same to fish: a backslash, which fish would interpret between single quotes, stays outside of
 * them. PowerShell has rules of its own.
 */

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
