/**
 * The requests of sessions extend and its undo, and sessions find: typed from the
 * specification (sections 2 and 4).
 */
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/run.ts';
import { type Exchange, exchange } from './exchanges.ts';

const api = '/api/v1';
const get = (path: string, body: unknown, status = 200): Exchange => ({ method: 'GET', path: api + path, reply: [status, body] });
const patch = (id: number, close_time: unknown, reply: Exchange['reply'] = [200, session(id, close_time)]): Exchange => ({
  method: 'PATCH',
  path: `${api}/student_sessions/${id}`,
  body: { close_time },
  ...(reply ? { reply } : {}),
});
const session = (id: number, close_time: unknown, more: object = {}) => ({
  id,
  exam_id: 42,
  email: `s${id}@example.org`,
  status: 'exam_started',
  open_time: null,
  close_time,
  ...more,
});
const look = (id: number, close_time: unknown) => get(`/student_sessions/${id}`, session(id, close_time));
const [ten, half, _eleven] = ['2027-03-01T10:00:00Z', '2027-03-01T10:30:00Z', '2027-03-01T11:00:00Z'];
const exam = {
  id: 42,
  name: 'Algebra',
  start_time: '2027-03-01T08:00:00Z',
  end_time: ten,
  save_recording: false,
  allow_headphones: true,
  allow_whiteboard: false,
  allow_leave_room: false,
  allow_pen_paper: true,
};
const words = (line: string) => line.split(' ');

/** Runs a line, and returns what it printed as JSON beside its status. */
async function json(line: string, exchanges: readonly Exchange[], home = temporaryFolder()) {
  const { code, stdout, stderr } = await exchange([...words(line), '-o', 'json'], exchanges, { home });
  return { code, rows: stdout === '' ? undefined : JSON.parse(stdout), error: code === 0 ? undefined : JSON.parse(stderr).error };
}
const results = (rows: { session: number; result: string }[]) => rows.map(({ session, result }) => [session, result]);

const seeExam = get('/exams/42', exam);
const list = (...all: unknown[]) => get('/exams/42/student_sessions', all);

async function theRun(home: string): Promise<string> {
  const { rows } = await json('runs list', [], home);
  return rows[0].run;
}

describe('sessions extend', () => {
  test('reads of which exam the session is, session and exam, sends the close_time alone, and reads the session once more', async () => {
    const reads = [look(7, ten), look(7, ten), seeExam];
    const { rows } = await json('sessions extend 7 --by 30m', [...reads, patch(7, half), look(7, half)]);
    const row = { exam: 42, session: 7, email: 's7@example.org', field: 'close_time', from: ten, to: half };
    expect(rows).toEqual([{ ...row, result: 'extended', reason: null }]);
  });

  test('of an exam reads exam and list, and each session of which the list shows no times', async () => {
    const bare = [7, 8, 9].map((id) => ({ id, exam_id: 42, email: `s${id}@example.org`, status: 'exam_started' }));
    const { rows } = await json('sessions extend --exam 42 --by 30m --yes', [
      seeExam,
      list(...bare),
      look(7, null),
      look(8, null),
      look(9, null),
      patch(7, half),
      patch(8, half),
      patch(9, half),
      list(session(7, half), session(8, half), session(9, half)),
      // The times from which they were computed, once more.
      seeExam,
    ]);
    expect(results(rows)).toEqual([7, 8, 9].map((id) => [id, 'extended']));
  });

  test('extends a session once that the list shows twice', async () => {
    const reads = [seeExam, list(session(7, ten), session(7, ten))];
    const { rows } = await json('sessions extend --exam 42 --by 30m --yes', [...reads, patch(7, half), look(7, half)]);
    expect(results(rows)).toEqual([[7, 'extended']]);
  });
});

describe('runs undo, of an extension', () => {
  test('gives back a time that is finer than what is sent otherwise', async () => {
    const home = temporaryFolder();
    const fine = '2027-03-01T10:00:00.250Z';
    await json('sessions extend 7 --by 30m', [look(7, fine), look(7, fine), seeExam, patch(7, half), look(7, half)], home);
    await json(`runs undo ${await theRun(home)} --yes`, [look(7, half), seeExam, patch(7, fine), look(7, fine)], home);
  });
});

test('sessions find lists the exams, then the students of those of today, then all sessions', async () => {
  const { code, stdout } = await exchange(
    ['sessions', 'find', 's7', '-o', 'json'],
    [get('/exams', [exam]), list(session(7, ten)), get('/student_sessions', [session(7, ten), session(71, ten, { exam_id: 43 })])],
    { now: '2027-03-01T09:00:00Z' },
  );
  expect([code, JSON.parse(stdout)]).toEqual([
    0,
    [
      { ...session(7, ten), exam_name: 'Algebra', opens: exam.start_time, closes: ten },
      { ...session(71, ten, { exam_id: 43 }), exam_name: null, opens: null, closes: ten },
    ],
  ]);
});
