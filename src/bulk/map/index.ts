/**
 * Says which column of a table is which field, and who in it is a student. What the user maps comes
 * first, then the API's own names, then what is known of the export, then the vocabulary; where two
 * columns could be meant, neither is guessed.
 */
import { createHash } from 'node:crypto';
import { CliError } from '../../errors.ts';
import type { JsonObject } from '../../model/json.ts';
import { stringifyJson } from '../../model/json.ts';
import { nearest } from '../../model/nearest.ts';
import { sentence } from '../../text/sentence.ts';
import { quote, quoteAll } from '../read/quote.ts';
import type { Row, Table } from '../read/table.ts';
import { type Constants, constantsOf, refuseUnsendable, rowFields } from './constants.ts';
import { type Shape, shapeOf } from './shapes.ts';
import { type LeftOut, leftOutBy, missingRoles, studentsIn } from './students.ts';
import { type ColumnField, fieldOf, headerKey, isSecretHeader } from './vocabulary.ts';

export type MapOptions = {
  /** Field → header, as `--map email="Mail address"` gives them. */
  map?: { readonly [field: string]: string };
  /** What `-F` gives to every row. */
  constants?: JsonObject;
  /** Students without an address are let through. */
  allowNoEmail?: boolean;
};

export type Mapping = {
  table: Table;
  /** Completes "This is …": the export that was recognised. */
  recognised: string;
  /** The columns used, with their number from 1. */
  used: readonly { field: ColumnField; header: string; column: number }[];
  /** Headers of columns that neither are used nor say who is a student; those with secrets among them. */
  ignored: readonly string[];
  notes: readonly string[];
  constants: Constants;
  allowNoEmail: boolean;
  /** SHA-256, in hex, of all that decides how a row of this table becomes an entry. */
  digest: string;
  leftOut: LeftOut;
  /** The texts that a row has for the fields, trimmed; a name made of its parts. */
  texts(row: Row): Texts;
};

/** A field and where its text stands; no column for what comes from a constant. */
export type Texts = { [field in ColumnField]?: string };

/** Columns that a rejects file adds; they say nothing about a student. */
export const rejectHeaders = ['reject_line', 'reject_code', 'reject_reason'] as const;

const mappable = ['email', 'name', 'first_name', 'last_name', 'open_time', 'close_time', 'skip_requirements'] as const;
const partOfName: { [field: string]: ColumnField } = { first_name: 'first', last_name: 'last' };

export async function mapTable(table: Table, options: MapOptions = {}): Promise<Mapping> {
  const shape = shapeOf(new Set(table.header.map(headerKey)));
  const constants = constantsOf(options.constants ?? {});
  const columns = columnsOf(table, shape, options.map ?? {});
  refuseTwice(columns, constants);
  const allowNoEmail = options.allowNoEmail ?? false;
  if (!columns.has('email') && !allowNoEmail) {
    throw new CliError(
      'invalid_input',
      sentence`${table.name} has no column for e-mail addresses. Its columns: ${quoteAll(namesOf(table))}.`,
      {
        hint: 'Say which it is: --map email="Name of the column"',
      },
    );
  }
  const roles = shape?.roles ? await table.beside(shape.roles) : undefined;
  const students = await (roles && studentsIn(roles).finally(roles.close));
  const used = [...columns].map(([field, index]) => ({ field, header: table.header[index] ?? '', column: index + 1 }));
  const indexes = new Set(columns.values());
  const { leftOut, columns: deciding } = leftOutBy(table, shape, students);
  return {
    table,
    recognised: shape?.name ?? (table.kind === 'list' ? 'a list of e-mail addresses' : 'a table'),
    used,
    ignored: table.header.filter(
      (header, index) => header !== '' && !indexes.has(index) && !deciding.has(index) && !isRejectHeader(header),
    ),
    notes: [...table.notes, ...(shape?.roles && !roles ? [missingRoles(shape, table)] : [])],
    constants,
    allowNoEmail,
    digest: digestOf(table, used, shape, options, students),
    leftOut,
    texts: (row) => textsOf(row, columns, shape, constants),
  };
}

export function isRejectHeader(header: string): boolean {
  return rejectHeaders.some((one) => one === header);
}

function namesOf(table: Table): string[] {
  return table.header.filter((header) => header !== '');
}

/** The index of the column for each field that has one. */
function columnsOf(table: Table, shape: Shape | undefined, map: { readonly [field: string]: string }): Map<ColumnField, number> {
  const keys = table.header.map(headerKey);
  const columns = new Map<ColumnField, number>();
  const take = (field: ColumnField, index: number) => {
    if (index >= 0 && !columns.has(field) && ![...columns.values()].includes(index)) columns.set(field, index);
  };
  for (const [field, header] of Object.entries(map)) columns.set(...mapped(field, header, table));
  take('last', familyNameIn(keys));
  for (const field of [...rowFields, 'level_of_suspicion'] as const) take(field, table.header.indexOf(field));
  for (const [field, preferred] of Object.entries(shape?.columns ?? {})) {
    take(field as ColumnField, keys.indexOf(preferred.find((key) => keys.includes(key)) ?? ''));
  }
  const taken = new Set(columns.values());
  const candidates = new Map<ColumnField, number[]>();
  for (const [index, header] of table.header.entries()) {
    const field = taken.has(index) ? undefined : fieldOf(header);
    if (field && !columns.has(field)) candidates.set(field, [...(candidates.get(field) ?? []), index]);
  }
  for (const [field, indexes] of candidates) {
    if (indexes.length > 1) throw ambiguous(field, indexes, table);
    take(field, indexes[0] ?? -1);
  }
  return columns;
}

