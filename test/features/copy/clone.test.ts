/** exams clone: the exam with its settings, proctors and length; its students once each, their own windows moved along. */
import { expect, test } from 'vitest';
import { killed } from '../../runs/small-office.ts';
import { refused } from '../../support/service.ts';
import type { Fields } from '../../support/truth.ts';
import { exam, office, restrictions } from '../times/exams.ts';
import { faults, lastRun } from './moves.ts';

const [nine, eleven] = ['2027-03-22T08:00:00Z', '2027-03-22T10:00:00Z'];
const line = 'exams clone 5 --start 2027-03-29T09:00 --with-students';

/** Exam 5 with Ada, one with a window of their own, and the same one in capitals; a clone of it is exam 9. */
function three() {
  const it = office(
    [exam(5, nine, eleven, { save_recording: false, room: 'A1', link: null })],
    [
      { exam_id: 5, name: 'Ada', skip_requirements: true, status: 'exam_finished', seat: 12 },
      { exam_id: 5, open_time: '2027-03-22T08:30:00Z', close_time: '2027-03-22T10:30:00Z' },
      { exam_id: 5, email: 'S2@example.org' },
    ],
    'Europe/Vienna',
    { pools: { 5: [4, 5] }, habits: { firstExam: 9 } },
  );
  return Object.assign(it, { copies: () => it.service.truth.inExam(9), pool: () => [...(it.service.truth.pools.get(9) ?? [])] });
}

const addresses = ['s1@example.org', 's2@example.org'];
const emails = ({ copies }: ReturnType<typeof three>) =>
  copies()
    .map(({ email }) => email)
    .toSorted();

test('The exam has the settings, the proctors and the length; each student is there once, with a window that moves by the clocks.', async () => {
  const it = three();
  const { code, stderr } = await it.run(line);
  expect(code, stderr).toBe(0);
  const [start_time, end_time] = ['2027-03-29T07:00:00Z', '2027-03-29T09:00:00Z'];
  expect(it.service.exams[1]).toMatchObject({ name: 'Exam 5', start_time, end_time, save_recording: false, ...restrictions });
  expect(it.pool()).toEqual([4, 5]);
  expect(it.copies()).toEqual([
    expect.objectContaining({
      ...{ email: addresses[0], name: 'Ada', skip_requirements: true },
      ...{ status: 'registered', open_time: null, close_time: null },
    }),
    expect.objectContaining({ email: addresses[1], open_time: '2027-03-29T07:30:00Z', close_time: '2027-03-29T09:30:00Z' }),
  ]);
  expect(stderr).toContain('not copied, because another session of exam 5 has the same student: 102.');
  expect(stderr).toContain('warning: not copied: seat.');
  expect(stderr).toContain('Not copied from exam 5: room. ');
  expect(stderr).not.toContain('does not show');
  expect(it.service.truth.inExam(5)).toHaveLength(3);
});

test('Values that are given go before those of the exam.', async () => {
  const it = three();
  const { code, stderr } = await it.run(`${line} --end 2027-03-29T12:00 --name Second --no-allow-headphones --save-recording`);
  expect(code, stderr).toBe(0);
  const changed = { name: 'Second', end_time: '2027-03-29T10:00:00Z', save_recording: true, allow_headphones: false };
  expect(it.service.exams[1]).toMatchObject({ ...restrictions, ...changed });
  expect(it.copies()[1]).toMatchObject({ close_time: '2027-03-29T09:30:00Z' });
});

test.each<[what: string, change: Fields, options: string, status: number]>([
  ['end of the new exam is unknown', { end_time: null }, '', 3],
  ['cannot move along: one of the exams shows no start', { start_time: null }, ' --end 2027-03-29T11:00', 3],
  ['is there already', {}, ' --start 2027-03-22T09:00', 11],
])('What cannot be cloned is refused before anything is sent: %s.', async (what, change, options, status) => {
  const it = three();
  it.service.change('exam', 5, change);
  const { code, stderr } = await it.run(options.includes('--start') ? `exams clone 5${options}` : line + options);
  expect([code, stderr, it.service.writes()]).toEqual([status, expect.stringContaining(what), []]);
});

test('An exam of another length: windows that close otherwise beside its end are named.', async () => {
  const named = /session 101 s2@example.org: start by 2027-03-29 11:30 \+02:00 is 1h30m before the end of the new exam/;
  expect((await three().run(`${line} --end 13:00`)).stderr).toMatch(named);
  expect((await three().run(line)).stderr).not.toContain('of the new exam');
});

