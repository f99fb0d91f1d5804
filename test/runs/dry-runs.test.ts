/** Dry runs take no lock, look nothing up and record nothing; without a record, one update or one deletion is sent. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ada, bob, serviceWithExam } from '../support/algebra.ts';
import { lostBefore, type Reply, refused } from '../support/service.ts';
import { create, killed, newExam, office, openRun } from './small-office.ts';

const lines = [
  ...['exams update 1 --allow-headphones', create, 'sessions delete 7 8 --yes', 'exams send-emails 1 --yes', 'proctors add 4 --exam 1'],
  'api PATCH /exams/1 -F save_recording=false',
];

describe.each(lines)('The dry run of: %s', (line) => {
  test('writes and records nothing, and goes on beside the command itself.', async () => {
    const service = office();
    const dry = await service.run(`${line} --dry-run -o json`);
    expect([dry.code, service.writes(), JSON.parse(dry.stdout)], dry.stderr).toEqual([0, [], expect.any(Array)]);
    let beside: number | undefined;
    service.onArrival = async ({ method }) => {
      if (method !== 'GET') beside ??= (await service.run(`${line} --dry-run`)).code;
    };
    // A create that is under way is unknown to it.
    expect([(await service.run(line)).code, beside]).toEqual([0, line.includes('create') ? 10 : 0]);
    expect(JSON.parse((await service.run('runs list -o json')).stdout)).toHaveLength(1);
  });

  test('names an open run, and leaves it as it is.', async () => {
    const service = office();
    service.next('write', lostBefore);
    const home = await killed(service, line);
    const run = await openRun(service, home);
    const began = service.clock.now();
    const { code, stderr } = await service.run(`${line} --dry-run`, { home });
    expect([code, stderr, service.clock.now()]).toEqual([expect.any(Number), expect.stringContaining(run), began]);
    expect([await openRun(service, home), service.writes().length]).toEqual([run, 1]);
  });
});

test.each([
  ['sessions create --exam 1 --email ada@example.org', 11],
  ['exams update 3 --allow-headphones', 6],
])('A dry run ends as the run would be refused: %s', async (line, code) => {
  const service = serviceWithExam({ sessions: [ada] });
  const outcome = await service.run(`${line} --dry-run -o json`);
  expect([outcome.code, service.writes()], outcome.stderr).toEqual([code, []]);
});

test.each([
  ['exams update 1 --allow-headphones', 0],
  ['sessions update 7 --name Eve', 0],
  ['sessions delete 7 --yes', 0],
  ['exams delete 1 --yes', 0],
  ['sessions delete 7 8 --yes', 3],
  [create, 3],
  [newExam, 3],
  ['exams send-emails 1 --yes', 3],
  ['api PATCH /exams/1 -F save_recording=false', 3],
  ['api POST /exams/1/student_sessions -F email=eve@example.org', 3],
])('PROCTOR_STATE=none: %s', async (line, code) => {
  const service = office();
  const { code: is, stderr } = await service.run(line, { env: { PROCTOR_STATE: 'none' } });
  expect([is, service.writes().length], stderr).toEqual([code, code === 0 ? 1 : 0]);
  expect(existsSync(join(service.home, 'state'))).toBe(false);
});

const students = (exam: string, more = {}) =>
  Array(2).fill({ method: 'POST', url: expect.stringMatching(new RegExp(`/exams/${exam}/student_sessions$`)), ...more });

test.each<[what: string, replies: (Reply | undefined)[], printed: object[]]>([
  ['with the ID of the exam that the run has created', [undefined, refused(401)], students('101')],
  [
    'with the request that creates the exam, where that was not sent either',
    [refused(401)],
    [
      { method: 'POST', url: expect.stringMatching(/exams$/), body: { start_time: '2127-03-01T09:00:00Z' } },
      ...students('ID', { note: 'ID: of the exam that request 1 creates' }),
    ],
  ],
])('The dry run of `runs resume` prints what was not sent, %s', async (_what, replies, printed) => {
  const service = serviceWithExam({ sessions: [ada, bob] });
  service.next('write', ...replies);
  expect((await service.run('exams clone 1 --start 2127-03-01T09:00Z --with-students --yes')).code).not.toBe(0);
  const run = await openRun(service);
  const before = service.writes().length;
  const dry = await service.run(`runs resume ${run} --dry-run -o json`);
  expect([dry.code, JSON.parse(dry.stdout), service.writes().length]).toMatchObject([0, printed, before]);
  const real = await service.run(`runs resume ${run} --yes`);
  expect(real.code, real.stderr).toBe(0);
  const created = replies.length > 1 ? [] : ['POST /exams'];
  expect(service.writes().slice(before)).toEqual([...created, ...Array(2).fill('POST /exams/101/student_sessions')]);
});
