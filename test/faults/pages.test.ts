/** Services that spread a list over pages, each in its own way: the list comes whole, or it fails and names what it is about. */
import { describe, expect, test } from 'vitest';
import { homeWith } from '../features/doctor/examined.ts';
import { attempt, failureOf } from './outcome.ts';
import { answer, cutByLength, faultServer, type Reaction, reset } from './server.ts';

const all = Array.from({ length: 8 }, (_, index) => ({ id: index + 1, email: `a${index}@example.org`, status: 'registered' }));
const size = 3;
const ids = `${all.map(({ id }) => id).join('\n')}\n`;

type Shown = { headers?: Record<string, string>; body: unknown };
type Family = (page: { items: typeof all; number: number; from: number; path: string }) => Shown;

/** A service that shows a page as the family does and takes what `asked` finds in a query: a page's number, or an offset. */
function pagesOf(family: Family, { parameter = 'page', base = 1, offset = false } = {}): Reaction {
  return (socket, request) => {
    const query = new URL(request.path, 'http://x').searchParams;
    const asked = Number(query.get(parameter) ?? (offset ? 0 : base));
    const from = offset ? asked : (asked - base) * size;
    const shown = family({ items: all.slice(from, from + size), number: offset ? from / size + 1 : asked, from, path: request.path });
    answer(200, shown.body, shown.headers)(socket, request);
  };
}

const listed = async (reaction: Reaction, settings: [string, string][] = [], line = 'sessions list -o id') => {
  const server = await faultServer(Array.from({ length: 20 }, () => reaction));
  const outcome = await attempt(line, server.origin, { home: await homeWith(...settings) });
  return { ...outcome, requests: server.requests() };
};

const more = (from: number) => from + size < all.length;
const pageCount = Math.ceil(all.length / size);

describe('a list in pages is followed by itself', () => {
  test.each<[string, Family, Parameters<typeof pagesOf>[1]?]>([
    [
      'X-Pagination-Page, -Page-Count, -Item-Count, -Limit',
      ({ items, number }) => ({
        body: items,
        headers: {
          'X-Pagination-Page': `${number}`,
          'X-Pagination-Page-Count': `${pageCount}`,
          'X-Pagination-Item-Count': `${all.length}`,
          'X-Pagination-Limit': `${size}`,
        },
      }),
    ],
    [
      'a sentence and nothing else',
      ({ items, from }) => ({ body: { data: items, message: `Showing ${from + 1} to ${from + items.length} of ${all.length} entries` } }),
    ],
    ['a page count and no number of the page', ({ items }) => ({ body: items, headers: { 'X-Pagination-Page-Count': `${pageCount}` } })],
    [
      'X-Page and X-Total-Pages',
      ({ items, number }) => ({ body: items, headers: { 'X-Page': `${number}`, 'X-Total-Pages': `${pageCount}` } }),
    ],
    [
      'X-Next-Page',
      ({ items, number, from }) => ({ body: items, headers: { 'X-Page': `${number}`, 'X-Next-Page': more(from) ? `${number + 1}` : '' } }),
    ],
    [
      'X-Total-Count and X-Per-Page',
      ({ items }) => ({ body: items, headers: { 'X-Total-Count': `${all.length}`, 'X-Per-Page': `${size}` } }),
    ],
    [
      'Content-Range',
      ({ items, from }) => ({ body: items, headers: { 'Content-Range': `items ${from}-${from + items.length - 1}/${all.length}` } }),
      { parameter: 'offset', offset: true },
    ],
    [
      'JSON in X-Pagination',
      ({ items, number }) => ({ body: items, headers: { 'X-Pagination': `{"page":${number},"total_pages":${pageCount}}` } }),
    ],
    [
      'meta with page and total pages',
      ({ items, number }) => ({ body: { data: items, meta: { page: number, total_pages: pageCount, total: all.length } } }),
    ],
    [
      'pagination with current and last page',
      ({ items, number }) => ({ body: { data: items, pagination: { current_page: number, last_page: pageCount } } }),
    ],
    ['pages beside the list', ({ items }) => ({ body: { student_sessions: items, pages: pageCount } })],
    [
      'pages that count from nought',
      ({ items, number }) => ({ body: { data: items, page: { number, totalPages: pageCount, totalElements: all.length, size } } }),
      { base: 0 },
    ],
    [
      'an offset in the body',
      ({ items, from }) => ({ body: { items, offset: from, limit: size, total: all.length } }),
      { parameter: 'offset', offset: true },
    ],
    [
      'a cursor',
      ({ items, from }) => ({ body: { data: items, paging: { cursors: more(from) ? { after: `${from + size}` } : {} } } }),
      { parameter: 'after', offset: true },
    ],
    [
      'an address in the body',
      ({ items, number, from }) => ({
        body: { results: items, count: all.length, next: more(from) ? `/api/v1/student_sessions?page=${number + 1}` : null },
      }),
    ],
    [
      'nested counts',
      ({ items, number }) => ({ body: { data: items, meta: { pagination: { page: number, counts: { pages: pageCount } } } } }),
    ],
  ])('%s', async (_what, family, how) => {
    expect(await listed(pagesOf(family, how))).toMatchObject({ code: 0, stdout: ids });
  });
});

