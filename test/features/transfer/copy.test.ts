/** exams clone --with-students: each student once in the new exam, with the window of their own moved along. */
import { expect, test } from 'vitest';
import { CliError } from '../../../src/errors.ts';
import { exam, office } from '../times/exams.ts';

const [nine, eleven] = ['2027-03-22T08:00:00Z', '2027-03-22T10:00:00Z'];

const three = () =>
  office(
    [exam(5, nine, eleven)],
    [
      { exam_id: 5, name: 'Ada', skip_requirements: true, status: 'exam_finished' },
      { exam_id: 5, open_time: '2027-03-22T08:30:00Z', close_time: '2027-03-22T10:30:00Z' },
      { exam_id: 5, email: 'S2@example.org' },
    ],
    'Europe/Vienna',
    { pools: { 5: [4, 5] }, habits: { firstExam: 9 } },
  );

const line = 'exams clone 5 --start 2027-03-29T09:00 --with-students';

async function cloning() {
  const it = await three();
  const copies = () => it.service.sessions.filter(({ exam_id }) => exam_id === 9);
  return { ...it, copies };
}

test('Students are copied once, and their windows move by the clocks of the zone: 09:30 stays 09:30.', async () => {
  const { run, copies, service, rows } = await cloning();
  const { code, stderr } = await run(line);
  expect(code, stderr).toBe(0);
  expect(copies()).toEqual([
    expect.objectContaining({
      email: 's1@example.org',
      name: 'Ada',
      skip_requirements: true,
      status: 'registered',
      open_time: null,
      close_time: null,
    }),
    expect.objectContaining({ email: 's2@example.org', open_time: '2027-03-29T07:30:00Z', close_time: '2027-03-29T09:30:00Z' }),
  ]);
  expect(stderr).toContain('1 session of exam 5 will not be copied (102): another session has the same address.');
  expect(stderr).toContain('Copied 2 students to exam 9.');
  expect([...(service.truth.pools.get(9) ?? [])]).toEqual([4, 5]);
  expect(service.sessions.filter(({ exam_id }) => exam_id === 5)).toHaveLength(3);
  expect((await rows('runs list'))[0]).toMatchObject({ state: 'finished' });
});

test('A window that is over or outside the new exam is warned of before anything is sent, also in the dry run.', async () => {
  const { service, run } = await cloning();
  service.add({ exam_id: 5, email: 'old@example.org', open_time: '2026-03-22T08:00:00Z', close_time: '2026-03-22T10:00:00Z' });
  service.add({ exam_id: 5, email: 'early@example.org', open_time: '2027-03-22T07:30:00Z' });
  for (const options of [' --dry-run', '']) {
    const { code, stderr } = await run(`${line}${options}`);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain(
      'warning: the copy of session 103, old@example.org: the window closes 2026-03-29 11:00 +02:00, which is in the past.',
    );
    expect(stderr).toContain(
      'warning: the copy of session 104, early@example.org: the window opens 2027-03-29 08:30 +02:00, before the exam starts (2027-03-29 09:00 +02:00).',
    );
    expect(stderr).not.toMatch(/copy of session 10[012]/);
  }
});

test('A clone whose students are refused is partly done: its exam exists, and who is missing is named.', async () => {
  const { run, service, copies } = await cloning();
  service.fault = ({ method, body }) =>
    method === 'POST' && body.email === 's1@example.org' ? { answer: { status: 400, body: { message: 'no' } } } : undefined;
  const { code, stdout, stderr } = await run(`${line} -o json`);
  expect(code).toBe(9);
  expect(JSON.parse(stdout)).toMatchObject({ id: 9 });
  expect(stderr).toContain('Exam 9 was created. 3 of 4 done, 1 failed: ');
  expect([copies().map(({ email }) => email), [...(service.truth.pools.get(9) ?? [])]]).toEqual([['s2@example.org'], [4, 5]]);
});

test('A clone that is stopped after any of its requests goes on by the same command: one exam, its proctors, each student once.', async () => {
  const whole = await cloning();
  await whole.run(line);
  const all = whole.service.writes().length;
  expect(all).toBe(5);
  for (let at = 1; at <= all; at += 1) {
    const { run, service, copies, rows } = await cloning();
    const stop = new AbortController();
    let written = 0;
    service.fault = ({ method }) => {
      if (method !== 'GET') written += 1;
      if (written === at && method !== 'GET') stop.abort(new CliError('interrupted', 'Interrupted.'));
      return undefined;
    };
    const stopped = await run(line, { interrupt: stop.signal });
    expect([130, 0], stopped.stderr).toContain(stopped.code);
    service.fault = () => undefined;
    if (stopped.code === 130) {
      const again = await run(line);
      expect(again.code, `after ${at}: ${again.stderr}`).toBe(0);
    }
    expect(service.exams.map(({ id }) => id)).toEqual([5, 9]);
    expect([...(service.truth.pools.get(9) ?? [])]).toEqual([4, 5]);
    expect(copies().map(({ email, open_time }) => [email, open_time])).toEqual(
      expect.arrayContaining([
        ['s1@example.org', null],
        ['s2@example.org', '2027-03-29T07:30:00Z'],
      ]),
    );
    expect(copies()).toHaveLength(2);
    expect((await rows('runs list')).map(({ state }) => state)).toEqual(['finished']);
  }
});

