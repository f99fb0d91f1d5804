/** How a roster or another table is read: what the command line declares, and the questions for the rest. */
import type { Context } from '../../command.ts';
import { canAsk } from '../../host/host.ts';
import type { TableReading } from '../../roster/map/declaration.ts';
import type { UnknownEncoding } from '../../roster/read/encoding.ts';
import type { RosterOptions } from '../../roster/read/index.ts';
import { hiddenRowRules } from '../../roster/read/workbook.ts';
import { visible } from '../../text/characters.ts';
import { sentence } from '../../text/sentence.ts';

type ReadingFlags = { encoding?: string | undefined; sheet?: string | undefined; hiddenRows?: string | undefined };

export function readingOf(
  context: Context,
  { encoding, sheet, hiddenRows, declaration }: ReadingFlags & Partial<TableReading>,
): RosterOptions {
  const { prompts } = context.host;
  const headers = Object.values(declaration?.map ?? {}).flat();
  const declared = { encoding, sheet, headers, hiddenRows: hiddenRowRules.find((rule) => rule === hiddenRows) };
  if (!canAsk(context.host, context.globals.noInput)) return declared;
  return {
    ...declared,
    chooseEncoding: (unknown) => askEncoding(context, unknown),
    async chooseHiddenRows(what) {
      if (await prompts.confirm(sentence`${what}. Import them too?`)) return 'include';
      return (await prompts.confirm(sentence`Skip them?`)) ? 'skip' : undefined;
    },
  };
}

/** Readings that look alike are one choice: the first of them. */
async function askEncoding({ host }: Context, { line, column, candidates }: UnknownEncoding): Promise<string | undefined> {
  const readings = new Map<string, string>();
  for (const { encoding, sample } of candidates) {
    const text = sample.slice(0, 3).join(', ');
    if (!readings.has(text)) readings.set(text, encoding);
  }
  const choices = [...readings].map(([text, value]) => ({ value, label: visible(`${value}: ${text}`) }));
  const none = { value: '', label: 'none of these' };
  const question = sentence`The file is not UTF-8 (line ${line}, column ${column}). Which encoding is right?`;
  const chosen = await host.prompts.search(question, (term) => [
    ...choices.filter(({ label }) => label.toLowerCase().includes(term.toLowerCase())),
    none,
  ]);
  return chosen === '' ? undefined : chosen;
}
