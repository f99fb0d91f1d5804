/** What is sent once more, or beside somebody: at services that show less, with clocks that lie, after a forget, a close or an undo. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { interruption, killed } from '../runs/small-office.ts';
import { ada, algebra, bob, serviceWithExam } from '../support/algebra.ts';
import type { World } from '../support/run.ts';
import { lostAfter, lostBefore, type Reply, refused, type Service, type ServiceOptions } from '../support/service.ts';
import { latest, names } from '../support/story.ts';
import type { Fields } from '../support/truth.ts';
import { done } from './attacked-office.ts';

const second = { ...algebra, id: 2, name: 'Analysis' };
const office = (options: ServiceOptions = {}) =>
  serviceWithExam({ exams: [algebra, second], sessions: [ada, bob], showing: { dated: true }, ...options });
const minute = 60_000;
const create = 'sessions create --exam 1 --email eve@example.org';
const ofLists =
  (as: (record: Fields) => Fields) =>
  (record: Fields, { line }: { line: string }) =>
    /^GET .*student_sessions$/.test(line) ? as(record) : record;

describe('An address of somebody else', () => {
  const lines = ['sessions update 7 --email bob@example.org', 'api PATCH /student_sessions/7 -f email=bob@example.org'];

  const shows: [what: string, as: (record: Fields, request: { line: string }) => Fields][] = [
    ['a session shows no exam', ({ exam_id: _, ...record }) => record],
    ['the list shows a null in the place of each address', ofLists((record) => ({ ...record, email: null }))],
    ['the list leaves out the addresses', ofLists(({ email: _, ...record }) => record)],
  ];
  test.each(shows.flatMap(([what, as]) => lines.map((line) => [what, line, as] as const)))(
    'story 11: is not set where %s: %s',
    async (_what, line, as) => {
      const service = office();
      service.showing.as = as;
      const { code } = await service.run(line);
      expect([[3, 11].includes(code), names(service)]).toEqual([true, 'ada bob']);
    },
  );

  test('story 11: is not set in other letters, by PUT, by a typed field, or back by an undo', async () => {
    const service = office();
    for (const line of [
      ...['sessions update 7 --email BOB@example.org', 'sessions update 7 -F email=Bob@Example.org'],
      ...['sessions update 7 --put --email bob@example.org --yes', 'api PUT /student_sessions/7 -f email=BOB@example.org'],
      'api PATCH /student_sessions/7 -f email=bob@example.org',
    ])
      await done(service, line, 11);
    await done(service, 'sessions update 7 --email eve@example.org');
    const undo = `runs undo ${await latest(service)} --yes`;
    await done(service, 'sessions update 8 --email ada@example.org');
    await done(service, undo, 11);
    expect(names(service)).toBe('eve ada');
  });

  describe('or a number', () => {
    const numbered = async () => {
      const service = office({
        sessions: [
          { ...ada, number: '11' },
          { ...bob, number: '12' },
        ],
      });
      await service.run('config set dialect.sessionNumberKey number');
      return service;
    };
    const numbers = (service: Service) => service.sessions.map(({ number }) => number);

    test('story 11: is not set by an update, by `api`, or by an import with --update', async () => {
      const service = await numbered();
      await done(service, 'sessions update 7 -f number=12', 11);
      await done(service, 'api PATCH /student_sessions/7 -f number=12', 11);
      const stdin = 'number,email\n11,bob@example.org\n';
      await done(service, 'sessions import - --exam 1 --update --map number=number --yes', 11, { stdin });
      expect(numbers(service)).toEqual(['11', '12']);
    });

    test('story 11: is not given to two sessions by one command', async () => {
      const service = await numbered();
      await service.run('sessions update 7 8 -f number=13');
      expect(new Set(numbers(service)).size).toBe(2);
    });
  });
});

describe('A student who was forgotten', () => {
  const students = ['a', 'b', 'c'].map((name, at) => ({ ...ada, id: 11 + at, email: `${name}@example.org`, name }));
  const move = 'sessions move 11 12 13 --exam 2 --yes';

  test('story 14: stays where the last undo has put them; the others go to and fro', async () => {
    const { service } = await done(office({ sessions: students }), move);
    await done(service, `runs undo ${await latest(service)} --yes`);
    await done(service, 'runs forget --student A@Example.org --yes');
    await done(service, `runs undo ${await latest(service)} --yes`, 9);
    expect([names(service, 1), names(service, 2)]).toEqual(['a', 'b c']);
    await done(service, `runs undo ${await latest(service)} --yes`);
    expect([names(service, 1).split(' ').toSorted().join(' '), names(service, 2)]).toEqual(['a b c', '']);
  });

  test('story 14: in a clone is in the way of no other one, and keeps the exam', async () => {
    const own = { open_time: '2127-02-01T08:15:00Z' };
    const service = office({ sessions: students.map((student) => ({ ...student, ...own })) });
    service.next('PATCH', undefined, refused(422));
    await done(service, 'exams clone 1 --start 2127-05-01T08:00:00Z --with-students --yes', 9);
    const run = await latest(service);
    await done(service, 'runs forget --student a@example.org --yes');
    await done(service, `runs resume ${run} --yes`);
    expect(service.truth.inExam(101).map(({ open_time }) => open_time)).toEqual(Array(3).fill('2127-05-01T08:15:00Z'));
    await done(service, `runs undo ${run} --yes`, 9);
    expect([names(service, 101), service.exams.length]).toEqual(['a', 3]);
  });

  test('story 14: with the exam to which they were moved: nothing more is deleted, and no resumption is offered', async () => {
    const service = office({ sessions: students });
    service.fault = ({ line }) => (line === 'DELETE /student_sessions/12' ? refused(422) : undefined);
    await done(service, move, 9);
    const run = await latest(service);
    service.fault = () => undefined;
    await done(service, 'runs forget --exam 2 --yes');
    const { code, stderr } = await service.run(`runs resume ${run} --yes`);
    expect([names(service, 1), names(service, 2)]).toEqual(['b', 'a b c']);
    expect([code, stderr]).toEqual([11, expect.not.stringContaining(`runs resume ${run}`)]);
  });

  test('story 14: has a window that a delay moved; its undo takes the minutes from neither exam nor window', async () => {
    const { service } = await done(office({ sessions: [{ ...ada, close_time: '2127-02-01T10:30:00Z' }] }), 'exams delay 1 --by 15m --yes');
    await done(service, 'runs forget --student ada@example.org --yes');
    const { code, stderr } = await service.run(`runs undo ${await latest(service)} --yes`);
    expect([9, 11]).toContain(code);
    expect([service.exams[0]?.end_time, service.sessions[0]?.close_time], stderr).toEqual(['2127-02-01T10:15:00Z', '2127-02-01T10:45:00Z']);
  });
});

describe('A session that was given to somebody else', () => {
  const renaming = ['sessions update 7 --name Adele', 'api PATCH /student_sessions/7 -F name=Adele'];
  test.each(renaming)('story 11: after Ctrl-C, the same command leaves them as they are, and names them: %s', async (line) => {
    const service = office({ sessions: [ada] });
    const stop = new AbortController();
    service.onAnswer = ({ method }) => void (method !== 'GET' && stop.abort(interruption));
    expect((await service.run(line, { interrupt: stop.signal })).code).toBe(130);
    service.onAnswer = () => {};
    service.change('session', 7, { email: 'eve@example.org', name: 'Eve' });
    const again = await service.run(line);
    expect([again.code, again.stderr]).toEqual([9, expect.stringContaining('eve@example.org')]);
    expect(service.sessions[0]?.name).toBe('Eve');
  });

  test('story 11: as it was, the same command says that all is done', async () => {
    const service = office({ sessions: [ada] });
    const stop = new AbortController();
    service.onAnswer = ({ method }) => void (method !== 'GET' && stop.abort(interruption));
    await service.run('api PATCH /student_sessions/7 -F name=Adele', { interrupt: stop.signal });
    service.onAnswer = () => {};
    expect((await service.run('api PATCH /student_sessions/7 -F name=Adele')).code).toBe(0);
    expect(service.writes()).toHaveLength(1);
  });
});

describe('A read that is behind', () => {
  const roster = { stdin: 'email\nzoe@example.org\nyan@example.org\n' };
  const imports = 'sessions import - --exam 1 --yes';

  test.each([
    ['the same import', imports, 0],
    ['another import', `${imports} --rate 60`, 0],
    ['sessions create', 'sessions create --exam 1 --email zoe@example.org', 11],
    ['api POST', 'api POST /exams/1/student_sessions -F email=zoe@example.org', 11],
  ])('story 16: by less than the settle time lets %s register nobody twice', async (_what, line, code) => {
    const service = office({ sessions: [ada] });
    expect((await service.run(imports, roster)).code).toBe(0);
    service.showing.unseen = new Set([101, 102]);
    service.clock.later(15_000, () => service.showing.unseen?.clear());
    const again = await service.run(line, roster);
    expect(again.code, again.stderr).toBe(code);
    expect(service.sessions).toHaveLength(3);
  });

  /** What it created is shown by no read for the next 15 seconds. */
  const falls = (service: Service) => {
    service.showing.unseen = new Set([101, 102]);
    service.clock.later(15_000, () => service.showing.unseen?.clear());
  };

  test.each([
    ['the same import', imports],
    ['exams create', 'exams create --name Optics --start 2127-05-01T08:00:00Z --end 2127-05-01T10:00:00Z'],
  ])('story 16: lets %s create nothing twice where no Date is shown, and this clock jumps', async (_what, line) => {
    for (const jump of [60 * minute, -60 * minute]) {
      const service = office({ sessions: [ada], showing: { dated: false } });
      await service.run(line, roster);
      const written = service.writes();
      falls(service);
      service.clock.jump(jump);
      await service.run(line, roster);
      expect(service.writes()).toEqual(written);
    }
  });

  test('story 16: lets nobody be registered twice whose lost request has come late', async () => {
    const service = office({ sessions: [ada] });
    service.next('POST', { answer: 'lost', done: 50_000 });
    expect((await service.run('sessions create --exam 1 --email zoe@example.org')).code).toBe(0);
    await service.clock.pass(12_000);
    falls(service);
    expect((await service.run(imports, roster)).code).toBe(0);
    expect(names(service)).toBe('ada zoe yan');
  });

  test('story 16: whom a colleague has deleted since is registered again, once the settle time is over', async () => {
    const service = office({ sessions: [ada] });
    await service.run(imports, roster);
    service.truth.remove('session', 101);
    const { code } = await service.run(imports, roster);
    expect(service.sessions.map(({ email }) => email).sort()).toEqual(['ada@example.org', 'yan@example.org', 'zoe@example.org']);
    expect(code).toBe(0);
  });
});

