/** Services of each style of paging: their lists are whole, or what doctor and a login print makes them whole. */
import { expect, test } from 'vitest';
import { refused, Service } from '../../support/service.ts';
import { examined, goodExam, goodSession, token } from './examined.ts';

type Item = Record<string, unknown>;
type Listed = [body: unknown, headers?: Record<string, string>, status?: number];
type Shape = (all: Item[], query: URLSearchParams, path: string) => Listed;

const size = 10;
const exams = Array.from({ length: 25 }, (_, at): Item => ({ ...goodExam, id: at + 1 }));
const students = (count: number) => Array.from({ length: count }, (_, at): Item => ({ ...goodSession, id: at + 1 }));
const ids = exams.map(({ id }) => `${id}\n`).join('');

/** A service whose exams are answered in a shape; its students are `sessions`, in the same one. */
function serviceOf(shape: Shape, { all = exams, sessions = [goodSession] as Item[] } = {}) {
  const service = new Service();
  service.fault = ({ path, query }) => {
    if (/exams\/\d+$|student_sessions\/|show_student/.test(path)) return refused(200, goodSession);
    const [body, headers, status = 200] = shape(path === '/exams' ? all : path.endsWith('_pool') ? [] : sessions, query, path);
    return refused(status, body, headers);
  };
  const login = (...more: string[]) =>
    service.run(['auth', 'login', '--with-token', '--base-url', service.origin, ...more], { stdin: token, env: { PROCTOR_TOKEN: '' } });
  return { service, login, look: () => examined([], {}, service), read: (line: string) => service.run(line) };
}

const part = (all: Item[], from: number) => all.slice(from, from + size);
const byNumber =
  (name: string, first: number, shown: (items: Item[], number: number, all: Item[]) => Listed = (items) => [items]): Shape =>
  (all, query) => {
    const number = Number(query.get(name) ?? first);
    return shown(part(all, (number - first) * size), number, all);
  };
const byOffset: Shape = (all, query) => [part(all, Number(query.get('offset') ?? 0))];
/** `c20` is the cursor of the item 20. */
const byCursor: Shape = (all, query) => {
  const from = Number((query.get('cursor') ?? 'c0').slice(1));
  return [{ data: part(all, from), next_cursor: from + size < all.length ? `c${from + size}` : null }];
};

test.each<[string, Shape]>([
  ['names a cursor', byCursor],
  ['counts pages and shows a total', byNumber('page', 1, (items, _, all) => [items, { 'x-total-count': `${all.length}` }])],
  ['counts pages from 0 and says so', byNumber('page', 0, (items, page, all) => [{ data: items, page, total: all.length }])],
])('a service that %s needs no setting', async (_what, shape) => {
  const { look, read, login } = serviceOf(shape);
  expect(await read('exams list -o id')).toMatchObject({ code: 0, stdout: ids });
  expect((await look()).found.paging).toMatchObject({ state: 'ok', remedy: null });
  const { code, stderr } = await login();
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('dialect.paging') });
});

test.each<[what: string, shape: Shape, value: string]>([
  ['counts pages and says nothing', byNumber('page', 1), 'page'],
  ['counts pages from 0 and says nothing', byNumber('page', 0), 'page,page,0'],
  ['counts items and says nothing', byOffset, 'offset'],
])('a service that %s is declared by the line that a login and doctor print, and then its list is whole', async (_what, shape, value) => {
  const { look, read, login, service } = serviceOf(shape);
  expect(await login('--profile', 'x')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(`: proctor-cli config set dialect.paging ${value} --profile x\n`),
  });
  const { code, found } = await look();
  expect([code, found.paging?.state]).toEqual([3, 'failed']);
  expect(found.paging?.remedy).toMatch(new RegExp(`: proctor-cli config set dialect\\.paging ${value}$`));
  await read(`config set dialect.paging ${value}`);
  expect(await read('exams list -o id')).toMatchObject({ code: 0, stdout: ids });
  const before = service.arrived.length;
  expect(await look()).toMatchObject({ code: 0, found: { paging: { state: 'ok', remedy: null } } });
  expect(service.arrived.length - before).toBeLessThan(14);
});

