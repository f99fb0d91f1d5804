/**
 * The column that holds the extra time of students. Many rosters have one for information only, so that it is used only
 * with `--extra-time`, `--map`, or after a question.
 */
import { CliError } from '../../errors.ts';
import { sentence } from '../../text/sentence.ts';
import { quote } from '../read/quote.ts';
import type { Table } from '../read/table.ts';
import type { AskYes } from './address-column.ts';
import { type Columns, mapOption } from './columns.ts';
import { isExtraTimeHeader } from './vocabulary.ts';

/** `wanted`: undefined where the user has not said it. */
type ExtraColumnOptions = { wanted: boolean | undefined; askYes: AskYes | undefined };

/** Completes the columns; gives notes. Throws `invalid_input` where a column is wanted and none, or several, could be it. */
export async function findExtraTime(table: Table, { fields, extra }: Columns, { wanted, askYes }: ExtraColumnOptions): Promise<string[]> {
  if (fields.has('extra_time') || wanted === false) return [];
  const taken = new Set([...fields.values(), ...extra.map(({ index }) => index)]);
  const found = [...table.header.entries()].filter(([index, header]) => !taken.has(index) && isExtraTimeHeader(header));
  const [only, ...more] = found;
  if (only === undefined) {
    if (wanted === undefined) return [];
    throw new CliError('invalid_input', sentence`${table.name} has no column for extra time.`, {
      hint: 'Name it: --map extra_time="Name of the column"',
    });
  }
  const named = found.map(([index, header]) => `${quote(header)} (column ${index + 1})`).join(' and ');
  if (more.length > 0) {
    if (wanted === undefined)
      return [`${named} could both hold extra time and are not used; ${mapOption('extra_time', only[1])} uses one.`];
    throw new CliError('invalid_input', sentence`${table.name}: ${named} could both be extra_time.`, {
      hint: sentence`Choose one: ${mapOption('extra_time', only[1])}`,
    });
  }
  if (wanted || (await askYes?.(sentence`${named} holds extra time. Use it for the close times of the students?`))) {
    fields.set('extra_time', only[0]);
    return [];
  }
  return [`${named} holds extra time and is not used; --extra-time uses it for the close times.`];
}
