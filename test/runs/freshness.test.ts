/**
 * A write rests on a read that is not older than two seconds, by either clock, and what has moved since is not overwritten. What a
 * stopped process and an open question do is in `meanwhile.test.ts`, what a limit of requests does in `faults/limited.test.ts`.
 */
import { expect, test } from 'vitest';
import { ada, algebra, bob, held } from '../support/algebra.ts';
import { Service } from '../support/service.ts';

const [first, second] = ['DELETE /student_sessions/7', 'DELETE /student_sessions/8'];
const [getFirst, getSecond] = ['GET /student_sessions/7', 'GET /student_sessions/8'];

/** Deletes two sessions; both clocks are in the hand of the test, and something happens while the first is deleted. */
async function deleting(meanwhile: (times: { wall: number; elapsed: number }, service: Service) => void) {
  const service = held({ sessions: [ada, bob] });
  const times = { wall: Date.parse('2026-11-22T09:00:00Z'), elapsed: 0 };
  service.onArrival = ({ line }) => {
    if (line === first) meanwhile(times, service);
  };
  const world = { now: () => times.wall, elapsed: () => times.elapsed };
  const outcome = await service.run('sessions delete 7 8 --yes -o json', world);
  const later = service.requests().slice(service.requests().indexOf(first) + 1);
  return { service, ...outcome, between: later.slice(0, later.indexOf(second)) };
}

test.each<[string, wall: number, elapsed: number, reads: string[]]>([
  ['for two seconds', 2000, 2000, []],
  ['no longer', 2001, 2001, [getSecond]],
  ['no longer by the wall clock alone', 2001, 0, [getSecond]],
  ['no longer by the other clock alone', 0, 2001, [getSecond]],
  ['no longer where the wall clock was set back', -3_600_000, 5000, [getSecond]],
])('A read serves a write %s.', async (_what, wall, elapsed, reads) => {
  const { code, between, stderr } = await deleting((times) => {
    times.wall += wall;
    times.elapsed += elapsed;
  });
  expect([code, between], stderr).toEqual([0, reads]);
});

test.each([2, 3, 6, 7])('Nor does it serve one before which another read has taken too long (%i slow reads).', async (slow) => {
  // Here a running exam is protected, and so its times are read as well.
  const service = new Service({ exams: [algebra], sessions: [ada] });
  service.next('GET', ...Array(slow).fill({ takes: 2500 }));
  const { code, stderr } = await service.run('sessions update 7 --close-time 2127-02-01T09:30:00Z');
  expect([code, service.requests()], stderr).toEqual([0, expect.arrayContaining(['GET /exams/1'])]);
  const written = service.arrived.find(({ method }) => method === 'PATCH');
  const read = service.arrived.findLast(({ line, n }) => line === getFirst && n < (written?.n ?? 0));
  const answered = (read?.at ?? 0) + ((read?.n ?? 0) <= slow ? 2500 : 0);
  expect((written?.at ?? 0) - answered).toBeLessThanOrEqual(2000);
});

test.each<[string, (service: Service) => unknown, result: string, reason: RegExp]>([
  [
    'belongs to another student',
    (s) => s.change('session', 8, { email: 'carol@example.org' }),
    'changed',
    /now belongs to carol@example\.org/,
  ],
  ['is in another exam', (s) => s.change('session', 8, { exam_id: 2 }), 'changed', /now belongs to exam 2/],
  ['has started', (s) => s.change('session', 8, { status: 'exam_started' }), 'changed', /status is now "exam_started"/],
  ['is gone', (s) => s.truth.remove('session', 8), 'gone', /does not exist/],
])('Of several, one that is read again and %s is left as it is.', async (_what, meanwhile, result, reason) => {
  const { code, service, stdout } = await deleting((times, all) => {
    times.elapsed += 3000;
    meanwhile(all);
  });
  expect([code, service.writes()]).toEqual([9, [first]]);
  expect(JSON.parse(stdout)).toMatchObject([
    { session: 7, result: 'deleted' },
    { session: 8, result, reason: expect.stringMatching(reason) },
  ]);
});
