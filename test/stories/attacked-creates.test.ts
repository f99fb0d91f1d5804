/** Creates that are attacked on other ways: another command, another fault, another service than in the stories beside. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ada, algebra, bob, serviceWithExam } from '../support/algebra.ts';
import { type Arrived, lostAfter, lostBefore, type Reply, refused, reply, type Service, shown } from '../support/service.ts';
import type { Fields } from '../support/truth.ts';

const close = '2127-02-01T09:00:00Z';
const optics = { ...algebra, id: 2, name: 'Optics' };
const cleo = { ...ada, id: 9, exam_id: 2, email: 'cleo@example.org', close_time: close };
const imports = 'sessions import - --exam 1 --yes';
const span = '--start 2127-05-01T08:00:00Z --end 2127-05-01T10:00:00Z';

const isPost = ({ method }: Arrived) => method === 'POST';
/** The first request of this kind gets the reply. */
function first(service: Service, meets: (request: Arrived) => boolean, reply: Reply | ((request: Arrived) => Reply)): void {
  let left = 1;
  service.fault = (request) => {
    if (left === 0 || !meets(request)) return undefined;
    left -= 1;
    return typeof reply === 'function' ? reply(request) : reply;
  };
}
const posts = (service: Service) => service.writes().filter((line) => line.startsWith('POST')).length;
const inExam = (service: Service, exam: number) => service.truth.inExam(exam).map(({ email }) => email);
/** Addresses that are in an exam more than once. */
const twice = ({ sessions }: Service) =>
  [...Map.groupBy(sessions, ({ exam_id, email }) => `${exam_id} ${email}`)].flatMap(([who, of]) => (of.length > 1 ? who : []));
const lastRun = async (service: Service) => {
  const [run] = JSON.parse((await service.run('runs list -o json')).stdout) as { run: string }[];
  return run?.run ?? '';
};
/** Runs lines one after the other; their statuses. */
async function codesOf(service: Service, ...lines: string[]): Promise<number[]> {
  const codes = [];
  for (const line of lines) codes.push((await service.run(line)).code);
  return codes;
}
/** The path of a timetable beside which the roster lies. */
function timetable(service: Service, roster: string, line = 'id,roster\n1,r.csv\n'): string {
  writeFileSync(join(service.home, 'r.csv'), roster);
  writeFileSync(join(service.home, 't.csv'), line);
  return join(service.home, 't.csv');
}
const rosterOf = (students: number) => `email\n${Array.from({ length: students }, (_, at) => `s${at + 1}@example.org\n`).join('')}`;
const filled = (students: number) =>
  Array.from({ length: students }, (_, at): Fields => ({ ...ada, id: at + 1, email: `s${at + 1}@example.org` }));

describe('story 1: what no read shows', () => {
  const blind = () => serviceWithExam({ sessions: [ada], showing: { dated: false, as: ({ skip_requirements: _, ...more }) => more } });
  const line = 'sessions create --exam 1 --email eve@example.org --skip-requirements';
  const raced = (service: Service) =>
    first(service, isPost, () => {
      service.add({ email: 'eve@example.org' });
      return refused(409);
    });

  test.each<[string, string, { stdin?: string }, (service: Service) => void]>([
    ['answered', line, {}, () => {}],
    ['lost', line, {}, (service) => service.next('POST', lostAfter)],
    ['refused with 409', line, {}, raced],
    ['there already (--if-not-exists)', `${line.replace('eve@', 'ada@')} --if-not-exists`, {}, () => {}],
    ['that of an import', imports, { stdin: 'email,skip_requirements\neve@example.org,true\n' }, () => {}],
  ])('story 1: a value that the service never shows is named where the create is %s, and it is 0', async (_what, typed, world, script) => {
    const service = blind();
    script(service);
    const ended = await service.run(typed, world);
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).toContain('skip_requirements');
  });

  test('story 1: a restriction of a lost exam that the service never shows is named, and it is 0', async () => {
    const service = serviceWithExam({ showing: { dated: false, as: ({ allow_headphones: _, ...more }) => more } });
    service.next('POST', lostAfter);
    const all = '--allow-headphones --allow-whiteboard --allow-leave-room --allow-pen-paper';
    const ended = await service.run(`exams create --name Optics ${span} ${all}`);
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).toContain('allow_headphones');
  });
});

describe('story 1: an exam that the service keeps under another name or start', () => {
  const shouting = () => {
    const service = serviceWithExam();
    service.fault = (request) => {
      if (request.line !== 'POST /exams') return undefined;
      request.body.name = String(request.body.name).toUpperCase();
      return request.countOfLine === 1 ? lostAfter : {};
    };
    return service;
  };

  test.each([
    ['exams create', `exams create --name Optics ${span}`],
    ['exams clone', 'exams clone 1 --start 2127-05-01T08:00:00Z'],
  ])('story 1: %s whose answer was lost is found, and the same command does not create it again', async (_what, line) => {
    const service = shouting();
    const codes = await codesOf(service, line, line);
    expect(codes).not.toContain(0);
    expect(service.exams).toHaveLength(2);
  });

  test('story 1: with its start rounded, a lost exam stays unknown, and the same command does not create it again', async () => {
    const service = serviceWithExam({ habits: { firstId: 101, keptTime: (time) => `${time.slice(0, 17)}00Z` } });
    service.next('POST', lostAfter);
    const line = 'exams create --name Optics --start 2127-05-01T08:00:30Z --end 2127-05-01T10:00:00Z';
    await codesOf(service, line, line);
    expect(service.exams).toHaveLength(2);
  });

  test('story 1: after "do not create it again", the same command does not', async () => {
    const service = serviceWithExam();
    service.fault = ({ line, body }) => {
      if (line === 'POST /exams') body.name = String(body.name).toUpperCase();
      return undefined;
    };
    const line = `exams create --name Optics ${span}`;
    const codes = await codesOf(service, line, line, line);
    expect(codes[0]).toBe(9);
    expect(service.exams).toHaveLength(2);
  });

  test('story 1: of a timetable it is found by its start, and gets its name', async () => {
    const service = shouting();
    const line = `exams apply ${timetable(service, '', 'name,start,end\nOptics,2127-05-01T08:00:00Z,2127-05-01T10:00:00Z\n')} --yes`;
    const codes = await codesOf(service, line, line);
    expect(codes[0]).not.toBe(0);
    expect(service.exams.map(({ name }) => name)).toEqual(['Algebra', 'Optics']);
  });
});

