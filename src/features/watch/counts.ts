/** How many students have each status, whatever its spelling: all of the specification, in its order, then the others. */
import { countedStatus, sessionStatuses } from '../../model/status.ts';
import type { WatchedStudent } from './watched-students.ts';

/** `status` is `null` for students without one. */
export type Count = { status: string | null; count: number };

export function countStatuses(students: readonly WatchedStudent[]): Count[] {
  const counts = new Map<string | null, number>(sessionStatuses.map((status) => [status, 0]));
  for (const student of students) {
    const status = countedStatus(student.status);
    counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  return [...counts].map(([status, count]) => ({ status, count }));
}
