/** Checks of people who are in two exams at the same time. */
import { count, students as studentsInWords } from '../../model/count.ts';
import type { Overlap, Sitting } from '../../model/overlaps.ts';
import { typedOption } from '../../model/shell-quote.ts';
import { type Check, type Finding, failed, ok, skipped } from './preflight-check.ts';
import type { Subject } from './subject.ts';

export const studentClashes: Check = {
  name: 'students: clashes',
  needs: ['students', 'addresses', 'times'],
  judge(subject) {
    const { studentOverlaps: overlaps, students, command } = subject;
    if (overlaps.length === 0) return none(subject, studentsInWords(students.filter(({ key }) => key !== undefined).length));
    const addresses = new Map(students.map(({ key, email }) => [key, email]));
    const detail = inWords(overlaps, subject, studentsInWords, (person) => addresses.get(person) ?? person);
    return failed(detail, command('exams shift', [laterOf(overlaps)?.exam ?? ''], '--by DURATION'));
  },
};

export const proctorClashes: Check = {
  name: 'proctors: clashes',
  needs: ['proctors', 'proctorIds', 'times'],
  judge(subject) {
    const { proctorOverlaps: overlaps, proctors } = subject;
    const many = (number: number) => count(number, 'proctor');
    if (overlaps.length === 0) return none(subject, many(proctors.length));
    const names = new Map(proctors.map(({ id, name }) => [id, name]));
    const detail = inWords(overlaps, subject, many, (id) => (names.get(id) === undefined ? id : `${names.get(id)} (${id})`));
    return failed(detail, removal(overlaps, subject));
  },
};

/** "2 students also in exam 9, Statistics: a, b", for each of the other exams. All are named: no other command names them. */
function inWords(
  overlaps: readonly Overlap[],
  { named }: Subject,
  many: (number: number) => string,
  name: (person: string) => string,
): string {
  const byExam = new Map<string, Set<string>>();
  for (const { own, other } of overlaps) byExam.set(other.exam, (byExam.get(other.exam) ?? new Set()).add(own.person));
  const parts = [...byExam].map(
    ([exam, people]) => `${many(people.size)} also in exam ${named(exam)}: ${[...people].map(name).join(', ')}`,
  );
  return parts.join('; ');
}

/** No overlap, as far as the exams could be compared. */
function none({ unread, compared }: Subject, people: string): Finding {
  if (unread.others !== undefined) return skipped(`the other exams cannot be compared: ${unread.others}`);
  return ok(compared === 0 ? 'no other exam at that time' : `${people} compared with ${count(compared, 'exam')} at that time`);
}

/** Takes the proctor out of the later exam. */
function removal(overlaps: readonly Overlap[], { command }: Subject): string {
  const later = laterOf(overlaps);
  return command('proctors remove', [later?.id ?? ''], typedOption('--exam', later?.exam ?? ''));
}

/** Of the first overlap the later exam: both exams name the same command, so that one of them stays as it is. */
function laterOf([first]: readonly Overlap[]): Sitting | undefined {
  if (!first) return undefined;
  const { own, other } = first;
  return own.from > other.from || (own.from === other.from && own.exam > other.exam) ? own : other;
}
