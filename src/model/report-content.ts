/** The content of `exams report`: numbers, and the names of students who need attention. */
import type { Json } from './json.ts';
import type { Standing } from './outcome.ts';

/** A student named in the report; `null` for values that the service does not show. */
export type ReportedStudent = {
  id: Json;
  email: string | null;
  name: string | null;
  status: string | null;
  close_time: string | number | null;
  level_of_suspicion: number | null;
  /** Where they are listed. */
  exam?: Json;
  exam_name?: string | null;
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
