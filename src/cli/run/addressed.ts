/**
 * Command lines in what people are told, made to go where the command went: at the profile or the
 * address that was typed. So each of them works as it is pasted.
 */
import type { Globals } from '../../command.ts';
import { nouns } from '../../commands/index.ts';
import { parseBaseUrl } from '../../config/base-url.ts';
import { shellQuoted } from '../../model/shell-quote.ts';

/** They are about this machine, whatever the profile. */
const local = new Set(['profiles', 'sandbox', 'schema', 'completion']);

/** A text in which each command line names the profile and the address that were typed, unless it says itself where it goes. */
export function addressed(text: string, { profile, baseUrl }: Pick<Globals, 'profile' | 'baseUrl'>): string {
  const given = Object.entries({ '--profile': profile, '--base-url': baseUrl !== undefined && isUsable(baseUrl) ? baseUrl : undefined });
  const where = given.flatMap(([option, value]) => (value === undefined ? [] : [`${option} ${shellQuoted(value)} `])).join('');
  if (where === '') return text;
  const names = nouns.flatMap(({ name }) => (local.has(name) ? [] : [name]));
  const beginning = new RegExp(`\\bproctor-cli (?=(?:${names.join('|')})\\b)(?!.* --(?:profile|base-url|help)\\b)`, 'g');
  return text.replace(beginning, (words) => words + where);
}

/** An address that is refused helps in no other command, and may hold a password. */
function isUsable(baseUrl: string): boolean {
  try {
    return parseBaseUrl(baseUrl) !== '';
  } catch {
    return false;
  }
}