describe('a list in pages that shows too little is followed as the profile says', () => {
  const bare: Family = ({ items }) => ({ body: items });
  const total: Family = ({ items }) => ({ body: items, headers: { 'X-Total-Count': `${all.length}` } });

  test.each<[string, Reaction, [string, string][]]>([
    ['by page, until one is empty', pagesOf(bare), [['dialect.paging', 'page']]],
    ['by page, until the total is there', pagesOf(total), [['dialect.paging', 'page']]],
    ['by page, where the answer counts', pagesOf(total), [['dialect.paging', 'counted-page']]],
    [
      'by page from nought',
      pagesOf(bare, { base: 0, parameter: 'p' }),
      [
        ['dialect.paging', 'page'],
        ['dialect.firstPage', '0'],
        ['dialect.pageParameter', 'p'],
      ],
    ],
    [
      'by offset',
      pagesOf(bare, { parameter: 'from', offset: true }),
      [
        ['dialect.paging', 'offset'],
        ['dialect.offsetParameter', 'from'],
      ],
    ],
    [
      'by a cursor, with a field and a parameter of its own',
      pagesOf(({ items, from }) => ({ body: { data: items, ab_cursor: more(from) ? `${from + size}` : null } }), {
        parameter: 'ab',
        offset: true,
      }),
      [
        ['dialect.nextKeys', 'ab_cursor'],
        ['dialect.cursorParameter', 'ab'],
      ],
    ],
  ])('%s', async (_what, reaction, settings) => {
    expect(await listed(reaction, settings)).toMatchObject({ code: 0, stdout: ids });
  });

  test.each(['counted-page', 'counted-offset'])('%s asks for no further page where nothing says that there is one', async (paging) => {
    const whole: Reaction = answer(200, [{ id: 1 }, { id: 2 }]);
    const { code, requests } = await listed(whole, [['dialect.paging', paging]]);
    expect([code, requests]).toEqual([0, ['GET /student_sessions']]);
  });

  test('and asks for as many items on a page as it says', async () => {
    const { requests } = await listed(pagesOf(total), [
      ['dialect.pageSize', '500'],
      ['dialect.pageSizeParameter', 'limit'],
      ['dialect.paging', 'page'],
    ]);
    expect(requests[0]).toBe('GET /student_sessions?limit=500');
    expect(requests[1]).toBe('GET /student_sessions?limit=500&page=2');
  });

  test('and a total alone is followed by the number of the page', async () => {
    const { code, stdout, requests } = await listed(pagesOf(total), []);
    expect([code, stdout]).toEqual([0, ids]);
    expect(requests.slice(0, 2)).toEqual(['GET /student_sessions', 'GET /student_sessions?page=2']);
  });

  test.each(['json', 'ndjson'])('but fails for the total where no page has a number, as %s', async (format) => {
    const first = answer(200, [{ id: 1 }, { id: 2 }], { 'x-total-count': '3' });
    for (const status of [400, 404, 422]) {
      const reaction: Reaction = (socket, request) => (request.path.includes('page=') ? answer(status, {}) : first)(socket, request);
      const outcome = await listed(reaction, [], `sessions list -o ${format}`);
      expect([outcome.code, failureOf(outcome).message]).toEqual([
        8,
        expect.stringContaining('x-total-count says 3 items, but there were 2'),
      ]);
    }
  });

  test('without that it fails, and names what is not understood and the setting', async () => {
    const outcome = await listed(pagesOf(total, { parameter: 'from', offset: true }), [], 'sessions list -o json');
    expect(outcome).toMatchObject({ code: 8, stdout: '' });
    expect(failureOf(outcome)).toMatchObject({
      message: expect.stringContaining('x-total-count says 8 items, but there were 3'),
      hint: expect.stringContaining('dialect.paging'),
    });
  });
});

