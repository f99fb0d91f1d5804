/** Findings 8 and 13: the same command twice, and times that leave windows behind. */
import { expect, test } from 'vitest';
import { after, begins, ends, minute, stage } from '../story/stage.ts';
import { wordsOf } from '../story/way-on.ts';

test.each(['sessions create --exam 6 --email ann@example.org', 'students add --exam 6 --email Ann@Example.org'])(
  '8: %s twice is one student',
  async (line) => {
    const { run, clock, named } = await stage();
    expect((await run(`${line} --name Ann`)).code).toBe(0);
    await clock.pass(minute);
    expect((await run(line)).code).toBe(11);
    expect(named('ann@example.org')).toHaveLength(1);
    expect((await run(`${line} --if-not-exists`)).code).toBe(0);
    expect((await run(`${line} --name Other --if-not-exists`)).code).toBe(11);
    expect(named('ann@example.org')).toHaveLength(1);
    expect((await run(`${line} --allow-duplicate`)).code).toBe(0);
    expect(named('ann@example.org')).toHaveLength(2);
  },
);

test('8: a session does not get the address of another one of its exam', async () => {
  const { run, students, named, service } = await stage();
  const [, bob] = students('ann', 'bob');
  expect((await run(`sessions update ${bob?.id} --email ann@example.org`)).code).toBe(11);
  expect(named('bob@example.org')).toHaveLength(1);
  expect(service.writes()).toEqual([]);
});

test('8: an exam of the same name and start is created once', async () => {
  const { run, service } = await stage();
  const line = `exams create --name Algebra --start ${begins} --end ${ends}`;
  expect((await run(line)).code).toBe(0);
  expect((await run(line)).code).toBe(11);
  expect([...service.truth.exams.values()].filter(({ name }) => name === 'Algebra')).toHaveLength(1);
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
