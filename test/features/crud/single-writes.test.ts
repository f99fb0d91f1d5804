/** Single writes: who is looked for before, what is set, what their rows say, and what a stopped one becomes. */
import { describe, expect, test } from 'vitest';
import { embedded } from '../../commands/embedded.ts';
import { killed, office } from '../../runs/small-office.ts';
import { ada, algebra, bob, serviceWithExam } from '../../support/algebra.ts';
import { Service } from '../../support/service.ts';

const rows = (stdout: string) => JSON.parse(stdout) as Record<string, unknown>[];

describe('A student who has no address', () => {
  test('and no number cannot be looked for: --if-not-exists is refused before any request.', async () => {
    const service = serviceWithExam();
    const { code, stderr } = await service.run('sessions create --exam 1 --name Ada --if-not-exists');
    expect({ code, requests: service.requests() }).toEqual({ code: 3, requests: [] });
    expect(stderr).toContain('--if-not-exists looks for the student, who has no address and no number.');
  });

  test('is known by the number that the profile declares, and created once.', async () => {
    const service = serviceWithExam({ sessions: [] });
    await service.run('config set dialect.sessionNumberKey number');
    const line = 'students add --exam 1 -f number=0400 --if-not-exists -o id';
    const first = await service.run(line);
    expect(await service.run(line)).toMatchObject({ code: 0, stdout: first.stdout });
    expect((await service.run('students add --exam 1 -f number=0400')).code).toBe(11);
    expect(service.writes()).toEqual(['POST /exams/1/add_student']);
  });
});

test('An address that another session of the exam has is not given to a second one.', async () => {
  const service = serviceWithExam({ sessions: [ada, bob] });
  const line = `sessions update ${ada.id} --email ${String(bob.email).toUpperCase()}`;
  for (const more of ['', ' --yes', ' --dry-run']) expect((await service.run(line + more)).code).toBe(11);
  expect(service.writes()).toEqual([]);
});

test('The rows of proctors name exam and proctor, and who was in the pool before.', async () => {
  const service = serviceWithExam();
  await service.run('proctors add 3 --exam 1');
  const added = await service.run('proctors add 3 4 --exam 1 -o json');
  expect(rows(added.stdout)).toEqual([
    { exam: 1, proctor: 3, result: 'there', reason: null },
    { exam: 1, proctor: 4, result: 'added', reason: null },
  ]);
  const removed = await service.run('proctors remove 4 --exam 1 -o json');
  expect(rows(removed.stdout)).toEqual([{ exam: 1, proctor: 4, result: 'removed', reason: null }]);
  const none = { exam: 1, proctor: 4, result: 'gone', reason: 'not in the pool' };
  expect(rows((await service.run('proctors remove 4 --exam 1 -o json')).stdout)).toEqual([none]);
  const both = await service.run('proctors remove 4 3 --exam 1 -o json');
  expect(rows(both.stdout)).toEqual([none, { exam: 1, proctor: 3, result: 'removed', reason: null }]);
});

test('A proctor is known by an address, also to the embedded service, whose institute is known once it runs.', async () => {
  const { stdout } = await embedded().run('proctors add joao.pereira@staff.example.org --exam 6 -o json');
  expect(rows(stdout)).toMatchObject([{ exam: 6, proctor: expect.any(Number) }]);
});

const [ten, eleven] = ['2127-02-01T10:00:00Z', '2127-02-01T11:00:00Z'];
const closes = (service: ReturnType<typeof office>) => service.sessions.map(({ close_time }) => close_time);

const several: [line: string, stdin?: string][] = [['sessions update 7 8'], ['sessions update -', '7\n8\n']];
test.each(several)('Several sessions get the same times, and nothing else, with a row each: %s', async (line, stdin = '') => {
  const service = office();
  const { code, stdout } = await service.run(`${line} --close-time ${ten} -o json`, { stdin });
  const row = { exam: 1, field: 'close_time', from: null, to: ten, result: 'updated', reason: null };
  expect({ code, rows: JSON.parse(stdout) }).toEqual({
    code: 0,
    rows: [
      { ...row, session: ada.id, email: ada.email },
      { ...row, session: bob.id, email: bob.email },
    ],
  });
  expect(service.written().map(({ line: sent, body }) => [sent, body])).toEqual([
    ['PATCH /student_sessions/7', { close_time: ten }],
    ['PATCH /student_sessions/8', { close_time: ten }],
  ]);
});

