/**
 * A record of a CSV file as in RFC 4180, without its line break. Text that a spreadsheet would read as a
 * formula gets an apostrophe, at each place where a cell may begin: a spreadsheet that separates cells by ";"
 * or tabs takes our quotes for letters. Removing the apostrophes restores every text.
 */
const formulaStart = /(^|[;\t\r\n])(?=[ \u00a0"']*[=+\-@＝＋－＠])/g;
const guardedSign = /(^|[;\t\r\n])'(?=[ \u00a0"']*[=+\-@＝＋－＠])/g;
const plainNumber = /^[+-]?\d+([.,]\d+)?(e[+-]?\d+)?$/i;
const needsQuotes = /[",;|\t\r\n]|^\s|\s$/;

export function guarded(text: string): string {
  return plainNumber.test(text) ? text : text.replace(formulaStart, "$1'");
}

export function unguarded(text: string): string {
  return text.includes("'") ? text.replace(guardedSign, '$1') : text;
}

export function csvRecord(cells: readonly string[], delimiter = ','): string {
  const quoted = (text: string) => (needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const fields = cells.map((cell) => quoted(guarded(cell)));
  // An empty line may be read as no record.
  return fields.join(delimiter) || (cells.length === 1 ? '""' : '');
}
