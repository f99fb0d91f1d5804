/** Maps a table to fields: its columns, the lines that are used, and the texts of each. What only a person can say is returned as a question. */
import type { CliError } from '../errors.ts';
import { count, firstInLine, quoteAll } from '../model/count.ts';
import { foldedText } from '../text/fold.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { saysWho } from './aliases.ts';
import { type Columns, columnsOf, type Fields, type Layout, mapOption, merged, noLayout, type Texts } from './columns.ts';
import { absentValues, leftOutBy, refuseUndeclared, ruleOf, type Survey, undeclaredIn } from './deciding.ts';
import { isExportHeader, knownExportOf } from './known-exports.ts';
import { type HeaderNames, isAddress, placeOf, type Row, refused, type Table } from './table.ts';

/** `leftOut`: why the line is not used. A row with a `problem` is not left out, and has no texts. */
export type MappedLine<Field extends string> = { row: Row; texts: Texts<Field>; leftOut?: string | undefined };

export type Mapping<Field extends string> = {
  /** The known export, as a completion of "This is …". */
  known: string | undefined;
  columns: Columns<Field>;
  lines: readonly MappedLine<Field>[];
  /** Headers of columns that are neither read nor decide which lines are used. */
  unused: readonly string[];
  notes: readonly Sentence[];
  warnings: readonly Sentence[];
};

/** `error`: for where nobody can be asked. */
export type Question = { error: CliError } & (
  | { about: 'end'; range: { from: number; to: number } }
  | { about: 'columns'; columns: readonly Survey[]; kept: readonly Row[] }
);

export function headerNames(fields: Pick<Fields<string>, 'named' | 'rows'>, { map }: Pick<Layout, 'map'>): HeaderNames {
  const mapped = new Set(Object.values(map).map(foldedText));
  const isOfStudents = (header: string) => fields.rows === 'students' && (saysWho(header) || isExportHeader(header));
  const isField = (header: string) => fields.named(header) !== undefined || isOfStudents(header);
  // Most texts are no headers, and those of a line that is not taken apart are long: what has an address in it is not looked up.
  return { rows: fields.rows, isKnown: (header) => mapped.has(foldedText(header)) || (!header.includes('@') && isField(header)) };
}

/** `declared`: options and answers. Throws `usage` or `invalid_input` for what does not fit the file. */
export function mapTable<Field extends string>(table: Table, declared: Layout, fields: Fields<Field>): Mapping<Field> | Question {
  const known = fields.rows === 'students' ? knownExportOf(table, fields.names) : undefined;
  const layout = merged(known?.layout ?? noLayout, declared);
  const columns = columnsOf(table, layout, fields);
  const rules = layout.columns.map((one) => ruleOf(table, one));
  const warnings = absentValues(table, rules);
  const { judge = () => [], meant = (texts: Texts<Field>) => texts } = fields;
  const notes = judge(table, columns);
  const textsOf = ({ cells }: Row) =>
    Object.fromEntries([...columns].filter(([, at]) => cells[at]).map(([field, at]) => [field, cells[at]]));
  const textsIn = (row: Row) => (row.problem === undefined ? meant(textsOf(row) as Texts<Field>) : {});
  const lines = table.rows.map((row): MappedLine<Field> => ({ row, texts: textsIn(row), leftOut: leftOutBy(rules, row) }));
  // No declaration passes over a heading: what stands below it may mean something else. Only a known export has such lines.
  const ofRecord = rules.filter(({ by }) => by !== undefined);
  const judged = lines.filter(({ row }) => leftOutBy(ofRecord, row) === undefined);
  const question = identityQuestion(table, judged, fields);
  if (question) return question;

  const read = new Set(columns.values());
  const isPassedOver = (header = '') => isRejectHeader(header) || (fields.rows === 'students' && saysWho(header));
  const isWhole = wasJudged(table);
  const asked = undeclaredIn(table, rules, (index) => isWhole || read.has(index) || isPassedOver(table.header[index]));
  const ofAddresses = fields.rows === 'students' ? 'email' : 'proctors';
  const lacking = columns.has(ofAddresses as Field) ? undefined : ofAddresses;
  if (asked.columns.length > 0)
    return { about: 'columns', ...asked, error: refuseUndeclared(table, asked.columns, asked.kept.length, lacking) };
  for (const { index, only, except } of rules) if (only || except) read.add(index);
  const unused = table.header.filter((header, index) => header !== '' && !read.has(index) && !isRejectHeader(header));
  return { known: known?.name, columns, lines, unused, notes: [...table.notes, ...notes], warnings };
}

