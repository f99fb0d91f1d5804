/** The options of every command, as help lists them: whole on a page of their own, by name below every other page. */
import type { Command } from '../../command.ts';
import { globalOptions, globalOptionsOf } from '../parse/globals.ts';
import type { Term } from './help-page.ts';

/** The options of every command, and what they do. */
export function globalTerms(): Term[] {
  return [
    ...globalOptions.map(({ flags, does, choices }): Term => [flags, choices ? `${does}: ${choices.join(', ')}` : does]),
    ['-h, --help', 'help for the program, a noun or a command; -h omits rarely used options'],
  ];
}

/** The options of every command by name only; of one command, those that have an effect in it. `short`: without the rare ones. */
export function globalNames(command?: Command, short = false): string[] {
  const named = globalOptionsOf(command).filter(({ rare }) => !(short && rare));
  return named.map(({ flags }) => flags.replace(/ <.*$/s, '').replace(/^-(\w), /, '-$1 '));
}
