import { expect, test } from 'vitest';
import { type Item, newExam, serve } from './harness.ts';

test("an institute's users are listed, another institute is a 404", async () => {
  const { send, institute } = await serve();
  const { status, body } = await send<Item[]>('GET', `/institutes/${institute}/users`);
  expect(status).toBe(200);
  expect(body.length).toBeGreaterThan(10);
  expect(body[0]).toEqual({ id: 1, name: expect.any(String), email: expect.stringContaining('@') });
  expect((await send('GET', '/institutes/4711/users')).status).toBe(404);
});

test('proctors are added by number, by numeric text or by address, and the answer is the pool', async () => {
  const { send, institute } = await serve();
  const users = (await send<Item[]>('GET', `/institutes/${institute}/users`)).body;
  const { path } = await newExam(send);
  expect((await send('GET', `${path}/proctor_pool`)).body).toEqual([]);
  const { status, body } = await send<Item[]>('POST', `${path}/proctor_pool`, {
    proctors: [3, '2', String(users[0]?.email).toUpperCase()],
  });
  expect(status).toBe(200);
  expect(body).toEqual(users.slice(0, 3));
  expect((await send('GET', `${path}/proctor_pool`)).body).toEqual(body);
});

test('adding a proctor twice changes nothing', async () => {
  const { send } = await serve();
  const { path } = await newExam(send);
  const once = await send('POST', `${path}/proctor_pool`, { proctors: [1, 2] });
  const twice = await send('POST', `${path}/proctor_pool`, { proctors: [2, 2, 1] });
  expect([twice.status, twice.body]).toEqual([200, once.body]);
});

test('a pool with an unknown proctor is refused whole, and the unknown one is named', async () => {
  const { send } = await serve();
  const { path } = await newExam(send);
  const { status, body } = await send('POST', `${path}/proctor_pool`, { proctors: [1, 4711, 'nobody@example.org', null] });
  expect(status).toBe(422);
  expect(body.message).toContain('4711, nobody@example.org, null');
  expect((await send('GET', `${path}/proctor_pool`)).body).toEqual([]);
});

test.each([{}, { proctors: 1 }, { proctor_ids: [1] }, { proctors: null }])('a body of %j names no proctors: 422', async (body) => {
  const { send } = await serve();
  for (const method of ['POST', 'DELETE']) expect((await send(method, '/exams/1/proctor_pool', body)).status).toBe(422);
});

test('removing proctors answers with the rest; one who is not in the pool is refused, and none is removed', async () => {
  const { send } = await serve();
  const { path } = await newExam(send);
  await send('POST', `${path}/proctor_pool`, { proctors: [1, 2, 3] });
  const { status, body } = await send<Item[]>('DELETE', `${path}/proctor_pool`, { proctors: ['1'] });
  expect([status, body.map(({ id }) => id)]).toEqual([200, [2, 3]]);
  const refused = await send('DELETE', `${path}/proctor_pool`, { proctors: [2, 1] });
  expect(refused.status).toBe(422);
  expect(refused.body.message).toContain('1');
  expect((await send<Item[]>('GET', `${path}/proctor_pool`)).body).toHaveLength(2);
});

test('the pool of an exam that does not exist is a 404', async () => {
  const { send } = await serve();
  expect((await send('GET', '/exams/4711/proctor_pool')).status).toBe(404);
  for (const method of ['POST', 'DELETE']) expect((await send(method, '/exams/4711/proctor_pool', { proctors: [1] })).status).toBe(404);
});