describe('story 1: other answers', () => {
  test('story 1: a move whose create was lost, and a close time not kept, leaves the old session', async () => {
    const service = serviceWithExam({ exams: [algebra, optics], sessions: [ada, cleo] });
    first(service, isPost, ({ body }) => {
      delete body.close_time;
      return lostAfter;
    });
    const ended = await service.run('sessions move 9 --exam 1 --yes');
    expect(ended.code, ended.stderr).toBe(9);
    expect(inExam(service, 2)).toEqual(['cleo@example.org']);
  });

  test('story 1: an answer with the ID of a student of another exam is no proof, and its undo deletes nobody', async () => {
    const service = serviceWithExam({
      exams: [algebra, optics],
      sessions: [ada, cleo],
      showing: { dated: false, as: ({ exam_id: _, ...more }) => more },
    });
    first(
      service,
      isPost,
      shown((whole) => ({ ...whole, id: 9 })),
    );
    const ended = await service.run('sessions create --exam 1 --email eve@example.org');
    expect(ended.code, ended.stderr).toBe(9);
    await service.run(`runs undo ${await lastRun(service)} --yes`);
    expect(inExam(service, 2)).toEqual(['cleo@example.org']);
  });

  test('story 1: answered with the ID of the same student in another exam, its undo leaves the student there', async () => {
    const showing = { dated: false, as: ({ exam_id: _, ...more }: Fields) => more };
    const service = serviceWithExam({ exams: [algebra, optics], sessions: [ada, cleo], showing });
    first(service, isPost, { done: 'never', answer: (whole) => ({ ...whole, body: { ...(whole.body as Fields), id: 9 } }) });
    const ended = await service.run('sessions create --exam 1 --email cleo@example.org');
    expect(ended.code, ended.stderr).not.toBe(0);
    await service.run(`runs undo ${await lastRun(service)} --yes`);
    expect(inExam(service, 2)).toEqual(['cleo@example.org']);
  });
});

test.each<[string, Reply | undefined, number, number]>([
  ['answered', undefined, 9, 11],
  ['lost', lostAfter, 6, 0],
])('story 1: a create that was %s, and whose exam is gone by now, does not stay unknown', async (_what, reply, code, undone) => {
  const service = serviceWithExam({ sessions: [ada] });
  service.fault = ({ method, countOfLine: again }) => {
    if (method === 'GET' && posts(service) > 0) service.truth.remove('exam', 1);
    return method === 'POST' && again === 1 ? reply : undefined;
  };
  const line = 'sessions create --exam 1 --email eve@example.org';
  const created = await service.run(line);
  expect([created.code, created.stderr]).toEqual([code, expect.stringContaining('exam 1 is no longer there')]);
  expect(await codesOf(service, line, `runs undo ${await lastRun(service)} --yes`)).toEqual([6, undone]);
});

test.each([
  ['sessions create', 'sessions create --exam 1 --email eve@example.org', 7, 'sessions delete 101'],
  ['exams create', `exams create --name Optics ${span}`, 1, 'exams delete 101'],
])('story 1: an undo of %s that was answered with the ID of what was there names what it leaves', async (_what, line, id, left) => {
  const service = serviceWithExam({ sessions: [ada] });
  first(
    service,
    isPost,
    shown((whole) => ({ ...whole, id })),
  );
  expect(await codesOf(service, line)).toEqual([0]);
  const undone = await service.run(`runs undo ${await lastRun(service)} --yes`);
  expect([undone.code, undone.stderr]).toEqual([11, expect.stringContaining(left)]);
  expect(service.writes()).toHaveLength(1);
});

test('story 1: an undo of an import names who is there although the answer had the ID of another line', async () => {
  const service = serviceWithExam({ sessions: [ada] });
  first(
    service,
    ({ body }) => body.email === 'fay@example.org',
    shown((whole) => ({ ...whole, id: 101 })),
  );
  const roster = { stdin: 'email\neve@example.org\nfay@example.org\n' };
  expect((await service.run(imports, roster)).code).toBe(0);
  const undone = await service.run(`runs undo ${await lastRun(service)} --yes`);
  expect([undone.code, undone.stderr]).toEqual([9, expect.stringContaining('sessions delete 102')]);
  expect(inExam(service, 1)).toEqual(['ada@example.org', 'fay@example.org']);
});

