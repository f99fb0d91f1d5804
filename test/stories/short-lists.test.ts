/** A list that is shorter than it says: what it lacks proves nothing, and the setting is named. */
import { describe, expect, test } from 'vitest';
import { ada, algebra, bob, serviceWithExam } from '../support/algebra.ts';
import { lostBefore, refused, type Service } from '../support/service.ts';

const rosterOf = (students: number) => ({
  stdin: `email\n${Array.from({ length: students }, (_, at) => `s${at + 1}@example.org\n`).join('')}`,
});
const line = 'sessions import - --exam 1 --yes';
const registered = (service: Service) => service.sessions.length;
const each = (service: Service) => new Set(service.sessions.map(({ email }) => email)).size;

describe('story 23: an empty exam of a service with pages that nobody declared', () => {
  /** No answer says that there are pages. */
  const paged = () => {
    const service = serviceWithExam({ exams: [algebra], showing: { dated: true, pageSize: 25 } });
    service.always('GET /exams/1/student_sessions', { answer: ({ headers: _, ...whole }) => whole });
    return service;
  };

  test('story 23: who was created and is shown by ID counts as created; it is 9, and the setting stands first', async () => {
    const service = paged();
    const ended = await service.run(`${line} -o json`, rosterOf(40));
    expect(ended.code, ended.stderr).toBe(9);
    const { counts } = JSON.parse(ended.stdout) as { counts: Record<string, number> };
    expect(counts.created).toBe(40);
    const { error } = JSON.parse(ended.stderr.slice(ended.stderr.indexOf('{"error"'))) as { error: { hint: string } };
    expect(error.hint).toMatch(/^[^;]*proctor-cli config set dialect\.paging/);
    expect(registered(service)).toBe(40);
  });

  test('story 23: without the setting the same import sends nothing: 3', async () => {
    const service = paged();
    await service.run(line, rosterOf(40));
    const again = await service.run(line, rosterOf(41));
    expect(again.code, again.stderr).toBe(3);
    expect(again.stderr).toContain('dialect.paging');
    expect(registered(service)).toBe(40);
  });

  test('story 23: with the setting the same import ends with 0, and nobody is there twice', async () => {
    const service = paged();
    await service.run(line, rosterOf(40));
    await service.run('config set dialect.paging page');
    const again = await service.run(line, rosterOf(40));
    expect(again.code, again.stderr).toBe(0);
    expect([registered(service), each(service)]).toEqual([40, 40]);
  });

  test('story 23: a lost answer among them stays unknown, and is not sent again', async () => {
    const service = paged();
    service.next('POST', lostBefore);
    const ended = await service.run(line, rosterOf(40));
    expect(ended.code, ended.stderr).toBe(10);
    expect(ended.stderr).toContain('dialect.paging');
    await service.run(line, rosterOf(40));
    expect(registered(service)).toBe(39);
  });
});

describe('story 23a: a list that shows the oldest 50, whatever page is asked for', () => {
  const cut = () => serviceWithExam({ exams: [algebra], showing: { dated: true, cut: 50 } });
  const lostLast = (service: Service, email: string) => {
    let left = 1;
    service.fault = ({ method, body }) => {
      if (method !== 'POST' || body.email !== email || left === 0) return undefined;
      left -= 1;
      return { answer: 'lost' };
    };
  };

  test('story 23a: a student whose answer was lost is not called absent, and is not registered again', async () => {
    const service = cut();
    lostLast(service, 's80@example.org');
    const first = await service.run(line, rosterOf(80));
    expect(first.code, first.stderr).toBe(10);
    expect(first.stderr).toContain('dialect.paging');
    for (let times = 0; times < 3; times += 1) {
      const again = await service.run(line, rosterOf(80));
      expect([10, 3], again.stderr).toContain(again.code);
    }
    expect([registered(service), each(service)]).toEqual([80, 80]);
  });

  test('story 23a: nor after `runs resume`, and not even once its run was closed', async () => {
    const service = cut();
    lostLast(service, 's80@example.org');
    await service.run(line, rosterOf(80));
    const [run] = JSON.parse((await service.run('runs list -o json')).stdout) as { run: string }[];
    await service.run(`runs resume ${run?.run} --yes`);
    await service.run(`runs close ${run?.run}`);
    const again = await service.run(line, rosterOf(80));
    expect(again.code, again.stderr).toBe(3);
    expect(again.stderr).toContain('dialect.paging');
    expect([registered(service), each(service)]).toEqual([80, 80]);
  });

  test('story 23a: with every answer it ends with 9, and names the setting', async () => {
    const service = cut();
    const ended = await service.run(line, rosterOf(80));
    expect(ended.code, ended.stderr).toBe(9);
    expect(ended.stderr).toContain('dialect.paging');
    expect(registered(service)).toBe(80);
  });

  test('story 23a: nobody is created one by one in such an exam: 3', async () => {
    const service = cut();
    await service.run(line, rosterOf(80));
    service.clock.set('2027-01-05T08:00:00Z');
    const one = await service.run('sessions create --exam 1 --email zoe@example.org');
    expect(one.code, one.stderr).toBe(3);
    expect(registered(service)).toBe(80);
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
  const { code, stderr } = await service.run(line, rosterOf(30));
  expect([code, service.writes()], stderr).toEqual([3, []]);
  expect(stderr).toContain('config set dialect.paging offset');
  expect((await service.run(line, { ...rosterOf(30), env: { PROCTOR_DIALECT_PAGING: 'offset' } })).code).toBe(0);
  expect(registered(service)).toBe(30);
});

test('an empty list that is declared is not that of an answer which has one of its own name: nobody is registered twice', async () => {
  const service = serviceWithExam({ exams: [algebra], sessions: [ada, bob] });
  const answers = (named: (body: unknown) => object) =>
    service.always('GET /exams/1/student_sessions', { answer: (whole) => ({ ...whole, body: named(whole.body) }) });
  const importing = (listKey: string) =>
    service.run(line, { stdin: 'email\nada@example.org\n', env: { PROCTOR_DIALECT_LIST_KEY: listKey } });
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
  const { code, stderr } = await service.run(line, { stdin: 'email\nbob@example.org\n' });
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
  const { code, stderr } = await service.run(line, world);
  expect([code, service.writes()], stderr).toEqual([8, []]);
});
