/** How a text from a file stands in a message: in quotes, and never longer than fits on a line. */
import { firstInLine } from '../model/first-of.ts';
import { escapeHidden } from '../text/characters.ts';

const longest = 60;

export function quote(text: string): string {
  return escapeHidden(JSON.stringify(text.length > longest ? `${text.slice(0, longest)}…` : text));
}

/** Several texts in one line; those beyond the first few are counted. */
export function quoteAll(texts: readonly string[], most = 8): string {
  return firstInLine(texts, quote, most);
}
