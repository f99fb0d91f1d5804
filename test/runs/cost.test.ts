/** What a write costs: requests, time, and functions from the plan to the socket. */
import type { Dispatcher } from 'undici';
import { expect, test } from 'vitest';
import { ada, algebra, serviceWithExam } from '../support/algebra.ts';
import { Service } from '../support/service.ts';

test('A list of 2,000 students against 40 exams: one reading of each exam, one PATCH for each student who lacks time, in 1.3 times the ideal.', async () => {
  const exams = Array.from({ length: 40 }, (_, at) => ({ ...algebra, id: 1 + at, name: `Exam ${1 + at}` }));
  const hasIt = (at: number) => at % 10 === 0;
  const sessions = Array.from({ length: 2000 }, (_, at) => ({
    ...{ ...ada, id: 1001 + at, exam_id: 1 + (at % 40), email: `s${at}@example.org` },
    close_time: hasIt(at) ? '2127-02-01T10:30:00Z' : null,
  }));
  const service = serviceWithExam({ exams, sessions });
  const answerTakes = 80;
  for (const method of ['GET', 'PATCH']) service.always(method, { takes: answerTakes });
  const stdin = `email,extra\n${sessions.map(({ email }) => `${email},25%\n`).join('')}`;
  const began = service.clock.now();
  const { code, stderr } = await service.run('accommodations apply - --name Exam* --yes -q -o json', { stdin });
  expect(code, stderr.slice(0, 500)).toBe(0);
  expect(service.sessions.filter(({ close_time }) => close_time !== '2127-02-01T10:30:00Z')).toEqual([]);
  const lacking = sessions.filter((_, at) => !hasIt(at)).length;
  const first = service.arrived.findIndex(({ method }) => method !== 'GET');
  const count = (pattern: RegExp, to?: number) =>
    service
      .requests()
      .slice(0, to)
      .filter((line) => pattern.test(line)).length;
  expect(count(/^GET .*\/student_sessions$/, first)).toBe(40);
  // Before a request a reading that is younger than two seconds, and one that shows the results; no student is read alone.
  expect([count(/^PATCH/), count(/^GET \/student_sessions/), count(/^GET/) < 8 * 40]).toEqual([lacking, 0, true]);
  const ideal = ((40 + lacking) / 64) * answerTakes;
  expect(service.clock.now() - began).toBeLessThanOrEqual(1.3 * ideal);
});

test.each([
  [2, 2],
  [3, 2 * 3],
])('A list of %i students in pages of two is read in %i requests: twice where a deletion could move somebody.', async (students, reads) => {
  const sessions = Array.from({ length: students }, (_, at) => ({ ...ada, id: 11 + at, email: `s${at}@example.org` }));
  const service = serviceWithExam({ sessions, showing: { dated: true, pageSize: 2 } });
  const stdin = `email\n${sessions.map(({ email }) => `${email}\n`).join('')}`;
  const { code } = await service.run('sessions import - --exam 1 --check', { stdin, env: { PROCTOR_DIALECT_PAGING: 'page' } });
  expect([code, service.requests().filter((line) => line.includes('student_sessions')).length]).toEqual([0, reads]);
});

const times = { start_time: '2027-02-01T09:00:00Z', end_time: '2027-02-01T11:00:00Z' };
const four = { allow_headphones: false, allow_whiteboard: false, allow_leave_room: false, allow_pen_paper: true };

/** An update of one restriction: the functions of src that stood before the socket when it left, the last one first, and its requests. */
async function updated() {
  const service = new Service({ exams: [{ id: 6, name: 'Algebra', ...times, ...four }] });
  let stack = '';
  const watched = {
    ...service.dispatcher,
    dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) {
      const { stackTraceLimit } = Error;
      Error.stackTraceLimit = 100;
      if (options.method === 'PATCH') stack = new Error().stack ?? '';
      Error.stackTraceLimit = stackTraceLimit;
      return service.dispatcher.dispatch(options, handler);
    },
  } as unknown as Dispatcher;
  const { code, stderr } = await service.run('exams update 6 --allow-headphones', { now: '2027-01-15T09:00:00Z', dispatcher: watched });
  expect(code, stderr).toBe(0);
  const functions = stack
    .split('\n')
    .flatMap((line) => /at (?:async )?(\S+) \(.*\/src\/(\S+?):\d+/.exec(line)?.slice(1).join(' in ') ?? []);
  return { functions, requests: service.requests() };
}

test('From its plan to the socket, an update passes through at most nine functions, and takes at most four requests.', async () => {
  const { functions, requests } = await updated();
  // From the loop of the run on; what only hands a promise on (`sendOnce`) is in no stack.
  const loop = functions.findIndex((line) => line.endsWith('runs/perform.ts'));
  expect(loop).toBeGreaterThan(0);
  const all = functions.slice(0, loop + 1);
  expect(all.length, all.join()).toBeLessThanOrEqual(9);
  expect(requests).toEqual(['GET /exams/6', 'PATCH /exams/6', 'GET /exams/6']);
});
