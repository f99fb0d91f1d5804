/** exams clone --with-students: each student once in the new exam, with the window of their own moved along. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Fields } from '../../campaign/service.ts';
import { temporaryFolder } from '../../support/run.ts';
import { exam, office } from '../exam-times/exams.ts';

const [nine, eleven] = ['2027-03-22T08:00:00Z', '2027-03-22T10:00:00Z'];

const three = () =>
  office(
    [exam(5, nine, eleven)],
    [
      { exam_id: 5, name: 'Ada', skip_requirements: true, status: 'exam_finished' },
      { exam_id: 5, open_time: '2027-03-22T08:30:00Z', close_time: '2027-03-22T10:30:00Z' },
      { exam_id: 5, email: 'S2@example.org' },
    ],
  );

const line = 'exams clone 5 --start 2027-03-29T09:00 --with-students';

/** The service of the tests has no exams that are created; it takes the clone for exam 5's neighbour. */
async function cloning() {
  const it = await three();
  const clone = exam(9, '2027-03-29T07:00:00Z', '2027-03-29T09:00:00Z', { name: 'Exam 5' });
  it.service.fault = ({ method, path, body }) =>
    method === 'POST' && path === '/exams'
      ? { answer: { status: 201, body: { ...clone, end_time: body.end_time } } }
      : path === '/exams/5/proctor_pool'
        ? { answer: { status: 200, body: [] } }
        : undefined;
  const copies = () => it.service.students().filter(({ exam_id }) => exam_id === 9);
  return { ...it, copies };
}

