/**
 * Findings 8, 12, 13 and 15: the same command twice, the gate of the running exam, times that leave windows behind, and what is left
 * of a student on this machine.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { after, begins, ends, minute, type Stage, stage } from '../story/stage.ts';
import { wordsOf } from '../story/way-on.ts';

async function set(...given: Parameters<typeof stage>): Promise<Stage> {
  const made = await stage(...given);
  onTestFinished(() => made.close());
  return made;
}

test.each(['sessions create --exam 6 --email ann@example.org', 'students add --exam 6 --email Ann@Example.org'])(
  '8: %s twice is one student',
  async (line) => {
    const { run, clock, named } = await set();
    expect((await run(line)).code).toBe(0);
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
  const { run, students, named, service } = await set();
  const [, bob] = students('ann', 'bob');
  expect((await run(`sessions update ${bob?.id} --email ann@example.org`)).code).toBe(11);
  expect(named('bob@example.org')).toHaveLength(1);
  expect(service.writes()).toEqual([]);
});

test('8: an exam of the same name and start is created once', async () => {
  const { run, service } = await set();
  const line = `exams create --name Algebra --start ${begins} --end ${ends}`;
  expect((await run(line)).code).toBe(0);
  expect((await run(line)).code).toBe(11);
  expect([...service.truth.exams.values()].filter(({ name }) => name === 'Algebra')).toHaveLength(1);
});

const mailings = ({ service }: Stage) => service.truth.record.filter(({ kind }) => kind === 'mails').length;

test('8: the mails of an exam are sent once, unless it is said', async () => {
  const made = await set();
  const { run, clock, students, service } = made;
  students('ann', 'bob');
  expect((await run('exams send-emails 6')).code).toBe(0);
  await clock.pass(minute);
  expect((await run('exams send-emails 6')).code).toBe(11);
  expect((await run('exams send-emails 6 --unless-mailed')).code).toBe(0);
  expect(mailings(made)).toBe(1);
  students('cy');
  for (const args of ['', ' --unless-mailed']) expect((await run(`exams send-emails 6${args}`)).code).toBe(11);
  expect(mailings(made)).toBe(1);
  expect((await run('exams send-emails 6 --resend')).code).toBe(0);
  expect(mailings(made)).toBe(2);
  expect(service.writes()).toHaveLength(2);
});

test.each(['now', 'never'] as const)('8: a retry by a CI job does not mail again what may have been mailed (%s)', async (done) => {
  const made = await set({ showing: { lag: 5 * minute } });
  const { run, clock, students, service } = made;
  students('ann', 'bob');
  await clock.pass(10 * minute);
  service.fault = ({ method }) => (method === 'POST' ? { done, answer: 'lost' } : undefined);
  const codes = [(await run('exams send-emails 6')).code];
  service.fault = () => undefined;
  for (let times = 0; times < 3; times += 1) {
    codes.push((await run('exams send-emails 6')).code);
    await clock.pass(minute);
  }
  expect(service.writes()).toHaveLength(1);
  if (done === 'never') expect(codes).not.toContain(0);
});

test('12: sessions delete --status of an exam that is running is refused', async () => {
  const { run, service } = await set({ exam: { start_time: '2027-01-04T08:30:00Z', end_time: '2027-01-04T11:00:00Z' } });
  service.truth.createSession(6, { email: 'ann@example.org' });
  expect((await run('sessions delete --exam 6 --status registered')).code).toBe(12);
  expect(service.writes()).toEqual([]);
});

test('12: a session whose own window is open is as good as a running exam', async () => {
  const { run, service } = await set();
  const { id } = service.truth.createSession(6, {
    email: 'ann@example.org',
    open_time: '2027-01-04T08:30:00Z',
    close_time: '2027-01-04T11:00:00Z',
  });
  expect((await run(`sessions delete ${id}`)).code).toBe(12);
  expect(service.writes()).toEqual([]);
});

test('13: times of an exam that leave windows behind are asked about first', async () => {
  const { run, service } = await set();
  service.truth.createSession(6, { email: 'ann@example.org', close_time: after(ends, 30) });
  const { code, questions } = await run(`exams update 6 --end ${after(ends, 60)}`, { tty: true, answers: [false, false] });
  expect(questions.length).toBeGreaterThan(0);
  expect(code).not.toBe(0);
  expect(service.writes()).toEqual([]);
});

test('13: what preflight proposes for a window takes no extra time away', async () => {
  const { run, service, machine } = await set();
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
  const { run, service, clock } = await set({ exam: { start_time: '2027-01-04T06:00:00Z', end_time: '2027-01-04T08:30:00Z' } });
  const { id } = service.truth.createSession(6, { email: 'ann@example.org', status: 'exam_started', close_time: '2027-01-04T08:30:00Z' });
  const { code } = await run(`sessions extend ${id} --by 15m`);
  expect(code).toBe(0);
  expect(Date.parse(service.truth.sessions.get(id)?.close_time ?? '')).toBeGreaterThanOrEqual(clock.now() + 14 * minute);
});

test('13: who was mailed is said when their exam moves', async () => {
  const { run, service } = await set();
  for (const name of ['ann', 'bob']) service.truth.createSession(6, { email: `${name}@example.org`, status: 'mail_sent' });
  const { code, stdout, stderr } = await run('exams shift 6 --by 7d');
  expect(code).toBe(0);
  expect(`${stdout}\n${stderr}`).toMatch(/2 [^\n]*mailed|mailed[^\n]* 2/i);
});

/** The bytes of all files in a folder. */
function bytesIn(folder: string): string {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'))
    .join('\n');
}

test('15: nothing on this machine names a student, or keeps what the service said of one', async () => {
  const { run, service, machine, clock } = await set();
  const file = machine.file('roster.csv', 'email,name\nplanted-ann@example.org,Planted-Ann\nplanted-bob@example.org,Planted-Bob\n');
  service.fault = ({ method, body }) =>
    method === 'POST' && body.name === 'Planted-Bob'
      ? { answer: { status: 422, body: { errors: { email: 'Planted-Bob is known as Planted-Words' } } } }
      : undefined;
  expect((await run(`sessions import ${file} --exam 6`)).code).not.toBe(0);
  const state = join(machine.folder, 'state');
  expect(bytesIn(state)).not.toMatch(/planted/i);
  await clock.pass(10 * minute);
  const [ann] = service.truth.inExam(6);
  await run(`sessions extend ${ann?.id} --by 15m`);
  expect(bytesIn(state)).not.toMatch(/planted/i);
  expect((await run('runs forget --student planted-ann@example.org')).code).toBe(0);
});