describe('story 4: an answer that shows what another line asked for is no proof', () => {
  const lines = { stdin: `email,name,close_time\nann@example.org,Ann,\neve@example.org,Eve,${close}\n` };
  /** The first one is there, and its answer names somebody else; the second one is answered with the first, and is not there. */
  const mixedUp = (whole: boolean) => {
    const service = serviceWithExam({ sessions: [ada], habits: { firstId: 101 } });
    service.next(
      'POST',
      shown((answer) => ({ ...answer, id: 7 })),
      {
        done: 'never',
        answer: (answer) => reply(201, whole ? service.sessions.find(({ id }) => id === 101) : { ...(answer.body as Fields), id: 101 }),
      },
    );
    return service;
  };

  test.each([true, false])('nobody is there twice or gets the values of the other, by `--update` either (whole: %s)', async (whole) => {
    const service = mixedUp(whole);
    expect(await codesOfImport(service, imports, `${imports} --update`)).toEqual([10, 10]);
    expect(inExam(service, 1)).toEqual(['ada@example.org', 'ann@example.org']);
    expect(service.sessions.at(-1)).toMatchObject({ name: 'Ann', close_time: null });
    expect(posts(service)).toBe(2);
  });

  test.each(['runs resume', 'runs undo'])('%s knows it, and closed, the same import registers the second one', async (verb) => {
    const service = mixedUp(true);
    await codesOfImport(service, imports);
    const run = await lastRun(service);
    expect((await service.run(`${verb} ${run} --yes`)).code).not.toBe(0);
    expect(inExam(service, 1)).toEqual(['ada@example.org', 'ann@example.org']);
    await service.run(`runs close ${run}`);
    expect(await codesOfImport(service, imports)).toEqual([0]);
    expect(inExam(service, 1)).toEqual(['ada@example.org', 'ann@example.org', 'eve@example.org']);
  });

  test('of exams neither gets the students of the other', async () => {
    const service = serviceWithExam({ exams: [], habits: { firstId: 101 } });
    for (const [name, who] of Object.entries({ a: 'ann', b: 'bea' }))
      writeFileSync(join(service.home, `${name}.csv`), `email\n${who}@example.org\n`);
    const table = 'name,start,end,roster\nA,2127-05-01T08:00Z,2127-05-01T10:00Z,a.csv\nB,2127-05-02T08:00Z,2127-05-02T10:00Z,b.csv\n';
    const swapped = [102, 101].map((id) => shown((answer) => ({ ...answer, id })));
    service.next('POST /exams', ...swapped);
    const ended = await service.run(`exams apply ${timetable(service, 'email\n', table)} --yes`);
    expect(ended.code, ended.stderr).toBe(0);
    const studentsOf = (name: string) => inExam(service, Number(service.exams.find((exam) => exam.name === name)?.id));
    expect([studentsOf('A'), studentsOf('B')]).toEqual([['ann@example.org'], ['bea@example.org']]);
  });

  async function codesOfImport(service: Service, ...typed: string[]) {
    const codes = [];
    for (const line of typed) codes.push((await service.run(line, lines)).code);
    return codes;
  }
});

describe('story 2: 409 on other ways', () => {
  const raced = (service: Service, as: (body: Fields) => Fields) =>
    first(service, isPost, ({ body, line }) => {
      if (line === 'POST /exams') service.truth.createExam(as(body));
      else service.add(as(body));
      return refused(409);
    });

  test('story 2: of exams create is judged by the restrictions', async () => {
    const service = serviceWithExam();
    raced(service, (body) => ({ ...body, allow_headphones: true }));
    const all = '--no-allow-headphones --allow-whiteboard --allow-leave-room --allow-pen-paper';
    const ended = await service.run(`exams create --name Optics ${span} ${all}`);
    expect([ended.code, ended.stderr.includes('allow_headphones')]).toEqual([11, true]);
  });

  test('story 2: of a student without an address is judged by the number', async () => {
    const service = serviceWithExam({ sessions: [ada] });
    await service.run('config set dialect.sessionNumberKey number');
    raced(service, () => ({ email: null, number: 41 }));
    const stdin = `number,close_time\n41,${close}\n`;
    const ended = await service.run(`${imports} --map number=number`, { stdin });
    expect([ended.code, ended.stderr.includes('close_time')]).toEqual([11, true]);
    expect((await service.run('sessions create --exam 1 -f number=41')).code).toBe(11);
  });

  test.each(['sessions create --exam 1 --email eve@example.org', `exams create --name Optics ${span}`])(
    'story 2: %s is rejected, and not unknown, where somebody else has created another one: 7',
    async (line) => {
      const service = serviceWithExam({ sessions: [ada] });
      raced(service, (body) => ({ ...body, name: 'Physics', email: 'fay@example.org' }));
      expect(await codesOf(service, line)).toEqual([7]);
    },
  );

  test('story 2: with --if-not-exists, other values are 11', async () => {
    const service = serviceWithExam({ sessions: [ada] });
    raced(service, ({ email }) => ({ email }));
    const ended = await service.run(`sessions create --exam 1 --email eve@example.org --close-time ${close} --if-not-exists`);
    expect(ended.code, ended.stderr).toBe(11);
  });

  test('story 2: a line whose open time is left to set is no success, and the same import sets it', async () => {
    const service = serviceWithExam({ sessions: [ada] });
    raced(service, (body) => body);
    const roster = { stdin: `email,open_time,close_time\neve@example.org,2127-02-01T08:30:00Z,${close}\n` };
    expect((await service.run(imports, roster)).code).not.toBe(0);
    expect((await service.run(imports, roster)).code).toBe(0);
    expect(service.sessions.at(-1)?.open_time).toBe('2127-02-01T08:30:00Z');
    expect(twice(service)).toEqual([]);
  });

  test('story 2: of a move with other values leaves the old session: 9, and an undo that is printed has something to undo', async () => {
    const service = serviceWithExam({ exams: [algebra, optics], sessions: [ada, cleo] });
    raced(service, ({ email }) => ({ email }));
    const ended = await service.run('sessions move 9 --exam 1 --yes');
    expect([ended.code, inExam(service, 2)]).toEqual([9, ['cleo@example.org']]);
    const [, undo = 'runs list'] = /proctor-cli (runs undo \S+)/.exec(ended.stderr) ?? [];
    expect((await service.run(`${undo} --yes`)).stderr).not.toContain('nothing to undo');
  });

  test('story 2: a clone with a student of other values is no success for --if-not-exists', async () => {
    const service = serviceWithExam({ sessions: [ada, { ...bob, close_time: close }] });
    first(
      service,
      ({ body }) => body.email === 'bob@example.org',
      () => {
        service.add({ email: 'bob@example.org', exam_id: 101 });
        return refused(409);
      },
    );
    const line = 'exams clone 1 --start 2127-05-01T08:00:00Z --with-students';
    expect(await codesOf(service, line, `${line} --if-not-exists`)).toEqual([9, 11]);
  });

  // More time than the roster has is no difference: an import takes none away.
  test.each([
    ['less time than the roster has is not', '2127-02-01T08:30:00Z', 11],
    ['more time than the roster has is', null, 0],
  ])('story 2: a timetable with a student who was refused with 409 and has %s followed', async (_what, close_time, after) => {
    const service = serviceWithExam({ sessions: [ada] });
    raced(service, ({ email }) => ({ email, close_time }));
    const path = timetable(service, `email,close_time\nada@example.org,\neve@example.org,${close}\n`);
    const apply = `exams apply ${path}`;
    expect(await codesOf(service, `${apply} --yes`, `${apply} --check`, `${apply} --yes`)).toEqual([11, after, after]);
    expect(posts(service)).toBe(1);
  });
});

