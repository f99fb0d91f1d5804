/** The name of a student, from the columns that hold it or its parts, and in the order in which it is spoken. */
import { isSecretHeader } from '../../model/secret-keys.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import type { ColumnField, RosterFormat } from '../formats/roster-format.ts';
import { quote, quoteAll } from '../read/quote.ts';
import type { Table } from '../read/source-table.ts';
import { isLastNameFirst } from './aliases.ts';
import type { Constants } from './constants.ts';
import type { Columns } from './field-columns.ts';
import { displayName, spokenName } from './names.ts';

/** Says which part of the names is missing, if another column may hold it. */
export function missingNames({ fields }: Columns, constants: Constants, unused: readonly (readonly [number, string])[]): Sentence[] {
  if (fields.has('name') || constants.fields.name !== undefined || unused.every(([, header]) => isSecretHeader(header))) return [];
  if (fields.has('first_name')) return fields.has('last_name') ? [] : [missingName('last')];
  return fields.has('last_name')
    ? [missingName('first')]
    : [sentence`No column holds names, so the students have none. To name the column, add: --map name=HEADER`];
}

const missingName = (lacks: 'first' | 'last') =>
  sentence`No column has the ${lacks} names, so names are ${lacks === 'last' ? 'first' : 'last'} names only. To name the column, add: --map ${lacks}_name=HEADER`;

/** Whether names are written as "Last, First": only where the record of an export or the heading of the column says so. */
export function nameOrderIn(
  table: Table,
  { fields }: Columns,
  format: RosterFormat | undefined,
  sample: readonly (readonly string[])[],
): { inverted: boolean; notes: Sentence[] } {
  if (format?.nameOrder) return { inverted: true, notes: [] };
  const index = fields.get('name');
  const header = index === undefined ? '' : (table.header[index] ?? '');
  const names =
    index === undefined
      ? sample.flatMap((cells) => displayName(cells[fields.get('email') ?? -1] ?? '') ?? [])
      : sample.map((cells) => cells[index] ?? '');
  const written = names.filter((name) => spokenName(name) !== name);
  const [example = ''] = written;
  if (!isLastNameFirst(header)) {
    const kept = sentence`Names with a comma are imported as they are written: ${quoteAll(written, 3)}.`;
    return { inverted: false, notes: written.length > 0 ? [kept] : [] };
  }
  const turned = sentence`${quote(header)} has the last name first: ${quote(example)} becomes ${quote(spokenName(example))}.`;
  const asWritten = sentence`Names in ${quote(header)} are imported as they are written, the last name first.`;
  return { inverted: true, notes: [example === '' ? asWritten : turned] };
}

/** The name: from its column, made of its parts, or from before the address (`Name <address>`). */
export function nameIn(
  { name, first_name, infix, last_name, second_last_name, email = '' }: { readonly [field in ColumnField]?: string },
  inverted: boolean,
): string {
  const parts = [first_name, infix, last_name, second_last_name].filter((part) => part !== undefined);
  const whole = name ?? (parts.length === 0 ? displayName(email) : undefined);
  return whole === undefined ? parts.join(' ') : inverted ? spokenName(whole) : whole;
}
