/**
 * Reads every row before anything is sent, and returns every problem
 * with its place. Every row ends as an entry, as a problem, or left out with a reason; none is lost.
 * The first problems are kept and all of them counted, so that memory does not grow with a bad file.
 */
import { CliError } from '../../errors.ts';
import { addressKey } from '../../model/address-key.ts';
import { ruleOf } from '../../model/fields.ts';
import { InvalidValue } from '../../model/invalid-value.ts';
import { type JsonObject, typedJson } from '../../model/json.ts';
import { parseTime, type TimeReading } from '../../model/time.ts';
import type { ColumnField } from '../../roster/formats.ts';
import { addressFault } from '../../roster/map/address.ts';
import { booleanOf } from '../../roster/map/booleans.ts';
import { Entries, type Entry } from '../../roster/map/entries.ts';
import type { ColumnTexts, Mapping } from '../../roster/map/index.ts';
import { hasLostLetter, nameFault } from '../../roster/map/names.ts';
import { FirstSeen, Integers } from '../../roster/map/packed.ts';
import { quote } from '../../roster/read/quote.ts';
import { placeOf, type TableRow } from '../../roster/read/source-table.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import type { SelectedExam } from '../exam-selection.ts';
import type { NamedExams } from './named-exams.ts';

export type ProblemCode =
  | 'no_exam'
  | 'bad_exam'
  | 'no_address'
  | 'bad_address'
  | 'two_addresses'
  | 'duplicate'
  | 'bad_name'
  | 'bad_time'
  | 'bad_order'
  | 'bad_boolean'
  | 'read_only'
  | 'ragged';

export type InvalidField = {
  row: number;
  line: number;
  /** Number of the column, from 1, and its header; absent for what no column holds. */
  column?: number;
  header?: string;
  /** What stands there, in quotes, escaped and shortened. */
  value?: string;
  code: ProblemCode;
  /** A sentence for people, without the place and the value. */
  reason: string;
};

export type Validated = {
  entries: Entries;
  /** Fields for every student's request, beside those of the entry. */
  extra: JsonObject;
  /** The first problems, `keptProblems` at the most. */
  problems: InvalidField[];
  /** All problems, and the rows that have any. */
  problemCount: number;
  invalid: number;
  /** Valid rows with a name that may have lost letters, the first `keptProblems` of them. */
  lostLetters: { line: number; name: string }[];
  /** Valid rows without a name, where the table has a column for it. */
  nameless: number[];
  /** Rows that are no students, counted by reason. */
  leftOut: Map<string, number>;
  /** Rows below the header: entries, rows with problems and rows left out. */
  total: number;
  /** The rows again, each with its problems. */
  checked(): AsyncGenerator<CheckedRow[]>;
};

/** One row with all that is wrong with it: an entry, unless it has problems or is left out. */
export type CheckedRow = { row: TableRow; problems: readonly InvalidField[]; entry?: Entry; leftOut?: string };

/** The number of problems that are kept. */
export const keptProblems = 10_000;
/** The number of reasons for which rows are left out that are counted apart. */
const keptReasons = 1000;

type RowTimes = (text: string) => number | InvalidValue;
type RowCheck = {
  row: TableRow;
  texts: ColumnTexts;
  times: RowTimes;
  mapping: Mapping;
  problem(field: ColumnField, code: ProblemCode, reason: string): void;
};

