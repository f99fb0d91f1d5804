/**
 * Finds the header among the first records of a table, and refuses what has none: without names of
 * columns, an address might be taken for a name. A title above the header is passed over.
 */
import { CliError } from '../../errors.ts';
import { sentence } from '../../text/sentence.ts';
import { quote } from './quote.ts';
import type { Record } from './table.ts';

/** How many records are searched. */
export const headRecords = 20;

export type KnownHeader = (header: string) => boolean;

const headerHint = 'Add a row with the names of the columns above the students, such as: email,name';
const hasAddress = (record: Record) => record.cells.some((cell) => /\S@\S/.test(cell));

export const isBlank = (record: Record) => record.cells.every((cell) => cell.trim() === '');

/** The header among the first records that are not blank. Throws `invalid_input` where there is none. */
export function findHeader(head: readonly Record[], name: string, known: KnownHeader): Record {
  const [first] = head;
  if (!first) throw new CliError('invalid_input', sentence`${name} is empty.`, { hint: headerHint });
  const header = mostKnown(head, known) ?? head.find((record) => record.cells.filter((cell) => cell.trim() !== '').length > 1) ?? first;
  const student = head.slice(0, head.indexOf(header) + 1).find(hasAddress);
  if (student) {
    const several = student.cells.filter((cell) => /\S@\S/.test(cell)).length > 1 || /@[^@]*[;,][^@]*@/.test(student.cells.join(','));
    throw new CliError('invalid_input', sentence`${name} has no header: line ${student.line} is a student.`, {
      hint: several ? sentence`${headerHint}. Or put each address on a line of its own.` : headerHint,
    });
  }
  refuseDuplicates(header, name);
  if (head.indexOf(header) === head.length - 1 && head.length < headRecords) {
    throw new CliError('invalid_input', sentence`${name} has a header (line ${header.line}) but no rows below it.`, {
      hint: 'Add a row for each student.',
    });
  }
  return header;
}

/** The first of the records with the most headers that are known; undefined where none has one. */
function mostKnown(head: readonly Record[], known: KnownHeader): Record | undefined {
  let best: Record | undefined;
  let most = 0;
  for (const record of head) {
    const count = record.cells.filter(known).length;
    if (count > most) [best, most] = [record, count];
  }
  return best;
}

function refuseDuplicates({ line, cells }: Record, name: string): void {
  const seen = new Map<string, number>();
  for (const [index, cell] of cells.entries()) {
    const key = cell.trim().toLowerCase();
    const before = key === '' ? undefined : seen.get(key);
    seen.set(key, index);
    if (before === undefined) continue;
    throw new CliError(
      'invalid_input',
      sentence`${name}, line ${line}, column ${index + 1}: the header ${quote(cell.trim())} is also that of column ${before + 1}.`,
      { hint: 'Rename or remove one of the two columns.' },
    );
  }
}
