/**
 * Adds the typed `--profile` and `--base-url` to the command lines in messages, so that each works when it is
 * pasted.
 */
import type { Globals } from '../../command.ts';
import { nouns } from '../../commands/index.ts';
import { parseBaseUrl } from '../../config/base-url.ts';
import { typedOption } from '../../model/shell-quote.ts';

/** Commands that do not depend on the profile. */
const local = 'auth switch|sandbox|completion';

/** The text, with the typed profile and address in each command line that names none itself. */
export function addressed(text: string, { profile, baseUrl }: Pick<Globals, 'profile' | 'baseUrl'>): string {
  const given = Object.entries({ '--profile': profile, '--base-url': baseUrl !== undefined && isUsable(baseUrl) ? baseUrl : undefined });
  const where = given.flatMap(([option, value]) => (value === undefined ? [] : [`${typedOption(option, value)} `])).join('');
  if (where === '') return text;
  const names = nouns.map(({ name }) => name).join('|');
  const beginning = new RegExp(
    `\\bproctor-cli (?=(?:${names})\\b)(?!(?:${local})\\b)(?!(?:(?! -- ).)* --(?:profile|base-url|help)\\b)`,
    'g',
  );
  return text.replace(beginning, (words) => words + where);
}

/** An invalid address is not repeated: it helps in no command and may contain a password. */
function isUsable(baseUrl: string): boolean {
  try {
    return parseBaseUrl(baseUrl) !== '';
  } catch {
    return false;
  }
}
