/** What each operation of the specification does: exams, student sessions, the pools of proctors, and mails. */
import { expect, test } from 'vitest';
import { defaultDialect } from '../../src/api/dialect.ts';
import { outbox } from '../../src/sandbox/index.ts';
import { type Item, newExam, now, serve } from './harness.ts';

const restrictions = { allow_headphones: true, allow_whiteboard: true, allow_leave_room: true, allow_pen_paper: true };
const strict = { allow_headphones: false, allow_whiteboard: false, allow_leave_room: false, allow_pen_paper: false };
const times = { start_time: '2026-11-21T09:00:00Z', end_time: '2026-11-21T11:00:00Z' };

test('an exam is created with 201, and read and listed as it was answered', async () => {
  const { send } = await serve();
  const exam = { name: 'Statik', ...times, save_recording: false, ...restrictions };
  const created = await send('POST', '/exams', exam);
  expect([created.status, created.body]).toEqual([201, { id: expect.any(Number), ...exam }]);
  const read = await send('GET', `/exams/${created.body.id}`);
  expect([read.status, read.text]).toEqual([200, created.text]);
  const { body } = await send<Item[]>('GET', '/exams?page=2');
  expect(body.at(-1)).toEqual(created.body);
  expect(body.map(({ id }) => id)).toEqual(Array.from(body, (_, index) => index + 1));
  // Recorded, and nothing is allowed.
  const plain = { id: expect.any(Number), start_time: null, end_time: null, save_recording: true, ...strict };
  expect((await send('POST', '/exams', {})).body).toEqual(plain);
});

test.each(['PATCH', 'PUT'])('%s changes what it names, and resets restrictions left out beside others, as 1.x does', async (method) => {
  const { send } = await serve();
  const { path } = await newExam(send, { name: 'Optik', room: 7, save_recording: false, ...restrictions });
  const change = async (fields: object) => {
    const { status, body } = await send(method, path, fields);
    expect([status, (await send('GET', path)).body]).toEqual([200, body]);
    return body;
  };
  const moved = await change({ start_time: '2026-11-21T10:00:00+01:00', end_time: '2026-11-21T11:00Z' });
  expect(moved).toMatchObject({ name: 'Optik', room: 7, save_recording: false, ...restrictions, ...times });
  expect(await change({ end_time: null })).toEqual({ ...moved, end_time: null });
  expect(await change({ ...restrictions, allow_whiteboard: false })).toMatchObject({ ...restrictions, allow_whiteboard: false });
  expect(await change({ allow_headphones: true })).toMatchObject({ ...strict, allow_headphones: true, room: 7 });
});

test('a deleted exam takes its sessions and pool along, and its ID is never given again', async () => {
  const { send } = await serve();
  const [{ id, path }, other] = [await newExam(send), await newExam(send)];
  const session = await send('POST', `${path}/student_sessions`, {});
  const bystander = await send('POST', `${other.path}/student_sessions`, {});
  await send('POST', `${path}/proctor_pool`, { proctors: [1] });
  const deleted = await send('DELETE', path);
  expect([deleted.status, deleted.text]).toEqual([204, '']);
  for (const gone of [path, `${path}/proctor_pool`, `${path}/student_sessions`, `/student_sessions/${session.body.id}`])
    expect((await send('GET', gone)).status).toBe(404);
  for (const method of ['DELETE', 'PATCH']) expect((await send(method, path, {})).status).toBe(404);
  expect((await send('GET', `/student_sessions/${bystander.body.id}`)).status).toBe(200);
  await send('DELETE', other.path);
  expect((await newExam(send)).id).toBe(id + 2);
});

test.each([
  ...['yes', null].map((value) => ['exams', 'save_recording', value] as const),
  ...['tomorrow', '2026-11-21T09:00:00', '2026-02-30T09:00:00Z', 1_795_251_600].map((value) => ['exams', 'start_time', value] as const),
  ['exams', 'allow_headphones', 1],
  ...['nobody', '', 'a b@example.org', 5].map((value) => ['student_sessions', 'email', value] as const),
  ['student_sessions', 'close_time', 'soon'],
  ['student_sessions', 'skip_requirements', 'true'],
] as const)('in %s %s cannot be %j', async (kind, field, value) => {
  const { send } = await serve();
  const path = kind === 'exams' ? '/exams' : '/exams/1/student_sessions';
  const { status, body } = await send('POST', path, { [field]: value, name: 'fine' });
  expect([status, body.errors]).toEqual([422, [{ field, message: expect.any(String) }]]);
});

test('an exam cannot end before it starts, whichever of the two times is changed', async () => {
  const { send } = await serve();
  expect((await send('POST', '/exams', { start_time: times.end_time, end_time: times.start_time })).status).toBe(422);
  const { path } = await newExam(send, times);
  expect((await send('PATCH', path, { end_time: '2026-11-21T08:59:59Z' })).status).toBe(422);
  expect((await send('PUT', path, { start_time: '2026-11-21T11:00:00.001Z' })).status).toBe(422);
  expect((await send('GET', path)).body).toMatchObject(times);
});

