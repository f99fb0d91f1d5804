/** Exams to practise with, around the next clock change in Vienna. A comment marks what is wrong on purpose. */
import type { JsonObject } from '../model/json.ts';
import { periodNames } from './seed-names.ts';
import { isoUtc } from './store.ts';

export type SeedExam = {
  name: string;
  begins: number;
  ends: number;
  recorded: boolean;
  /** The restrictions that are allowed, without "allow_". */
  allows: string;
  /** IDs of users. */
  proctors: readonly number[];
  students: (JsonObject & { email: string | null })[];
};

type Entry = {
  name: string;
  /** Days after the Sunday of the clock change, and the local time. */
  at: string;
  hours: number;
  recorded?: false;
  allows?: string;
  proctors: readonly number[];
  /** Positions in `periodNames`: a range, then single ones. Who comes again is spelled otherwise. */
  students: readonly [number, number, ...number[]];
  /** How many of them, from the first, have been mailed. */
  mailed?: number;
  /** Windows by position, in minutes after the start, and after the end. */
  opens?: Readonly<Record<number, number>>;
  closes?: Readonly<Record<number, number>>;
  /** The position of a student without an address. */
  unaddressed?: number;
};

export const allRestrictions = 'headphones whiteboard leave_room pen_paper';

const entries: readonly Entry[] = [
  {
    // One proctor for 36 students. The close time of student 3 is already right.
    name: 'Analysis I',
    at: '-6 09:00',
    hours: 2,
    allows: 'pen_paper',
    proctors: [1],
    students: [0, 36],
    mailed: 34,
    closes: { 3: 30 },
  },
  // Overlaps with the next exam: students 10 and 11 are in both.
  { name: 'Experimental Physics', at: '-5 09:00', hours: 1.5, proctors: [3, 4], students: [0, 12], mailed: 12 },
  { name: 'Statistik II', at: '-5 10:00', hours: 2, allows: 'pen_paper', proctors: [4, 5], students: [10, 24], mailed: 14 },
  {
    // Student 33 begins half an hour late.
    name: 'Bürgerliches Recht',
    at: '-4 14:00',
    hours: 2,
    allows: 'headphones',
    proctors: [6],
    students: [24, 34],
    mailed: 10,
    opens: { 33: 30 },
  },
  // No proctor.
  { name: 'Databases', at: '-3 09:00', hours: 2, proctors: [], students: [12, 26], mailed: 14 },
  {
    // The close time of student 3 is later, but not late enough.
    name: 'Organic Chemistry II',
    at: '-2 13:00',
    hours: 3,
    allows: 'whiteboard pen_paper',
    proctors: [7],
    students: [34, 42, 0, 1, 2, 3],
    mailed: 12,
    closes: { 3: 30 },
  },
  {
    // It runs from Saturday to Sunday, across the clock change.
    name: 'Histoire moderne, take-home',
    at: '-1 18:00',
    hours: 24,
    recorded: false,
    allows: allRestrictions,
    proctors: [8],
    students: [30, 39],
    mailed: 9,
  },
  // With half as much time again, student 5 runs into the next exam.
  { name: 'Linear Algebra II', at: '1 09:00', hours: 2, allows: 'pen_paper', proctors: [1, 2], students: [0, 18] },
  { name: 'Mikroökonomik', at: '1 11:30', hours: 1.5, proctors: [3], students: [18, 30, 5] },
  {
    // Student 9 has the window of the day before, and student 13 is registered twice.
    name: 'Machine Learning',
    at: '3 10:00',
    hours: 2,
    proctors: [4],
    students: [8, 20, 13],
    opens: { 9: -1440 },
    closes: { 9: -1440 },
    unaddressed: 15,
  },
  // The close time of student 20 is later than extra time makes it.
  { name: 'Anatomy', at: '4 09:00', hours: 4, allows: 'leave_room', proctors: [9, 10], students: [20, 34], closes: { 20: 20 } },
  // Ends after midnight.
  { name: 'Astronomy, night practical', at: '5 21:00', hours: 4, proctors: [11], students: [34, 42] },
];

const hour = 3_600_000;
const day = 24 * hour;

/** The first clock change from 13 days on: its Sunday at 0:00 UTC, and both offsets in hours. */
export function nextChange(now: number): { sunday: number; before: number; after: number } {
  for (let year = new Date(now).getUTCFullYear(); ; year++) {
    for (const month of [2, 9]) {
      const last = new Date(Date.UTC(year, month, 31));
      const sunday = last.getTime() - last.getUTCDay() * day;
      const [before, after] = month === 2 ? [1, 2] : [2, 1];
      if (sunday >= now + 13 * day) return { sunday, before, after };
    }
  }
}

export function periodExams(now: number): SeedExam[] {
  const { sunday, before, after } = nextChange(now);
  // No exam begins or ends between midnight and the change.
  const instant = (clock: number) => clock - (clock < sunday + 12 * hour ? before : after) * hour;
  return entries.map((entry) => {
    const [days = 0, hours = 0, minutes = 0] = entry.at.split(/[ :]/).map(Number);
    const clock = sunday + days * day + hours * hour + minutes * 60_000;
    const [begins, ends] = [instant(clock), instant(clock + entry.hours * hour)];
    const { recorded = true, allows = '', proctors } = entry;
    const students = seedStudents(entry, begins, ends);
    return { name: `${entry.name} (main term)`, begins, ends, recorded, allows, proctors, students };
  });
}

function seedStudents(entry: Entry, begins: number, ends: number): SeedExam['students'] {
  const { students, mailed = 0, unaddressed, opens, closes } = entry;
  const [from, to, ...others] = students;
  const positions = [...Array.from({ length: to - from }, (_, index) => from + index), ...others];
  return positions.map((position, index) => {
    const [name = '', account = ''] = periodNames[position] ?? [];
    const spelled = positions.indexOf(position) === index ? account : account.toUpperCase();
    const opened = opens?.[position];
    const closed = closes?.[position];
    return {
      name,
      matriculation_number: `0${5_000_000 + position * 7_919}`,
      status: index < mailed ? 'mail_sent' : 'registered',
      email: position === unaddressed ? null : `${spelled}@students.example.org`,
      open_time: opened === undefined ? null : isoUtc(begins + opened * 60_000),
      close_time: closed === undefined ? null : isoUtc(ends + closed * 60_000),
      skip_requirements: false,
      level_of_suspicion: 0,
    };
  });
}