describe('a full page that does not say whether it is the last one', () => {
  const full: [string, Family][] = [
    ['limit in a header', ({ items }) => ({ body: items, headers: { 'X-Pagination-Limit': `${size}` } })],
    ['page and per_page', ({ items, number }) => ({ body: { data: items, page: number, per_page: size } })],
    [
      'a total that is the number of pages',
      ({ items, number }) => ({ body: { data: items, pagination: { page: number, total: pageCount } } }),
    ],
    ['the count of the page and its size', ({ items }) => ({ body: { data: items, count: items.length, page_size: size } })],
  ];
  test.each(full)('is followed: %s', async (_what, family) => {
    expect(await listed(pagesOf(family))).toMatchObject({ code: 0, stdout: ids });
  });

  const six = all.slice(0, 6);
  const exact =
    (beyond: Reaction): Reaction =>
    (socket, request) => {
      const number = Number(new URL(request.path, 'http://x').searchParams.get('page') ?? 1);
      if (number > 2) return beyond(socket, request);
      answer(200, { data: six.slice((number - 1) * size, number * size), page: number, per_page: size })(socket, request);
    };
  test.each<[string, Reaction]>([
    ['empty', answer(200, { data: [], page: 3, per_page: size })],
    ['not found', answer(404, { message: 'no such page' })],
    ['invalid', answer(422, { message: 'no such page' })],
  ])('is the last one where the next page is %s', async (_what, beyond) => {
    const { code, stdout, requests } = await listed(exact(beyond));
    expect([code, stdout.trim().split('\n').length, requests.length]).toEqual([0, 6, 3]);
  });

  test('fails where the service does not know the parameter, and names the field and both settings', async () => {
    const outcome = await listed(answer(200, { data: all.slice(0, size), per_page: size }), [], 'sessions list -o json');
    expect(outcome).toMatchObject({ code: 8, stdout: '' });
    expect(failureOf(outcome)).toMatchObject({
      message: expect.stringContaining('"per_page" allows 3 items on a page, as many came'),
      hint: expect.stringMatching(/dialect\.paging.*dialect\.ignoredKeys per_page/),
    });
    const ignoring = await listed(answer(200, { data: all.slice(0, size), per_page: size }), [['dialect.ignoredKeys', 'per_page']]);
    expect([ignoring.code, ignoring.requests.length]).toEqual([0, 1]);
  });

  test.each([
    { data: all, limit: 500 },
    { data: all, size: 8 },
    { data: all, per_page: 8, next: null },
    { data: all, per_page: 8, total: 8 },
    { data: all, number: 0, size: 8, last: true },
  ])('is not suspected without reason: %j', async (body) => {
    expect(await listed(answer(200, body))).toMatchObject({ code: 0, stdout: ids });
  });

  test('a total below the number of items fails, unless no other page has items', async () => {
    const outcome = await listed(answer(200, { data: all, total: 3 }), [], 'sessions list -o json');
    expect(failureOf(outcome).message).toContain('total says 3 items, but there were 8');
    const single: Reaction = (socket, request) =>
      (request.path.includes('page=') ? answer(404, {}) : answer(200, { data: all, total: 3 }))(socket, request);
    expect(await listed(single)).toMatchObject({ code: 0, stdout: ids });
  });
});

describe('pages that count from nought', () => {
  test('are whole where the last one is known by its number', async () => {
    const family: Family = ({ items, number }) => ({ body: { data: items, page: number, last_page: pageCount - 1 } });
    expect(await listed(pagesOf(family, { base: 0 }))).toMatchObject({ code: 0, stdout: ids });
  });

  test('and do not show it fail rather than skip a page, until the profile says so', async () => {
    const family: Family = ({ items }) => ({ body: items, headers: { 'X-Total-Pages': `${pageCount}` } });
    const outcome = await listed(pagesOf(family, { base: 0 }), [], 'sessions list -o json');
    expect(outcome).toMatchObject({ code: 8, stdout: '' });
    expect(failureOf(outcome).hint).toContain('dialect.firstPage 0');
    expect(await listed(pagesOf(family, { base: 0 }), [['dialect.firstPage', '0']])).toMatchObject({ code: 0, stdout: ids });
  });
});

