/** Services that spread a list over pages, each in its own way: the list comes whole, or it fails and names what it is about. */
import { describe, expect, test } from 'vitest';
import { homeWith } from '../features/doctor/examined.ts';
import { attempt, attemptWith, failureOf } from './outcome.ts';
import { answer, cutByLength, type FaultServer, faultServer, type Reaction, reset, serverBy, showing } from './server.ts';

const all = Array.from({ length: 8 }, (_, index) => ({ id: index + 1, email: `a${index}@example.org`, status: 'registered' }));
const size = 3;
const first = all.slice(0, size);
const ids = `${all.map(({ id }) => id).join('\n')}\n`;
const pageCount = Math.ceil(all.length / size);
const exam = (id: number) => ({ id, name: `Exam ${id}`, start_time: '2127-02-01T08:00:00Z', end_time: '2127-02-01T10:00:00Z' });

/** A service that shows each page as the function does. */
const pagesOf = (page: (items: typeof all, number: number) => unknown): Reaction =>
  showing((_path, query) => {
    const number = Number(query.get('page') ?? 1);
    return page(all.slice((number - 1) * size, number * size), number);
  });

const listed = async (reaction: Reaction, line = 'sessions list -o id', ...settings: [string, string][]) => {
  const { server, ...outcome } = await attemptWith(reaction, line, { home: await homeWith(...settings) });
  return { ...outcome, requests: server.requests() };
};
const asJson = 'sessions list -o json';

