/**
 * Invented data for trials: an institute with its users; past, running and upcoming exams with students
 * in every status and at every level of suspicion; and an exam period. The same seed at the same time
 * gives the same data. No person is real, and no address can be: all domains are reserved.
 */
import { createHash } from 'node:crypto';
import { restrictionKeys } from '../model/restrictions.ts';
import { type SessionStatus, sessionStatuses } from '../model/status.ts';
import { proctorNames, studentNames } from './seed-names.ts';
import { type PeriodExam, periodExams } from './seed-period.ts';
import type { Store } from './store.ts';
import { isoUtc } from './stored-times.ts';

export type SeedCounts = { users: number; exams: number; sessions: number };

/** The ID of the only institute. */
export const seedInstitute = '1';

type SeedExam = Pick<PeriodExam, 'name' | 'recorded' | 'allows'> & {
  /** Hours from now. */
  begins: number;
  ends: number;
  proctors: number;
  students: Partial<Record<SessionStatus, number>>;
};

const exams: readonly SeedExam[] = [
  {
    name: 'Lineare Algebra I',
    begins: -170,
    ends: -168,
    recorded: true,
    allows: ['allow_pen_paper'],
    proctors: 3,
    students: { exam_finished: 6, mail_sent: 1, registered: 1 },
  },
  {
    name: 'Organic Chemistry',
    begins: -26,
    ends: -23,
    recorded: true,
    allows: ['allow_whiteboard', 'allow_leave_room', 'allow_pen_paper'],
    proctors: 2,
    students: { exam_finished: 4, exam_started: 1, check_completed: 1 },
  },
  {
    name: 'Introduction to Programming',
    begins: -0.75,
    ends: 1.25,
    recorded: true,
    allows: ['allow_headphones', 'allow_whiteboard'],
    proctors: 4,
    students: { exam_finished: 1, exam_started: 5, exam_session_opened: 2, check_completed: 1, check_started: 1, mail_sent: 2 },
  },
  {
    name: 'Histoire de l’art (take-home)',
    begins: -3,
    ends: 21,
    recorded: false,
    allows: restrictionKeys,
    proctors: 1,
    students: { exam_finished: 1, exam_started: 2, check_started: 1, mail_sent: 1 },
  },
  {
    name: 'Makroökonomik',
    begins: 18,
    ends: 20,
    recorded: true,
    allows: ['allow_leave_room'],
    proctors: 2,
    students: { mail_sent: 4, registered: 1 },
  },
  {
    name: '統計学入門',
    begins: 336,
    ends: 337.5,
    recorded: true,
    allows: [],
    proctors: 0,
    students: { registered: 5 },
  },
];

const quarterHour = 15 * 60_000;
const hour = 4 * quarterHour;

const domains = ['example.org', 'students.example.org', 'mail.example.com', 'example.net'];

/** Fills an empty store. */
export function seedData(store: Store, { now, seed }: { now: number; seed: string }): SeedCounts {
  const users = addUsers(store);
  const students = deck(`${seed}: students`, studentNames);
  const suspicion = deck(`${seed}: suspicion`, [0, 0, 1, 0, 2, 3]);
  const base = Math.round(now / quarterHour) * quarterHour;
  let sessions = 0;

  for (const exam of exams) {
    const begins = base + exam.begins * hour;
    const examId = addExam(store, exam, { begins, ends: base + exam.ends * hour });
    const proctors = deck(`${seed}: proctors of ${exam.name}`, users);
    for (let count = 0; count < exam.proctors; count++) store.addToPool(examId, proctors());

    for (const status of statusesOf(exam)) {
      sessions += 1;
      const [name, account] = students();
      const rated = status === 'exam_started' || status === 'exam_finished';
      const addressed = status === 'mail_sent' || sessions % 7 !== 1;
      const windowed = sessions % 3 === 0;
      const data = {
        ...(sessions % 9 === 5 ? {} : { name }),
        // Students who have not been mailed have no number yet: it does not go along when they move.
        ...(status === 'registered' ? {} : { matriculation_number: `0${4_000_000 + sessions * 7_919}` }),
        status,
        email: addressed ? `${account}@${domains[sessions % domains.length]}` : null,
        open_time: windowed ? isoUtc(begins - 2 * quarterHour) : null,
        close_time: windowed ? isoUtc(begins + quarterHour) : null,
        skip_requirements: sessions % 10 === 0,
        level_of_suspicion: rated ? suspicion() : 0,
      };
      store.insert('student_sessions', data, examId);
    }
  }
  const period = addPeriod(store, { now, users });
  return { users: users.length, exams: exams.length + period.exams, sessions: sessions + period.sessions };
}

function addPeriod(store: Store, { now, users }: { now: number; users: readonly number[] }): { exams: number; sessions: number } {
  const period = periodExams(now);
  for (const exam of period) {
    const examId = addExam(store, exam, exam);
    for (const position of exam.proctors) store.addToPool(examId, users[position - 1] ?? 0);
    for (const student of exam.students) {
      store.insert('student_sessions', { ...student, skip_requirements: false, level_of_suspicion: 0 }, examId);
    }
  }
  return { exams: period.length, sessions: period.reduce((sum, { students }) => sum + students.length, 0) };
}

/** The IDs of the institute's users. */
function addUsers(store: Store): number[] {
  const statement = store.sql('INSERT INTO users (name, email) VALUES (?, ?)');
  return proctorNames.map(([name, account]) => Number(statement.run(name, `${account}@staff.example.org`).lastInsertRowid));
}

function addExam(
  store: Store,
  exam: Pick<PeriodExam, 'name' | 'recorded' | 'allows'>,
  { begins, ends }: { begins: number; ends: number },
): number {
  const restrictions = Object.fromEntries(restrictionKeys.map((key) => [key, exam.allows.includes(key)]));
  const times = { start_time: isoUtc(begins), end_time: isoUtc(ends) };
  return store.insert('exams', { name: exam.name, ...times, save_recording: exam.recorded, ...restrictions }).id;
}

function statusesOf({ students }: SeedExam): SessionStatus[] {
  return sessionStatuses.flatMap((status) => Array<SessionStatus>(students[status] ?? 0).fill(status));
}

/** Deals cards in an order that `word` decides; starts over when all are dealt, so that each gets its turn. */
function deck<T>(word: string, cards: readonly T[]): () => T {
  const order = (index: number) => createHash('sha256').update(`${word} ${index}`).digest('hex');
  const shuffled = cards.map((card, index) => ({ card, order: order(index) })).sort((a, b) => (a.order < b.order ? -1 : 1));
  let dealt = 0;
  return () => (shuffled[dealt++ % shuffled.length] as { card: T }).card;
}
