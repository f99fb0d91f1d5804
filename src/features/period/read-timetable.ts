/** Reads a timetable: CSV, Excel or JSON by the readers of rosters, each line an exam. All problems are reported at once. */
import type { Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { count } from '../../model/count.ts';
import { type Json, typedJson } from '../../model/json.ts';
import { restrictionKeys } from '../../model/restrictions.ts';
import { formatTime } from '../../model/time.ts';
import type { TableReading } from '../../roster/map/declaration.ts';
import { openRoster } from '../../roster/read/index.ts';
import { placeOf, type Table } from '../../roster/read/source-table.ts';
import { sentence } from '../../text/sentence.ts';
import { columnQuestions } from '../rosters/column-questions.ts';
import { type FieldTable, fieldTable } from '../rosters/field-table.ts';
import { FileProblems } from '../rosters/file-problems.ts';
import { readingOf } from '../rosters/table-reading.ts';
import { EntryCells, nothingWord } from './entry-cells.ts';
import { type ExamEntry, entryInWords, knownBy } from './exam-entry.ts';
import { type PeriodColumn, periodFields, periodHeaders, periodNames } from './period-columns.ts';

export type Timetable = { name: string; entries: readonly ExamEntry[] };

/** Throws `invalid_input` for a timetable with any problem; all of them are reported on stderr. */
export async function readTimetable(context: Context, file: string, reading: TableReading): Promise<Timetable> {
  if (file === '-')
    throw new CliError('usage', 'A timetable cannot come from stdin: its file of IDs is kept beside it.', {
      hint: 'Give the path of the file.',
    });
  const { host, say } = context;
  const table = await openRoster(
    { path: file, signal: host.interrupted },
    { ...readingOf(context, reading), furtherHeaders: periodHeaders, rows: 'exams' },
  );
  try {
    const { declaration, dates } = reading;
    const columns = await fieldTable(table, periodNames, { declaration, askColumns: columnQuestions(context, table.name).askColumns });
    const problems = new FileProblems(table.name);
    const entries = await entriesOf(context, table, { columns, dates, problems });
    refuseTwice(entries, problems);
    problems.refuse(context);
    for (const note of table.notes) say(sentence`${note}`);
    if (columns.ignored.length > 0) say(sentence`Columns of ${table.name} not used: ${columns.ignored.join(', ')}.`);
    say(sentence`${table.name}: ${table.format}, ${count(entries.length, 'exam')}.`);
    return { name: table.name, entries };
  } finally {
    await table.close();
  }
}

type Reading = { columns: FieldTable<PeriodColumn>; dates: TableReading['dates']; problems: FileProblems };

async function entriesOf(context: Context, table: Table, { columns, dates, problems }: Reading): Promise<ExamEntry[]> {
  const { indexes, leftOut } = columns;
  const times = { zone: context.settings().timeZone, dates };
  const entries: ExamEntry[] = [];
  for await (const portion of table.rows()) {
    for (const row of portion) {
      const at = placeOf(table, row);
      if (row.ragged) problems.add(`${at}, column ${row.ragged.column}`, sentence`${row.ragged.reason}.`);
      else if (leftOut(row.cells) === undefined) {
        const cells = new EntryCells(table, { at, cells: row.cells }, { indexes, problems, times });
        const entry = entryOf(context, cells, { at, line: row.line, columns: [...indexes.keys()] });
        if (cells.isGood) entries.push(entry);
      }
    }
  }
  return entries;
}

function entryOf(
  context: Context,
  cells: EntryCells,
  { at, line, columns }: { at: string; line: number; columns: readonly PeriodColumn[] },
): ExamEntry {
  const { dialect } = context.settings();
  const [id, key, name] = [cells.fixed('id', 'An ID'), cells.fixed('key', 'A key'), cells.fixed('name', 'A name')];
  const { start, end } = timesOf(cells);
  const wanted: Record<string, Json> = {};
  if (name !== undefined) wanted[dialect.examNameKey] = name;
  if (start !== undefined) wanted.start_time = formatTime(start, dialect.timeFormat);
  if (end !== undefined) wanted.end_time = formatTime(end, dialect.timeFormat);
  Object.assign(wanted, settingsOf(cells), furtherFields(cells, columns));
  const entry = { line, at, id, key, name, start, end, wanted, proctors: proctorsOf(cells), roster: rosterOf(cells) };
  if (id === undefined && knownBy(entry) === undefined && cells.isGood)
    cells.problem(undefined, sentence`the line needs an id, a key, or a name with a start.`);
  return entry;
}

function timesOf(cells: EntryCells): Pick<ExamEntry, 'start' | 'end'> {
  const day = cells.day();
  if (cells.text('date') !== undefined && day === undefined) return { start: undefined, end: undefined };
  const start = cells.moment('start', day);
  const startsOn = start === undefined ? day : cells.dayOf(start);
  if (day !== undefined && cells.text('start') === undefined) cells.problem('date', sentence`a date without a start.`);
  if (start !== undefined && day !== undefined && startsOn !== day)
    cells.problem('start', sentence`${cells.text('start')} is on ${startsOn}, and the date of the line is ${day}.`);
  const end = cells.moment('end', startsOn);
  const length = cells.length();
  if (length !== undefined && start === undefined && cells.text('start') === undefined)
    cells.problem('duration', sentence`a duration without a start.`);
  if (start !== undefined && end !== undefined && end <= start)
    cells.problem(
      'end',
      sentence`the exam ends at ${cells.text('end')}, which is not after its start.`,
      sentence`An exam past midnight needs the date of its end: ${nextDay(cells.dayOf(end))} 01:00`,
    );
  const counted = start === undefined || length === undefined ? undefined : start + length;
  if (end !== undefined && counted !== undefined && counted !== end)
    cells.problem('duration', sentence`${cells.text('duration')} from the start is not the end of the line, ${cells.text('end')}.`);
  if (end === undefined && counted !== undefined && start !== undefined && cells.dayOf(counted) !== cells.dayOf(start))
    cells.problem(
      'duration',
      sentence`with ${cells.text('duration')}, the exam ends on the next day.`,
      sentence`If that is meant, give its end with the date: ${cells.dayOf(counted)} 01:00`,
    );
  return { start, end: end ?? counted };
}

function nextDay(day: string): string {
  return new Date(Date.parse(`${day}T12:00Z`) + 86_400_000).toISOString().slice(0, 10);
}

function rosterOf(cells: EntryCells): ExamEntry['roster'] {
  const file = cells.fixed('roster', 'A roster');
  return file === undefined ? undefined : { file, at: cells.placeOf('roster') };
}

/** Between semicolons. */
function proctorsOf(cells: EntryCells): ExamEntry['proctors'] {
  const text = cells.text('proctors');
  if (text === undefined) return undefined;
  const texts = text.toLowerCase() === nothingWord ? [] : text.split(';').map((each) => each.trim());
  return { texts: texts.filter((each) => each !== ''), at: cells.placeOf('proctors') };
}

/** Restrictions, all four or none, and the recording. */
function settingsOf(cells: EntryCells): Record<string, boolean> {
  const given = restrictionKeys.map((key) => [key, cells.yesNo(key)] as const);
  const empty = given.filter(([key]) => cells.text(key) === undefined).map(([key]) => key);
  if (empty.length > 0 && empty.length < restrictionKeys.length)
    cells.problem(
      empty[0],
      sentence`no value for ${empty.join(', ')}, and one for the other restrictions.`,
      sentence`Fill all four cells, or none.`,
    );
  const all = [...given, ['save_recording', cells.yesNo('save_recording')] as const];
  return Object.fromEntries(all.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
}

/** Other fields of the API, by --map. */
function furtherFields(cells: EntryCells, columns: readonly PeriodColumn[]): Record<string, Json> {
  const fields: Record<string, Json> = {};
  for (const column of columns) {
    const text = periodFields.some((field) => field === column) ? undefined : cells.text(column);
    if (text === undefined) continue;
    const isTyped = column.endsWith(':');
    fields[isTyped ? column.slice(0, -1) : column] = text.toLowerCase() === nothingWord ? null : isTyped ? typedJson(text) : text;
  }
  return fields;
}

/** Two lines that are known by the same are told; sittings in parallel have keys of their own. */
function refuseTwice(entries: readonly ExamEntry[], problems: FileProblems): void {
  const seen = new Map<string, ExamEntry>();
  for (const entry of entries) {
    const { id, key, name, start } = entry;
    const marks = [
      ...(id === undefined ? [] : [[`id ${id}`, `the ID ${id}`]]),
      ...(key === undefined ? [] : [[`key ${key}`, `the key ${key}`]]),
      ...(name === undefined || start === undefined ? [] : [[`exam ${JSON.stringify([name, start])}`, 'the same name and start']]),
    ] as const;
    for (const [mark = '', what = ''] of marks) {
      const other = seen.get(mark);
      if (!other) seen.set(mark, entry);
      else if (!mark.startsWith('exam ')) problems.add(entry.at, sentence`${what} is already in ${other.at}.`);
      else if ((id ?? key) === undefined || (other.id ?? other.key) === undefined)
        problems.add(
          entry.at,
          sentence`${entryInWords(entry)} is already in ${other.at}, with the same start.`,
          sentence`Sittings in parallel need a column key, with a key of its own for each.`,
        );
    }
  }
}
