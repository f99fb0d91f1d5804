/** `runs list`, `show`, `resume`, `undo`, `close` and `forget`: what they print, send and end with, whichever record has the run. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { ada, algebra, bob, serviceWithExam } from '../support/algebra.ts';
import { lostAfter, lostBefore, refused, type Service } from '../support/service.ts';
import { done, latest } from '../support/story.ts';

const seated = [ada, bob].map((student) => ({ ...student, seat: 'A' }));

type Row = Record<string, unknown> & { run: string };

const second = { ...algebra, id: 2, name: 'Geometry' };
const create = 'sessions create --exam 1 --email zoe@example.org --name Zoe';
const shift = 'exams shift 1 --by 1d --yes --timezone UTC';
const imported = 'sessions import - --exam 1 --yes';
const roster = { stdin: 'email\nyan@example.org\n' };

const listed = async (service: Service, options = '') => (await done(service, `runs list -o json ${options}`.trim())).rows() as Row[];

/** Whose creation was lost while no list could be read. */
async function lost(service = serviceWithExam(), reply = lostAfter): Promise<string> {
  service.next('write', reply);
  service.fault = ({ method }) => (service.posts() > 0 && method === 'GET' ? refused(502) : undefined);
  await done(service, create, 10);
  service.fault = () => undefined;
  return latest(service);
}

/** Another machine has registered the same student at the same moment. */
async function twice(): Promise<Service> {
  const service = serviceWithExam();
  service.onAnswer = ({ method }) => void (method === 'POST' && service.add({ email: 'zoe@example.org', name: 'Zoe' }));
  await done(service, create, 9);
  return service;
}

/** Of two sessions the second is not deleted: the token was refused meanwhile. */
async function half(service: Service): Promise<string> {
  service.next('DELETE', undefined, refused(401));
  expect((await service.run('sessions delete 7 8 --yes')).code).toBe(9);
  return latest(service);
}

describe('runs list', () => {
  test('has the latest run first, and each with the same keys', async () => {
    const service = serviceWithExam({ exams: [algebra, second], sessions: [ada] });
    await done(service, create, 0, { now: '2127-01-04T08:00:00Z' });
    await done(service, imported, 0, { ...roster, now: '2127-01-05T08:00:00Z', env: { USER: 'ada' } });
    const rows = await listed(service);
    expect(rows).toEqual([
      {
        ...{ run: expect.stringMatching(/^21270105T080000-\w{6}$/), when: '2127-01-05T08:00:00.000Z', exam: 1 },
        ...{ command: 'sessions import FILE --exam 1', state: 'finished', done: 1, failed: 0, who: 'ada@test' },
      },
      expect.objectContaining({ command: 'sessions create --exam 1 --email ADDRESS --name NAME', exam: 1, done: 1 }),
    ]);
    expect(Object.keys(rows[1] ?? {})).toEqual(Object.keys(rows[0] ?? {}));
  });

  test.each([
    ['--since 2127-01-05T00:00Z', ['sessions create', 'exams create']],
    ['--since 2127-01-05 --timezone UTC', ['sessions create', 'exams create']],
    ['--since now-73h', ['sessions create', 'exams create']],
    ['--exam 1', ['exams shift', 'sessions update']],
    ['--exam 2', ['sessions create']],
    ['--exam 101', ['exams create']],
    ['--open', []],
  ])('%s', async (options, commands) => {
    const service = serviceWithExam({ exams: [algebra, second], sessions: [ada] });
    await done(service, 'sessions update 7 --name Adele', 0, { now: '2127-01-04T07:59:00Z' });
    await done(service, shift, 0, { now: '2127-01-04T08:00:00Z' });
    await done(service, 'exams create --name New --start 2127-03-01T08:00Z --end 2127-03-01T10:00Z', 0, { now: '2127-01-05T08:00:00Z' });
    await done(service, create.replace('--exam 1', '--exam 2'), 0, { now: '2127-01-05T08:00:01Z' });
    service.clock.set('2127-01-08T08:00:01.500Z');
    expect((await listed(service, options)).map(({ command }) => String(command).split(' ').slice(0, 2).join(' '))).toEqual(commands);
  });

  test('of an exam without an ID is refused', async () => {
    expect((await done(serviceWithExam(), 'runs list --exam=', 2)).stderr).toContain('error: --exam is empty.');
  });

  test('where nothing was done, it is empty, and makes no record', async () => {
    const service = serviceWithExam();
    expect((await done(service, 'runs list -o json')).stdout).toBe('[]\n');
    expect(existsSync(join(service.home, 'state')) && readdirSync(join(service.home, 'state'))).toBe(false);
  });

  test('says in 80 columns when, with which file and what of it was done', async () => {
    const service = serviceWithExam();
    const file = join(service.home, 'a folder with a long name', 'algebra.csv');
    mkdirSync(dirname(file));
    writeFileSync(file, 'email\nzoe@example.org\n');
    await service.run(['sessions', 'import', file, '--exam', '1', '--yes'], { now: '2127-01-04T08:00:00Z' });
    service.clock.set('2127-01-04T10:05:00Z');
    const { stdout, stderr } = await done(service, 'runs list', 0, { tty: true, columns: 80 });
    const [head = '', line = ''] = stripVTControlCharacters(stdout).split('\n');
    expect(head.split(/ {2,}/)).toEqual(['RUN', 'WHEN +00:00', 'COMMAND', 'EXAM', 'STATE']);
    expect(line.split(/ {2,}/).slice(1)).toEqual(['01-04 08:00', 'sessions import algebra.csv …', '1', '1 done']);
    expect([line.length <= 80, stderr]).toEqual([true, '']);
  });
});

