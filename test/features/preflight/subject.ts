/** One exam as the checks see it, in which nothing is wrong; tests change what they are about. */

import type { ExtraTime, GrantedTime, Student, Subject } from '../../../src/features/preflight/subject.ts';
import { typedCommand } from '../../../src/model/shell-quote.ts';

export const start = Date.UTC(2027, 2, 22, 8);
export const hour = 3_600_000;

export function student(number: number, differences: Partial<Student> = {}): Student {
  const email = `student${number}@example.org`;
  return {
    session: String(number),
    email,
    showsEmail: true,
    key: email,
    status: 'mail_sent',
    opens: { why: 'none' },
    closes: { why: 'none' },
    fields: {},
    ...differences,
  };
}

export function granted(judged: readonly ExtraTime[]): GrantedTime {
  const targets = new Map(judged.flatMap(({ session, target }) => (target === undefined ? [] : [[session, target] as const])));
  return { file: 'extra time.yaml', options: [], judged, targets };
}

export function subject(differences: Partial<Subject> = {}): Subject {
  return {
    exam: {
      id: '42',
      name: 'Algebra',
      start,
      end: start + 2 * hour,
      shown: { allow_headphones: true, allow_whiteboard: false, allow_leave_room: false, allow_pen_paper: true },
    },
    starts: { at: start },
    ends: { at: start + 2 * hour },
    students: [student(1), student(2), student(3)],
    proctors: [{ id: '7', name: 'Agnes' }],
    unread: {},
    studentOverlaps: [],
    proctorOverlaps: [],
    compared: 2,
    roster: {
      file: 'roster.csv',
      options: [],
      addresses: new Map([1, 2, 3].map((number) => [`student${number}@example.org`, `Student${number}@example.org`])),
      unusable: 0,
    },
    accommodations: granted([{ session: '2', email: 'student2@example.org', state: 'ok', target: start + 2 * hour }]),
    like: { id: '41', shown: { allow_headphones: true, allow_whiteboard: false, allow_leave_room: false, allow_pen_paper: true } },
    minProctors: { proctors: 1, students: 30, given: true },
    closeTimeMeans: 'unknown',
    now: start - 24 * hour,
    zone: 'Europe/Vienna',
    shownZone: 'Europe/Vienna',
    command: (line, operands = [], ...options) => `proctor-cli ${typedCommand(line, operands, ...options)}`,
    named: (id) => `${id}, Statistics`,
    ...differences,
  };
}
