/** Reads a timetable: each line is an exam. What could mean two things is a problem: 2 hours, or minutes. */
import { dirname } from 'node:path';
import type { Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { parseDuration } from '../../model/duration.ts';
import { type ExamTime, fieldsOfType, restrictionKeys, type SettableField } from '../../model/fields.ts';
import { InvalidValue, ZoneMissing } from '../../model/invalid-value.ts';
import type { JsonObject } from '../../model/json.ts';
import { dayOf, formatTime, typedTime } from '../../model/time.ts';
import { parseClock, parseDay, parseTime, toSetZone } from '../../model/typed-time.ts';
import { fieldsBy, yesOrNo } from '../../roster/aliases.ts';
import { declaredIn, mapColumns, type TableFields } from '../../roster/columns.ts';
import { nameFault } from '../../roster/roster-fields.ts';
import { placeOf, type Table, type TableRow } from '../../roster/table.ts';
import { quote, sentence } from '../../text/sentence.ts';
import {
  type Line,
  openFile,
  problemsOf,
  type ReadTable,
  readOpened,
  refuseUnneeded,
  type TableReading,
  tellOptions,
  tellProblems,
} from '../table-input/read-table.ts';
import { jointError, openRosters, type Roster, readRosters } from './read-rosters.ts';

/** What a line has beside the fields of an exam, and in place of its times. */
type OtherField = 'id' | 'name' | 'date' | 'start' | 'end' | 'duration' | 'proctors' | 'roster';

/** The headers of a timetable in English, German and French. */
const timetableHeaders = {
  id: 'id; exam id; Prüfungs-ID; Prüfung ID; ID der Prüfung; id examen; identifiant',
  name: `name; exam; exam name; title; course; course title; Fach; Prüfungsfach; Prüfung; Prüfungsname; Name der Prüfung;
    Klausur; Bezeichnung; Titel; LV-Titel; Lehrveranstaltung; nom; examen; nom de l'examen; épreuve;
    intitulé; cours`,
  date: `date; day; exam date; Datum; Tag; Termin; Prüfungsdatum; Prüfungstag; jour; date de l'examen;
    date de l'épreuve`,
  start: `start; start time; starts; begin; begins; beginning; from; Beginn; Anfang; Startzeit; von;
    Uhrzeit; début; heure de début; heure`,
  end: 'end; end time; ends; until; Ende; Endzeit; Schluss; bis; fin; heure de fin',
  duration: `duration; length; duration min; duration minutes; duration in minutes; minutes; Dauer;
    Prüfungsdauer; Dauer min; Dauer Minuten; Dauer in Minuten; Minuten; durée; durée min; durée en minutes`,
  allow_headphones: `allow headphones; headphones; headphones allowed; Kopfhörer; Kopfhörer erlaubt; casque;
    casque autorisé; écouteurs; écouteurs autorisés`,
  allow_whiteboard: `allow whiteboard; whiteboard; whiteboard allowed; Whiteboard erlaubt; tableau blanc;
    tableau blanc autorisé`,
  allow_leave_room: `allow leave room; leave room; leave the room; leaving the room; leaving the room allowed;
    Raum verlassen; Raum verlassen erlaubt; Verlassen des Raums; quitter la salle; sortie autorisée`,
  allow_pen_paper: `allow pen paper; pen paper; pen and paper; pen and paper allowed; paper; Papier;
    Stift und Papier; Stift und Papier erlaubt; papier et stylo; stylo et papier; papier et stylo autorisés`,
  save_recording: `save recording; recording; record; Aufzeichnung; Aufzeichnung speichern; Aufnahme;
    enregistrement; enregistrer`,
  proctors: `proctors; proctor; invigilators; invigilator; Aufsicht; Aufsichten; Aufsichtspersonen;
    Aufsichtsperson; surveillants; surveillant`,
  roster: 'roster; roster file; Teilnehmerliste; Teilnehmerdatei; liste des étudiants; fichier des étudiants',
} as const satisfies Record<OtherField | Exclude<SettableField<'exam'>, ExamTime>, string>;

type TimetableField = keyof typeof timetableHeaders;

const timetableFields: TableFields<TimetableField> = {
  what: 'a timetable',
  rows: 'exams',
  names: Object.keys(timetableHeaders) as TimetableField[],
  named: fieldsBy(timetableHeaders),
  identity: { called: 'ID or name', isIn: ({ id, name }) => (id ?? name) !== undefined },
};

type TimetableCells = Line<TimetableField>;

export type ExamLine = Pick<TimetableCells, 'place' | 'problem'> & {
  line: number;
  /** `new`: it is none of the exams of its name. */
  id: string | undefined;
  name: string | undefined;
  /** Milliseconds since 1970. */
  start: number | undefined;
  end: number | undefined;
  /** The fields of the exam, as they are sent. */
  wanted: JsonObject;
  proctors: readonly string[] | undefined;
  roster: string | undefined;
};

export type Timetable = {
  table: ReadTable<TimetableField>;
  lines: readonly ExamLine[];
  /** By the cell that names its file. */
  rosters: ReadonlyMap<string, Roster>;
  keepAnswers(): Promise<void>;
};

/** All files, the rosters too, are opened before the first question. Throws `invalid_input`. */
export async function readTimetable(context: Context, file: string, reading: TableReading): Promise<Timetable> {
  // Judged before a person is asked about its columns.
  const judge = context.settings().timeZone === undefined ? { judge: refuseLocal } : {};
  const fields = { ...timetableFields, ...judge };
  const opened = await openFile(context, file, reading, fields, {});
  const own = { ...reading, columns: declaredIn(opened, reading.columns) };
  const at = mapColumns(opened, own, fields).get('roster') ?? -1;
  const named = opened.rows.flatMap(({ cells }) => cells[at] || []);
  const files = await openRosters(context, named, dirname(file), reading.encoding);
  const tables = [...files.values()].flatMap((each) => (each instanceof CliError ? [] : each));
  refuseUnneeded(context, [opened, ...tables], reading.columns);
  const beforeQuestion = (rows: readonly TableRow[]) => {
    const unread = rows.flatMap((row) => {
      const found = files.get(row.cells[at] ?? '');
      if (!(found instanceof CliError)) return [];
      const { code, message, hint } = found;
      return new CliError(code, sentence`${opened.name}, ${placeOf(opened, row)}: ${message}`, { hint });
    });
    if (unread.length > 0) throw jointError(unread);
  };
  const table = await readOpened(context, opened, own, fields, { beforeQuestion });
  const lines = table.lines.map((line) => examLine(context, line, reading.dates));
  const used = table.lines.map(({ row }) => row);
  const read = await readRosters(context, files, lines, reading, [...table.known, ...table.answers], () => beforeQuestion(used));
  if (read.undeclared.length > 0) {
    tellProblems(context, problemsOf(table));
    throw jointError(read.undeclared);
  }
  tellOptions(context, { rows: table.rows, answers: read.answers });
  const keepAnswers = async () => {
    await table.keepAnswers();
    await read.keepAnswers();
  };
  return { table, lines, rosters: read.rosters, keepAnswers };
}

/** Throws `invalid_input`. */
function refuseLocal({ name, rows }: Table, columns: ReadonlyMap<TimetableField, number>): [] {
  const indexes = [columns.get('start') ?? -1, columns.get('end') ?? -1];
  const times = rows.flatMap(({ cells }) => indexes.map((index) => cells[index] ?? ''));
  const isLocal = (text: string) => /^\d/.test(text) && !/(Z|UTC|[+-]\d\d:?\d\d)$/i.test(text);
  if (!times.some(isLocal)) return [];
  throw new ZoneMissing(sentence`No time zone is set, and ${name} has times without one.`, toSetZone);
}

function examLine(context: Context, line: TimetableCells, dates: TableReading['dates']): ExamLine {
  const { dialect, timeZone: zone = 'UTC' } = context.settings();
  const { texts, place, problem } = line;
  const read: TimetableCells['read'] = (field, parse) =>
    line.read(field, (text) => {
      if (!isNone(text)) return parse(text);
      throw new InvalidValue(sentence`the ${field} cannot be cleared.`, 'Leave the cell empty to keep it as it is.');
    });
  const cells = { ...line, read };
  const [id, name, roster] = (['id', 'name', 'roster'] as const).map((field) => read(field, String));
  const fault = name && nameFault(name);
  if (fault) problem('name', sentence`${quote(name)}: ${fault}.`);
  const isNew = id?.toLowerCase() === 'new';
  const { start, end } = lineTimes(cells, { zone, dates });
  const wanted: JsonObject = {};
  if (name !== undefined) wanted[dialect.examNameKey] = name;
  if (start !== undefined) wanted.start_time = formatTime(start, dialect.timeFormat);
  if (end !== undefined) wanted.end_time = formatTime(end, dialect.timeFormat);
  Object.assign(wanted, examSettings(cells));
  const isNamed = name !== undefined && texts.start !== undefined;
  if ((id === undefined || isNew) && !isNamed && texts.date === undefined)
    problem(undefined, sentence`the line needs an id, or a name with a start.`);
  const named = isNone(texts.proctors) ? '' : texts.proctors;
  const proctors = named?.split(';').flatMap((each) => each.trim() || []);
  return {
    line: line.row.line,
    place,
    problem,
    id: isNew ? 'new' : id,
    name,
    start,
    end,
    wanted,
    proctors,
    roster,
  };
}

const isNone = (text: string | undefined) => text?.toLowerCase() === 'none';

type Clocks = { zone: string; dates: TableReading['dates'] };

function lineTimes({ texts, problem, read }: TimetableCells, clocks: Clocks): Pick<ExamLine, 'start' | 'end'> {
  const { start: starts, end: ends, duration: lasts, date } = texts;
  const onDay = (instant: number) => dayOf(instant, clocks.zone);
  const day = read('date', (text) => parseDay(text, clocks.dates));
  if (date !== undefined && day === undefined) return { start: undefined, end: undefined };
  const start = read('start', (text) => momentIn(text, day, clocks));
  const endDay = start === undefined ? day : onDay(start);
  const end = read('end', (text) => momentIn(text, endDay, clocks));
  const length = read('duration', parseLength);
  if (starts === undefined && day !== undefined) problem('date', sentence`a date without a start.`);
  if (starts === undefined && length !== undefined) problem('duration', sentence`a duration without a start.`);
  if (start === undefined) return { start, end };
  if (day !== undefined && onDay(start) !== day)
    problem('start', sentence`${starts} is on ${onDay(start)}, and the date of the line is ${day}.`);
  const nextDay = (clock: string) => sentence`If it ends on the next day, give that date: ${onDay(start + 86_400_000)} ${clock}`;
  const late = sentence`the exam ends at ${ends}, which is not after its start.`;
  const clock = parseClock(ends ?? '');
  if (end !== undefined && end <= start) problem('end', late, clock === undefined ? undefined : nextDay(clock));
  if (length === undefined) return { start, end };
  const computed = start + length;
  const other = sentence`${lasts} from the start is not ${ends}, the end in this line.`;
  if (end !== undefined && end !== computed) problem('duration', other);
  if (end === undefined && onDay(computed) !== onDay(start))
    problem('duration', sentence`with ${lasts}, the exam ends on the next day.`, nextDay(typedTime(computed, clocks.zone).slice(11, 16)));
  return { start, end: end ?? computed };
}

/** A time of day, on this day, or a date with its time. Throws `InvalidValue`. */
function momentIn(text: string, day: string | undefined, clocks: Clocks): number {
  if (/^\d{1,2}([.,]\d{1,2})?$/.test(text))
    throw new InvalidValue(sentence`${quote(text)} may be a time of day or a number.`, 'Write a time of day with a colon, such as 09:00.');
  const clock = parseClock(text);
  if (clock === undefined) return parseTime(text, clocks);
  if (day !== undefined) return parseTime(`${day} ${clock}`, clocks);
  throw new InvalidValue(sentence`${quote(text)} has no date.`, sentence`Write it with its date, such as 2027-04-13 ${clock}`);
}

function examSettings({ texts, problem, read }: TimetableCells): JsonObject {
  const empty = restrictionKeys.filter((key) => texts[key] === undefined);
  const why = sentence`no value for ${empty.join(', ')}: fill all four restrictions, or none.`;
  if (empty.length > 0 && empty.length < restrictionKeys.length) problem(empty[0], why);
  const settings: JsonObject = {};
  for (const key of fieldsOfType('exam', 'boolean')) {
    const value = read(key, yesOrNo);
    if (value !== undefined) settings[key] = value;
  }
  return settings;
}

/** Milliseconds, of a duration in three languages, `2:00`, or minutes. Throws `InvalidValue`. */
function parseLength(text: string): number {
  if (/^\d{1,2}$/.test(text) && Number(text) <= 12)
    throw new InvalidValue(sentence`${quote(text)} may be hours or minutes.`, sentence`Write ${text}h or ${text}m.`);
  const spelled = text.replace(/^\d{1,4}$/, '$&m').replace(/^(\d{1,2}):([0-5]\d)$/, '$1h$2m');
  const length = parseDuration(spelled, sentence`Write it as 2h, 1h30m, 2:00, or in minutes: 120.`);
  if (length > 0 && length <= 24 * 3_600_000) return length;
  const why = length === 0 ? 'not the length of an exam' : 'longer than a day';
  throw new InvalidValue(sentence`${quote(text)} is ${why}.`);
}