const zoe = { does: 'add the student to exam', exam: 1, session: 101, email: 'zoe@example.org' };
test.each([
  ['sessions create --exam 1 --email zoe@example.org', zoe],
  ['exams shift 1 --by 1d --yes', { does: 'update exam', exam: 1, session: null, sets: { start_time: '2127-02-02T08:00:00Z' } }],
])('runs show of "%s" is one object: the run, its counts and its steps', async (line, step) => {
  const { service } = await done(serviceWithExam(), line);
  const run = await latest(service);
  const { stdout } = await done(service, `runs show ${run} -o json`);
  expect(JSON.parse(stdout)).toMatchObject({
    ...{ run, exam: 1, state: 'finished', done: 1, failed: 0, service: service.origin, profile: 'default', undoes: null },
    counts: { done: 1 },
    steps: [{ n: 1, line: null, ...step, result: 'done', reason: null, ours: true }],
  });
  expect((await done(service, `runs show ${run}`)).stdout).toMatch(/^LINE +DOES +EXAM/);
});

test.each(['show', 'resume', 'undo', 'close'])('runs %s of a run that nobody knows is 6, and asks the service nothing', async (verb) => {
  const { service, stderr } = await done(serviceWithExam(), `runs ${verb} 20270104T080000-abcdef --yes`, 6);
  expect([service.requests(), stderr]).toEqual([[], expect.stringContaining('proctor-cli runs list')]);
});

