/** Words as a POSIX shell reads them back unchanged: for command lines that a person pastes. */

/** Not with = in front, which zsh takes for the name of a command. */
const plain = /^[\w@%+:,./-][\w@%+=:,./-]*$/;

/** A word, quoted only where the shell would otherwise change or divide it. */
export function shellQuoted(word: string): string {
  return plain.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