test.each<[what: string, shape: Shape, value: string]>([
  ['by number', byNumber('page', 1), 'page'],
  ['by number from 0', byNumber('page', 0), 'page,page,0'],
  ['by offset', byOffset, 'offset'],
])('a login on a terminal offers what it found about lists (%s), sets it after Enter, and they are whole', async (_what, shape, value) => {
  for (const answer of ['', false]) {
    const { service, read } = serviceOf(shape);
    const answers = [token, '', '', answer];
    const login = ['auth', 'login', '--base-url', service.origin];
    const { code, questions, stderr } = await service.run(login, { tty: true, answers, env: { PROCTOR_TOKEN: '' } });
    expect([code, questions.length]).toEqual([0, 4]);
    const plain = (text = '') => text.replaceAll(/\s+/g, ' ');
    expect(plain(questions[3])).toMatch(new RegExp(`it has 10 items .* Set dialect.paging to ${value}\\?$`));
    expect(plain(stderr).includes(`config set dialect.paging ${value}`)).toBe(answer === false);
    expect(await read('exams list -o id')).toMatchObject({ code: 0, stdout: answer === false ? ids.slice(0, 21) : ids });
  }
});

test('where the exams are few, the students show how lists continue', async () => {
  const { look, read } = serviceOf(byNumber('page', 1), { all: exams.slice(0, 3), sessions: students(25) });
  const { found } = await look();
  expect(found.paging).toMatchObject({
    state: 'failed',
    detail: expect.stringContaining('the request to list the student sessions may not be the whole list'),
  });
  await read('config set dialect.paging page');
  expect((await read('sessions list -o id')).stdout).toBe(ids);
});

test('a full page that no style continues fails, and its hint works', async () => {
  const { look, read } = serviceOf((all, query) => (query.size === 0 ? [all] : [{ message: 'no' }, {}, 400]), { all: exams.slice(0, 10) });
  const { code, found, failure } = await look();
  expect([code, failure?.code]).toEqual([3, 'list_in_doubt']);
  expect(found.paging).toMatchObject({ state: 'failed', detail: expect.stringContaining('has 10 items') });
  const [, line = ''] = /: proctor-cli (config set \S+ \S+)$/.exec(found.paging?.remedy ?? '') ?? [];
  await read(line);
  expect((await look()).found.paging).toMatchObject({ state: 'ok', detail: 'as dialect.paging says: none' });
  expect((await read('exams list -o id')).code).toBe(0);
});

test('where a field beside the list may say that there is more, the hint names who knows the next page, and the setting for lists on one page', async () => {
  const { look } = serviceOf((all) => [{ data: part(all, 0), nextPageToken: 'c10' }]);
  expect((await look()).found.paging).toMatchObject({
    detail: expect.stringContaining('"nextPageToken" may mean that there are more'),
    remedy: expect.stringMatching(
      /^Ask the service's operator how the next page is requested.*on one page, set: proctor-cli config set dialect.paging none$/,
    ),
  });
});

test('a login stands where the service fails to list its sessions', async () => {
  const { login } = serviceOf((all, _query, path) => (path.endsWith('/exams') ? [all.slice(0, 3)] : [{}, {}, 500]));
  const { code, stderr } = await login();
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('Logged in to') });
});

test.each<[string, Shape, RegExp]>([
  ['none', byNumber('page', 1, (items, _, all) => [items, { 'x-total-count': `${all.length}` }]), /dialect\.paging auto$/],
  ['link', byNumber('page', 1), /dialect\.paging page$/],
  ['page', byNumber('page', 0), /Set: proctor-cli config set dialect\.paging page,page,0$/],
  ['offset', byNumber('page', 1), /and set that/],
  ['page', (all) => [all.slice(0, 7)], /and set that/],
])('a setting that does not fit is found: %s', async (set, shape, remedy) => {
  const { look, read } = serviceOf(shape);
  await read(`config set dialect.paging ${set}`);
  expect((await look()).found.paging).toMatchObject({ state: 'failed', remedy: expect.stringMatching(remedy) });
});

test('a list that ends before its total, in the way that is set, is no good one for doctor either, and another try may show it whole', async () => {
  const { look, read } = serviceOf((all, query) => [{ data: query.has('page') ? [] : part(all, 0), total: all.length }]);
  await read('config set dialect.paging page');
  const { code, found } = await look();
  expect([(await read('exams list')).code, code]).toEqual([8, 8]);
  expect(found.paging).toMatchObject({ state: 'failed', detail: expect.stringContaining('total says 25 items, but there were 10') });
});