describe('A service whose reads are behind', () => {
  const seat = 'sessions update 7 8 -f seat=B --yes';
  const seats = ({ sessions }: Service) => sessions.map((session) => session.seat).join('');
  const seated = () => office({ sessions: [ada, bob].map((student) => ({ ...student, seat: 'A' })) });
  const falls = async (service: Service) => {
    await service.clock.pass(minute);
    service.showing = { ...service.showing, lag: 15_000, replicaBehind: 15_000 };
  };

  test('takes back what was set a second ago, and sets it again by an undo of the undo', async () => {
    const service = seated();
    await falls(service);
    const began = service.clock.now();
    for (const [line, shown] of [
      [seat, 'BB'],
      ['undo', 'AA'],
      ['undo', 'BB'],
    ] as const) {
      const { code, stderr } = await service.run(line === 'undo' ? `runs undo ${await latest(service)} --yes` : line);
      expect([code, seats(service)], `${line}: ${stderr}`).toEqual([0, shown]);
      await service.clock.pass(1_000);
    }
    expect(service.clock.now() - began).toBeLessThan(3 * minute);
  });

  test('takes back new exams with their students and proctors, a second after they were created', async () => {
    const service = office();
    await falls(service);
    expect((await service.run('exams clone 1 --start 2127-03-01T08:00:00Z --with-students --yes')).code).toBe(0);
    const { code, stderr } = await service.run(`runs undo ${await latest(service)} --yes`);
    expect([code, service.exams.map(({ id }) => id), names(service)], stderr).toEqual([0, [1, 2], 'ada bob']);
  });

  test('takes a proctor out again who was added a second ago, and puts the proctor back by an undo of the undo', async () => {
    const service = office();
    await falls(service);
    service.showing.lag = 0;
    for (const [line, pool] of [
      ['proctors add 3 --exam 1', [3]],
      ['undo', []],
      ['undo', [3]],
    ] as const) {
      const { code, stderr } = await service.run(line === 'undo' ? `runs undo ${await latest(service)} --yes` : line);
      expect([code, [...(service.truth.pools.get(1) ?? [])]], `${line}: ${stderr}`).toEqual([0, pool]);
      await service.clock.pass(1_000);
    }
  });

  test('clones an exam with the students who were added to it a second ago', async () => {
    const service = office();
    await falls(service);
    expect((await service.run(create)).code).toBe(0);
    expect((await service.run('exams clone 1 --start 2127-03-01T08:00:00Z --with-students --yes')).code).toBe(0);
    expect(names(service, 102)).toBe('ada bob eve');
  });

  test('does not let an exam be deleted with a student who was added to it a second ago', async () => {
    const service = office();
    expect((await service.run('exams create --name Optics --start 2127-05-01T08:00:00Z --end 2127-05-01T10:00:00Z')).code).toBe(0);
    const run = await latest(service);
    await falls(service);
    expect((await service.run('sessions create --exam 101 --email eve@example.org')).code).toBe(0);
    await service.run(`runs undo ${run} --yes`);
    expect(names(service, 101)).toBe('eve');
  });

  test('is no proof of an undo whose request was lost: that shows what was there before', async () => {
    for (const [lag, replicaBehind] of [
      [15_000, 0],
      [0, 15_000],
    ]) {
      const service = office({
        sessions: [ada, bob, { ...ada, id: 9, email: 'eve@example.org' }].map((student) => ({ ...student, seat: 'A' })),
      });
      await service.clock.pass(minute);
      expect((await service.run('sessions update 7 8 9 -f seat=B --yes')).code).toBe(0);
      service.showing = { ...service.showing, lag, replicaBehind };
      service.next('PATCH', lostBefore, lostBefore, lostBefore);
      const { code, stderr } = await service.run(`runs undo ${await latest(service)} --yes`);
      expect([code, seats(service)], stderr).toEqual([7, 'BBB']);
    }
  });

  test.each([
    [15_000, 0],
    [0, 15_000],
  ])(
    'takes nobody whom it lists still for a student who was to be put back and was lost: lists %i ms, reads %i',
    async (lag, replicaBehind) => {
      const service = office();
      await service.clock.pass(minute);
      expect((await service.run('sessions move 7 --exam 2 --yes')).code).toBe(0);
      service.showing = { ...service.showing, lag, replicaBehind };
      service.next('POST', lostBefore);
      const { code, stderr } = await service.run(`runs undo ${await latest(service)} --yes`);
      expect([code, names(service, 1), names(service, 2)], stderr).toEqual([8, 'bob', 'ada']);
    },
  );

  test('is believed once the settle time is over: what a colleague has set back or deleted stays so', async () => {
    const service = seated();
    expect((await service.run(seat)).code).toBe(0);
    service.change('session', 7, { seat: 'A' });
    service.truth.remove('session', 8);
    const { code } = await service.run(`runs undo ${await latest(service)} --yes`);
    expect([code, seats(service), service.written().length]).toEqual([11, 'A', 2]);
  });

  test('is no proof of a deletion whose answer was lost: that the student is still there is said', async () => {
    const service = office();
    await falls(service);
    expect((await service.run(create)).code).toBe(0);
    service.next('DELETE', lostBefore);
    const { code } = await service.run(`runs undo ${await latest(service)} --yes`);
    expect([code, names(service)]).toEqual([7, 'ada bob eve']);
  });
});