test('Students who show neither address nor number, or whose address is masked, are not cloned as nobody.', async () => {
  const it = three();
  it.service.add({ exam_id: 5, email: 'm***@example.org' });
  const { code, stderr } = await it.run(line);
  expect([code, stderr, it.service.writes()]).toEqual([3, expect.stringContaining('These sessions of exam 5 show no student: 103.'), []]);
});

test('A student without an address whom the service rejects is named by the number.', async () => {
  const students = ['77', '78'].map((number) => ({ exam_id: 5, email: null, number }));
  const it = office([exam(5, nine, eleven)], students, 'Europe/Vienna', { habits: { firstExam: 9 } });
  expect((await it.run('config set dialect.sessionNumberKey number')).code).toBe(0);
  it.service.next('POST /exams/9/student_sessions', undefined, refused(422));
  expect(await it.run(line)).toMatchObject({ code: 9, stderr: expect.stringMatching(/^78: .*422/m) });
});

test('An exam with the name and start of the clone is looked for first: 11, another one only if it is said, or the one there with all students.', async () => {
  const it = three();
  expect((await it.run(line)).code).toBe(0);
  const again = await it.run(line);
  expect([again.code, again.stderr]).toEqual([11, expect.stringMatching(/error: Exam 9 .*is there already/)]);
  const there = await it.run(`${line} --if-not-exists -o json`);
  expect([there.code, JSON.parse(there.stdout).id]).toEqual([0, 9]);
  it.service.truth.remove('session', it.copies()[0]?.id ?? 0);
  const lacking = await it.run(`${line} --if-not-exists`);
  expect([lacking.code, lacking.stderr]).toEqual([11, expect.stringContaining('without 1 of the 2 students of exam 5: s1@example.org')]);
  const another = await it.run(`${line} --allow-duplicate -o json`);
  expect([another.code, JSON.parse(another.stdout).id], another.stderr).toEqual([0, 10]);
});

const stops = [1, 2, 3, 4, 5].flatMap((writes) => [true, false].map((isKilled) => [writes, isKilled] as const));
test.each(stops)(
  'A clone that is stopped at write %i (killed: %s) is finished by the same command: one exam, its proctors, each student once.',
  async (writes, isKilled) => {
    const it = three();
    const home = await killed(it.service, line, { writes, now: '2026-12-20T12:00:00Z', env: { PROCTOR_TIMEZONE: 'Europe/Vienna' } });
    const { code, stderr } = await it.run(line, isKilled ? { home } : {});
    // After the last one it is there already.
    expect([0, isKilled || writes < 5 ? 0 : 11], stderr).toContain(code);
    expect([it.service.exams.length, it.pool(), emails(it)], stderr).toEqual([2, [4, 5], addresses]);
    expect(it.copies().map(({ open_time }) => open_time)).toContain('2027-03-29T07:30:00Z');
  },
);

test('A clone whose students are refused is partly done: its exam is named, who is missing too, and what it prints finishes it.', async () => {
  const it = three();
  faults(it, ({ method, body }) => (method === 'POST' && body.email === addresses[0] ? refused(400) : undefined));
  const { code, stdout, stderr } = await it.run(`${line} -o json`);
  expect([code, JSON.parse(stdout).id, emails(it), it.pool()]).toEqual([9, 9, [addresses[1]], [4, 5]]);
  expect(stderr).toMatch(/4 of 5 done, 1 failed/);
  faults(it, () => undefined);
  const [, resume = ''] = /proctor-cli (runs resume [\w-]+)/.exec(stderr) ?? [];
  expect([(await it.run(resume)).code, emails(it)]).toEqual([0, addresses]);
});

test('A clone that begins in so many hours is the same clone when it is run again, and its exam keeps the first start.', async () => {
  const it = three();
  const relative = 'exams clone 5 --start now+7h --with-students';
  faults(it, ({ method, path }) => (method === 'POST' && path.endsWith('/student_sessions') ? refused(401) : undefined));
  expect((await it.run(relative)).code).toBe(9);
  faults(it, () => undefined);
  const { code, stderr } = await it.run(relative, { now: '2026-12-20T12:05:00Z' });
  expect([it.service.exams[1]?.start_time, emails(it), it.service.exams.length], stderr).toEqual(['2026-12-20T19:00:00Z', addresses, 2]);
  expect(code, stderr).toBe(0);
});

