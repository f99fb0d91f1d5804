/**
 * An import at a service that refuses, loses or distorts answers, or that is stopped: each student is in the exam once, whatever it takes,
 * nobody is sent again without a look, and exit 0 is said only when all of it is so.
 */
import { describe, expect, test } from 'vitest';
import { interruption } from '../../runs/small-office.ts';
import { doneButReplies, ignored, lostAfter, lostBefore, type Reply, refused, type Service, shown } from '../../support/service.ts';
import { withoutUnset } from '../../support/truth.ts';
import { counted, errorOf, exam, one, opening, three } from './importing.ts';

const post = 'POST /exams/6/student_sessions';
const many = (rows: number) => `email\n${Array.from({ length: rows }, (_, at) => `s${at + 1}@example.org`).join('\n')}\n`;
const once = (service: ReturnType<typeof exam>['service']) => service.sessions.map(({ email }) => email).toSorted();

/** The answers to the POSTs of three students, in turn; what the import ends with, and what the same command once more. */
type Story = [what: string, replies: (Reply | undefined)[], code: number, first: Record<string, number>, again: Record<string, number>];
const whole = { unchanged: 3 };
const rest = { created: 1, unchanged: 2 };

test.each<Story>([
  ['is lost, and it was done', [undefined, lostAfter], 0, { created: 3 }, whole],
  ['is lost, and it was not done', [undefined, lostBefore], 9, { created: 2, absent: 1 }, rest],
  ['is lost, and it is done late', [{ answer: 'lost', done: 55_000 }], 0, { created: 3 }, whole],
  ['is a rejection', [undefined, refused(422, { message: 'the words of the service' })], 9, { created: 2, rejected: 1 }, rest],
  // What the first request came to can no longer be looked up.
  ['is a refused token', [undefined, refused(401)], 10, { unknown: 1, not_sent: 2 }, { created: 2, unchanged: 1 }],
  ['is a token that may not do this', [undefined, refused(403)], 9, { created: 1, not_sent: 2 }, { created: 2, unchanged: 1 }],
  ['is that there are too many, once', [refused(429, {}, { 'retry-after': '0.25' })], 0, { created: 3 }, whole],
  [
    'is that there are too many, without end',
    [undefined, ...Array(20).fill(refused(429))],
    9,
    { created: 1, not_sent: 2 },
    { created: 2, unchanged: 1 },
  ],
])('The same command does the rest, and each student is in the exam once: an answer that %s.', async (_, replies, code, first, again) => {
  const { service, imports } = exam();
  service.next(post, ...replies);
  const ended = await imports(three);
  expect([ended.code, counted(ended)], ended.stderr).toEqual([code, first]);
  expect(ended.stderr).not.toContain('not_sent:');
  if (first.rejected) expect(JSON.stringify(ended.report.lines)).toContain('the words of the service');
  if (first.absent)
    expect(errorOf(ended.stderr).hint).toMatch(/^Run the same command again: .*: proctor-cli sessions import .*roster\.csv --exam 6/);
  const second = await imports(three);
  expect([second.code, counted(second), service.sessions.length], second.stderr).toEqual([0, again, 3]);
});

describe('A lost answer', () => {
  test('three times in a row stops the run; all is looked up, and the same command goes on.', async () => {
    const { service, imports } = exam();
    service.next(post, undefined, lostAfter, lostAfter, lostAfter);
    const ended = await imports(many(100), '--rate 10');
    expect(ended.code).toBe(9);
    expect(errorOf(ended.stderr)).toMatchObject({ message: expect.stringContaining('3 requests in a row had no clear answer') });
    expect(service.posts()).toBeLessThan(100);
    expect((await imports(many(100))).code).toBe(0);
    expect([once(service).length, service.posts()]).toEqual([100, 100]);
  });

  test('to the PATCH of an open time does not repeat the POST, on a service that leaves out unset times, too.', async () => {
    for (const as of [undefined, withoutUnset]) {
      for (const lost of [lostBefore, lostAfter]) {
        const { service, imports } = exam({ showing: { as } });
        service.next('PATCH', lost);
        await imports(opening);
        const again = await imports(opening);
        const is = lost === lostAfter ? { unchanged: 1 } : { updated: 1 };
        expect([again.code, counted(again), service.posts()]).toEqual([0, is, 1]);
        expect(service.sessions).toMatchObject([{ open_time: '2127-02-01T08:30:00Z' }]);
      }
    }
  });
});