describe('What stands half done', () => {
  const own = { open_time: '2127-02-01T08:15:00Z', close_time: '2127-02-01T10:30:00Z' };
  const closes = ({ sessions }: Service) => sessions.map(({ close_time }) => close_time?.slice(11, 16));

  test.each([
    ['a delay', 'exams delay 1 --by 15m --yes', /^PATCH .exams.1$/],
    ['a shift', 'exams shift 1 --by 15m --yes', /^PATCH .exams.1$/],
    ['an extension', 'sessions extend 7 8 --by 15m --yes', /^PATCH .student_sessions.7$/],
  ])('story 14: of %s is not forgotten with its exam, so that nothing moves twice; finished, it is', async (_what, line, written) => {
    const service = office({ sessions: [ada, bob].map((student) => ({ ...student, ...own })) });
    service.fault = ({ line: request, method }) => (method === 'PATCH' && !written.test(request) ? refused(422) : undefined);
    await done(service, line, 9);
    service.fault = () => undefined;
    const run = await latest(service);
    const kept = await done(service, 'runs forget --exam 1 --yes', 11);
    expect(kept.stderr).toContain(`proctor-cli runs resume ${run}`);
    await done(service, line, 11);
    await done(service, `runs resume ${run} --yes`);
    expect(closes(service)).toEqual(['10:45', '10:45']);
    await done(service, 'runs forget --exam 1 --yes');
    expect(await latest(service)).toBe('');
  });

  test.each([
    ['a delay', 'exams delay 1 --by 15m --yes', 'ada'],
    ['an extension', 'sessions extend 7 8 --by 15m --yes', 'ada'],
    ['an extension', 'sessions extend 7 8 --by 15m --yes', 'bob'],
  ])('story 14: of %s is not forgotten with its student: %s, %s', async (_what, line, who) => {
    const service = office({ sessions: [ada, bob].map((student) => ({ ...student, ...own })) });
    service.next('PATCH /student_sessions/7', refused(422));
    await done(service, line, 9);
    const run = await latest(service);
    const kept = await done(service, `runs forget --student ${who}@example.org --yes`, 11);
    expect(kept.stderr).toContain(`proctor-cli runs resume ${run}`);
    await done(service, line, 11);
    await done(service, `runs resume ${run} --yes`);
    expect(closes(service)).toEqual(['10:45', '10:45']);
    await done(service, `runs forget --student ${who}@example.org --yes`);
  });
});

