/**
 * A row that divides a table (a heading, a second header, the beginning of a second table) stops the whole table, because the rows on
 * both sides may not belong together. Such a row cannot be skipped as invalid.
 */
import { CliError } from '../../errors.ts';
import { isSecretHeader } from '../../model/secret-keys.ts';
import { sentence } from '../../text/sentence.ts';
import { type HeaderNames, isAddress, textsIn } from './header.ts';
import { quote } from './quote.ts';
import { placeOf, type Record, type Table, type TableContent, type TableRow } from './source-table.ts';

export type Body = { content: TableContent; header: readonly string[]; headerLine: number; names: HeaderNames };

/** Refuses a second header: a row that repeats names of columns under themselves, or has two known names and no address. */
export function refuseHeader({ content, header, names }: Body, record: Record): void {
  const { line, cells } = record;
  const repeated = cells.filter((cell, index) => cell.trim() !== '' && cell.trim().toLowerCase() === header[index]?.toLowerCase());
  const isRepeated = repeated.length > 1 || (repeated.length === 1 && namedIn(header) === 1);
  if (!isRepeated && (cells.some(isAddress) || [...textsIn(record)].filter(names.known).length < 2)) return;
  throw new CliError('invalid_input', sentence`${content.name}, ${placeOf(content, { line })}: this is a second header.`, {
    hint: 'Split the file there, and give the part with the students; or remove the second header if both parts belong together.',
  });
}

/** Refuses a row below a blank row that is no whole student: some reports have several tables, one below the other. */
export function refuseSecondTable({ content, names: { rows } }: Body, { line }: Record): void {
  const place = `${content.name}, ${placeOf(content, { line })}`;
  const why = `this line follows a blank one, and has ${rows === 'exams' ? 'not' : 'no e-mail address, or not'} as many cells as the header`;
  throw new CliError('invalid_input', sentence`${place}: a second table may begin here: ${why}.`, {
    hint: sentence`Keep only the table of the ${rows}; or remove the blank line if both parts are one table.`,
  });
}

const namedIn = (header: readonly string[]) => header.filter((cell) => cell !== '').length;

/** The single text of a row, unless it is an address, even a misspelt one. */
export function aloneIn(cells: readonly string[]): string | undefined {
  const text = cells.find((cell) => cell.trim() !== '')?.trim() ?? '';
  if (cells.some((cell) => cell.trim() !== '' && cell.trim() !== text)) return undefined;
  const isAddress = text.includes('@') && (!/\s/.test(text) || text.endsWith('>'));
  return isAddress ? undefined : text;
}

/** Refuses the whole file for a row with a single text: it may be a heading of the rows below it. */
export function refuseAlone({ name, kind, header }: Pick<Table, 'name' | 'kind' | 'header'>, { line, alone }: TableRow): void {
  if (alone === undefined) return;
  // If the cells of the row are shifted, the text may be a password.
  const shown = header.some(isSecretHeader) ? 'a text' : quote(alone);
  throw new CliError(
    'invalid_input',
    sentence`${name}, ${placeOf({ kind }, { line })}: ${shown} stands alone; it may be a heading, a footer or an incomplete student.`,
    { hint: 'Complete it, or remove it. If it is a heading, first check which of the lines below are to be used.' },
  );
}