test('What a colleague adds while a clone is stopped is not doubled: a student in the new exam, or an exam like it.', async () => {
  for (const path of ['/exams/9/student_sessions', '/exams']) {
    const it = three();
    faults(it, (request) => (request.method === 'POST' && request.path === path ? refused(401) : undefined));
    await it.run(line);
    faults(it, () => undefined);
    if (path === '/exams') it.service.truth.createExam({ name: 'Exam 5', start_time: '2027-03-29T07:00:00Z' });
    else it.service.add({ exam_id: 9, email: 'S1@example.org' });
    const { code, stderr } = await it.run(line);
    expect([9, 11], stderr).toContain(code);
    expect([it.service.exams.length, emails(it).length]).toEqual(path === '/exams' ? [2, 0] : [2, 2]);
  }
});

test('An undo deletes the exam with the students whom the clone created, and keeps an exam that has another student.', async () => {
  for (const stranger of [false, true]) {
    const it = three();
    await it.run(line);
    if (stranger) it.service.add({ exam_id: 9, email: 'eve@example.org' });
    const { code, stderr } = await it.run(`runs undo ${await lastRun(it)} --yes`);
    expect(code, stderr).toBe(stranger ? 9 : 0);
    expect([it.service.exams.map(({ id }) => id), emails(it)]).toEqual(stranger ? [[5, 9], ['eve@example.org']] : [[5], []]);
  }
});

test('A copy that the service shows with other values is named, and the clone is not done.', async () => {
  const it = three();
  it.service.showing.as = (record) => (record.exam_id === 9 ? { ...record, close_time: null, skip_requirements: false } : record);
  const { code, stderr } = await it.run(line);
  expect([code, stderr]).toEqual([9, expect.stringMatching(/close_time is null|skip_requirements is false, not true/)]);
});

test.each([
  ['lists leave out', true],
  ['lists and records leave out', false],
])('Students are copied with everything although %s unset or declared fields.', async (_, inListsOnly) => {
  const it = three();
  const set = (record: Fields) => Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null && value !== false));
  const listed = ({ close_time: _time, skip_requirements: _skips, ...record }: Fields) => set(record);
  it.service.showing.as = (record, { path }) =>
    path.endsWith('/student_sessions') && inListsOnly ? listed(record) : inListsOnly ? record : set(record);
  const { code, stderr } = await it.run(line);
  expect([code, emails(it)], stderr).toEqual([0, addresses]);
  expect(it.copies()).toEqual([
    expect.objectContaining({ skip_requirements: true }),
    expect.objectContaining({ close_time: '2027-03-29T09:30:00Z' }),
  ]);
});

test('An exam and a student with the same ID are two: each is created, and an undo deletes all of them.', async () => {
  const exams = [exam(5, nine, eleven), exam(104, nine, eleven)];
  // The new exam is 105: so is a student there, and another one is 104, as an exam that was there.
  const it = office(exams, [{ exam_id: 5, open_time: '2027-03-22T08:30:00Z' }, { exam_id: 5 }, { exam_id: 5 }], 'Europe/Vienna', {
    pools: { 5: [4] },
    habits: { firstExam: 105 },
  });
  expect((await it.run(line)).code).toBe(0);
  expect(it.service.truth.inExam(105).map(({ id, open_time }) => [id, open_time])).toEqual([
    [103, '2027-03-29T07:30:00Z'],
    [104, null],
    [105, null],
  ]);
  expect([(await it.run(`runs undo ${await lastRun(it)} --yes`)).code, it.service.exams.map(({ id }) => id)]).toEqual([0, [5, 104]]);
});

test('300 students at 80 ms a request take 1.3 times the ideal.', async () => {
  const it = three();
  for (let at = 0; at < 300; at += 1) it.service.add({ exam_id: 5, email: `n${at}@example.org`, name: null, skip_requirements: false });
  for (const { id } of it.service.sessions) it.service.change('session', id, { name: `N${id}`, skip_requirements: false });
  for (const method of ['GET', 'POST', 'PATCH']) it.service.always(method, { takes: 80 });
  const began = it.service.clock.now();
  const { code, stderr } = await it.run(line, { now: new Date(began).toISOString() });
  expect([code, it.copies().length], stderr.slice(0, 500)).toEqual([0, 302]);
  // One after the other: the exam, its pool, its students twice, all exams, the new exam, a look, its students, two looks, a window, two looks.
  const ideal = (12 + 302 / 64) * 80;
  expect((it.service.clock.now() - began) / ideal).toBeLessThanOrEqual(1.3);
});
