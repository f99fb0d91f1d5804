/** The requests of `preflight`, literally: it reads, and reads each thing once. */
import { expect, test } from 'vitest';
import { exchange } from './exchanges.ts';

const now = '2027-01-31T09:00:00Z';
const at = (start: string, end: string) => ({ start_time: start, end_time: end });
const exam = { id: 42, name: 'Algebra', ...at('2027-02-01T08:00:00Z', '2027-02-01T10:00:00Z') };

test('one exam by its ID: the list of exams, its students and proctors', async () => {
  const { code, stdout } = await exchange(
    ['preflight', '--exam', '42', '-o', 'json'],
    [
      {
        method: 'GET',
        path: '/api/v1/exams',
        reply: [200, [exam, { ...exam, id: 43, ...at('2027-02-02T08:00:00Z', '2027-02-02T10:00:00Z') }]],
      },
      {
        method: 'GET',
        path: '/api/v1/exams/42/student_sessions',
        reply: [200, [{ id: 1, email: 'ada@example.org', status: 'mail_sent' }]],
      },
      { method: 'GET', path: '/api/v1/exams/42/proctor_pool', reply: [200, [{ id: 7 }]] },
    ],
    { now },
  );
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toContainEqual({
    exam: 42,
    check: 'proctors',
    state: 'ok',
    detail: '1 proctor for 1 student, 1 needed',
    remedy: null,
  });
});
