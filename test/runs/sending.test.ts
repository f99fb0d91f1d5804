/** What is sent again, when a run stops, and how what was sent is looked up. */
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { CliError } from '../../src/errors.ts';
import { RunRecord } from '../../src/record/record.ts';
import { ada, algebra, serviceWithExam } from '../support/algebra.ts';
import { ignored, lostAfter, lostBefore, type Reply, refused } from '../support/service.ts';
import { timeLimit } from '../support/time-limit.ts';
import { interruption, openRun } from './small-office.ts';

/** Sessions 1001, 1002, …, in turn in one of these exams. */
const office = (number: number, exams = 1) =>
  serviceWithExam({
    exams: Array.from({ length: exams }, (_, at) => ({ ...algebra, id: at + 1 })),
    sessions: Array.from({ length: number }, (_, at) => ({ ...ada, id: 1001 + at, exam_id: 1 + (at % exams), email: `s${at}@x.org` })),
  });
const ids = (number: number) => Array.from({ length: number }, (_, at) => 1001 + at).join(' ');
const deleting = (number: number) => `sessions delete ${ids(number)} --yes -o json`;
const results = (stdout: string) => (JSON.parse(stdout) as { result: string }[]).map(({ result }) => result).join(' ');
const update = 'exams update 1 --allow-headphones';
const limit = (seconds: string): Reply => refused(429, {}, { 'retry-after': seconds });

test.each(['0', '1', '30', '2, 2'])('A refused write (429) is sent ten times, and stays planned: Retry-After %s', async (seconds) => {
  const service = office(0);
  service.next('PATCH', ...Array(10).fill(limit(seconds)));
  const { code, stderr } = await service.run(update);
  expect([code, service.writes().length], stderr).toEqual([8, 10]);
  // Of a run of which nothing was sent, nothing is said.
  const again = await service.run(update);
  expect([again.code, service.writes().length, again.stderr.includes('Run ')]).toEqual([0, 11, false]);
});

test('A refused one keeps no other from being sent, and is tried again by `runs resume`.', async () => {
  const service = office(3);
  service.next('DELETE /student_sessions/1002', ...Array(10).fill(limit('1')));
  const { code, stdout, stderr } = await service.run(deleting(3));
  expect([code, results(stdout)], stderr).toEqual([9, 'deleted planned deleted']);
  expect((await service.run(`runs resume ${await openRun(service)} --yes`)).code).toBe(0);
  expect(service.sessions).toEqual([]);
});

test('What was read before others were refused is read again, if it has become old meanwhile.', async () => {
  const service = office(100);
  service.always('DELETE', { takes: 10 });
  service.fault = ({ line, countOfLine: again }) =>
    line === 'DELETE /student_sessions/1001' && again === 1 ? { ...limit('11'), takes: 10 } : undefined;
  let changed: number[] | undefined;
  service.onAnswer = ({ method }) => {
    if (method === 'GET' || changed) return;
    const sent = new Set(service.arrived.filter(({ line }) => line.startsWith('DELETE')).map(({ path }) => Number(path.slice(-4))));
    changed = service.sessions.map(({ id }) => id).filter((id) => !sent.has(id));
    for (const id of changed) service.change('session', id, { email: `other${id}@example.org` });
  };
  expect((await service.run(deleting(100))).code).toBe(9);
  expect(service.sessions.map(({ id }) => id)).toEqual(changed);
});

test.each([
  ['Three unclear answers in a row stop the rest', [undefined, lostBefore, lostBefore, lostBefore], 9, 4],
  ['Unclear answers with clear ones between them stop nothing', [lostAfter, lostAfter, undefined, lostAfter, lostAfter], 0, 6],
  ['A rejection is a clear answer', [lostAfter, lostAfter, refused(422), lostAfter, lostAfter], 9, 6],
  ['A refused token stops the run', [undefined, refused(401)], 9, 2],
])('%s.', async (_what, replies, code, writes) => {
  const service = office(6);
  service.next('DELETE', ...replies);
  const { code: is, stderr } = await service.run(deleting(6));
  expect([is, service.writes().length], stderr).toEqual([code, writes]);
});

test('Unclear answers of one burst count once, and three bursts stop the rest.', async () => {
  const service = office(40);
  service.next('DELETE', ...Array(8).fill(lostAfter));
  expect((await service.run(deleting(40))).code).toBe(0);
  // No more than 64 are in flight, the reads before them aside, and each burst halves that.
  const away = office(200);
  away.always('DELETE', { ...lostBefore, takes: 80 });
  const { code, stdout } = await away.run(deleting(200));
  expect([code, away.writes().length <= 80 + 41 + 21]).toEqual([7, true]);
  expect(results(stdout).match(/planned/g)).toHaveLength(200 - away.writes().length);
});

test('Unclear answers to the reads before a write stop the rest as well.', async () => {
  const service = office(6);
  service.fault = ({ method }) => (method === 'GET' && service.writes().length > 0 ? refused(502) : undefined);
  service.next('DELETE', { takes: 3000 });
  expect([(await service.run(deleting(6))).code, service.writes().length]).toEqual([10, 1]);
});

