/**
 * Sentences for people. Foreign text gets into one only through the tag below, which makes it visible and keeps
 * it on its line: it can neither control a terminal nor begin a line such as "hint: …". And words for several
 * things: how many there are, and the first of them.
 */
import { escapeHidden, visible } from './characters.ts';

declare const made: unique symbol;

/** Words of ours, and foreign ones that were made visible. */
export type Sentence = string & { readonly [made]: true };

/**
 * A sentence, or a literal of the source. For any other string the compiler asks for the tag:
 * sentence`Exam ${id} has no name.` So it does for `any`, which would pass as all.
 */
export type Said<T extends string | undefined> = unknown extends T
  ? never
  : T extends Sentence | undefined
    ? T
    : Record<never, never> extends Record<T & string, 1>
      ? Unsaid
      : T;
type Unsaid = 'text of unknown content: make it a sentence`…` (src/text/sentence.ts)';

export function sentence(words: TemplateStringsArray, ...values: readonly (string | number | bigint | boolean | undefined)[]): Sentence {
  let text = words[0] ?? '';
  for (const [index, value] of values.entries()) {
    const [shown, next = ''] = [typeof value === 'string' ? visible(value) : String(value), words[index + 1]];
    // A foreign text may end with a full stop of its own.
    text += shown + (/[.!?]$/.test(shown) ? next.replace(/^\.(?=\s|$)/, '') : next);
  }
  return text as Sentence;
}

export function inLines(sentences: readonly Sentence[]): Sentence {
  return sentences.join('\n') as Sentence;
}

/** A command that another hint follows gets a full stop, as every sentence has. */
export function inARow(hints: readonly Sentence[]): Sentence {
  const last = hints.length - 1;
  return hints.map((hint, index) => (index === last || /[.!?]$/.test(hint) ? hint : `${hint}.`)).join(' ') as Sentence;
}

export function capitalised(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const longestQuote = 60;

/** A foreign text in a message. */
export function quote(text: string): string {
  return escapeHidden(JSON.stringify(text.length > longestQuote ? `${text.slice(0, longestQuote)}…` : text));
}

/** "1 row", "2 rows". */
export function count(things: number, name: string, plural = `${name}s`): string {
  return `${things} ${things === 1 ? name : plural}`;
}

export function students(number: number): string {
  return count(number, 'student');
}

/** `Math.max` takes no list of any length. */
export function largest(numbers: readonly number[]): number {
  return numbers.reduce((most, number) => Math.max(most, number), -Infinity);
}

export function firstLines<T>(items: readonly T[], line: (item: T) => Sentence, others = 'more', most = 20): Sentence[] {
  const lines = items.slice(0, most).map(line);
  const left = items.length - most;
  return left > 0 ? [...lines, sentence`… and ${left} ${others}.`] : lines;
}

export function quoteAll(texts: readonly string[], most = 8): string {
  return firstInLine(texts, quote, most);
}

/** "a, b and 3 more". */
export function firstInLine<T>(items: readonly T[], text: (item: T) => string, most: number): string {
  const first = items.slice(0, most).map(text).join(', ');
  return items.length > most ? `${first} and ${items.length - most} more` : first;
}
