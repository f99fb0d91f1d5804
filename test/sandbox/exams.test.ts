import { expect, test } from 'vitest';
import { type Item, newExam, serve } from './harness.ts';

const restrictions = { allow_headphones: true, allow_whiteboard: true, allow_leave_room: true, allow_pen_paper: true };

test('an exam is created with 201 and can be read again', async () => {
  const { send } = await serve();
  const exam = {
    name: 'Statik',
    start_time: '2026-11-21T09:00:00Z',
    end_time: '2026-11-21T11:00:00Z',
    save_recording: false,
    ...restrictions,
  };
  const created = await send('POST', '/exams', exam);
  expect(created.status).toBe(201);
  expect(created.body).toEqual({ id: expect.any(Number), ...exam });
  const read = await send('GET', `/exams/${created.body.id}`);
  expect(read.status).toBe(200);
  expect(read.text).toBe(created.text);
});

test('an exam that says nothing is recorded, allows nothing and has no times', async () => {
  const { send } = await serve();
  const { body } = await send('POST', '/exams', {});
  expect(body).toEqual({
    id: expect.any(Number),
    start_time: null,
    end_time: null,
    save_recording: true,
    allow_headphones: false,
    allow_whiteboard: false,
    allow_leave_room: false,
    allow_pen_paper: false,
  });
});

test('the list of exams is a bare array in the order of the ids, and every exam shows allow_pen_paper', async () => {
  const { send } = await serve();
  const { id } = await newExam(send);
  const { status, body } = await send<Item[]>('GET', '/exams');
  const ids = body.map((exam) => exam.id);
  expect(status).toBe(200);
  expect(ids).toEqual([...ids].sort((a, b) => a - b));
  expect(ids).toContain(id);
  expect(body.every((exam) => typeof exam.allow_pen_paper === 'boolean')).toBe(true);
});

test.each(['PATCH', 'PUT'])('%s changes the times and leaves everything else', async (method) => {
  const { send } = await serve();
  const { path } = await newExam(send, { name: 'Optik', room: 7, save_recording: false, ...restrictions });
  const changed = await send(method, path, { start_time: '2026-11-21T10:00:00+01:00', end_time: '2026-11-21T11:00Z' });
  expect(changed.status).toBe(200);
  const { body } = await send('GET', path);
  expect(body).toEqual(changed.body);
  expect(body).toMatchObject({ name: 'Optik', room: 7, save_recording: false, ...restrictions });
  expect(body).toMatchObject({ start_time: '2026-11-21T09:00:00Z', end_time: '2026-11-21T11:00:00Z' });
});

test.each(['PATCH', 'PUT'])('%s with one restriction resets those it leaves out: the defect of 1.x', async (method) => {
  const { send } = await serve();
  const { path } = await newExam(send, restrictions);
  const { body } = await send(method, path, { allow_headphones: true });
  expect(body).toMatchObject({ allow_headphones: true, allow_whiteboard: false, allow_leave_room: false, allow_pen_paper: false });
  expect((await send('GET', path)).body).toEqual(body);
});

test.each(['PATCH', 'PUT'])('%s with all four restrictions resets none', async (method) => {
  const { send } = await serve();
  const { path } = await newExam(send, restrictions);
  const { body } = await send(method, path, { ...restrictions, allow_whiteboard: false });
  expect(body).toMatchObject({ ...restrictions, allow_whiteboard: false });
});

test('deleting an exam takes its sessions and pool along', async () => {
  const { send } = await serve();
  const { path } = await newExam(send);
  const { path: other } = await newExam(send);
  const session = await send('POST', `${path}/student_sessions`, {});
  const bystander = await send('POST', `${other}/student_sessions`, {});
  await send('POST', `${path}/proctor_pool`, { proctors: [1] });

  const deleted = await send('DELETE', path);
  expect([deleted.status, deleted.text]).toEqual([204, '']);
  expect((await send('GET', path)).status).toBe(404);
  expect((await send('GET', `${path}/proctor_pool`)).status).toBe(404);
  expect((await send('GET', `${path}/student_sessions`)).status).toBe(404);
  expect((await send('GET', `/student_sessions/${session.body.id}`)).status).toBe(404);
  expect((await send('GET', `/student_sessions/${bystander.body.id}`)).status).toBe(200);
  expect((await send('DELETE', path)).status).toBe(404);
});

test('the id of a deleted exam is never given again', async () => {
  const { send } = await serve();
  const { id, path } = await newExam(send);
  await send('DELETE', path);
  expect((await newExam(send)).id).toBeGreaterThan(id);
});

test('an id in the body names nothing', async () => {
  const { send } = await serve();
  const { id } = await newExam(send, { id: 4711 });
  expect(id).not.toBe(4711);
  expect((await send('PATCH', `/exams/${id}`, { id: 4711 })).body.id).toBe(id);
});

test.each([
  ['save_recording', 'yes'],
  ['save_recording', null],
  ['allow_headphones', 1],
  ['start_time', 'tomorrow'],
  ['start_time', '2026-11-21T09:00:00'],
  ['start_time', '2026-02-30T09:00:00Z'],
  ['start_time', '2026-11-21T25:00:00Z'],
  ['end_time', 1_795_251_600],
  ['end_time', true],
])('%s cannot be %j', async (field, value) => {
  const { send } = await serve();
  for (const [method, path] of [
    ['POST', '/exams'],
    ['PATCH', '/exams/1'],
  ] as const) {
    const { status, body } = await send<{ errors: unknown }>(method, path, { [field]: value });
    expect(status).toBe(422);
    expect(body.errors).toEqual([{ field, message: expect.any(String) }]);
  }
});

test('a request with several wrong fields is told of each', async () => {
  const { send } = await serve();
  const { body } = await send<{ errors: Item[] }>('POST', '/exams', { start_time: 'x', allow_pen_paper: 'x', name: 'fine' });
  expect(body.errors.map(({ field }) => field)).toEqual(['start_time', 'allow_pen_paper']);
});

test('an exam cannot end before it starts, whichever of the two times is changed', async () => {
  const { send } = await serve();
  const times = { start_time: '2026-11-21T09:00:00Z', end_time: '2026-11-21T11:00:00Z' };
  expect((await send('POST', '/exams', { start_time: times.end_time, end_time: times.start_time })).status).toBe(422);
  const { path } = await newExam(send, times);
  expect((await send('PATCH', path, { end_time: '2026-11-21T08:59:59Z' })).status).toBe(422);
  expect((await send('PUT', path, { start_time: '2026-11-21T11:00:00.001Z' })).status).toBe(422);
  expect((await send('GET', path)).body).toMatchObject(times);
});

test('a time can be taken away again', async () => {
  const { send } = await serve();
  const { path } = await newExam(send, { start_time: '2026-11-21T09:00:00Z' });
  expect((await send('PATCH', path, { start_time: null })).body.start_time).toBe(null);
});

test('unknown fields come back as they were sent, big whole numbers digit for digit', async () => {
  const { send } = await serve();
  const extra = '"ref":12345678901234567890123,"deep":{"list":[9007199254740993,1.5,null]},"constructor":1,"__proto__":{"a":"ü\\u0000"}';
  const { id } = (await send('POST', '/exams', `{${extra}}`)).body;
  expect((await send('GET', `/exams/${id}`)).text).toContain(extra);
  expect((await send('GET', '/exams')).text).toContain(extra);
  await send('PATCH', `/exams/${id}`, { other: 1 });
  expect((await send('GET', `/exams/${id}`)).text).toContain(extra);
});
