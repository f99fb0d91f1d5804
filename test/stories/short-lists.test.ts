/** A list that is shorter than it says: what it lacks proves nothing, and the setting is named. */
import { describe, expect, test } from 'vitest';
import { ada, algebra, bob, serviceWithExam } from '../support/algebra.ts';
import { lostAfter, lostBefore, refused, type Service } from '../support/service.ts';
import { codesOf, done, filled, first, inExam, isPost, latest, posts, rosterOf, timetable, twice } from '../support/story.ts';
import type { Fields } from '../support/truth.ts';

const close = '2127-02-01T09:00:00Z';
const optics = { ...algebra, id: 2, name: 'Optics' };
const cleo = { ...ada, id: 9, exam_id: 2, email: 'cleo@example.org', close_time: close };
const span = '--start 2127-05-01T08:00:00Z --end 2127-05-01T10:00:00Z';
const imports = 'sessions import - --exam 1 --yes';
const registered = (service: Service) => service.sessions.length;
const each = (service: Service) => new Set(service.sessions.map(({ email }) => email)).size;

describe('story 23: pages that nobody declared', () => {
  /** No answer says that there are pages. */
  const paged = (pageSize = 25, sessions: Fields[] = []) => {
    const service = serviceWithExam({ exams: [algebra, optics], sessions, showing: { dated: true, pageSize } });
    for (const exam of [1, 2, 101]) service.always(`GET /exams/${exam}/student_sessions`, { answer: ({ headers: _, ...whole }) => whole });
    return service;
  };

  test('story 23: who was created and is shown by ID counts as created; it is 9, and the setting stands first', async () => {
    const service = paged();
    const ended = await done(service, `${imports} -o json`, 9, rosterOf(40));
    const { counts } = JSON.parse(ended.stdout) as { counts: Record<string, number> };
    expect(counts.created).toBe(40);
    const { error } = JSON.parse(ended.stderr.slice(ended.stderr.indexOf('{"error"'))) as { error: { hint: string } };
    expect(error.hint).toMatch(/^[^;]*proctor-cli config set dialect\.paging/);
    expect(registered(service)).toBe(40);
  });

  test('story 23: without the setting the same import sends nothing: 3', async () => {
    const { service } = await done(paged(), imports, 9, rosterOf(40));
    await done(service, imports, 3, 'dialect.paging', rosterOf(41));
    expect(registered(service)).toBe(40);
  });

  test('story 23: with the setting the same import ends with 0, and nobody is there twice', async () => {
    const { service } = await done(paged(), imports, 9, rosterOf(40));
    await service.run('config set dialect.paging page');
    await done(service, imports, 0, rosterOf(40));
    expect([registered(service), each(service)]).toEqual([40, 40]);
  });

  test('story 23: a lost answer among them stays unknown, and is not sent again', async () => {
    const service = paged();
    service.next('POST', lostBefore);
    await done(service, imports, 10, 'dialect.paging', rosterOf(40));
    await service.run(imports, rosterOf(40));
    expect(registered(service)).toBe(39);
  });

  const setPaging = 'config set dialect.paging page';
  const setPagingFirst = "Ask the service's operator how the next page is requested";

  test.each([
    ['a move into it', 'sessions move 99 --exam 1 --yes'],
    ['a clone of it', 'exams clone 1 --start 2127-05-01T08:00:00Z --with-students'],
    ['students add', 'students add --exam 1 --email s40@example.org'],
    ['api POST', 'api POST /exams/1/student_sessions -F email=s40@example.org'],
  ])('story 23: %s sends nothing, and names the setting: 3', async (_what, line) => {
    const service = paged(25, [...filled(40), { ...cleo, id: 99, email: 's40@example.org' }]);
    expect((await done(service, line, 3, setPaging)).writes).toEqual([]);
  });

  test('story 23: where the list of exams has no pages, the settings that a timetable prints lead to its end', async () => {
    const service = paged(25);
    const path = timetable(service, rosterOf(40).stdin, 'name,start,end,roster\nBio,2127-05-01T08:00:00Z,2127-05-01T10:00:00Z,r.csv\n');
    const apply = `exams apply ${path} --yes`;
    await done(service, apply, 9, setPaging);
    expect([service.sessions.length, twice(service)]).toEqual([40, []]);
    expect(await codesOf(service, apply, setPaging)).toEqual([3, 0]);
    const writes = service.writes().length;
    const stopped = await service.run(apply);
    // Whether an exam list that ignores the number of a page is whole, only the operator knows.
    expect([stopped.code, service.writes().length]).toEqual([3, writes]);
    const [, ways = ''] = /config set dialect\.paging '([^']*)'/.exec(stopped.stderr) ?? [];
    expect(ways).toBe('page exams=none');
    expect([(await service.run(['config', 'set', 'dialect.paging', ways])).code, ...(await codesOf(service, apply, apply))]).toEqual([
      0, 0, 0,
    ]);
    expect([service.sessions.length, twice(service)]).toEqual([40, []]);
  });

  test('story 23: a way of one kind of list holds for no other', async () => {
    const { service } = await done(paged(25, filled(40)), ['config', 'set', 'dialect.paging', 'page sessions=none']);
    expect((await service.run(imports, rosterOf(40))).code).toBe(0);
    expect(service.writes()).toEqual([]);
    const unknown = await service.run(['config', 'set', 'dialect.paging', 'page rooms=none']);
    expect(unknown.code).toBe(3);
  });

  test('story 23: an undo of such an import takes all 40 back', async () => {
    const { service } = await done(paged(25), imports, 9, rosterOf(40));
    expect(await codesOf(service, `runs undo ${await latest(service)} --yes`)).toEqual([0]);
    expect(service.sessions).toEqual([]);
  });

  test('story 23: doctor says that the list of students is not read to its end', async () => {
    const { stdout } = await paged(25, filled(40)).run('doctor -o json');
    const { state } = (JSON.parse(stdout) as { check: string; state: string }[]).find(({ check }) => check === 'paging') ?? {};
    expect(state).not.toBe('ok');
  });

  test.each([
    ['an import', imports],
    ['a move', 'sessions move 98 99 --exam 1 --yes'],
  ])('story 23: pages of fewer than ten students are noticed after %s, and its undo takes back who was there', async (_what, line) => {
    const others = [98, 99].map((id) => ({ ...cleo, id, email: `s${id - 90}@example.org` }));
    const { service } = await done(paged(5, [...filled(9), ...others]), line, 9, `hint: ${setPagingFirst}`, rosterOf(9));
    const undo = `runs undo ${await latest(service)} --yes`;
    expect(await codesOf(service, setPaging, undo)).toEqual([0, 0]);
    expect([inExam(service, 1).length, inExam(service, 2).length, twice(service)]).toEqual([9, 2, []]);
  });
});