/** `exams`: those that rows may name, where rows name their exams. */
export async function validate(mapping: Mapping, reading: TimeReading, exams?: NamedExams): Promise<Validated> {
  const { table, constants } = mapping;
  const checked = () => checkedRows(mapping, timeReader(reading), exams);
  const result: Validated = {
    entries: new Entries(),
    extra: constants.extra,
    problems: [],
    problemCount: 0,
    invalid: 0,
    lostLetters: [],
    nameless: [],
    leftOut: new Map(),
    total: 0,
    checked,
  };
  refuseBadConstants(mapping, timeReader(reading));
  const hasNames = mapping.used.some(({ field }) => field === 'name');
  for await (const rows of checked()) {
    for (const { entry, problems, leftOut } of rows) {
      result.total += 1;
      if (leftOut !== undefined) countLeftOut(result.leftOut, leftOut);
      if (entry) result.entries.add(entry);
      if (entry?.name !== undefined && hasLostLetter(entry.name) && result.lostLetters.length < keptProblems)
        result.lostLetters.push({ line: entry.line, name: entry.name });
      if (entry && hasNames && entry.name === undefined && result.nameless.length < keptProblems) result.nameless.push(entry.line);
      if (problems.length === 0) continue;
      result.invalid += 1;
      result.problemCount += problems.length;
      if (result.problems.length < keptProblems) result.problems.push(...problems.slice(0, keptProblems - result.problems.length));
    }
  }
  if (result.total > 0) return result;
  throw new CliError('invalid_input', sentence`${table.name} has no rows below its header.`, { hint: 'Add a row for each student.' });
}

/** Counts a reason; beyond very many different reasons, all further reasons as one. */
function countLeftOut(reasons: Map<string, number>, reason: string): void {
  const counted = reasons.has(reason) || reasons.size < keptReasons ? reason : 'other values';
  reasons.set(counted, (reasons.get(counted) ?? 0) + 1);
}

/** Checks the rows in the order of the file, in portions as they are read. */
async function* checkedRows(mapping: Mapping, times: RowTimes, exams: NamedExams | undefined): AsyncGenerator<CheckedRow[]> {
  const { table } = mapping;
  const firsts = new FirstSeen();
  /** Row and line of each address, in its exam, when it is first seen. */
  const places = new Integers();
  const columns = new Map(mapping.used.map((one) => [one.field, one]));
  for await (const rows of table.rows()) {
    const checked: CheckedRow[] = [];
    for (const row of rows) {
      // It is uncertain which cell belongs to which column, so none of them decides.
      if (row.ragged) {
        const { column, reason: why } = row.ragged;
        checked.push({ row, problems: [{ row: row.row, line: row.line, column, code: 'ragged', reason: why }] });
        continue;
      }
      const reason = mapping.leftOut(row.cells);
      if (reason !== undefined) {
        checked.push({ row, problems: [], leftOut: reason });
        continue;
      }
      const problems: InvalidField[] = [];
      const texts = mapping.texts(row);
      const problem = (field: ColumnField, code: ProblemCode, why: string) => {
        const place = columns.get(field) ?? columns.get('first_name') ?? columns.get('last_name');
        const value = texts[field];
        problems.push({
          row: row.row,
          line: row.line,
          ...(place && { column: place.column, header: place.header }),
          ...(value !== undefined && { value: quote(value) }),
          code,
          reason: why,
        });
      };
      const exam = exams && examIn(texts.exam, exams, problem);
      const entry = entryOf({ row, texts, times, mapping, problem });
      if (entry.email !== undefined && !(exams && !exam)) {
        const key = addressKey(entry.email);
        const first = firsts.before(exam ? `${exam.id} ${key}` : key, places.length);
        if (first === undefined) {
          places.push(row.row);
          places.push(row.line);
        } else {
          const place = { row: places.at(first) ?? 0, line: places.at(first + 1) ?? 0 };
          problem('email', 'duplicate', `same ${exam ? 'exam and ' : ''}address as ${placeOf(table, place)}`);
        }
      }
      if (exam && problems.length === 0) entry.exam = exams?.numberOf(exam) ?? 0;
      checked.push(problems.length === 0 ? { row, problems, entry } : { row, problems });
    }
    yield checked;
  }
}

/** The exam that a row names; that it names none becomes a problem. */
function examIn(text: string | undefined, exams: NamedExams, problem: RowCheck['problem']): SelectedExam | undefined {
  if (text === undefined) {
    problem('exam', 'no_exam', 'the exam is missing');
    return undefined;
  }
  const found = exams.find(text);
  if (typeof found !== 'string') return found;
  problem('exam', 'bad_exam', found);
  return undefined;
}

