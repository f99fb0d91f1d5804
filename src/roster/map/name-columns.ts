/** The name of a student, from the columns that hold it or its parts, and in the order in which it is spoken. */
import { isSecretHeader } from '../../model/secret-keys.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import type { ColumnField, RosterFormat } from '../formats/roster-format.ts';
import { quote, quoteAll } from '../read/quote.ts';
import type { Table } from '../read/source-table.ts';
import { isLastNameFirst } from './aliases.ts';
import type { Constants } from './constants.ts';
import type { Columns } from './field-columns.ts';
import { areInverted, displayName, spokenName } from './names.ts';

/** Says which part of the names is missing, if another column may hold it. */
export function missingNames({ fields }: Columns, constants: Constants, unused: readonly (readonly [number, string])[]): Sentence[] {
  if (fields.has('name') || constants.fields.name !== undefined || unused.every(([, header]) => isSecretHeader(header))) return [];
  if (fields.has('first_name')) return fields.has('last_name') ? [] : [missingName('last')];
  return fields.has('last_name')
    ? [missingName('first')]
    : [sentence`No column has the names, so that students have none. To name it, add: --map name=HEADER`];
}

const missingName = (lacks: 'first' | 'last') =>
  sentence`No column has the ${lacks} names, so that names are ${lacks === 'last' ? 'first' : 'last'} names only. To name it, add: --map ${lacks}_name=HEADER`;

/** Whether names are written as "Last, First", in this export always or in this table mostly. */
export function nameOrderIn(
  table: Table,
  { fields }: Columns,
  format: RosterFormat | undefined,
  sample: readonly (readonly string[])[],
): { inverted: boolean; notes: Sentence[] } {
  const index = fields.get('name');
  if (format?.nameOrder) return { inverted: true, notes: [] };
  const names =
    index === undefined
      ? sample.flatMap((cells) => displayName(cells[fields.get('email') ?? -1] ?? '') ?? [])
      : sample.map((cells) => cells[index] ?? '');
  const header = index === undefined ? '' : (table.header[index] ?? '');
  if (!areInverted(names)) {
    const notes = isLastNameFirst(header)
      ? [sentence`Names in ${quote(header)} are imported as they are written, the last name first.`]
      : [];
    const others = names.filter((name) => spokenName(name) !== name);
    const kept = sentence`${quoteAll(others, 3)}: a name with a comma is imported as it is, because most names have none.`;
    return { inverted: false, notes: others.length > 0 ? [...notes, kept] : notes };
  }
  const example = names.find((name) => spokenName(name) !== name) ?? '';
  return {
    inverted: true,
    notes: [sentence`Names are written as "Last, First": ${quote(example)} becomes ${quote(spokenName(example))}.`],
  };
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
