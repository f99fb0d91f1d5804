/** The same command once more: it does the rest, touches nobody else, and is computed from what was written a moment ago. */
import { expect, test } from 'vitest';
import { CliError } from '../../src/errors.ts';
import { after, begins, ends, minute, stage } from '../campaign/story/stage.ts';

const closing = { close_time: ends };
const extend = 'sessions extend --exam 6 --by 15m';

/** Three students, the second of whom was refused more time: the time of nobody else is to be set twice. */
async function extendedInPart() {
  const made = await stage();
  const { service, run } = made;
  const [ann, bob, cy] = ['ann', 'bob', 'cy'].map(
    (name) => service.truth.createSession(6, { email: `${name}@example.org`, ...closing }).id,
  );
  service.fault = ({ method, path }) =>
    method === 'PATCH' && path.endsWith(`/${bob}`) ? { answer: { status: 422, body: { error: 'not now' } } } : undefined;
  expect((await run(extend)).code).toBe(9);
  service.fault = () => undefined;
  const closes = () => [ann, bob, cy].map((id) => service.truth.sessions.get(id ?? 0)?.close_time);
  expect(closes()).toEqual([after(ends, 15), ends, after(ends, 15)]);
  return { ...made, bob: bob ?? 0, closes };
}

test('An amount that was set in part is not set again by the same command; runs resume does the rest, and nobody gets it twice.', async () => {
  const { run, closes } = await extendedInPart();
  const [{ run: id } = { run: '' }] = JSON.parse((await run('runs list -o json')).stdout) as { run: string }[];
  for (const _ of [1, 2]) expect((await run(extend)).code).toBe(11);
  expect((await run(`runs resume ${id}`)).code).toBe(0);
  expect(closes()).toEqual([after(ends, 15), after(ends, 15), after(ends, 15)]);
});

test('What somebody has changed of the rest meanwhile stays as it is.', async () => {
  const { service, run, bob, closes } = await extendedInPart();
  const [{ run: id } = { run: '' }] = JSON.parse((await run('runs list -o json')).stdout) as { run: string }[];
  service.truth.change('session', bob, { close_time: after(ends, 60) });
  for (const status of [9, 11]) expect((await run(`runs resume ${id}`)).code).toBe(status);
  expect(closes()).toEqual([after(ends, 15), after(ends, 60), after(ends, 15)]);
});

test('What was done and could not be proven is proven by the same command, not done again.', async () => {
  const { service, run, students } = await stage();
  students('ann');
  const stop = new AbortController();
  service.onAnswer = ({ method }) => {
    if (method === 'PATCH') stop.abort(new CliError('interrupted', 'Interrupted.'));
  };
  expect((await run('exams delay 6 --by 15m', { interrupt: stop.signal })).code).toBe(130);
  service.onAnswer = () => {};
  expect((await run('exams delay 6 --by 15m')).code).toBe(0);
  expect(service.truth.exams.get(6)?.end_time).toBe(after(ends, 15));
});

test('A deletion that the service says yes to is looked for until the settle time has passed.', async () => {
  const { service, run, students } = await stage({ showing: { replicaBehind: 20_000 } });
  const [ann] = students('ann');
  await service.clock.pass(minute);
  const { code, stderr } = await run(`sessions delete ${ann?.id}`);
  expect(code, stderr).toBe(0);
});

test('Undo keeps a session that was given to another person right after it was created, and says so.', async () => {
  const { service, run, machine, named } = await stage();
  service.onAnswer = ({ method, path }) => {
    if (method !== 'POST' || !path.endsWith('/student_sessions')) return;
    service.truth.change('session', 100, { email: 'stranger@example.org' });
  };
  const file = machine.file('roster.csv', 'email\nann@example.org\n');
  expect((await run(`sessions import ${file} --exam 6`)).code).toBe(9);
  service.onAnswer = () => {};
  const [latest] = JSON.parse((await run('runs list -o json')).stdout) as { run: string }[];
  const undone = await run(`runs undo ${latest?.run}`);
  expect([undone.code, undone.stderr]).toEqual([11, expect.stringContaining('stranger@example.org')]);
  expect(named('stranger@example.org')).toHaveLength(1);
});

test('Mails of an exam without students are not sent, and keep nobody from mailing those who are added.', async () => {
  const { service, run, students } = await stage();
  const none = await run('exams send-emails 6');
  expect([none.code, none.stderr]).toEqual([0, expect.stringContaining('Exam 6 has no students')]);
  students('ann');
  expect((await run('exams send-emails 6')).code).toBe(0);
  expect(service.writes()).toHaveLength(1);
  students('bob');
  expect((await run('exams send-emails 6 --unless-mailed')).code).toBe(11);
});

test('A clone that is there without all of its students is no success of --if-not-exists.', async () => {
  const { service, run, students } = await stage();
  students('ann', 'bob');
  const line = `exams clone 6 --start ${after(begins, 10_080)} --with-students`;
  expect((await run(line)).code).toBe(0);
  const copy = service.truth.inExam(102).find(({ email }) => email === 'bob@example.org') ?? service.truth.inExam(7)[0];
  expect((await run(`${line} --if-not-exists`)).code).toBe(0);
  service.truth.remove('session', copy?.id ?? 0);
  const lacking = await run(`${line} --if-not-exists`);
  expect([lacking.code, lacking.stderr]).toEqual([11, expect.stringContaining('without 1 of the 2 students')]);
});