describe('story 23a: a list that shows the oldest 50, whatever page is asked for', () => {
  const cut = () => serviceWithExam({ exams: [algebra], showing: { dated: true, cut: 50 } });
  const lost = (service: Service, email: string) => first(service, ({ body }) => body.email === email, lostAfter);

  test('story 23a: a student whose answer was lost is not called absent, and is not registered again', async () => {
    const service = cut();
    lost(service, 's80@example.org');
    await done(service, imports, 10, 'dialect.paging', rosterOf(80));
    for (let times = 0; times < 3; times += 1) await done(service, imports, [10, 3], rosterOf(80));
    expect([registered(service), each(service)]).toEqual([80, 80]);
  });

  test('story 23a: nor after `runs resume`, and not even once its run was closed', async () => {
    const service = cut();
    lost(service, 's80@example.org');
    await service.run(imports, rosterOf(80));
    const run = await latest(service);
    await service.run(`runs resume ${run} --yes`);
    await service.run(`runs close ${run}`);
    expect(JSON.parse((await service.run('runs list --open -o json')).stdout)).toEqual([]);
    await done(service, imports, 3, 'dialect.paging', rosterOf(80));
    expect([registered(service), each(service)]).toEqual([80, 80]);
  });

  test('story 23a: with every answer it ends with 9, and names the setting', async () => {
    const { service } = await done(cut(), imports, 9, 'dialect.paging', rosterOf(80));
    expect(registered(service)).toBe(80);
  });

  test('story 23a: nobody is created one by one in such an exam: 3', async () => {
    const { service } = await done(cut(), imports, 9, rosterOf(80));
    service.clock.set('2027-01-05T08:00:00Z');
    await done(service, 'sessions create --exam 1 --email zoe@example.org', 3);
    expect(registered(service)).toBe(80);
  });

  test.each([
    ['sessions create', 'sessions create --exam 1 --email s81@example.org', {}],
    ['another import', imports, rosterOf(81)],
  ])('story 23a: within a minute of a list that was seen to be short, %s creates nobody who is there', async (_what, line, world) => {
    const { service } = await done(cut(), imports, 9, rosterOf(80));
    service.add({ email: 's81@example.org' });
    await service.run(line, world);
    expect(twice(service)).toEqual([]);
  });

  test('story 23a: once the list is whole, who is not there is created at once', async () => {
    const { service } = await done(cut(), imports, 9, rosterOf(80));
    service.showing.cut = undefined;
    expect(await codesOf(service, 'sessions create --exam 1 --email s81@example.org')).toEqual([0]);
    expect((await service.run(imports, rosterOf(82))).code).toBe(0);
    expect([service.sessions.length, twice(service)]).toEqual([82, []]);
  });

  test('story 23a: a list that is late is not called short', async () => {
    const service = serviceWithExam({ exams: [algebra], sessions: filled(3), showing: { dated: true } });
    service.clock.set('2027-01-05T08:00:00Z');
    service.showing.lag = 20_000;
    expect((await service.run(imports, rosterOf(5))).code).toBe(0);
    service.showing.lag = 40_000;
    expect(await codesOf(service, 'sessions create --exam 1 --email s6@example.org')).toEqual([0]);
    // Who leaves meanwhile is no proof of a short list either.
    first(service, isPost, () => {
      service.truth.remove('session', 1);
      return {};
    });
    expect((await service.run(imports, rosterOf(9))).code).toBe(0);
    expect([service.sessions.length, twice(service)]).toEqual([8, []]);
  });

  test('story 23a: where each student was created with another value, a list known to be short is not believed', async () => {
    const service = cut();
    service.fault = ({ body }) => {
      delete body.close_time;
      return undefined;
    };
    const roster = (students: number) => ({
      stdin: rosterOf(students).stdin.replaceAll('org\n', `org,${close}\n`).replace('email', 'email,close_time'),
    });
    await service.run(imports, roster(60));
    service.add({ email: 's61@example.org', close_time: close });
    service.clock.set('2027-01-05T08:00:00Z');
    await service.run(imports, roster(61));
    expect(twice(service)).toEqual([]);
  });

  const renaming = ['sessions update 101 --email s80@example.org', 'api PATCH /student_sessions/101 -f email=s80@example.org'];
  test.each(renaming)('story 23a: %s does not give one student the address of another whom the list lacks', async (line) => {
    const { service } = await done(cut(), imports, 9, rosterOf(80));
    service.clock.set('2027-01-05T08:00:00Z');
    await done(service, line, 'fails');
    expect(twice(service)).toEqual([]);
  });

  test('story 23a: a list of the newest 50 loses whom the plan had read: it is not 0, and the next import creates nobody of them', async () => {
    const service = serviceWithExam({ exams: [algebra], sessions: filled(49), showing: { dated: true } });
    service.always('GET /exams/1/student_sessions', { answer: (whole) => ({ ...whole, body: (whole.body as Fields[]).slice(-50) }) });
    await done(service, imports, 'fails', rosterOf(60));
    await service.run(imports, rosterOf(60));
    expect(twice(service)).toEqual([]);
  });

  test('story 23a: of exams, a timetable with a lost answer creates each exam once', async () => {
    const service = serviceWithExam({ exams: Array.from({ length: 10 }, (_, at) => ({ ...algebra, id: at + 1, name: `E${at}` })) });
    service.always('GET /exams', { answer: (whole) => ({ ...whole, body: (whole.body as Fields[]).slice(0, 11) }) });
    first(service, ({ line, body }) => line === 'POST /exams' && body.name === 'C', lostAfter);
    const lines = ['A', 'B', 'C'].map((name, at) => `${name},2127-05-0${at + 1}T08:00:00Z,2127-05-0${at + 1}T10:00:00Z\n`);
    const apply = `exams apply ${timetable(service, '', `name,start,end\n${lines.join('')}`)} --yes`;
    const codes = await codesOf(service, apply, apply, `runs close ${await latest(service)}`, apply);
    expect(codes).not.toContain(0);
    expect(service.exams).toHaveLength(13);
  });

  test('story 23a: of exams, one that was created and is not listed is there already', async () => {
    const service = serviceWithExam({ exams: Array.from({ length: 12 }, (_, at) => ({ ...algebra, id: at + 1, name: `E${at}` })) });
    service.always('GET /exams', { answer: (whole) => ({ ...whole, body: (whole.body as Fields[]).slice(0, 12) }) });
    const line = `exams create --name Optics ${span}`;
    expect(await codesOf(service, line, line)).toEqual([9, 11]);
    expect(posts(service)).toBe(1);
  });
});

