/** Asks a person about the undeclared columns of a table. */
import type { Context } from '../../command.ts';
import { canAsk } from '../../host/host.ts';
import type { MapOptions } from '../../roster/map/index.ts';
import { type ColumnsQuestion, columnInWords, undeclaredInWords } from '../../roster/map/undeclared.ts';
import { valueCountInWords } from '../../roster/map/value-counts.ts';
import { quote } from '../../roster/read/quote.ts';
import { sentence } from '../../text/sentence.ts';

/** The questions for a table; none if nobody can be asked. */
export function columnQuestions(context: Context, file: string): Pick<MapOptions, 'askYes' | 'askColumns'> {
  if (!canAsk(context.host, context.globals.noInput)) return {};
  return { askYes: context.host.prompts.confirm, askColumns: askColumns(context, file) };
}

/** At most this many values are offered one by one; a column with more is ignored as a whole, or stops the import. */
const offeredValues = 50;

/** Asks which values of each column are imported. Nothing is ticked beforehand; without an answer, nothing is imported. */
function askColumns({ host, say }: Context, file: string) {
  return async ({ columns, kept }: ColumnsQuestion) => {
    say(undeclaredInWords(file, columns.length, kept));
    for (const column of columns) say(sentence`  ${columnInWords(column, kept)}.`);
    const only: Record<string, string[]> = {};
    const ignored: string[] = [];
    for (const column of columns) {
      const { header, values } = column;
      if (header === '') return undefined;
      const all = { value: 'all', label: sentence`every line: the column does not decide` };
      const listed = column.isSecret || values.isOverfull ? [] : values.rarest();
      const some = listed.length > offeredValues ? [] : listed;
      const choices = some.map((one, index) => ({ value: String(index), label: sentence`${valueCountInWords(one)}` }));
      const ticked = await host.prompts.tick(sentence`Which values of ${quote(header)} are used?`, [...choices, all]);
      if (ticked.length === 0) return undefined;
      if (ticked.includes('all')) ignored.push(header);
      else only[header] = ticked.flatMap((index) => some[Number(index)]?.value ?? []);
    }
    return { only, ignored };
  };
}
