/** Reads a roster, a list of extra time or a timetable. */
import { basename } from 'node:path';
import type { Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { readInput } from '../../host/inputs.ts';
import { InvalidValue } from '../../model/invalid-value.ts';
import { shellQuoted, typedOption } from '../../model/shell-quote.ts';
import { isZone } from '../../model/time.ts';
import type { DateOrder } from '../../model/typed-time.ts';
import { formatRules } from '../../output/formats.ts';
import {
  areUnlike,
  type Columns,
  columnNamed,
  columnsNotIn,
  type Declared,
  declaredIn,
  type Layout,
  merged,
  noLayout,
  type TableFields,
  type Texts,
  united,
} from '../../roster/columns.ts';
import { headerNames, type MappedLine, type Mapping, mapTable, type TableQuestion } from '../../roster/map-table.ts';
import { type OpenOptions, openTable, saysEncoding } from '../../roster/open-table.ts';
import { valueOption } from '../../roster/row-filters.ts';
import { placeOf, type Table, type TableRow } from '../../roster/table.ts';
import { foldedText } from '../../text/fold.ts';
import { count, firstInLine, firstLines, inARow, quote, quoteAll, type Sentence, sentence } from '../../text/sentence.ts';

export type TableReading = Layout & Omit<OpenOptions, 'askHidden' | 'interrupted' | 'atOnce'> & { dates?: DateOrder | undefined };

export type Line<Field extends string> = {
  row: TableRow;
  place: string;
  texts: Texts<Field>;
  /** Adds a problem of the line, or of one of its cells: the sentence names no place. */
  problem(field: Field | undefined, reason: Sentence, hint?: Sentence): void;
  /** Undefined where the cell is empty, or has a problem. */
  read<T>(field: Field, parse: (text: string) => T): T | undefined;
};

/** `what`: "students.csv, line 4, column 3 (close_time): …"; `item`: for JSON. */
export type FileProblem = {
  what: Sentence;
  hint: Sentence | undefined;
  item: { line: number; column: string | null; value: string | null; reason: Sentence };
};

export type ReadTable<Field extends string> = {
  table: Table;
  lines: readonly Line<Field>[];
  leftOut: number;
  /** "1 of 6 lines, 5 left out (Prüfer "Bob" 5)". */
  used: string;
  problems: FileProblem[];
  headerOf(field: Field): string | undefined;
  /** What a person has answered, now and (`known`) about an earlier file. */
  answers: readonly Declared[];
  known: readonly Declared[];
  rows: string | undefined;
  /** Stores what a person has answered, once the command goes on with the table. */
  keepAnswers(): Promise<void>;
};

/** How a file is read that is one of several to which the same options apply. */
export type Among = {
  /** The file belongs to another table: --map, --sheet and --rows are about that one. */
  isBeside?: true;
  /** Throws where these rows need not be asked about. */
  beforeQuestion?(rows: readonly TableRow[]): void;
};

/** Throws `usage`, `invalid_input`, and `nothing_selected` for a file of which no line is used. */
export async function readTable<Field extends string>(
  context: Context,
  file: string,
  reading: TableReading,
  fields: TableFields<Field>,
): Promise<ReadTable<Field>> {
  const opened = await openFile(context, file, reading, fields);
  refuseUnneeded(context, [opened], reading.columns);
  const read = await readOpened(context, opened, reading, fields);
  tellOptions(context, read);
  return read;
}

/** Reads a file, and nobody is asked but whether hidden rows count. */
export async function openFile(context: Context, file: string, reading: TableReading, fields: TableFields<string>, among?: Among) {
  const { host } = context;
  const name = file === '-' ? 'stdin' : basename(file);
  const askHidden = async (what: Sentence) => (await host.questions()).confirm(sentence`${what}. Use them too?`);
  const asking = context.globals.noInput || among?.isBeside ? {} : { askHidden };
  context.reads(file);
  const bytes = await readInput(host, file);
  const encoding = among && saysEncoding(bytes) ? undefined : reading.encoding;
  const { interrupted, atOnce } = host;
  const table = await openTable(bytes, name, headerNames(fields, reading), { ...reading, ...asking, encoding, interrupted, atOnce });
  const { timeZone = table.zone } = context.settings();
  if (!table.zone || table.zone === timeZone) return table;
  const zone = isZone(table.zone) ? table.zone : undefined;
  const what = sentence`The times of ${name} are in the zone ${zone ?? quote(table.zone)}, and the time zone in force is ${timeZone ?? ''}.`;
  throw new CliError('invalid_input', what, { hint: zone && sentence`Use the zone of the file: --timezone ${zone}` });
}

/** Throws as `readTable`. */
export async function readOpened<Field extends string>(
  context: Context,
  opened: Table,
  reading: TableReading,
  fields: TableFields<Field>,
  among?: Among,
): Promise<ReadTable<Field>> {
  const { table, mapping, ...answered } = await mappingOf(context, opened, reading, fields, among);
  const { name } = table;
  const used = usedInWords(table, mapping);
  tellMapping(context, table, mapping, used);
  const problems: FileProblem[] = [];
  const kept = mapping.lines.filter(({ leftOut }) => leftOut === undefined);
  if (kept.length === 0) throw new CliError('nothing_selected', sentence`No line of ${name} is used: ${used}.`);
  const lines = kept.map((line) => tableLine(line, { table, columns: mapping.columns, problems }));
  for (const { row, problem } of lines) if (row.problem !== undefined) problem(undefined, sentence`${row.problem}.`);
  if (table.place === 'row') for (const field of mapping.columns.keys()) refuseTurned(lines, field);
  return {
    table,
    used,
    problems,
    ...answered,
    lines: lines.filter(({ row }) => row.problem === undefined),
    leftOut: mapping.lines.length - lines.length,
    headerOf: (field) => table.header[mapping.columns.get(field) ?? -1],
  };
}

/** A spreadsheet that takes the month for the day leaves 04/13/2031 a text, and has turned the other dates of the column. */
function refuseTurned<Field extends string>(lines: readonly Line<Field>[], field: Field): void {
  const has = (form: RegExp) => lines.filter(({ texts }) => form.test(texts[field] ?? ''));
  if (has(/^\d{4}-\d\d-\d\d/).length === 0) return;
  for (const { texts, problem } of has(/^(?:\d{1,2}\/)?(?:1[3-9]|[23]\d)\/\d/))
    problem(
      field,
      sentence`"${texts[field]}" is a text, and other cells of the column are dates: their days and months may be exchanged.`,
      oneForm,
    );
}

const oneForm = sentence`Give all cells of the column one form, such as 2031-04-13 09:00.`;

/** Nobody corrects more problems, and a small workbook can have millions. */
const mostProblems = 5000;

function tooManyProblems({ name }: Table, problems: readonly FileProblem[]): CliError {
  const what = sentence`${name} has more than ${mostProblems} problems: the lines after them were not checked. Nothing was sent.`;
  const hint = 'Correct the first ones, reported with -o json, or say which lines count: --rows FROM-TO';
  return new CliError('invalid_input', what, { hint, items: problems.map(({ item }) => item) });
}

type LineContext<Field extends string> = { table: Table; columns: Columns<Field>; problems: FileProblem[] };

function tableLine<Field extends string>({ row, texts }: MappedLine<Field>, { table, columns, problems }: LineContext<Field>): Line<Field> {
  const place = placeOf(table, row);
  const problem: Line<Field>['problem'] = (field, reason, hint) => {
    const index = field && columns.get(field);
    const column = index === undefined ? null : `column ${index + 1} (${field})`;
    const text = field && texts[field];
    const value = text === undefined ? null : quote(text);
    const where = [table.name, place, column ?? []].flat().join(', ');
    problems.push({
      what: sentence`${where}: ${reason}`,
      hint,
      item: { line: row.line, column, value, reason },
    });
    if (problems.length > mostProblems) throw tooManyProblems(table, problems);
  };
  return { row, place, texts, problem, read: cellReader(texts, problem) };
}

export function cellReader<Field extends string>(texts: Texts<Field>, problem: Line<Field>['problem']): Line<Field>['read'] {
  return (field, parse) => {
    const text = texts[field];
    try {
      return text === undefined ? undefined : parse(text);
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      return void problem(field, error.message, error.hint);
    }
  };
}

export function problemsOf({ problems }: ReadTable<string>): FileProblem[] {
  return problems.toSorted((one, other) => one.item.line - other.item.line);
}

export function tellProblems({ warn }: Context, problems: readonly FileProblem[]): void {
  const inWords = ({ what, hint }: FileProblem) => (hint === undefined ? what : inARow([what, hint]));
  for (const line of firstLines(problems, inWords, 'more problems')) warn(line);
}

/** Throws `invalid_input`: the one problem, or the number of those reported on stderr. */
export function refuseProblems(context: Context, read: ReadTable<string>): void {
  const problems = problemsOf(read);
  const [first, ...others] = problems;
  if (!first) return;
  const items = problems.map(({ item }) => item);
  if (others.length === 0) throw new CliError('invalid_input', first.what, { hint: first.hint, items });
  tellProblems(context, problems);
  // A program reads them in the items, and their hints here.
  const isForProgram = formatRules[context.format].reader === 'program';
  const what = sentence`${read.table.name} has ${count(items.length, 'problem')}${isForProgram ? '' : ', reported above'}.`;
  const hints = isForProgram ? [...new Set(problems.flatMap(({ hint }) => hint ?? []))] : [];
  const hint = sentence`Nothing was sent. Correct them in ${read.table.name}, then run the same command again.`;
  throw new CliError('invalid_input', what, { items, hint: inARow([hint, ...firstLines(hints, (one) => one)]) });
}

/** On a terminal with a person's answers: about an earlier file with this header, and this one. */
async function mappingOf<Field extends string>(
  context: Context,
  opened: Table,
  reading: TableReading,
  fields: TableFields<Field>,
  among?: Among,
) {
  const { host, warn } = context;
  const asking = context.globals.noInput ? undefined : await import('./ask-columns.ts');
  const kept = asking?.rememberedAnswers(host, fields.what, opened) ?? noLayout;
  // An option counts before an answer.
  const before = { map: {}, columns: columnsNotIn(Object.values(reading.map), kept.columns) };
  let [table, answers] = [opened, noLayout];
  let rows: string | undefined;
  for (;;) {
    const layout = merged(before, merged(reading, answers));
    const map = () => mapTable(table, layout, fields);
    const mapping = await host.atOnce(map);
    if (!('about' in mapping)) {
      const known = before.columns.filter((column) => layout.columns.includes(column));
      const file = asking?.answersFile(host);
      if (known.length > 0)
        warn(sentence`As answered before for files with this header (kept in ${file}): ${columnOptions(known).join(' ')}`);
      const { columns } = answers;
      const keepAnswers = async () => (columns.length === 0 ? undefined : asking?.rememberAnswers(context, fields.what, opened, columns));
      return { table, mapping, known, answers: columns, rows, keepAnswers };
    }
    if (!asking || (among?.isBeside && mapping.about === 'end')) throw mapping.error;
    among?.beforeQuestion?.(mapping.about === 'columns' ? mapping.kept : table.rows);
    if (mapping.about === 'columns') answers = merged(answers, await asking.askColumns(context, table, mapping, fields));
    else {
      rows = `--rows ${mapping.range.from}-${mapping.range.to}`;
      table = await endedAbove(context, table, mapping);
    }
  }
}

/** The answers as options; those about one header in several files add up. */
export function tellOptions({ say }: Context, { answers, rows }: Pick<ReadTable<string>, 'answers' | 'rows'>): void {
  const columns = [...Map.groupBy(answers, ({ header }) => foldedText(header)).values()];
  const unlike = columns.filter(areUnlike).map(([one]) => one?.header ?? '');
  const options = [rows ?? [], ...columnOptions(columns.map(united))].flat().join(' ');
  if (unlike.length > 0)
    say(sentence`No option can give two columns of one header different answers. Rename one of each: ${quoteAll(unlike)}.`);
  else if (options !== '') say(sentence`To answer this in a script, add: ${options}`);
}

/** The options by which a file of several is read alone, as it was among them. */
export function optionsFor(opened: Table, { columns, dates, encoding }: Pick<TableReading, 'columns' | 'dates' | 'encoding'>): string[] {
  const ofEncoding = encoding === undefined || opened.encoding === 'utf-8' ? [] : [typedOption('--encoding', opened.encoding)];
  return [...columnOptions(declaredIn(opened, columns)), ...ofEncoding, ...(dates ? [typedOption('--dates', dates)] : [])];
}

/** Throws for a declared column that no file has, and warns of values that none has, which may be slips. */
export function refuseUnneeded({ warn }: Context, tables: readonly Table[], columns: readonly Declared[]): void {
  const [first, ...others] = tables;
  const name = `${first?.name}${others.length > 0 ? ' with its rosters' : ''}`;
  for (const { header, only, except } of columns.filter((one) => one.only ?? one.except)) {
    columnNamed({ name, header: tables.flatMap((table) => table.header) }, header);
    const values = [...(only ?? []), ...(except ?? [])];
    const there = new Set(tables.flatMap((table) => declaredIn(table, [{ header, only: values }]).flatMap((one) => one.only ?? [])));
    const absent = values.filter((value) => !there.has(value));
    if (absent.length > 0) warn(sentence`Column ${quote(header)} does not contain ${quoteAll(absent)}.`);
  }
}

/** A heading or a footer: the table may end above it. */
async function endedAbove({ host }: Context, table: Table, { range, error }: Extract<TableQuestion, { about: 'end' }>) {
  const { from, to } = range;
  const rows = table.rows.filter(({ line }) => line >= from && line <= to);
  const left = table.rows.filter((row) => !rows.includes(row));
  const withAddress = left.filter(({ cells }) => cells.some((cell) => cell.includes('@'))).length;
  const rest = `${count(left.length, `other ${table.place}`)}${withAddress > 0 ? `, ${withAddress} with an address` : ''}`;
  const question = sentence`${error.message} Use only the ${table.place}s ${from} to ${to}, and leave out ${rest}?`;
  if (!(await (await host.questions()).confirm(question))) throw error;
  return { ...table, rows };
}

function columnOptions(columns: readonly Declared[]): string[] {
  return columns.flatMap(({ header, only, except }) => {
    if (!only && !except) return [typedOption('--ignore-column', header)];
    const options = only ? [valueOption('--only', header, only)] : [];
    return except?.length ? [...options, valueOption('--except', header, except)] : options;
  });
}

function usedInWords({ rows, place }: Table, { lines }: Mapping<string>): string {
  const all = count(rows.length, place);
  const reasons = lines.flatMap(({ leftOut }) => leftOut ?? []);
  if (reasons.length === 0) return all;
  const groups = [...Map.groupBy(reasons, (reason) => reason)].sort(([, one], [, other]) => other.length - one.length);
  const why = firstInLine(groups, ([reason, of]) => `${reason} ${of.length}`, 5);
  return `${rows.length - reasons.length} of ${all}, ${reasons.length} left out (${why})`;
}

function tellMapping({ say }: Context, table: Table, found: Mapping<string>, used: string) {
  const known = found.known === undefined ? '' : `read as ${found.known}, `;
  say(sentence`${table.name}: ${known}${table.format}. ${used}.`);
  const isRenamed = ([field, index]: [string, number]) => field !== table.header[index];
  const columns = [...found.columns];
  const from = columns.map((each) => (isRenamed(each) ? `${each[0]} from ${quote(table.header[each[1]] ?? '')}` : each[0]));
  if (columns.some(isRenamed)) say(sentence`Columns read: ${from.join(', ')}.`);
  if (found.unused.length > 0) say(sentence`Columns not used: ${firstInLine(found.unused, (header) => header, 10)}.`);
  for (const note of found.notes) say(note);
}

/** The typed command with further options, to be pasted. Without --check among them, it carries out what --check has looked at. */
export function typedAgain({ host }: Context, ...more: readonly string[]): Sentence {
  const isLook = more.includes('--check');
  // --to takes the result of --check: a command that writes has none for it.
  const ofLook = (word: string, before = '') => ['--check', '--force'].includes(word) || /^--to(=|$)/.test(word) || before === '--to';
  const typed = host.argv.filter((word, at) => (isLook ? word !== '--check' : !ofLook(word, host.argv[at - 1])));
  const end = typed.indexOf('--');
  const words = typed.toSpliced(end < 0 ? typed.length : end, 0, ...more.filter((word) => !typed.includes(word)));
  return sentence`${words.map(shellQuoted).join(' ')}`;
}
