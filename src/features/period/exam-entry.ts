/** A line of a timetable as an exam: what it is known by, and what it sets. */
import type { Json } from '../../model/json.ts';

export type ExamEntry = {
  line: number;
  /** Its place for people: "line 7". */
  at: string;
  id: string | undefined;
  key: string | undefined;
  name: string | undefined;
  /** Milliseconds since 1970. */
  start: number | undefined;
  end: number | undefined;
  /** What the line sets, by the API's names, as it is sent. */
  wanted: Readonly<Record<string, Json>>;
  /** The proctors as the cell names them, and its place. */
  proctors: { texts: readonly string[]; at: string } | undefined;
  /** The same as the service names them. */
  pool?: readonly string[];
  /** The file of its students, as the cell names it, and the place of the cell. */
  roster: { file: string; at: string } | undefined;
};

/** A value of an exam that is to be another one. */
export type FieldChange = { field: string; from: Json; to: Json };

/** What a line is known by from one time to the next: its key, else its name and start; undefined where it has neither. */
export function knownBy({ key, name, start }: Pick<ExamEntry, 'key' | 'name' | 'start'>): string | undefined {
  if (key !== undefined) return JSON.stringify([key]);
  return name === undefined || start === undefined ? undefined : nameAndStart({ name, start });
}

export function nameAndStart({ name, start }: { name: string; start: number }): string {
  return JSON.stringify([name, start]);
}

/** The exam of a line in a few words. */
export function entryInWords({ key, name, id }: Pick<ExamEntry, 'key' | 'name' | 'id'>): string {
  return name ?? key ?? (id === undefined ? 'the exam' : `exam ${id}`);
}
