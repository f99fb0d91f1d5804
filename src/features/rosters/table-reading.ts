/** How a roster or another table is read: what the command line declares, and the questions for the rest. */
import type { Context } from '../../command.ts';
import { canAsk } from '../../host/host.ts';
import type { TableReading } from '../../roster/map/declaration.ts';
import type { RosterOptions } from '../../roster/read/index.ts';
import { hiddenRowRules } from '../../roster/read/workbook.ts';
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
    async chooseHiddenRows(what) {
      if (await prompts.confirm(sentence`${what}. Import them too?`)) return 'include';
      return (await prompts.confirm(sentence`Skip them?`)) ? 'skip' : undefined;
    },
  };
}