test.each([
  ['exams shift', 'exams shift 1 --by 7d --yes', 3],
  ['exams update', 'exams update 1 --end 2127-02-01T11:00:00Z', 3],
  ['sessions extend', 'sessions extend --exam 1 --by 15m --yes', 3],
  ['exams clone', 'exams clone 1 --start 2127-05-01T08:00:00Z --with-students --yes', 3],
  ['exams shift of another exam', 'exams shift 2 --by 7d --yes', 0],
])('story 23: %s of an exam whose list is known to lack somebody sends nothing', async (_what, typed, code) => {
  const own = { close_time: '2127-02-01T10:30:00Z' };
  const sessions = [ada, bob, { ...bob, id: 9, email: 'cleo@example.org', ...own }];
  const service = serviceWithExam({ exams: [algebra, { ...algebra, id: 2 }], sessions, showing: { dated: true, cut: 2 } });
  expect((await service.run('students add --exam 1 --email zoe@example.org')).code).toBe(9);
  const before = service.writes().length;
  const ended = await service.run(typed);
  expect([ended.code, service.writes().length > before], ended.stderr).toEqual([code, code === 0]);
  if (code !== 0) expect(ended.stderr).toContain('dialect.paging');
});

test('a full page of a service that counts items, and shows a number of the page that it does not take, is not the whole list', async () => {
  const sessions = Array.from({ length: 30 }, (_, at) => ({ ...ada, id: at + 10, email: `s${at + 1}@example.org` }));
  const service = serviceWithExam({ exams: [algebra], sessions });
  service.always('GET /exams/1/student_sessions', {
    answer: ({ headers: _, ...whole }) => {
      const from = Number(service.arrived.at(-1)?.query.get('offset') ?? 0);
      return { ...whole, body: { data: (whole.body as unknown[]).slice(from, from + 25), page: 1, per_page: 25 } };
    },
  });
  expect((await done(service, imports, 3, 'config set dialect.paging offset', rosterOf(30))).writes).toEqual([]);
  expect((await service.run(imports, { ...rosterOf(30), env: { PROCTOR_DIALECT_PAGING: 'offset' } })).code).toBe(0);
  expect(registered(service)).toBe(30);
});

