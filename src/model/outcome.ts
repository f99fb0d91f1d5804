/**
 * The outcome of a student in an exam, from status and times; decided only here. A student who may still start is
 * never a no-show, and one who may still continue is never stuck.
 */
import { phaseOf } from './status.ts';
import { instantOf } from './time.ts';

/** An exam and a session as far as they are read here (specification 2.1 and 2.2). */
export type Exam = { start_time?: Time; end_time?: Time };
export type StudentSession = { status?: string | null | undefined; close_time?: Time };
type Time = string | number | null | undefined;

/**
 * `finished`: has finished the exam. `in_progress`: has begun the check or the exam, and may continue. `stuck`:
 * has begun, did not finish, and can no longer. `not_started_yet`: has not begun, and may still. `no_show`: has not
 * begun, and can no longer. `unknown`: has an unknown status.
 */
export const outcomes = ['finished', 'in_progress', 'stuck', 'not_started_yet', 'no_show', 'unknown'] as const;
export type Outcome = (typeof outcomes)[number];

/** `now` in milliseconds since 1970. */
export function outcomeOf(session: StudentSession, exam: Exam, now: number): Outcome {
  switch (phaseOf(session.status)) {
    case 'waiting':
      return isPast(startsUntil(session, exam), now) ? 'no_show' : 'not_started_yet';
    case 'checking':
      return isPast(startsUntil(session, exam), now) ? 'stuck' : 'in_progress';
    case 'writing':
      return isPast(writesUntil(session, exam), now) ? 'stuck' : 'in_progress';
    case 'finished':
      return 'finished';
    case undefined:
      return 'unknown';
  }
}

/** Until when a student may start: the end of the own window, or that of the exam (specification 2.2). */
function startsUntil({ close_time }: StudentSession, { end_time }: Exam): number | undefined {
  return instantOf(close_time) ?? instantOf(end_time);
}

/** Until when a student may take the exam: to the end of the exam, or of a window that was extended beyond it. */
function writesUntil({ close_time }: StudentSession, { end_time }: Exam): number | undefined {
  const end = instantOf(end_time);
  return end === undefined ? undefined : Math.max(end, instantOf(close_time) ?? end);
}

/** An unknown time has not passed. */
function isPast(instant: number | undefined, now: number): boolean {
  return instant !== undefined && now > instant;
}

/** The phase of an exam; `open` if it has no readable end. */
export type Standing = 'ahead' | 'running' | 'over' | 'open';

export function standingOf({ start_time, end_time }: Exam, now: number): Standing {
  const [start, end] = [instantOf(start_time), instantOf(end_time)];
  if (end === undefined) return 'open';
  if (now > end) return 'over';
  return start !== undefined && now < start ? 'ahead' : 'running';
}