test('Students are copied once, and their windows move by the clocks of the zone: 09:30 stays 09:30.', async () => {
  const { run, copies, service, changes } = await cloning();
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
  expect(stderr).toMatch(/Copying 2 students to exam 9; if this is stopped, finish it with: proctor-cli changes resume \S+/);
  expect(service.students().filter(({ exam_id }) => exam_id === 5)).toHaveLength(3);
  expect((await changes())[0]).toMatchObject({ state: 'finished', what: 'copy the students of exam 5 to exam 9', sessions: 2, done: 2 });
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

test('With a list of accommodations each copy closes with its extra time, never earlier than the window that moved along.', async () => {
  const { run, copies, service } = await cloning();
  const list = join(temporaryFolder(), 'list.csv');
  writeFileSync(list, 'email,extra,exams\ns1@example.org,25%,Exam *\nS2@example.org,10 min,\n');
  const { code, stderr } = await run(`${line} --accommodations ${list}`);
  expect(code, stderr).toBe(0);
  expect(copies().map(({ email, close_time }) => [email, close_time])).toEqual([
    ['s1@example.org', '2027-03-29T09:30:00Z'],
    ['s2@example.org', '2027-03-29T09:40:00Z'],
  ]);
  expect(
    service
      .students()
      .filter(({ exam_id }) => exam_id === 5)
      .map(({ close_time }) => close_time),
  ).toEqual([null, '2027-03-22T10:30:00Z', null]);
});

test('A share of more than a day is refused before anything is sent, with its session.', async () => {
  const { run, service } = await cloning();
  const list = join(temporaryFolder(), 'list.csv');
  writeFileSync(list, 'email,extra\ns1@example.org,25%\n');
  const { code, stderr } = await run(`${line} --end 2027-04-12T09:00 --accommodations ${list}`);
  expect(code).toBe(3);
  expect(stderr).toContain('The extra time of session 100 cannot be computed: 25% of this exam would be more than a day of extra time.');
  expect(service.requests.every((request) => request.startsWith('GET'))).toBe(true);
});

test('Extra time counts from the end that is given for the clone where the exam itself shows none.', async () => {
  const { run, copies, service } = await cloning();
  for (const one of service.exams()) one.end_time = null;
  const list = join(temporaryFolder(), 'list.csv');
  writeFileSync(list, 'email,extra\ns1@example.org,25%\n');
  const { code, stderr } = await run(`${line} --end 2027-03-29T11:00 --accommodations ${list}`);
  expect(code, stderr).toBe(0);
  expect(copies()[0]).toMatchObject({ email: 's1@example.org', close_time: '2027-03-29T09:30:00Z' });
});

test('A list of accommodations is for copied students.', async () => {
  const { run } = await cloning();
  const { code, stderr } = await run('exams clone 5 --start 2027-03-29T09:00 --accommodations list.csv');
  expect(code).toBe(2);
  expect(stderr).toContain('--with-students');
});

test.each([500, 404])('A clone whose students cannot be copied (%i) is partly done: its exam exists.', async (status) => {
  const { run, service } = await cloning();
  const first = service.fault;
  service.fault = (request) => (request.path.startsWith('/student_sessions/') ? { answer: { status } } : first(request));
  const { code, stdout, stderr } = await run(`${line} -o json`);
  expect(code).toBe(9);
  expect(JSON.parse(stdout)).toMatchObject({ id: 9 });
  expect(stderr).toMatch(status === 500 ? /Resume with: proctor-cli changes resume/ : /proctor-cli sessions list --exam 9/);
});

test('A clone whose copying cannot begin is printed all the same, and is partly done.', async () => {
  const { run, service, home, copies } = await cloning();
  const first = service.fault;
  service.fault = (request) => {
    if (request.method === 'POST' && request.path === '/exams') {
      mkdirSync(join(home, 'state'), { recursive: true });
      writeFileSync(join(home, 'state', 'changes'), 'in the way of the journal');
    }
    return first(request);
  };
  const { code, stdout, stderr } = await run(`${line} -o json`);
  expect([code, copies()]).toEqual([9, []]);
  expect(JSON.parse(stdout)).toMatchObject({ id: 9 });
  expect(stderr).toContain('Exam 9 was created, but its students were not copied: ');
});

test('A copy that was stopped is finished by the line that it printed; nobody is there twice.', async () => {
  const { run, copies, service, changes } = await cloning();
  const first = service.fault;
  service.fault = (request) =>
    request.path === '/exams/9/student_sessions' && request.method === 'POST' && request.email === 's2@example.org'
      ? { answer: { status: 401 } }
      : first(request);
  const { code, stderr } = await run(line);
  expect(code).toBe(4);
  const [{ change, state } = {}] = await changes();
  expect(state).toBe('unfinished');
  expect(stderr).toContain(`proctor-cli changes resume ${change}`);
  service.fault = first;
  expect((await run(`changes resume ${change} --yes`)).code).toBe(0);
  expect(copies().map(({ email }) => email)).toEqual(['s1@example.org', 's2@example.org']);
  expect((await run(`changes resume ${change} --yes`)).stderr).toContain('there is nothing to resume');
  expect(copies()).toHaveLength(2);
  expect((await run(`changes undo ${change} --yes`)).stderr).toContain('proctor-cli sessions delete 103 104');
});

test('A dry run shows the creation of each student, and sends nothing.', async () => {
  const { rows, service } = await cloning();
  const shown = (await rows(`${line} --dry-run`)) as Fields[];
  expect(shown.map(({ method, url, note }) => `${method} ${String(url).replace(/^.*\/api\/v1/, '')} ${note ?? ''}`.trim())).toEqual([
    'POST /exams',
    "POST /exams/ID/student_sessions ID: the new exam's",
    "POST /exams/ID/student_sessions ID: the new exam's",
    "PATCH /student_sessions/ID ID: the new session's",
  ]);
  expect(service.requests.every((request) => request.startsWith('GET'))).toBe(true);
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
  expect(service.requests.every((request) => request.startsWith('GET'))).toBe(true);
});

test.each([
  ['never shows a close_time again', 'close_time', null, 'close_time is not 2027-03-29T09:30:00Z'],
  ['never shows skip_requirements again', 'skip_requirements', false, 'skip_requirements is not true'],
])('A service that %s is named, and the copy is not done.', async (_, field, value, problem) => {
  const { run, copies, service, changes } = await cloning();
  const first = service.fault;
  service.fault = (request) => {
    if (request.method === 'GET') for (const copy of copies()) copy[field] = value;
    return first(request);
  };
  const { code, stderr } = await run(line);
  expect(code).not.toBe(0);
  expect(stderr).toContain(problem);
  expect(stderr).not.toContain('Copied 2 students');
  expect((await changes())[0]).toMatchObject({ state: 'unfinished' });
});

test('A clone that was stopped and is run again is warned of before anything is sent, with the line that finishes it.', async () => {
  const { run, service, changes } = await cloning();
  const first = service.fault;
  service.fault = (request) =>
    request.path.startsWith('/exams/9/') && request.method === 'POST' ? { answer: { status: 401 } } : first(request);
  expect((await run(line)).code).toBe(4);
  const [{ change } = {}] = await changes();
  const twin = exam(9, '2027-03-29T07:00:00Z', '2027-03-29T09:00:00Z', { name: 'Exam 5' });
  service.fault = (request) =>
    request.method === 'GET' && request.path === '/exams' ? { answer: { status: 200, body: [...service.exams(), twin] } } : first(request);
  const { stderr } = await run(`${line} --dry-run`);
  expect(stderr).toContain('exams with the name and the start of the new exam exist already: 9.');
  expect(stderr).toContain(`To finish that one: proctor-cli changes resume ${change}`);
});
