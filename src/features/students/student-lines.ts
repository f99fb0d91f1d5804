/**
 * The lines of a file with students, checked before anything is sent: each is a student to bring into an exam, is left out by a rule that
 * was declared, or has problems, all of which are found at once. Imports and the rosters of a timetable read theirs here.
 */
import type { Dialect } from '../../api/dialect.ts';
import { CliError } from '../../errors.ts';
import { addressKey } from '../../model/address-key.ts';
import { examInWords } from '../../model/describe.ts';
import { firstInLine } from '../../model/first-of.ts';
import { InvalidValue } from '../../model/invalid-value.ts';
import { type JsonObject, typedJson } from '../../model/json.ts';
import { nearest } from '../../model/nearest.ts';
import { type DateOrder, formatTime, instantOf, parseTime } from '../../model/time.ts';
import { booleanOf } from '../../roster/aliases.ts';
import { addressFault, nameFault } from '../../roster/names.ts';
import { quote } from '../../roster/quote.ts';
import type { RosterField } from '../../roster/roster-fields.ts';
import { placeOf, type Row } from '../../roster/table.ts';
import { type Sentence, sentence } from '../../text/sentence.ts';
import { inOneSpelling, type SelectedExam } from '../exam-selection.ts';
import { FileProblems } from '../tables/file-problems.ts';
import type { ReadTable } from '../tables/read-table.ts';
import type { StudentLine } from './plan-students.ts';

export type StudentFile = {
  read: ReadTable<RosterField>;
  lines: readonly StudentLine[];
  problems: FileProblems;
  /** Why lines are invalid, by their rows. */
  invalid: ReadonlyMap<Row, Sentence>;
};

/** `constants`: what -F gives to each line. `examOf`: the exam of a line by what its column says, or why it is none. */
export type LineReading = {
  dialect: Dialect;
  zone: string | undefined;
  dates: DateOrder | undefined;
  constants?: Texts;
  examOf(text: string | undefined): { id: string } | { why: Sentence };
};

type Texts = { [field in RosterField]?: string };
/** Fields that are read in a way of their own; any other one is sent as it is. */
const ownFields = new Set(['exam', 'email', 'number', 'name', 'open_time', 'close_time', 'skip_requirements']);
/** Takes down what is wrong with a field. */
type Fault = (field: RosterField, why: Sentence) => void;

/** Throws `invalid_input` for a value of -F that cannot be sent. */
export function studentLines(read: ReadTable<RosterField>, reading: LineReading): StudentFile {
  const { table } = read;
  const refuse: Fault = (field, why) => {
    throw new CliError('invalid_input', sentence`-F ${field}: ${why}`);
  };
  fieldsOf(reading.constants ?? {}, reading, refuse);
  const problems = new FileProblems(table);
  const lines: StudentLine[] = [];
  const invalid = new Map<Row, Sentence>();
  const before = new Map<string, Row>();
  for (const { row, texts, leftOut } of read.lines) {
    if (leftOut !== undefined) continue;
    const found: Sentence[] = [];
    const fault: Fault = (field, reason) => {
      const text = texts[field];
      problems.add({ row, column: read.columnOf(field), value: text === undefined ? undefined : quote(text), reason });
      found.push(reason);
    };
    if (row.problem !== undefined) {
      problems.add({ row, reason: sentence`${row.problem}` });
      invalid.set(row, sentence`${row.problem}`);
      continue;
    }
    const exam = reading.examOf(texts.exam);
    if ('why' in exam) fault('exam', exam.why);
    const { email, number } = texts;
    const wrong = email === undefined ? undefined : addressFault(email);
    if (wrong !== undefined) fault('email', sentence`${quote(email ?? '')} is no e-mail address: ${wrong}.`);
    if ((email ?? number) === undefined) fault('email', sentence`The line has neither an address nor a number.`);
    const fields = fieldsOf(texts, reading, fault);
    if ('id' in exam) {
      const key = email === undefined ? `${exam.id} number ${number}` : `${exam.id} ${addressKey(email)}`;
      const twin = before.get(key);
      if (twin)
        fault(email === undefined ? 'number' : 'email', sentence`${quote(email ?? number ?? '')} is in ${placeOf(table, twin)}, too.`);
      else before.set(key, row);
      if (found.length === 0) lines.push({ line: row.line, exam: exam.id, email, number, fields });
    }
    if (found.length > 0) invalid.set(row, sentence`${found.join(' ')}`);
  }
  return { read, lines, problems, invalid };
}

/** What is sent of a line beside its address. */
function fieldsOf(texts: Texts, { dialect, zone, dates }: LineReading, fault: Fault): JsonObject {
  const { name, number, skip_requirements: skips } = texts;
  const fields: JsonObject = {};
  const wrong = name === undefined ? undefined : nameFault(name);
  if (wrong !== undefined) fault('name', sentence`${quote(name ?? '')}: ${wrong}.`);
  else if (name !== undefined) fields[dialect.sessionNameKey] = name;
  if (number !== undefined && dialect.sessionNumberKey !== '') fields[dialect.sessionNumberKey] = number;
  for (const field of ['open_time', 'close_time'] as const) {
    const text = texts[field];
    if (text === undefined) continue;
    try {
      fields[field] = formatTime(parseTime(text, { zone, dates, now }), dialect.timeFormat);
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      fault(field, sentence`${error.message}${error.hint === undefined ? '' : ` ${error.hint}`}`);
    }
  }
  const [opens, closes] = [instantOf(fields.open_time), instantOf(fields.close_time)];
  if (opens !== undefined && closes !== undefined && closes <= opens) fault('close_time', sentence`It closes before it opens.`);
  if (skips !== undefined) {
    const is = booleanOf(skips);
    if (is === undefined) fault('skip_requirements', sentence`${quote(skips)} is neither true nor false.`);
    else fields.skip_requirements = is;
  }
  for (const [field, text = ''] of Object.entries(texts)) {
    if (ownFields.has(field)) continue;
    if (field.endsWith(':')) fields[field.slice(0, -1)] = typedJson(text);
    else fields[field] = text;
  }
  return fields;
}

function now(): never {
  throw new InvalidValue('In a file, a time does not count from now.', 'Write the date and the time.');
}

/** The exam that a line names: by its ID, or its whole name, which only one exam of the selection may have. */
export function examNamed(exams: readonly SelectedExam[], naming: { dialect: Dialect; zone: string }) {
  const byName = Map.groupBy(exams, ({ name = '' }) => inOneSpelling(name));
  return (text: string | undefined): { id: string } | { why: Sentence } => {
    if (text === undefined) return { why: sentence`The exam is missing.` };
    const found = [...new Set([...(byName.get(inOneSpelling(text)) ?? []), ...exams.filter(({ id }) => id === text)])];
    const [exam, ...others] = found;
    if (exam && others.length === 0) return exam;
    const which = firstInLine(found, ({ id, shown }) => examInWords(id, shown, naming, naming.zone), 5);
    const several = sentence`${found.length} exams of the selection are called ${quote(text)}: ${which}. Give the ID, or select fewer.`;
    if (exam) return { why: several };
    const [like] = byName.get(nearest(inOneSpelling(text), byName.keys()) ?? '') ?? [];
    const near = like ? `; the nearest is ${quote(like.name ?? '')} (exam ${like.id})` : '';
    return { why: sentence`No exam of the selection has the ID or name ${quote(text)}${near}.` };
  };
}