describe('a list that changes while its pages are read', () => {
  /** The items as they are for the first request, and for those after it. */
  const changing = (before: typeof all, after: typeof all, show: (page: typeof all, list: typeof all) => unknown, times = 1): Reaction => {
    let changes = 0;
    let list = before;
    return (socket, request) => {
      const number = Number(new URL(request.path, 'http://x').searchParams.get('page') ?? 1);
      if (number === 1) list = before;
      else if (changes < times) {
        changes += 1;
        list = after;
      }
      answer(200, show(list.slice((number - 1) * size, number * size), list), {
        ...(number * size < list.length ? { 'x-next-page': `${number + 1}` } : {}),
      })(socket, request);
      if (changes === times) before = after;
    };
  };
  const added = [{ id: 99, email: 'new@example.org', status: 'registered' }, ...all];
  const numbers = (stdout: string) => stdout.trim().split('\n').map(Number);

  test('is read again where its total shrinks, and fails if it does so each time', async () => {
    const withTotal = (data: unknown, list: unknown[]) => ({ data, total: list.length });
    const outcome = await listed(changing(all, all.slice(1), withTotal), [], 'sessions list -o json --columns id');
    expect([outcome.code, JSON.parse(outcome.stdout).length, outcome.requests.length > 4]).toEqual([0, 7, true]);
    const always: Reaction = (socket, request) => {
      const later = request.path.includes('page=');
      answer(200, { data: later ? all.slice(4, 7) : all.slice(0, 3), total: later ? 7 : 8 })(socket, request);
    };
    const failed = await listed(always, [], 'sessions list -o json');
    expect(failed).toMatchObject({ code: 8, stdout: '' });
    expect(failureOf(failed).message).toContain('the list changed while its pages were read');
  });

  test('has no item twice where one was added at its front', async () => {
    const { code, stdout } = await listed(changing(all, added, (data) => data));
    expect([code, numbers(stdout)]).toEqual([0, all.map(({ id }) => id)]);
  });

  test.each(['ndjson', 'csv', 'id', 'json'])('has each item once with -o %s, whatever was printed before it changed', async (format) => {
    const withTotal = (data: unknown, list: unknown[]) => ({ data, total: list.length });
    const changed = [all[1], ...all.slice(3), { id: 99, email: 'new@example.org', status: 'registered' }].filter(
      (item) => item !== undefined,
    );
    const outcome = await listed(changing(all, changed, withTotal), [], `sessions list -o ${format} --columns id`);
    const printed =
      format === 'json' ? JSON.parse(outcome.stdout).map(({ id }: { id: number }) => id) : (outcome.stdout.match(/\d+/g) ?? []).map(Number);
    const isStreamed = format === 'ndjson' || format === 'csv';
    const now = changed.map(({ id }) => id);
    expect([outcome.code, printed]).toEqual([0, isStreamed ? [1, 2, 3, 6, 7, 8, 4, 5, 99] : now]);
    if (isStreamed) expect(outcome.stderr).toContain('2 sessions (1, 3) of the first reading are no longer in it');
    else expect(outcome.stderr).toBe('');
  });

  test('fails with -o ndjson where it has items without an ID, which may be printed already', async () => {
    const bare: Reaction = (socket, request) => {
      const later = request.path.includes('page=');
      const data = (later ? all.slice(4, 7) : all.slice(0, 3)).map(({ email }) => ({ email }));
      answer(200, { data, total: later ? 7 : 8 })(socket, request);
    };
    const { code, stdout, stderr } = await listed(bare, [], 'sessions list -o ndjson');
    expect([code, stdout.trim().split('\n').length]).toEqual([8, 6]);
    expect(stderr).toContain('its items have no \\"id\\" that shows which ones came before');
  });

  test('says that the list broke off where a later page, or another reading, gets no answer', async () => {
    for (const lost of [2, 3]) {
      let requests = 0;
      const server: Reaction = (socket, request) => {
        requests += 1;
        const later = request.path.includes('page=');
        const page = answer(200, { data: later ? all.slice(4, 7) : all.slice(0, 3), total: later ? 7 : 8 });
        (requests >= lost ? reset : page)(socket, request);
      };
      const { code, stdout, stderr } = await listed(server, [], 'sessions list -o ndjson');
      expect([code, stdout.trim().split('\n').length]).toEqual([8, lost === 2 ? 3 : 6]);
      expect(stderr).toContain(`The list broke off after ${lost === 2 ? 3 : 6} items. Could not list the student sessions`);
      expect(stderr).toContain('The list printed so far is incomplete; run the command again.');
    }
  });

  test('says that the list broke off where another reading of it is cut short', async () => {
    let requests = 0;
    const server: Reaction = (socket, request) => {
      requests += 1;
      if (requests === 3) return cutByLength(200, all, 90)(socket, request);
      const later = request.path.includes('page=');
      answer(200, { data: later ? all.slice(4, 7) : all.slice(0, 3), total: later ? 7 : 8 })(socket, request);
    };
    const { code, stderr } = await listed(server, [], 'sessions list -o ndjson');
    expect(code).not.toBe(0);
    expect(stderr).toContain('The list printed so far is incomplete');
  });

  test('fails where items of an earlier page come again among others', async () => {
    const [a, b, c, d] = all.map(({ id }) => ({ id }));
    const shuffled: Reaction = (socket, request) =>
      (request.path.includes('page=2') ? answer(200, [d, a]) : answer(200, [a, b, c], { 'x-next-page': '2' }))(socket, request);
    for (const format of ['id', 'json', 'ndjson']) {
      const { code, stderr } = await listed(shuffled, [], `sessions list -o ${format}`);
      expect([code, stderr]).toEqual([8, expect.stringContaining('the list changed while its pages were read')]);
    }
  });

  test('whose cursor is that of the last item has each item once', async () => {
    const inclusive: Reaction = (socket, request) => {
      const after = Number(new URL(request.path, 'http://x').searchParams.get('cursor') ?? 1);
      const items = all.filter(({ id }) => id >= after).slice(0, size);
      const last = items.at(-1)?.id ?? 0;
      answer(200, { data: items, next_cursor: last < all.length ? `${last}` : null })(socket, request);
    };
    expect(await listed(inclusive)).toMatchObject({ code: 0, stdout: ids });
  });

  test('and has an empty page among those that are counted fails', async () => {
    const gap: Family = ({ items, number }) => ({ body: { data: number === 2 ? [] : items, page: number, pages: pageCount } });
    expect((await listed(pagesOf(gap))).code).toBe(8);
  });
});

