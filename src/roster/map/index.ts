/**
 * Maps the columns of a table to fields, and finds its students. The user's mapping comes
 * first, then the API's own names, then what is known of the export, then the vocabulary; where two
 * columns could be meant, neither is guessed.
 */
import { createHash } from 'node:crypto';
import { CliError } from '../../errors.ts';
import type { JsonObject } from '../../model/json.ts';
import { stringifyJson } from '../../model/json.ts';
import { isSecretHeader } from '../../model/secret-keys.ts';
import { sentence } from '../../text/sentence.ts';
import { quote, quoteAll } from '../read/quote.ts';
import type { Table, TableRow } from '../read/table.ts';
import { type AskYes, findAddresses, refuseWithoutAddresses } from './address-column.ts';
import { type Columns, columnsOf, type FieldMap } from './columns.ts';
import { type Constants, constantsOf, rowFields } from './constants.ts';
import { findExtraTime } from './extra-column.ts';
import { areInverted, displayName, spokenName } from './names.ts';
import { type ColumnShape, shapeOf } from './shapes.ts';
import { choicesIn, type Decided, type LeftOut, missingRoles, type People, type PeopleOptions, peopleIn, studentsIn } from './students.ts';
import { addressOf, type Survey, survey } from './survey.ts';
import { type ColumnField, headerKey, isLastNameFirst } from './vocabulary.ts';

export type MapOptions = {
  map?: FieldMap;
  /** What `-F` gives to every row. */
  constants?: JsonObject;
  /** Uses the column of extra time; undefined where the user has not said it. */
  extraTime?: boolean | undefined;
  /** Students without an address are let through. */
  allowNoEmail?: boolean;
  /** Asks a person whether a column is that of the addresses. */
  askYes?: AskYes | undefined;
} & PeopleOptions;

export type Mapping = {
  table: Table;
  /** Completes "This is …": the export that was recognised. */
  recognised: string;
  /** The columns used, with their number from 1. */
  used: readonly { field: string; header: string; column: number }[];
  /** The columns that decide which rows are imported. */
  decided: readonly Decided[];
  /** Headers of columns that neither are used nor decide which rows are students; includes those with secrets. */
  ignored: readonly string[];
  notes: readonly string[];
  constants: Constants;
  allowNoEmail: boolean;
  /** SHA-256, in hex, of all that decides how a row of this table becomes an entry. */
  digest: string;
  leftOut: LeftOut;
  /** The texts that a row has for the fields, trimmed; a name made of its parts. */
  texts(row: TableRow): ColumnTexts;
};

/** A field and where its text stands; no column for what comes from a constant. */
export type ColumnTexts = {
  [field in ColumnField]?: string;
} & {
  /** Further fields of the API. */
  extra?: { field: string; text: string; typed: boolean }[];
};

/** Columns that a rejects file adds; they say nothing about a student. */
export const rejectHeaders = ['reject_line', 'reject_code', 'reject_reason'] as const;

export async function mapTable(table: Table, options: MapOptions = {}): Promise<Mapping> {
  const shape = shapeOf(new Set(table.header.map(headerKey)));
  const constants = constantsOf(options.constants ?? {});
  const columns = columnsOf(table, shape, options.map ?? {});
  refuseTwice(columns, constants);
  const taken = new Set([...columns.fields.values(), ...columns.alsoEmail]);
  const choices = choicesIn(table, { ...options, any: (options.any ?? []).filter((header) => header !== shape?.roles) });
  const seen = await survey(table, { prefix: shape?.prefix, taken, named: new Set(choices.only.keys()) });
  preferAddresses(table, columns, shape, seen);
  nameFromPeople(table, columns, seen);
  chooseNames(table, columns, seen);
  const allowNoEmail = options.allowNoEmail ?? false;
  const found = allowNoEmail && !columns.fields.has('email') ? [] : await findAddresses(table, columns, seen, options.askYes);
  if (!allowNoEmail) refuseWithoutAddresses(table, columns);
  const extraTime = await findExtraTime(table, columns, { wanted: options.extraTime, askYes: options.askYes });
  const roles = shape?.roles ? await table.beside(shape.roles) : undefined;
  const students = await (roles && studentsIn(roles).finally(roles.close));
  const withoutRoles = shape?.roles && !roles ? await missingRoles(shape, table, options) : [];
  const used = usedOf(columns, table);
  const indexes = new Set(used.map(({ column }) => column - 1));
  const people = await peopleIn(table, shape, seen, students, { ...choices, askStudents: options.askStudents });
  const order = nameOrderIn(table, columns, shape, seen);
  return {
    table,
    recognised: shape?.name ?? (table.kind === 'list' ? 'a list of e-mail addresses' : 'a table'),
    used,
    decided: people.decided,
    ignored: table.header.filter(
      (header, index) => header !== '' && !indexes.has(index) && !people.columns.has(index) && !isRejectHeader(header),
    ),
    notes: [
      ...table.notes,
      ...found,
      ...(constants.fields.name === undefined ? missingNames(table, columns, people.columns) : []),
      ...extraTime,
      ...withoutRoles,
      ...order.notes,
    ],
    constants,
    allowNoEmail,
    digest: digestOf(table, used, shape, options, students, people),
    leftOut: people.leftOut,
    texts: (row) => textsOf(row, columns, { shape, constants, inverted: order.inverted }),
  };
}

