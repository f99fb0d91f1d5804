/**
 * What no family of the campaign comes to: an exam that begins while it is shifted, windows that have passed, the pace of a clone, and an
 * address that is taken.
 */
import { expect, test } from 'vitest';
import { after, ends, minute, stage } from '../story/stage.ts';
import { commandsIn, wordsOf } from '../story/way-on.ts';

test('7: an exam that begins while it is shifted is not left with an end that has moved and a start that has not', async () => {
  const { service, clock, run } = await stage({
    exam: { start_time: after('2027-01-04T09:00:00Z', 40), end_time: after('2027-01-04T09:00:00Z', 100) },
  });
  const [start, end] = [service.truth.exams.get(6)?.start_time, service.truth.exams.get(6)?.end_time];
  service.truth.createSession(6, { email: 'ann@example.org', open_time: start, close_time: end });
  const begin = async () => {
    await clock.pass(30 * minute);
    return true;
  };
  const { code } = await run('exams shift 6 --by 7d', { tty: true, answers: [begin, true, true] });
  const { start_time, end_time } = service.truth.exams.get(6) ?? {};
  expect([start_time, end_time]).toEqual([start, end]);
  expect([11, 12]).toContain(code);
});

test('10: the students of a clone are created several at a time', async () => {
  const { service, run, students } = await stage();
  students(...Array.from({ length: 40 }, (_, at) => `student${at}`));
  let [inFlight, most] = [0, 0];
  const isCreate = ({ method, path }: { method: string; path: string }) => method === 'POST' && path.endsWith('/student_sessions');
  service.fault = (request) => (isCreate(request) ? { takes: 40 } : undefined);
  service.onArrival = (request) => {
    if (isCreate(request)) most = Math.max(most, ++inFlight);
  };
  service.onAnswer = (request) => {
    if (isCreate(request)) inFlight -= 1;
  };
  expect((await run('exams clone 6 --start 2027-03-01T08:00:00Z --with-students')).code).toBe(0);
  expect(most).toBeGreaterThan(3);
});

test('14: the printed undo of an extension works on the day of the exam', async () => {
  const { service, run, machine } = await stage({ exam: { start_time: '2027-01-04T08:30:00Z', end_time: '2027-01-04T11:00:00Z' } });
  const close = '2027-01-04T11:00:00Z';
  const ann = service.truth.createSession(6, { email: 'ann@example.org', status: 'exam_started', close_time: close });
  const given = await run('sessions extend --exam 6 --by 15m', { tty: true, answers: [true, true, true] });
  expect(given.code).toBe(0);
  expect(service.truth.sessions.get(ann.id)?.close_time).toBe(after(close, 15));
  const undo = commandsIn(`${given.stdout}\n${given.stderr}`).find((words) => words.includes('undo'));
  expect(undo).toBeDefined();
  expect((await machine.run([...(undo ?? []).filter((word) => word !== '--yes'), '--yes', '--no-input'])).code).toBe(0);
  expect(service.truth.sessions.get(ann.id)?.close_time).toBe(close);
});

test('8: a session does not get the address of another one of its exam', async () => {
  const { run, students, named, service } = await stage();
  const [, bob] = students('ann', 'bob');
  expect((await run(`sessions update ${bob?.id} --email ann@example.org`)).code).toBe(11);
  expect(named('bob@example.org')).toHaveLength(1);
  expect(service.writes()).toEqual([]);
});

test('13: what preflight proposes for a window takes no extra time away', async () => {
  const { run, service, machine } = await stage();
  const { id } = service.truth.createSession(6, { email: 'ann@example.org', close_time: after(ends, 30) });
  service.truth.change('exam', 6, { end_time: after(ends, 60) });
  const { stdout } = await run('preflight --exam 6 -o json');
  const rows = JSON.parse(stdout || '[]') as { check: string; state: string; remedy: string | null }[];
  const remedies = rows.filter(({ check, remedy }) => check.startsWith('window') && remedy?.includes('proctor-cli'));
  for (const { remedy } of remedies) {
    const words = wordsOf(String(remedy).replace(/^.*?proctor-cli /, ''));
    await machine.run([...words.filter((word) => word !== '--yes'), '--yes', '--no-input']);
  }
  expect(rows.some(({ state }) => state === 'failed' || state === 'warning')).toBe(true);
  // Left as it is, or with the half hour behind the new end.
  const closes = String(service.truth.sessions.get(id)?.close_time);
  expect(closes === after(ends, 30) || closes >= after(ends, 90)).toBe(true);
});

test('13: a window that has passed is extended from now', async () => {
  const { run, service, clock } = await stage({ exam: { start_time: '2027-01-04T06:00:00Z', end_time: '2027-01-04T08:30:00Z' } });
  const { id } = service.truth.createSession(6, { email: 'ann@example.org', status: 'exam_started', close_time: '2027-01-04T08:30:00Z' });
  const { code } = await run(`sessions extend ${id} --by 15m`);
  expect(code).toBe(0);
  expect(Date.parse(service.truth.sessions.get(id)?.close_time ?? '')).toBeGreaterThanOrEqual(clock.now() + 14 * minute);
});
