/** An unremarkable student, except for the fields that a test sets. */
import type { WatchedStudent } from '../../../src/features/watch/watched-students.ts';

export function student(given: Partial<WatchedStudent> = {}): WatchedStudent {
  return {
    session: 1,
    email: 'ada@example.org',
    name: 'Ada Example',
    status: 'mail_sent',
    level_of_suspicion: 0,
    open_time: null,
    close_time: null,
    ...given,
  };
}