describe('story 3: a second one that is asked for, or not', () => {
  const again = 'sessions create --exam 1 --email ada@example.org --allow-duplicate';
  const may = { ...algebra, id: 3, start_time: '2127-05-01T08:00:00Z', end_time: '2127-05-01T10:00:00Z' };
  const clone = 'exams clone 1 --start 2127-05-01T08:00:00Z --with-students --allow-duplicate';

  test('story 3: a clone is not proven by the exam that was there, and gets its students when it is there', async () => {
    const service = serviceWithExam({ exams: [algebra, may], sessions: [ada] });
    service.next('POST', lostBefore);
    expect(await codesOf(service, clone)).toEqual([8]);
    expect([service.exams.length, inExam(service, 3)]).toEqual([2, []]);
    expect(await codesOf(service, clone)).toEqual([0]);
    expect([service.exams.length, inExam(service, 3), inExam(service, 101)]).toEqual([3, [], ['ada@example.org']]);
  });

  test('story 3: nor is it by a 409', async () => {
    const service = serviceWithExam({ exams: [algebra, may], sessions: [ada] });
    service.next('POST', refused(409));
    expect(await codesOf(service, clone)).toEqual([7]);
    expect(service.sessions).toHaveLength(1);
  });

  test.each<[string, Reply]>([
    ['202 without an ID', refused(202, {})],
    ['the ID of who was there', { done: 'never', answer: (whole) => ({ ...whole, body: { ...(whole.body as Fields), id: 7 } }) }],
  ])('story 3: %s proves nothing, and it is not sent again: 10', async (_what, reply) => {
    const service = serviceWithExam({ sessions: [ada] });
    service.next('POST', reply);
    expect(await codesOf(service, again, again)).toEqual([10, 10]);
    expect(posts(service)).toBe(1);
  });

  test.each(['runs resume', again])('story 3: where all reads failed after it, %s finds it', async (line) => {
    const service = serviceWithExam({ sessions: [ada] });
    service.fault = ({ method }) => {
      if (method === 'POST') return lostAfter;
      return posts(service) > 0 ? refused(503) : undefined;
    };
    expect(await codesOf(service, again)).toEqual([10]);
    service.fault = () => undefined;
    const next = line === again ? again : `runs resume ${await lastRun(service)} --yes`;
    expect(await codesOf(service, next)).toEqual([0]);
    expect(service.sessions).toHaveLength(2);
  });

  test.each([
    'POST /exams/1/student_sessions -F email=ada@example.org',
    'POST /exams/1/student_sessions?notify=false -F email=ada@example.org',
    'POST /exams/1/add_student?email=ada@example.org',
    'PATCH /student_sessions/8?notify=false -F email=ada@example.org',
    'PATCH /student_sessions/8?email=ada@example.org',
  ])('story 3: a query behind its path does not hide whom it registers or renames: api %s is 11', async (line) => {
    const service = serviceWithExam({ sessions: [ada, bob] });
    expect(await codesOf(service, `api ${line}`)).toEqual([11]);
    expect(service.writes()).toEqual([]);
  });

  test('story 3: a query behind the path is sent as it was typed, and what came of it is looked up', async () => {
    const service = serviceWithExam({ sessions: [ada] });
    const line = 'api POST /exams/1/student_sessions?notify=false -F email=eve@example.org';
    service.next('POST', lostAfter);
    expect(await codesOf(service, line, line)).toEqual([0, 11]);
    expect(service.writes()).toEqual(['POST /exams/1/student_sessions?notify=false']);
  });

  test.each([
    ['name=Adam', 0],
    ['name=Adam&notify=false', 10],
  ])('story 3: a lost update with ?%s is judged by all that it has', async (query, code) => {
    const service = serviceWithExam({ sessions: [ada] });
    service.fault = ({ method, query: of }) => {
      if (method !== 'PATCH') return undefined;
      service.truth.change('session', 7, { name: of.get('name') });
      return lostBefore;
    };
    const ended = await service.run(`api PATCH /student_sessions/7?${query}`);
    expect(ended.code, ended.stderr).toBe(code);
  });

  test('story 3: no restriction is reset by a query: 3, and nothing is sent', async () => {
    const service = serviceWithExam();
    expect(await codesOf(service, 'api PATCH /exams/1?allow_headphones=true -F name=Optics')).toEqual([3]);
    expect(service.writes()).toEqual([]);
  });
});

