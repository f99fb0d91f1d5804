/** A fuzz target: inputs are plain JSON, so that a failing one can be made smaller, kept and read. */
import type { Random } from './random.ts';

/** Texts stand for bytes one to one (latin1) where a format has bytes. */
export type Input = { [field: string]: string | string[] };

export type Target = {
  name: string;
  /** How often it is drawn, compared with the others. */
  weight: number;
  draw(random: Random): Input;
  /** The failure of the program for this input, in one line; undefined if there is none. Bugs may also throw. */
  judge(input: Input): Promise<string | undefined>;
};

export const listIn = (input: Input, field: string): string[] => [input[field] ?? []].flat();
export const textIn = (input: Input, field: string): string => [input[field] ?? ''].flat().join('');

/** What is wrong with the sentence of a refusal: no end, or a value that was not meant to be in it. `foreign`: the input, whose words it may repeat. */
export function oddWords(message: string, foreign: string): string | undefined {
  const [odd] = /undefined|\[object|NaN/.exec(message.replaceAll(/"(\\.|[^"])*"/g, '')) ?? [];
  return !/[.!?]$/.test(message) || (odd !== undefined && !foreign.includes(odd)) ? `it says: ${message}` : undefined;
}
