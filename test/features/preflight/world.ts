/** A service of a few exams as a test wants them, with a log of what was requested of it. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { type Run, run, type World } from '../../support/run.ts';

export type Item = Record<string, unknown>;
export type ServedExam = Item & { id: number; students?: Item[] | number; proctors?: Item[] | number };

export type Service = {
  /** "GET /exams" for each request. */
  requests: string[];
  run(line: readonly string[], world?: World): Promise<Run>;
};

export const now = '2027-03-01T09:00:00Z';

/** A number in place of students or proctors is the status with which the service refuses them. */
export async function serviceOf(exams: readonly ServedExam[]): Promise<Service> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? '', 'http://x');
    const path = pathname.replace('/api/v1', '');
    requests.push(`${request.method} ${path}${search}`);
    const [, id, part] = /^\/exams\/(\d+)(?:\/(\w+))?$/.exec(path) ?? [];
    const exam = exams.find((each) => String(each.id) === id);
    const shown = ({ students: _students, proctors: _proctors, ...fields }: ServedExam) => fields;
    const body =
      path === '/exams'
        ? exams.map(shown)
        : !exam
          ? 404
          : part === undefined
            ? shown(exam)
            : ((part === 'proctor_pool' ? exam.proctors : exam.students) ?? []);
    response.writeHead(typeof body === 'number' ? body : 200, { 'content-type': 'application/json', date: new Date(now).toUTCString() });
    response.end(JSON.stringify(typeof body === 'number' ? { message: `refused with ${body}` } : body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    requests,
    run: (line, world = {}) =>
      run(line, {
        now,
        ...world,
        env: { PROCTOR_BASE_URL: origin, PROCTOR_TOKEN: 'a-token', PROCTOR_TIMEZONE: 'Europe/Vienna', ...world.env },
      }),
  };
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
