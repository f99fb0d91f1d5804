/**
 * The report on an exam as one value: the outcomes of its students as counts, and the students that need
 * attention by name. The sessions are counted as they arrive; memory holds only the listed students.
 */
import type { Dialect } from '../../api/dialect.ts';
import type { Exam, StudentSession } from '../../model/exam.ts';
import { shownId } from '../../model/id.ts';
import { type JsonObject, textOfJson } from '../../model/json.ts';
import { type Outcome, outcomeOf, outcomes, standingOf } from '../../model/outcome.ts';
import type { ExamReport } from '../../model/report-content.ts';
import { countedStatus, sessionStatuses, statusText } from '../../model/status.ts';

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
