/** A record that cannot be relied on, as each command that writes meets it: as a whole, or in a row of one run. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DatabaseSync } from '../../src/files/sqlite.ts';
import { failureOf } from '../faults/outcome.ts';
import { ada, serviceWithExam } from '../support/algebra.ts';
import { killed, openRun } from './small-office.ts';

// What else may be wrong with it is in test/record/refused-record.test.ts.
test.each([
  ...['sessions create --exam 1 --email bob@example.org', 'sessions update 7 --name Ada', 'exams send-emails 1 --yes'],
  ...['api PATCH /student_sessions/7 -F name=Ada', 'sessions delete 7 --yes', 'sessions import - --exam 1 --yes'],
])('Without the key of its record a command sends nothing: %s', async (line) => {
  const service = serviceWithExam({ sessions: [ada] });
  expect((await service.run('sessions update 7 --name Eve')).code).toBe(0);
  rmSync(join(service.home, 'state', 'runs.key'));
  const outcome = await service.run(`${line} -o json`, { stdin: 'email\nbob@example.org\n' });
  const { code, message } = failureOf(outcome);
  expect([outcome.code, code]).toEqual([3, 'invalid_config']);
  expect(['', expect.stringContaining('"run":null')]).toContainEqual(outcome.stdout);
  expect(message.split(/[.!?](?= |$)/)).toEqual([expect.stringContaining('its key is not on this machine'), '']);
  expect(service.writes()).toHaveLength(1);
});

test.each([
  `UPDATE steps SET sealed = 'x' WHERE n = 1`,
  `UPDATE steps SET id = '7' WHERE n = 2`,
  `UPDATE runs SET sealed = 'x'`,
  'DELETE FROM steps WHERE n = 2',
])('A damaged row keeps nobody but its own run from going on, and that until it is closed: %s', async (statement) => {
  const service = serviceWithExam({ sessions: [ada] });
  const line = 'sessions import - --exam 1 --yes';
  const stdin = 'email\nzoe@example.org\nyan@example.org\nxa@example.org\n';
  const home = await killed(service, line, { stdin });
  const run = await openRun(service, home);
  const database = new DatabaseSync(join(home, 'state', 'record.sqlite'));
  database.exec(statement);
  database.close();
  const there = () => service.sessions.map(({ email }) => email?.split('@')[0]).join(' ');
  const told = async (...lines: string[]) => {
    const codes: unknown[] = [];
    for (const each of lines) codes.push((await service.run(each, { home, stdin })).code);
    return [...codes, there()];
  };
  const others = ['runs list', `runs show ${run}`, 'exams update 1 --allow-headphones', 'sessions create --exam 1 --email eve@example.org'];
  expect(await told(...others)).toEqual([0, 0, 0, 0, 'ada zoe eve']);
  const { stdout } = await service.run(`runs show ${run} -o json`, { home });
  expect(JSON.parse(stdout).steps).toContainEqual(expect.objectContaining({ result: 'damaged', ours: false }));
  // What it is about may have been sent: it is neither sent again nor taken back.
  const own = [line, `runs resume ${run} --yes`, `runs undo ${run} --yes`, 'runs forget --exam 1 --yes'];
  expect(await told(...own)).toEqual([10, 10, 11, 10, 'ada zoe eve']);
  expect(await told(`runs close ${run} --yes`, line, `runs undo ${run} --yes`)).toEqual([0, 0, 11, 'ada zoe eve yan xa']);
  expect(await told('runs forget --student zoe@example.org --yes', 'runs forget --exam 1 --yes')).toEqual([0, 0, 'ada zoe eve yan xa']);
  expect((await service.run('runs list -o json', { home })).stdout).toBe('[]\n');
});

const writing = ['sessions update 7 --name Ada', 'sessions create --exam 1 --email bob@example.org', 'sessions import - --exam 1 --yes'];
test.each(writing)(
  'A record that does not take that a request is about to leave keeps it back, and the error is that of the record: %s',
  async (line) => {
    const service = serviceWithExam({ sessions: [ada] });
    expect((await service.run('sessions update 7 --name Eve')).code).toBe(0);
    const database = new DatabaseSync(join(service.home, 'state', 'record.sqlite'));
    database.exec(`CREATE TRIGGER no BEFORE UPDATE ON steps WHEN NEW.state = 'sending' BEGIN SELECT RAISE(ABORT, 'no'); END`);
    const stdin = 'email\nzoe@example.org\nyan@example.org\nxa@example.org\n';
    const outcome = await service.run(`${line} -o json`, { stdin });
    expect([outcome.code, failureOf(outcome).code, service.writes().length]).toEqual([3, 'state_failed', 1]);
    database.exec('DROP TRIGGER no');
    database.close();
    expect((await service.run(line, { stdin })).code).toBe(0);
  },
);
