/** One exam as the checks see it, in which nothing is wrong; tests change what they are about. */

import type { Student, Subject } from '../../../src/features/preflight/subject.ts';
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
    ...differences,
  };
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
    minProctors: { proctors: 1, students: 30, given: true },
    now: start - 24 * hour,
    zone: 'Europe/Vienna',
    shownZone: 'Europe/Vienna',
    command: (line, operands = [], ...options) => `proctor-cli ${typedCommand(line, operands, ...options)}`,
    named: (id) => `${id}, Statistics`,
    ...differences,
  };
}
