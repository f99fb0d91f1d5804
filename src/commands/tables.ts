/** The commands that read a table of students or exams, or print one: the flags by which they read it, and what these declare. */
import type { Argument, Column, Flags, Values } from '../command.ts';
import { CliError } from '../errors.ts';
import type { TableReading } from '../features/tables/read-table.ts';
import { typedOption } from '../model/shell-quote.ts';
import { dateOrders } from '../model/typed-time.ts';
import type { Declared } from '../roster/columns.ts';
import { foldedText } from '../text/fold.ts';
import { sentence } from '../text/sentence.ts';
import { anyExam, examSelection, instituteFlag } from './courses.ts';
import { defineCommand } from './define-command.ts';

/** How a table is read: a roster, a list of extra time and a timetable alike. */
export const readFlags = {
  map: {
    type: 'texts',
    value: 'field=header',
    description: "header of a field's column, such as --map 'email=E-Mail (Uni)'",
  },
  only: {
    type: 'texts',
    value: 'header=values',
    description: "use only lines with these values, such as --only 'Status=Enrolled'",
  },
  except: {
    type: 'texts',
    value: 'header=values',
    description: "leave out lines with these values, such as --except 'Status=Withdrawn'",
  },
  ignoreColumn: { rare: true, type: 'texts', value: 'header', description: 'use every line, whatever this column contains' },
  encoding: {
    rare: true,
    type: 'text',
    value: 'name',
    suggests: ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'iso-8859-1', 'iso-8859-15'],
    description: 'encoding of a text file that is not UTF-8, such as windows-1252',
  },
  sheet: { type: 'text', value: 'name', description: 'sheet of an Excel workbook, by its name or number' },
  rows: {
    type: 'text',
    value: 'from-to',
    description: 'lines of the file to read, such as 2-58, if it has more than the table',
  },
  dates: { type: 'text', value: 'order', choices: dateOrders, description: 'order of dates such as 03/04/2026' },
} as const satisfies Flags;

export type ReadValues = Partial<Values<Record<never, Argument>, typeof readFlags>>;

/** Throws `usage` for options that say nothing, or two things of a column. */
export function readingOf({ map = [], only = [], except = [], ignoreColumn: ignored = [], ...others }: ReadValues): TableReading {
  const { encoding, sheet, rows, dates } = others;
  const order = dateOrders.find((one) => one === dates);
  return { map: headersByField(map), columns: declaredBy(only, except, ignored), encoding, sheet, rows, dates: order };
}

function declaredBy(only: readonly string[], except: readonly string[], ignored: readonly string[]): Declared[] {
  const [wanted, unwanted] = [valuesByHeader('--only', only), valuesByHeader('--except', except)];
  const columns = new Map<string, Declared>(ignored.map((header) => [foldedText(header), { header }]));
  for (const [key, { header }] of [...wanted, ...unwanted]) {
    const both = wanted.get(key)?.values.find((value) => unwanted.get(key)?.values.map(foldedText).includes(foldedText(value)));
    if (both !== undefined || ignored.some((one) => foldedText(one) === key)) {
      const which = both === undefined ? '' : `, with ${JSON.stringify(both)}`;
      throw new CliError('usage', sentence`Column ${JSON.stringify(header)} is declared in two ways${which}.`, {
        hint: 'Leave out one of --only, --except and --ignore-column.',
      });
    }
    columns.set(key, { header, only: wanted.get(key)?.values, except: unwanted.get(key)?.values });
  }
  return [...columns.values()];
}

/** `field=header`, any number of them. */
function headersByField(texts: readonly string[]): Record<string, string> {
  const pairs = texts.map((text) => pairOf('--map', 'field=header', text, 'email=Mail address'));
  const [twice] = pairs.find(([field], at) => pairs.findIndex(([other]) => other === field) < at) ?? [];
  if (twice === undefined) return Object.fromEntries(pairs);
  throw new CliError('usage', sentence`--map gives ${twice} twice.`, { hint: 'Give one header for each field.' });
}

/** `header=value,value`; a value with a comma stands in quotes. */
function valuesByHeader(option: string, texts: readonly string[]): Map<string, { header: string; values: string[] }> {
  const values = new Map<string, { header: string; values: string[] }>();
  for (const text of texts) {
    const [header, list] = pairOf(option, 'header=value,value', text, 'Status=Registered,Active');
    const before = values.get(foldedText(header));
    values.set(foldedText(header), { header, values: [...(before?.values ?? []), ...listed(list)] });
  }
  return values;
}

