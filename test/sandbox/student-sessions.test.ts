import { expect, test } from 'vitest';
import { type Item, newExam, serve } from './harness.ts';

const added = ['student_sessions', 'add_student'];

test.each(added)('a student added through %s is registered, not yet rated, and keeps unknown fields', async (operation) => {
  const { send } = await serve();
  const { id: exam_id, path } = await newExam(send);
  const { status, body, text } = await send('POST', `${path}/${operation}`, {
    name: 'Zoë',
    matriculation_number: '0012',
    email: 'zoe@example.org',
  });
  expect(status).toBe(201);
  expect(body).toEqual({
    id: expect.any(Number),
    exam_id,
    name: 'Zoë',
    matriculation_number: '0012',
    email: 'zoe@example.org',
    open_time: null,
    close_time: null,
    skip_requirements: false,
    level_of_suspicion: 0,
    status: 'registered',
  });
  expect((await send('GET', `/student_sessions/${body.id}`)).text).toBe(text);
});

test.each(added)('%s can set close_time and skip_requirements, and needs no e-mail address', async (operation) => {
  const { send } = await serve();
  const { path } = await newExam(send);
  const { status, body } = await send('POST', `${path}/${operation}`, { close_time: '2026-11-21T09:15:00Z', skip_requirements: true });
  expect(status).toBe(201);
  expect(body).toMatchObject({ close_time: '2026-11-21T09:15:00Z', skip_requirements: true, email: null });
});

test.each(added)('%s passes over what it cannot set', async (operation) => {
  const { send } = await serve();
  const { id, path } = await newExam(send);
  const sent = { open_time: 'not even a time', status: 'exam_finished', level_of_suspicion: 3, id: 4711, exam_id: 1 };
  const { status, body } = await send('POST', `${path}/${operation}`, sent);
  expect(status).toBe(201);
  expect(body).toMatchObject({ open_time: null, status: 'registered', level_of_suspicion: 0, exam_id: id });
  expect(body.id).not.toBe(4711);
});

test.each(added)('%s of an exam that does not exist is a 404', async (operation) => {
  const { send } = await serve();
  expect((await send('POST', `/exams/4711/${operation}`, {})).status).toBe(404);
});

test.each(['PATCH', 'PUT'])('%s changes the window of a session and leaves everything else', async (method) => {
  const { send } = await serve();
  const { path } = await newExam(send);
  const { body } = await send('POST', `${path}/add_student`, { name: 'Zoë', email: 'zoe@example.org', skip_requirements: true });
  const window = { open_time: '2026-11-21T08:30:00Z', close_time: '2026-11-21T09:15:00Z' };
  const changed = await send(method, `/student_sessions/${body.id}`, window);
  expect(changed.status).toBe(200);
  expect(changed.body).toEqual({ ...body, ...window });
  expect((await send('GET', `/student_sessions/${body.id}`)).body).toEqual(changed.body);
});

test.each(['PATCH', 'PUT'])('%s passes over what it cannot set', async (method) => {
  const { send } = await serve();
  const { path } = await newExam(send);
  const { body } = await send('POST', `${path}/add_student`, {});
  const sent = { skip_requirements: true, status: 'exam_finished', level_of_suspicion: 3, id: 4711, exam_id: 1 };
  const changed = await send(method, `/student_sessions/${body.id}`, sent);
  expect(changed.status).toBe(200);
  expect(changed.body).toEqual(body);
});

test('a session cannot close before it opens', async () => {
  const { send } = await serve();
  const { path } = await newExam(send);
  const { body } = await send('POST', `${path}/add_student`, { close_time: '2026-11-21T09:15:00Z' });
  expect((await send('PATCH', `/student_sessions/${body.id}`, { open_time: '2026-11-21T09:15:01Z' })).status).toBe(422);
  expect((await send('PATCH', `/student_sessions/${body.id}`, { open_time: '2026-11-21T09:15:00Z' })).status).toBe(200);
});

test.each([
  ['email', 'nobody'],
  ['email', ''],
  ['email', 'a b@example.org'],
  ['email', 5],
  ['close_time', 'soon'],
  ['skip_requirements', 'true'],
])('%s cannot be %j', async (field, value) => {
  const { send } = await serve();
  const { status, body } = await send<{ errors: unknown }>('POST', '/exams/1/student_sessions', { [field]: value });
  expect(status).toBe(422);
  expect(body.errors).toEqual([{ field, message: expect.any(String) }]);
});

test('the same address twice in one exam is two students: the specification asks for no uniqueness', async () => {
  const { send } = await serve();
  const { path } = await newExam(send);
  for (let count = 0; count < 2; count++)
    expect((await send('POST', `${path}/add_student`, { email: 'twin@example.org' })).status).toBe(201);
  expect((await send<Item[]>('GET', `${path}/student_sessions`)).body).toHaveLength(2);
});

test("an exam's list shows its students only, the list of sessions those of all exams", async () => {
  const { send } = await serve();
  const { path } = await newExam(send);
  const { body: mine } = await send('POST', `${path}/add_student`, {});
  expect((await send<Item[]>('GET', `${path}/student_sessions`)).body).toEqual([mine]);
  const all = (await send<Item[]>('GET', '/student_sessions')).body;
  expect(all.at(-1)).toEqual(mine);
  expect(new Set(all.map(({ exam_id }) => exam_id)).size).toBeGreaterThan(2);
  expect((await send('GET', '/exams/4711/student_sessions')).status).toBe(404);
});

test('show_student shows the student named by the query, if the student is in this exam', async () => {
  const { send } = await serve();
  const { path } = await newExam(send);
  const { path: other } = await newExam(send);
  const { body } = await send('POST', `${path}/add_student`, {});
  const shown = await send('GET', `${path}/show_student?student_session_id=${body.id}`);
  expect([shown.status, shown.body]).toEqual([200, body]);
  expect((await send('GET', `${path}/show_student`)).status).toBe(400);
  expect((await send('GET', `${path}/show_student?student_session_id=`)).status).toBe(400);
  expect((await send('GET', `${path}/show_student?student_session_id=x`)).status).toBe(404);
  expect((await send('GET', `${other}/show_student?student_session_id=${body.id}`)).status).toBe(404);
  expect((await send('GET', `/exams/4711/show_student?student_session_id=${body.id}`)).status).toBe(404);
});

test('deleting a session removes the student from the exam, once', async () => {
  const { send } = await serve();
  const { path } = await newExam(send);
  const { body } = await send('POST', `${path}/add_student`, {});
  const deleted = await send('DELETE', `/student_sessions/${body.id}`);
  expect([deleted.status, deleted.text]).toEqual([204, '']);
  expect((await send('GET', `/student_sessions/${body.id}`)).status).toBe(404);
  expect((await send<Item[]>('GET', `${path}/student_sessions`)).body).toEqual([]);
  expect((await send('DELETE', `/student_sessions/${body.id}`)).status).toBe(404);
  expect((await send('PATCH', `/student_sessions/${body.id}`, {})).status).toBe(404);
});

test("ending a student's exam is not served, and the answer says since when", async () => {
  const { send } = await serve();
  const before = (await send('GET', '/student_sessions/1')).text;
  const { status, body } = await send('POST', '/student_sessions/1/end_exam');
  expect(status).toBe(404);
  expect(body.message).toMatch(/removed.*2022-05-17/);
  expect((await send('GET', '/student_sessions/1')).text).toBe(before);
});
