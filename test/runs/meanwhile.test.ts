/**
 * What others do meanwhile: a request that is still under way is waited for, a read that has become old is made again, and a question
 * holds no lock.
 */
import { describe, expect, test } from 'vitest';
import { ada, algebra } from '../support/algebra.ts';
import { Service } from '../support/service.ts';
import { create, failureIn, holds, killed, newExam, office } from './small-office.ts';

const update = 'exams update 1 --allow-headphones';

/** What is under way, what comes next; what that ends with and what is so in the end, where it arrives late, and where it never does. */
type End = [code: number, is: object];
const underWay: [under: string, next: string, late: End, never: End][] = [
  [update, update, [0, { restrictions: 'true true' }], [0, { restrictions: 'true true' }]],
  [update, 'exams update 1 --no-allow-whiteboard', [0, { restrictions: 'true false' }], [0, { restrictions: 'false false' }]],
  [create, create, [0, { writes: 1 }], [0, { writes: 2 }]],
  [create, 'students add --exam 1 --email EVE@example.org', [11, { who: 'ada bob eve' }], [0, { who: 'ada bob EVE' }]],
  [create, 'exams send-emails 1 --yes', [0, { who: 'ada bob eve' }], [0, { who: 'ada bob' }]],
  ['exams send-emails 1 --yes', 'exams send-emails 1 --yes', [0, { writes: 1 }], [11, { writes: 1 }]],
];

describe.each(['ada', 'a colleague'])('A request of a process of %s that was killed', (who) => {
  test.each(underWay)('(%s) is looked at until it cannot come late any more, before: %s', async (under, next, late, never) => {
    for (const done of [25_000, 'never'] as const) {
      const service = office();
      service.next('write', { answer: 'lost', done });
      const home = await killed(service, under, { env: { USER: who } });
      const began = service.clock.now();
      const { code, stderr } = await service.run(next, { home, env: { USER: 'ada' } });
      expect([code, holds(service)], stderr).toMatchObject(done === 'never' ? never : late);
      const [from, to] = done === 'never' ? [59, 62] : [24, 31];
      const took = (service.clock.now() - began) / 1000;
      expect(from <= took && took <= to, `${took} s`).toBe(true);
    }
  });
});

test('A request that is under way in another exam is nobody’s business.', async () => {
  const service = office();
  service.next('write', { answer: 'lost', done: 'never' });
  const home = await killed(service, create);
  const began = service.clock.now();
  expect((await service.run(create.replace('exam 1', 'exam 2'), { home })).code).toBe(0);
  expect(service.clock.now() - began).toBe(0);
});

/** Matters to nobody. */
const rename = (service: Service) => service.change('session', 8, { name: 'Robert' });

/** A process that is stopped for two minutes when its first write is about to leave, and what happens meanwhile. */
function stopped(service: Service, meanwhile: (service: Service) => unknown) {
  let isOver = false;
  const { dispatch } = service.dispatcher;
  const dispatcher = Object.assign(Object.create(service.dispatcher), {
    dispatch(...given: Parameters<typeof dispatch>) {
      if (given[0].method !== 'GET' && !isOver) {
        isOver = true;
        void service.clock.pass(120_000);
        meanwhile(service);
      }
      return dispatch(...given);
    },
  });
  return { dispatcher };
}

describe('A process that was stopped for two minutes between its read and its request', () => {
  const changes: [line: string, meanwhile: (service: Service) => unknown, code: number, words: RegExp][] = [
    [update, (s) => s.change('exam', 1, { allow_whiteboard: false }), 11, /allow_whiteboard is now false/],
    ['sessions update 7 --name Eve', (s) => s.change('session', 7, { email: 'eve@example.org' }), 11, /now belongs to eve@example\.org/],
    ['sessions update 7 --name Eve', (s) => s.change('session', 7, { exam_id: 2 }), 11, /now belongs to exam 2/],
    ['sessions delete 7 --yes', (s) => s.change('session', 7, { email: 'eve@example.org' }), 11, /now belongs to eve@example\.org/],
    ['sessions delete 7 --yes', (s) => s.change('session', 7, { status: 'exam_started' }), 11, /status is now "exam_started"/],
    ['sessions delete 7 --yes', (s) => s.truth.remove('session', 7), 6, /does not exist/],
    ['exams delete 1 --yes', (s) => s.change('exam', 1, { name: 'Analysis' }), 11, /Analysis/],
    [create, (s) => s.add({ email: 'EVE@example.org' }), 11, /by now, as session 101/],
    [newExam, (s) => s.truth.createExam({ name: 'Optics', start_time: '2127-05-01T08:00:00Z' }), 11, /by now, as exam 101/],
  ];

  test.each(changes)('reads again, and sends only where all is as it was: %s', async (line, meanwhile, code, words) => {
    const changed = office();
    const outcome = await changed.run(`${line} -o json`, stopped(changed, meanwhile));
    expect([outcome.code, changed.writes(), failureIn(outcome).message]).toEqual([code, [], expect.stringMatching(words)]);
    const [alone, service] = [office(), office()];
    expect((await alone.run(line)).code).toBe(0);
    const { code: is, stderr } = await service.run(
      line,
      // That a student was mailed is no difference.
      stopped(service, (s) => s.change('session', 7, { status: 'mail_sent' })),
    );
    expect([is, service.writes()], stderr).toEqual([0, alone.writes()]);
    expect(service.requests().length).toBeGreaterThan(alone.requests().length);
  });
});

