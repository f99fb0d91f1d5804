/** Text as it is compared, searched and matched: one fold for what was typed and for what it is compared with. */

/** Letters whose plain form Unicode does not give. */
const plain: Readonly<Record<string, string>> = { ß: 'ss', ø: 'o', ł: 'l', đ: 'd', æ: 'ae', œ: 'oe', ı: 'i', þ: 'th', ð: 'd' };

/** Without case, accents, and characters that cannot be seen or typed. */
export function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}\ufffd\u2400-\u2421]/gu, '')
    .toLowerCase()
    .replace(/[ßøłđæœıþð]/g, (letter) => plain[letter] ?? letter);
}

/** Letters and digits alone, folded: names as headers, fields and columns are compared. */
export function lettersAndDigits(text: string): string {
  return folded(text).replace(/[^\p{L}\p{N}]+/gu, '');
}

/** The words that were typed, folded; blanks, commas and the mark of a cut stand between them. */
export function soughtWords(typed: string): string[] {
  return typed
    .split(/[\s,…]+/)
    .map(folded)
    .filter((word) => word !== '');
}

/** Whether each of the words is found in the folded text, in whatever order. */
export function hasWords(foldedText: string, words: readonly string[]): boolean {
  return words.every((word) => foldedText.includes(word));
}

/** A pattern for names as people write it: `*` stands for any text, `?` for one character. */
export function isGlob(pattern: string): boolean {
  return /[*?]/.test(pattern);
}

/** Whether the whole name fits the pattern. Steps: at most the product of both lengths, whatever the pattern. */
export function fits(pattern: string, name: string): boolean {
  const wanted = Array.from(folded(pattern.trim()));
  const text = Array.from(folded(name.trim()));
  let [at, star, retry] = [0, -1, 0];
  for (let next = 0; next < text.length; ) {
    if (wanted[at] === '*') {
      star = at;
      retry = next;
      at += 1;
    } else if (at < wanted.length && (wanted[at] === '?' || wanted[at] === text[next])) {
      at += 1;
      next += 1;
    } else if (star >= 0) {
      at = star + 1;
      retry += 1;
      next = retry;
    } else return false;
  }
  return wanted.slice(at).every((character) => character === '*');
}

/** Headers and values of a table as they are compared. */
export function foldedText(text: string): string {
  return text.trim().normalize('NFC').toLowerCase();
}
