/**
 * A state that is damaged, newer, restored or without its key, as each command that writes meets it: one sentence, status 3, and
 * nothing is sent.
 */
import { copyFileSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DatabaseSync } from '../../src/files/sqlite.ts';
import { failureOf } from '../faults/outcome.ts';
import { ada, bob, held } from '../support/algebra.ts';
import { temporaryFolder } from '../support/run.ts';
import { lostAfter, lostBefore, type Service } from '../support/service.ts';

const place = (service: Service, name = 'runs.sqlite') => join(service.home, 'state', name);

/** A service to which one command was sent, which is recorded. */
async function used(): Promise<Service> {
  const service = held({ sessions: [ada] });
  expect((await service.run('sessions update 7 --name Eve')).code).toBe(0);
  return service;
}

function edit(path: string, statement: string) {
  const database = new DatabaseSync(path);
  database.exec(statement);
  database.close();
}

const otherKey = async () => readFileSync(place(await used(), 'runs.key'));

const breaks: [what: string, breaks: (service: Service) => void | Promise<void>, code: string, says: RegExp][] = [
  ['a key that is lost', (service) => rmSync(place(service, 'runs.key')), 'state_damaged', /its key \S+ is missing/],
  [
    "another state's key",
    async (service) => writeFileSync(place(service, 'runs.key'), await otherKey()),
    'state_damaged',
    /the key beside it is that of another state/,
  ],
  [
    'a newer version',
    (service) => edit(place(service), 'UPDATE meta SET schema_version = 99'),
    'state_failed',
    /a newer version of proctor-cli has written it/,
  ],
  ['no database', (service) => writeFileSync(place(service), 'nothing '.repeat(2000)), 'state_damaged', /it is not a database/],
  ['a database that is missing', (service) => rmSync(place(service)), 'state_restored', /is missing, with the record/],
];

const lines = [
  'sessions create --exam 1 --email bob@example.org',
  'sessions update 7 --name Ada',
  'exams send-emails 1 --yes',
  'api PATCH /student_sessions/7 -F name=Ada',
];

describe.each(breaks)('%s', (_what, breakIt, code, says) => {
  test('is said in one sentence, with 3, and nothing is sent', async () => {
    const service = await used();
    const before = service.writes().length;
    await breakIt(service);
    for (const line of lines) {
      const outcome = await service.run(`${line} -o json`);
      const failure = failureOf(outcome);
      expect([outcome.code, outcome.stdout, failure.code], line).toEqual([3, '', code]);
      expect(failure.message).toMatch(says);
      expect(failure.message.split(/[.!?](?= |$)/).filter(Boolean).length, failure.message).toBeLessThanOrEqual(2);
    }
    expect(service.writes()).toHaveLength(before);
  });
});

test('a page that is overwritten is noticed before anything is sent, whichever it is', async () => {
  const service = await used();
  const [sent, bytes] = [service.writes().length, readFileSync(place(service))];
  for (let page = 0; page < bytes.length / 4096; page += 1) {
    writeFileSync(place(service), Buffer.from(bytes).fill(0x5a, page * 4096, (page + 1) * 4096));
    const outcome = await service.run(`${lines[1]} -o json`);
    expect(outcome.code, `page ${page + 1}: ${outcome.stdout}`).toBe(3);
    expect(failureOf(outcome)).toMatchObject({ code: 'state_damaged', message: expect.stringContaining('is damaged') });
    // SQLite's own words about pages and trees say nothing to an administrator; --debug shows them.
    expect(outcome.stderr).not.toMatch(/btree|Tree \d|disk image/);
  }
  expect(service.writes()).toHaveLength(sent);
});

test("yesterday's backup, restored between an interruption and the same command, is refused; once it is accepted nobody is registered twice", async () => {
  const service = await used();
  const backup = temporaryFolder();
  cpSync(join(service.home, 'state'), backup, { recursive: true });
  service.next('write', lostAfter);
  service.fault = ({ line: request }) => (service.writes().length > 1 && request.startsWith('GET') ? lostBefore : undefined);
  const create = 'sessions create --exam 1 --email bob@example.org';
  expect((await service.run(create)).code).toBe(10);
  service.fault = () => undefined;
  for (const name of readdirSync(backup).filter((each) => /^runs\.(sqlite|key)/.test(each)))
    copyFileSync(join(backup, name), place(service, name));
  const outcome = await service.run(`${create} -o json`);
  expect(failureOf(outcome)).toMatchObject({ code: 'state_restored', exit: 3, message: expect.stringContaining('restored from a backup') });
  expect((await service.run('state status')).stderr).toContain('to accept it: proctor-cli state accept');
  const accepted = await service.run('state accept');
  expect(accepted.code, accepted.stderr).toBe(0);
  expect(accepted.stderr).not.toContain('to accept it');
  expect((await service.run(create)).code).toBe(11);
  expect(service.writes()).toHaveLength(2);
  expect(service.sessions).toHaveLength(2);
});

describe('without a state, which is said explicitly (PROCTOR_STATE=none)', () => {
  const env = { PROCTOR_STATE: 'none' };

  test.each(['sessions update 7 --name Eve', 'sessions delete 7 --yes', 'exams update 1 --allow-headphones'])(
    'an update or a deletion of one step is sent: %s',
    async (line) => {
      const service = held({ sessions: [ada] });
      const { code, stderr } = await service.run(line, { env });
      expect(code, stderr).toBe(0);
      expect(service.writes()).toHaveLength(1);
      expect(readdirSync(service.home)).not.toContain('state');
    },
  );

  test.each([
    'sessions create --exam 1 --email cy@example.org',
    'students add --exam 1 --email cy@example.org',
    'exams create --start 2127-02-01T08:00Z --end 2127-02-01T10:00Z',
    'exams clone 1 --start 2127-03-01T08:00Z',
    'exams send-emails 1 --yes',
    'sessions delete 7 8 --yes',
    'api POST /exams/1/student_sessions -F email=bob@example.org',
    'api POST /anything -F email=bob@example.org',
  ])('creates, mails and longer runs are refused with 3, and nothing is sent: %s', async (line) => {
    const service = held({ sessions: [ada, bob] });
    const outcome = await service.run(`${line} -o json`, { env });
    expect([outcome.code, outcome.stdout]).toEqual([3, '']);
    expect(failureOf(outcome).message).toContain('PROCTOR_STATE=none');
    expect(service.writes()).toEqual([]);
  });
});
