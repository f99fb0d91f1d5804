/**
 * A service behind a limit without a burst, as nginx has it with `limit_req` alone: every request that comes too soon after the
 * last one that was taken is refused. Each command ends, and after a refusal that request alone comes again.
 */
import { describe, expect, test } from 'vitest';
import { ada, algebra, serviceWithExam } from '../support/algebra.ts';
import { refused, type Service } from '../support/service.ts';

const office = [12, 13, 81, 82, 83].map((id) => ({ ...ada, id, exam_id: id < 80 ? 3 : 4, email: `s${id}@example.org` }));

/** `rate`: requests a second; another client was served right before. */
function limited(rate: number, retryAfter?: string, sessions = office): Service {
  const service = serviceWithExam({ exams: [3, 4].map((id) => ({ ...algebra, id, name: `Exam ${id}` })), sessions });
  let last = service.clock.now();
  service.fault = () => {
    const now = service.clock.now();
    if (now - last < 1000 / rate)
      return refused(429, { message: 'slow down' }, retryAfter === undefined ? {} : { 'retry-after': retryAfter });
    last = now;
    return undefined;
  };
  return service;
}

const commands = [
  ...['exams update 3 --allow-headphones', 'sessions update 12 --name Ada', 'sessions delete 12 13 --yes', 'sessions extend 81 --by 30m'],
  ...['proctors add 4 --exam 3', 'students add --exam 3 --email new@example.org --name New', 'exams report --from 2000-01-01T00:00Z'],
  'exams list',
];

describe.each([
  [5, undefined],
  [5, '1'],
  [1, undefined],
])('%i requests a second without a burst, and Retry-After %s', (rate, retryAfter) => {
  test.each(commands)('do not keep "%s" from its end, and no request is made again but the refused one', async (line) => {
    const service = limited(rate, retryAfter);
    const { code, stderr } = await service.run(line);
    expect(code, stderr).toBe(0);
    const taken = service.arrived.filter(({ reply }) => !reply);
    expect(service.arrived.length).toBeGreaterThan(taken.length);
    // Without the limit, the same requests are sent.
    const free = limited(Number.POSITIVE_INFINITY);
    await free.run(line);
    const lines = (requests: Service['arrived']) => requests.map((request) => request.line).toSorted();
    expect(lines(taken)).toEqual(lines(free.arrived));
  });
});

describe('A refused write', () => {
  const world = { now: '2026-11-21T09:00:00Z' } as const;
  const wait = (seconds: string) => refused(429, {}, { 'retry-after': seconds });
  const line = 'exams update 1 --allow-headphones';
  const [get, patch] = ['GET /exams/1', 'PATCH /exams/1'];

  test('comes again alone while its read is younger than ten seconds.', async () => {
    const service = serviceWithExam();
    service.next('write', wait('9'));
    expect((await service.run(line, world)).code).toBe(0);
    expect(service.requests()).toEqual([get, patch, patch, get]);
  });

  test('whose read is older by then comes after another read, and not if somebody has changed what it relies on.', async () => {
    const service = serviceWithExam();
    service.next('write', wait('11'));
    expect((await service.run(line, world)).code).toBe(0);
    expect(service.requests()).toEqual([get, patch, get, patch, get]);
    const changed = serviceWithExam();
    changed.next('write', wait('11'));
    changed.onAnswer = ({ method }) => {
      if (method === 'PATCH') changed.change('exam', 1, { allow_whiteboard: false });
    };
    const outcome = await changed.run(line, world);
    expect([outcome.code, changed.requests()]).toEqual([11, [get, patch, get]]);
    expect(outcome.stderr).toContain('allow_whiteboard is now false');
  });
});

test('Forty deletions at one request a second all end: none is withheld again and again because its read is too old, and the pace is told.', async () => {
  const many = Array.from({ length: 40 }, (_, at) => ({ ...ada, id: 1000 + at, email: `s${at}@example.org` }));
  const service = limited(1, undefined, many);
  const began = service.clock.now();
  const { code, stderr } = await service.run(`sessions delete ${many.map(({ id }) => id).join(' ')} --yes`);
  expect([code, service.sessions], stderr).toEqual([0, []]);
  expect(service.clock.now() - began).toBeLessThan(300_000);
  expect(stderr).toMatch(/The service limits requests: one is sent every \d\.\d s\./);
});
