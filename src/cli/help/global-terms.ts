/** The options of every command, as help lists them: whole on a page of their own, by name below every other page. */
import { globalOptions } from '../parse/globals.ts';
import type { Term } from './page.ts';

/** The options of every command, and what they do. */
export function globalTerms(): Term[] {
  return [
    ...globalOptions.map(({ flags, does, choices }): Term => [flags, choices ? `${does}: ${choices.join(', ')}` : does]),
    ['-h, --help', 'help for the program, a noun or a command'],
  ];
}

/** The options of every command by name only. */
export function globalNames(): string[] {
  return globalOptions.map(({ flags }) => flags.replace(/ <.*$/, '').replace(/^-(\w), /, '-$1 '));
}
