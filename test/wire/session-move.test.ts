/** The requests of sessions move: typed from the specification (sections 2 and 4). */
import { expect, test } from 'vitest';
import { type Exchange, exchange, succeeds } from './exchanges.ts';

const api = '/api/v1';
const exam = (id: number) => ({ id, name: `Exam ${id}`, start_time: '2127-03-22T08:00:00Z', end_time: '2127-03-22T10:00:00Z' });
const close_time = '2127-03-22T10:30:00Z';
const ada = { id: 7, exam_id: 42, email: 'ada@example.org', name: 'Ada', status: 'registered', open_time: null, close_time };
const get = (path: string, body: unknown, status = 200): Exchange => ({ method: 'GET', path: api + path, reply: [status, body] });
const session = (shown: { id: number }) => get(`/student_sessions/${shown.id}`, shown);
const listed = (...sessions: unknown[]) => get('/exams/43/student_sessions', sessions);
/** The old session is read for the places that are locked; then who is in the other exam, that exam, the session, and its exam. */
const seen = (old = ada) => [session(old), listed(), get('/exams/43', exam(43)), session(old), get('/exams/42', exam(42))];
const create: Exchange = {
  ...{ method: 'POST', path: `${api}/exams/43/student_sessions` },
  ...{ body: { email: 'ada@example.org', name: 'Ada', close_time }, reply: [201, { ...ada, id: 70, exam_id: 43 }] },
};
const remove = { method: 'DELETE', path: `${api}/student_sessions/7` };
const last = (made: object) => [get('/student_sessions/7', {}, 404), get('/exams/43', exam(43)), listed(made)];
const move = ['sessions', 'move', '7', '--exam', '43', '--yes', '-o', 'json'];

test('A student is looked for, created in the other exam, read there, read here once more, deleted here, and the exam is read.', async () => {
  const made = { ...ada, id: 70, exam_id: 43 };
  const { code, stdout } = await exchange(move, [...seen(), create, listed(made), session(made), session(ada), remove, ...last(made)]);
  const row = { exam: 43, session: 70, email: 'ada@example.org', result: 'moved', reason: 'was session 7 of exam 42' };
  expect({ code, rows: JSON.parse(stdout) }).toEqual({ code: 0, rows: [row] });
});

test('An own open_time follows the creation, because a POST cannot set it.', async () => {
  const open_time = '2127-03-22T08:10:00Z';
  const own = { ...ada, open_time } as unknown as typeof ada;
  const made = { ...ada, id: 70, exam_id: 43 };
  const opened = { ...made, open_time };
  const patch: Exchange = { method: 'PATCH', path: `${api}/student_sessions/70`, body: { open_time }, reply: [200, opened] };
  const exchanges = [...seen(own), create, listed(made), session(made), patch, session(opened), session(own), remove, ...last(opened)];
  await succeeds(move, exchanges);
});