/** Of the columns in which an export has its addresses, the first that has any. */
function preferAddresses(table: Table, { fields, emailIsMapped }: Columns, shape: ColumnShape | undefined, { columns: seen }: Survey) {
  if (emailIsMapped || !shape?.columns?.email) return;
  const keys = table.header.map(headerKey);
  const holding = shape.columns.email.map((key) => keys.indexOf(key)).find((index) => (seen[index]?.addresses ?? 0) > 0);
  if (holding !== undefined) fields.set('email', holding);
}

/** A column that is called Student holds names, if no other does and its cells are words and no numbers. */
function nameFromPeople(table: Table, { fields }: Columns, { sample }: Survey) {
  if (fields.has('name') || fields.has('first') || fields.has('last')) return;
  const index = table.header.findIndex((header) =>
    /^(student|students|learner|participant|teilnehmer|teilnehmerin)$/.test(headerKey(header)),
  );
  if (index < 0 || [...fields.values()].includes(index)) return;
  const cells = sample.map((row) => row[index]?.trim() ?? '').filter((cell) => cell !== '');
  if (cells.length > 0 && cells.every((cell) => /\p{L}[,\s]+\p{L}/u.test(cell))) fields.set('name', index);
}

function usedOf({ fields, extra, alsoEmail }: Columns, table: Table): Mapping['used'] {
  const column = (field: string, index: number) => ({ field, header: table.header[index] ?? '', column: index + 1 });
  return [
    ...[...fields].map(([field, index]) => column(field, index)),
    ...alsoEmail.map((index) => column('email', index)),
    ...extra.map(({ field, index }) => column(field, index)),
  ].sort((a, b) => a.column - b.column);
}

/**
 * Of a column of whole names beside those of their parts, only one can be used. The parts say more: "Name" may be a short
 * name, or that of the family. The API's own `name` is kept where it contains the parts.
 */
function chooseNames(table: Table, { fields, nameIsCertain }: Columns, { sample }: Survey) {
  const [name, first, last] = [fields.get('name'), fields.get('first'), fields.get('last')];
  if (nameIsCertain || name === undefined || first === undefined) return;
  const text = (cells: readonly string[], index: number) => (cells[index] ?? '').trim().toLowerCase();
  const filled = sample.filter((cells) => text(cells, name) !== '' && text(cells, first) !== '');
  const whole = filled.filter((cells) => [first, last ?? first].every((index) => text(cells, name).includes(text(cells, index)))).length;
  const isWhole = filled.length > 0 && 2 * whole > filled.length;
  if (isWhole && (last === undefined || table.header[name] === 'name')) return;
  fields.delete('name');
  if (last === undefined) fields.set('last', name);
}

/** Says which part of the names is missing, if another column may hold it. */
function missingNames(table: Table, { fields, alsoEmail }: Columns, decided: ReadonlySet<number>): string[] {
  const used = new Set([...fields.values(), ...alsoEmail, ...decided]);
  const free = table.header.some(
    (header, index) => header !== '' && !used.has(index) && !isRejectHeader(header) && !isSecretHeader(header),
  );
  if (!free || fields.has('name')) return [];
  if (fields.has('first')) return fields.has('last') ? [] : [missingName('last')];
  return fields.has('last')
    ? [missingName('first')]
    : ['No column has the names, so that students have none. To name it, add: --map name=HEADER'];
}

