/**
 * Which lines are used. Every column is read, declared, or unable to decide (empty, or a serial number); any other stops the file until
 * somebody declares it. No word in a file says who is a student.
 */
import { CliError } from '../errors.ts';
import { count, firstInLine, firstLines, quoteAll } from '../model/count.ts';
import { isSecretHeader } from '../model/secrets.ts';
import { typedOption } from '../model/shell-quote.ts';
import { quote } from '../text/characters.ts';
import { foldedText } from '../text/fold.ts';
import { inLines, type Sentence, sentence } from '../text/sentence.ts';
import { headerKey } from './aliases.ts';
import { columnInWords, columnNamed, type Declared, mapOption, refuseSecret } from './columns.ts';
import { isAddress, type Row, type Table } from './table.ts';

/** What is declared of a column, and says of each of its values. */
export type Rule = Declared & { index: number; verdict(value: string): 'used' | 'left out' | 'unnamed' };

/**
 * A column that somebody has to declare, with its values, the rarest first: how often each stands there, and in which line first.
 * `rule`: what was declared of it, and does not name all of its values.
 */
export type Survey = { index: number; header: string; values: readonly ValueCount[]; rule?: Rule };
type ValueCount = { value: string; count: number; line: number };

/** Lines from which on a column that differs in each of them is a serial number. */
const enoughLines = 10;
/** A column with more values is no choice between a few of them. */
const fewValues = 12;

export function ruleOf(table: Table, declared: Declared): Rule {
  const index = columnNamed(table, declared.header);
  const header = table.header[index] ?? '';
  const [wanted, unwanted] = [declared.only, declared.except].map((values) => values && new Set(values.map(foldedText)));
  if (wanted || unwanted) refuseSecret(header);
  const verdict = (value: string) => {
    if (unwanted?.has(foldedText(value))) return 'left out';
    if (wanted === undefined || wanted.has(foldedText(value))) return 'used';
    return unwanted === undefined ? 'left out' : 'unnamed';
  };
  return { ...declared, header, index, verdict };
}

/** Values that are declared and that a column does not have: a slip, or not there today. */
export function absentValues({ rows }: Table, rules: readonly Rule[]): Sentence[] {
  return rules.flatMap(({ by, index, header, only = [], except = [] }) => {
    const there = new Set(rows.map(({ cells }) => foldedText(cells[index] ?? '')));
    const absent = [...only, ...except].filter((value) => !there.has(foldedText(value)));
    return by !== undefined || absent.length === 0 ? [] : [sentence`Column ${quote(header)} does not contain ${quoteAll(absent)}.`];
  });
}

/** Why a line is left out, in a few words; undefined for one that is used, or cannot be read. */
export function leftOutBy(rules: readonly Rule[], { cells, problem }: Row): string | undefined {
  const rule = problem === undefined && rules.find(({ index, verdict }) => verdict(cells[index] ?? '') === 'left out');
  return rule ? `${rule.header} ${shown(cells[rule.index] ?? '')}` : undefined;
}

/** The columns that may decide and are not declared, or not with all their values; and the lines that the other ones let through. */
export function undeclaredIn(table: Table, rules: readonly Rule[], isClosed: (index: number) => boolean) {
  const rows = table.rows.filter(({ problem }) => problem === undefined);
  const isUsed = (by: readonly Rule[]) => (row: Row) => leftOutBy(by, row) === undefined;
  const used = rows.filter(isUsed(rules));
  const lacking = rules.filter(({ index, verdict }) => used.some(({ cells }) => verdict(cells[index] ?? '') === 'unnamed'));
  const kept = rows.filter(isUsed(rules.filter((rule) => !lacking.includes(rule))));
  const undecided = lacking.map((rule): Survey => ({ ...surveyOf(table, rule.index, kept), rule }));
  const declared = new Map(rules.map((rule) => [rule.index, rule]));
  const open = [...table.header.keys()].filter((index) => !isClosed(index)).map((index) => surveyOf(table, index, kept));
  const isOpen = (one: Survey) => !declared.has(one.index) || (declared.get(one.index)?.preset === true && isChoice(one));
  return { columns: [...undecided, ...open.filter((one) => isOpen(one) && !cannotDecide(one, kept.length))], kept };
}

