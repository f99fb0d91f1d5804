/**
 * The column of addresses where no header names it: a column that contains addresses is shown, and used only after a yes
 * or with `--map`.
 */
import { CliError } from '../../errors.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { quote, quoteAll } from '../read/quote.ts';
import type { Table } from '../read/source-table.ts';
import type { ColumnSurvey } from './column-survey.ts';
import { type Columns, mapOption, namesOf } from './field-columns.ts';

export type AskYes = (question: Sentence) => Promise<boolean>;

/** Adds the column of the addresses. Throws `invalid_input` if only a person can say which column it is. */
export async function findAddresses(
  table: Table,
  { fields, emailIsMapped }: Columns,
  surveyed: readonly ColumnSurvey[],
  ask: AskYes | undefined,
): Promise<void> {
  const named = fields.get('email');
  if (emailIsMapped || surveyed.find(({ index }) => index === named)?.address !== undefined) return;
  const holding = surveyed.filter(({ index, address }) => index !== named && address !== undefined);
  const [only, ...more] = holding;
  const place = ({ index, header }: { index: number; header: string }) => `${quote(header)} (column ${index + 1})`;
  if (only === undefined || (more.length > 0 && named !== undefined)) {
    // What stands in a column called e-mail is left to the problems of its lines.
    if (named !== undefined) return;
    throw new CliError(
      'invalid_input',
      sentence`${table.name} has no column for e-mail addresses. Its columns: ${quoteAll(namesOf(table))}.`,
      { hint: 'Name it: --map email="Name of the column"' },
    );
  }
  if (more.length > 0) {
    const choices = holding.map(({ header }) => mapOption('email', header)).join(' or ');
    throw new CliError(
      'invalid_input',
      sentence`${table.name} has no column named e-mail. These columns contain addresses: ${holding.map(place).join(' and ')}.`,
      { hint: sentence`Choose the addresses of the students: ${choices}` },
    );
  }
  const none = named === undefined ? '' : `, and none in ${place({ index: named, header: table.header[named] ?? '' })}`;
  const what = sentence`${table.name} has addresses in ${place(only)}, such as ${quote(only.address ?? '')}${none}.`;
  const role = [...fields].find(([, index]) => index === only.index)?.[0];
  if (!(await ask?.(sentence`${what} Are they the addresses of the students?`))) {
    const other = role === undefined || named === undefined ? '' : ` ${mapOption(role, table.header[named] ?? '')}`;
    throw new CliError('invalid_input', what, {
      hint: sentence`If they are the addresses of the students, add: ${mapOption('email', only.header)}${other}`,
    });
  }
  // Swapped columns are swapped back.
  if (role !== undefined) fields.delete(role);
  fields.set('email', only.index);
  if (role !== undefined && named !== undefined) fields.set(role, named);
}