describe('runs resume', () => {
  test.each([create, shift])('of a run of "%s" that did all, there is nothing to resume', async (line) => {
    const { service } = await done(serviceWithExam(), line);
    const { writes, stdout, stderr } = await done(service, `runs resume ${await latest(service)} -o json`);
    expect([writes, stdout]).toEqual([[], '[]\n']);
    expect(stderr).toContain('there is nothing to resume');
  });

  test('a deletion goes on, and a script has to say yes again', async () => {
    const service = serviceWithExam({ sessions: [ada, bob] });
    const run = await half(service);
    const asked = await done(service, `runs resume ${run}`, 2);
    expect([asked.writes, asked.stderr]).toEqual([[], expect.stringContaining('Confirmation required')]);
    const dry = await done(service, `runs resume ${run} --dry-run -o json`);
    expect(dry.writes).toEqual([]);
    expect(dry.rows()).toMatchObject([{ method: 'DELETE', url: expect.stringMatching(/student_sessions\/8$/) }]);
    const { writes, rows } = await done(service, `runs resume ${run} --yes -o json`);
    expect(writes).toEqual(['DELETE /student_sessions/8']);
    expect(rows()).toMatchObject([
      { session: 7, result: 'done' },
      { session: 8, result: 'done' },
    ]);
    expect([service.sessions, await listed(service)]).toMatchObject([[], [{ state: 'finished', done: 2, failed: 0 }]]);
  });

  test('what was rejected is tried again', async () => {
    const service = serviceWithExam({ sessions: seated });
    service.next('PATCH', undefined, refused(422, { error: 'not now' }));
    await done(service, 'sessions update 7 8 -f seat=B --yes', 9);
    const { writes } = await done(service, `runs resume ${await latest(service)} --yes`);
    expect(writes).toEqual(['PATCH /student_sessions/8']);
    expect(service.sessions.map(({ seat }) => seat)).toEqual(['B', 'B']);
  });

  test('what is planned anew each time is given up, and its command is printed', async () => {
    const service = serviceWithExam({ sessions: seated });
    service.next('PATCH', undefined, refused(401));
    await done(service, 'sessions update 7 8 -f seat=B --yes', 9);
    expect(
      (await done(service, `runs resume ${await latest(service)}`, 9, 'proctor-cli sessions update 7 8 --raw-field KEY=VALUE')).writes,
    ).toEqual([]);
    expect(await listed(service, '--open')).toEqual([]);
  });

  test.each(['resume', 'close'])('a create whose answer was lost is looked up, and never sent again, also by `runs %s`', async (verb) => {
    const service = serviceWithExam();
    const { writes } = await done(service, `runs ${verb} ${await lost(service)}`);
    expect(writes).toEqual([]);
    expect(await listed(service)).toMatchObject([{ state: 'finished', done: 1 }]);
  });

  test('of a run of another service it is 3, and asks that service nothing', async () => {
    const service = serviceWithExam();
    const run = await lost(service);
    const other = serviceWithExam();
    const { stderr } = await done(other, `runs resume ${run}`, 3, { home: service.home });
    expect([other.requests(), stderr]).toEqual([[], expect.stringContaining(`Run ${run} was made at ${service.origin}`)]);
  });
});