describe('an answer beside whose list something else is said fails', () => {
  test.each<[string, unknown, string]>([
    ['errors', { data: all, errors: [{ message: 'shard 2 timed out' }] }, 'shard 2 timed out'],
    ['an error', { data: all, error: 'shard 2 timed out' }, 'shard 2 timed out'],
    ['no success', { success: false, data: [] }, 'a list and a failure'],
    ['a failed status', { status: 'error', message: 'database gone', data: [] }, 'database gone'],
    ['another list', { items: [], data: all }, '2 lists, under "data" and "items"'],
    ['the list by its name', { data: [], student_sessions: all }, '2 lists, under "student_sessions" and "data"'],
  ])('%s', async (_what, body, words) => {
    const outcome = await listed(answer(200, body), [], 'sessions list -o json');
    expect(outcome).toMatchObject({ code: 8, stdout: '' });
    expect(failureOf(outcome).message).toContain(words);
  });

  test.each([202, 206, 207])('the status %i', async (status) => {
    expect((await listed(answer(status, all))).code).toBe(8);
  });

  test('but not where it says nothing, or is set to be ignored', async () => {
    expect(await listed(answer(200, { data: all, error: null, errors: [], success: true }))).toMatchObject({ code: 0, stdout: ids });
    const exam = { id: 42, name: 'Algebra', code: '401', status: 'aborted', deleted: false };
    expect(await listed(answer(200, { ...exam, data: all }))).toMatchObject({ code: 0, stdout: ids });
    expect(await listed(answer(200, { data: all, sent: false, removed: false, error: { code: 0 } }))).toMatchObject({
      code: 0,
      stdout: ids,
    });
    const sideloaded = answer(200, { students: [{ id: 'x' }], student_sessions: all });
    expect(await listed(sideloaded, [['dialect.ignoredKeys', 'students']])).toMatchObject({ code: 0, stdout: ids });
  });
});

