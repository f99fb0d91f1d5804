/** What a list of accommodations grants in the exams that were read, and whether their sessions have it. */
import { type AccommodationList, judgeExam, type ShownSession } from '../accommodations/index.ts';
import type { ExamRecords } from './read-exams.ts';
import type { Targets } from './sittings.ts';
import type { ExtraTime, Student } from './subject.ts';

export type ExtraTimes = {
  /** Of the accommodated students of an exam. */
  judged(exam: string): readonly ExtraTime[];
  /** By session. */
  targets(exam: string): ReadonlyMap<string, number>;
  target: Targets;
};

/** Throws `invalid_input` where the list contradicts itself. `zone`: whose calendar days count. */
export function extraTimeOf(list: AccommodationList | undefined, records: readonly ExamRecords[], zone: string): ExtraTimes {
  const judged = new Map<string, ExtraTime[]>();
  const targets = new Map<string, Map<string, number>>();
  if (list) {
    for (const { exam, students } of records) {
      const sessions = typeof students === 'string' ? [] : students.flatMap((student) => shownSession(student, list));
      const found = judgeExam(list, exam, sessions, zone).map(({ session, state, target }) => ({
        session: session.id,
        email: session.email,
        state,
        target,
      }));
      judged.set(exam.id, found);
      targets.set(exam.id, new Map(found.flatMap(({ session, target }) => (target === undefined ? [] : [[session, target] as const]))));
    }
  }
  return {
    judged: (exam) => judged.get(exam) ?? [],
    targets: (exam) => targets.get(exam) ?? new Map(),
    target: (exam, session) => (session === undefined ? undefined : targets.get(exam)?.get(session)),
  };
}

/** Only of students who are in the list. */
function shownSession({ session, email, key, fields }: Student, list: AccommodationList): ShownSession[] {
  if (session === undefined || email === undefined || key === undefined || !list.students.has(key)) return [];
  return [{ id: session, email, fields }];
}