/** "Name" beside "Vorname", and "Nom" beside "Prénom", is the family name; -1 where there is no such column. */
function familyNameIn(keys: readonly string[]): number {
  const given = keys.some((key) => /^(vorname|rufname|prenom)$/.test(key));
  return given && !keys.some((key) => fieldOf(key) === 'last') ? keys.findIndex((key) => /^(name|nom)$/.test(key)) : -1;
}

function ambiguous(field: ColumnField, indexes: readonly number[], table: Table): CliError {
  const named = { first: 'first_name', last: 'last_name' }[field as 'first'] ?? field;
  const headers = indexes.map((index) => `${quote(table.header[index] ?? '')} (column ${index + 1})`).join(' and ');
  return new CliError('invalid_input', sentence`${table.name}: ${headers} could both be ${named}.`, {
    hint: sentence`Say which it is: --map ${named}=${JSON.stringify(table.header[indexes[0] ?? 0])}`,
  });
}

function mapped(field: string, header: string, table: Table): [ColumnField, number] {
  refuseUnsendable(field);
  const known = mappable.find((one) => one === field);
  if (!known) {
    throw new CliError('usage', sentence`--map knows no field ${JSON.stringify(field)}.`, {
      hint: sentence`It maps ${mappable.join(', ')}.`,
    });
  }
  const wanted = header.trim().toLowerCase();
  const index = table.header.findIndex((one) => one.toLowerCase() === wanted);
  if (index < 0 || wanted === '') {
    const meant = nearest(header, namesOf(table));
    throw new CliError('invalid_input', sentence`${table.name} has no column ${quote(header)}. Its columns: ${quoteAll(namesOf(table))}.`, {
      hint:
        meant === undefined ? 'Give the header as it stands in the file.' : sentence`Did you mean --map ${field}=${JSON.stringify(meant)}?`,
    });
  }
  if (isSecretHeader(table.header[index] ?? '')) {
    throw new CliError('invalid_input', sentence`The column ${quote(header)} holds secrets, which are never sent.`, {
      hint: 'Map another column.',
    });
  }
  return [partOfName[known] ?? (known as ColumnField), index];
}

function refuseTwice(columns: ReadonlyMap<ColumnField, number>, { fields }: Constants): void {
  for (const field of rowFields) {
    const made = field === 'name' && (columns.has('first') || columns.has('last'));
    if (fields[field] === undefined || !(columns.has(field) || made)) continue;
    throw new CliError('usage', sentence`The field ${field} is given twice: by -F and by a column.`, {
      hint: 'Leave out -F, or remove the column.',
    });
  }
}

function textsOf(row: Row, columns: ReadonlyMap<ColumnField, number>, shape: Shape | undefined, constants: Constants): Texts {
  const texts: Texts = { ...constants.fields };
  for (const [field, index] of columns) {
    const text = row.cells[index]?.trim() ?? '';
    if (text !== '') texts[field] = text;
  }
  if (texts.email !== undefined) addressIn(texts, shape);
  texts.name = nameIn(texts, shape);
  return texts;
}

/** Takes an address out of `Name <address>`, and off the sign that an export puts before it. */
function addressIn(texts: Texts, shape: Shape | undefined): void {
  const [, name, address] = /^([^<>]*)<\s*([^<>]*?)\s*>$/.exec(texts.email ?? '') ?? [];
  if (address !== undefined) {
    texts.email = address;
    const display = name
      ?.trim()
      .replace(/^"(.*)"$/, '$1')
      .trim();
    if (display) texts.name ??= display;
  }
  if (shape?.prefix && texts.email?.startsWith(shape.prefix)) texts.email = texts.email.slice(shape.prefix.length);
}

function nameIn(texts: Texts, shape: Shape | undefined): string {
  if (texts.name === undefined) return [texts.first, texts.last].filter((part) => part !== undefined).join(' ');
  const [, last, first] = (shape?.nameOrder && /^([^,]+),\s*([^,]+)$/.exec(texts.name)) || [];
  return last && first ? `${first} ${last}` : texts.name;
}

function digestOf(
  table: Table,
  used: Mapping['used'],
  shape: Shape | undefined,
  options: MapOptions,
  students: ReadonlySet<string> | undefined,
): string {
  const sorted = (object: object) => Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1));
  const decisive = [
    table.encoding ?? null,
    table.header,
    [...used].sort((a, b) => a.column - b.column).map(({ field, column }) => [field, column]),
    shape?.name ?? null,
    sorted(options.constants ?? {}),
    options.allowNoEmail ?? false,
    students ? [...students].sort() : null,
  ];
  return createHash('sha256').update(stringifyJson(decisive)).digest('hex');
}