const missingName = (lacks: 'first' | 'last') =>
  `No column has the ${lacks} names, so that names are ${lacks === 'last' ? 'first' : 'last'} names only. To name it, add: --map ${lacks}_name=HEADER`;

/** Whether names are written as "Last, First", in this export always or in this table mostly. */
function nameOrderIn(
  table: Table,
  { fields }: Columns,
  shape: ColumnShape | undefined,
  { sample }: Survey,
): { inverted: boolean; notes: string[] } {
  const index = fields.get('name');
  if (shape?.nameOrder) return { inverted: true, notes: [] };
  const names =
    index === undefined
      ? sample.flatMap((cells) => displayName(cells[fields.get('email') ?? -1] ?? '') ?? [])
      : sample.map((cells) => cells[index] ?? '');
  const header = index === undefined ? '' : (table.header[index] ?? '');
  if (!areInverted(names)) {
    const notes = isLastNameFirst(header) ? [`Names in ${quote(header)} are imported as they are written, the last name first.`] : [];
    const others = names.filter((name) => spokenName(name) !== name);
    const kept = `${quoteAll(others, 3)}: a name with a comma is imported as it is, because most names have none.`;
    return { inverted: false, notes: others.length > 0 ? [...notes, kept] : notes };
  }
  const example = names.find((name) => spokenName(name) !== name) ?? '';
  return { inverted: true, notes: [`Names are written as "Last, First": ${quote(example)} becomes ${quote(spokenName(example))}.`] };
}

export function isRejectHeader(header: string): boolean {
  return rejectHeaders.some((one) => one === header);
}

function refuseTwice({ fields: columns, extra }: Columns, { fields, extra: constant }: Constants): void {
  const twice = extra.find(({ field }) => Object.hasOwn(constant, field));
  if (twice) {
    throw new CliError('usage', sentence`The field ${twice.field} is given twice: by -F and by a column.`, {
      hint: 'Leave out -F, or --map.',
    });
  }
  for (const field of rowFields) {
    const made = field === 'name' && (columns.has('first') || columns.has('last'));
    if (fields[field] === undefined || !(columns.has(field) || made)) continue;
    throw new CliError('usage', sentence`The field ${field} is given twice: by -F and by a column.`, {
      hint: 'Leave out -F, or remove the column.',
    });
  }
}

type Reading = { shape: ColumnShape | undefined; constants: Constants; inverted: boolean };

function textsOf(row: TableRow, { fields, extra, alsoEmail }: Columns, { shape, constants, inverted }: Reading): ColumnTexts {
  const texts: ColumnTexts = { ...constants.fields };
  const cell = (index: number) => row.cells[index]?.trim() ?? '';
  for (const [field, index] of fields) if (cell(index) !== '') texts[field] = cell(index);
  for (const index of alsoEmail) if (texts.email === undefined && cell(index) !== '') texts.email = cell(index);
  for (const { field, index, typed } of extra) {
    if (cell(index) === '') continue;
    texts.extra ??= [];
    texts.extra.push({ field, text: cell(index), typed });
  }
  texts.name = nameIn(texts, inverted);
  if (texts.email !== undefined) texts.email = addressOf(texts.email, shape?.prefix ?? '');
  return texts;
}

/** The name in its column, made of its parts, or put before the address: `Name <address>`. */
function nameIn({ name, first, infix, last, last2, email = '' }: ColumnTexts, inverted: boolean): string {
  const parts = [first, infix, last, last2].filter((part) => part !== undefined);
  const whole = name ?? (parts.length === 0 ? displayName(email) : undefined);
  return whole === undefined ? parts.join(' ') : inverted ? spokenName(whole) : whole;
}

function digestOf(
  table: Table,
  used: Mapping['used'],
  shape: ColumnShape | undefined,
  options: MapOptions,
  students: ReadonlySet<string> | undefined,
  { choices }: People,
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
    ...(choices.length > 0 ? [choices.map(([header, values]) => [header, values])] : []),
  ];
  return createHash('sha256').update(stringifyJson(decisive)).digest('hex');
}
