/**
 * Invented data: users; past, running and upcoming exams with students in every status and at every
 * level of suspicion; an exam period. The same seed at the same time gives the same data.
 */
import { createHash } from 'node:crypto';
import { restrictionKeys } from '../model/fields.ts';
import { sessionStatuses } from '../model/status.ts';
import { proctorNames, studentNames } from './seed-names.ts';
import { allRestrictions, periodExams, type SeedExam } from './seed-period.ts';
import { isoUtc, type Store } from './store.ts';

export type SeedCounts = { users: number; exams: number; sessions: number };

export const seedInstitute = '1';

type Trial = {
  name: string;
  /** Hours from now. */
  begins: number;
  hours: number;
  recorded?: false;
  allows: string;
  proctors: number;
  /** How many there are in each status, in their order: digits. */
  students: string;
};

const trials: readonly Trial[] = [
  { name: 'Lineare Algebra I', begins: -170, hours: 2, allows: 'pen_paper', proctors: 3, students: '1100006' },
  { name: 'Organic Chemistry', begins: -26, hours: 3, allows: 'whiteboard leave_room pen_paper', proctors: 2, students: '0001014' },
  { name: 'Introduction to Programming', begins: -0.75, hours: 2, allows: 'headphones whiteboard', proctors: 4, students: '0211251' },
  {
    name: 'Histoire de l’art (take-home)',
    begins: -3,
    hours: 24,
    recorded: false,
    allows: allRestrictions,
    proctors: 1,
    students: '0110021',
  },
  { name: 'Makroökonomik', begins: 18, hours: 2, allows: 'leave_room', proctors: 2, students: '1400000' },
  { name: '統計学入門', begins: 336, hours: 1.5, allows: '', proctors: 0, students: '5000000' },
];

const quarterHour = 15 * 60_000;
const hour = 4 * quarterHour;

const domains = ['example.org', 'students.example.org', 'mail.example.com', 'example.net'];

/** `now`: in milliseconds since 1970. */
export type Seeding = { seed?: string | undefined; now?: (() => number) | undefined };

export function seedData(store: Store, { seed = 'proctor', now = Date.now }: Seeding): SeedCounts {
  const user = store.sql('INSERT INTO users (name, email) VALUES (?, ?)');
  for (const [name, account] of proctorNames) user.run(name, `${account}@staff.example.org`);
  const exams = [...trialExams(now(), seed), ...periodExams(now())];
  for (const { name, begins, ends, recorded, allows, proctors, students } of exams) {
    const allowed = allows.split(' ').map((word) => `allow_${word}`);
    const restrictions = Object.fromEntries(restrictionKeys.map((key) => [key, allowed.includes(key)]));
    const times = { start_time: isoUtc(begins), end_time: isoUtc(ends) };
    const { id } = store.insert('exams', { name, ...times, save_recording: recorded, ...restrictions });
    for (const proctor of proctors) store.addToPool(id, proctor);
    for (const student of students) store.insert('student_sessions', student, id);
  }
  return { users: proctorNames.length, exams: exams.length, sessions: exams.flatMap(({ students }) => students).length };
}

function trialExams(now: number, seed: string): SeedExam[] {
  const names = deck(`${seed}: students`, studentNames);
  const suspicion = deck(`${seed}: suspicion`, [0, 0, 1, 0, 2, 3]);
  const base = Math.round(now / quarterHour) * quarterHour;
  let sessions = 0;
  return trials.map(({ name, hours, allows, recorded = true, proctors, students, ...trial }) => {
    const begins = base + trial.begins * hour;
    const proctor = deck(`${seed}: proctors of ${name}`, [...proctorNames.keys()]);
    const statuses = sessionStatuses.flatMap((status, index) => Array<string>(Number(students[index])).fill(status));
    return {
      name,
      begins,
      ends: begins + hours * hour,
      recorded,
      allows,
      proctors: Array.from({ length: proctors }, () => proctor() + 1),
      students: statuses.map((status) => {
        sessions += 1;
        const [student, account] = names();
        const rated = status === 'exam_started' || status === 'exam_finished';
        const addressed = status === 'mail_sent' || sessions % 7 !== 1;
        const windowed = sessions % 3 === 0;
        return {
          ...(sessions % 9 === 5 ? {} : { name: student }),
          // A move does not carry the number over, so students who may still move have none.
          ...(status === 'registered' ? {} : { matriculation_number: `0${4_000_000 + sessions * 7_919}` }),
          status,
          email: addressed ? `${account}@${domains[sessions % domains.length]}` : null,
          open_time: windowed ? isoUtc(begins - 2 * quarterHour) : null,
          close_time: windowed ? isoUtc(begins + quarterHour) : null,
          skip_requirements: sessions % 10 === 0,
          level_of_suspicion: rated ? suspicion() : 0,
        };
      }),
    };
  });
}

/** Deals cards in an order that `word` decides, again and again. */
function deck<T>(word: string, cards: readonly T[]): () => T {
  const order = (index: number) => createHash('sha256').update(`${word} ${index}`).digest('hex');
  const shuffled = cards.map((card, index) => ({ card, order: order(index) })).sort((a, b) => (a.order < b.order ? -1 : 1));
  let dealt = 0;
  return () => (shuffled[dealt++ % shuffled.length] as { card: T }).card;
}
