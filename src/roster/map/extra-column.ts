/**
 * The column that holds the extra time of students: by its heading, or because all of its filled cells are such amounts.
 * Many rosters have one for information only, so that it is used only with `--extra-time`, `--map`, or after a yes.
 */
import { CliError } from '../../errors.ts';
import { sentence } from '../../text/sentence.ts';
import { quote } from '../read/quote.ts';
import type { Table } from '../read/source-table.ts';
import type { AskYes } from './address-column.ts';
import { fieldOf } from './aliases.ts';
import type { ColumnSurvey } from './column-survey.ts';
import { type Columns, mapOption } from './field-columns.ts';

/** Completes the columns. Throws `invalid_input` where a column is wanted and none, or several, could be it. */
export async function findExtraTime(
  table: Table,
  { fields }: Columns,
  surveyed: readonly ColumnSurvey[],
  { wanted, askYes }: { wanted: boolean; askYes: AskYes | undefined },
): Promise<void> {
  if (fields.has('extra_time')) return;
  const found = extraTimeColumns(surveyed);
  const [only, ...more] = found;
  if (only === undefined) {
    if (!wanted) return;
    throw new CliError('invalid_input', sentence`${table.name} has no column for extra time.`, {
      hint: 'Name it: --map extra_time="Name of the column"',
    });
  }
  const named = found.map(({ header, index }) => `${quote(header)} (column ${index + 1})`).join(' and ');
  if (more.length > 0) {
    if (!wanted) return;
    throw new CliError('invalid_input', sentence`${table.name}: ${named} could both be extra_time.`, {
      hint: sentence`Choose one: ${found.map(({ header }) => mapOption('extra_time', header)).join(' or ')}`,
    });
  }
  if (wanted || (await askYes?.(sentence`${named} holds extra time. Use it for the close times of the students?`)))
    fields.set('extra_time', only.index);
}

/** The columns that may be it: those with its heading, or else those with nothing but such amounts. */
export function extraTimeColumns(surveyed: readonly ColumnSurvey[]): ColumnSurvey[] {
  const filled = surveyed.filter((column) => column.filled > 0 && !column.isSecret);
  const named = filled.filter(({ header }) => fieldOf(header) === 'extra_time');
  return named.length > 0 ? named : filled.filter(({ holdsExtraTime }) => holdsExtraTime);
}
