/**
 * Text that a spreadsheet would read as a formula, and the apostrophe that prevents it. One stands before each sign of a
 * formula at the beginning of a cell and of each part of it: a spreadsheet that separates cells by ";" or by tabs
 * takes the quotes of our CSV for letters, and begins a cell behind each of these and a row behind each line break.
 * Removing the apostrophes restores every text, also one that had such apostrophes before.
 */
const sign = /(^|[;\t\r\n])(?=[ \u00a0"']*[=+\-@＝＋－＠])/g;
const guardedSign = /(^|[;\t\r\n])'(?=[ \u00a0"']*[=+\-@＝＋－＠])/g;

export function guarded(text: string): string {
  return text.replace(sign, "$1'");
}

/** The text without the apostrophes that `guarded` has put there. */
export function unguarded(text: string): string {
  return text.includes("'") ? text.replace(guardedSign, '$1') : text;
}