test('An exam whose new end the service has stored otherwise stands half done: the next change would move the windows by the rest alone', async () => {
  const service = office({ sessions: [{ ...ada, close_time: '2127-02-01T10:30:00Z' }] });
  const update = 'exams update 1 --end 2127-02-01T10:30:00Z --yes';
  const times = () => [service.exams[0]?.end_time, service.sessions[0]?.close_time].map((time) => time?.slice(11, 16));
  service.onArrival = ({ method, body }) => {
    if (method === 'PATCH') body.end_time = '2127-02-01T10:25:00Z';
  };
  await done(service, update, 9);
  service.onArrival = () => {};
  expect(times()).toEqual(['10:25', '10:30']);
  const run = await latest(service);
  for (const line of [update, 'exams delay 1 --by 5m --yes']) await done(service, line, 11, `runs undo ${run}`);
  await done(service, `runs undo ${run} --yes`);
  expect(times()).toEqual(['10:00', '10:30']);
  await done(service, update);
  expect(times()).toEqual(['10:30', '11:00']);
});

describe('A student of one of two exams', () => {
  const old = { close_time: '2127-02-01T10:30:00Z' };
  const times = ({ exams, sessions }: Service) => [
    ...exams.map(({ end_time }) => end_time),
    ...sessions.map(({ close_time }) => close_time),
  ];

  test.each(['15m', '-15m'])('story 14: is forgotten after a delay by %s; its undo leaves that exam whole, not the other', async (by) => {
    const sessions = [
      { ...ada, ...old },
      { ...bob, ...old },
      { ...bob, ...old, id: 9, exam_id: 2 },
    ];
    const { service } = await done(office({ sessions }), `exams shift 1 2 --by ${by} --yes`);
    const moved = times(service);
    await done(service, 'runs forget --student ada@example.org --yes');
    await done(service, `runs undo ${await latest(service)} --yes`, 9);
    expect(times(service)).toEqual([moved[0], algebra.end_time, moved[2], moved[3], old.close_time]);
  });

  test('story 14: is forgotten, and has no window of its own any more; the undo of the delay takes all back', async () => {
    const { service } = await done(office({ sessions: [{ ...ada, ...old }] }), 'exams delay 1 --by 15m --yes');
    await done(service, 'runs forget --student ada@example.org --yes');
    service.change('session', 7, { close_time: null });
    await done(service, `runs undo ${await latest(service)} --yes`, 9);
    expect(times(service)).toEqual([algebra.end_time, second.end_time, null]);
  });
});