describe('runs undo', () => {
  test('deletes a student whom the run created, and sends nothing the second time', async () => {
    const { service } = await done(serviceWithExam({ sessions: [ada] }), create);
    const run = await latest(service);
    const dry = await done(service, `runs undo ${run} --dry-run -o json`);
    expect([dry.writes, dry.rows()]).toMatchObject([[], [{ method: 'DELETE' }]]);
    const { writes, rows } = await done(service, `runs undo ${run} --yes -o json`);
    expect(writes).toEqual(['DELETE /student_sessions/101']);
    expect(rows()).toMatchObject([{ session: 101, email: 'zoe@example.org', result: 'undone' }]);
    expect(service.sessions.map(({ id }) => id)).toEqual([7]);
    const second = await done(service, `runs undo ${run} --yes -o json`);
    expect([second.writes, second.rows()]).toMatchObject([[], [{ result: 'undone before' }]]);
    const [undone, undo] = (await listed(service)).toSorted((one) => (one.run === run ? -1 : 1));
    expect([undone?.state, undo?.state]).toEqual(['undone', 'finished']);
    expect((await done(service, `runs show ${run}`)).stderr).toContain(`, 1 step, undone by run ${undo?.run}.`);
  });

  test.each([
    ['has started', { status: 'exam_started' }, 'its status is exam_started'],
    ['is another one by now', { email: 'eve@example.org' }, 'it now belongs to eve@example.org'],
    ['is in another exam by now', { exam_id: 2 }, 'it now belongs to exam 2'],
  ])('keeps a student who %s: 11', async (_, fields, why) => {
    const { service } = await done(serviceWithExam({ exams: [algebra, second] }), create);
    service.change('session', 101, fields);
    expect((await done(service, `runs undo ${await latest(service)} --yes`, 11, why)).writes).toEqual([]);
    expect(service.sessions).toHaveLength(1);
  });

  test('keeps a student whose answer was lost: another client may have added the one who is there', async () => {
    const service = serviceWithExam();
    service.next('POST', lostAfter);
    await done(service, create);
    expect((await done(service, `runs undo ${await latest(service)} --yes`, 11, 'another client may have created it')).writes).toEqual([]);
  });

  test('of a shift takes one exam back whole where the window of another was changed since', async () => {
    const early = { open_time: '2127-02-01T07:30:00Z' };
    const sessions = [
      { ...ada, ...early },
      { ...bob, ...early, exam_id: 2 },
    ];
    const { service } = await done(serviceWithExam({ exams: [algebra, second], sessions }), 'exams shift 1 2 --by 1d --yes --timezone UTC');
    service.change('session', 8, { open_time: '2127-02-02T07:00:00Z' });
    await done(service, `runs undo ${await latest(service)} --yes`, 9);
    expect(service.exams.map(({ start_time, end_time }) => [start_time, end_time])).toEqual([
      ['2127-02-01T08:00:00Z', '2127-02-01T10:00:00Z'],
      ['2127-02-01T08:00:00Z', '2127-02-02T10:00:00Z'],
    ]);
  });

  test('sets back what an update set, and names what was changed since: 9, then 11', async () => {
    const { service } = await done(serviceWithExam({ sessions: seated }), 'sessions update 7 8 -f seat=B --yes');
    service.change('session', 8, { seat: 'C' });
    const run = await latest(service);
    const { writes, rows, stderr } = await done(service, `runs undo ${run} --yes -o json`, 9);
    expect(writes).toEqual(['PATCH /student_sessions/7']);
    expect(rows()).toMatchObject([
      { session: 7, result: 'undone' },
      { session: 8, result: 'kept', reason: expect.stringContaining('it was changed since') },
    ]);
    expect(JSON.parse(stderr.split('\n').find((line) => line.startsWith('{')) ?? '')).toMatchObject({ error: { items: [{ id: 8 }] } });
    expect(service.sessions.map(({ seat }) => seat)).toEqual(['A', 'C']);
    expect((await done(service, `runs undo ${run} --yes`, 11)).writes).toEqual([]);
    expect((await listed(service)).find((row) => row.run === run)?.state).toBe('partly undone');
  });

  test.each([
    ['sessions delete 7', 'a deletion cannot be taken back'],
    ['exams send-emails 1', 'mails cannot be taken back'],
  ])('names why "%s" stays: 11', async (line, why) => {
    const { service } = await done(serviceWithExam({ sessions: [ada] }), `${line} --yes`);
    expect((await done(service, `runs undo ${await latest(service)} --yes`, 11, why)).writes).toEqual([]);
  });

  test('of deletions that were not all made prints the command that deletes nobody else: 11', async () => {
    const service = serviceWithExam({ sessions: [ada, bob] });
    service.fault = ({ line }) => (line === 'DELETE /student_sessions/8' ? refused(429) : undefined);
    await done(service, 'sessions delete 7 8 --yes', 9);
    service.fault = () => undefined;
    const run = await latest(service);
    expect((await done(service, `runs undo ${run} --yes`, 11, `To end it as it is: proctor-cli runs close ${run}`)).writes).toEqual([]);
    await done(service, `runs close ${run}`);
    expect(service.sessions.map(({ id }) => id)).toEqual([8]);
    expect(await listed(service, '--open')).toEqual([]);
  });

  test('leaves an end that would come before a start that somebody has set since, and names it: 11', async () => {
    const { service } = await done(serviceWithExam(), 'exams update 1 --end 2127-02-03T10:00:00Z --yes');
    service.change('exam', 1, { start_time: '2127-02-03T08:00:00Z' });
    const run = await latest(service);
    expect((await done(service, `runs undo ${run} --yes`, 11, 'end_time would come before start_time')).writes).toEqual([]);
    service.change('exam', 1, { start_time: '2127-02-01T07:00:00Z' });
    expect((await done(service, `runs undo ${run} --yes`, 0)).writes).toEqual(['PATCH /exams/1']);
  });

  test('keeps an exam that has students of others', async () => {
    const { service } = await done(serviceWithExam(), 'exams create --name New --start 2127-03-01T08:00Z --end 2127-03-01T10:00Z');
    service.add({ exam_id: 101, email: 'eve@example.org' });
    const run = await latest(service);
    expect((await done(service, `runs undo ${run} --yes`, 11)).stderr).toContain('it has 1 student that this undo does not delete');
    service.truth.remove('session', service.sessions[0]?.id ?? 0);
    expect((await done(service, `runs undo ${run} --yes`)).writes).toEqual(['DELETE /exams/101']);
  });

  test('ends an open run first, of which what was never sent has not failed', async () => {
    const service = serviceWithExam({ sessions: seated });
    service.next('PATCH', undefined, refused(401));
    await done(service, 'sessions update 7 8 -f seat=B --yes', 9);
    const { writes } = await done(service, `runs undo ${await latest(service)} --yes`);
    expect(writes).toEqual(['PATCH /student_sessions/7']);
    expect([service.sessions.map(({ seat }) => seat), await listed(service, '--open')]).toEqual([['A', 'A'], []]);
    expect((await listed(service)).map(({ done, failed }) => [done, failed])).toEqual([
      [1, 0],
      [1, 0],
    ]);
  });

  test.each([
    ['gone', 'GET /exams/1/student_sessions', 'the other session of this address is no longer shown'],
    ['going', 'GET /student_sessions/102', 'session 102 was changed meanwhile: it is no longer there'],
  ])('of two machines that registered the same student, the second finds the other session %s, and keeps its own', async (_, when, why) => {
    const service = await twice();
    service.onArrival = ({ line }) => void (line === when && service.truth.remove('session', 102));
    expect((await done(service, `runs undo ${await latest(service)} --yes`, 11, why)).writes).toEqual([]);
    expect(service.sessions).toHaveLength(1);
  });

  test('a look after the deletion says when the other session has gone, too', async () => {
    const service = await twice();
    service.onAnswer = ({ method }) => void (method === 'DELETE' && service.truth.remove('session', 102));
    await done(service, `runs undo ${await latest(service)} --yes`, 9, 'proctor-cli sessions create --exam 1 --email zoe@example.org');
  });
});

