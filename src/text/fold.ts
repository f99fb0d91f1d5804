/** Text as it is compared and searched. */

/** Letters whose plain form Unicode does not give. */
const asciiLetters: Readonly<Record<string, string>> = { ß: 'ss', ø: 'o', ł: 'l', đ: 'd', æ: 'ae', œ: 'oe', ı: 'i', þ: 'th', ð: 'd' };

/** Putting marks in a row into their order takes the square of their number: more than any writing has are divided, as UAX 15 says. */
const manyMarks = /\p{M}{30}(?=\p{M})/gu;

/** The only way to a normal form. */
export function normalForm(text: string, form: 'NFC' | 'NFKC' | 'NFKD'): string {
  return (text.length > 30 ? text.replace(manyMarks, '$&\u034f') : text).normalize(form);
}

/** A text for comparison: without case, accents, what cannot be seen or typed, and apostrophes and dashes that no keyboard has. */
export function folded(text: string): string {
  return normalForm(text.replace(/[‘’ʻʼ´`′]/g, "'"), 'NFKD')
    .replace(/[\p{M}\p{Cf}\ufffd\u2400-\u2421]/gu, '')
    .replace(/[‐‒–—]/g, '-')
    .toLowerCase()
    .replace(/[ßøłđæœıþð]/g, (letter) => asciiLetters[letter] ?? letter);
}

/** A name of a header, field or column for comparison: its letters and digits. */
export function lettersAndDigits(text: string): string {
  // Node takes a millisecond to build the patterns of Unicode.
  if (/^[ -~]*$/.test(text)) return text.toLowerCase().replaceAll(/[^a-z\d]+/g, '');
  return folded(text).replace(/[^\p{L}\p{N}]+/gu, '');
}

/** A number without its leading zeros, which spreadsheets take away, and people do not say. */
export const withoutZeros = (number: string) => number.replace(/^0+(?=.)/, '');

/** A number as people compare it: also without its case, and what groups its digits. */
export const plainNumber = (number: string) => withoutZeros(folded(number.replaceAll(/[\s./'’-]/g, '')));

/** In what two numbers differ whose plain form is the same. */
export function onlyOtherBy(number: string, other: string): string {
  return withoutZeros(number) === withoutZeros(other) ? 'leading zeros' : 'zeros, case and separators';
}

/** A text with one plain space for any spaces, such as those that do not break. */
export function spaced(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** A header or value of a table for comparison. */
export function foldedText(text: string): string {
  return normalForm(spaced(text), 'NFC').toLowerCase();
}

/** The spellings by which a search finds a text, such as muller and mueller for Müller. They do not prove who somebody is. */
export function spellings(text: string): string[] {
  const long = normalForm(text, 'NFC').replace(/[äöüø]/gi, '$&e');
  return [...new Set([text, long])].map((each) => spaced(folded(each)));
}

/** The words of a text that is sought, in any order, each in its spellings. */
export function soughtWords(typed: string): string[][] {
  return typed.split(/[\s,…]+/).map(spellings);
}

export function hasWords(shown: readonly string[], words: readonly string[][]): boolean {
  return words.every((word) => word.some((part) => shown.some((each) => each.includes(part))));
}

/** Whether a pattern matches the whole name: `*` stands for any text, `?` for one character. */
export function matchesGlob(pattern: string, name: string): boolean {
  return spellings(pattern).some((wanted) => spellings(name).some((text) => fitsWhole(Array.from(wanted), Array.from(text))));
}

/** It takes as many steps as the product of both lengths. */
function fitsWhole(wanted: readonly string[], text: readonly string[]): boolean {
  // For each length: whether so much of the text fits the signs so far.
  let fits = [true, ...text.map(() => false)];
  for (const sign of wanted) {
    const least = fits.indexOf(true);
    const isNext = (character: string, at: number) => fits[at] === true && (sign === '?' || sign === character);
    fits = sign === '*' ? fits.map((_, length) => least >= 0 && length >= least) : [false, ...text.map(isNext)];
  }
  return fits.at(-1) === true;
}
