/**
 * Plays an exam: its students pass through the statuses while other processes serve and watch the same
 * data. The exam is moved, so that it begins soon and fits into the given time.
 */
import { CliError } from '../errors.ts';
import type { JsonObject } from '../model/json.ts';
import { instantOf } from '../model/time.ts';
import { sentence } from '../text/sentence.ts';
import type { Database } from './database.ts';
import { findRecord, listRecords, type StoredRecord, updateRecord } from './stored-records.ts';
import { isoUtc } from './stored-times.ts';
import { leadMinutes, type TimelineStep, timelineOf } from './timeline.ts';

export type PlayOptions = {
  exam: string;
  /** Minutes of the exam per minute of real time. */
  speed: number;
  seed: string;
  now(): number;
  /** Waits this many milliseconds; rejects when the play is stopped. */
  sleep(milliseconds: number): Promise<void>;
};

export type Play = {
  name: string | null;
  students: number;
  /** Milliseconds since 1970. */
  starts: number;
  ends: number;
  /** Yields each step once it has happened. Throws `not_found` if the exam is deleted meanwhile. */
  steps: AsyncGenerator<PlayedStep>;
};

/** A step as an event of the watch: what has changed about a student, and since when. */
export type PlayedStep = {
  at: string;
  session: number;
  field: string;
  from: string | number | null;
  to: string | number;
  email: string | null;
  name: string | null;
};

const minute = 60_000;
/** The length of an exam that states none, or too short a one. */
const usualLength = 120 * minute;
const shortestLength = 20 * minute;

/** Moves the exam and resets its students; closes the database once the steps have ended. Throws `not_found`. */
export function beginPlay(database: Database, options: PlayOptions): Play {
  const { speed, seed, now } = options;
  return database.transaction('write', () => {
    const exam = findExam(database, options.exam);
    const { from, span } = timesOf(exam);
    // An exam this short has been played before.
    const length = span >= shortestLength ? span : usualLength;
    const starts = wholeSecond(now() + (leadMinutes * minute) / speed);
    const ends = Math.max(wholeSecond(starts + length / speed), starts + 1000);
    const moved = (value: unknown) => {
      const instant = instantOf(value);
      return instant === undefined || from === undefined ? null : isoUtc(wholeSecond(starts + ((instant - from) * (ends - starts)) / span));
    };
    updateRecord(database, 'exam', { ...exam, fields: { ...exam.fields, start_time: isoUtc(starts), end_time: isoUtc(ends) } });
    const students = listRecords(database, 'session', exam.id).items(-1, 0);
    for (const student of students) updateRecord(database, 'session', { ...student, fields: atTheBeginning(student.fields, moved) });
    const course = timelineOf(
      students.map(({ id }) => id),
      { minutes: length / minute, seed },
    );
    return {
      name: textOf(exam.extra.name),
      students: students.length,
      starts,
      ends,
      steps: played(database, exam.id, course, starts, options),
    };
  });
}

/** When an exam begins, and how long it takes, if it says so. */
function timesOf({ fields: { start_time, end_time } }: StoredRecord): { from: number | undefined; span: number } {
  const [from, to] = [instantOf(start_time), instantOf(end_time)];
  return from !== undefined && to !== undefined && to > from ? { from, span: to - from } : { from, span: usualLength };
}

function atTheBeginning(fields: JsonObject, moved: (value: unknown) => string | null): JsonObject {
  return {
    ...fields,
    status: fields.email === null ? 'registered' : 'mail_sent',
    level_of_suspicion: 0,
    open_time: moved(fields.open_time),
    close_time: moved(fields.close_time),
  };
}

async function* played(
  database: Database,
  exam: number,
  course: readonly TimelineStep[],
  starts: number,
  { speed, now, sleep }: PlayOptions,
): AsyncGenerator<PlayedStep> {
  try {
    for (const step of course) {
      const wait = starts + (step.minute * minute) / speed - now();
      if (wait > 0) await sleep(wait);
      const happened = database.transaction('write', () => happen(database, exam, step, now()));
      if (happened) yield happened;
    }
  } finally {
    database.close();
  }
}

/** Undefined if the student has been removed from the exam. */
function happen(
  database: Database,
  exam: number,
  { student: id, minute: _, ...change }: TimelineStep,
  now: number,
): PlayedStep | undefined {
  findExam(database, String(exam));
  const student = findRecord(database, 'session', id);
  const [[field, to] = ['', '']] = Object.entries(change);
  if (!student) return undefined;
  updateRecord(database, 'session', { ...student, fields: { ...student.fields, ...change } });
  const { email, [field]: from } = student.fields as Record<string, string | number | null>;
  return { at: isoUtc(now), session: id, field, from: from ?? null, to, email: textOf(email), name: textOf(student.extra.name) };
}

function findExam(database: Database, id: string): StoredRecord {
  const exam = findRecord(database, 'exam', Number(id));
  if (exam) return exam;
  throw new CliError('not_found', sentence`The embedded service has no exam ${id}.`, {
    hint: 'List its exams with: proctor-cli --profile sandbox exams list',
  });
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function wholeSecond(instant: number): number {
  return Math.round(instant / 1000) * 1000;
}