test('The dry run of an update announces nothing that is so already.', async () => {
  const { run } = await stage();
  expect(JSON.parse((await run('exams update 6 --allow-whiteboard --dry-run -o json')).stdout)).toHaveLength(1);
  expect((await run('exams update 6 --allow-whiteboard')).code).toBe(0);
  expect(JSON.parse((await run('exams update 6 --allow-whiteboard --dry-run -o json')).stdout)).toEqual([]);
});

test('api does not create a student again under the address that the service has stored.', async () => {
  const { run, named } = await stage({ habits: { kept: (address) => address.replace(/\+[^@]*/, '') } });
  expect((await run('sessions create --exam 6 --email ann+x@example.org')).code).toBe(0);
  expect((await run('api POST /exams/6/student_sessions -F email=ann@example.org')).code).toBe(11);
  expect(named('ann@example.org')).toHaveLength(1);
});

test('What the service failed to update is no difference that --accept-different keeps.', async () => {
  const { service, run, machine, students } = await stage();
  students('ann');
  service.fault = ({ method }) => (method === 'PATCH' ? { answer: { status: 503 }, done: 'never' } : undefined);
  const file = machine.file('roster.csv', 'email,name\nann@example.org,Ann Other\n');
  const line = `sessions import ${file} --exam 6 --update --accept-different`;
  expect((await run(line)).code).toBe(9);
  service.fault = () => undefined;
  expect((await run(line)).code).toBe(0);
  expect(service.truth.inExam(6)).toMatchObject([{ name: 'Ann Other' }]);
});

test('An update of an import that failed is tried again when the import is resumed.', async () => {
  const { service, run, machine, students } = await stage();
  students('ann');
  service.fault = ({ method }) => ({
    answer: method === 'PATCH' || method === 'POST' ? 'lost' : 'whole',
    done: method === 'GET' ? 'now' : 'never',
  });
  const file = machine.file('roster.csv', 'email,name\nann@example.org,Ann Other\nbob@example.org,Bob\n');
  const line = `sessions import ${file} --exam 6 --update`;
  expect((await run(line)).code).toBe(9);
  service.fault = () => undefined;
  expect((await run(`${line} --resend-absent`)).code).toBe(0);
  expect(service.truth.inExam(6).map(({ name }) => name)).toEqual(['Ann Other', 'Bob']);
});

test('Mails while an import into the exam is unfinished are not sent: the run and its open lines are named, with the way on.', async () => {
  const { service, run, machine } = await stage();
  service.fault = ({ method, body }) =>
    method === 'POST' && JSON.stringify(body).includes('bob') ? { answer: 'lost', done: 'never' } : undefined;
  const file = machine.file('roster.csv', 'email\nann@example.org\nbob@example.org\n');
  expect((await run(`sessions import ${file} --exam 6`)).code).toBe(9);
  const [latest] = JSON.parse((await run('runs list -o json')).stdout) as { run: string }[];
  const refused = await run('exams send-emails 6');
  expect([refused.code, refused.stderr]).toEqual([
    11,
    expect.stringContaining(`Run ${latest?.run} (sessions import FILE --exam 6) is unfinished, with 1 line open in exam 6`),
  ]);
  service.fault = () => undefined;
  expect((await run(`runs close ${latest?.run}`)).code).toBe(0);
  expect((await run('exams send-emails 6')).code).toBe(0);
});

test('Undo says what it sets back, and of each record that it keeps which it is and why.', async () => {
  const { service, run, students } = await stage();
  const [ann, bob, cy] = students('ann', 'bob', 'cy');
  expect((await run(extend)).code).toBe(0);
  service.truth.change('session', bob?.id ?? 0, { email: 'stranger@example.org' });
  service.truth.change('session', cy?.id ?? 0, { close_time: after(ends, 60) });
  const [latest] = JSON.parse((await run('runs list -o json')).stdout) as { run: string }[];
  const { code, stderr } = await run(`runs undo ${latest?.run}`);
  expect(code).toBe(9);
  expect(stderr).toContain(`To undo: update student session ${ann?.id} ann@example.org: no close_time`);
  expect(stderr).toMatch(/error: 2 steps of the run cannot be taken back: session \d+ .+ \(.+\), session \d+ .+ \(.+\)\./);
  expect(stderr).toContain(`session ${bob?.id} bob@example.org (it now belongs to stranger@example.org)`);
});

test('An import whose deletions are open names the way on that an import has: the same command.', async () => {
  const { service, run, machine, students } = await stage();
  const [ann] = students('ann', 'bob');
  service.fault = ({ method, path }) =>
    method === 'GET' && path.endsWith(`/student_sessions/${ann?.id}`) ? { answer: { status: 400, body: { error: 'not now' } } } : undefined;
  const line = `sessions import ${machine.file('roster.csv', 'email\nbob@example.org\n')} --exam 6 --remove-missing --max-removals 1`;
  const stopped = await run(line);
  expect(stopped.code).not.toBe(0);
  expect(stopped.stderr).not.toContain('runs resume');
  service.fault = () => undefined;
  expect((await run(line)).code).toBe(0);
  expect(service.truth.inExam(6)).toHaveLength(1);
});
