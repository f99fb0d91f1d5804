/** From when to when each student, and each proctor, is taken up by an exam. */

import type { Sitting } from './overlaps.ts';
import type { ExamRecords } from './read.ts';

/** `target`: the close time that a list of accommodations grants to a session of an exam. Milliseconds since 1970. */
export type Targets = (exam: string, session: string | undefined) => number | undefined;

/** A window of their own counts, and so does extra time that is granted and not set yet. */
export function* studentSittings(records: readonly ExamRecords[], target: Targets): Generator<Sitting> {
  for (const { exam, students } of records) {
    const { id, start, end } = exam;
    if (start === undefined || end === undefined || typeof students === 'string') continue;
    for (const { session, key, opens, closes } of students) {
      if (key === undefined) continue;
      // A window outside the exam is left over from another time of it.
      const from = opens.at !== undefined && opens.at > start && opens.at < end ? opens.at : start;
      const to = Math.max(end, closes.at ?? end, target(id, session) ?? end);
      yield { exam: id, person: key, id: session, from, to };
    }
  }
}

/** A proctor stays until the last student of the exam has to finish. */
export function* proctorSittings(records: readonly ExamRecords[], target: Targets): Generator<Sitting> {
  const lastOf = new Map<string, number>();
  for (const { exam, to } of studentSittings(records, target)) lastOf.set(exam, Math.max(to, lastOf.get(exam) ?? to));
  for (const { exam, proctors } of records) {
    const { id, start, end } = exam;
    if (start === undefined || end === undefined || typeof proctors === 'string') continue;
    for (const proctor of proctors) {
      if (proctor.id !== undefined) yield { exam: id, person: proctor.id, id: proctor.id, from: start, to: lastOf.get(id) ?? end };
    }
  }
}