const late = { ...bob, open_time: '2127-02-01T09:00:00Z' };
const [past, early] = ['2020-01-01T00:00:00Z', '2127-02-01T07:00:00Z'];
test.each([
  [`sessions update 7 --close-time ${past}`, 0, 'session 7 ada@example.org: START BY (2020-01-01 00:00 +00:00) is over.'],
  [`sessions update 7 -F close_time=${early}`, 0, 'START BY (2127-02-01 07:00 +00:00) is not after START FROM (2127-02-01 08:00 +00:00).'],
  [`sessions update 7 --open-time ${ten}`, 0, 'START BY (2127-02-01 10:00 +00:00) is not after START FROM (2127-02-01 10:00 +00:00).'],
  [`sessions update 8 --close-time 2127-02-01T08:30Z`, 3, 'START BY (2127-02-01 08:30 +00:00) is not after START FROM (2127-02-01 09:00'],
  [`api PATCH /student_sessions/8 -F close_time=${early}`, 3, 'proctor-cli sessions update 8 --open-time TIME --close-time TIME'],
  [`api PATCH /student_sessions/7 -F close_time=${past}`, 0, 'is over'],
  [`sessions create --exam 1 --email eve@example.org --close-time ${early}`, 0, 'session eve@example.org: START BY (2127-02-01 07:00'],
  [`exams create --start 2020-01-01T00:00Z --end 2h --name Old`, 0, 'exam Old: its end (2020-01-01 02:00 +00:00) is over.'],
  [`exams update 1 --start 2020-01-01T00:00Z --end 2h --yes`, 0, 'exam 1 Algebra: its end (2020-01-01 02:00 +00:00) is over.'],
])('Times that leave nobody time to start are named, and asked about on a terminal: %s', async (line, code, words) => {
  const service = () => new Service({ exams: [algebra], sessions: [ada, late] });
  const said = await service().run(`${line} --timezone UTC`);
  expect([said.code, said.stderr]).toEqual([code, expect.stringContaining(words)]);
  const asked = service();
  const { questions } = await asked.run(`${line.replace(' --yes', '')} --timezone UTC`, { tty: true, answers: [false] });
  expect([questions.length, asked.writes()]).toEqual([code === 0 ? 1 : 0, []]);
});

test('A time may be set as often as wanted: nothing is sent where it is shown, and it is sent again where somebody changed it.', async () => {
  const service = office();
  for (const result of ['updated', 'there']) {
    const { code, stdout } = await service.run(`sessions update 7 --close-time ${ten} -o json`);
    expect([code, rows(stdout), service.writes().length]).toMatchObject([0, [{ session: 7, result }], 1]);
  }
  service.change('session', 7, { close_time: eleven }, 'colleague');
  expect((await service.run(`sessions update 7 --close-time ${ten}`)).code).toBe(0);
  expect(closes(service)).toEqual([ten, null]);
});

test('A run that was stopped is resumed by the same command, with the time that it meant then.', async () => {
  const service = office();
  const line = 'sessions update 7 8 --close-time +30m';
  const home = await killed(service, line);
  await service.clock.pass(10 * 60_000);
  const { code, stderr } = await service.run(line, { home });
  expect(code, stderr).toBe(0);
  const [one, other] = closes(service);
  expect(one).toBe('2027-01-04T08:30:00Z');
  expect(other).toBe(one);
  expect(service.writes()).toHaveLength(2);
});

test('A new address beside a time is refused where a student who is being added has it.', async () => {
  const service = office();
  service.next('POST', { done: 3_000, takes: 5_000, answer: 'lost' });
  let other: ReturnType<typeof service.run> | undefined;
  service.onArrival = ({ method }) => {
    if (method !== 'POST' || other) return;
    const working = service.clock.busy();
    other = service.run(`sessions update 7 --email eve@example.org --close-time ${ten}`, { onSleep: working }).finally(working);
  };
  expect((await service.run('sessions create --exam 1 --email eve@example.org')).code).toBe(0);
  expect((await other)?.code).toBe(11);
  expect(service.writes()).toHaveLength(1);
});
