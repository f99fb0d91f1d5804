/** The service with a few exams as a test wants them. */
import { inventedClock } from '../../support/clock.ts';
import { type Reply, refused, reply, Service } from '../../support/service.ts';

export type Item = Record<string, unknown>;
export type ServedExam = Item & { id: number; students?: Item[] | number; proctors?: Item[] | number };

export const now = '2027-03-01T09:00:00Z';

/** A number in place of students or proctors is the status with which the service refuses them. */
export function serviceOf(served: readonly ServedExam[]): Service {
  const listed = (list: Item[] | number = []): Reply =>
    typeof list === 'number' ? refused(list, { message: `refused with ${list}` }) : { answer: reply(200, list) };
  const exams = served.map(({ students: _students, proctors: _proctors, ...exam }) => exam);
  const service = new Service({ exams, clock: inventedClock(now) });
  for (const { id, students, proctors } of served) {
    service.always(`GET /exams/${id}/student_sessions`, listed(students));
    service.always(`GET /exams/${id}/proctor_pool`, listed(proctors));
  }
  return service;
}

const restrictions = { allow_headphones: false, allow_whiteboard: false, allow_leave_room: false, allow_pen_paper: true };

/** An exam of two hours, on the day of March, at the hour of UTC. */
export function examOn(id: number, day: number, from: number, rest: Partial<ServedExam> = {}): ServedExam {
  const at = (hour: number) => new Date(Date.UTC(2027, 2, day, hour)).toISOString();
  return {
    id,
    name: `Exam ${id}`,
    start_time: at(from),
    end_time: at(from + 2),
    ...restrictions,
    students: [studentOf(id * 100)],
    proctors: [{ id: id * 10 }],
    ...rest,
  };
}

export function studentOf(id: number, rest: Item = {}): Item {
  return { id, email: `student${id}@example.org`, status: 'mail_sent', open_time: null, close_time: null, ...rest };
}