test('unknown fields come back as they were sent, big whole numbers digit for digit; an ID in the body names nothing', async () => {
  const { send } = await serve();
  const extra = '"ref":12345678901234567890123,"deep":{"list":[9007199254740993,1.5,null]},"constructor":1,"__proto__":{"a":"ü\\u0000"}';
  const { id } = (await send('POST', '/exams', `{"id":4711,${extra}}`)).body;
  expect(id).not.toBe(4711);
  for (const path of [`/exams/${id}`, '/exams']) expect((await send('GET', path)).text).toContain(extra);
  expect((await send('PATCH', `/exams/${id}`, { other: 1, id: 4711 })).body.id).toBe(id);
  expect((await send('GET', `/exams/${id}`)).text).toContain(extra);
});

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
    const known = { name: 'Zoë', email: 'zoe@example.org', close_time: window.close_time, skip_requirements: true };
    const given = { ...known, matriculation_number: '0012' };
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

test("an institute's users are its proctors: named by number, by numeric text or by address, each once; the answer is the pool", async () => {
  const { send, institute } = await serve();
  const { status, body: users } = await send<Item[]>('GET', `/institutes/${institute}/users`);
  expect([status, users.length, users[0]]).toEqual([200, 12, { id: 1, name: expect.any(String), email: expect.stringContaining('@') }]);
  expect((await send('GET', '/institutes/4711/users')).status).toBe(404);
  const { path } = await newExam(send);
  expect((await send('GET', `${path}/proctor_pool`)).body).toEqual([]);
  const proctors = [3, '2', String(users[0]?.email).toUpperCase()];
  for (const named of [proctors, [2, 2, 1]]) {
    const added = await send<Item[]>('POST', `${path}/proctor_pool`, { proctors: named });
    expect([added.status, added.body]).toEqual([200, users.slice(0, 3)]);
  }
  const removed = await send<Item[]>('DELETE', `${path}/proctor_pool`, { proctors: ['1', 1] });
  expect([removed.status, removed.body]).toEqual([200, users.slice(1, 3)]);
  expect((await send('GET', `${path}/proctor_pool`)).body).toEqual(removed.body);
});

test('a change with an unknown proctor, with one who is not in the pool, or with none is refused whole, and names them; without an exam: 404', async () => {
  const { send } = await serve();
  const { path } = await newExam(send);
  const before = (await send('POST', `${path}/proctor_pool`, { proctors: [2, 3] })).body;
  expect((await send('GET', '/exams/4711/proctor_pool')).status).toBe(404);
  for (const method of ['POST', 'DELETE']) {
    expect((await send(method, '/exams/4711/proctor_pool', { proctors: [1] })).status).toBe(404);
    for (const body of [{}, { proctors: 1 }, { proctor_ids: [1] }, { proctors: null }])
      expect([body, (await send(method, `${path}/proctor_pool`, body)).status]).toEqual([body, 422]);
    const { status, body } = await send(method, `${path}/proctor_pool`, { proctors: [1, 2, 4711, 'nobody@example.org', null] });
    expect([status, body.message]).toEqual([422, expect.stringContaining('4711, nobody@example.org, null')]);
  }
  const { status, body } = await send('DELETE', `${path}/proctor_pool`, { proctors: [2, 1] });
  expect([status, body.message]).toEqual([422, expect.stringMatching(/not in the pool of exam \d+: 1\.$/)]);
  expect((await send('GET', `${path}/proctor_pool`)).body).toEqual(before);
});

test('a call mails every student with an address, and counts the others; a second one does so again; the outbox keeps the mails of an exam that is gone', async () => {
  const { send, folder } = await serve();
  const { id, path } = await newExam(send, { name: 'Statik' });
  const add = (fields: object) => send('POST', `${path}/add_student`, fields).then(({ body }) => body);
  const [zoe, bo] = [await add({ name: 'Zoë', email: 'zoe@example.org' }), await add({ email: 'bo@example.org' })];
  await add({ name: 'No address' });
  const { status, body } = await send('POST', `${path}/send_emails`);
  expect([status, body]).toEqual([200, { sent: 2, skipped: 1 }]);
  const mail = { call: 1, exam_id: id, subject: 'Your exam: Statik', sent_at: new Date(now).toISOString().replace('.000', '') };
  expect(outbox(folder, { exam: String(id) })).toEqual([
    { ...mail, id: 1, student_session_id: zoe.id, email: 'zoe@example.org', name: 'Zoë' },
    { ...mail, id: 2, student_session_id: bo.id, email: 'bo@example.org', name: null },
  ]);
  for (const exam of [path, '/exams/5']) await send('POST', `${exam}/send_emails`, {});
  await send('DELETE', path);
  expect(outbox(folder, { exam: String(id) }).map(({ call }) => call)).toEqual([1, 1, 2, 2]);
  expect(outbox(folder, { exam: 'x' })).toEqual([]);
  expect(new Set(outbox(folder).map(({ call }) => call))).toEqual(new Set([1, 2, 3]));
  expect((await send('POST', `${path}/send_emails`)).status).toBe(404);
});

test('mail_sent follows registered, and never comes back from a later status', async () => {
  const { send } = await serve();
  const before = (await send<Item[]>('GET', '/exams/3/student_sessions')).body;
  const { body: late } = await send('POST', '/exams/3/add_student', { email: 'late@example.org' });
  const { body: unreachable } = await send('POST', '/exams/3/add_student', {});
  await send('POST', '/exams/3/send_emails');
  const after = (await send<Item[]>('GET', '/exams/3/student_sessions')).body;
  expect(after).toEqual([...before, { ...late, status: 'mail_sent' }, unreachable]);
});