describe('runs close', () => {
  test('ends a run that nothing can settle, prints what stays unknown, and the same command is free again', async () => {
    const service = serviceWithExam();
    const run = await lost(service, lostBefore);
    service.fault = ({ method, path }) => (method === 'GET' && path.endsWith('/student_sessions') ? refused(502) : undefined);
    const { rows, writes } = await done(service, `runs close ${run} -o json`);
    expect([writes, rows()]).toMatchObject([[], [{ exam: 1, email: 'zoe@example.org', result: 'unknown' }]]);
    expect(await listed(service)).toMatchObject([{ run, state: 'partial', done: 0, failed: 1 }]);
    service.fault = () => undefined;
    await done(service, create);
    expect(service.sessions).toHaveLength(1);
  });

  test('leaves a run open that it could not look at', async () => {
    const service = serviceWithExam();
    const run = await lost(service, lostBefore);
    service.fault = () => refused(401);
    const { code } = await service.run(`runs close ${run}`);
    expect([code, await listed(service)]).toMatchObject([4, [{ run, state: 'open' }]]);
  });
});

describe.each(['--student Zoe@Example.org', '--exam 1'])('runs forget %s', (what) => {
  test('erases nothing while an outcome is unknown, and says how to end that run; then it erases, and nothing else', async () => {
    const service = serviceWithExam({ exams: [algebra, second], sessions: [{ ...ada, exam_id: 2 }] });
    await done(service, 'sessions update 7 --name Adele');
    await done(service, shift);
    await lost(service);
    const { stderr } = await done(service, `runs forget ${what} --yes`, 10);
    const [, close = ''] = /Nothing was erased\..*: proctor-cli (runs close \S+)/s.exec(stderr) ?? [];
    expect(await listed(service)).toHaveLength(3);
    await done(service, close);
    const { stdout } = await done(service, `runs forget ${what} --yes -o json`);
    expect(JSON.parse(stdout)).toEqual(what.startsWith('--exam') ? { runs: 2, records: 2 } : { runs: 1, records: 1 });
    expect((await listed(service)).map(({ exam }) => exam).sort()).toEqual(what.startsWith('--exam') ? [2] : [1, 2]);
  });
});
