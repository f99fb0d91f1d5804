/** Text as it is searched, in pickers and by `sessions find`: one fold for the typed words and the text searched. */

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
