/** What a list of accommodations grants in the exams that were read, and whether their sessions have it. */
import { type AccommodationList, judgeExam, type ShownSession } from '../accommodations/index.ts';
import type { ExamRecords } from './read-exams.ts';
import type { ExtraTime, Student } from './subject.ts';

/** Of an exam: its accommodated students, and the close times of those that have one, by session. */
type Granted = { judged: readonly ExtraTime[]; targets: ReadonlyMap<string, number> };

/** By exam. Throws `invalid_input` where the list contradicts itself. `zone`: whose calendar days count. */
export function extraTimeOf(list: AccommodationList, records: readonly ExamRecords[], zone: string): ReadonlyMap<string, Granted> {
  return new Map(
    records.map(({ exam, students }) => {
      const sessions = typeof students === 'string' ? [] : students.flatMap((student) => shownSession(student, list));
      const judged = judgeExam(list, exam, sessions, zone).map(({ session: { id, email }, ...rest }) => ({ session: id, email, ...rest }));
      const targets = judged.flatMap(({ session, target }) => (target === undefined ? [] : [[session, target] as const]));
      return [exam.id, { judged, targets: new Map(targets) }];
    }),
  );
}

/** Only of students who are in the list. */
function shownSession({ session, email, key, fields }: Student, list: AccommodationList): ShownSession[] {
  if (session === undefined || email === undefined || key === undefined || !list.students.has(key)) return [];
  return [{ id: session, email, fields }];
}
