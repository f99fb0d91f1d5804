/** The spelling of flags, for commander, help and messages. */
import type { Flag } from '../../command.ts';
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
  { flags: '--body <file>', description: 'a JSON object with the fields, from a file or - for stdin', repeats: false, complete: 'files' },
] as const;

/** A flag with its short form and its placeholder. */
export function flagTerm(key: string, flag: Flag): string {
  if (flag.type === 'boolean') return flag.negatable ? flagName(key).replace('--', '--[no-]') : flagName(key);
  const short = 'short' in flag && flag.short ? `-${flag.short}, ` : '';
  return `${short}${flagName(key)} <${flag.type === 'time' ? 'time' : flag.value}>`;
}
