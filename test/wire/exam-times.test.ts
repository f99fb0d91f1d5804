/** The requests of exams delay and exams shift, and of their undo: typed from the specification (sections 2 and 4). */
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/run.ts';
import { type Exchange, exchange } from './exchanges.ts';

const api = '/api/v1';
const [nine, eleven] = ['2027-03-22T08:00:00Z', '2027-03-22T10:00:00Z'];
const [nineLater, elevenLater] = ['2027-03-29T07:00:00Z', '2027-03-29T09:00:00Z'];
const restrictions = { allow_headphones: true, allow_whiteboard: false, allow_leave_room: false, allow_pen_paper: true };
const exam = (start_time: string, end_time: string) => ({ id: 42, name: 'Algebra', start_time, end_time, ...restrictions });
const session = (open_time: string | null, close_time: string | null) => ({
  id: 7,
  exam_id: 42,
  email: 's7@example.org',
  status: 'registered',
  open_time,
  close_time,
});
const get = (path: string, body: unknown): Exchange => ({ method: 'GET', path: api + path, reply: [200, body] });
const seeExam = (start = nine, end = eleven) => get('/exams/42', exam(start, end));
const seeSession = (opens: string | null, closes: string | null) => get('/student_sessions/7', session(opens, closes));
const list = (...sessions: unknown[]) => get('/exams/42/student_sessions', sessions);
const setExam = (body: object, now: object, status = 200): Exchange => ({
  method: 'PATCH',
  path: `${api}/exams/42`,
  body,
  reply: [status, now],
});
const setSession = (body: object): Exchange => ({
  method: 'PATCH',
  path: `${api}/student_sessions/7`,
  body,
  reply: [200, { id: 7, exam_id: 42, status: 'registered' }],
});

async function json(line: string, exchanges: readonly Exchange[], home = temporaryFolder()) {
  const { code, stdout, stderr } = await exchange([...line.split(' '), '--timezone', 'Europe/Vienna', '-o', 'json'], exchanges, {
    home,
    now: '2027-01-10T12:00:00Z',
  });
  return { code, rows: stdout === '' ? undefined : JSON.parse(stdout), stderr };
}

describe('exams delay', () => {
  test('reads exam and students, then sends one time for each, right after a read of what it relies on; at the end each is read once more', async () => {
    const later = '2027-03-22T10:15:00Z';
    const own = ['2027-03-22T10:30:00Z', '2027-03-22T10:45:00Z'] as const;
    const { code } = await json('exams delay 42 --by 15m --yes', [
      seeExam(),
      list(session(null, own[0])),
      setExam({ end_time: later }, exam(nine, later)),
      // The close time was computed with the end of the exam: the exam has to show its new one.
      seeExam(nine, later),
      setSession({ close_time: own[1] }),
      seeSession(null, own[1]),
      // Nobody was given a window meanwhile.
      list(session(null, own[1])),
    ]);
    expect(code).toBe(0);
  });
});

describe('exams shift', () => {
  const shifted = [
    seeExam(),
    list(session(nine, null)),
    setExam({ end_time: elevenLater }, exam(nine, elevenLater)),
    seeExam(nine, elevenLater),
    setSession({ open_time: nineLater }),
    seeSession(nineLater, null),
    setExam({ start_time: nineLater }, exam(nineLater, elevenLater)),
    seeExam(nineLater, elevenLater),
    list(session(nineLater, null)),
  ];

  test('sends the end, the windows and the start, each after a read that shows the old time', async () => {
    expect((await json('exams shift --exam 42 --by 7d --yes', shifted)).code).toBe(0);
  });

  test('reads each listing of a selection once, and each exam of it', async () => {
    const { code, rows } = await json('exams shift --name algebra --by 7d --dry-run', [
      get('/exams', [exam(nine, eleven)]),
      seeExam(),
      list(session(null, null)),
    ]);
    expect({ code, rows }).toMatchObject({ code: 0, rows: [{ method: 'PATCH', body: { start_time: nineLater, end_time: elevenLater } }] });
  });
});