describe('story 4: two addresses that are kept as one', () => {
  const both = 'email\neve+exam@example.org\neve@example.org\n';
  const stripping = (more = {}) =>
    serviceWithExam({ sessions: [ada], habits: { firstId: 101, kept: (address: string) => address.replace('+exam', '') }, ...more });

  test('story 4: of a roster of a timetable are registered once each, however often it is applied', async () => {
    const service = stripping();
    const line = `exams apply ${timetable(service, both)} --yes`;
    expect(await codesOf(service, line, line, line)).toEqual([0, 0, 0]);
    expect(posts(service)).toBe(2);
  });

  test('story 4: are registered again once each after an undo', async () => {
    const service = stripping();
    await service.run(imports, { stdin: both });
    await service.run(`runs undo ${await lastRun(service)} --yes`);
    expect(service.sessions).toHaveLength(1);
    for (let times = 0; times < 3; times += 1) expect((await service.run(imports, { stdin: both })).code).toBe(0);
    expect(service.sessions).toHaveLength(3);
  });

  test.each([
    ['eve@example.org', both],
    ['eve+exam@example.org', both],
    ['eve+exam@example.org', 'email\neve@example.org\neve+exam@example.org\n'],
  ])('story 4: are registered once each where %s was there before from another file', async (email, stdin) => {
    const service = stripping();
    await service.run(imports, { stdin: `email\n${email}\n` });
    for (let times = 0; times < 3; times += 1) expect((await service.run(imports, { stdin })).code).toBe(0);
    expect(posts(service)).toBe(2);
  });

  test('story 4: have each their own values, and an update reaches the one of its line', async () => {
    const service = stripping();
    const roster = (one: string, other: string) => ({
      stdin: `email,close_time\neve+exam@example.org,2127-02-01T${one}:00Z\neve@example.org,2127-02-01T${other}:00Z\n`,
    });
    const closes = () => service.sessions.slice(1).map(({ close_time }) => close_time?.slice(11, 16));
    for (const [one, other] of [
      ['09:00', '09:30'],
      ['09:15', '09:30'],
      ['09:15', '09:45'],
    ] as const) {
      expect((await service.run(`${imports} --update`, roster(one, other))).code).toBe(0);
      expect(closes()).toEqual([one, other]);
    }
  });

  test('story 4: where the service refuses the second one, nobody is lost or doubled, and it is never 0', async () => {
    const service = stripping({ taken: 409 });
    for (let times = 0; times < 3; times += 1) expect((await service.run(imports, { stdin: both })).code).not.toBe(0);
    expect(inExam(service, 1)).toEqual(['ada@example.org', 'eve@example.org']);
  });

  test('story 4: where the service answers the second one with the first, nobody is lost in silence or doubled, and nothing is sent again', async () => {
    const service = stripping();
    service.next('POST', {}, { done: 'never', answer: () => reply(201, service.sessions.at(-1)) });
    for (let times = 0; times < 3; times += 1) {
      const ended = await service.run(imports, { stdin: both });
      expect([ended.code, ended.stderr]).toEqual([10, expect.stringContaining('eve+exam@example.org')]);
    }
    expect([inExam(service, 1), posts(service)]).toEqual([['ada@example.org', 'eve@example.org'], 2]);
  });
});

describe('story 23: pages that nobody declared', () => {
  /** No answer says that there are pages. */
  const paged = (pageSize: number, sessions: Fields[] = []) => {
    const service = serviceWithExam({ exams: [algebra, optics], sessions, showing: { dated: true, pageSize } });
    for (const exam of [1, 2, 101]) service.always(`GET /exams/${exam}/student_sessions`, { answer: ({ headers: _, ...whole }) => whole });
    return service;
  };
  const setPaging = 'config set dialect.paging page';
  const setPagingFirst = "Ask the service's operator how the next page is requested";

  test.each([
    ['a move into it', 'sessions move 99 --exam 1 --yes'],
    ['a clone of it', 'exams clone 1 --start 2127-05-01T08:00:00Z --with-students'],
    ['students add', 'students add --exam 1 --email s40@example.org'],
    ['api POST', 'api POST /exams/1/student_sessions -F email=s40@example.org'],
  ])('story 23: %s sends nothing, and names the setting: 3', async (_what, line) => {
    const service = paged(25, [...filled(40), { ...cleo, id: 99, email: 's40@example.org' }]);
    const ended = await service.run(line);
    expect([ended.code, service.writes(), ended.stderr.includes(setPaging)]).toEqual([3, [], true]);
  });

  test('story 23: where the list of exams has no pages, the settings that a timetable prints lead to its end', async () => {
    const service = paged(25);
    const path = timetable(service, rosterOf(40), 'name,start,end,roster\nBio,2127-05-01T08:00:00Z,2127-05-01T10:00:00Z,r.csv\n');
    const apply = `exams apply ${path} --yes`;
    const { code, stderr } = await service.run(apply);
    expect([code, stderr.includes(setPaging)]).toEqual([9, true]);
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
    const service = paged(25, filled(40));
    expect((await service.run(['config', 'set', 'dialect.paging', 'page sessions=none'])).code).toBe(0);
    expect((await service.run(imports, { stdin: rosterOf(40) })).code).toBe(0);
    expect(service.writes()).toEqual([]);
    const unknown = await service.run(['config', 'set', 'dialect.paging', 'page rooms=none']);
    expect(unknown.code).toBe(3);
  });

  test('story 23: an undo of such an import takes all 40 back', async () => {
    const service = paged(25);
    await service.run(imports, { stdin: rosterOf(40) });
    expect(await codesOf(service, `runs undo ${await lastRun(service)} --yes`)).toEqual([0]);
    expect(service.sessions).toEqual([]);
  });

  test('story 23: doctor says that the list of students is not read to its end', async () => {
    const service = paged(25, filled(40));
    const { stdout } = await service.run('doctor -o json');
    const { state } = (JSON.parse(stdout) as { check: string; state: string }[]).find(({ check }) => check === 'paging') ?? {};
    expect(state).not.toBe('ok');
  });

  test.each([
    ['an import', imports],
    ['a move', 'sessions move 98 99 --exam 1 --yes'],
  ])('story 23: pages of fewer than ten students are noticed after %s, and its undo takes back who was there', async (_what, line) => {
    const others = [98, 99].map((id) => ({ ...cleo, id, email: `s${id - 90}@example.org` }));
    const service = paged(5, [...filled(9), ...others]);
    const ended = await service.run(line, { stdin: rosterOf(9) });
    expect([ended.code, ended.stderr.includes(`hint: ${setPagingFirst}`)], ended.stderr).toEqual([9, true]);
    const undo = `runs undo ${await lastRun(service)} --yes`;
    expect(await codesOf(service, setPaging, undo)).toEqual([0, 0]);
    expect([inExam(service, 1).length, inExam(service, 2).length, twice(service)]).toEqual([9, 2, []]);
  });
});

