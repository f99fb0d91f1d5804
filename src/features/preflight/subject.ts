/** What is known about one exam: read once, before any check looks at it. */
import type { Json, JsonObject } from '../../model/json.ts';
import type { Overlap } from '../../model/overlaps.ts';
import { phaseOf, statusOf } from '../../model/status.ts';
import { instantOf } from '../../model/time.ts';
import type { SelectedExam } from '../exam-selection.ts';

/** A point in time in milliseconds since 1970; or why there is none. `hidden`: the service does not show the field. */
export type Moment = { at: number } | { at?: never; why: 'none' | 'hidden' | 'unreadable' };

export type Student = {
  /** Undefined where the service shows no ID. */
  session: string | undefined;
  email: string | undefined;
  /** Whether the service shows the field of the address at all. */
  showsEmail: boolean;
  /** What all spellings of the address share; undefined without one. */
  key: string | undefined;
  status: Json | undefined;
  opens: Moment;
  closes: Moment;
};

export type Proctor = { id: string | undefined; name: string | undefined };

export type Subject = {
  exam: SelectedExam;
  starts: Moment;
  ends: Moment;
  students: readonly Student[];
  proctors: readonly Proctor[];
  /** Why a part could not be read, for people; absent where it was. */
  unread: { students?: string; proctors?: string; others?: string };
  /** Students, and proctors, who are in another exam at the same time. */
  studentOverlaps: readonly Overlap[];
  proctorOverlaps: readonly Overlap[];
  /** How many exams were compared with this one. */
  compared: number;
  minProctors: MinProctors;
  /** Milliseconds since 1970. */
  now: number;
  /** The current zone; undefined where none is set. */
  zone: string | undefined;
  /** For what people read; the machine's where none is set. */
  shownZone: string;
  /** A command line of this program, for the current profile. */
  command(line: string, operands?: readonly string[], ...options: readonly string[]): string;
  /** An exam in a few words: its ID, and its name if it has one, behind a comma. */
  named(exam: string): string;
};

/** At least so many proctors for so many students. `given`: by the user. */
export type MinProctors = { proctors: number; students: number; given: boolean };

export function momentOf(record: JsonObject, field: string): Moment {
  if (!Object.hasOwn(record, field)) return { why: 'hidden' };
  const value = record[field];
  if (value === null || value === '') return { why: 'none' };
  const at = instantOf(value);
  return at === undefined ? { why: 'unreadable' } : { at };
}

/** When the exam starts and ends. Only for checks that need its times. */
export function spanOf({ starts, ends }: Subject): { start: number; end: number } {
  if (starts.at === undefined || ends.at === undefined) throw new Error('A check does not say that it needs the times.');
  return { start: starts.at, end: ends.at };
}

/** The current window: the session's own times, or else those of the exam. */
export function windowOf({ opens, closes }: Student, { start, end }: { start: number; end: number }): { opens: number; closes: number } {
  return { opens: opens.at ?? start, closes: closes.at ?? end };
}

export function hasOwnWindow({ opens, closes }: Student): boolean {
  return opens.at !== undefined || closes.at !== undefined;
}

/** Whether a student has not begun anything yet. */
export function isWaiting({ status }: Student): boolean {
  return phaseOf(status) === 'waiting';
}

export function isRegistered({ status }: Student): boolean {
  return statusOf(status) === 'registered';
}
