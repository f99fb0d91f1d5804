/** Texts that are sought, by words in any order or by a pattern. */
import { folded } from './fold.ts';

export function soughtWords(typed: string): string[] {
  const words = typed.split(/[\s,…]+/).map(folded);
  return words.filter((word) => word !== '');
}

export function hasWords(foldedText: string, words: readonly string[]): boolean {
  return words.every((word) => foldedText.includes(word));
}

/** `*` stands for any text, `?` for one character. */
export function isGlob(pattern: string): boolean {
  return /[*?]/.test(pattern);
}

/** Whether a pattern with * and ? matches the whole name; it takes at most as many steps as the product of both lengths. */
export function matchesGlob(pattern: string, name: string): boolean {
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
