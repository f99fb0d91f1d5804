import { expect, test } from 'vitest';
import { type Item, newExam, serve } from './harness.ts';

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
