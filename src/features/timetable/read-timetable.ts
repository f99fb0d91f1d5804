/** Reads a timetable: each line is an exam, with what it sets. All problems are reported at once, and then nothing is sent. */
import type { Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { canAsk } from '../../host/host.ts';
import { InvalidValue } from '../../model/invalid-value.ts';
import type { JsonObject } from '../../model/json.ts';
import { restrictionKeys } from '../../model/restrictions.ts';
import { typedOption } from '../../model/shell-quote.ts';
import { type DateOrder, dayOf, formatTime, parseDay, parseTime } from '../../model/time.ts';
import { isZone, zoneHint } from '../../model/zones.ts';
import { booleanOf } from '../../roster/aliases.ts';
import { quote } from '../../roster/quote.ts';
import type { Table } from '../../roster/table.ts';
import { sentence } from '../../text/sentence.ts';
import { FileProblems } from '../tables/file-problems.ts';
import { type ReadTable, readTable, type TableReading } from '../tables/read-table.ts';
import { type ExamCells, examCells, parseLength, type TimetableField, timetableFields } from './exam-cells.ts';

export type ExamLine = {
  line: number;
  /** For people: "line 7". */
  place: string;
  /** For problems that are found later. */
  cells: ExamCells;
  /** `new`: none of those that have its name and another start. */
  id: string | undefined;
  name: string | undefined;
  /** Milliseconds since 1970. */
  start: number | undefined;
  end: number | undefined;
  /** What the line sets, by the API's names, as it is sent. */
  wanted: JsonObject;
  /** As the cell names them. */
  proctors: readonly string[] | undefined;
  roster: string | undefined;
};

/** `context`: in the time zone that was asked for. */
export type Timetable = { table: ReadTable<TimetableField>; lines: readonly ExamLine[]; problems: FileProblems; context: Context };

/** Throws `invalid_input` for a table that cannot be read at all; problems of its lines are in `problems`. */
export async function readTimetable(given: Context, file: string, reading: TableReading): Promise<Timetable> {
  let context = given;
  let zoneless: CliError | undefined;
  const fields = timetableFields((table, columns) => {
    zoneless = context.settings().timeZone === undefined ? withoutZone(table, columns) : undefined;
    if (zoneless) throw zoneless;
  });
  const table = await readTable(given, file, reading, fields).catch(async (error: unknown) => {
    if (error !== zoneless || !zoneless || !canAsk(given.host, given.globals.noInput)) throw error;
    context = await inZone(given, zoneless);
    return readTable(context, file, reading, fields);
  });
  const problems = new FileProblems(table.table);
  const lines: ExamLine[] = [];
  for (const line of table.lines) {
    if (line.leftOut !== undefined) continue;
    const cells = examCells(table, line, problems);
    if (line.row.problem !== undefined) cells.problem(undefined, sentence`${line.row.problem}.`);
    else lines.push({ line: line.row.line, place: line.place, cells, ...examOf(context, cells, reading.dates) });
  }
  return { table, lines, problems, context };
}

/** Why the times of the table cannot be read where no zone is set. */
function withoutZone({ name, rows }: Table, columns: ReadonlyMap<TimetableField, readonly number[]>): CliError | undefined {
  const indexes = [...(columns.get('start') ?? []), ...(columns.get('end') ?? [])];
  const times = rows.flatMap(({ cells }) => indexes.map((index) => cells[index] ?? ''));
  const local = times.find((text) => /^\d/.test(text) && !/(Z|UTC|[+-]\d\d:?\d\d)$/i.test(text));
  if (local === undefined) return undefined;
  return new CliError('invalid_input', sentence`No time zone is set, and ${name} has times without one, such as ${quote(local)}.`, {
    hint: 'Set the zone of the exams: --timezone Europe/Vienna, or for good: proctor-cli config set timezone Europe/Vienna',
  });
}

/** The same context in the zone that a person names. */
async function inZone(context: Context, { message }: CliError): Promise<Context> {
  const { host, say, settings } = context;
  const check = (zone: string) => (isZone(zone.trim()) ? undefined : zoneHint(zone));
  const zone = (await host.prompts.text(sentence`${message} In which time zone are the exams?`, { initial: host.zone(), check })).trim();
  say(sentence`Without this question: ${typedOption('--timezone', zone)}`);
  return { ...context, zone: () => zone, settings: () => ({ ...settings(), timeZone: zone }) };
}

const asItIs = (text: string) => text;

function examOf(context: Context, cells: ExamCells, dates: DateOrder | undefined): Omit<ExamLine, 'line' | 'place' | 'cells'> {
  const { dialect, timeZone: zone = 'UTC' } = context.settings();
  const [id, name, roster] = (['id', 'name', 'roster'] as const).map((field) => cells.read(field, asItIs));
  const isNew = id?.toLowerCase() === 'new';
  const { start, end } = timesOf(cells, { zone, dates });
  const [start_time, end_time] = [start, end].map((time) => (time === undefined ? undefined : formatTime(time, dialect.timeFormat)));
  const given = Object.entries({ [dialect.examNameKey]: name, start_time, end_time, ...settingsOf(cells) });
  const wanted: JsonObject = Object.fromEntries(given.flatMap(([field, value]) => (value === undefined ? [] : [[field, value]])));
  if ((id === undefined || isNew) && (name === undefined || cells.text('start') === undefined) && cells.text('date') === undefined)
    cells.problem(undefined, sentence`the line needs an id, or a name with a start.`);
  const named = cells.isCleared('proctors') ? '' : cells.text('proctors');
  const proctors = named?.split(';').flatMap((each) => each.trim() || []);
  return { id: isNew ? 'new' : id, name, start, end, wanted, proctors, roster };
}

type Times = { zone: string; dates: DateOrder | undefined };

function timesOf(cells: ExamCells, times: Times): Pick<ExamLine, 'start' | 'end'> {
  const onDay = (instant: number) => dayOf(instant, times.zone);
  const [starts, ends, lasts] = (['start', 'end', 'duration'] as const).map((field) => cells.text(field));
  const day = cells.read('date', (text) => parseDay(text, times.dates));
  if (cells.text('date') !== undefined && day === undefined) return { start: undefined, end: undefined };
  const start = cells.read('start', (text) => momentOf(cells, text, day, times));
  const end = cells.read('end', (text) => momentOf(cells, text, start === undefined ? day : onDay(start), times));
  const length = cells.read('duration', parseLength);
  if (starts === undefined && day !== undefined) cells.problem('date', sentence`a date without a start.`);
  if (starts === undefined && length !== undefined) cells.problem('duration', sentence`a duration without a start.`);
  if (start === undefined) return { start, end };
  if (day !== undefined && onDay(start) !== day)
    cells.problem('start', sentence`${starts} is on ${onDay(start)}, and the date of the line is ${day}.`);
  const dated = sentence`If it ends on the next day, give that date: ${onDay(start + 86_400_000)} 01:00`;
  if (end !== undefined && end <= start) cells.problem('end', sentence`the exam ends at ${ends}, which is not after its start.`, dated);
  if (length === undefined) return { start, end };
  if (end !== undefined && end !== start + length)
    cells.problem('duration', sentence`${lasts} from the start is not the end of the line, ${ends}.`);
  if (end === undefined && onDay(start + length) !== onDay(start))
    cells.problem('duration', sentence`with ${lasts}, the exam ends on the next day.`, dated);
  return { start, end: end ?? start + length };
}

/** A time of day, on this day, or a date with its time. Throws `InvalidValue`. */
function momentOf(cells: ExamCells, text: string, day: string | undefined, { zone, dates }: Times): number {
  const clock = cells.clock(text);
  const dated = `with its date: 2027-04-13 ${clock ?? '09:00'}`;
  if (clock !== undefined && day === undefined) throw new InvalidValue(sentence`${quote(text)} has no date.`, sentence`Write it ${dated}`);
  if (!/^\d/.test(text)) throw new InvalidValue(sentence`${quote(text)} is not a time.`, sentence`Write it as 09:00, or ${dated}`);
  return parseTime(clock === undefined ? text : `${day} ${clock}`, { zone, dates, now: () => Number.NaN });
}

/** Restrictions, all four or none, and the recording. */
function settingsOf(cells: ExamCells): Record<string, boolean | undefined> {
  const empty = restrictionKeys.filter((key) => cells.text(key) === undefined);
  if (empty.length > 0 && empty.length < restrictionKeys.length)
    cells.problem(empty[0], sentence`no value for ${empty.join(', ')}, and one for the other restrictions: fill all four, or none.`);
  return Object.fromEntries([...restrictionKeys, 'save_recording' as const].map((key) => [key, cells.read(key, yesOrNo)]));
}

function yesOrNo(text: string): boolean {
  const value = booleanOf(text);
  if (value !== undefined) return value;
  throw new InvalidValue(sentence`${quote(text)} is neither yes nor no.`, 'Write yes or no.');
}
