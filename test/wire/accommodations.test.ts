/** The requests of accommodations apply, with and without --check: typed from the specification (sections 2 and 4). */
import { expect, test } from 'vitest';
import { fileWith } from '../features/extra-time/lists.ts';
import { temporaryFolder } from '../support/run.ts';
import { type Exchange, exchange, succeeds } from './exchanges.ts';

const get = (path: string, body: unknown): Exchange => ({ method: 'GET', path: `/api/v1${path}`, reply: [200, body] });
const exam = { id: 42, name: 'Algebra', start_time: '2027-03-01T08:00:00Z', end_time: '2027-03-01T10:00:00Z' };
const [ten, quarterMore, noon] = ['2027-03-01T10:00:00Z', '2027-03-01T10:30:00Z', '2027-03-01T12:00:00Z'];
const session = (id: number, close_time: string | null) => ({
  id,
  exam_id: 42,
  email: `s${id}@example.org`,
  status: 'registered',
  open_time: null,
  close_time,
  skip_requirements: false,
  level_of_suspicion: 0,
});
const list = (...ids: number[]) => fileWith(`email,extra\n${ids.map((id) => `s${id}@example.org,25%\n`).join('')}`, 'list.csv');
const sessions = [session(7, ten), session(8, null), session(9, noon), session(10, quarterMore)];

test('accommodations apply --check reads the exam and its sessions, and nothing else', async () => {
  const { code, stdout } = await exchange(
    ['accommodations', 'apply', list(7, 8, 9, 10), '--exam', '42', '--check', '-o', 'json'],
    [get('/exams/42', exam), get('/exams/42/student_sessions', sessions)],
  );
  expect([code, JSON.parse(stdout).map(({ result }: { result: string }) => result)]).toEqual([11, ['less', 'missing', 'more', 'ok']]);
});

test('accommodations apply sends each close_time alone, right after the reading that it rests on, and reads session and exam once more at the end', async () => {
  const words = ['accommodations', 'apply', list(7, 8, 9, 10), '--exam', '42', '--yes', '-o', 'json'];
  const look = (id: number, close_time: string | null) => get(`/student_sessions/${id}`, session(id, close_time));
  const patch = (id: number): Exchange => ({
    method: 'PATCH',
    path: `/api/v1/student_sessions/${id}`,
    body: { close_time: quarterMore },
    reply: [200, session(id, quarterMore)],
  });
  const home = temporaryFolder();
  const before = [get('/exams/42', exam), get('/exams/42/student_sessions', sessions)];
  const proof = [look(7, quarterMore), look(8, quarterMore), get('/exams/42', exam)];
  await succeeds(words, [...before, patch(7), patch(8), ...proof], { home });
  const after = [session(7, quarterMore), session(8, quarterMore), session(9, noon), session(10, quarterMore)];
  await succeeds(words, [get('/exams/42', exam), get('/exams/42/student_sessions', after)], { home });
});

test('accommodations apply names an exam that was moved in the instant of a write: its students would have too little time', async () => {
  const words = ['accommodations', 'apply', list(8), '--exam', '42', '--yes', '-o', 'json'];
  const set: Exchange = {
    method: 'PATCH',
    path: '/api/v1/student_sessions/8',
    body: { close_time: quarterMore },
    reply: [200, session(8, quarterMore)],
  };
  const { code, stdout, stderr } = await exchange(words, [
    get('/exams/42', exam),
    get('/exams/42/student_sessions', [session(8, null)]),
    set,
    get('/student_sessions/8', session(8, quarterMore)),
    get('/exams/42', { ...exam, end_time: noon }),
  ]);
  expect([code, JSON.parse(stdout)[0].result]).toEqual([9, 'set']);
  expect(JSON.parse(stderr.split('\n').at(-2) ?? '').error.message).toMatch(
    /Exam 42 was changed in the same instant: end_time is now 2027-03-01 12:00/,
  );
});

test('a listing that shows less than the session is completed by a read of the session', async () => {
  const { id, email, status } = session(8, null);
  await succeeds(
    ['accommodations', 'apply', list(8), '--exam', '42', '--check'],
    [
      get('/exams/42', exam),
      get('/exams/42/student_sessions', [{ id, email, status }]),
      get('/student_sessions/8', session(8, quarterMore)),
    ],
  );
});
