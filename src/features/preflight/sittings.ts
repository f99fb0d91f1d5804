/** Who is in two of the exams that were read at the same time: students, and proctors. */
import { type Overlap, overlapsIn, type Sitting, studentWindow } from '../../model/overlaps.ts';
import type { ExamRecords } from './read-exams.ts';

type OverlapsByExam = ReadonlyMap<string, readonly Overlap[]>;

/** A window of their own counts. */
export function studentSittings(records: readonly ExamRecords[]): Sitting[] {
  const sittings: Sitting[] = [];
  for (const { exam, students } of records) {
    if (typeof students === 'string') continue;
    for (const { session, key, opens, closes } of students) {
      const window = key === undefined ? undefined : studentWindow(exam, { opens: opens.at, closes: closes.at });
      if (key !== undefined && window) sittings.push({ exam: exam.id, person: key, id: session, ...window });
    }
  }
  return sittings;
}

/** A proctor stays until the last student of the exam has to finish. */
export function proctorOverlaps(records: readonly ExamRecords[], students: readonly Sitting[]): OverlapsByExam {
  const lastOf = new Map<string, number>();
  for (const { exam, to } of students) lastOf.set(exam, Math.max(to, lastOf.get(exam) ?? to));
  return overlapsByExam(
    records.flatMap(({ exam: { id: exam, start, end }, proctors }): Sitting[] => {
      if (start === undefined || end === undefined || typeof proctors === 'string') return [];
      const to = lastOf.get(exam) ?? end;
      return proctors.flatMap(({ id }) => (id === undefined ? [] : [{ exam, person: id, id, from: start, to }]));
    }),
  );
}

/** Each overlap twice: as it is seen from either exam. */
export function overlapsByExam(sittings: Iterable<Sitting>): OverlapsByExam {
  const both = overlapsIn(sittings).flatMap(({ own, other }) => [
    { own, other },
    { own: other, other: own },
  ]);
  return Map.groupBy(both, ({ own }) => own.exam);
}