/** A heading, a footer, a second table: none of them can be skipped as an invalid line, because the lines below it may mean something else. */
function identityQuestion<Field extends string>(
  table: Table,
  used: readonly MappedLine<Field>[],
  { identity, named, rows }: Fields<Field>,
): Question | undefined {
  if (!identity) return undefined;
  const { called, isIn } = identity;
  // Which cell of a row with too many or too few is which is unknown.
  const may = ({ cells }: Row) => rows === 'exams' || cells.some(isAddress);
  const has = ({ row, texts }: MappedLine<Field>) => (row.problem === undefined ? isIn(texts) : may(row));
  const lacking = used.filter((line) => !has(line));
  const [alone] = lacking;
  if (!alone) return undefined;
  const from = used.findIndex(has);
  if (from < 0) throw noIdentity(table, called, rows);
  const filled = alone.row.cells.filter((cell) => cell !== '');
  const beside = filled.length === 0 ? '' : ` beside ${quoteAll(filled, 3)}`;
  const what = sentence`${table.name}, ${placeOf(table, alone.row)}: there is no ${called}${beside}; it may be a heading or a footer.`;
  const lacks = used.findIndex((line, at) => at > from && !has(line));
  const end = lacks < 0 ? used.length : lacks;
  const range = { from: used[from]?.row.line ?? 0, to: used[end - 1]?.row.line ?? 0 };
  const below = used.slice(end).filter(has).length;
  // A student among others who has no address: no other part of the file begins there.
  if (alone === used[end] && below > 0 && filled.length > 1 && !filled.some(named))
    throw refused(what, sentence`Complete or remove ${firstInLine(lacking, ({ row }) => placeOf(table, row), 8)}.`);
  const rest = below === 0 ? '' : `, and not the ${count(below, 'line')} below`;
  const lines = sentence`${range.from} to ${range.to}${rest}: --rows ${range.from}-${range.to}`;
  return { about: 'end', range, error: refused(what, sentence`Complete the line, remove it, or use only the ${table.place}s ${lines}`) };
}

/** No column is known to have what identifies a line: those that look so are named. */
function noIdentity({ name, header, rows }: Table, called: string, of: Fields<string>['rows']): CliError {
  const isOfAddresses = (_: string, index: number) => rows.some(({ cells }) => isAddress(cells[index] ?? ''));
  const holding = of === 'students' ? header.filter(isOfAddresses).filter(Boolean) : [];
  const options = (holding.length > 0 ? holding : ['HEADER']).map((one) => mapOption(of === 'students' ? 'email' : 'name', one));
  const which = holding.length > 0 ? 'known to hold' : 'with';
  const what = sentence`${name} has no column ${which} an ${called}. Its columns: ${quoteAll(header.filter(Boolean))}.`;
  return refused(what, sentence`Name the column of the ${called}: ${options.join(' or ')}`);
}

/** The columns that a file of rejects adds to those of its roster; they say nothing about a student. */
export const rejectHeaders = ['reject_line', 'reject_reason'] as const;

export const isRejectHeader = (header: string) => rejectHeaders.some((one) => one === header);

/** Whether these lines were judged when their roster was read: its undeclared columns were declared then, and a few lines of them look different. */
function wasJudged({ header, rows }: Table): boolean {
  const at = header.indexOf(rejectHeaders[0]);
  return rejectHeaders.every((one) => header.includes(one)) && rows.every(({ cells }) => /^\d+$/.test(cells[at] ?? ''));
}
