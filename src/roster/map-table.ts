/** Maps a table to fields, or returns what to ask a person. */
import type { CliError } from '../errors.ts';
import { isSecretHeader } from '../model/secrets.ts';
import { foldedText } from '../text/fold.ts';
import { count, firstInLine, quote, quoteAll, type Sentence, sentence } from '../text/sentence.ts';
import { saysWho } from './aliases.ts';
import {
  type Columns,
  type Layout,
  lacksColumn,
  mapColumns,
  mapOption,
  merged,
  noLayout,
  type TableFields,
  type Texts,
} from './columns.ts';
import { isExportHeader, knownExportOf } from './known-exports.ts';
import { leftOutBy, refuseUndeclared, rowRuleOf, type Undeclared, type Unmapped, undeclaredIn } from './row-filters.ts';
import { type HeaderNames, isAddress, placeOf, refusedFile, type Table, type TableRow } from './table.ts';

/** `leftOut`: why the line is not used. A row with a `problem` is used, and has no texts. */
export type MappedLine<Field extends string> = { row: TableRow; texts: Texts<Field>; leftOut: string | undefined };

export type Mapping<Field extends string> = {
  /** The known export, as a completion of "read as …". */
  known: string | undefined;
  columns: Columns<Field>;
  lines: readonly MappedLine<Field>[];
  /** Headers of columns that are neither read nor decide which lines are used. */
  unused: readonly string[];
  notes: readonly Sentence[];
};

/** `error`: for where nobody can be asked. */
export type TableQuestion = { error: CliError } & (
  | { about: 'end'; range: { from: number; to: number } }
  | ({ about: 'columns'; unmapped: Unmapped } & Undeclared)
);

/** Which headers are known, by the fields of the table and by --map. */
export function headerNames({ named, rows }: TableFields<string>, { map }: Layout): HeaderNames {
  const mapped = new Set(Object.values(map).map(foldedText));
  const isKnown = remembering((header) => {
    if (mapped.has(foldedText(header))) return true;
    // Saves the search in long texts: lines that are not taken apart.
    if (header.includes('@')) return false;
    if (named(header) !== undefined) return true;
    return rows === 'students' && (saysWho(header) || isExportHeader(header));
  });
  return { rows, isKnown };
}

/** Judges each text once: the same text may stand in every row of a file. */
function remembering(judge: (text: string) => boolean): (text: string) => boolean {
  const known = new Map<string, boolean>();
  return (text) => known.get(text) ?? known.set(text, judge(text)).get(text) === true;
}

/** `declared`: options and answers. Throws `usage` or `invalid_input` for what does not fit the file. */
export function mapTable<Field extends string>(table: Table, declared: Layout, fields: TableFields<Field>): Mapping<Field> | TableQuestion {
  const isOfStudents = fields.rows === 'students';
  const known = isOfStudents ? knownExportOf(table, fields.names) : undefined;
  const layout = merged(known?.layout ?? noLayout, declared);
  const columns = mapColumns(table, layout, fields);
  const rules = layout.columns.map((one) => rowRuleOf(table, one));
  const notes = [...table.notes, ...(fields.judge?.(table, columns) ?? [])];
  const lines = table.rows.map((row) => ({ row, texts: mappedTexts(row, columns, fields), leftOut: leftOutBy(rules, row) }));
  // Only a known export has lines that are none of a student; no declaration passes over a heading.
  const ofRecord = rules.filter(({ by }) => by !== undefined);
  const judged = lines.filter(({ row }) => !leftOutBy(ofRecord, row));
  const question = identityQuestion(table, judged, fields);
  if (question) return question;

  const read = new Set(columns.values());
  const isJudged = wasJudged(table);
  const canDecide = (header: string, index: number) => {
    if (isJudged || read.has(index) || isRejectHeader(header)) return false;
    return !(isOfStudents && saysWho(header));
  };
  const meant = isOfStudents ? { addresses: 'email', numbers: 'number' } : { addresses: 'proctors', files: 'roster' };
  const unmapped: Unmapped = Object.fromEntries(Object.entries(meant).filter(([, field]) => !columns.has(field as Field)));
  const asked = undeclaredIn(table, rules, canDecide, unmapped);
  if (asked.columns.length > 0) return { about: 'columns', ...asked, unmapped, error: refuseUndeclared(table, asked, unmapped) };
  for (const { index, only, except } of rules) if (only || except) read.add(index);
  const unused = table.header.filter((header, index) => header !== '' && !read.has(index) && !isRejectHeader(header));
  return { known: known?.name, columns, lines, unused, notes };
}

