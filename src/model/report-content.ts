/** The content of `exams report`: numbers, and the names of students who need attention. */
import * as z from 'zod/mini';
import { Id } from './field-schemas.ts';
import { standings } from './outcome.ts';

const Count = z.int();
const Text = z.nullable(z.string());
const Time = z.nullable(z.union([z.string(), z.number()]));

/** A student named in the report; `null` for values that the service does not show. */
export const ReportedStudent = z.looseObject({
  id: z.nullable(Id),
  email: Text,
  name: Text,
  status: Text,
  close_time: Time,
  level_of_suspicion: z.nullable(z.number()),
  /** Where they are listed. */
  exam: z.optional(z.nullable(Id)),
  exam_name: z.optional(Text),
});
export type ReportedStudent = z.infer<typeof ReportedStudent>;

const counts = z.object({
  students: Count,
  /** Have begun the check at least: the sum of finished, in_progress and stuck. */
  present: Count,
  finished: Count,
  in_progress: Count,
  stuck: Count,
  not_started_yet: Count,
  no_shows: Count,
  /** With a status that the specification does not know. */
  unknown: Count,
  /** Still `registered`: the service knows of no mail to them. */
  not_mailed: Count,
  /** Levels 2 and 3. */
  suspicious: Count,
  /** Level 0, or no level shown; no-shows are among them. */
  not_rated: Count,
});

export const ExamReport = z.looseObject({
  exam: z.nullable(Id),
  name: Text,
  origin: z.string(),
  start_time: Time,
  end_time: Time,
  /** ISO 8601 in UTC, by the service's clock where it tells. */
  made_at: z.iso.datetime(),
  standing: z.enum(standings),
  /** The numbers may still change: the exam or the window of a student is not over. */
  preliminary: z.boolean(),
  counts: z.catchall(counts, Count),
  /** In the order in which a student passes through them; then those that the specification does not know. */
  statuses: z.array(z.looseObject({ status: Text, count: Count })),
  /** 0 is not rated, 3 very suspicious; `null` where the service shows no level. */
  suspicion: z.array(z.looseObject({ level: z.nullable(z.number()), count: Count })),
  no_show_students: z.array(ReportedStudent),
  stuck_students: z.array(ReportedStudent),
  /** Levels 2 and 3, the highest first. */
  suspicious_students: z.array(ReportedStudent),
});
export type ExamReport = z.infer<typeof ExamReport>;
