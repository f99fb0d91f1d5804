/**
 * Which lines are used. Every column is read, declared, or unable to decide (empty, or a serial number); any other stops the file until
 * somebody declares it. No word in a file says who is a student.
 */
import { CliError } from '../errors.ts';
import { count, firstInLine, firstLines } from '../model/count.ts';
import { isSecretHeader } from '../model/secrets.ts';
import { typedOption } from '../model/shell-quote.ts';
import { foldedText } from '../text/fold.ts';
import { inLines, type Sentence, sentence } from '../text/sentence.ts';
import { headerKey } from './aliases.ts';
import { columnInWords, columnNamed, refuseSecret } from './columns.ts';
import { declaredBy, type Layout, type ValuesByHeader } from './layout.ts';
import { quote, quoteAll, type Row, refused, type Table } from './table.ts';

/** A column that decides: what its layout says of a value. `isOwn`: options or answers declare it, and no known export. */
export type Rule = {
  index: number;
  header: string;
  wanted: ReadonlySet<string> | undefined;
  isOwn: boolean;
  verdict(value: string): 'used' | 'left out' | 'unnamed';
};
/** A column with its values, the rarest first: how often each stands there, and in which line first. */
export type Survey = { index: number; header: string; values: readonly ValueCount[] };
type ValueCount = { value: string; count: number; line: number };

/** Lines from which on a column that differs in each of them is a serial number. */
const enoughLines = 10;
/** A column with more values is no choice between a few of them. */
const fewValues = 12;

/** `declared`: the part of the layout that options and answers are. Throws `usage` for a column that is declared in two ways. */
export function rulesOf(table: Table, { only, except, ignored }: Layout, declared: Layout): Rule[] {
  const passedOver = new Set(ignored.map(foldedText));
  const own = new Set(declaredBy(declared).map(foldedText));
  const listed = (lists: ValuesByHeader) =>
    new Map(Object.entries(lists).map(([one, all]) => [foldedText(one), new Set(all.map(foldedText))]));
  const [wanting, leaving] = [listed(only), listed(except)];
  return [...new Set([...wanting.keys(), ...leaving.keys()])].map((folded) => {
    const index = columnNamed(table, folded, (meant) => sentence`${typedOption('--only', `${meant}=VALUE`)}`);
    const header = table.header[index] ?? '';
    refuseSecret(header);
    const [wanted, unwanted] = [wanting.get(folded), leaving.get(folded)];
    const both = [...(wanted ?? [])].find((value) => unwanted?.has(value));
    if (both !== undefined || passedOver.has(folded)) {
      const what = sentence`Column ${quote(header)} is declared in two ways${both === undefined ? '' : `, with ${shown(both)}`}.`;
      throw new CliError('usage', what, { hint: 'Leave out one of --only, --except and --ignore-column.' });
    }
    const verdict = (value: string) => {
      if (unwanted?.has(foldedText(value))) return 'left out';
      if (wanted === undefined || wanted.has(foldedText(value))) return 'used';
      return unwanted === undefined ? 'left out' : 'unnamed';
    };
    return { index, header, wanted, isOwn: own.has(folded), verdict };
  });
}

/** A column with values that its lists do not name, or with none of its --only. `known`: whose lists they are, if nobody's here. */
export function unnamedIn(table: Table, kept: readonly Row[], rules: readonly Rule[], known: string | undefined) {
  for (const { index, header, wanted, isOwn, verdict } of rules) {
    const all = surveyOf(table, index, table.rows);
    const unnamed = kept.filter(({ cells }) => verdict(cells[index] ?? '') === 'unnamed');
    const isMissed = isOwn && wanted !== undefined && !all.values.some(({ value }) => verdict(value) === 'used');
    if (unnamed.length === 0 && !isMissed) continue;
    const why = isMissed ? 'none is in --only' : isOwn ? 'in neither --only nor --except' : `unknown in ${known}`;
    const { values } = isMissed ? all : surveyOf(table, index, unnamed);
    const what = sentence`${table.name}, column ${columnInWords(table, index)}: ${why}: ${firstInLine(values, valueInWords, 8)}.`;
    const add = sentence`Add each value to --only or --except of this column, as it is in the file.`;
    const hint = isOwn ? add : sentence`Say which values count; several add up: ${waysToDeclare(all).join(' ')}`;
    return { header, error: refused(what, hint) };
  }
  return undefined;
}

/** Values of --except that a column does not have: a slip, or not there today. */
export function absentValues(table: Table, { except }: Layout): Sentence[] {
  return Object.entries(except).flatMap(([given, values]) => {
    const index = table.header.findIndex((header) => foldedText(header) === foldedText(given));
    const there = new Set(table.rows.map(({ cells }) => foldedText(cells[index] ?? '')));
    const absent = values.filter((value) => !there.has(foldedText(value)));
    return absent.length === 0 ? [] : [sentence`Column ${quote(given)} does not contain ${quoteAll(absent)} of --except.`];
  });
}

