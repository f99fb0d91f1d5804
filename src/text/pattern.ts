/**
 * Patterns with properties of characters. Each takes up to milliseconds to build, and most texts need none: what is plain
 * is known without them.
 */

/** A pattern that is built at its first use. */
export function patternOnUse(source: string, flags: string): () => RegExp {
  let pattern: RegExp | undefined;
  return () => {
    pattern ??= new RegExp(source, flags);
    return pattern;
  };
}

const plain = /^[ -~]*$/;
const controls = patternOnUse(String.raw`\p{C}`, 'u');

/** Whether a text contains a control or format character, or one that is not assigned. */
export function hasControls(text: string): boolean {
  return !plain.test(text) && controls().test(text);
}
