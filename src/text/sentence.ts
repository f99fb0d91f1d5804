/**
 * Sentences for people. Foreign text gets into one only through the tag below, which makes it visible and keeps
 * it on its line: it can neither control a terminal nor begin a line such as "hint: …".
 */
import { visible } from './characters.ts';

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
