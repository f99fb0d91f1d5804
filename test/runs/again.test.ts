/** The same command once more: it does the rest, touches nobody else, and is computed from what was written a moment ago. */
import { expect, test } from 'vitest';
import { refused } from '../support/service.ts';
import { after, ends, minute, stage } from '../support/stage.ts';

test('What somebody has changed of the rest meanwhile stays as it is, and the time of nobody is set twice.', async () => {
  const { service, run } = await stage();
  const closing = ['ann', 'bob', 'cy'].map((name) => ({ email: `${name}@example.org`, close_time: ends }));
  const [, bob] = closing.map((student) => service.truth.createSession(6, student));
  service.next(`PATCH /student_sessions/${bob?.id}`, refused(422));
  expect((await run('sessions extend --exam 6 --by 15m')).code).toBe(9);
  const closes = () => service.sessions.map(({ close_time }) => close_time);
  expect(closes()).toEqual([after(ends, 15), ends, after(ends, 15)]);
  const [{ run: id } = { run: '' }] = JSON.parse((await run('runs list -o json')).stdout) as { run: string }[];
  service.truth.change('session', bob?.id ?? 0, { close_time: after(ends, 60) });
  for (const status of [9, 11]) expect((await run(`runs resume ${id}`)).code).toBe(status);
  expect(closes()).toEqual([after(ends, 15), after(ends, 60), after(ends, 15)]);
});

test('A deletion that the service says yes to is looked for until the settle time has passed.', async () => {
  const { service, run, students } = await stage({ showing: { replicaBehind: 20_000 } });
  const [ann] = students('ann');
  await service.clock.pass(minute);
  const { code, stderr } = await run(`sessions delete ${ann?.id}`);
  expect(code, stderr).toBe(0);
});

test('Mails of an exam without students are not sent, and keep nobody from mailing those who are added.', async () => {
  const { service, run, students } = await stage();
  const none = await run('exams send-emails 6');
  expect([none.code, none.stderr]).toEqual([0, expect.stringContaining('Exam 6 has no students')]);
  students('ann');
  expect((await run('exams send-emails 6')).code).toBe(0);
  expect(service.writes()).toHaveLength(1);
  students('bob');
  const some = await run('exams send-emails 6 --unless-mailed');
  expect([some.code, some.stderr]).toEqual([11, expect.stringMatching(/Nothing was sent\. .* proctor-cli exams send-emails 6 --resend/)]);
});

test('What the service failed to update is no difference that --accept different keeps.', async () => {
  const { service, run, file, students } = await stage();
  students('ann');
  service.fault = ({ method }) => (method === 'PATCH' ? { answer: { status: 503 }, done: 'never' } : undefined);
  const roster = file('roster.csv', 'email,name\nann@example.org,Ann Other\n');
  const line = `sessions import ${roster} --exam 6 --update --accept different`;
  expect((await run(line)).code).toBe(7);
  service.fault = () => undefined;
  expect((await run(line)).code).toBe(0);
  expect(service.truth.inExam(6)).toMatchObject([{ name: 'Ann Other' }]);
});

test('Mails while an import into the exam is unfinished are not sent: the run is named, with the way on.', async () => {
  const { service, run, file } = await stage();
  service.fault = ({ method, body }) =>
    method === 'POST' && JSON.stringify(body).includes('bob') ? { answer: { status: 401 } } : undefined;
  const roster = file('roster.csv', 'email\nann@example.org\nbob@example.org\n');
  expect((await run(`sessions import ${roster} --exam 6`)).code).toBe(10);
  const [latest] = JSON.parse((await run('runs list -o json')).stdout) as { run: string; command: string }[];
  const early = await run('exams send-emails 6');
  expect([early.code, early.stderr]).toEqual([
    11,
    expect.stringContaining(
      `Run ${latest?.run} (${latest?.command}) is unfinished, and may add students to exam 6: they would not be mailed.`,
    ),
  ]);
  service.fault = () => undefined;
  expect((await run(`runs close ${latest?.run}`)).code).toBe(0);
  expect((await run('exams send-emails 6')).code).toBe(0);
});
