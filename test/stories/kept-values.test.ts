/**
 * What a colleague has set is kept, if any read shows it before the request that would replace it, and whom a colleague has registered
 * is named: on the command, its undo, a line of a table.
 */
import { expect, test } from 'vitest';
import { killed } from '../runs/small-office.ts';
import { ada, algebra, bob, serviceWithExam } from '../support/algebra.ts';
import { temporaryFolder } from '../support/run.ts';
import { lostAfter, reply, Service } from '../support/service.ts';
import { done, latest, timetable } from '../support/story.ts';
import { type Fields, withoutUnset } from '../support/truth.ts';

/** A timetable that moves the end of the exam, and has a roster. */
const apart = 'id,name,date,start,end,roster\n1,Algebra,2127-02-01,08:00,10:15,r.csv\n';
const [half, more] = ['2127-02-01T10:30:00Z', '2127-02-01T11:07:00Z'];

/** From the exam's list on, a colleague's change to Ada can be read. */
async function changedMeanwhile(line: string, change: Fields, list: string, isUndone = false) {
  const service = new Service({ exams: [algebra], sessions: [{ ...ada, close_time: half }, bob] });
  if (isUndone) await done(service, line);
  const words = isUndone ? `runs undo ${await latest(service)} --yes` : line;
  let isChanged = false;
  service.onArrival = (request) => {
    if (request.line !== list || isChanged) return;
    isChanged = true;
    service.truth.change('session', 7, change);
  };
  const { code, stderr } = await service.run(words);
  expect(isChanged).toBe(true);
  expect(service.truth.sessions.get(7), stderr).toMatchObject(change);
  return { code, stderr };
}

const list = 'GET /exams/1/student_sessions';
const named = expect.stringContaining('7');

test('An update replaces only what was shown when it was planned.', async () => {
  const line = 'sessions update 7 --name Adele --email adele@example.org';
  expect(await changedMeanwhile(line, { name: 'Renamed' }, list)).toMatchObject({ code: 11, stderr: named });
  expect(await changedMeanwhile(line, { name: 'Renamed' }, list, true)).toMatchObject({ code: 11, stderr: named });
});

test('A time that a colleague sets before a stopped update goes on stays, also where a service does not show what is not set.', async () => {
  const service = serviceWithExam({ sessions: [ada, bob], showing: { as: withoutUnset } });
  const line = 'sessions update 7 8 --close-time 2127-02-01T10:10:00Z --yes';
  const home = await killed(service, line);
  const [left] = service.sessions.filter(({ close_time }) => close_time === null);
  service.change('session', left?.id ?? 0, { close_time: half });
  await done(service, line, 9, 'close_time is now', { home });
  expect(left?.close_time).toBe(half);
  await done(service, `runs undo ${await latest(service, { home })} --yes`, 0, { home });
  expect(service.sessions.map(({ close_time }) => close_time).toSorted()).toEqual([half, null]);
});

test('The undo of a shift leaves the window that the list shows by then.', async () => {
  const line = 'exams shift 1 --by 7d --yes';
  const { code, stderr } = await changedMeanwhile(line, { close_time: more }, list, true);
  expect([9, 11], stderr).toContain(code);
  expect(stderr).toMatch(/\b7\b/);
});

test('A timetable moves no window that a colleague has set since it was read.', async () => {
  const line = `exams apply ${timetable({ home: temporaryFolder() }, 'email\neve@example.org\n', apart)} --timezone UTC --yes`;
  const { code, stderr } = await changedMeanwhile(line, { close_time: more }, 'PATCH /exams/1');
  expect(code, stderr).toBe(9);
});

test('What a colleague sets back before the first look is not said not to have been carried out.', async () => {
  const service = new Service({ exams: [algebra], sessions: [ada] });
  service.onAnswer = ({ method }) => {
    if (method === 'PATCH') service.change('session', 7, { name: 'Ada' });
  };
  const { code, stderr } = await service.run('api PATCH /student_sessions/7 -F name=Adele');
  expect([code, stderr]).toEqual([7, expect.stringContaining('accepted the request, but shows otherwise: name is "Ada", not "Adele"')]);
});

test('A record of another ID is no reading: what was sent is looked up again.', async () => {
  const other = { ...algebra, id: 2, name: 'Analysis', end_time: half };
  const service = new Service({ exams: [algebra, other], sessions: [{ ...ada, close_time: half }] });
  let isWritten = false;
  service.onArrival = (request) => {
    if (request.line === 'GET /exams/1' && isWritten) service.next('GET /exams/1', { answer: () => reply(200, other) });
    isWritten = request.line === 'PATCH /exams/1';
  };
  const { code, stderr } = await service.run(`exams update 1 --end ${half} --yes`);
  expect([code, service.sessions[0]?.close_time], stderr).toEqual([0, '2127-02-01T11:00:00Z']);
});

const eve = { email: 'eve@example.org', name: 'Eve' };

test('A timetable whose last look shows a student twice ends with 9, and its undo leaves the one of the colleague.', async () => {
  const service = serviceWithExam({ exams: [algebra] });
  const table = timetable(service, 'email,name\neve@example.org,Eve\n', apart);
  let lists = 0;
  service.onArrival = ({ line }) => {
    const isListed = line === 'GET /exams/1/student_sessions' && service.truth.sessions.has(101);
    if (isListed && ++lists === 2) service.truth.set('session', { ...ada, ...eve, id: 50 });
  };
  const { stderr } = await done(service, `exams apply ${table} --timezone UTC --yes`, 9);
  expect(service.sessions).toHaveLength(2);
  const [, undo = ''] = /proctor-cli (runs undo \S+)/.exec(stderr) ?? [];
  await done(service, `${undo} --yes`, 9);
  expect(service.sessions.map(({ id }) => id)).toEqual([50]);
});

test('The undo of a lost create beside which a colleague has registered the student names both possibilities, and deletes nobody.', async () => {
  const service = serviceWithExam();
  service.next('POST /exams/1/student_sessions', lostAfter);
  service.onAnswer = ({ line }) => {
    if (line === 'POST /exams/1/student_sessions') service.truth.createSession(1, eve);
  };
  expect((await service.run('sessions create --exam 1 --email eve@example.org --name Eve')).code).toBe(9);
  await done(service, `runs undo ${await latest(service)} --yes`, 11, 'eve@example.org');
  expect(service.sessions).toHaveLength(2);
});
