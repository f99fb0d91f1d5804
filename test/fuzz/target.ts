/** What is fuzzed: inputs as plain JSON, so that one that fails can be made smaller, kept and read. */
import type { Random } from './random.ts';

/** Texts stand for bytes one to one (latin1) where a format has bytes. */
export type Input = { [field: string]: string | string[] };

export type Target = {
  name: string;
  /** How often it is drawn, compared with the others. */
  weight: number;
  draw(random: Random): Input;
  /** What is wrong with the program for this input, in one line; undefined where it keeps its promises. Bugs may also throw. */
  judge(input: Input): Promise<string | undefined>;
  /** The same input for the built program. */
  command(input: Input): Built;
};

export type Built = {
  line: readonly string[];
  stdin?: string;
  /** Files below the home folder. */
  files?: { [path: string]: string };
  env?: Record<string, string>;
  /** What a service answers, connection by connection: bytes as latin1. */
  answers?: readonly string[];
};

export const listIn = (input: Input, field: string): string[] => [input[field] ?? []].flat();
export const textIn = (input: Input, field: string): string => [input[field] ?? ''].flat().join('');