test('A clone that begins in so many hours is the same clone when it is run again, and its exam keeps the first start.', async () => {
  const { run, service, copies } = await cloning();
  const relative = 'exams clone 5 --start now+7h --with-students';
  service.fault = ({ path, method }) => (method === 'POST' && path.endsWith('/student_sessions') ? { answer: { status: 401 } } : undefined);
  expect((await run(relative)).code).not.toBe(0);
  service.fault = () => undefined;
  const { code, stderr } = await run(relative, { now: '2026-12-20T12:05:00Z' });
  expect(code, stderr).toBe(0);
  expect(service.exams.map(({ id, start_time }) => [id, start_time])).toEqual([
    [5, nine],
    [9, '2026-12-20T19:00:00Z'],
  ]);
  expect([copies().length, [...(service.truth.pools.get(9) ?? [])]]).toEqual([2, [4, 5]]);
});

test.each([
  ['the exam', ({ path }: { path: string }) => path === '/exams'],
  ['the proctors', ({ path }: { path: string }) => path === '/exams/9/proctor_pool'],
  ['a student', ({ path }: { path: string }) => path === '/exams/9/student_sessions'],
])('A lost answer to the creation of %s is settled by looking, and the clone goes on by itself.', async (_, isIt) => {
  const { run, service, copies } = await cloning();
  let lost = 0;
  service.fault = (request) => (request.method === 'POST' && isIt(request) && ++lost === 1 ? { answer: 'lost' } : undefined);
  const { code, stderr } = await run(line);
  expect(code, stderr).toBe(0);
  expect(service.exams.map(({ id }) => id)).toEqual([5, 9]);
  expect([copies().map(({ email }) => email), [...(service.truth.pools.get(9) ?? [])]]).toEqual([
    ['s1@example.org', 's2@example.org'],
    [4, 5],
  ]);
});

test('A colleague who adds a student to the new exam before the rest is sent is not doubled.', async () => {
  const { run, service, copies } = await cloning();
  service.fault = ({ path, method }) => (method === 'POST' && path.endsWith('/student_sessions') ? { answer: { status: 401 } } : undefined);
  expect((await run(line)).code).not.toBe(0);
  service.fault = () => undefined;
  service.add({ exam_id: 9, email: 'S1@example.org', skip_requirements: true, name: 'Ada' });
  const { code, stderr } = await run(line);
  expect(code, stderr).toBe(0);
  expect(
    copies()
      .map(({ email }) => String(email).toLowerCase())
      .sort(),
  ).toEqual(['s1@example.org', 's2@example.org']);
});

test('An exam with the name and start of the clone is looked for first: 11, another one only if it is said, or the one there.', async () => {
  const { run, service } = await cloning();
  expect((await run(line)).code).toBe(0);
  const again = await run(line);
  expect(again.code).toBe(11);
  expect(again.stderr).toContain('is there already, as exam 9');
  const there = await run(`${line} --if-not-exists -o json`);
  expect([there.code, JSON.parse(there.stdout).id]).toEqual([0, 9]);
  expect(service.exams).toHaveLength(2);
  const another = await run(`${line} --allow-duplicate -o json`);
  expect([another.code, JSON.parse(another.stdout).id], another.stderr).toEqual([0, 10]);
});

test('An exam like the clone that a colleague creates while it is stopped is no place for its students.', async () => {
  const { run, service } = await cloning();
  service.fault = ({ path, method }) => (method === 'POST' && path === '/exams' ? { answer: { status: 401 } } : undefined);
  expect((await run(line)).code).toBe(4);
  const like = { ...exam(9, '2027-03-29T07:00:00Z', '2027-03-29T09:00:00Z'), name: 'Exam 5' };
  service.fault = ({ path, method }) =>
    method === 'GET' && path === '/exams' ? { answer: { status: 200, body: [...service.exams, like] } } : undefined;
  const { code, stderr } = await run(line);
  expect(code, stderr).toBe(11);
  expect(service.exams).toHaveLength(1);
});

