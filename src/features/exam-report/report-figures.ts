/**
 * The report on an exam as one value: the outcomes of its students as counts, and the students that need
 * attention by name. The sessions are counted as they arrive; memory holds only the listed students.
 */
import type { Dialect } from '../../api/dialect.ts';
import type { Exam, StudentSession } from '../../model/exam.ts';
import { shownId } from '../../model/id.ts';
import { type Json, type JsonObject, textOfJson } from '../../model/json.ts';
import { type Outcome, outcomeOf, outcomes, type Standing, standingOf } from '../../model/outcome.ts';
import { shareOf } from '../../model/share.ts';
import { countedStatus, sessionStatuses, statusText } from '../../model/status.ts';
import { suspicionInWords } from '../../model/suspicion.ts';

/** A student named in the report; `null` for values that the service does not show. */
export type ReportedStudent = {
  id: Json;
  email: string | null;
  name: string | null;
  status: string | null;
  close_time: string | number | null;
  level_of_suspicion: number | null;
};

type Counts = {
  students: number;
  /** Have begun the check at least: the sum of finished, in_progress and stuck. */
  present: number;
  finished: number;
  in_progress: number;
  stuck: number;
  not_started_yet: number;
  no_shows: number;
  /** With a status that the specification does not know. */
  unknown: number;
  /** Still `registered`: the service knows of no mail to them. */
  not_mailed: number;
  /** Levels 2 and 3. */
  suspicious: number;
  /** Level 0, or no level shown; no-shows are among them. */
  not_rated: number;
};

export type ExamReport = {
  exam: Json;
  name: string | null;
  origin: string;
  start_time: string | number | null;
  end_time: string | number | null;
  /** ISO 8601 in UTC. */
  made_at: string;
  standing: Standing;
  /** The numbers may still change: the exam or the window of a student is not over. */
  preliminary: boolean;
  counts: Counts;
  /** In the order in which a student passes through them; then those that the specification does not know. */
  statuses: { status: string | null; count: number }[];
  /** 0 is not rated, 3 very suspicious; `null` where the service shows no level. */
  suspicion: { level: number | null; count: number }[];
  no_show_students: ReportedStudent[];
  stuck_students: ReportedStudent[];
  /** Levels 2 and 3, the highest first. */
  suspicious_students: ReportedStudent[];
};

export type Circumstances = {
  /** Milliseconds since 1970. */
  now: number;
  origin: string;
  /** The fields that hold an exam's name and a student's. */
  dialect: Pick<Dialect, 'examNameKey' | 'sessionNameKey'>;
};

const levels = [0, 1, 2, 3];
const suspiciousFrom = 2;

/** Counts the sessions of an exam to their end. Throws what reading them throws. */
export async function reportOf(
  exam: JsonObject,
  sessions: AsyncIterable<JsonObject> | Iterable<JsonObject>,
  { now, origin, dialect }: Circumstances,
): Promise<ExamReport> {
  const { start_time, end_time } = exam as Exam;
  const became = Object.fromEntries(outcomes.map((outcome) => [outcome, 0])) as Record<Outcome, number>;
  const statuses = new Map<string | null, number>(sessionStatuses.map((status) => [status, 0]));
  const suspicion = new Map<number | null, number>(levels.map((level) => [level, 0]));
  const lists: Pick<ExamReport, 'no_show_students' | 'stuck_students' | 'suspicious_students'> = {
    no_show_students: [],
    stuck_students: [],
    suspicious_students: [],
  };
  let students = 0;

  for await (const item of sessions) {
    const { email, status, close_time, level_of_suspicion } = item as StudentSession;
    const outcome = outcomeOf({ status, close_time }, { end_time }, now);
    const level = levelOf(level_of_suspicion);
    students += 1;
    became[outcome] += 1;
    increase(statuses, countedStatus(statusText(status) ?? textOf(status)));
    increase(suspicion, level);

    const student = {
      id: shownId(item.id),
      email: textOf(email),
      name: textOf(item[dialect.sessionNameKey]),
      status: statusText(status) ?? textOf(status),
      close_time: close_time ?? null,
      level_of_suspicion: level,
    };
    if (outcome === 'no_show') lists.no_show_students.push(student);
    if (outcome === 'stuck') lists.stuck_students.push(student);
    if (level !== null && level >= suspiciousFrom) lists.suspicious_students.push(student);
  }
  lists.suspicious_students.sort((a, b) => (b.level_of_suspicion ?? 0) - (a.level_of_suspicion ?? 0));

  const standing = standingOf({ start_time, end_time }, now);
  return {
    exam: shownId(exam.id),
    name: textOf(exam[dialect.examNameKey]),
    origin,
    start_time: start_time ?? null,
    end_time: end_time ?? null,
    made_at: new Date(now).toISOString(),
    standing,
    preliminary: standing !== 'over' || became.in_progress + became.not_started_yet > 0,
    counts: {
      students,
      present: became.finished + became.in_progress + became.stuck,
      finished: became.finished,
      in_progress: became.in_progress,
      stuck: became.stuck,
      not_started_yet: became.not_started_yet,
      no_shows: became.no_show,
      unknown: became.unknown,
      not_mailed: statuses.get('registered') ?? 0,
      suspicious: lists.suspicious_students.length,
      not_rated: (suspicion.get(0) ?? 0) + (suspicion.get(null) ?? 0),
    },
    statuses: [...statuses].map(([status, count]) => ({ status, count })),
    suspicion: [...suspicion].map(([level, count]) => ({ level, count })),
    ...lists,
  };
}

/** A number of a report, for a table: the same numbers whatever the exam. */
type Measure = { group: string; measure: string; count: number; share: number | null };

export function measuresOf({ counts, statuses, suspicion }: ExamReport): Measure[] {
  // The levels say it in full.
  const { suspicious: _, not_rated: __, ...attendance } = counts;
  const row = (group: string, measure: string, count: number) => ({ group, measure, count, share: shareOf(count, counts.students) });
  return [
    ...Object.entries(attendance).map(([measure, count]) => row('attendance', measure, count)),
    ...statuses.map(({ status, count }) => row('status', status ?? 'not shown', count)),
    ...suspicion.map(({ level, count }) => row('suspicion', levelName(level), count)),
  ];
}

/** A level in words; `null` where the service shows none. */
export function levelName(level: number | null): string {
  return level === null ? 'not shown' : suspicionInWords(level);
}

function increase<K>(counts: Map<K, number>, key: K) {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** A value that is no text as its JSON: it is shown as it is. */
function textOf(value: unknown): string | null {
  return value === undefined || value === null ? null : textOfJson(value);
}

/** A level, also as text; null for what is no number. */
function levelOf(value: unknown): number | null {
  const level = typeof value === 'string' && /^\d$/.test(value) ? Number(value) : value;
  return typeof level === 'number' ? level : null;
}
