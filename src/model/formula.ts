/**
 * Text that a spreadsheet would read as a formula, and the apostrophe that prevents it. Text that begins with
 * apostrophes before such a sign gets one, too, so that removing one always restores the original.
 */
const formula = /^'*[=+\-@\t\r\n＝＋－＠]/;

export function guarded(text: string): string {
  return formula.test(text) ? `'${text}` : text;
}

/** The text without the apostrophe that `guarded` has put there. */
export function unguarded(text: string): string {
  return text.startsWith("'") && formula.test(text) ? text.slice(1) : text;
}