test.each([409, 422] as const)('A refusal as taken (%i) is looked up: who is there as in the file is unchanged.', async (status) => {
  const { service, imports } = exam({ taken: status });
  service.onArrival = ({ method }) => {
    if (method === 'POST' && service.sessions.length === 0) service.add({ email: 'ann@example.org', name: 'Ann' });
  };
  const ended = await imports(one);
  expect([ended.code, counted(ended), service.posts()]).toEqual([0, { unchanged: 1 }, 1]);
});

describe('An open time that was not set', () => {
  test('of a session that a colleague has created meanwhile with other values is not set by the same command either.', async () => {
    const { service, imports } = exam();
    service.next('POST', lostBefore);
    service.onArrival = ({ method }) => {
      if (method === 'POST') service.add({ email: 'ann@example.org', name: 'Colleague' });
    };
    const roster = 'email,name,open_time\nann@example.org,Ann,2127-02-01T08:30:00Z\n';
    const first = await imports(roster);
    const again = await imports(roster);
    expect([first, again].map(({ code }) => code)).toEqual([9, 11]);
    expect([counted(again), service.posts()]).toEqual([{ different: 1 }, 1]);
    expect(service.sessions).toMatchObject([{ name: 'Colleague' }]);
    expect(service.sessions[0]?.open_time ?? null).toBeNull();
  });

  test.each([
    ['refused', refused(422)],
    ['a conflict', refused(409)],
    ['a token', refused(401)],
    ['too many requests', refused(429)],
    ['a failure', refused(503)],
    ['answered and ignored', ignored],
    ['answered with a no', doneButReplies(200, { success: false })],
  ] satisfies [string, Reply][])('(%s) is no success; the same command sets it without --update, with a PATCH alone.', async (_, fault) => {
    const { service, imports } = exam();
    service.always('PATCH', { ...fault, done: 'never' });
    const ended = await imports(opening);
    expect(ended.code).toBeGreaterThanOrEqual(9);
    expect(ended.report.lines[0]).toMatchObject({
      session: 100,
      reason: expect.stringContaining('as session 100, but its open time is not set'),
    });
    service.fault = ({ method }) => (method === 'PATCH' ? {} : undefined);
    service.arrived.length = 0;
    const again = await imports(opening);
    expect([again.code, counted(again), service.writes()]).toEqual([0, { updated: 1 }, ['PATCH /student_sessions/100']]);
    expect(service.sessions).toMatchObject([{ open_time: '2127-02-01T08:30:00Z' }]);
  });

  test('of somebody whom nobody created from here is different, and set with --update only.', async () => {
    const { service, imports } = exam();
    service.add({ email: 'ann@example.org' });
    expect([(await imports(opening)).code, service.writes()]).toEqual([11, []]);
    expect(counted(await imports(opening, '--update'))).toEqual({ updated: 1 });
  });
});

describe('An ID that the service answers with', () => {
  test('of somebody who was there before is no double of theirs: the list decides.', async () => {
    const { service, imports } = exam();
    const zoe = service.add({ email: 'zoe@example.org' });
    service.always(
      post,
      shown((whole) => ({ ...whole, ...zoe })),
    );
    const ended = await imports('email\nzoe@example.org\nbob@example.org\n');
    expect([ended.code, counted(ended)]).toEqual([0, { created: 1, unchanged: 1 }]);
    expect((await service.run(`runs undo ${ended.report.run} --yes`)).stderr).not.toContain('100');
    expect(service.sessions).toContainEqual(expect.objectContaining({ email: 'zoe@example.org' }));
  });

  test('that another line has is no proof: the list shows that both are in the exam, once.', async () => {
    const { service, imports } = exam();
    let first: Record<string, unknown> | undefined;
    service.always(
      post,
      shown((whole) => {
        first ??= whole;
        return { ...whole, id: first.id };
      }),
    );
    const ended = await imports('email\nann@example.org\nbob@example.org\n');
    expect([ended.code, counted(ended)]).toEqual([0, { created: 2 }]);
    expect(counted(await imports('email\nann@example.org\nbob@example.org\n'))).toEqual({ unchanged: 2 });
    expect(service.posts()).toBe(2);
  });

  test('that another line has leaves that line unknown where no address is shown.', async () => {
    const { service, imports } = exam({ showing: { as: ({ email: _hidden, ...others }) => others } });
    service.always(
      post,
      shown((whole) => ({ ...whole, id: 100 })),
    );
    expect(counted(await imports('email\nann@example.org\nbob@example.org\n'))).toEqual({ created: 1, unknown: 1 });
  });

  test('and does not show is never sent again: the line stays unknown, the others go on, and closing the run ends it.', async () => {
    const { service, imports } = exam({ showing: { unseen: new Set([100]) } });
    const ended = await imports(three);
    expect([ended.code, counted(ended)]).toEqual([10, { created: 2, unknown: 1 }]);
    const again = await imports(`${three}dan@example.org,Dan\n`);
    expect([again.code, counted(again), service.posts()]).toEqual([10, { created: 1, unchanged: 2, unknown: 1 }, 4]);
    expect(again.report.lines[0]).toMatchObject({ action: 'unknown', reason: expect.stringContaining(`${ended.report.run}`) });
    expect(errorOf(again.stderr).hint).toContain(`proctor-cli runs close ${ended.report.run}`);
    expect((await service.run(`runs close ${ended.report.run}`)).code).toBe(0);
    expect((await imports(three)).code).not.toBe(10);
  });
});

