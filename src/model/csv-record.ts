/**
 * A record of a CSV file as in RFC 4180, without its line break. Text that a spreadsheet would read as a formula gets an apostrophe; a number
 * stays one. An apostrophe stands before each sign of a formula at the beginning of a cell and of each part of it: a spreadsheet that separates
 * cells by ";" or by tabs takes our quotes for letters, and begins a cell behind each of these and a row behind each line break.
 * Removing the apostrophes restores every text, also one that had such apostrophes before.
 */
const sign = /(^|[;\t\r\n])(?=[ \u00a0"']*[=+\-@＝＋－＠])/g;
const guardedSign = /(^|[;\t\r\n])'(?=[ \u00a0"']*[=+\-@＝＋－＠])/g;
const number = /^[+-]?\d+([.,]\d+)?(e[+-]?\d+)?$/i;
const needsQuotes = /[",;|\t\r\n]|^\s|\s$/;

export function guarded(text: string): string {
  return number.test(text) ? text : text.replace(sign, "$1'");
}

/** The text without the apostrophes that `guarded` has put there. */
export function unguarded(text: string): string {
  return text.includes("'") ? text.replace(guardedSign, '$1') : text;
}

export function csvRecord(cells: readonly string[], delimiter = ','): string {
  const fields = cells.map(guarded).map((text) => (needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text));
  // An empty line may be read as no record.
  return fields.join(delimiter) || (cells.length === 1 ? '""' : '');
}