/** The values of a list. A value with a comma stands in double quotes, and a quote in it is doubled. */
function listed(list: string): string[] {
  const values = `${list},`.matchAll(/\s*"((?:[^"]|"")*)"\s*,|([^,]*),/g);
  return [...values].map(([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain.trim());
}

function pairOf(option: string, form: string, text: string, example: string): [string, string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at).trim(), text.slice(at + 1)];
  throw new CliError('usage', sentence`${option} takes ${form}.`, {
    hint: sentence`For example: ${typedOption(option, example)}`,
  });
}

/** How many students a roster may delete from an exam. */
const atMost = { type: 'number', value: 'n', least: 0, most: 1_000_000 } as const;

const amongMany = { rare: true, unless: (values: Mapped) => !namesExams(values) } as const;
/** Among which exams the lines name theirs. */
const among = {
  from: { ...examSelection.from, ...amongMany, description: 'lines may name exams from this time on' },
  until: { ...examSelection.until, ...amongMany, description: 'lines may name exams until this time' },
  name: { ...examSelection.name, ...amongMany, description: 'lines may name exams with this in their name' },
} as const;

export const importing = defineCommand({
  name: 'sessions import',
  summary: 'Import a roster into an exam, or into the exams that its lines name',
  details:
    "Reads CSV, TSV, JSON, NDJSON and Excel files and the exports of the usual systems, checks every line before anything is sent, and creates the students who are missing. Students who are there stay as they are; --update changes those whose values differ, but never shortens anyone's time. With --map exam=HEADER, each line names its exam by ID or name. An import that was stopped can be run again: it sends only who is missing, and never creates a student twice. --check only compares the exam with the roster.",
  effect: 'write',
  takes: true,
  args: { file: { description: 'the roster; - reads it from stdin', complete: 'files' } },
  flags: {
    exam: { type: 'text', value: 'id', complete: 'exams', unless: namesExams, description: 'ID of the exam' },
    ...readFlags,
    ...among,
    check: { type: 'boolean', description: 'compare only; status 11 where the exam does not follow the roster' },
    skipInvalid: { type: 'boolean', description: 'import the valid lines even if others are invalid' },
    rejects: {
      type: 'text',
      value: 'file',
      complete: 'files',
      description: 'write rejected lines to this file, to be corrected and imported again',
    },
    update: { type: 'boolean', description: 'update students of the exam that differ from the file' },
    acceptDifferent: { rare: true, type: 'boolean', description: 'leave students that differ from the file, and count them as done' },
    removeMissing: { ...atMost, description: 'delete students of the exam who are not in the file, at most this many' },
    rate: { rare: true, type: 'number', value: 'n', least: 1, most: 10_000, description: 'requests in a second, at most' },
  },
  needs: ['exam'],
  writes: 'constants',
  async run(context, values) {
    const { importStudents } = await import('../features/students/import-students.ts');
    const { file, rejects, body, removeMissing, rate, exam, from, until, name, typedTimes } = values;
    return importStudents(context, {
      ...{ file, rejects, reading: readingOf(values), constants: body },
      into: exam === undefined ? { among: { from, until, name, typedTimes } } : { exam },
      check: values.check === true,
      skipInvalid: values.skipInvalid === true,
      update: values.update === true,
      acceptDifferent: values.acceptDifferent === true,
      removeMissing,
      rate,
    });
  },
  examples: [
    { line: 'proctor-cli sessions import roster.csv --exam 6 --dry-run --skip-invalid', description: 'what an import would do' },
    {
      line: "proctor-cli sessions import roster.csv --exam 6 --map 'email=Email address' --dry-run --skip-invalid",
      description: 'the same where a header is not known: it says which column has the addresses',
    },
    { line: 'proctor-cli sessions import - --exam 6 --yes --no-input -o json < roster.csv', description: 'the import, in a script' },
  ],
});

type Mapped = Readonly<{ map?: string[] | undefined }>;

/** Whether the lines name their exams: by --map. */
function namesExams({ map = [] }: Mapped): boolean {
  return map.some((text) => /^\s*exam\s*=/.test(text));
}

const lineColumns = [
  { key: 'line' },
  { key: 'exam' },
  { key: 'name', identifies: true },
  { key: 'action', identifies: true },
  { key: 'changes', as: 'changes' },
  { key: 'reason' },
] as const satisfies readonly Column[];

