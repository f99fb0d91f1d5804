/** Which operations a command leads to: read from what it would send, and what it reads before. */
import { describe, expect, test } from 'vitest';
import { operations } from '../../src/api/operations.ts';
import { held } from '../runs/held-service.ts';
import { run } from '../support/run.ts';

/** The contract's table, typed by hand: a line for each way, with the requests that it stands for. */
const lines: readonly (readonly [line: string, ...requests: string[]])[] = [
  ['exams create --start 2027-01-01T09:00Z --end 2027-01-01T10:00Z', 'POST /exams'],
  ['exams update 1 --end 2027-01-01T10:00Z', 'PATCH /exams/1'],
  ['exams update 1 --end 2027-01-01T10:00Z --put', 'PUT /exams/1'],
  ['exams update 1 --allow-headphones', 'PATCH /exams/1'],
  ['exams update 1 --put --allow-headphones', 'PUT /exams/1'],
  ['exams delete 1 2', 'DELETE /exams/1', 'DELETE /exams/2'],
  ['exams send-emails 2', 'POST /exams/2/send_emails'],
  ['students add --exam 1 --email a@example.org', 'POST /exams/1/add_student'],
  ['proctors add 4 --exam 1', 'POST /exams/1/proctor_pool'],
  ['proctors remove 4 --exam 1', 'DELETE /exams/1/proctor_pool'],
  ['sessions create --exam 1 --email a@example.org', 'POST /exams/1/student_sessions'],
  ['sessions update 1 --close-time 2027-01-01T10:00Z', 'PATCH /student_sessions/1'],
  ['sessions update 1 --close-time 2027-01-01T10:00Z --put', 'PUT /student_sessions/1'],
  ['sessions delete 1', 'DELETE /student_sessions/1'],
  ['exams list', 'GET /exams'],
  ['exams get 1', 'GET /exams/1'],
  ['students show --exam 1 --session 5', 'GET /exams/1/show_student?student_session_id=5'],
  ['proctors list --exam 1', 'GET /exams/1/proctor_pool'],
  ['sessions list --exam 1', 'GET /exams/1/student_sessions'],
  ['sessions list', 'GET /student_sessions'],
  ['sessions get 1', 'GET /student_sessions/1'],
  ['users list --institute 7', 'GET /institutes/7/users'],
  ['api GET /exams', 'GET /exams'],
  ['api PATCH student_sessions/1 -F close_time=2027-01-01T10:00:00Z', 'PATCH /student_sessions/1'],
];

const exam = {
  name: 'Algebra',
  start_time: '2126-12-31T08:00:00Z',
  end_time: '2127-01-01T09:00:00Z',
  save_recording: true,
  allow_headphones: false,
  allow_whiteboard: true,
  allow_leave_room: true,
  allow_pen_paper: true,
};
const session = { id: 1, exam_id: 2, email: 'ada@example.org', name: 'Ada', status: 'registered', open_time: null, close_time: null };
const env = { PROCTOR_TOKEN: 'a-token-of-the-tests', PROCTOR_OUTPUT: 'json' };

describe('with --dry-run', () => {
  test.each(lines)('%s', async (line, ...requests) => {
    const service = await held({ exams: [1, 2].map((id) => ({ id, ...exam })), sessions: [session] });
    service.pool.push('4');
    const { code, stdout, stderr } = await run([...line.split(' '), '--dry-run'], { env: { ...env, PROCTOR_BASE_URL: service.origin } });
    expect(stderr).toMatch(/^(Without --dry-run it asks: .*\?\n)?$/);
    expect(code).toBe(0);
    const planned = JSON.parse(stdout) as { method: string; url: string }[];
    expect(planned.map(({ method, url }) => `${method} ${url.replace(`${service.origin}/api/v1`, '')}`)).toEqual(requests);
    expect(stdout).not.toContain(env.PROCTOR_TOKEN);
    // What it is planned from is read; a read alone is not made.
    const writes = requests.some((request) => !request.startsWith('GET'));
    expect({ writes: service.writes(), reads: service.requests().length > 0 }).toEqual({ writes: [], reads: writes });
  });

  test('every operation of the table is reached', () => {
    const reached = new Set(
      lines.flatMap(([, ...requests]) => requests.map((request) => request.replace(/\?.*$/, '').replace(/\/\d+/, '/:'))),
    );
    const all = Object.values(operations).map(({ method, path }) => `${method} ${path.replace(/:\w+/, ':')}`);
    expect([...new Set(all)].filter((request) => !reached.has(request))).toEqual([]);
  });
});
