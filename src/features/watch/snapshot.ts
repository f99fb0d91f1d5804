/** All that a person watching an exam sees, as values; instants in milliseconds since 1970. */
import type { Moment } from '../../command.ts';
import type { ExamTimes } from '../../model/exam-clock.ts';
import type { Phase } from '../../model/status.ts';
import type { Count } from './counts.ts';
import type { WatchProblem } from './problems.ts';
import type { WatchChange } from './status-changes.ts';

export type Snapshot = {
  exam: ExamTimes & { id: string; name: string | undefined };
  origin: string;
  profile: string;
  students: number;
  counts: readonly Count[];
  problems: readonly WatchProblem[];
  /** The latest first, and no more than a screen can show; `at` is when they were seen. */
  changes: readonly (WatchChange & { at: number })[];
  updatedAt: number;
  nextAt: number;
  /** Why the last poll failed. */
  trouble: string | undefined;
};

/** What a watch yields each time. */
export type WatchMoment = Moment & { snapshot: Snapshot };

/** One of several exams that are watched, in a line. */
export type WatchedExam = ExamTimes & {
  id: string;
  name: string | undefined;
  students: number;
  phases: Record<Phase, number>;
  problems: number;
  /** Why these are the numbers of an earlier poll. */
  trouble: string | undefined;
};

/** The same for several exams: a line for each, the problems and the latest changes of all. */
export type ExamsSnapshot = Pick<Snapshot, 'origin' | 'profile' | 'students' | 'updatedAt' | 'nextAt' | 'trouble'> & {
  exams: readonly WatchedExam[];
  problems: readonly (WatchProblem & { exam: string })[];
  changes: readonly (Snapshot['changes'][number] & { exam: string })[];
};

export type ExamsMoment = Moment & { snapshot: ExamsSnapshot };
