/** Which lines are used: columns that may decide it have to be declared. No word says who is a student. */
import { CliError } from '../errors.ts';
import { isSecretHeader } from '../model/secrets.ts';
import { typedOption } from '../model/shell-quote.ts';
import { foldedText } from '../text/fold.ts';
import { count, firstInLine, firstLines, inLines, quote, type Sentence, sentence } from '../text/sentence.ts';
import { headerKey } from './aliases.ts';
import { columnInWords, columnNamed, type Declared, mapOption, refuseSecret } from './columns.ts';
import { isAddress, type Table, type TableRow } from './table.ts';

type Rule = Declared & { index: number; verdict(value?: string): 'used' | 'left out' | 'unnamed' };

/** A column to be declared; its rarest value first. `rule`: one that does not name all values. */
export type ColumnSurvey = { index: number; header: string; values: readonly ValueCount[]; rule?: Rule };
/** `line`: the first one with this value. */
type ValueCount = { value: string; count: number; line: number };

/** Values that all differ are taken for a serial number only from so many lines on. */
const enoughLines = 10;
/** A column with more values than these is no choice, and a text with more characters is no value to be typed. */
const [fewValues, longestValue] = [12, 200];

export function rowRuleOf(table: Table, declared: Declared): Rule {
  const index = columnNamed(table, declared.header);
  const header = table.header[index] ?? '';
  const only = declared.only?.map(foldedText);
  const except = declared.except?.map(foldedText);
  if (only || except) refuseSecret(header);
  const verdict = (value = '') => {
    const key = foldedText(value);
    if (except?.includes(key)) return 'left out';
    if (!only || only.includes(key)) return 'used';
    return except ? 'unnamed' : 'left out';
  };
  return { ...declared, header, index, verdict };
}

export function leftOutBy(rules: readonly Rule[], { cells, problem }: TableRow): string | undefined {
  if (problem !== undefined) return undefined;
  const rule = rules.find(({ index, verdict }) => verdict(cells[index]) === 'left out');
  return rule && `${rule.header} ${shownValue(cells[rule.index] ?? '')}`;
}

/** The columns to be declared, and the lines that the declared ones let through. */
export type Undeclared = { columns: readonly ColumnSurvey[]; kept: readonly TableRow[] };

export function undeclaredIn(
  table: Table,
  rules: readonly Rule[],
  canDecide: (header: string, index: number) => boolean,
  { addresses }: Unmapped,
): Undeclared {
  const rows = table.rows.filter(({ problem }) => problem === undefined);
  const usedBy = (some: readonly Rule[]) => rows.filter((row) => !leftOutBy(some, row));
  const used = usedBy(rules);
  const lacking = rules.filter(({ index, verdict }) => used.some(({ cells }) => verdict(cells[index]) === 'unnamed'));
  const kept = usedBy(rules.filter((rule) => !lacking.includes(rule)));
  const columns = lacking.map((rule): ColumnSurvey => ({ ...surveyOf(table, rule.index, kept), rule }));
  for (const [index, header] of table.header.entries()) {
    if (!canDecide(header, index)) continue;
    const survey = surveyOf(table, index, kept);
    const rule = rules.find((one) => one.index === index);
    const isDeclared = rule && !(rule.preset && isChoice(survey));
    // A rule that leaves a few lines does not make a serial number a choice.
    const isOpen = [survey, surveyOf(table, index, rows)].every((one) => !cannotDecide(one) || (addresses && hasAddresses(one)));
    if (!isDeclared && isOpen) columns.push(survey);
  }
  return { columns, kept };
}

function surveyOf({ header }: Table, index: number, rows: readonly TableRow[]): ColumnSurvey {
  const groups = [...Map.groupBy(rows, ({ cells }) => cells[index] ?? '')];
  const values = groups.map(([value, of]) => ({ value, count: of.length, line: of[0]?.line ?? 0 }));
  values.sort((one, other) => one.count - other.count || one.line - other.line);
  return { index, header: header[index] ?? '', values };
}

/** Empty, or a serial number. By a sourcedId, another file of the export may say who is a student. */
function cannotDecide({ header, values }: ColumnSurvey): boolean {
  if (values.every(({ value }) => value === '')) return true;
  if (values.length < enoughLines || headerKey(header) === 'sourcedid') return false;
  return values.every(({ value, count: times }) => times === 1 && isSerialNumber(value));
}

