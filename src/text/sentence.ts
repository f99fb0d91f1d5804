/**
 * Sentences for people. Foreign text (from the service, a file, the command line, the system) can only get
 * into one through the tag below, which makes it visible and keeps it on its line: a text of the service can
 * neither control a terminal nor begin a line such as "hint: …".
 */
import { visible } from './characters.ts';

declare const made: unique symbol;

/** Words of ours, and foreign ones that were made visible: what errors, notes and questions are made of. */
export type Sentence = string & { readonly [made]: true };

/**
 * A text that may be shown as it is: a sentence, or a literal of the source. Any other string is refused by
 * the compiler, which then asks for the tag: sentence`Exam ${id} has no name.` So is `any`, which would pass as all.
 */
export type Said<T extends string | undefined> = unknown extends T
  ? never
  : T extends Sentence | undefined
    ? T
    : Record<never, never> extends Record<T & string, 1>
      ? Unsaid
      : T;
type Unsaid = 'text of unknown content: make it a sentence`…` (src/text/sentence.ts)';

/** A sentence; each value in it stands there on one line with nothing hidden. */
export function sentence(words: TemplateStringsArray, ...values: readonly (string | number | bigint | boolean | undefined)[]): Sentence {
  let text = words[0] ?? '';
  for (const [index, value] of values.entries()) {
    text += (typeof value === 'string' ? visible(value) : String(value)) + words[index + 1];
  }
  return text as Sentence;
}

/** Several as one text, each on a line of its own. */
export function inLines(sentences: readonly Sentence[]): Sentence {
  return sentences.join('\n') as Sentence;
}

/** Hints as one text. A command that another hint follows gets a full stop, as every sentence has. */
export function inARow(hints: readonly Sentence[]): Sentence {
  const last = hints.length - 1;
  return hints.map((hint, index) => (index === last || /[.!?]$/.test(hint) ? hint : `${hint}.`)).join(' ') as Sentence;
}

export function capitalised(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
