/** The requests of sessions move: typed from the specification (sections 2 and 4). */
import { expect, test } from 'vitest';
import { type Exchange, exchange } from './exchanges.ts';

const api = '/api/v1';
const exam = (id: number) => ({ id, name: `Exam ${id}`, start_time: '2127-03-22T08:00:00Z', end_time: '2127-03-22T10:00:00Z' });
const session = {
  id: 7,
  exam_id: 42,
  email: 'ada@example.org',
  name: 'Ada',
  status: 'registered',
  open_time: null,
  close_time: '2127-03-22T10:30:00Z',
};
const created = { ...session, id: 70, exam_id: 43 };
const get = (path: string, body: unknown, status = 200): Exchange => ({ method: 'GET', path: api + path, reply: [status, body] });
const seen = [
  get('/exams/43', exam(43)),
  get('/exams/43/student_sessions', []),
  get('/student_sessions/7', session),
  get('/exams/42', exam(42)),
];
const create: Exchange = {
  method: 'POST',
  path: `${api}/exams/43/student_sessions`,
  body: { email: 'ada@example.org', name: 'Ada', close_time: '2127-03-22T10:30:00Z' },
  reply: [201, created],
};
const remove: Exchange = { method: 'DELETE', path: `${api}/student_sessions/7` };
const move = ['sessions', 'move', '7', '--exam', '43', '--yes', '-o', 'json'];

test('A student is looked for, created in the other exam, read there, read here once more, deleted here, and both lists are read.', async () => {
  const { code, stdout } = await exchange(move, [
    ...seen,
    create,
    get('/student_sessions/70', created),
    get('/student_sessions/7', session),
    remove,
    get('/exams/43/student_sessions', [created]),
    get('/exams/42/student_sessions', []),
    get('/exams/43', exam(43)),
    get('/exams/42', exam(42)),
  ]);
  expect({ code, rows: JSON.parse(stdout) }).toEqual({
    code: 0,
    rows: [{ session: 7, email: 'ada@example.org', from: 42, to: 43, as: 70, result: 'moved' }],
  });
});

test('An own open_time follows the creation, because a POST cannot set it.', async () => {
  const open_time = '2127-03-22T08:10:00Z';
  const own = { ...session, open_time };
  const { code } = await exchange(move, [
    ...seen.map((each) => (each.path.endsWith('/student_sessions/7') ? get('/student_sessions/7', own) : each)),
    create,
    { method: 'PATCH', path: `${api}/student_sessions/70`, body: { open_time }, reply: [200, created] },
    get('/student_sessions/70', { ...created, open_time }),
    get('/student_sessions/7', own),
    remove,
    get('/exams/43/student_sessions', [{ ...created, open_time }]),
    get('/exams/42/student_sessions', []),
    get('/exams/43', exam(43)),
    get('/exams/42', exam(42)),
  ]);
  expect(code).toBe(0);
});

test('Nothing is deleted if a read does not show the student in the other exam.', async () => {
  const other = { ...created, email: 'bob@example.org' };
  const { code, stderr } = await exchange(move, [
    ...seen,
    create,
    get('/student_sessions/70', other),
    get('/exams/43/student_sessions', [other]),
    get('/exams/42/student_sessions', [session]),
  ]);
  expect(code).toBe(10);
  expect(JSON.parse(stderr).error.message).toContain('bob@example.org');
});

test('A list without addresses cannot show who is in an exam, so nothing is sent.', async () => {
  const { code } = await exchange(move, [
    get('/exams/43', exam(43)),
    get('/exams/43/student_sessions', [{ id: 70, status: 'registered' }]),
  ]);
  expect(code).not.toBe(0);
});
