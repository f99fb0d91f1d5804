/**
 * How a text from a file stands in a message: in quotes, with escapes for what cannot be seen or
 * would command a terminal, and never longer than fits on a line.
 */
import { firstInLine } from '../model/first-of.ts';

const hidden = /[\u007f-\u009f\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;
const longest = 60;

export function quote(text: string): string {
  return JSON.stringify(text.length > longest ? `${text.slice(0, longest)}…` : text).replace(hidden, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

/** Several texts in one line; those beyond the first few are counted. */
export function quoteAll(texts: readonly string[], most = 8): string {
  return firstInLine(texts, quote, most);
}
