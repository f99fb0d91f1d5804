/** The spelling of flags, for commander, help and messages. */
import type { Command, Flag } from '../../command.ts';
import { refusal } from '../../model/fields.ts';
import { flagName } from '../../model/shell-quote.ts';

/** Flags for fields without a flag of their own, in commands that write. */
export const bodyOptions = [
  {
    flags: '-F, --field <key=value>',
    description: 'any other field; true, false, null and numbers are sent as such; key=@file reads a file',
    repeats: true,
    complete: 'fields',
  },
  { flags: '-f, --raw-field <key=value>', description: 'any other field, always as text', repeats: true, complete: 'fields' },
  {
    flags: '--body <file>',
    description: 'a JSON object with the fields, from a file or - for stdin',
    repeats: false,
    complete: 'files',
  },
] as const;

/** Those that a command takes. */
export function bodyOptionsOf({ writes }: Pick<Command, 'writes'>): readonly (typeof bodyOptions)[number][] {
  if (writes === undefined) return [];
  return writes === 'constants' || (typeof writes === 'object' && writes.adds) ? bodyOptions.slice(0, 1) : bodyOptions;
}

/**
 * The flags that help, completion and questions offer. A flag for a field that the operation cannot set is not among
 * them: it is accepted only to be refused by name, with the reason.
 */
export function offeredFlags({ flags = {}, writes }: Command): [key: string, flag: Flag][] {
  const fails = ({ field }: Flag) =>
    typeof writes === 'object' && field !== undefined && refusal(writes.resource, writes.writing, field) !== undefined;
  return Object.entries(flags).filter(([, flag]) => !fails(flag));
}

/** A flag with its short form and its placeholder. */
export function flagTerm(key: string, flag: Flag): string {
  if (flag.type === 'boolean') return flag.negatable ? flagName(key).replace('--', '--[no-]') : flagName(key);
  const short = 'short' in flag && flag.short ? `-${flag.short}, ` : '';
  return `${short}${flagName(key)} <${flag.type === 'time' ? 'time' : flag.value}>`;
}
