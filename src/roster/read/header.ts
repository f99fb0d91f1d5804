/**
 * Finds the header of a table above its first address, and refuses a table without one: an address
 * might be taken for a name. A title above the header is passed over.
 */
import { CliError } from '../../errors.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { quote } from './quote.ts';
import type { Record } from './source-table.ts';

/** How many records are searched. */
export const headRecords = 20;

/** By which names a header is found. */
export type HeaderNames = {
  /** Whether it names a column of a roster, or of the table that the caller expects. */
  known(header: string): boolean;
  /** Whether the user gave this name for a column. */
  named(header: string): boolean;
  rows: TableRows;
};

/** What the rows of a table are; those of `students` have addresses, by which a row is told from a heading. */
export type TableRows = 'students' | 'exams';

const headerHints: { readonly [rows in TableRows]: Sentence } = {
  students: sentence`Add a row with the names of the columns above the students, such as: email,name`,
  exams: sentence`Add a row with the names of the columns above the exams, such as: key,name,date,start,end`,
};

export const isAddress = (cell: string) => /\S@\S/.test(cell);

export const isBlank = ({ cells }: Record) => cells.every((cell) => cell.trim() === '');

/** The different texts of a record, in lower case: a merged cell counts once. */
export function textsIn({ cells }: Record): Set<string> {
  const texts = new Set(cells.map((cell) => cell.trim().toLowerCase()));
  texts.delete('');
  return texts;
}

/** The header among the first records that are not blank. Throws `invalid_input` where there is none. */
export function findHeader(head: readonly Record[], name: string, names: HeaderNames): Record {
  const headerHint = headerHints[names.rows];
  if (head.length === 0) throw new CliError('invalid_input', sentence`${name} is empty.`, { hint: headerHint });
  const student = head.findIndex(({ cells }) => cells.some(isAddress));
  const above = student < 0 ? head : head.slice(0, student);
  const header = head.find(({ cells }) => cells.some(names.named)) ?? headerAmong(above, names.known);
  if (!header) {
    const { line, cells } = head[student] as Record;
    const several = cells.join().split('@').length > 2;
    throw new CliError(
      'invalid_input',
      sentence`${name} has no header: line ${line}, the first with an e-mail address, has none above it.`,
      {
        hint: several ? sentence`${headerHint}. Or put each address on a line of its own.` : headerHint,
      },
    );
  }
  refuseDuplicates(header, name);
  if (header === head.at(-1) && head.length < headRecords) {
    throw new CliError('invalid_input', sentence`${name} has a header (line ${header.line}) but no rows below it.`, {
      hint: sentence`Add a row for each ${names.rows === 'exams' ? 'exam' : 'student'}.`,
    });
  }
  return header;
}

/**
 * The first record with two known names; otherwise the first of several texts, the first that is such a
 * name, the first of all. One name alone may stand among the cells of a student.
 */
function headerAmong(records: readonly Record[], known: HeaderNames['known']): Record | undefined {
  const knownIn = (record: Record) => [...textsIn(record)].filter(known).length;
  const found =
    records.find((record) => knownIn(record) > 1) ??
    records.find((record) => textsIn(record).size > 1) ??
    records.find((record) => knownIn(record) > 0) ??
    records[0];
  // A cell that is merged down from the first line of a header names the column in its last line too.
  let at = found ? records.indexOf(found) : -1;
  while (at >= 0 && records[at + 1]?.sheet?.under && records[at + 1]?.line === (records[at]?.line ?? 0) + 1) at += 1;
  return records[at];
}

/** The names of the columns: a name that is merged across several is that of the first. */
export function namesIn({ cells, sheet }: Record): string[] {
  return cells.map((cell, index) => (sheet?.across?.has(index) ? '' : cell.trim()));
}

function refuseDuplicates(header: Record, name: string): void {
  const seen = new Map<string, number>();
  for (const [index, cell] of namesIn(header).entries()) {
    const before = cell === '' ? undefined : seen.get(cell.toLowerCase());
    seen.set(cell.toLowerCase(), index);
    if (before === undefined) continue;
    throw new CliError(
      'invalid_input',
      sentence`${name}, line ${header.line}, column ${index + 1}: the header ${quote(cell)} is also that of column ${before + 1}.`,
      { hint: 'Rename or remove one of the two columns.' },
    );
  }
}