describe('story 23a: a list that shows the oldest 50', () => {
  const cut = () => serviceWithExam({ exams: [algebra], showing: { dated: true, cut: 50 } });
  const lost = (service: Service, email: string) => first(service, ({ body }) => body.email === email, lostAfter);

  test.each([
    ['sessions create', 'sessions create --exam 1 --email s81@example.org', {}],
    ['another import', imports, { stdin: rosterOf(81) }],
  ])('story 23a: within a minute of a list that was seen to be short, %s creates nobody who is there', async (_what, line, world) => {
    const service = cut();
    await service.run(imports, { stdin: rosterOf(80) });
    service.add({ email: 's81@example.org' });
    await service.run(line, world);
    expect(twice(service)).toEqual([]);
  });

  test('story 23a: once the list is whole, who is not there is created at once', async () => {
    const service = cut();
    await service.run(imports, { stdin: rosterOf(80) });
    service.showing.cut = undefined;
    expect(await codesOf(service, 'sessions create --exam 1 --email s81@example.org')).toEqual([0]);
    expect((await service.run(imports, { stdin: rosterOf(82) })).code).toBe(0);
    expect([service.sessions.length, twice(service)]).toEqual([82, []]);
  });

  test('story 23a: a list that is late is not called short', async () => {
    const service = serviceWithExam({ exams: [algebra], sessions: filled(3), showing: { dated: true } });
    service.clock.set('2027-01-05T08:00:00Z');
    service.showing.lag = 20_000;
    expect((await service.run(imports, { stdin: rosterOf(5) })).code).toBe(0);
    service.showing.lag = 40_000;
    expect(await codesOf(service, 'sessions create --exam 1 --email s6@example.org')).toEqual([0]);
    // Who leaves meanwhile is no proof of a short list either.
    first(service, isPost, () => {
      service.truth.remove('session', 1);
      return {};
    });
    expect((await service.run(imports, { stdin: rosterOf(9) })).code).toBe(0);
    expect([service.sessions.length, twice(service)]).toEqual([8, []]);
  });

  test('story 23a: where each student was created with another value, a list known to be short is not believed', async () => {
    const service = cut();
    service.fault = ({ body }) => {
      delete body.close_time;
      return undefined;
    };
    const roster = (students: number) => ({
      stdin: rosterOf(students).replaceAll('org\n', `org,${close}\n`).replace('email', 'email,close_time'),
    });
    await service.run(imports, roster(60));
    service.add({ email: 's61@example.org', close_time: close });
    service.clock.set('2027-01-05T08:00:00Z');
    await service.run(imports, roster(61));
    expect(twice(service)).toEqual([]);
  });

  test('story 23a: `runs close`, which is printed, ends the run', async () => {
    const service = cut();
    lost(service, 's80@example.org');
    await service.run(imports, { stdin: rosterOf(80) });
    await service.run(`runs close ${await lastRun(service)}`);
    expect(JSON.parse((await service.run('runs list --open -o json')).stdout)).toEqual([]);
  });

  test.each(['sessions update 101 --email s80@example.org', 'api PATCH /student_sessions/101 -f email=s80@example.org'])(
    'story 23a: %s does not give one student the address of another whom the list lacks',
    async (line) => {
      const service = cut();
      await service.run(imports, { stdin: rosterOf(80) });
      service.clock.set('2027-01-05T08:00:00Z');
      const ended = await service.run(line);
      expect(ended.code, ended.stderr).not.toBe(0);
      expect(twice(service)).toEqual([]);
    },
  );

  test('story 23a: a list of the newest 50 loses whom the plan had read: it is not 0, and the next import creates nobody of them', async () => {
    const service = serviceWithExam({ exams: [algebra], sessions: filled(49), showing: { dated: true } });
    service.always('GET /exams/1/student_sessions', { answer: (whole) => ({ ...whole, body: (whole.body as Fields[]).slice(-50) }) });
    const ended = await service.run(imports, { stdin: rosterOf(60) });
    expect(ended.code, ended.stderr).not.toBe(0);
    await service.run(imports, { stdin: rosterOf(60) });
    expect(twice(service)).toEqual([]);
  });

  test('story 23a: of exams, a timetable with a lost answer creates each exam once', async () => {
    const service = serviceWithExam({ exams: Array.from({ length: 10 }, (_, at) => ({ ...algebra, id: at + 1, name: `E${at}` })) });
    service.always('GET /exams', { answer: (whole) => ({ ...whole, body: (whole.body as Fields[]).slice(0, 11) }) });
    first(service, ({ line, body }) => line === 'POST /exams' && body.name === 'C', lostAfter);
    const lines = ['A', 'B', 'C'].map((name, at) => `${name},2127-05-0${at + 1}T08:00:00Z,2127-05-0${at + 1}T10:00:00Z\n`);
    const apply = `exams apply ${timetable(service, '', `name,start,end\n${lines.join('')}`)} --yes`;
    const codes = await codesOf(service, apply, apply, `runs close ${await lastRun(service)}`, apply);
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

describe('story 24: a list that shows no address', () => {
  const hides = ({ email, ...more }: Fields) => ({ ...more, ...(email === undefined ? {} : { email: null }) });
  const hidden =
    (only?: string) =>
    (record: Fields, { path }: Arrived) =>
      only === undefined || path === only ? hides(record) : record;
  const worlds = { exams: [algebra, optics], sessions: [ada, bob, cleo] };

  test.each([
    ['sessions create', 'sessions create --exam 1 --email eve@example.org', {}, 'eve'],
    ['sessions import', imports, { stdin: 'email\neve@example.org\n' }, 'eve'],
    ['sessions move', 'sessions move 9 --exam 1 --yes', {}, 'cleo'],
  ])(
    'story 24: `runs resume` of %s that was rejected registers nobody who is there by now and hidden',
    async (_what, line, world, name) => {
      const service = serviceWithExam(worlds);
      service.next('POST', refused(422));
      await service.run(line, world);
      service.add({ email: `${name}@example.org` });
      service.showing.as = hidden('/exams/1/student_sessions');
      const ended = await service.run(`runs resume ${await lastRun(service)} --yes`);
      expect(ended.code, ended.stderr).not.toBe(0);
      expect(twice(service)).toEqual([]);
    },
  );

  test('story 24: `runs resume` of a rejected create creates the student where the list shows who is there', async () => {
    const service = serviceWithExam(worlds);
    service.next('POST', refused(422));
    await service.run('sessions create --exam 1 --email eve@example.org');
    expect(await codesOf(service, `runs resume ${await lastRun(service)} --yes`)).toEqual([0]);
    expect(service.posts('eve@example.org')).toBe(2);
  });

  test('story 24: an undo of a move puts nobody back who is there by now and hidden', async () => {
    const dora = { ...cleo, id: 10, email: 'dora@example.org' };
    const service = serviceWithExam({ ...worlds, sessions: [...worlds.sessions, dora] });
    await service.run('sessions move 9 --exam 1 --yes');
    service.add({ email: 'cleo@example.org', exam_id: 2 });
    service.showing.as = hidden('/exams/2/student_sessions');
    await service.run(`runs undo ${await lastRun(service)} --yes`);
    expect(twice(service)).toEqual([]);
  });

  test('story 24: nor does the undo of that undo, once the list hides who is in the other exam', async () => {
    const service = serviceWithExam(worlds);
    await service.run('sessions move 9 --exam 1 --yes');
    service.clock.set('2027-01-05T08:00:00Z');
    await service.run(`runs undo ${await lastRun(service)} --yes`);
    service.add({ email: 'cleo@example.org' });
    service.showing.as = hidden('/exams/1/student_sessions');
    const ended = await service.run(`runs undo ${await lastRun(service)} --yes`);
    expect(ended.code, ended.stderr).not.toBe(0);
    expect([twice(service), inExam(service, 2)]).toEqual([[], ['cleo@example.org']]);
  });

  test('story 24: where another one was asked for, `runs resume` creates it in spite of who is hidden', async () => {
    const service = serviceWithExam({ ...worlds, showing: { dated: false, as: hidden('/exams/1/student_sessions') } });
    service.next('POST', refused(422));
    await service.run('sessions create --exam 1 --email eve@example.org --allow-duplicate');
    await service.run(`runs resume ${await lastRun(service)} --yes`);
    expect(service.posts('eve@example.org')).toBe(2);
  });

  test('story 24: a clone that is resumed registers nobody who is in the new exam by then and hidden', async () => {
    const service = serviceWithExam(worlds);
    service.fault = ({ method, path }) => (method === 'POST' && path.endsWith('student_sessions') ? refused(422) : undefined);
    await service.run('exams clone 1 --start 2127-05-01T08:00:00Z --with-students --yes');
    service.fault = () => undefined;
    const exam = service.exams.at(-1)?.id;
    service.add({ email: 'ada@example.org', exam_id: exam });
    service.showing.as = hidden(`/exams/${exam}/student_sessions`);
    const ended = await service.run(`runs resume ${await lastRun(service)} --yes`);
    expect(ended.code, ended.stderr).not.toBe(0);
    expect(twice(service)).toEqual([]);
  });

  test('story 24: one address in the place of all is that of nobody, and nothing is sent: 3', async () => {
    const as = (record: Fields) => ('email' in record ? { ...record, email: 'hidden@example.org' } : record);
    const service = serviceWithExam({ sessions: [ada, bob], showing: { dated: false, as } });
    const ended = await service.run(imports, { stdin: 'email\nada@example.org\n' });
    expect([ended.code, service.writes()], ended.stderr).toEqual([3, []]);
    expect(await codesOf(service, 'sessions create --exam 1 --email eve@example.org --allow-duplicate')).not.toEqual([3]);
    expect(posts(service)).toBe(1);
  });

  test.each(['sessions update 8 --email ada@example.org', 'api PATCH /student_sessions/8 -f email=ada@example.org'])(
    'story 24: %s does not give one student the address of another who is hidden',
    async (line) => {
      const service = serviceWithExam({ ...worlds, showing: { dated: false, as: hidden('/exams/1/student_sessions') } });
      const ended = await service.run(line);
      expect(ended.code, ended.stderr).not.toBe(0);
      expect(twice(service)).toEqual([]);
    },
  );

  test('story 24: neither a clone of it nor a roster of a timetable sends anything: 3', async () => {
    const service = serviceWithExam({ ...worlds, showing: { dated: false, as: hidden() } });
    const lines = [
      'exams clone 1 --start 2127-05-01T08:00:00Z --with-students',
      `exams apply ${timetable(service, 'email\nada@example.org\n')} --yes`,
    ];
    expect(await codesOf(service, ...lines)).toEqual([3, 3]);
    expect(service.writes()).toEqual([]);
  });

  test.each([[{ hidden: true }], [''], ['n/a'], [0], [['ada@example.org']]])(
    'story 24: %j in the place of all addresses hides them',
    async (mask) => {
      const as = (record: Fields) => ('email' in record ? { ...record, email: mask } : record);
      const service = serviceWithExam({ sessions: [ada, bob], showing: { dated: false, as } });
      const ended = await service.run(imports, { stdin: 'email\nada@example.org\n' });
      expect([ended.code, service.writes()]).toEqual([3, []]);
    },
  );

  test.each(['a●●●@example.org', 'a∗∗∗@example.org', 'a███@example.org', '＊＊＊@example.org'])(
    'story 24: %s is no address, and hides one',
    async (email) => {
      const as = (record: Fields) => ('email' in record ? { ...record, email } : record);
      const service = serviceWithExam({ sessions: [ada, bob], showing: { dated: false, as } });
      const ended = await service.run(imports, { stdin: 'email\nada@example.org\n' });
      expect([ended.code, service.writes()]).toEqual([3, []]);
    },
  );
});

describe('story 25: a list says in other words that it goes on', () => {
  type Page = { items: Fields[]; from: number; total: number };
  type Says = (page: Page) => { headers?: Record<string, string>; body?: Fields };
  /** Ten students of twenty-five on each page, which is asked for by `?p=2`. */
  function paged(says: Says) {
    const service = serviceWithExam({ sessions: filled(25) });
    service.fault = ({ method, path, query }) => {
      if (method !== 'GET' || !path.endsWith('student_sessions')) return undefined;
      const from = (Number(query.get('p') ?? 1) - 1) * 10;
      return {
        answer: ({ status, body }) => {
          const all = body as Fields[];
          const page = { items: all.slice(from, from + 10), from, total: all.length };
          const { headers, body: as = page.items } = says(page);
          return reply(status, as, headers);
        },
      };
    };
    return service;
  }
  const beside =
    (more: (page: Page) => Fields): Says =>
    (page) => ({ body: { data: page.items, ...more(page) } });
  const header =
    (name: string, value: (page: Page) => unknown): Says =>
    (page) => ({ headers: { [name]: String(value(page)) } });
  const attacked = async (says: Says) => {
    const service = paged(says);
    const ended = await service.run(imports, { stdin: 'email\ns25@example.org\nnew@example.org\n' });
    expect([ended.code, service.writes()]).toEqual([3, []]);
  };

  test.each<[string, Says]>([
    ['X-Total-Pages', header('x-total-pages', () => 3)],
    ['Content-Range: items */25', header('content-range', ({ total }) => `items */${total}`)],
    ['Content-Range: students: 0-9/25', header('content-range', ({ total }) => `students: 0-9/${total}`)],
    ['total, as text', beside(({ total }) => ({ total: String(total) }))],
  ])('story 25: by %s', (_what, says) => attacked(says));

  test.each<[string, Says]>([
    ["Link with rel='next'", header('link', () => "</elsewhere?p=2>; rel='next'")],
    ['Content-Range: items 0-9 / 25', header('content-range', ({ total }) => `items 0-9 / ${total}`)],
    ['Content-Range: items=0-9/25', header('content-range', ({ total }) => `items=0-9/${total}`)],
  ])('story 25: by %s', (_what, says) => attacked(says));

  test.each<[string, Says]>([
    ['meta.pagination.total', beside(({ total }) => ({ meta: { pagination: { total, total_pages: 3 } } }))],
    ['meta.page.total', beside(({ total }) => ({ meta: { page: { total } } }))],
    ['totalCount', beside(({ total }) => ({ totalCount: total }))],
    ['totalPages', beside(() => ({ totalPages: 3 }))],
    ['hasMore', beside(() => ({ hasMore: true }))],
    ['nextCursor', beside(() => ({ nextCursor: 'abc' }))],
    ['_links.next', beside(() => ({ _links: { next: { href: '/elsewhere?p=2' } } }))],
    ['next_page_url', beside(() => ({ next_page_url: '/elsewhere?p=2' }))],
    ['count', beside(({ total }) => ({ count: total }))],
    ['X-WP-Total', header('x-wp-total', ({ total }) => total)],
  ])('story 25: by %s it is in doubt, and nobody is created: 3', (_what, says) => attacked(says));

  test('story 25: a page that says so is followed to its end', async () => {
    const service = paged(({ from, total }) => ({
      headers: from + 10 < total ? { link: `</api/v1/exams/1/student_sessions?p=${from / 10 + 2}>; rel="next"` } : {},
    }));
    const ended = await service.run(imports, { stdin: 'email\ns25@example.org\nnew@example.org\n' });
    expect([ended.code, service.writes().length, twice(service)]).toEqual([0, 1, []]);
  });
});
