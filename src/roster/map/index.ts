import { CliError } from '../../errors.ts';
import type { JsonObject } from '../../model/json.ts';
import { isSecretHeader } from '../../model/secret-keys.ts';
import { typedOption } from '../../model/shell-quote.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { type ColumnField, formatIn, type RosterFormat, rosterFormats } from '../formats.ts';
import { quote, quoteAll } from '../read/quote.ts';
import type { Table, TableRow } from '../read/source-table.ts';
import { type AskYes, findAddresses } from './address-column.ts';
import { isLastNameFirst } from './aliases.ts';
import { survey } from './column-survey.ts';
import { type Constants, constantsOf, rowFields } from './constants.ts';
import { type Declaration, foldedText } from './declaration.ts';
import { absentValues, type DecidedColumn, decidedBy, openColumns } from './declared-columns.ts';
import { type Columns, columnsOf } from './field-columns.ts';
import { displayName, spokenName } from './names.ts';
import { isJudgedBefore, isRejectHeader } from './reject-columns.ts';
import { reasonAgainst, refuseUnnamed, selectionRules } from './selection.ts';
import { type ColumnsQuestion, undeclaredColumns } from './undeclared.ts';

export type MapOptions = Partial<Declaration> & {
  /** What `-F` gives to every row. */
  constants?: JsonObject;
  /** Lines may name their exams (`--map exam=HEADER`). */
  namesExams?: boolean;
  /** Students without an address are let through. */
  allowNoEmail?: boolean;
  /** Asks a person whether something is as it seems. */
  askYes?: AskYes | undefined;
  /** Asks a person about undeclared columns; undefined for no answer. */
  askColumns?: ((question: ColumnsQuestion) => Promise<Pick<Declaration, 'only' | 'ignored'> | undefined>) | undefined;
};

export type Mapping = {
  table: Table;
  /** Completes "This is …": the export that was recognised. */
  recognised: string;
  /** The columns used, with their number from 1. */
  used: readonly { field: string; header: string; column: number }[];
  /** The columns that decide which rows are imported. */
  decided: readonly DecidedColumn[];
  /** Headers of columns that neither are used nor decide which rows are students; includes those with secrets. */
  ignored: readonly string[];
  notes: readonly string[];
  /** Declared values that the file does not have. */
  absent: readonly Sentence[];
  constants: Constants;
  allowNoEmail: boolean;
  /** Why a row is left out, in a few words; undefined for one that is imported. */
  leftOut(cells: readonly string[]): string | undefined;
  /** The texts that a row has for the fields, trimmed; a name made of its parts. */
  texts(row: TableRow): ColumnTexts;
  /** Whether a person has answered for columns. */
  wasAsked: boolean;
};

/** A field and where its text stands; no column for what comes from a constant. */
export type ColumnTexts = {
  [field in ColumnField]?: string;
} & {
  /** Further fields of the API. */
  extra?: { field: string; text: string; typed: boolean }[];
};

export async function mapTable(table: Table, options: MapOptions = {}): Promise<Mapping> {
  const { map = {}, only = {}, except = {}, ignored = [], allowNoEmail = false } = options;
  const declaration: Declaration = { map, only, except, ignored };
  if (!options.namesExams) refuseExams(declaration);
  const format = formatIn(rosterFormats, table.header);
  const constants = constantsOf(options.constants ?? {});
  const columns = columnsOf(table, format, declaration);
  refuseTwice(columns, constants);
  const rules = selectionRules(table, format, declaration);
  const surveyed = await survey(
    table,
    rules,
    { indexes: surveyedColumns(table, columns), read: readIn(columns) },
    {
      addressIn: (cell) => addressOf(cell, format?.prefix ?? ''),
      mayBeAlone: allowNoEmail,
    },
  );
  refuseUnnamed(table, rules, format);
  if (!(allowNoEmail && !columns.fields.has('email'))) {
    const passedOver = new Set(ignored.map(foldedText));
    const candidates = surveyed.columns.filter(({ header }) => !passedOver.has(foldedText(header)));
    await findAddresses(table, columns, candidates, options.askYes);
  }
  const undeclared = (await isJudgedBefore(table))
    ? []
    : openColumns(surveyed, { table, declaration, format, rules, read: readIn(columns) });
  if (undeclared.length > 0) {
    const question = { columns: undeclared, kept: surveyed.kept };
    const answer = await options.askColumns?.(question);
    if (!answer) throw undeclaredColumns(table, question);
    const answered = { ...options, only: { ...only, ...answer.only }, ignored: [...ignored, ...answer.ignored] };
    return { ...(await mapTable(table, { ...answered, map: mappedSoFar(map, columns, table) })), wasAsked: true };
  }
  const used = usedOf(columns, table);
  const order = nameOrderIn(table, columns, format, surveyed.sample);
  const decisive = new Set([...used.map(({ column }) => column - 1), ...rules.map(({ index }) => index)]);
  const unused = [...table.header.entries()].filter(([index, header]) => header !== '' && !decisive.has(index) && !isRejectHeader(header));
  return {
    table,
    recognised: format?.name ?? (table.kind === 'list' ? 'a list of e-mail addresses' : 'a table'),
    used,
    decided: rules.map((rule) => decidedBy(rule)),
    ignored: unused.map(([, header]) => header),
    notes: [...table.notes, ...missingNames(columns, constants, unused), ...order.notes],
    absent: absentValues(rules, declaration),
    constants,
    allowNoEmail,
    leftOut: (cells) => reasonAgainst(rules, cells),
    texts: (row) => textsOf(row, columns, { format, constants, inverted: order.inverted }),
    wasAsked: false,
  };
}

