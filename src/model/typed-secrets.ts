/** Secrets that were typed in the wrong place: under the name of a secret, or as words that look random. */
import { isSecretHeader, isSecretKey } from './secret-keys.ts';

/** Options of our own that name secrets and take none. */
const harmless = new Set(['--with-token', '--show-secrets']);

/** The secrets in a command line, as far as they can be recognised: an error about it does not show them. */
export function typedSecrets(argv: readonly string[]): string[] {
  return argv.flatMap((word, index) => {
    const [, key = '', value] = /^([^\s:=]+)(?:=|:\s*)(.+)$/s.exec(word) ?? [];
    const named = value !== undefined && isSecretKey(key) && !key.startsWith('dialect.') ? [value, value.replace(/^\w+\s+/, '')] : [];
    const next = argv[index + 1] ?? '';
    const asksForOne = word.startsWith('--') || argv[index - 1] === 'set';
    const namesNext = asksForOne && value === undefined && !harmless.has(word) && isSecretHeader(word);
    return [...named, ...(namesNext && !next.startsWith('-') ? [next] : []), ...randomWords(word)];
  });
}

/** The parts of a text that look drawn at random, as tokens are; also in lower case, in which an address shows them. */
export function randomWords(text: string): string[] {
  const words = text.split(/[\s,;:=@"']/).filter(looksRandom);
  return words.flatMap((word) => [word, word.replace(/^-+/, ''), word.toLowerCase()]);
}

/** Letters and digits that alternate. IDs of runs, UUIDs and names of files do not count. */
export function looksRandom(word: string): boolean {
  if (/^eyJ[\w-]{8,}\./.test(word)) return true;
  if (!/^[\w+/~-]{16,}$/.test(word) || /^(~?\/|\d{8}T\d{6}-|[\da-f]{8}(-[\da-f]{4}){3}-)/i.test(word)) return false;
  const turns = word.match(/(?<=[a-z])[A-Z\d]|(?<=[A-Z])\d|(?<=\d)[A-Za-z]/g) ?? [];
  return turns.length >= 4;
}
