/**
 * What divides a table stops the whole of it, because the rows around it may not belong together: a heading, a second
 * header, a second table. Such a row is never one that may be skipped as invalid.
 */
import { CliError } from '../../errors.ts';
import { isSecretHeader } from '../../model/secret-keys.ts';
import { sentence } from '../../text/sentence.ts';
import { type HeaderNames, isAddress, textsIn } from './header.ts';
import { quote } from './quote.ts';
import { placeOf, type Record, type Table, type TableContent, type TableRow } from './table.ts';

export type Body = { content: TableContent; header: readonly string[]; headerLine: number; names: HeaderNames };

/** Refuses a second header: names of columns under their own, or two of the vocabulary where no address is. */
export function refuseHeader({ content, header, names }: Body, record: Record): void {
  const { line, cells } = record;
  const repeated = cells.filter((cell, index) => cell.trim() !== '' && cell.trim().toLowerCase() === header[index]?.toLowerCase());
  const isRepeated = repeated.length > 1 || (repeated.length === 1 && namedIn(header) === 1);
  if (!isRepeated && (cells.some(isAddress) || [...textsIn(record)].filter(names.known).length < 2)) return;
  throw new CliError('invalid_input', sentence`${content.name}, ${placeOf(content, { line })}: the row is a second header.`, {
    hint: 'Give the part above it and the part below it as files of their own; or remove the row if they belong together.',
  });
}

/** Refuses a row below a blank one that is no whole student: reports write several tables below each other. */
export function refuseSecondTable({ content }: Body, { line }: Record): void {
  const place = `${content.name}, ${placeOf(content, { line })}`;
  const what = 'the row follows a blank one, and has no e-mail address or another number of cells than the header';
  throw new CliError('invalid_input', sentence`${place}: ${what}; a second table may begin there.`, {
    hint: 'Keep only the table of the students; or remove the blank row if it is one table.',
  });
}

const namedIn = (header: readonly string[]) => header.filter((cell) => cell !== '').length;

/** The text of a row that has only one, unless it is an address, however misspelt. */
export function aloneIn(cells: readonly string[]): string | undefined {
  const text = cells.find((cell) => cell.trim() !== '')?.trim() ?? '';
  if (cells.some((cell) => cell.trim() !== '' && cell.trim() !== text)) return undefined;
  const isAddress = text.includes('@') && (!/\s/.test(text) || text.endsWith('>'));
  return isAddress ? undefined : text;
}

/** Refuses the whole file for a row with one text alone: a heading says which of the others are meant. */
export function refuseAlone({ name, kind, header }: Pick<Table, 'name' | 'kind' | 'header'>, { line, alone }: TableRow): void {
  if (alone === undefined) return;
  // In a row whose cells have moved, the text may be a password.
  const shown = header.some(isSecretHeader) ? 'a single text' : quote(alone);
  throw new CliError(
    'invalid_input',
    sentence`${name}, ${placeOf({ kind }, { line })}: the row contains nothing but ${shown}; it may be a heading, a footer or an incomplete student.`,
    { hint: 'Complete or remove the row. If it divides the students, check first which part is to be imported.' },
  );
}
