import { expect, test } from 'vitest';
import { type Item, newExam, serve } from './harness.ts';

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
});

test('an exam that says nothing is recorded, allows nothing and has no times', async () => {
  const { send } = await serve();
  const { body } = await send('POST', '/exams', {});
  expect(body).toEqual({ id: expect.any(Number), start_time: null, end_time: null, save_recording: true, ...strict });
});

test.each(['PATCH', 'PUT'])(
  '%s changes what it names, and resets restrictions that it leaves out beside others: the defect of 1.x',
  async (method) => {
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
  },
);

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
  ...['yes', null].map((value) => ['save_recording', value] as const),
  ...['tomorrow', '2026-11-21T09:00:00', '2026-02-30T09:00:00Z', '2026-11-21T25:00:00Z'].map((value) => ['start_time', value] as const),
  ...[1_795_251_600, true].map((value) => ['end_time', value] as const),
  ['allow_headphones', 1],
] as const)('%s cannot be %j', async (field, value) => {
  const { send } = await serve();
  const given = { [field]: value, allow_pen_paper: 'x', name: 'fine' };
  const errors = [field, 'allow_pen_paper'].map((wrong) => ({ field: wrong, message: expect.any(String) }));
  for (const [method, path] of Object.entries({ POST: '/exams', PATCH: '/exams/1' }))
    expect(await send(method, path, given)).toMatchObject({ status: 422, body: { errors } });
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