describe('Clocks', () => {
  /** Killed when its request has left; that arrives 25 seconds later. */
  const inFlight = (service: Service, line: string) => {
    service.next('write', { answer: 'lost', done: 25_000 });
    return killed(service, line, { writes: 1 });
  };

  test.each<[what: string, before: World['env'], now: World['env']]>([
    ['a cache gives the Date of twenty minutes ago, and then none does', { date: 'Mon, 04 Jan 2027 07:40:00 GMT' }, undefined],
    ['another machine of the service is twenty minutes ahead', undefined, { date: 'Mon, 04 Jan 2027 08:20:00 GMT' }],
  ])('story 16: %s: the request under way is awaited', async (_, before, now) => {
    const service = office({ sessions: [ada] });
    const show = (headers: World['env']) => Object.assign(service.showing, { dated: !headers, headers: headers ?? {} });
    show(before);
    const home = await inFlight(service, create);
    show(now);
    await service.run(create, { home });
    await service.clock.pass(2 * minute);
    expect(names(service)).toBe('ada eve');
  });

  test('story 16: a copy that says its age is no answer: nothing is sent', async () => {
    const service = office({ sessions: [ada], showing: { dated: false, headers: { date: 'Mon, 04 Jan 2027 07:40:00 GMT', age: '1200' } } });
    await done(service, create, 8);
    expect(service.writes()).toEqual([]);
  });

  test.each([
    ...['sessions move 7 --exam 2 --yes', 'exams clone 1 --start 2127-05-01T08:00:00Z --with-students --yes'],
    'exams create --name Optics --start 2127-05-01T08:00:00Z --end 2127-05-01T10:00:00Z',
    ...['students add --exam 1 --email eve@example.org', 'api POST /exams/1/student_sessions -f email=eve@example.org'],
    ...['exams send-emails 1 --yes', 'sessions extend 7 --by 15m --yes'],
  ])('story 16: what was under way is awaited, with a Date or without, whatever this clock says: %s', async (line) => {
    for (const dated of [true, false])
      for (const jump of [60 * minute, -60 * minute]) {
        const service = office({ sessions: [{ ...ada, close_time: '2127-02-01T10:30:00Z' }], showing: { dated } });
        const home = await inFlight(service, line);
        service.clock.jump(jump);
        const { code, stderr } = await service.run(line, { home });
        expect([0, 11], stderr).toContain(code);
        await service.clock.pass(2 * minute);
        const first = service.written()[0]?.line;
        expect(service.writes().filter((each) => each === first)).toEqual([first]);
        expect(new Set(service.sessions.map(({ email, exam_id }) => `${email} ${exam_id}`)).size).toBe(service.sessions.length);
      }
  });

  test.each([
    ['exams delay 1 --by 15m --yes', '09:00', '10:45'],
    ['exams update 1 --end 2127-02-01T10:15:00Z --yes', '09:00', '10:45'],
    ['sessions extend 7 8 --by 15m --yes', '10:05', '10:45'],
  ])('story 16: the service says which windows are over, whatever this clock says: %s', async (line, over, open) => {
    for (const jump of [60 * minute, -60 * minute]) {
      const windows = [
        { ...ada, close_time: '2127-02-01T09:00:00Z' },
        { ...bob, close_time: '2127-02-01T10:30:00Z' },
      ];
      const service = office({ sessions: windows });
      service.clock.set('2127-02-01T09:50:00Z');
      service.clock.jump(jump);
      const { stderr } = await service.run(line);
      expect(
        service.sessions.map(({ close_time }) => close_time?.slice(11, 16)),
        stderr,
      ).toEqual([over, open]);
    }
  });

  test('story 16: minutes that a run has left open three hours ago are not set by a job, though this clock was set back', async () => {
    for (const jump of [0, -180 * minute]) {
      const service = office({ sessions: [{ ...ada, close_time: '2127-02-01T10:30:00Z' }] });
      const delay = 'exams delay 1 --by 15m --yes';
      const home = await killed(service, delay, { writes: 1 });
      await service.clock.pass(180 * minute);
      service.clock.jump(jump);
      const before = service.writes().length;
      const { code } = await service.run(delay, { home });
      expect([code, service.writes().length]).toEqual([11, before]);
    }
  });
});

