/** The office of the gate: exams before, in and after their time. */
import { inventedClock } from '../../support/clock.ts';
import { Service, type ServiceOptions } from '../../support/service.ts';
import type { Fields } from '../../support/truth.ts';

export const now = Date.parse('2026-11-22T09:00:00Z');
/** So many minutes from now. */
export const at = (minutes: number) => new Date(now + minutes * 60_000).toISOString().replace('.000Z', 'Z');
export const day = 24 * 60;

export const exam = (id: number, name: string, begins: number, ends: number): Fields => ({
  ...{ id, name, start_time: at(begins), end_time: at(ends), save_recording: true },
  ...{ allow_headphones: true, allow_whiteboard: true, allow_leave_room: false, allow_pen_paper: false },
});
/** With an own window, in minutes from now. */
export const session = (id: number, exam_id: number, status: string, opens?: number, closes?: number): Fields => ({
  ...{ id, exam_id, email: `student${id}@example.org`, name: `Student ${id}`, status },
  ...{ open_time: opens === undefined ? null : at(opens), close_time: closes === undefined ? null : at(closes) },
});

/** Exam 3 runs, 6 is about to begin, 4 has ended with a window still open, 2 and 5 are long over and far ahead, 7 shows no times. */
export const exams = [
  exam(2, 'Past', -1500, -1380),
  exam(3, 'Running', -60, 60),
  exam(4, 'Extended', -130, -10),
  exam(5, 'Coming', day, day + 120),
  exam(6, 'Soon', 20, 140),
  { id: 7, name: 'Timeless' },
];
export const sessions = [
  session(21, 2, 'exam_finished', undefined, -1370),
  session(31, 3, 'exam_started'),
  session(32, 3, 'registered', -60, 30),
  session(33, 3, 'check_started'),
  session(41, 4, 'exam_started', undefined, 20),
  session(51, 5, 'registered', undefined, day + 120),
  session(61, 6, 'registered'),
  session(62, 6, 'registered', 20, 140),
  session(71, 7, 'exam_started'),
];

export function served(options: ServiceOptions = {}): Service {
  const clock = inventedClock(at(0));
  return new Service({ exams, sessions, pools: { 3: [4], 4: [4, 5], 5: [4] }, clock, habits: { firstId: 901 }, ...options });
}
