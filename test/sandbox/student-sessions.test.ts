import { expect, test } from 'vitest';
import { defaultDialect } from '../../src/api/dialect.ts';
import { type Item, newExam, serve } from './harness.ts';

const none = { email: null, open_time: null, close_time: null, skip_requirements: false, level_of_suspicion: 0, status: 'registered' };
const window = { open_time: '2026-11-21T08:30:00Z', close_time: '2026-11-21T09:15:00Z' };

test.each(['student_sessions', 'add_student'])(
  '%s adds a registered student, keeps unknown fields and passes over what it cannot set',
  async (operation) => {
    const { send } = await serve();
    const { id: exam_id, path } = await newExam(send);
    const unset = { open_time: 'not even a time', status: 'exam_finished', level_of_suspicion: 3, id: 4711, exam_id: 1 };
    const { status, body } = await send('POST', `${path}/${operation}`, unset);
    expect([status, body]).toEqual([201, { id: expect.any(Number), exam_id, ...none }]);
    expect(body.id).not.toBe(4711);
    const given = {
      name: 'Zoë',
      matriculation_number: '0012',
      email: 'zoe@example.org',
      close_time: window.close_time,
      skip_requirements: true,
    };
    const zoe = await send('POST', `${path}/${operation}`, given);
    expect(zoe.body).toEqual({ id: expect.any(Number), exam_id, ...none, ...given });
    expect((await send('GET', `/student_sessions/${zoe.body.id}`)).text).toBe(zoe.text);
    expect((await send('POST', `/exams/4711/${operation}`, {})).status).toBe(404);
  },
);

test.each(['PATCH', 'PUT'])('%s changes the window of a session, and passes over what it cannot set', async (method) => {
  const { send } = await serve();
  const { path } = await newExam(send);
  const { body } = await send('POST', `${path}/add_student`, { name: 'Zoë', email: 'zoe@example.org' });
  const unset = { skip_requirements: true, status: 'exam_finished', level_of_suspicion: 3, id: 4711, exam_id: 1 };
  const changed = await send(method, `/student_sessions/${body.id}`, { ...window, ...unset });
  expect([changed.status, changed.body]).toEqual([200, { ...body, ...window }]);
  expect((await send('GET', `/student_sessions/${body.id}`)).body).toEqual(changed.body);
  const late = { open_time: '2026-11-21T09:15:01Z' };
  expect((await send(method, `/student_sessions/${body.id}`, late)).status).toBe(422);
  expect((await send(method, `/student_sessions/${body.id}`, { open_time: window.close_time })).status).toBe(200);
  expect((await send(method, '/student_sessions/4711', {})).status).toBe(404);
});

test.each([
  ...['nobody', '', 'a b@example.org', 5].map((value) => ['email', value] as const),
  ['close_time', 'soon'],
  ['skip_requirements', 'true'],
] as const)('%s cannot be %j', async (field, value) => {
  const { send } = await serve();
  const { status, body } = await send<{ errors: unknown }>('POST', '/exams/1/student_sessions', { [field]: value });
  expect([status, body.errors]).toEqual([422, [{ field, message: expect.any(String) }]]);
});

test("an exam's list shows its students only, the list of sessions those of all exams; one address may be two students", async () => {
  const { send } = await serve();
  const { path } = await newExam(send);
  const twins: Item[] = [];
  for (let count = 0; count < 2; count++) twins.push((await send('POST', `${path}/add_student`, { email: 'twin@example.org' })).body);
  expect((await send<Item[]>('GET', `${path}/student_sessions`)).body).toEqual(twins);
  const { headers, body: all } = await send<Item[]>('GET', '/student_sessions');
  expect(all.slice(-2)).toEqual(twins);
  expect(new Set(all.map(({ exam_id }) => exam_id)).size).toBeGreaterThan(2);
  expect(Object.keys(headers).filter((name) => /link|pagination/.test(name))).toEqual([]);
  expect((await send('GET', '/exams/4711/student_sessions')).status).toBe(404);
});

test('show_student shows the student named by the query, if the student is in this exam', async () => {
  const { send } = await serve();
  const [{ path }, other] = [await newExam(send), await newExam(send)];
  const { body } = await send('POST', `${path}/add_student`, {});
  const named = `show_student?student_session_id=${body.id}`;
  const shown = await send('GET', `${path}/${named}`);
  expect([shown.status, shown.body]).toEqual([200, body]);
  for (const query of ['', '?student_session_id=']) expect((await send('GET', `${path}/show_student${query}`)).status).toBe(400);
  for (const wrong of [`${path}/show_student?student_session_id=x`, `${other.path}/${named}`, `/exams/4711/${named}`])
    expect((await send('GET', wrong)).status).toBe(404);
});

test('deleting a session removes the student from the exam, once', async () => {
  const { send } = await serve();
  const { path } = await newExam(send);
  const { body } = await send('POST', `${path}/add_student`, {});
  const deleted = await send('DELETE', `/student_sessions/${body.id}`);
  expect([deleted.status, deleted.text]).toEqual([204, '']);
  expect((await send<Item[]>('GET', `${path}/student_sessions`)).body).toEqual([]);
  for (const method of ['GET', 'DELETE']) expect((await send(method, `/student_sessions/${body.id}`)).status).toBe(404);
});

test("ending a student's exam is not served, and the answer says since when", async () => {
  const { send } = await serve();
  const before = (await send('GET', '/student_sessions/1')).text;
  const { status, body } = await send('POST', '/student_sessions/1/end_exam');
  expect([status, body.message]).toEqual([404, expect.stringMatching(/removed.*2022-05-17/)]);
  expect((await send('GET', '/student_sessions/1')).text).toBe(before);
});

test('the service speaks the dialect it is given', async () => {
  const names = { idKey: 'uid', sessionExamKey: 'exam', studentSelector: 'who', proctorsKey: 'staff' };
  const { send } = await serve({ dialect: { ...defaultDialect, ...names, timeFormat: 'epoch-s' } });
  const exam = (await send('POST', '/exams', { start_time: 1_795_251_600, end_time: '2026-11-21T11:00:00Z' })).body;
  expect(exam).toMatchObject({ start_time: '2026-11-21T09:00:00Z', end_time: '2026-11-21T11:00:00Z' });
  const path = `/exams/${exam.uid}`;
  const session = (await send('POST', `${path}/add_student`, { exam: 1 })).body;
  expect(session).toMatchObject({ exam: exam.uid });
  expect((await send('GET', `${path}/show_student?who=${session.uid}`)).body).toEqual(session);
  expect((await send<Item[]>('POST', `${path}/proctor_pool`, { staff: [1] })).body[0]).toMatchObject({ uid: 1 });
});
