import { expect, test } from 'vitest';
import { type Item, newExam, type Reply, serve } from './harness.ts';

test('without a page size a list is whole, and nothing in it speaks of pages', async () => {
  const { send } = await serve();
  const { headers, body } = await send<Item[]>('GET', '/student_sessions?page=2');
  expect(body.length).toBeGreaterThan(35);
  expect(Object.keys(headers).filter((name) => /link|pagination/.test(name))).toEqual([]);
});

test('following the Link headers gives every item once, in order', async () => {
  const folder = (await serve()).folder;
  const { send } = await serve({ folder });
  const whole = (await send<Item[]>('GET', '/student_sessions')).body;
  const paged = await serve({ folder, pageSize: 7 });
  const collected: Item[] = [];
  let next: string | undefined = '/student_sessions';
  for (let page = 1; next !== undefined; page++) {
    const reply: Reply<Item[]> = await paged.send('GET', next);
    const { headers, body } = reply;
    collected.push(...body);
    expect(headers['x-pagination-current-page']).toBe(String(page));
    expect(headers['x-pagination-page-count']).toBe(String(Math.ceil(whole.length / 7)));
    expect(headers['x-pagination-total-count']).toBe(String(whole.length));
    const link = /^<([^>]+)>; rel="next"$/.exec(String(headers.link))?.[1];
    next = link?.replace(paged.baseUrl, '');
  }
  expect(collected).toEqual(whole);
});

test.each(['/exams', '/exams/3/student_sessions', '/exams/3/proctor_pool', '/institutes/1/users'])('%s has pages, too', async (path) => {
  const { send } = await serve({ pageSize: 2 });
  const first = await send<Item[]>('GET', `${path}?keep=1`);
  const second = await send<Item[]>('GET', `${path}?keep=1&page=2`);
  expect(first.body).toHaveLength(2);
  expect(first.headers.link).toContain('keep=1&page=2');
  expect(second.body[0]?.id).toBeGreaterThan(Number(first.body[1]?.id));
});

test('a page after the last is empty, a list without items has one page, and a page that is no number is a 400', async () => {
  const { send } = await serve({ pageSize: 5 });
  const after = await send('GET', '/exams?page=99');
  expect([after.status, after.body, after.headers.link]).toEqual([200, [], undefined]);
  const { path } = await newExam(send);
  const empty = await send('GET', `${path}/student_sessions`);
  expect([empty.body, empty.headers['x-pagination-page-count'], empty.headers.link]).toEqual([[], '1', undefined]);
  for (const page of ['0', '-1', 'x', '']) expect((await send('GET', `/exams?page=${page}`)).status).toBe(400);
});
