/** What is sent again: by `runs resume`, by the same command, by another process whose clock is wrong. */
import { describe, expect, test } from 'vitest';
import { killed, openRun } from '../runs/small-office.ts';
import { ada, algebra, bob, serviceWithExam } from '../support/algebra.ts';
import { lostAfter, lostBefore, refused, type Service } from '../support/service.ts';
import { done, latest, listed, posts } from '../support/story.ts';

const office = () => serviceWithExam({ sessions: [ada, bob], showing: { dated: true } });
const addresses = ({ sessions }: Service) => sessions.map(({ email }) => email).sort();

describe('story 11: an address that somebody else has got meanwhile', () => {
  /** A new address that was rejected; then a colleague registers it. */
  const rejected = async () => {
    const service = office();
    service.next('PATCH', refused(422));
    expect((await service.run('sessions update 7 --email zoe@example.org')).code).toBe(7);
    service.add({ email: 'Zoe@example.org' });
    return service;
  };

  test('story 11: is not set by `runs resume`', async () => {
    const service = await rejected();
    await done(service, `runs resume ${await latest(service)} --yes`, 11);
    expect(addresses(service)).toEqual(['Zoe@example.org', 'ada@example.org', 'bob@example.org']);
  });

  test('story 11: is not given to two sessions by one command', async () => {
    const { service } = await done(office(), 'sessions update 7 8 --email zoe@example.org', [2, 3, 9, 11]);
    expect(addresses(service).filter((email) => email === 'zoe@example.org').length).toBeLessThan(2);
  });

  test('story 11: is set by `runs resume` and by `api` where it is free', async () => {
    const service = office();
    service.next('PATCH', refused(422));
    await service.run('sessions update 7 --email zoe@example.org');
    await done(service, `runs resume ${await latest(service)} --yes`);
    await done(service, 'api PATCH /student_sessions/8 -f email=eve@example.org');
    expect(addresses(service)).toEqual(['eve@example.org', 'zoe@example.org']);
  });
});

describe('story 14: steps of a student who was forgotten', () => {
  const second = { ...algebra, id: 2, name: 'Analysis' };
  const students = ['a', 'b', 'c'].map((name, at) => ({ ...ada, id: 11 + at, email: `${name}@example.org`, name }));
  const exams = () => serviceWithExam({ exams: [algebra, second], sessions: students, showing: { dated: true } });
  const line = 'sessions move 11 12 13 --exam 2 --yes';
  const whereIs = ({ sessions }: Service, name: string) =>
    sessions.filter(({ email }) => email === `${name}@example.org`).map(({ exam_id }) => exam_id);

  test('whoever forgets what was never recorded is told so: an exam is recorded by its ID', async () => {
    const service = exams();
    for (const [about, name] of [
      ['--exam Algebra', 'exam Algebra: an exam is recorded by its ID.'],
      ['--student eve@example.org', 'eve@example.org.'],
    ] as const)
      await done(service, `runs forget ${about} --yes`, 0, `Nothing was recorded of ${name}`);
  });

  test('story 14: an open run that has steps of the student is not forgotten in part: 10', async () => {
    const service = exams();
    const home = await killed(service, line, { writes: 3 });
    const run = await openRun(service, home);
    await done(service, 'runs forget --student a@example.org --yes', 10, `runs close ${run}`, { home });
    await done(service, `runs resume ${run} --yes`, 0, { home });
    for (const name of ['a', 'b', 'c']) expect(whereIs(service, name)).toEqual([2]);
  });

  test('story 14: the steps of the others keep what they refer to', async () => {
    const service = exams();
    // The copies of b and c are there, their old sessions are not deleted yet.
    service.fault = ({ line: request }) => (/DELETE .*1[23]$/.test(request) ? refused(422) : undefined);
    expect((await service.run(line)).code).toBe(9);
    const run = await latest(service);
    expect((await service.run('runs forget --student a@example.org --yes')).code).toBe(0);
    // Somebody deletes the copy of b: then its old session is all there is.
    const copy = service.sessions.find(({ email, exam_id }) => email === 'b@example.org' && exam_id === 2);
    service.truth.set('session', { ...copy, exam_id: 2, email: 'somebody@example.org' });
    service.fault = () => undefined;
    await done(service, `runs resume ${run} --yes`, [9, 11]);
    expect(whereIs(service, 'b')).toEqual([1]);
    expect(whereIs(service, 'c')).toEqual([2]);
  });

  test('story 14: a forgotten step is neither undone nor shown with its student, and the run says so', async () => {
    const { service } = await done(exams(), line);
    const run = await latest(service);
    expect((await service.run('runs forget --student a@example.org --yes')).code).toBe(0);
    const shown = await done(service, `runs show ${run} -o json`);
    expect(shown.stdout).not.toMatch(/a@example\.org|"session":11\b/);
    expect(`${shown.stdout}${shown.stderr}`).toContain('forgotten');
    await done(service, `runs undo ${run} --yes`, 9);
    expect(whereIs(service, 'a')).toEqual([2]);
    for (const name of ['b', 'c']) expect(whereIs(service, name)).toEqual([1]);
  });

  test('story 14: a student who is known by the number alone is forgotten by it', async () => {
    const { service } = await done(exams(), 'config set dialect.sessionNumberKey number');
    service.add({ number: 'M-100', name: 'Eve' });
    await done(service, 'sessions move 101 --exam 2 --yes', 0, 'session 101 M-100');
    await done(service, 'runs forget --student M-100 --yes');
    expect(await listed(service)).toEqual([]);
  });

  test('story 14: a student is forgotten by an address that was given, or under which the service has stored it', async () => {
    const service = serviceWithExam({ sessions: [ada, bob], habits: { kept: (address) => address.replace('+tag', '') } });
    await done(service, 'sessions update 7 --email Zoe@example.org');
    await done(service, 'sessions create --exam 1 --email eve+tag@example.org', [0, 9]);
    await done(service, 'sessions update 8 --name Robert');
    for (const who of ['zoe', 'EVE']) await done(service, `runs forget --student ${who}@example.org --yes`);
    expect(await listed(service)).toMatchObject([{ command: 'sessions update 8 --name NAME' }]);
  });

  test('story 14: at another service, half of a delay is not forgotten, which its next delay would add to', async () => {
    const own = { ...ada, close_time: '2127-02-01T10:30:00Z' };
    const [here, there] = [exams(), serviceWithExam({ sessions: [own], showing: { dated: true } })];
    const home = await killed(there, 'exams delay 1 --by 15m --yes');
    const run = await openRun(there, home);
    await done(there, `runs close ${run}`, 9, { home });
    const forget = 'runs forget --student ada@example.org';
    await done(here, `${forget} --yes`, 11, { home }, there.origin, `proctor-cli ${forget} --profile`);
    await done(there, 'exams delay 1 --by 15m --yes --again', 11, { home });
    await done(there, `runs undo ${run} --yes`, 0, { home });
    await done(there, `${forget} --yes`, 0, { home });
  });

  test('story 14: a run of which all is forgotten is gone', async () => {
    const service = serviceWithExam({ sessions: [ada], showing: { dated: true } });
    await service.run('sessions create --exam 1 --email eve@example.org');
    expect((await service.run('runs forget --student eve@example.org --yes')).code).toBe(0);
    expect(JSON.parse((await service.run('runs list -o json')).stdout)).toEqual([]);
  });
});