test('What the token may not do to one exam ends that exam.', async () => {
  const service = office(4, 2);
  service.next('DELETE /student_sessions/1002', refused(403));
  const { code, stdout } = await service.run(deleting(4));
  expect([code, results(stdout), service.writes().length]).toEqual([9, 'deleted planned deleted planned', 3]);
});

test('Refused writes that were sent at once are not called unknown: what has failed then is the output.', async () => {
  const service = office(20);
  service.always('DELETE', { ...refused(422), takes: 80 });
  const breakStdout = new CliError('output_failed', 'Could not write the output.');
  expect([(await service.run(deleting(20), { breakStdout })).code, service.writes().length]).toEqual([3, 20]);
});

describe('An interruption', () => {
  test.each([
    ['between two tries', limit('100')],
    ['while a result is looked up', lostBefore],
    ['while what was answered is not shown', ignored],
  ])('ends the waiting at once: %s.', async (_what, reply) => {
    const service = office(0);
    service.always('PATCH', reply);
    const stop = new AbortController();
    service.onArrival = ({ method }) => {
      if (method !== 'GET') void service.clock.wait(5000).then(() => stop.abort(interruption));
    };
    const began = service.clock.now();
    expect([(await service.run(update, { interrupt: stop.signal })).code, service.writes().length]).toEqual([130, 1]);
    expect(service.clock.now() - began).toBeLessThan(10_000);
  });

  test.each([
    ['comes within that', 'deleted planned', interruption],
    ['does not', 'unknown planned', interruption],
    ['does not', 'unknown planned', new CliError('terminated', 'Stopped by SIGTERM.')],
  ])('gives a request that is under way five seconds, where its answer %s: %s', async (_what, all, reason) => {
    const service = office(2);
    const stop = new AbortController();
    const { end } = timeLimit(5);
    const { promise, resolve } = Promise.withResolvers<void>();
    const answers = all.startsWith('deleted');
    service.next('DELETE', answers ? { takes: promise } : { answer: 'none' });
    service.onArrival = ({ countOfMethod: count, method }) => {
      if (method !== 'DELETE' || count > 1) return;
      stop.abort(reason);
      setImmediate(answers ? resolve : end);
    };
    const { code, stdout, stderr } = await service.run(deleting(2), { interrupt: stop.signal });
    expect([code, results(stdout), service.requests().at(-1)], stderr).toEqual([reason.exit, all, 'DELETE /student_sessions/1001']);
    // What is unknown is said, and the way on.
    if (!answers) expect(stderr).toMatch(/proctor-cli runs resume .*outcome is unknown/is);
    expect([(await service.run(deleting(2))).code, service.sessions.length]).toEqual([0, 0]);
  });
});

test('200 lost answers are looked up side by side, in two seconds of reads, and the record is read once a turn.', async () => {
  const service = office(300, 300);
  service.always('GET', { takes: 80 });
  const isLost = (path: string) => Number(path.slice(-4)) % 3 !== 0;
  service.fault = ({ method, path }) => (method === 'PATCH' && isLost(path) ? { ...lostAfter, takes: 80 } : undefined);
  const find = vi.spyOn(RunRecord.prototype, 'find');
  onTestFinished(() => find.mockRestore());
  const { code, stderr } = await service.run(`sessions update ${ids(300)} -F seat=A1 -o json`);
  expect([code, service.written().length], stderr.slice(0, 500)).toEqual([0, 300]);
  const answered = Math.max(...service.written().map(({ at }) => at)) + 80;
  expect(service.clock.now() - answered).toBeLessThanOrEqual(2000);
  expect(find.mock.calls.length).toBeLessThanOrEqual(3);
});

test.each([-3_600_000, 3_600_000])('The settle time is that of no wall clock: one that is set by %i ms changes nothing.', async (jump) => {
  for (const done of [25_000, 'never'] as const) {
    const service = office(0);
    service.next('PATCH', { answer: 'lost', done });
    service.onAnswer = ({ method }) => void (method === 'PATCH' && service.clock.later(10_000, () => service.clock.jump(jump)));
    const began = service.clock.now();
    const { code } = await service.run(update, { elapsed: () => service.clock.now() });
    const took = service.clock.now() - began;
    expect([code, took >= (done === 'never' ? 60_000 : 25_000), took <= 62_000]).toEqual([done === 'never' ? 7 : 0, true, true]);
  }
});

test('Of creates that are awaited, the exam is named once.', async () => {
  const service = office(0);
  service.next('POST', lostBefore, lostBefore);
  const { stderr } = await service.run('sessions import - --exam 1 --yes', { stdin: 'email\nada@example.org\nben@example.org\n' });
  expect(stderr).toContain('the result of 2 requests (exam 1) yet');
});

test.each([true, false])('After three seconds it is said what is awaited, and how long (on a terminal: %s).', async (tty) => {
  for (const done of [25_000, 2000]) {
    const service = office(1);
    service.next('PATCH', { done });
    const { code, stderr } = await service.run('sessions update 1001 --name Eve', { tty });
    expect(code, stderr).toBe(0);
    expect(/does not show the result of 1 request \(student session 1001\) yet. Looking for 5\d s at most/.test(stderr)).toBe(done > 3000);
  }
});