describe('a list whose pages are declared', () => {
  test.each(['page', 'offset'])('the proctors of an exam are one array, although the other lists have pages by %s', async (paging) => {
    const outcome = await listed(answer(200, [{ id: 5 }]), 'proctors list --exam 1 -o id', ['dialect.paging', paging]);
    expect(outcome).toMatchObject({ code: 0, stdout: '5\n', requests: ['GET /exams/1/proctor_pool'] });
  });

  test('a declared parameter that the service does not know fails the list', async () => {
    const outcome = await listed(
      pagesOf((items) => items),
      asJson,
      ['dialect.paging', 'page,p'],
    );
    expect(outcome).toMatchObject({ code: 3, stdout: '' });
    expect(failureOf(outcome).message).toContain('its next page (/student_sessions?p=2) has only items already read');
    expect(failureOf(outcome).hint).toMatch(/'page,p sessions=none'; if not: Ask.*\(docs[^:]*$/);
  });

  test.each<[what: string, shape: (items: typeof all, number: number) => unknown, paging: string]>([
    ['says that there are more', () => answer(200, first, { 'x-total-count': '8' }), 'page,p'],
    ['shows its last page again', (_items, number) => all.slice((Math.min(number, pageCount) - 1) * size).slice(0, size), 'page'],
  ])('a list that %s is not said to be on one page', async (_what, shape, paging) => {
    const { message, hint } = failureOf(await listed(pagesOf(shape), asJson, ['dialect.paging', paging]));
    expect(message).toContain('has only items already read');
    expect(hint).toEqual(expect.not.stringContaining('none'));
  });

  test('a service that refuses the page behind the last one shows no end of its list, and the error names that page', async () => {
    const refusing = pagesOf((items, number) => (number > pageCount ? answer(400, { message: 'page out of range' }) : items));
    const outcome = await listed(refusing, asJson, ['dialect.paging', 'page']);
    expect(outcome).toMatchObject({ code: 3, stdout: '' });
    expect(failureOf(outcome)).toMatchObject({
      message: expect.stringContaining('its next page (/student_sessions?page=4) was refused (400)'),
      hint: expect.stringContaining('Behind the last page has to be an empty page, or 404'),
    });
  });
});

test('A page that may not be the last one warns who reads several exams, and refuses to look for students in two of them.', async () => {
  const twenty = Array.from({ length: 20 }, (_, at) => exam(at));
  const unsure = showing((path, query) => {
    if (path !== '/exams') return path.endsWith('sessions') ? [] : exam(3);
    return query.has('page') ? answer(400, { message: 'no' }) : twenty;
  });
  const read = await listed(unsure, 'exams report --name Exam -o json');
  expect([read.code, JSON.parse(read.stdout).length]).toEqual([0, 20]);
  expect(read.stderr).toContain('the request to list the exams may not be the whole list');
  expect((await listed(unsure, 'preflight --name Exam -o json')).code).toBe(3);
});

describe('a list that changes while its pages are read', () => {
  test.each(['ndjson', 'csv'])('breaks off with -o %s, which has printed items already', async (format) => {
    const shrinking = pagesOf((_items, number) => (number > 1 ? { data: all.slice(4, 7), total: 7 } : { data: first, total: 8 }));
    const { code, stderr, requests } = await listed(shrinking, `sessions list -o ${format}`);
    expect([code, requests.length]).toEqual([8, 2]);
    expect(stderr).toContain('the list changed while its pages were read');
    expect(stderr).toContain('with --output json, which prints a list that was read as a whole');
  });

  test('says that the list broke off where a later page gets no answer', async () => {
    const breaking = pagesOf((items, number) => (number > 1 ? reset : { data: items, total: 8 }));
    const { code, stdout, stderr } = await listed(breaking, 'sessions list -o ndjson');
    expect([code, stdout.trim().split('\n').length]).toEqual([8, 3]);
    expect(stderr).toContain('The list broke off after 3 items. Could not list the student sessions');
    expect(stderr).toContain('The list printed so far is incomplete. Check the address');
    const whole = await listed(breaking, 'sessions list -o json');
    expect([whole.code, whole.stdout, whole.stderr]).toEqual([8, '', expect.not.stringContaining('broke off')]);
  });

  const [a, b, c, d] = all.map(({ id }) => ({ id }));
  test.each([[[d, a]], [[a, d]], [[c, b, d]]])('fails where items of an earlier page come again as they do in %j', async (second) => {
    const shuffled = pagesOf((_items, number) => (number > 1 ? second : answer(200, [a, b, c], { 'x-next-page': '2' })));
    // What is printed as a whole is read three times.
    for (const [format, readings] of Object.entries({ json: 3, ndjson: 1 })) {
      const { code, stderr, requests } = await listed(shuffled, `sessions list -o ${format}`);
      expect([code, requests.length]).toEqual([8, 2 * readings]);
      expect(stderr).toContain('the list changed while its pages were read');
    }
  });

  test('whose cursor is that of the last item has each item once', async () => {
    const inclusive = showing((_path, query) => {
      const items = all.filter(({ id }) => id >= Number(query.get('cursor') ?? 1)).slice(0, size);
      const last = items.at(-1)?.id ?? 0;
      return { data: items, next_cursor: last < all.length ? `${last}` : null };
    });
    expect(await listed(inclusive)).toMatchObject({ code: 0, stdout: ids });
  });

  type Page = Parameters<typeof pagesOf>[0];
  test.each<[what: string, page: Page, words: string, code: number]>([
    ['has another page than asked', (items) => ({ data: items, page: 1, total: all.length }), 'page 2 was requested, but page 1 came', 3],
    ['has an empty page', (items, page) => ({ data: page === 2 ? [] : items, page, total_pages: pageCount }), 'page', 8],
    ['has an empty last page', (items, page) => ({ data: page === pageCount ? [] : items, page, total_pages: pageCount }), 'page', 8],
  ])('and %s fails', async (_what, page, words, code) => {
    const outcome = await listed(pagesOf(page), asJson);
    expect([outcome.code, failureOf(outcome).message]).toEqual([code, expect.stringContaining(words)]);
  });
});

test.each<[warns: boolean, body: unknown, headers?: Record<string, string>, path?: string]>([
  [true, first, { 'x-total-count': '8' }],
  [true, { data: first, has_more: true }],
  [true, first, { link: '<?page=2>; rel="next"' }],
  [false, all, { 'x-total-count': '8' }],
  [false, { data: all }],
  [false, { data: first, student_sessions: all }],
  [false, { id: 1, total: 8 }, {}, '/exams/1'],
  [false, first, { 'x-total-count': '8' }, '/student_sessions?page=1'],
])('api prints a page as it is, and warns where that is not all: %s %j', async (warns, body, headers, path = '/student_sessions') => {
  const { code, stdout, stderr, requests } = await listed(answer(200, body, headers), `api GET ${path}`);
  expect([code, JSON.parse(stdout), requests.length]).toEqual([0, body, 1]);
  expect(stderr.includes('warning: the answer may be only one page of the list')).toBe(warns);
});

test.each(['/exams/1/proctor_pool', '/exams'])('preflight fails where %s is not whole, rather than skip what needs it', async (part) => {
  const reaction = showing((path) => {
    const shown = path === '/exams' ? [exam(1)] : path === '/exams/1' ? exam(1) : [{ id: 5 }];
    return answer(200, shown, path === part ? { 'x-total-count': '8' } : {});
  });
  const { code, stderr } = await listed(reaction, 'preflight --exam 1 -o json');
  expect([code, stderr]).toEqual([3, expect.stringContaining('is not the whole list')]);
});

describe('a list that always names a next page', () => {
  const endless = (itemsOf: (number: number) => unknown[], last = Number.POSITIVE_INFINITY) =>
    pagesOf((_items, number) => {
      const link = `</api/v1/student_sessions?page=${number + 1}>; rel="next"`;
      return answer(200, itemsOf(number), number < last ? { link } : {});
    });

  test.each([
    ['the same page comes again', () => first, 2, 'its next page (/student_sessions?page=2) has only items already read'],
    ['three pages in a row are empty', () => [], 3, ''],
  ])('ends with an error where %s', async (_what, itemsOf, requests, words) => {
    const outcome = await listed(endless(itemsOf), asJson);
    expect([outcome.code, outcome.stdout, outcome.requests.length]).toEqual([3, '', requests]);
    expect(failureOf(outcome).message).toContain(words);
  });

  test('goes on after pages of other items', async () => {
    const sparse = endless((number) => (number % 3 === 0 ? [{ id: number }] : []), 9);
    expect(await listed(sparse)).toMatchObject({ code: 0, stdout: '3\n6\n9\n' });
  });
});

describe('a next page', () => {
  const paths = [
    ...['/api/v1/../admin', '/api/v1/%2e%2e/admin', '/api/v1/.%2E/admin', '/api/v1/..%2fadmin', '/api/v1/x%5c..%5c..%5cadmin', '/api/v1x'],
    ...['/api/v1/..;/admin', '/api/v1/..;x=1/admin', '/api/v1/..%3b/admin', '/api/v1/%252e%252e/admin', '/api/v1/%25252e%25252e%252fadmin'],
    ...[
      ...['/api/v1/\uff0e\uff0e/admin', '/api/v1/\u2025/admin', '/api/v1/..\uff0fadmin', '/api/v1/x%00/admin', '/api/v1/;/admin'],
      '\\api\\v1\\..\\admin',
    ],
  ];
  const hosts = [
    '//HOST',
    'http://HOST',
    'http://HERE@HOST',
    'http:\\\\HOST',
    '/\\HOST',
    'http://127.0.0.1:1',
    'http://[::1]:PORT',
    'https://HERE',
  ];

  test.each([...paths, ...hosts.map((host) => `${host}/api/v1/exams?page=2`)])(
    'that leads out of the service is not requested: %s',
    async (given) => {
      const elsewhere = await faultServer([]);
      const server: FaultServer = await serverBy(() => answer(200, { data: first, next }));
      const [here, there] = [server, elsewhere].map(({ origin }) => origin.replace('http://', ''));
      const next = given.replace('HERE', `${here}`).replace('HOST', `${there}`).replace('PORT', `${server.port}`);
      const outcome = await attempt(asJson, server.origin);
      expect([outcome.code, outcome.stdout, server.requests(), elsewhere.connections()]).toEqual([3, '', ['GET /student_sessions'], 0]);
    },
  );

  test.each([
    '?page=2',
    'student_sessions?page=2',
    '/api/v1/student_sessions;v=1?page=2',
    'HERE/api/v1/a%20b%2520/%C3%A9?x=../..&y=//evil',
  ])('within it is: %s', async (given) => {
    const server: FaultServer = await serverBy(({ path }) =>
      answer(200, { data: path.includes('?') ? [] : first, next: path.includes('?') ? null : next }),
    );
    const next = given.replace('HERE', server.origin);
    const outcome = await attempt('sessions list -o id', server.origin, { home: await homeWith(['dialect.paging', 'next,next']) });
    expect([outcome.code, server.requests().length], outcome.stderr).toEqual([0, 2]);
  });
});

test('a page that is read again after a failure is not taken for one that came twice', async () => {
  const linked = answer(200, first, { link: '</api/v1/student_sessions?page=2>; rel="next"' });
  const rest = all.slice(size);
  const server = await faultServer([linked, cutByLength(200, rest, JSON.stringify(rest).length - 10), answer(200, rest)]);
  expect(JSON.parse((await attempt(asJson, server.origin)).stdout)).toHaveLength(8);
});

/** Services that show their lists in pages without a word that counts. */
type Shown = (items: unknown[], page: number) => unknown;
const wordless: [what: string, shown: Shown][] = [
  ['a bare array', (items) => items],
  ['an object', (items) => ({ data: items })],
  ['an object with page', (items, page) => ({ data: items, page })],
  ['an object with a full page', (items) => ({ data: items, per_page: Math.max(items.length, 12) })],
];
const importing = 'sessions import - --exam 1 --yes -o json';

test.each(wordless)('Pages in %s stop an import of a student of page 2: nothing is sent; a whole list does not.', async (_what, shown) => {
  const many = Array.from({ length: 30 }, (_, at) => ({ ...all[0], id: at + 1, email: `s${at + 1}@example.org` }));
  const serving = (items: (page: number) => unknown[]) =>
    showing((path, query, { method, body }) => {
      const page = Number(query.get('page') ?? 1);
      if (method === 'POST') return many.push({ ...all[0], ...JSON.parse(body), id: 99 }) && many.at(-1);
      return path === '/exams/1' ? exam(1) : shown(items(page), page);
    });
  const paged = serving((page) => many.slice((page - 1) * 12, page * 12));
  const stopped = await attemptWith(paged, importing, { stdin: 'email\ns14@example.org\n' });
  expect([stopped.code, JSON.parse(stopped.stdout).counts.not_sent, stopped.server.writes()]).toEqual([3, 1, []]);
  expect(failureOf(stopped).hint).toContain('config set dialect.paging page');
  many.length = 12;
  const whole = await attemptWith(
    serving(() => many),
    importing,
    { stdin: 'email\ns2@example.org\nnew@example.org\n' },
  );
  expect([whole.code, whole.stderr]).toEqual([0, expect.not.stringContaining('whole list')]);
  expect(whole.server.writes()).toHaveLength(1);
});

test.each([
  ['Lists of several exams cost one question where there are no pages, and a longer one costs another', [30, 10, 20, 40], 100, 0],
  ['A service that shows its last page again is asked for each page that may be full, and a person is warned once', [12, 20, 20], 15, 1],
])('%s.', async (_what, lengths, each, warnings) => {
  const office = showing((path, query) => {
    if (path === '/exams') return lengths.map((_, at) => exam(at + 1));
    if (/exams\/\d$/.test(path)) return exam(Number(path.at(-1)));
    const length = lengths[Number(path.split('/')[2]) - 1] ?? 0;
    const page = Math.min(Number(query.get('page') ?? 1), Math.ceil(length / each));
    return Array.from({ length }, (_, at) => ({ ...all[0], id: at })).slice((page - 1) * each, page * each);
  });
  const { code, stderr, server } = await attemptWith(office, `exams report ${lengths.map((_, at) => at + 1).join(' ')} -o json`);
  expect([code, stderr.match(/may not be the whole list/g)?.length ?? 0]).toEqual([0, warnings]);
  if (warnings === 0) expect(server.requests().filter((line) => line.includes('page=2')).length).toBeLessThanOrEqual(2);
});
