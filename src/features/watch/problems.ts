/**
 * Students who need attention now. A status that the specification does not know, and a time that
 * the service does not show, are not problems.
 */
import { namedStudent } from '../../model/describe.ts';
import type { ExamTimes } from '../../model/exam-clock.ts';
import { phaseOf, statusOf } from '../../model/status.ts';
import { instantOf } from '../../model/time.ts';
import type { WatchedStudent } from './watched-students.ts';

/** The most urgent first. */
const kinds = ['suspicion_3', 'suspicion_2', 'check_not_completed', 'not_started'] as const;
export type ProblemKind = (typeof kinds)[number];

export type WatchProblem = Pick<WatchedStudent, 'session' | 'email' | 'name' | 'status'> & {
  problem: ProblemKind;
  /** Since when, as far as times tell; milliseconds since 1970. */
  since: number | undefined;
};

export const problemWords: Record<ProblemKind, string> = {
  suspicion_3: 'suspicion 3 of 3',
  suspicion_2: 'suspicion 2 of 3',
  check_not_completed: 'check not completed',
  not_started: 'not started',
};

/** "Ada Example, ada@example.org: not started". */
export function problemInWords({ session, email, name, problem }: WatchProblem): string {
  return `${namedStudent({ name, email, id: session })}: ${problemWords[problem]}`;
}

/** What a student's problem is judged by: now, `late` milliseconds, and when the check was begun, where that was seen. */
export type Judged = { now: number; late: number; checkBegan?(session: WatchedStudent['session']): number | undefined };

/**
 * Suspicion 2 or 3; a check that is begun and not completed, and an exam that is not started, `late` milliseconds after the student
 * could start: when the exam does, or when the own window opens if that is later. A check that was begun later still has as long.
 */
export function problemsOf(students: readonly WatchedStudent[], exam: ExamTimes, { now, late, checkBegan }: Judged): WatchProblem[] {
  const found = students.flatMap((student): WatchProblem[] => {
    const { session, email, name, status, level_of_suspicion: level } = student;
    const problem = (kind: ProblemKind, since?: number): WatchProblem => ({ session, email, name, status, problem: kind, since });
    const starts = startOf(student, exam);
    const waits = phaseOf(status) === 'waiting' || phaseOf(status) === 'checking';
    const began = statusOf(status) === 'check_started' ? checkBegan?.(session) : undefined;
    return [
      ...(level === 3 ? [problem('suspicion_3')] : level === 2 ? [problem('suspicion_2')] : []),
      ...(starts === undefined || !waits || now < Math.max(starts, began ?? starts) + late
        ? []
        : statusOf(status) === 'check_started'
          ? [problem('check_not_completed', began)]
          : [problem('not_started', starts + late)]),
    ];
  });
  return found.sort(bySeverity);
}

/** The most urgent first. */
export function bySeverity(a: WatchProblem, b: WatchProblem): number {
  return kinds.indexOf(a.problem) - kinds.indexOf(b.problem);
}

function startOf({ open_time }: WatchedStudent, { start }: ExamTimes): number | undefined {
  const opens = instantOf(open_time);
  return start === undefined || opens === undefined ? (start ?? opens) : Math.max(start, opens);
}
