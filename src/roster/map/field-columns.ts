/**
 * Which column is which field: what the user maps comes first, then the record of a known export, then the exact aliases.
 * Where two columns could be meant, neither is guessed.
 */
import { CliError } from '../../errors.ts';
import { nearest } from '../../model/nearest.ts';
import { isSecretHeader } from '../../model/secret-keys.ts';
import { typedOption } from '../../model/shell-quote.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import type { ColumnField, RosterFormat } from '../formats.ts';
import { headerKey } from '../header-key.ts';
import { quote, quoteAll } from '../read/quote.ts';
import type { Table } from '../read/source-table.ts';
import { columnsNamed, fieldOf } from './aliases.ts';
import { refuseUnsendable, rowFields } from './constants.ts';
import { type Declaration, type FieldMap, foldedText } from './declaration.ts';

/** A column for a field of the API that rows have no name of their own for. */
export type ExtraColumn = { field: string; index: number; typed: boolean };

export type Columns = {
  fields: Map<ColumnField, number>;
  extra: ExtraColumn[];
  /** Further columns of addresses, for rows in which the first has none. */
  alsoEmail: number[];
  /** Whether the column of the addresses was named by the user. */
  emailIsMapped: boolean;
  /** Columns that hold names too, of which others are read. */
  otherNames: number[];
};

const mappable: readonly ColumnField[] = [
  'exam',
  'email',
  'name',
  'first_name',
  'infix',
  'last_name',
  'second_last_name',
  'open_time',
  'close_time',
  'skip_requirements',
];

export function columnsOf(table: Table, format: RosterFormat | undefined, { map, ignored }: Declaration): Columns {
  const keys = table.header.map(headerKey);
  const fields = new Map<ColumnField, number>();
  const take = (field: ColumnField, index: number) => {
    if (index >= 0 && !fields.has(field) && ![...fields.values()].includes(index)) fields.set(field, index);
  };
  const { extra, alsoEmail } = takeMapped(table, map, fields);
  const columns: Columns = { fields, extra, alsoEmail, emailIsMapped: fields.has('email'), otherNames: [] };
  for (const [field, headers = []] of Object.entries(format?.columns ?? {})) {
    take(field as ColumnField, keys.indexOf(headers.map(headerKey).find((key) => keys.includes(key)) ?? ''));
  }
  const passedOver = new Set(ignored.map(foldedText));
  const header = table.header.map((one) => (passedOver.has(foldedText(one)) ? '' : one));
  for (const field of [...rowFields, 'level_of_suspicion'] as const) if (field !== 'name') take(field, header.indexOf(field));
  const taken = new Set([...fields.values(), ...alsoEmail, ...extra.map(({ index }) => index)]);
  const candidates = columnsNamed(header.map((one, index) => (taken.has(index) ? '' : one)));
  for (const [field, all] of candidates) {
    if (fields.has(field)) continue;
    if (all.length > 1) throw ambiguous(field, all, table);
    take(field, all[0] ?? -1);
  }
  keepOneName(fields, new Set(Object.keys(map)));
  const used = new Set(fields.values());
  const otherNames = [...table.header.keys()].filter((index) => !used.has(index) && isNameField(fieldOf(table.header[index] ?? '')));
  return { ...columns, otherNames };
}

const nameFields = ['name', 'first_name', 'infix', 'last_name', 'second_last_name'] as const;
/** Whether a column of this field holds a name or a part of it. */
export const isNameField = (field: ColumnField | undefined) => nameFields.some((one) => one === field);

/** Whole names are read where a part is missing, and the parts where both are there: they say more, and "Name" may be a short name. */
function keepOneName(fields: Map<ColumnField, number>, mapped: ReadonlySet<string>): void {
  const hasParts = fields.has('first_name') && fields.has('last_name');
  const isDeclared = mapped.has('name') || (!hasParts && nameFields.some((field) => mapped.has(field)));
  if (!fields.has('name') || isDeclared) return;
  for (const field of hasParts ? (['name'] as const) : nameFields.slice(1)) fields.delete(field);
}

/** The index of the column that the user names. Throws `invalid_input` where there is none, or where it holds secrets. */
export function columnNamed(header: string, table: Table, again: (header: string) => Sentence): number {
  const wanted = foldedText(header);
  const index = table.header.findIndex((one) => foldedText(one) === wanted);
  if (index < 0 || wanted === '') {
    const meant = nearest(header, namesOf(table));
    throw new CliError('invalid_input', sentence`${table.name} has no column ${quote(header)}. Its columns: ${quoteAll(namesOf(table))}.`, {
      hint: meant === undefined ? 'Give the header as it is in the file.' : sentence`Did you mean ${again(meant)}?`,
    });
  }
  return index;
}

/** The same for a column whose cells are read. */
function readableColumn(header: string, table: Table, again: (header: string) => Sentence): number {
  const index = columnNamed(header, table, again);
  refuseSecret(table.header[index] ?? '');
  return index;
}

/** Refuses to read, compare or show the cells of a column that holds secrets. */
export function refuseSecret(header: string): void {
  if (!isSecretHeader(header)) return;
  throw new CliError('invalid_input', sentence`The column ${quote(header)} holds secrets, which are never sent, shown or stored.`, {
    hint: sentence`Remove the column from the file, or ignore it instead: ${typedOption('--ignore-column', header)}`,
  });
}

export function namesOf(table: Table): string[] {
  return table.header.filter((header) => header !== '');
}

/** The option that maps a field to a header, to be pasted. */
export function mapOption(field: string, header: string): Sentence {
  return sentence`${typedOption('--map', `${field}=${header}`)}`;
}

function takeMapped(table: Table, map: FieldMap, fields: Map<ColumnField, number>): Pick<Columns, 'extra' | 'alsoEmail'> {
  const extra: ExtraColumn[] = [];
  const alsoEmail: number[] = [];
  for (const [given, headers] of Object.entries(map)) {
    const field = given.replace(/:$/, '');
    refuseUnsendable(field);
    const known = mappable.find((one) => one === field);
    if (!known) refuseSlip(field);
    else if (given !== field)
      throw new CliError('usage', sentence`--map ${field}:= is not possible: ${field} has a type of its own.`, {
        hint: sentence`Leave out the colon: ${mapOption(field, headers[0] ?? '')}`,
      });
    const [first = -1, ...more] = headers.map((header) => readableColumn(header, table, (meant) => mapOption(field, meant)));
    if (known) fields.set(known, first);
    else extra.push({ field, index: first, typed: given.endsWith(':') });
    if (known === 'email') alsoEmail.push(...more);
  }
  return { extra, alsoEmail };
}

/** A name close to a known field is refused as a typing error; any other is sent unchanged. */
function refuseSlip(field: string) {
  const meant = nearest(field, mappable);
  if (meant === undefined && /^[A-Za-z_][\w.-]*$/.test(field)) return;
  throw new CliError('usage', sentence`--map: unknown field ${quote(field)}.`, {
    hint:
      meant === undefined
        ? sentence`Known fields: ${mappable.join(', ')}, and other fields of the API by their names.`
        : sentence`Did you mean ${meant}?`,
  });
}

function ambiguous(field: ColumnField, indexes: readonly number[], table: Table): CliError {
  const headers = indexes.map((index) => `${quote(table.header[index] ?? '')} (column ${index + 1})`).join(' and ');
  const choices = indexes.map((index) => mapOption(field, table.header[index] ?? ''));
  return new CliError('invalid_input', sentence`${table.name}: ${headers} could both be ${field}.`, {
    hint: sentence`Choose one: ${choices.join(' or ')}`,
  });
}