test('a list inside of two objects is not whole where a total beside it says so', async () => {
  const service = serviceWithExam({ exams: [algebra], sessions: [ada, bob] });
  service.always('GET /exams/1/student_sessions', {
    answer: (whole) => ({ ...whole, body: { result: { students: { rows: whole.body, total: 5 } } } }),
  });
  const env = { PROCTOR_DIALECT_LIST_KEY: 'result.students.rows' };
  expect((await done(service, imports, 3, { ...rosterOf(1), env })).writes).toEqual([]);
});

test('an empty list that is declared is not that of an answer which has one of its own name: nobody is registered twice', async () => {
  const service = serviceWithExam({ exams: [algebra], sessions: [ada, bob] });
  const answers = (named: (body: unknown) => object) =>
    service.always('GET /exams/1/student_sessions', { answer: (whole) => ({ ...whole, body: named(whole.body) }) });
  const importing = (listKey: string) =>
    service.run(imports, { stdin: 'email\nada@example.org\n', env: { PROCTOR_DIALECT_LIST_KEY: listKey } });
  answers((students) => ({ students, warnings: [] }));
  const { code, stderr } = await importing('warnings');
  expect([code, service.writes()], stderr).toEqual([8, []]);
  expect(stderr).toContain('under "warnings" and one under "students"');
  expect((await importing('students')).code).toBe(0);
  answers((rows) => ({ rows, students: [] }));
  expect((await importing('rows')).code).toBe(0);
});

test('a next page that leads out of the exam is none of it: who is in another exam alone is not taken to be there', async () => {
  const service = serviceWithExam({ exams: [algebra, { ...algebra, id: 2 }], sessions: [ada, { ...bob, exam_id: 2 }] });
  service.always('GET /exams/1/student_sessions', {
    answer: ({ body, ...whole }) => ({ ...whole, body: { data: body, next: '/api/v1/student_sessions?page=2' } }),
  });
  const { code, stderr } = await service.run(imports, { stdin: 'email\nbob@example.org\n' });
  expect([code, service.writes()], stderr).toEqual([8, []]);
  expect(stderr).toContain('list of exam 1 has session 8 of exam 2.');
});

test.each([
  ['sessions import - --exam 1 --yes', { stdin: 'email\nbob@example.org\n' }],
  ['sessions create --exam 1 --email bob@example.org', {}],
  ['exams shift 1 --by 7d --yes', {}],
  ['exams clone 1 --start 2127-03-01T08:00:00Z --with-students --yes', {}],
  ['exams send-emails 1 --yes', {}],
  ['exams delete 1 --yes', {}],
  ['sessions list --exam 1', {}],
  ['sessions export --exam 1', {}],
  ['exams report 1', {}],
  ['preflight --exam 1', {}],
])('a service that ignores of which exam students are listed is refused: %s sends nothing', async (line, world) => {
  const service = serviceWithExam({ exams: [algebra, { ...algebra, id: 2, name: 'Analysis' }], sessions: [ada, { ...bob, exam_id: 2 }] });
  service.fault = ({ line: request }) => (request === 'GET /exams/1/student_sessions' ? refused(200, service.sessions) : undefined);
  expect((await done(service, line, 8, world)).writes).toEqual([]);
});
