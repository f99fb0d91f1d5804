/** The report against literal answers: the requests it makes, page after page. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/run.ts';
import { type Exchange, exchange, succeeds, token } from './exchanges.ts';

const exam = { id: 42, name: 'Algebra', start_time: '2027-02-01T08:00:00Z', end_time: '2027-02-01T10:00:00Z' };
const students: Exchange[] = [
  {
    method: 'GET',
    path: '/api/v1/exams/42/student_sessions',
    reply: [
      200,
      [{ id: 1, status: 'exam_finished' }],
      { link: '<https://proctor.example/api/v1/exams/42/student_sessions?page=2>; rel="next"' },
    ],
  },
  { method: 'GET', path: '/api/v1/exams/42/student_sessions?page=2', reply: [200, [{ id: 2, status: 'mail_sent' }]] },
];
const asked: Exchange[] = [{ method: 'GET', path: '/api/v1/exams/42', reply: [200, exam] }, ...students];

test('the exam is read, then its students, all pages of them', async () => {
  const { stdout } = await exchange(['exams', 'report', '42', '-o', 'json'], asked, {
    now: '2027-02-02T08:00:00Z',
  });
  expect(JSON.parse(stdout)).toMatchObject([{ exam: 42, students: 2, no_shows: 1, finished: 1, preliminary: false }]);
});

test('the page does not hold the token, wherever the service puts it', async () => {
  const page = join(temporaryFolder(), 'report.html');
  const taken = [{ id: 1, name: `Bearer ${token}`, email: token, status: 'registered' }];
  await succeeds(
    ['exams', 'report', '42', '--html', page],
    [
      { method: 'GET', path: '/api/v1/exams/42', reply: [200, { ...exam, name: token }] },
      { method: 'GET', path: '/api/v1/exams/42/student_sessions', reply: [200, taken] },
    ],
    { now: '2027-02-02T08:00:00Z' },
  );
  const text = readFileSync(page, 'utf8');
  const unescaped = text.replace(/\\([\da-f]+) /g, (_, code) => String.fromCodePoint(Number.parseInt(code, 16)));
  expect(text).toContain('Bearer ********');
  expect(unescaped).not.toContain(token);
});