describe('A request that was sent', () => {
  const grade = 'api POST /exams/1/grade -F x=1';
  const sentBy = async (reply: Reply, ...lines: (string | string[])[]) => {
    const service = office();
    service.next('write', reply);
    for (const line of lines) await service.run(line);
    return service.writes().length;
  };

  test('story 18: is not sent again in another spelling of its path or body', async () => {
    for (const other of ['api POST exams/1/grade -F x=1', 'api POST /api/v1/exams/1/grade -F x=1', `${grade} --yes`, `${grade}.0`])
      expect(await sentBy(lostAfter, grade, other), other).toBe(1);
    expect(await sentBy(lostAfter, grade, 'api POST /exams/2/grade -F x=1')).toBe(2);
  });

  test('story 18: is not sent again after 408 or 502, or while it is late', async () => {
    for (const reply of [refused(408), refused(502), { answer: 'lost', done: 25_000 } as const])
      for (const line of [grade, 'api DELETE /exams/1/grade --yes', 'api PUT /exams/1/grade -F x=1'])
        expect(await sentBy(reply, line, line), line).toBe(1);
  });

  test('story 18: is not sent again with its fields in another order', async () => {
    expect(await sentBy(lostAfter, `${grade} -F y=2`, 'api POST /exams/1/grade -F y=2 -F x=1')).toBe(1);
    expect(await sentBy(lostAfter, 'api POST /exams/1/grade?x=1&y=2', 'api POST /exams/1/grade?y=2&x=1')).toBe(1);
    expect(await sentBy(lostAfter, 'api POST /exams/1/grade -F x=[1,2]', 'api POST /exams/1/grade -F x=[2,1]')).toBe(2);
  });

  test('story 18: is not sent again by another command that makes the same request', async () => {
    const service = office();
    service.next('write', lostAfter);
    await service.run(grade);
    const database = new DatabaseSync(join(service.home, 'state', 'record.sqlite'));
    database.exec(`UPDATE runs SET digest = 'of another command'`);
    database.close();
    const { code, stderr } = await service.run(grade);
    expect([code, service.writes().length, stderr]).toEqual([10, 1, expect.stringContaining('has sent the same request')]);
  });

  test('story 18: is not sent again after `runs undo`, which took nothing back', async () => {
    const service = office();
    service.next('POST', lostAfter);
    await done(service, grade, 10);
    await done(service, `runs undo ${await latest(service)} --yes`, 11);
    await done(service, grade, 10);
    expect(service.writes()).toHaveLength(1);
  });

  test.each(['close', 'undo'])('story 18: if it was mails, is not sent again without --resend after `runs %s`', async (verb) => {
    const service = office();
    service.next('POST', lostBefore);
    const mail = 'exams send-emails 1 --yes';
    await done(service, mail, 10);
    await done(service, mail, 11);
    await service.run(`runs ${verb} ${await latest(service)} --yes`);
    const { stderr } = await service.run(mail);
    expect(service.writes(), stderr).toHaveLength(1);
  });
});

test('A list that is behind, and shows under the ID of a new student whom a run from here has deleted, registers nobody twice', async () => {
  const service = office({ habits: { firstId: 101, reuses: true }, showing: { dated: true, lag: 4_000 } });
  await done(service, 'sessions create --exam 1 --email zoe@example.org');
  for (const line of ['sessions delete 101 --yes', create, `${create} --if-not-exists`]) {
    await service.run(line);
    await service.clock.pass(300);
  }
  expect(names(service)).toBe('ada bob eve');
});
