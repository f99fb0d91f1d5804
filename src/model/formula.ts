/**
 * What a spreadsheet would take for a formula, and the apostrophe that keeps it from doing so. Text
 * that begins with apostrophes before such a sign gets one, too, so that taking one off again always
 * gives back what there was.
 */
const formula = /^'*[=+\-@\t\r\n＝＋－＠]/;

export function guarded(text: string): string {
  return formula.test(text) ? `'${text}` : text;
}

/** The text without the apostrophe that `guarded` has put there. */
export function unguarded(text: string): string {
  return text.startsWith("'") && formula.test(text) ? text.slice(1) : text;
}
