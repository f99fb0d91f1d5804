/**
 * Which column is which field: what the user maps comes first, then the API's own names, then what is
 * known of the export, then the vocabulary. Where two columns could be meant, neither is guessed.
 */
import { CliError } from '../../errors.ts';
import { nearest } from '../../model/nearest.ts';
import { isSecretHeader } from '../../model/secret-keys.ts';
import { typedOption } from '../../model/shell-quote.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { quote, quoteAll } from '../read/quote.ts';
import type { Table } from '../read/table.ts';
import { refuseUnsendable, rowFields } from './constants.ts';
import type { ColumnShape } from './shapes.ts';
import { type ColumnField, fieldOf, headerKey, isSecondName } from './vocabulary.ts';

/** Field → headers, in the order in which `--map` gave them; `field:` for one whose cells are typed as -F types them. */
export type FieldMap = { readonly [field: string]: string | readonly string[] };

/** A column for a field of the API that rows have no name of their own for. */
export type ExtraColumn = { field: string; index: number; typed: boolean };

export type Columns = {
  fields: Map<ColumnField, number>;
  extra: ExtraColumn[];
  /** Further columns of addresses, for rows in which the first has none. */
  alsoEmail: number[];
  /** Whether the column of the addresses was named by the user. */
  emailIsMapped: boolean;
  /** Whether the column of the whole names was: by the user, or by what is known of the export. */
  nameIsCertain: boolean;
};

const mappable = ['email', 'name', 'first_name', 'last_name', 'open_time', 'close_time', 'skip_requirements', 'extra_time'] as const;
const partOfName: { [field: string]: ColumnField } = { first_name: 'first', last_name: 'last' };

export function columnsOf(table: Table, shape: ColumnShape | undefined, map: FieldMap): Columns {
  const keys = table.header.map(headerKey);
  const fields = new Map<ColumnField, number>();
  const take = (field: ColumnField, index: number) => {
    if (index >= 0 && !fields.has(field) && ![...fields.values()].includes(index)) fields.set(field, index);
  };
  const { extra, alsoEmail } = takeMapped(table, map, fields);
  const emailIsMapped = fields.has('email');
  const nameIsCertain = fields.has('name') || shape?.columns?.name !== undefined;
  if (keys.includes('first') && keys.includes('last')) for (const part of ['first', 'last'] as const) take(part, keys.indexOf(part));
  take('last', familyNameIn(keys));
  take('first', givenNameIn(keys));
  for (const field of [...rowFields, 'level_of_suspicion'] as const) take(field, table.header.indexOf(field));
  for (const [field, preferred] of Object.entries(shape?.columns ?? {})) {
    take(field as ColumnField, keys.indexOf(preferred.find((key) => keys.includes(key)) ?? ''));
  }
  const taken = new Set([...fields.values(), ...alsoEmail, ...extra.map(({ index }) => index)]);
  const candidates = new Map<ColumnField, number[]>();
  for (const [index, header] of table.header.entries()) {
    const field = taken.has(index) ? undefined : fieldOf(header);
    if (field && !fields.has(field)) candidates.set(field, [...(candidates.get(field) ?? []), index]);
  }
  for (const [field, all] of candidates) {
    const first = all.filter((index) => !isSecondName(table.header[index] ?? ''));
    const indexes = first.length > 0 ? first : all;
    if (indexes.length > 1) throw ambiguous(field, indexes, table);
    take(field, indexes[0] ?? -1);
  }
  return { fields, extra, alsoEmail, emailIsMapped, nameIsCertain };
}

/** The index of the column that the user names. Throws `invalid_input` where there is none, or where it holds secrets. */
export function columnNamed(header: string, table: Table, again: (header: string) => Sentence): number {
  const wanted = header.trim().toLowerCase();
  const index = table.header.findIndex((one) => one.toLowerCase() === wanted);
  if (index < 0 || wanted === '') {
    const meant = nearest(header, namesOf(table));
    throw new CliError('invalid_input', sentence`${table.name} has no column ${quote(header)}. Its columns: ${quoteAll(namesOf(table))}.`, {
      hint: meant === undefined ? 'Give the header as it is in the file.' : sentence`Did you mean ${again(meant)}?`,
    });
  }
  if (isSecretHeader(table.header[index] ?? '')) {
    throw new CliError('invalid_input', sentence`The column ${quote(header)} holds secrets, which are never sent.`, {
      hint: 'Map another column.',
    });
  }
  return index;
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
  for (const [given, value] of Object.entries(map)) {
    const field = given.replace(/:$/, '');
    refuseUnsendable(field);
    const known = mappable.find((one) => one === field);
    if (!known) refuseSlip(field);
    else if (given !== field)
      throw new CliError('usage', sentence`--map ${field}:= is not possible: ${field} has a type of its own.`, {
        hint: sentence`Leave out the colon: ${mapOption(field, [value].flat()[0] ?? '')}`,
      });
    const [first = -1, ...more] = [value].flat().map((header) => columnNamed(header, table, (meant) => mapOption(field, meant)));
    if (known) fields.set(partOfName[known] ?? (known as ColumnField), first);
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

/** "Name" beside "Vorname" is the family name, as are "Nom" beside "Prénom" and their like; -1 where there is no such column. */
function familyNameIn(keys: readonly string[]): number {
  const given = keys.some((key) => /^(vorname|rufname|prenom|voornaam|imie)$/.test(key));
  return given && !keys.some((key) => fieldOf(key) === 'last') ? keys.findIndex((key) => /^(name|nom|naam)$/.test(key)) : -1;
}

/** "Nombre" beside "Apellidos" and "Nome" beside "Cognome" are the given name; -1 where there is no such column. */
function givenNameIn(keys: readonly string[]): number {
  const family = keys.some((key) => ['last', 'last2'].includes(fieldOf(key) ?? ''));
  return family && !keys.some((key) => fieldOf(key) === 'first') ? keys.findIndex((key) => /^(nombre|nome)$/.test(key)) : -1;
}

function ambiguous(field: ColumnField, indexes: readonly number[], table: Table): CliError {
  const named = { first: 'first_name', last: 'last_name' }[field as 'first'] ?? field;
  const headers = indexes.map((index) => `${quote(table.header[index] ?? '')} (column ${index + 1})`).join(' and ');
  return new CliError('invalid_input', sentence`${table.name}: ${headers} could both be ${named}.`, {
    hint: sentence`Choose one: ${mapOption(named, table.header[indexes[0] ?? 0] ?? '')}`,
  });
}