/** Where all lines are for the same exam, none is passed over because it names another one. */
function refuseExams({ map }: Declaration): void {
  const [header] = map.exam ?? [];
  if (header === undefined) return;
  throw new CliError('usage', sentence`The column ${quote(header)} names the exam of each line, which is for sessions import only.`, {
    hint: sentence`Leave it out of --map, and select the lines of one exam: ${typedOption('--only', `${header}=NAME`)}`,
  });
}

/** The columns whose cells may matter: those that are not read, and those in which addresses may stand. */
function surveyedColumns(table: Table, { fields, extra, alsoEmail }: Columns): number[] {
  const read = [...fields].filter(([field]) => field !== 'email' && field !== 'name').map(([, index]) => index);
  const closed = new Set([...read, ...alsoEmail, ...extra.map(({ index }) => index)]);
  return [...table.header.keys()].filter((index) => !closed.has(index));
}

/** The columns whose cells are read, and those of further names. */
function readIn({ fields, otherNames }: Columns): number[] {
  return [...fields.values(), ...otherNames];
}

/** The mapping with the columns that a person has confirmed meanwhile. */
function mappedSoFar(map: Declaration['map'], { fields, emailIsMapped }: Columns, table: Table): Declaration['map'] {
  const email = fields.get('email');
  return email === undefined || emailIsMapped ? map : { ...map, email: [table.header[email] ?? ''] };
}

function usedOf({ fields, extra, alsoEmail }: Columns, table: Table): Mapping['used'] {
  const column = (field: string, index: number) => ({ field, header: table.header[index] ?? '', column: index + 1 });
  return [
    ...[...fields].map(([field, index]) => column(field, index)),
    ...alsoEmail.map((index) => column('email', index)),
    ...extra.map(({ field, index, typed }) => column(typed ? `${field}:` : field, index)),
  ].sort((a, b) => a.column - b.column);
}

function refuseTwice({ fields: columns, extra }: Columns, { fields, extra: constant }: Constants): void {
  const twice = extra.find(({ field }) => Object.hasOwn(constant, field));
  if (twice) {
    throw new CliError('usage', sentence`The field ${twice.field} is given twice: by -F and by a column.`, {
      hint: 'Leave out -F, or --map.',
    });
  }
  for (const field of rowFields) {
    const made = field === 'name' && (columns.has('first_name') || columns.has('last_name'));
    if (fields[field] === undefined || !(columns.has(field) || made)) continue;
    throw new CliError('usage', sentence`The field ${field} is given twice: by -F and by a column.`, {
      hint: 'Leave out -F, or remove the column.',
    });
  }
}

type Reading = { format: RosterFormat | undefined; constants: Constants; inverted: boolean };

function textsOf(row: TableRow, { fields, extra, alsoEmail }: Columns, { format, constants, inverted }: Reading): ColumnTexts {
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
  if (texts.email !== undefined) texts.email = addressOf(texts.email, format?.prefix ?? '');
  return texts;
}

/** The text of a cell without what may stand around an address; `prefix`: a sign that the export puts before addresses. */
function addressOf(cell: string, prefix: string): string {
  const text = cell.trim();
  const inner = text.endsWith('>') ? text.slice(text.lastIndexOf('<') + 1, -1).trim() : text;
  return prefix !== '' && inner.startsWith(prefix) ? inner.slice(prefix.length) : inner;
}

/** Says which part of the names is missing, if another column may hold it. */
function missingNames({ fields }: Columns, constants: Constants, unused: readonly (readonly [number, string])[]): Sentence[] {
  if (fields.has('name') || constants.fields.name !== undefined || unused.every(([, header]) => isSecretHeader(header))) return [];
  if (fields.has('first_name')) return fields.has('last_name') ? [] : [missingName('last')];
  return fields.has('last_name')
    ? [missingName('first')]
    : [sentence`No column holds names, so the students have none. To name the column, add: --map name=HEADER`];
}

const missingName = (lacks: 'first' | 'last') =>
  sentence`No column has the ${lacks} names, so names are ${lacks === 'last' ? 'first' : 'last'} names only. To name the column, add: --map ${lacks}_name=HEADER`;

/** Whether names are written as "Last, First": only where the record of an export or the heading of the column says so. */
function nameOrderIn(
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
function nameIn(
  { name, first_name, infix, last_name, second_last_name, email = '' }: { readonly [field in ColumnField]?: string },
  inverted: boolean,
): string {
  const parts = [first_name, infix, last_name, second_last_name].filter((part) => part !== undefined);
  const whole = name ?? (parts.length === 0 ? displayName(email) : undefined);
  return whole === undefined ? parts.join(' ') : inverted ? spokenName(whole) : whole;
}