/** Whether a cell may be a serial number: not "withdrawn 3 Oct", where the date makes each cell different, and not nested JSON. */
const isSerialNumber = (cell: string) => cell !== '' && !/^[[{]/.test(cell) && !(/\s/.test(cell) && /\p{L}/u.test(cell));

export function isChoice({ header, values, rule }: ColumnSurvey): boolean {
  return rule !== undefined || (values.length > 1 && values.length <= fewValues && !isSecretHeader(header));
}

/** `"Status" (column 4): "withdrawn" 1 (line 17), "enrolled" 296`. */
export function surveyInWords(table: Table, survey: ColumnSurvey, most = 8): Sentence {
  const { index, rule } = survey;
  const where = rule?.by === undefined ? 'in neither --only nor --except' : `unknown in ${rule.by}`;
  let values = firstInLine(newIn(survey), (one) => valueInWords(table, one), most);
  if (hasAddresses(survey)) values = 'e-mail addresses, which are not shown';
  else if (isPersonal(survey)) values = 'its values are not shown';
  return sentence`${columnInWords(table, index)}${rule ? `, ${where}` : ''}: ${values}`;
}

/** A refusal may stand in a log. */
const isPersonal = (survey: ColumnSurvey) => isSecretHeader(survey.header) || hasAddresses(survey);
const hasAddresses = ({ values }: Pick<ColumnSurvey, 'values'>) => values.some(({ value }) => isAddress(value));

function newIn({ values, rule }: ColumnSurvey): readonly ValueCount[] {
  return rule ? values.filter(({ value }) => rule.verdict(value) === 'unnamed') : values;
}

export function valueInWords({ place }: Pick<Table, 'place'>, { value, count, line }: ValueCount): string {
  return `${shownValue(value)} ${count}${count === 1 ? ` (${place} ${line})` : ''}`;
}

const shownValue = (value: string) => (value === '' ? 'empty' : quote(value));

/** The names of fields for which no column was found, by what their column would hold. */
export type Unmapped = Partial<Record<'addresses' | 'numbers' | 'files', string>>;

/** The fields that a column may be: they are offered, and never assumed. */
export function waysToMap({ header, values }: ColumnSurvey, { addresses, numbers, files }: Unmapped): string[] {
  const isFile = ({ value }: ValueCount) => value === '' || /\.(csv|tsv|txt|xlsx|json|ndjson)$/i.test(value);
  if (addresses && hasAddresses({ values })) return [mapOption(addresses, header)];
  // The field's own name may be that of a row number.
  if (numbers && headerKey(header) === numbers) return [mapOption(numbers, header)];
  return files && values.every(isFile) ? [mapOption(files, header)] : [];
}

/** The options that declare a column, none of them picked. */
function waysToDeclare(survey: ColumnSurvey, unmapped: Unmapped): string {
  const { index, header, values, rule } = survey;
  if (header === '') return `Give column ${index + 1} a header.`;
  const only = ({ value }: ValueCount) => valueOption('--only', header, [value]);
  const except = ({ value }: ValueCount) => valueOption('--except', header, [value]);
  const both = newIn(survey).flatMap((one) => [only(one), except(one)]);
  if (rule && rule.by === undefined) return both.join(' or ');
  const options = waysToMap(survey, unmapped);
  const typed = values.filter(({ value }) => value.length <= longestValue);
  if (values.length <= fewValues && !isPersonal(survey)) options.push(...typed.map(only));
  return [...options, typedOption('--ignore-column', header)].join(' or ');
}

/** `--only 'Status=enrolled,"on leave, approved"'`. */
export function valueOption(option: '--only' | '--except', header: string, values: readonly string[]): string {
  const typed = values.map((value) => (/[,"]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value));
  return typedOption(option, `${header}=${typed.join(',')}`);
}

export function refuseUndeclared(table: Table, { columns, kept }: Undeclared, unmapped: Unmapped): CliError {
  const lines = firstLines(columns, (column) => sentence`  ${surveyInWords(table, column)}.`, 'more columns');
  const undeclared = count(columns.length, 'undeclared column');
  const what = sentence`${table.name}, ${count(kept.length, table.place)}: ${undeclared} may decide which ${table.place}s are used:`;
  const how = sentence`Declare each column by one of its options. Several values of a column add up; ${table.place}s with other values are left out.`;
  const options = columns.map((column) => sentence`  ${waysToDeclare(column, unmapped)}`);
  const ignored = columns.map(({ header }) => typedOption('--ignore-column', header)).join(' ');
  const matters = (column: ColumnSurvey) => isChoice(column) || waysToMap(column, unmapped).length > 0;
  const isFree = columns.length > 1 && columns.every((column) => !matters(column) && column.header !== '');
  if (isFree) options.push(sentence`To use every ${table.place}, whatever they say: ${ignored}`);
  return new CliError('invalid_input', inLines([what, ...lines]), {
    hint: inLines([how, ...options]),
    items: columns.map((one) => ({ column: one.index + 1, header: one.header, values: isPersonal(one) ? [] : one.values.slice(0, 100) })),
  });
}