test('Who came while the import was under way is not sent a second time.', async () => {
  const { service, imports } = exam();
  service.next(post, { takes: 120_000 });
  service.onArrival = ({ method, countOfMethod: count }) => {
    if (method === 'POST' && count === 1) service.add({ email: 's90@example.org' });
  };
  await imports(many(100), '--rate 1');
  await imports(many(100));
  expect(once(service)).toHaveLength(100);
});

test.each([
  ['a stop', 130, (_: Service, stop: AbortController) => stop.abort(interruption)],
  ['a service that goes away', 10, (service: Service) => Object.assign(service, { isAway: true })],
])('Of many lines a few are named after %s, all are counted, and each wait has its end.', async (_, code, happens) => {
  const { service, imports } = exam();
  const stop = new AbortController();
  service.onArrival = ({ countOfMethod, method }) => {
    if (method === 'POST' && countOfMethod === 60) happens(service, stop);
  };
  const ended = await imports(many(200), '-o table', { interrupt: stop.signal });
  const told = ended.stderr.split('\n');
  const waits = told.filter((line) => line.startsWith('Could not add'));
  expect([ended.code, waits.length > 0], ended.stderr).toEqual([code, service.isAway]);
  expect(told.length, ended.stderr).toBeLessThan(40);
  for (const line of waits) expect(line).toMatch(/ \d+ of 200 requests done\. Retrying in \d+ s, for .+ at most\.$/);
  expect(ended.stderr).toMatch(/\n… and \d+ more with an unknown outcome\.\n/);
  expect(ended.stderr).toMatch(/\nhint: Run the same command again: it goes on\./);
});

describe('Stopped after any number of requests', () => {
  const roster = `email,open_time\n${Array.from({ length: 5 }, (_, at) => `s${at}@example.org,${at % 2 ? '' : '2127-02-01T08:30:00Z'}`).join('\n')}\n`;
  const whole = 5 + 3 + 1 + 2 + 4;

  test.each(Array.from({ length: whole }, (_, n) => n + 1))('(%i), the same command brings each student into the exam once.', async (n) => {
    const { service, imports } = exam();
    service.add({ email: 's1@example.org' });
    const stop = new AbortController();
    service.onArrival = ({ index: number }) => {
      if (number === n) stop.abort(interruption);
    };
    const stopped = await imports(roster, '', { interrupt: stop.signal });
    expect([0, 130]).toContain(stopped.code);
    expect(stopped.stdout === '' || Object.hasOwn(JSON.parse(stopped.stdout), 'lines')).toBe(true);
    service.onArrival = () => {};
    const ended = await imports(roster);
    expect([ended.code, ended.stderr]).toEqual([0, expect.anything()]);
    expect(once(service)).toEqual(['s0', 's1', 's2', 's3', 's4'].map((name) => `${name}@example.org`));
    expect(service.sessions.filter(({ open_time }) => open_time !== null)).toHaveLength(3);
    expect(service.posts()).toBeLessThanOrEqual(5);
  });
});