const apply = defineCommand({
  name: 'exams apply',
  summary: 'Create and change exams as a timetable has them',
  details:
    'Shows what it would do for each line, asks once, and does it as one run; applied again, it changes nothing. Columns, by their usual headers in English, German and French, or by --map: id, name, date, start, end or duration, the four restrictions (all or none), save_recording, proctors (addresses, IDs or names of users, with ; between them; others are removed from the pool), roster (a file beside the timetable; its students are added). What has no column is left alone, an empty cell keeps the value, and the word none clears it. A line is the exam of its id; without an id, the exam of its name and start; else it is new. If an exam has the name, but another start, it is asked about, and held back in a script: write the ID of the exam into the column id to move that exam, or new to create another one. Where times change, the windows of students move along. A line that would take something from a running exam is held back and named; no exam is ever deleted.',
  effect: 'write',
  takes: true,
  args: { file: { description: 'the timetable: CSV, Excel or JSON; - reads it from stdin', complete: 'files' } },
  flags: {
    ...readFlags,
    map: { ...readFlags.map, description: "header of a field's column, such as --map 'name=Modul'" },
    check: { type: 'boolean', description: 'compare only; status 11 where a line differs from the service' },
    removeMissing: { ...atMost, description: 'delete students who are missing from the roster of their exam: at most n of an exam' },
    institute: instituteFlag,
  },
  columns: lineColumns,
  async run(context, values) {
    const { file, institute, removeMissing, check } = values;
    const { applyTimetable } = await import('../features/timetable/apply-timetable.ts');
    return applyTimetable(context, { file, reading: readingOf(values), institute, removeMissing, check: check === true });
  },
  examples: [
    {
      line: 'proctor-cli exams apply timetable.csv --timezone Europe/Vienna --yes',
      description: 'the exams of the timetable, in a script',
    },
    { line: 'proctor-cli exams apply timetable.csv --timezone Europe/Vienna --check', description: 'what differs from the timetable' },
  ],
});

const exportColumns: readonly Column[] = [
  ...['id', 'name', 'date', 'start', 'end', 'allow_headphones', 'allow_whiteboard', 'allow_leave_room', 'allow_pen_paper'],
  ...['save_recording', 'proctors'],
].map((key) => ({ key }));

const exporting = defineCommand({
  name: 'exams export',
  summary: 'Print exams as a timetable',
  details:
    'Prints the selected exams, or all exams, as a table that exams apply reads, IDs included; CSV off a terminal. Applied again, it changes nothing. Times are in the current time zone; without a time zone, they have their offset.',
  effect: 'read',
  flags: examSelection,
  columns: exportColumns,
  async run(context, { exam, from, until, name }) {
    const { exportTimetable } = await import('../features/timetable/export-timetable.ts');
    return exportTimetable(context, { exam, from, until, name });
  },
  examples: [
    { line: 'proctor-cli exams export --from 2026-01-01 --timezone Europe/Vienna', description: 'the exams of a period as a timetable' },
    { line: 'proctor-cli exams export -o json --timezone UTC', description: 'all exams, for a script' },
  ],
});

const extraTimeColumns = [
  { key: 'exam' },
  { key: 'session' },
  { key: 'email', identifies: true },
  { key: 'field', detail: true },
  { key: 'from', as: 'time' },
  { key: 'to', as: 'time', identifies: true },
  { key: 'result', identifies: true },
  { key: 'reason' },
  { key: 'reference' },
] as const satisfies readonly Column[];

const grant = defineCommand({
  name: 'accommodations apply',
  summary: 'Give students their extra time, from one list',
  details:
    "Compares the list with the sessions of the selected exams, shows old and new close times, asks once, and sets them. With --check it only prints a row for each student and exam: ok, missing (no close time of its own), less (before the target), more (after it: kept, and no difference), finished or conflict (only a person can decide); a line that matches nobody is unmatched. The target is computed from the exam, never from the present close time: its end plus the extra time (a share of its length, a fixed time, or both), rounded up to the minute; where a student's open_time is later than the start, the whole length counts from there. A second call changes nothing. Time is never taken away, and a finished session is never changed.",
  effect: 'write',
  takes: true,
  args: { file: { description: 'list of extra time: CSV, Excel or JSON; - reads it from stdin', complete: 'files' } },
  flags: {
    ...examSelection,
    ...readFlags,
    check: { type: 'boolean', description: 'compare only; status 11 where time is missing, or a person has to decide' },
  },
  anyOf: anyExam,
  columns: extraTimeColumns,
  async run(context, values) {
    const { file, exam, from, until, name, typedTimes, check } = values;
    const { applyExtraTime } = await import('../features/extra-time/extra-time.ts');
    const selection = { exam, from, until, name, typedTimes };
    return applyExtraTime(context, { file, reading: readingOf(values), selection, check: check === true });
  },
  examples: [
    {
      line: 'proctor-cli accommodations apply accommodations.csv --exam 12 --yes',
      description: 'the extra time in one exam',
    },
    {
      line: 'proctor-cli accommodations apply accommodations.csv --from 2020-01-01T00:00Z --until 2099-12-31T00:00Z --check',
      description: 'whether it is in place in all exams of a period',
    },
  ],
});

export const imports = [importing];
export const timetables = [apply, exporting];
export const accommodations = [grant];
