/**
 * Columns that may decide and that nobody has declared. No word in them is interpreted: they are shown with their values, and a
 * person declares each of them.
 */
import { CliError } from '../../errors.ts';
import { count } from '../../model/count.ts';
import { firstLines } from '../../model/first-of.ts';
import { inLines, type Sentence, sentence } from '../../text/sentence.ts';
import { quote } from '../read/quote.ts';
import type { Table } from '../read/source-table.ts';
import type { ColumnSurvey } from './column-survey.ts';
import { waysToDeclare } from './selection.ts';

/** A question about columns. `kept`: the number of lines that the declared columns let through. */
export type ColumnsQuestion = { columns: readonly ColumnSurvey[]; kept: number };

/** A column with its values, the rarest first; for a value that occurs once, its line. */
export function columnInWords({ header, index, values, isSecret }: ColumnSurvey, kept: number): Sentence {
  const place = header === '' ? `column ${index + 1}, without a header` : `${quote(header)} (column ${index + 1})`;
  if (isSecret) return sentence`${place}: its values are not shown`;
  const [only, ...more] = values.all;
  if (only && more.length === 0 && !values.isOverfull)
    return sentence`${place}: ${only.value === '' ? 'empty' : quote(only.value)} in all ${kept}`;
  return sentence`${place}: ${values.inWords(values.rarest())}`;
}

/** What is wrong with a file, above its undeclared columns. */
export function undeclaredInWords(file: string, columns: number, kept: number): Sentence {
  return sentence`${file}, ${count(kept, 'line')}: ${count(columns, 'undeclared column')} may decide which lines are used:`;
}

export function undeclaredColumns(table: Table, { columns, kept }: ColumnsQuestion): CliError {
  const lines = firstLines(columns, (column) => sentence`  ${columnInWords(column, kept)}.`, 'more columns');
  return new CliError('invalid_input', inLines([undeclaredInWords(table.name, columns.length, kept), ...lines]), {
    hint: howToDeclare(columns),
  });
}

function howToDeclare(columns: readonly ColumnSurvey[]): Sentence {
  const nameless = columns.some(({ header }) => header === '') ? 'Give each column a header, or clear its cells. ' : '';
  if (columns.every(({ header }) => header === '')) return sentence`${nameless.trim()}`;
  return sentence`${nameless}Declare each column: ${waysToDeclare()}.`;
}