/** The values of a row; invalid ones become problems. */
function entryOf({ row, texts, times, mapping, problem }: RowCheck): Entry {
  const entry: Entry = { row: row.row, line: row.line, exam: 0 };
  if (texts.email === undefined) {
    if (!mapping.allowNoEmail) problem('email', 'no_address', 'the e-mail address is missing');
  } else {
    const fault = addressFault(texts.email);
    if (fault) problem('email', fault.code, fault.reason);
    else entry.email = texts.email;
  }
  const wrong = texts.name && nameFault(texts.name);
  if (wrong) problem('name', 'bad_name', wrong);
  else if (texts.name) entry.name = texts.name;
  for (const field of ['open_time', 'close_time'] as const) {
    const text = texts[field];
    if (text === undefined) continue;
    const time = times(text);
    if (typeof time === 'number') entry[field] = time;
    else problem(field, 'bad_time', refusalInWords(time, text));
  }
  if (entry.open_time !== undefined && entry.close_time !== undefined && entry.close_time <= entry.open_time) {
    problem('close_time', 'bad_order', `close_time is not after open_time (${quote(texts.open_time ?? '')})`);
  }
  if (texts.skip_requirements !== undefined) {
    const skip = booleanOf(texts.skip_requirements);
    if (skip !== undefined) entry.skip_requirements = skip;
    else problem('skip_requirements', 'bad_boolean', 'must be true or false');
  }
  if (texts.extra) {
    entry.extra = Object.fromEntries(texts.extra.map(({ field, text, typed }) => [field, typed ? typedJson(text) : text]));
  }
  if (texts.level_of_suspicion !== undefined) {
    problem('level_of_suspicion', 'read_only', `${ruleOf('session', 'level_of_suspicion')?.reason}; leave the column out`);
  }
  return entry;
}

/** Reads times, each text once: a roster has few different ones. */
function timeReader(reading: TimeReading): RowTimes {
  const known = new Map<string, number | InvalidValue>();
  return (text) => {
    if (known.size > 10_000) known.clear();
    const time = known.get(text) ?? timeOrRefusal(text, reading);
    known.set(text, time);
    return time;
  };
}

function timeOrRefusal(text: string, reading: TimeReading): number | InvalidValue {
  try {
    return parseTime(text, reading);
  } catch (error) {
    if (error instanceof InvalidValue) return error;
    throw error;
  }
}

/** A refused value in words, without the value, which may be long and is shown beside them. */
function refusalInWords({ message, hint }: InvalidValue, value: string): string {
  const reason = message.replace(`"${value}" `, () => 'it ').replace(/\.$/, '');
  return hint ? `${reason}; ${hint.charAt(0).toLowerCase()}${hint.slice(1).replace(/\.$/, '')}` : reason;
}

/** A problem of a value for every row is shown once, without a place in the file. */
function refuseBadConstants({ constants: { fields } }: Mapping, times: RowTimes): void {
  for (const field of ['open_time', 'close_time'] as const) {
    const text = fields[field];
    const time = text === undefined ? 0 : times(text);
    if (time instanceof InvalidValue)
      throw new CliError('invalid_input', sentence`-F ${field}: ${time.message}`, time.hint ? { hint: time.hint } : {});
  }
  const skip = fields.skip_requirements;
  if (skip === undefined || booleanOf(skip) !== undefined) return;
  throw new CliError('invalid_input', sentence`skip_requirements must be true or false, but -F gives ${quote(skip)}.`, {
    hint: 'Use: -F skip_requirements=true',
  });
}

/** A problem in one line, with its place. */
export function describeProblem(problem: InvalidField, mapping: Mapping): Sentence {
  const { column, header, value, reason } = problem;
  const where = [
    placeOf(mapping.table, problem),
    ...(column !== undefined && mapping.table.kind !== 'list'
      ? [`column ${column}${header === undefined ? '' : ` (${quote(header)})`}`]
      : []),
  ].join(', ');
  return sentence`${where}: ${value === undefined ? '' : `${value}: `}${reason}.`;
}
