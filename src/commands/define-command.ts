/** Infers the types of a command's values. */
import type { Arguments, Command, Flags } from '../command.ts';

export function defineCommand<const A extends Arguments, const F extends Flags, const N extends keyof F & string = never>(
  command: Command<A, F, N>,
): Command<A, F, N> {
  return command;
}