function mappedTexts<Field extends string>(
  { cells, problem }: TableRow,
  columns: Columns<Field>,
  { meant }: TableFields<Field>,
): Texts<Field> {
  if (problem !== undefined) return {};
  const texts: Texts<Field> = {};
  for (const [field, index] of columns) if (cells[index]) texts[field] = cells[index];
  return meant?.(texts) ?? texts;
}

/** Asks where the table ends: what stands below a heading may mean something else. */
function identityQuestion<Field extends string>(
  table: Table,
  lines: readonly MappedLine<Field>[],
  { identity, named, rows }: TableFields<Field>,
): TableQuestion | undefined {
  if (!identity) return undefined;
  const { called, isIn } = identity;
  const has = ({ row, texts }: MappedLine<Field>) => {
    if (row.problem === undefined) return isIn(texts);
    // Which of its cells is which is unknown, or what one of them holds.
    return rows === 'exams' || row.cells.some(isAddress) || row.cells.length <= table.header.length;
  };
  const lacking = lines.filter((line) => !has(line));
  const [first] = lacking;
  if (!first) return undefined;
  const from = lines.findIndex(has);
  if (from < 0) throw noIdentity(table, called, rows);
  const filled = first.row.cells.filter((cell, index) => cell !== '' && !isSecretHeader(table.header[index] ?? ''));
  // A text without an @, such as a mistyped address.
  const wrong = first.texts['email' as Field];
  const besides = filled.length === 0 ? '' : ` beside ${quoteAll(filled, 3)}`;
  const beside = wrong === undefined ? besides : ` in ${quote(wrong)}`;
  const what = sentence`${table.name}, ${placeOf(table, first.row)}: there is no ${called}${beside}.`;
  const lacks = lines.findIndex((line, at) => at > from && !has(line));
  const end = lacks < 0 ? lines.length : lacks;
  const below = lines.slice(end).filter(has).length;
  // A student among others: no other part of the file begins there.
  if (first === lines[end] && below > 0 && filled.length > 1 && !filled.some(named)) {
    const places = firstInLine(lacking, ({ row }) => placeOf(table, row), 8);
    throw refusedFile(what, sentence`Complete or remove ${places}: no option leaves out what may be a student.`);
  }
  const range = { from: lines[from]?.row.line ?? 0, to: lines[end - 1]?.row.line ?? 0 };
  const rest = below === 0 ? '' : `, and not the ${count(below, 'line')} below`;
  const only = sentence`${table.place}s ${range.from} to ${range.to}${rest}: --rows ${range.from}-${range.to}`;
  const hint = sentence`Complete the line, remove it, or use only the ${only}`;
  return { about: 'end', range, error: refusedFile(sentence`${what} It may be a heading or a footer.`, hint) };
}

function noIdentity({ name, header, rows }: Table, called: string, of: TableFields<string>['rows']): CliError {
  const hasAddresses = (index: number) => rows.some(({ cells }) => isAddress(cells[index] ?? ''));
  const holding = header.filter((one, index) => of === 'students' && one !== '' && hasAddresses(index));
  const field = of === 'students' ? 'email' : 'name';
  const options = (holding.length > 0 ? holding : ['HEADER']).map((one) => mapOption(field, one));
  const what = lacksColumn({ name, header }, `${holding.length > 0 ? 'known to hold' : 'with'} an ${called}`);
  return refusedFile(what, sentence`Name the column of the ${called}: ${options.join(' or ')}`);
}

/** What a file of rejects adds to the columns of its roster. */
export const rejectHeaders = ['reject_line', 'reject_reason'] as const;

export const isRejectHeader = (header: string) => rejectHeaders.some((one) => one === header);

/** Whether a file is one of rejects, whose columns were declared with its roster: its few lines would judge them in another way. */
export function wasJudged({ header, rows }: Table): boolean {
  if (!rejectHeaders.every((one) => header.includes(one))) return false;
  const at = header.indexOf(rejectHeaders[0]);
  return rows.every(({ cells }) => /^\d+$/.test(cells[at] ?? ''));
}