describe('story 16: a process that was killed, and a clock that was set', () => {
  const create = 'sessions create --exam 1 --email eve@example.org';
  const roster = { stdin: 'email\neve@example.org\n' };
  const minute = 60_000;

  /** Killed when its request has left; that arrives so many milliseconds later. */
  const inFlight = async (service: Service, line: string, later: number, world = {}) => {
    service.next('POST', { answer: 'lost', done: later });
    return killed(service, line, { ...world, writes: 1 });
  };

  test.each([
    ['sessions create', create, {}],
    ['sessions import', 'sessions import - --exam 1 --yes', roster],
  ])('story 16: %s is not sent again while the first request can still arrive, whatever the clock says', async (_what, line, world) => {
    for (const jump of [60 * minute, -60 * minute]) {
      const service = office();
      const home = await inFlight(service, line, 25_000, world);
      service.clock.jump(jump);
      await done(service, line, 0, { home, ...world });
      await service.clock.pass(2 * minute);
      expect(addresses(service).filter((email) => email === 'eve@example.org')).toHaveLength(1);
    }
  });

  test.each([
    ['both show it: nothing is awaited', 0, 10_000],
    ['this one was set back: it is awaited, and sent all the same', -11 * minute, 2 * minute],
  ])("story 16: by the service's clock and by this one it is over after ten minutes: %s", async (_, jump, waitsAtMost) => {
    const service = office();
    service.next('POST', lostBefore);
    const home = await killed(service, create, { writes: 1 });
    await service.clock.pass(11 * minute);
    service.clock.jump(jump);
    const again = await done(service, create, 0, { home });
    expect(again.waits.reduce((sum, wait) => sum + wait, 0)).toBeLessThan(waitsAtMost);
    expect(posts(service)).toBe(2);
  });

  test.each([60 * minute, -60 * minute])(
    'story 16: an amount is added once in the service’s hour, this clock set by %i ms',
    async (jump) => {
      const service = serviceWithExam({ sessions: [{ ...ada, close_time: '2127-02-01T10:30:00Z' }], showing: { dated: true } });
      const line = 'sessions extend 7 --by 15m --yes';
      expect((await service.run(line)).code).toBe(0);
      service.clock.jump(jump + Math.sign(jump) * minute);
      await done(service, line, 11);
      expect(service.sessions[0]?.close_time).toBe('2127-02-01T10:45:00Z');
    },
  );
});

describe('story 18: a request that nothing can look up', () => {
  const line = 'api POST /exams/1/grade -F x=1';

  test.each([
    ['lost', lostAfter],
    ['never there', lostBefore],
  ])('story 18: whose answer is %s is not sent again by the same command: 10', async (_what, reply) => {
    const service = office();
    service.next('POST', reply);
    await done(service, line, 10);
    const again = await done(service, line, 10);
    const run = await latest(service);
    expect(again.stderr).toContain(`runs close ${run}`);
    await done(service, `runs resume ${run} --yes`, 10);
    expect(posts(service)).toBe(1);
  });

  test('story 18: after its run was closed it is a new request', async () => {
    const service = office();
    service.next('POST', lostBefore);
    await service.run(line);
    await service.run(`runs close ${await latest(service)}`);
    await service.run(line);
    expect(posts(service)).toBe(2);
  });

  test('story 18: is known again in another spelling of the same line, and its run is ended by what is printed', async () => {
    const service = office();
    service.next('POST', lostBefore);
    await service.run('api POST /exams/1/grade?y=2&z=3 -F x=1');
    for (const same of ['api POST /api/v1/exams/1/grade?z=3&y=2 -F x=1', 'api POST exams/1/grade?y=2&z=3 --body -'])
      expect((await service.run(same, { stdin: '{"x":1}' })).code).toBe(10);
    expect(posts(service)).toBe(1);
    const run = await latest(service);
    for (const line of [`runs show ${run}`, `runs undo ${run} --yes`]) {
      const { stderr } = await service.run(line);
      expect(stderr).toContain(`proctor-cli runs close ${run}`);
      expect(stderr).not.toContain('runs resume');
    }
  });
});
