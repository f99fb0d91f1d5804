/**
 * Finds the column of addresses if its header does not name it: the column that is full of
 * addresses. It is named, and used only after confirmation or with `--map`.
 */
import { CliError } from '../../errors.ts';
import { isSecretHeader } from '../../model/secret-keys.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { quote, quoteAll } from '../read/quote.ts';
import type { Table } from '../read/table.ts';
import { type Columns, mapOption, namesOf } from './columns.ts';
import type { Survey } from './survey.ts';
import { headerKey } from './vocabulary.ts';

export type AskYes = (question: Sentence) => Promise<boolean>;

/** Addresses of other people, or that a student does not read. */
const others =
  /recover|parent|guardian|mother|father|eltern|vater|mutter|emergency|notfall|teacher|lehrer|advisor|adviser|instructor|betreuer|tuteur|second|altern|privat|personal|manager/;

/** Completes the columns with those of the addresses; gives notes. Throws `invalid_input` where only a person can say which they are. */
export async function findAddresses(
  table: Table,
  columns: Columns,
  { columns: seen, sample }: Survey,
  ask: AskYes | undefined,
): Promise<string[]> {
  const { fields, alsoEmail, emailIsMapped } = columns;
  if (emailIsMapped) return [];
  const email = fields.get('email');
  const holding = email === undefined ? undefined : seen[email];
  const header = (index: number) => table.header[index] ?? '';
  const place = (index: number) => `${quote(header(index))} (column ${index + 1})`;
  const full = [...seen.entries()].flatMap(([index, { filled, addresses }]) =>
    index !== email && addresses > 0 && 5 * addresses >= 4 * filled && isOwn(header(index)) ? [index] : [],
  );
  if (email !== undefined && holding && holding.addresses > 0) {
    const gaps = sample.filter((cells) => (cells[email] ?? '').trim() === '');
    const filling = full.filter((index) => gaps.some((cells) => (cells[index] ?? '').includes('@')));
    const [only, ...more] = filling;
    if (only === undefined || more.length > 0) return [];
    const said = `Some rows have no address in ${place(email)}, but have one in ${place(only)}.`;
    if (await ask?.(sentence`${said} Use column ${quote(header(only))} for these rows?`)) {
      alsoEmail.push(only);
      return [];
    }
    return [`${said} To use that column for these rows, add: ${mapOption('email', header(email))} ${mapOption('email', header(only))}`];
  }
  const [only, ...more] = full;
  // Other content in a column called e-mail is left to the problems of its rows.
  if (only === undefined) return [];
  if (more.length > 0) {
    if (email !== undefined) return [];
    throw new CliError(
      'invalid_input',
      sentence`${table.name} has no column named e-mail. These columns contain addresses: ${full.map(place).join(' and ')}.`,
      { hint: sentence`Choose one: ${mapOption('email', header(only))}` },
    );
  }
  const name = [...fields].find(([field, index]) => field === 'name' && index === only) && email !== undefined;
  const what = name
    ? `The columns ${place(email)} and ${place(only)} are swapped: the second contains the addresses, such as ${quote(seen[only]?.example ?? '')}.`
    : `${table.name} has its addresses in ${place(only)}, such as ${quote(seen[only]?.example ?? '')}${email === undefined ? '' : `, and none in ${place(email)}`}.`;
  if (!(await ask?.(sentence`${what} ${name ? 'Swap them?' : 'Use this column?'}`))) {
    const swap = name ? sentence` ${mapOption('name', header(email))}` : '';
    throw new CliError('invalid_input', sentence`${what}`, {
      hint: sentence`To ${name ? 'swap them' : 'use it'}, add: ${mapOption('email', header(only))}${swap}`,
    });
  }
  for (const [field, index] of fields) if (index === only) fields.delete(field);
  fields.set('email', only);
  if (name) fields.set('name', email);
  return [];
}

/** Refuses a table of which no column can be that of the addresses. */
export function refuseWithoutAddresses(table: Table, { fields }: Columns) {
  if (fields.has('email')) return;
  throw new CliError(
    'invalid_input',
    sentence`${table.name} has no column for e-mail addresses. Its columns: ${quoteAll(namesOf(table))}.`,
    { hint: 'Name it: --map email="Name of the column"' },
  );
}

function isOwn(header: string): boolean {
  return !others.test(headerKey(header)) && !isSecretHeader(header);
}