test('An undo deletes the exam with the students whom the clone created, and keeps an exam that has another student.', async () => {
  for (const stranger of [false, true]) {
    const { run, rows, service, copies } = await cloning();
    await run(line);
    if (stranger) service.add({ exam_id: 9, email: 'eve@example.org' });
    const [{ run: id } = {}] = await rows('runs list');
    const { code, stderr } = await run(`runs undo ${id} --yes`);
    expect(code, stderr).toBe(stranger ? 9 : 0);
    expect(service.exams.map((each) => each.id)).toEqual(stranger ? [5, 9] : [5]);
    expect(copies().map(({ email }) => email)).toEqual(stranger ? ['eve@example.org'] : []);
  }
});

test.each([
  ['longer', '12:00', '2027-03-29T10:30:00Z'],
  ['shorter', '10:00', '2027-03-29T08:30:00Z'],
])('In a clone that is %s, extra time stays extra time: it counts from the new end.', async (_, end, closes) => {
  const { run, copies } = await cloning();
  const { code, stderr } = await run(`${line} --end 2027-03-29T${end}`);
  expect(code, stderr).toBe(0);
  expect(copies()[1]).toMatchObject({ open_time: '2027-03-29T07:30:00Z', close_time: closes });
});

test('A window that would end before it starts is refused before anything is sent.', async () => {
  const { run, service } = await cloning();
  service.add({ exam_id: 5, email: 'short@example.org', close_time: '2027-03-22T08:30:00Z' });
  const { code, stderr } = await run(`${line} --end 2027-03-29T10:00`);
  expect(code).toBe(3);
  expect(stderr).toContain('The close_time of session 103 cannot be moved along');
  expect(service.requests().every((request) => request.startsWith('GET'))).toBe(true);
});

test.each([
  ['never shows a close_time again', 'close_time', null, 'close_time is null'],
  ['never shows skip_requirements again', 'skip_requirements', false, 'skip_requirements is false, not true'],
])('A service that %s is named, and the copy is not done.', async (_, field, value, problem) => {
  const { run, copies, service } = await cloning();
  service.fault = ({ method }) => {
    if (method === 'GET') for (const copy of copies()) copy[field] = value;
    return undefined;
  };
  const { code, stderr } = await run(line);
  expect(code).toBe(9);
  expect(stderr).toContain(problem);
  expect(stderr).not.toContain('Copied 2 students');
});

test('Students are copied several at a time: 300 at 80 ms take seconds.', async () => {
  const { run, service, copies } = await cloning();
  for (let at = 0; at < 300; at += 1) service.add({ exam_id: 5, email: `n${at}@example.org` });
  service.fault = ({ method }) => (method === 'GET' ? undefined : { takes: 80 });
  const began = Date.now();
  const { code, stderr } = await run(line);
  expect(code, stderr).toBe(0);
  expect(copies()).toHaveLength(302);
  expect(Date.now() - began).toBeLessThan(12_000);
});

test('An exam and a student with the same ID are two: each is created, and the window of the student is set.', async () => {
  const students = [{ exam_id: 5, open_time: '2027-03-22T08:30:00Z' }, { exam_id: 5 }, { exam_id: 5 }];
  // The new exam is 105: so is a student there, and another one is 104, as an exam that was there.
  const it = office([exam(5, nine, eleven), exam(104, nine, eleven)], students, 'Europe/Vienna', {
    pools: { 5: [4] },
    habits: { firstExam: 105 },
  });
  const { code, stderr } = await it.run(line);
  expect(code, stderr).toBe(0);
  expect(it.service.sessions.filter(({ exam_id }) => exam_id === 105)).toEqual([
    expect.objectContaining({ id: 103, open_time: '2027-03-29T07:30:00Z' }),
    expect.objectContaining({ id: 104 }),
    expect.objectContaining({ id: 105 }),
  ]);
  expect(it.service.exams.find(({ id }) => id === 105)).toMatchObject({ start_time: '2027-03-29T07:00:00Z' });
  // All of them are the run's own.
  const [{ run } = {}] = await it.rows('runs list');
  expect((await it.run(`runs undo ${run} --yes`)).code).toBe(0);
  expect(it.service.exams.map(({ id }) => id)).toEqual([5, 104]);
});

test('A clone says that it gets shorter than its exam, where the clocks change between its start and its end.', async () => {
  const { run } = office([exam(5, '2027-03-20T21:00:00Z', '2027-03-21T02:00:00Z')]);
  const { stderr } = await run('exams clone 5 --start 2027-03-27T22:00 --dry-run');
  expect(stderr).toContain('warning: the new exam will take 4 h, not 5 h, because the clocks change.');
  expect((await run('exams clone 5 --start 2027-03-27T22:00 --end 2027-03-28T05:00 --dry-run')).stderr).not.toContain('will take');
});