function surveyOf({ header }: Table, index: number, rows: readonly Row[]): Survey {
  const groups = [...Map.groupBy(rows, ({ cells }) => cells[index] ?? '')];
  const values = groups.map(([value, of]) => ({ value, count: of.length, line: of[0]?.line ?? 0 }));
  const rarest = values.sort((one, other) => one.count - other.count || one.line - other.line);
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
export function isChoice({ header, values, rule }: Survey): boolean {
  return rule !== undefined || (values.length > 1 && values.length <= fewValues && !isSecretHeader(header));
}

/** `"Status" (column 4): "withdrawn" 1 (line 17), "enrolled" 296`, the rarest first; of a column that was declared, those that are new. */
export function surveyInWords(table: Pick<Table, 'header'>, survey: Survey, most = 8): Sentence {
  const { index, rule } = survey;
  const hidden = hasAddresses(survey) ? 'e-mail addresses, which are not shown' : 'its values are not shown';
  const values = isHidden(survey) ? hidden : firstInLine(newIn(survey), valueInWords, most);
  const why = rule === undefined ? '' : `, ${rule.by === undefined ? 'in neither --only nor --except' : `unknown in ${rule.by}`}`;
  return sentence`${columnInWords(table, index)}${why}: ${values}`;
}

/** Passwords, and whom students are reached by: a refusal may stand in a log. */
const isHidden = (survey: Survey) => isSecretHeader(survey.header) || hasAddresses(survey);
const hasAddresses = ({ values }: Survey) => values.some(({ value }) => isAddress(value));

const newIn = ({ values, rule }: Survey) => values.filter(({ value }) => rule === undefined || rule.verdict(value) === 'unnamed');

export function valueInWords({ value, count, line }: ValueCount): string {
  return `${shown(value)} ${count}${count === 1 ? ` (line ${line})` : ''}`;
}

const shown = (value: string) => (value === '' ? 'empty' : quote(value));

/** The options that declare a column, none of them picked: as a field, each of a few values by itself, or as one that does not decide. */
function waysToDeclare(survey: Survey, addressField: string | undefined): string {
  const { header, values, rule } = survey;
  const option = (name: '--only' | '--except', { value }: ValueCount) => valueOption(name, header, [value]);
  const both = newIn(survey).flatMap((one) => [option('--only', one), option('--except', one)]);
  if (rule && rule.by === undefined) return both.join(' or ');
  const fields = addressField !== undefined && hasAddresses(survey) ? [mapOption(addressField, header)] : [];
  const offered = values.length <= fewValues && !isHidden(survey) ? values : [];
  return [...fields, ...offered.map((one) => option('--only', one)), typedOption('--ignore-column', header)].join(' or ');
}

/** `--only 'Status=enrolled,"on leave, approved"'`. */
export function valueOption(option: '--only' | '--except', header: string, values: readonly string[]): string {
  const typed = values.map((value) => (/[,"]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value));
  return typedOption(option, `${header}=${typed.join(',')}`);
}

/** `addressField`: the one that a column of addresses may be, where no column is it. */
export function refuseUndeclared(table: Table, columns: readonly Survey[], kept: number, addressField: string | undefined): CliError {
  const lines = firstLines(columns, (column) => sentence`  ${surveyInWords(table, column)}.`, 'more columns');
  const what = sentence`${table.name}, ${count(kept, 'line')}: ${count(columns.length, 'undeclared column')} may decide which lines are used:`;
  const how = sentence`Declare each column by one of its options. Several values of a column add up; lines with other values are left out.`;
  const options = columns.map((column) =>
    column.header === '' ? sentence`  Give column ${column.index + 1} a header.` : sentence`  ${waysToDeclare(column, addressField)}`,
  );
  return new CliError('invalid_input', inLines([what, ...lines]), {
    hint: inLines([how, ...options]),
    items: columns.map((one) => ({ column: one.index + 1, header: one.header, values: isHidden(one) ? [] : one.values.slice(0, 100) })),
  });
}