/** Why a line is left out, in a few words; undefined for one that is used, or cannot be read. */
export function leftOutBy(rules: readonly Rule[], { cells, problem }: Row): string | undefined {
  const rule = problem === undefined && rules.find(({ index, verdict }) => verdict(cells[index] ?? '') === 'left out');
  return rule ? `${rule.header} ${shown(cells[rule.index] ?? '')}` : undefined;
}

/** The columns that nobody declared and that may decide, in the lines that the declared ones let through. */
export function undeclaredIn(table: Table, kept: readonly Row[], closed: ReadonlySet<number>): Survey[] {
  const open = [...table.header.keys()].filter((index) => !closed.has(index));
  return open.map((index) => surveyOf(table, index, kept)).filter((survey) => !cannotDecide(survey, kept.length));
}

function surveyOf({ header }: Table, index: number, rows: readonly Row[]): Survey {
  const values = new Map<string, ValueCount>();
  for (const { line, cells, problem } of rows) {
    const value = cells[index] ?? '';
    const before = values.get(value) ?? { value, count: 0, line };
    if (problem === undefined) values.set(value, { ...before, count: before.count + 1 });
  }
  const rarest = [...values.values()].sort((one, other) => one.count - other.count || one.line - other.line);
  return { index, header: header[index] ?? '', values: rarest };
}

/** Empty, or a serial number. By a sourcedId, another file of the same export says who is a student. */
function cannotDecide({ header, values }: Survey, lines: number): boolean {
  const isDifferent = values.length === lines && lines >= enoughLines && headerKey(header) !== 'sourcedid';
  return values.every(({ value }) => value === '') || (isDifferent && !values.some(({ value }) => value === '' || isNoNumber(value)));
}

/** Words are not a number, even if a date makes each cell different: "withdrawn 3 Oct". Neither is nested JSON. */
const isNoNumber = (cell: string) => /^[[{]/.test(cell) || (/\s/.test(cell) && /\p{L}/u.test(cell));

/** Whether a column is a choice between a few values, which has to be made. */
export function isChoice({ header, values }: Survey): boolean {
  return values.length > 1 && values.length <= fewValues && !isSecretHeader(header);
}

/** `"Status" (column 4): "withdrawn" 1 (line 17), "enrolled" 296`, the rarest first. */
export function surveyInWords(table: Pick<Table, 'header'>, survey: Survey, most = 8): Sentence {
  const values = isSecretHeader(survey.header) ? 'its values are not shown' : firstInLine(survey.values, valueInWords, most);
  return sentence`${columnInWords(table, survey.index)}: ${values}`;
}

export function valueInWords({ value, count, line }: ValueCount): string {
  return `${shown(value)} ${count}${count === 1 ? ` (line ${line})` : ''}`;
}

const shown = (value: string) => (value === '' ? 'empty' : quote(value));

/** The options that declare a column, none of them picked: each of a few values by itself, or the column as one that does not decide. */
function waysToDeclare({ header, values }: Survey): string[] {
  const offered = values.length <= fewValues && !isSecretHeader(header) ? values : [];
  return [...offered.map(({ value }) => valueOption('--only', header, [value])), typedOption('--ignore-column', header)];
}

/** `--only 'Status=enrolled,"on leave, approved"'`. */
export function valueOption(option: '--only' | '--except', header: string, values: readonly string[]): string {
  const typed = values.map((value) => (/[,"]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value));
  return typedOption(option, `${header}=${typed.join(',')}`);
}

export function refuseUndeclared(table: Table, columns: readonly Survey[], kept: number): CliError {
  const lines = firstLines(columns, (column) => sentence`  ${surveyInWords(table, column)}.`, 'more columns');
  const what = sentence`${table.name}, ${count(kept, 'line')}: ${count(columns.length, 'undeclared column')} may decide which lines are used:`;
  const how = sentence`Declare each column by one of its options. Several values of a column add up; lines with other values are left out.`;
  const options = columns.map((column) =>
    column.header === '' ? sentence`  Give column ${column.index + 1} a header.` : sentence`  ${waysToDeclare(column).join(' or ')}`,
  );
  return new CliError('invalid_input', inLines([what, ...lines]), {
    hint: inLines([how, ...options]),
    items: columns.map(({ index, header, values }) => ({
      ...{ column: index + 1, header },
      values: isSecretHeader(header) ? [] : values.slice(0, 100),
    })),
  });
}