test.each([
  ['not at all', 0, 0],
  ['two seconds by both clocks', 2000, 2000],
  ['more by both clocks', 2001, 2001],
  ['more by the wall clock', 2001, 0],
  ['more by the other clock, and the wall clock was set back', -3_600_000, 2001],
])('A second deletion reads its own target right before it, however the clocks went on: %s.', async (_what, wall, elapsed) => {
  const service = office();
  const times = { wall: Date.parse('2027-01-04T08:00:00Z'), elapsed: 0 };
  service.onArrival = ({ line }) => {
    if (line === 'DELETE /student_sessions/7') Object.assign(times, { wall: times.wall + wall, elapsed: times.elapsed + elapsed });
  };
  expect((await service.run('sessions delete 7 8 --yes', { now: () => times.wall, elapsed: () => times.elapsed })).code).toBe(0);
  const between = service.requests().slice(service.requests().indexOf('DELETE /student_sessions/7') + 1);
  expect(between.slice(0, between.indexOf('DELETE /student_sessions/8'))).toEqual(['GET /student_sessions/8']);
});

test.each([2, 3, 6, 7])('A read serves no write before which another read has taken too long (%i slow reads).', async (slow) => {
  // Here a running exam is protected, and so its times are read as well.
  const service = new Service({ exams: [algebra], sessions: [ada] });
  service.next('GET', ...Array(slow).fill({ takes: 2500 }));
  const { code, stderr } = await service.run('sessions update 7 --close-time 2127-02-01T09:30:00Z');
  expect([code, service.requests()], stderr).toEqual([0, expect.arrayContaining(['GET /exams/1'])]);
  const written = service.arrived.find(({ method }) => method === 'PATCH');
  const read = service.arrived.findLast(({ line, index: n }) => line === 'GET /student_sessions/7' && n < (written?.index ?? 0));
  const answered = (read?.at ?? 0) + ((read?.index ?? 0) <= slow ? 2500 : 0);
  expect((written?.at ?? 0) - answered).toBeLessThanOrEqual(2000);
});

test('A session that a list has just shown as somebody else’s is not written to, whoever its own read of before has shown.', async () => {
  const service = new Service({ exams: [algebra], sessions: [{ ...ada, open_time: '2127-02-01T08:15:00Z' }] });
  const shift = 'exams update 1 --start 2127-01-31T08:00:00Z --end 2127-01-31T10:00:00Z --allow-headphones --yes';
  expect((await service.run(shift)).code).toBe(0);
  const run = (await service.run('runs list -o id')).stdout.trim();
  service.onArrival = ({ line }) => void (line.endsWith('s') && service.change('session', 7, { email: 'eve@example.org' }));
  const { code, stderr } = await service.run(`runs undo ${run} --yes`);
  expect([code, service.sessions[0]?.open_time], stderr).toEqual([9, '2127-01-31T08:15:00Z']);
});

describe('While a question is open for an hour', () => {
  const lines: [line: string, typed: string | true, changed: (service: Service) => unknown][] = [
    ['sessions delete 7', true, (s) => s.change('session', 7, { email: 'eve@example.org' })],
    ['sessions delete 7', true, (s) => s.change('session', 7, { status: 'exam_started' })],
    ['sessions delete 7', true, (s) => s.change('session', 7, { exam_id: 2 })],
    ['exams delete 1', '1', (s) => s.add({ email: 'eve@example.org' })],
    ['exams send-emails 1', true, (s) => s.add({ email: 'eve@example.org' })],
  ];
  /** Answers with that once something was done, and then with no. */
  const asked = (service: Service, line: string, typed: string | true, act: () => Promise<unknown>, second: string | boolean = false) =>
    service.run(line, { tty: true, answers: [() => act().then(() => typed), second || (typed === true ? false : '')] });

  test.each(lines)('no lock is held, and a change of something else is none: %s', async (line, typed) => {
    const service = office();
    const { code, questions, stderr } = await asked(service, line, typed, async () => {
      const began = service.clock.now();
      for (const beside of [update, 'sessions create --exam 2 --email fay@example.org', `${line} --dry-run`])
        expect((await service.run(beside)).code).toBe(0);
      expect(service.clock.now()).toBe(began);
      rename(service);
      await service.clock.pass(3_600_000);
    });
    expect([code, questions.length], stderr).toEqual([0, 1]);
  });

  test.each(lines)('what has changed is asked about again, and a no sends nothing: %s', async (line, typed, changed) => {
    for (const again of [typed, false]) {
      const service = office();
      const { code, questions, stderr } = await asked(service, line, typed, async () => changed(service), again);
      expect([code, new Set(questions).size, service.writes().length], stderr).toEqual(again ? [0, 2, 1] : [130, 2, 0]);
    }
  });

  test('what another process has changed is known where all reads are behind, too', async () => {
    const service = office();
    const { code, questions, stderr } = await asked(service, 'sessions delete 7', true, async () => {
      await service.clock.pass(3_600_000);
      const { email = null } = service.sessions[0] ?? {};
      await service.run('sessions update 7 --email eve@example.org');
      const until = service.clock.now() + 4000;
      service.showing = { as: (shown) => (shown.id === 7 && service.clock.now() < until ? { ...shown, email } : shown) };
    });
    expect([code, new Set(questions).size, service.sessions.length], stderr).toEqual([11, 1, 2]);
  });

  test.each(lines)('another process may do the same, and then nothing is sent for it: %s', async (line, typed) => {
    const service = office();
    const { code } = await asked(service, line, typed, async () => expect((await service.run(`${line} --yes`)).code).toBe(0));
    expect([code === 0, service.writes().length]).toEqual([false, 1]);
  });
});
