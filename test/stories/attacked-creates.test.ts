/** Creates that are attacked on other ways: another command, another fault, another service than in the stories beside. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ada, algebra, bob, serviceWithExam } from '../support/algebra.ts';
import { type Answer, lostAfter, lostBefore, type Reply, refused, reply, type Service, shown } from '../support/service.ts';
import { codesOf, done, first, inExam, isPost, latest, posts, timetable, twice } from '../support/story.ts';
import type { Fields } from '../support/truth.ts';

const close = '2127-02-01T09:00:00Z';
const optics = { ...algebra, id: 2, name: 'Optics' };
const cleo = { ...ada, id: 9, exam_id: 2, email: 'cleo@example.org', close_time: close };
const imports = 'sessions import - --exam 1 --yes';
const span = '--start 2127-05-01T08:00:00Z --end 2127-05-01T10:00:00Z';

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
    await done(service, typed, 0, 'skip_requirements', world);
  });

  test('story 1: a restriction of a lost exam that the service never shows is named, and it is 0', async () => {
    const service = serviceWithExam({ showing: { dated: false, as: ({ allow_headphones: _, ...more }) => more } });
    service.next('POST', lostAfter);
    const all = '--allow-headphones --allow-whiteboard --allow-leave-room --allow-pen-paper';
    await done(service, `exams create --name Optics ${span} ${all}`, 0, 'allow_headphones');
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
    await done(service, 'sessions move 9 --exam 1 --yes', 9);
    expect(inExam(service, 2)).toEqual(['cleo@example.org']);
  });

  const ofAnother = (whole: Answer) => ({ ...whole, body: { ...(whole.body as Fields), id: 9 } });
  test.each<[what: string, name: string, reply: Reply, code: 9 | 'fails']>([
    ['of a student of another exam', 'eve', { answer: ofAnother }, 9],
    ['of the same student in another exam', 'cleo', { done: 'never', answer: ofAnother }, 'fails'],
  ])('story 1: an answer with the ID %s is no proof, and its undo deletes nobody', async (_what, name, reply, code) => {
    const showing = { dated: false, as: ({ exam_id: _, ...more }: Fields) => more };
    const service = serviceWithExam({ exams: [algebra, optics], sessions: [ada, cleo], showing });
    first(service, isPost, reply);
    await done(service, `sessions create --exam 1 --email ${name}@example.org`, code);
    await service.run(`runs undo ${await latest(service)} --yes`);
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
  await done(service, line, code, 'exam 1 is no longer there');
  expect(await codesOf(service, line, `runs undo ${await latest(service)} --yes`)).toEqual([6, undone]);
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
  await done(service, `runs undo ${await latest(service)} --yes`, 11, left);
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
  await done(service, `runs undo ${await latest(service)} --yes`, 9, 'sessions delete 102');
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
    const run = await latest(service);
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
    await done(service, `exams apply ${timetable(service, 'email\n', table)} --yes`);
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
    await done(service, `exams create --name Optics ${span} ${all}`, 11, 'allow_headphones');
  });

  test('story 2: of a student without an address is judged by the number', async () => {
    const { service } = await done(serviceWithExam({ sessions: [ada] }), 'config set dialect.sessionNumberKey number');
    raced(service, () => ({ email: null, number: 41 }));
    const stdin = `number,close_time\n41,${close}\n`;
    await done(service, `${imports} --map number=number`, 11, 'close_time', { stdin });
    expect((await service.run('sessions create --exam 1 -f number=41')).code).toBe(11);
  });

  test.each([
    'sessions create --exam 1 --email eve@example.org -f number=41',
    'api POST /exams/1/student_sessions -F email=eve@example.org -f number=41 --yes',
    'sessions move 9 --exam 1 --yes',
  ])('a student with an address is looked for by the number, too: who has it is there already, with no address: %s', async (line) => {
    const sessions = [ada, { ...bob, email: null, number: '41' }, { ...ada, id: 9, exam_id: 2, email: 'eve@example.org', number: '41' }];
    const service = serviceWithExam({ exams: [algebra, { ...algebra, id: 2, name: 'Optics' }], sessions });
    await service.run('config set dialect.sessionNumberKey number');
    const { writes } = await done(service, line, 11, 'session 8');
    expect(writes).toEqual([]);
  });

  const creating = ['sessions create --exam 1 --email eve@example.org', `exams create --name Optics ${span}`];
  test.each(creating)('story 2: %s is rejected, and not unknown, where somebody else has created another one: 7', async (line) => {
    const service = serviceWithExam({ sessions: [ada] });
    raced(service, (body) => ({ ...body, name: 'Physics', email: 'fay@example.org' }));
    expect(await codesOf(service, line)).toEqual([7]);
  });

  test('story 2: with --if-not-exists, other values are 11', async () => {
    const service = serviceWithExam({ sessions: [ada] });
    raced(service, ({ email }) => ({ email }));
    await done(service, `sessions create --exam 1 --email eve@example.org --close-time ${close} --if-not-exists`, 11);
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

  test('a clone whose exam was not created says so once, and not of each student', async () => {
    const service = serviceWithExam({ sessions: [ada, bob] });
    service.next('POST /exams', lostBefore);
    const { stderr } = await done(service, 'exams clone 1 --start 2127-05-01T08:00:00Z --with-students', 8);
    expect(stderr.match(/^.*carried out.*$/gm)).toEqual([expect.stringMatching(/^error: 0 of 3 done, 3 failed: The connection /)]);
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
    const next = line === again ? again : `runs resume ${await latest(service)} --yes`;
    expect(await codesOf(service, next)).toEqual([0]);
    expect(service.sessions).toHaveLength(2);
  });

  test.each([
    'POST /exams/1/student_sessions -F email=ada@example.org',
    ...['POST /exams/1/student_sessions?notify=false -F email=ada@example.org', 'POST /exams/1/add_student?email=ada@example.org'],
    ...['PATCH /student_sessions/8?notify=false -F email=ada@example.org', 'PATCH /student_sessions/8?email=ada@example.org'],
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
    await done(service, `api PATCH /student_sessions/7?${query}`, code);
  });

  test('story 3: no restriction is reset by a query: 3, and nothing is sent', async () => {
    const service = serviceWithExam();
    expect(await codesOf(service, 'api PATCH /exams/1?allow_headphones=true -F name=Optics')).toEqual([3]);
    expect(service.writes()).toEqual([]);
  });
});