test('api prints one page as it is, and warns where it is not the whole list', async () => {
  const first = all.slice(0, size);
  const warned = async (body: unknown, headers: Record<string, string> = {}, line = 'api GET /student_sessions') => {
    const { code, stdout, stderr, requests } = await listed(answer(200, body, headers), [], line);
    expect([code, JSON.parse(stdout), requests.length]).toEqual([0, body, 1]);
    return stderr.includes('warning: the answer is one page of the list');
  };
  expect(await warned(first, { 'x-total-count': '8' })).toBe(true);
  expect(await warned({ data: first, has_more: true })).toBe(true);
  expect(await warned(first, { link: '<?page=2>; rel="next"' })).toBe(true);
  expect(await warned(all, { 'x-total-count': '8' })).toBe(false);
  expect(await warned({ data: all })).toBe(false);
  expect(await warned({ id: 1, total: 8 }, {}, 'api GET /exams/1')).toBe(false);
  expect(await warned(first, { 'x-total-count': '8' }, 'api GET /student_sessions?page=1')).toBe(false);
});

test('preflight fails for a list of proctors or exams that is not whole, rather than skip what needs it', async () => {
  for (const part of ['/exams/1/proctor_pool', '/exams']) {
    const react: Reaction = (socket, request) => {
      const path = request.path.replace('/api/v1', '');
      const exam = { id: 1, start_time: '2027-02-01T08:00:00Z', end_time: '2027-02-01T10:00:00Z' };
      const items = path === '/exams' ? [exam] : path === '/exams/1' ? exam : [{ id: 5 }];
      answer(200, items, path === part ? { 'x-total-count': '8 items' } : {})(socket, request);
    };
    const server = await faultServer(Array.from({ length: 20 }, () => react));
    const outcome = await attempt('preflight --exam 1 -o json', server.origin);
    expect([part, outcome.code, outcome.stderr]).toEqual([part, 8, expect.stringContaining('is not the whole list')]);
  }
});

describe('a list that never ends ends with an error', () => {
  const numbered = (number: number, items: unknown[]) =>
    answer(200, items, { link: `</api/v1/student_sessions?page=${number + 1}>; rel="next"` });
  const failing = async (react: (request: number) => Reaction, settings: [string, string][] = []) => {
    let count = 0;
    const counting: Reaction = (socket, request) => {
      count += 1;
      react(count)(socket, request);
    };
    const outcome = await listed(counting, settings, 'sessions list -o json');
    expect(outcome).toMatchObject({ code: 8, stdout: '' });
    return { ...failureOf(outcome), requests: outcome.requests.length };
  };

  test('where the same page comes again', async () => {
    const { message, requests } = await failing((request) => numbered(request, all.slice(0, size)));
    expect(message).toContain('the same page came twice, beginning with 1');
    expect(requests).toBe(2);
  });

  test('where pages bring nothing new, whatever their order', async () => {
    const turned = (request: number) => all.slice(0, size).map((_, at) => all[(at + request) % size]);
    const { message } = await failing((request) =>
      numbered(
        request,
        [all[request + 2], ...turned(0)]
          .slice(request > 1 ? 1 : 0, 4)
          .reverse()
          .slice(request % 2),
      ),
    );
    expect(message).toMatch(/the same page came twice|changed while its pages were read/);
  });

  test('where pages are empty, as many as the profile allows', async () => {
    expect((await failing((request) => numbered(request, []))).requests).toBe(3);
    expect((await failing((request) => numbered(request, []), [['dialect.pagesWithoutNews', '5']])).requests).toBe(5);
  });

  test('and it continues after pages of other items', async () => {
    let count = 0;
    const sparse = (socket: Parameters<Reaction>[0], request: Parameters<Reaction>[1]) => {
      count += 1;
      const items = count % 3 === 0 ? [{ id: count }] : [];
      (count < 9 ? numbered(count, items) : answer(200, items))(socket, request);
    };
    expect(await listed(sparse)).toMatchObject({ code: 0, stdout: '3\n6\n9\n' });
  });
});

test('a page that is read again after a failure is not taken for one that came twice', async () => {
  const first = answer(200, all.slice(0, size), { link: '</api/v1/student_sessions?page=2>; rel="next"' });
  const cut: Reaction = (socket) => {
    const text = JSON.stringify(all.slice(size));
    socket.write(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text.slice(0, -10)}`);
    setTimeout(() => socket.destroy(), 20);
  };
  const server = await faultServer([first, cut, answer(200, all.slice(size))]);
  expect(JSON.parse((await attempt('sessions list -o json', server.origin)).stdout)).toHaveLength(8);
});
