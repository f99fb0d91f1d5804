/** The service with an exam that is far ahead, and two students to put into it. */
import { Service, type ServiceOptions } from './service.ts';

export const algebra = {
  id: 1,
  name: 'Algebra',
  start_time: '2127-02-01T08:00:00Z',
  end_time: '2127-02-01T10:00:00Z',
  save_recording: true,
  allow_headphones: false,
  allow_whiteboard: true,
  allow_leave_room: true,
  allow_pen_paper: true,
};
export const ada = { id: 7, exam_id: 1, email: 'ada@example.org', name: 'Ada', status: 'registered', open_time: null, close_time: null };
export const bob = { ...ada, id: 8, email: 'bob@example.org', name: 'Bob' };

/** The first record that it creates has the ID 101. Running exams are not protected. */
export const serviceWithExam = (options: ServiceOptions = {}) =>
  new Service({ exams: [algebra], habits: { firstId: 101 }, gate: 'off', showing: { dated: false }, ...options });
