/** The lines of an import, or of a timetable's roster. */
import type { Dialect } from '../../api/dialect.ts';
import type { Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { examInWords } from '../../model/describe.ts';
import { fieldsOfType } from '../../model/fields.ts';
import { InvalidValue } from '../../model/invalid-value.ts';
import { type JsonObject, textIn, textOfJson } from '../../model/json.ts';
import { keyOf } from '../../model/listing.ts';
import { formatTime, instantOf } from '../../model/time.ts';
import { parseTime } from '../../model/typed-time.ts';
import { yesOrNo } from '../../roster/aliases.ts';
import {
  asText,
  looksDamaged,
  mendEncoding,
  nameFault,
  numberOf,
  type RosterField,
  refuseUnsendable,
  validAddress,
  zerosLacking,
} from '../../roster/roster-fields.ts';
import type { Ended } from '../../runs/index.ts';
import { onlyOtherBy, plainNumber } from '../../text/fold.ts';
import { firstInLine, inARow, quote, type Sentence, sentence } from '../../text/sentence.ts';
import { type ExamSelection, inOneSpelling, type SelectedExam } from '../exam-selection.ts';
import { cellReader, type FileProblem, type Line, type ReadTable, type TableReading } from '../table-input/read-table.ts';
import type { StudentLine, StudentPlan } from './plan-students.ts';

export type StudentFile = {
  read: ReadTable<RosterField>;
  lines: readonly StudentLine[];
  invalid: ReadonlyMap<number, Sentence>;
};

export type ImportRequest = {
  file: string;
  /** The exam of all lines; if it is undefined, each line names one of `among`. */
  exam: string | undefined;
  among: ExamSelection;
  reading: TableReading;
  /** What -F gives to each student. */
  constants: JsonObject;
  check: boolean | undefined;
  skipInvalid: boolean | undefined;
  update: boolean | undefined;
  accepted: readonly ('different' | 'extra')[];
  removeMissing: number | undefined;
  rejects: string | undefined;
  rate: number | undefined;
};

/** `ended`: once something was sent, or nothing had to be. */
export type Import = {
  context: Context;
  request: ImportRequest;
  file: StudentFile;
  exams: ReadonlyMap<string, SelectedExam>;
  plan: StudentPlan | undefined;
  ended: Ended | undefined;
  /** The file of the rejected lines; in the end, only if it was written. */
  rejects: string | undefined;
};

/** `exam`: of all lines, or of a line by its text, which may throw `InvalidValue`. */
type LineReading = {
  dialect: Dialect;
  zone: string | undefined;
  dates: TableReading['dates'];
  constants?: JsonObject;
  exam: string | ((text: string) => string);
};

/** Others are sent as they are. */
const [times, truths] = [fieldsOfType('session', 'time'), fieldsOfType('session', 'boolean')];
const ownFields: readonly string[] = ['name', ...times, ...truths];
const identities = ['exam', 'email', 'number'];

/** Throws `usage` or `invalid_input` for a value of -F that cannot be sent. */
export function studentLines(file: ReadTable<RosterField>, reading: LineReading): StudentFile {
  const common = commonFields(file, reading);
  const lines: StudentLine[] = [];
  const before = new Map<string, string>();
  const numbers = new Map<string, { number: string; place: string }>();
  for (const line of file.lines) {
    const { row, texts, place, problem, read } = line;
    const known = file.problems.length;
    const exam = typeof reading.exam === 'string' ? reading.exam : read('exam', reading.exam);
    if (exam === undefined && texts.exam === undefined) problem('exam', sentence`The exam is missing.`);
    const { email, number } = texts;
    read('email', validAddress);
    read('number', numberOf);
    if ((email ?? number) === undefined) problem('email', sentence`The line has neither an address nor a number.`);
    const fields = sessionFields(line, reading, common);
    if (exam === undefined) continue;
    const like = number === undefined ? undefined : `${exam} ${plainNumber(number)}`;
    const alike = like === undefined ? undefined : numbers.get(like);
    if (like !== undefined && number !== undefined) numbers.set(like, alike ?? { number, place });
    if (alike && alike.number !== number)
      problem(
        'number',
        sentence`${quote(number ?? '')} and ${quote(alike.number)} in ${alike.place} are the same but for ${onlyOtherBy(number ?? '', alike.number)}.`,
      );
    const key = `${exam} ${keyOf({ email, number }, reading.dialect)}`;
    const twin = before.get(key);
    const identity = email === undefined ? 'number' : 'email';
    if (twin) problem(identity, sentence`${quote(texts[identity] ?? '')} is in ${twin}, too.`);
    else if (alike && alike.number === number) problem('number', sentence`${quote(number)} is in ${alike.place}, too.`);
    else before.set(key, place);
    if (file.problems.length === known) lines.push({ line: row.line, exam, email, number, fields });
  }
  const wrong = Map.groupBy(file.problems, ({ item }) => item.line);
  const whyOf = ({ item, hint }: FileProblem) => [item.reason, hint ?? []].flat();
  const invalid = new Map([...wrong].map(([line, all]) => [line, inARow(all.flatMap(whyOf))]));
  return { read: file, lines, invalid };
}

/** Names values that a spreadsheet or a wrong encoding may have changed. `shown`: a line in words. `names`: other damaged names. */
export function warnOfDamage(
  { warn, settings }: Context,
  files: readonly { lines: readonly Omit<StudentLine, 'exam'>[]; shown(line: number, value: string): Sentence }[],
  names: readonly Sentence[] = [],
): void {
  const { sessionNameKey } = settings().dialect;
  const damaged = [...names];
  const numbers: Sentence[] = [];
  const withComma: Sentence[] = [];
  for (const { lines, shown } of files) {
    const isShort = zerosLacking(lines.flatMap(({ number }) => number ?? []));
    for (const { line, number = '', fields } of lines) {
      const name = textIn(fields[sessionNameKey]) ?? '';
      if (looksDamaged(name)) damaged.push(shown(line, name));
      if (name.includes(',')) withComma.push(shown(line, name));
      if (isShort(number)) numbers.push(shown(line, number));
    }
  }
  if (damaged.length > 0) warn(sentence`Names that look damaged: ${firstInLine(damaged, String, 3)}. ${mendEncoding}`);
  const turn = sentence`If the last name stands first: --map last_name_first=HEADER`;
  if (withComma.length > 0) warn(sentence`Names with a comma are sent as they are: ${firstInLine(withComma, String, 3)}. ${turn}`);
  if (numbers.length > 0) warn(sentence`Numbers that may lack zeros at their beginning: ${firstInLine(numbers, String, 3)}. ${asText}`);
}

/** What -F gives, as it is sent. Throws `usage` and `unsupported`. */
function commonFields({ lines }: ReadTable<RosterField>, reading: LineReading): JsonObject {
  const { constants = {}, dialect } = reading;
  const texts: Record<string, string> = {};
  const others: JsonObject = {};
  for (const [field, value] of Object.entries(constants)) {
    refuseUnsendable(field);
    const same = sentence`${field} identifies a student, and cannot be the same for all.`;
    const twice = sentence`The field ${field} is given twice: by -F and by a column.`;
    const hint = sentence`Leave out: -F ${field}=…`;
    if (field === 'email' || field === dialect.sessionNumberKey) throw new CliError('usage', same, { hint });
    if (lines.some((line) => line.texts[field] !== undefined)) throw new CliError('usage', twice, { hint });
    if (ownFields.includes(field)) texts[field] = textOfJson(value);
    else others[field] = value;
  }
  const refuse = (field: RosterField | undefined, why: Sentence, hint?: Sentence) => {
    throw new CliError('invalid_input', sentence`-F ${field}: ${why}`, { hint });
  };
  return sessionFields({ texts, problem: refuse, read: cellReader(texts, refuse) }, reading, others);
}

type RosterCells = Pick<Line<RosterField>, 'texts' | 'problem' | 'read'>;

function sessionFields({ texts, problem, read }: RosterCells, reading: LineReading, common: JsonObject): JsonObject {
  const { dialect, zone, dates } = reading;
  const { name, number } = texts;
  const fields: JsonObject = { ...common };
  const fault = name === undefined ? undefined : nameFault(name);
  if (fault !== undefined) problem('name', sentence`${quote(name ?? '')}: ${fault}.`);
  else if (name !== undefined) fields[dialect.sessionNameKey] = name;
  if (number !== undefined) fields[dialect.sessionNumberKey] = number;
  for (const field of times) {
    const time = read(field, (text) => parseTime(text, { zone, dates }));
    if (time !== undefined) fields[field] = formatTime(time, dialect.timeFormat);
  }
  const [opens = Number.NaN, closes = Number.NaN] = [instantOf(fields.open_time), instantOf(fields.close_time)];
  if (closes <= opens) problem('close_time', sentence`It closes before it opens.`);
  for (const field of truths) {
    const truth = read(field, yesOrNo);
    if (truth !== undefined) fields[field] = truth;
  }
  for (const [field, text = ''] of Object.entries(texts)) {
    if (![...ownFields, ...identities].includes(field)) fields[field] = text;
  }
  return fields;
}

/** Finds an exam by its ID, or by a name that no other exam of the selection has. */
export function examFinder(exams: readonly SelectedExam[], naming: { dialect: Dialect; zone: string }) {
  const byName = Map.groupBy(exams, ({ name = '' }) => inOneSpelling(name));
  return (text: string): string => {
    const byId = exams.filter(({ id }) => id === text);
    const found = new Set([...byId, ...(byName.get(inOneSpelling(text)) ?? [])]);
    const [exam, ...others] = found;
    if (!exam) throw new InvalidValue(sentence`No exam of the selection has the ID or name ${quote(text)}.`);
    if (others.length === 0) return exam.id;
    const which = firstInLine([...found], ({ id, shown }) => examInWords(id, shown, naming, naming.zone), 5);
    const what = sentence`${found.size} exams of the selection are called ${quote(text)}: ${which}.`;
    throw new InvalidValue(what, 'Give the ID, or select fewer.');
  };
}
