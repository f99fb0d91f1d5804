/** `runs resume --dry-run`: the requests that are left, as the run would send them, and nothing is sent or recorded. */
import { expect, test } from 'vitest';
import { ada, bob, held } from '../support/algebra.ts';
import { type Reply, refused } from '../support/service.ts';
import { openRun } from './small-office.ts';

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
])('prints what was not sent, %s', async (_what, replies, printed) => {
  const service = held({ sessions: [ada, bob] });
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
