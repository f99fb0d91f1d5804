/** Services that spread a list over pages, each in its own way: the list comes whole, or it fails and names what it is about. */
import { describe, expect, test } from 'vitest';
import { homeWith } from '../features/doctor/examined.ts';
import { attempt, failureOf } from './outcome.ts';
import { answer, faultServer, type Reaction, reset } from './server.ts';

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
      'X-Next-Page',
      ({ items, number, from }) => ({ body: items, headers: { 'X-Page': `${number}`, 'X-Next-Page': more(from) ? `${number + 1}` : '' } }),
    ],
    [
      'a cursor',
      ({ items, from }) => ({ body: { data: items, meta: { next_cursor: more(from) ? `${from + size}` : null } } }),
      { parameter: 'cursor', offset: true },
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
    [
      'by a cursor, with a field and a parameter of its own',
      pagesOf(({ items, from }) => ({ body: { data: items, ab_cursor: more(from) ? `${from + size}` : null } }), {
        parameter: 'ab',
        offset: true,
      }),
      [['dialect.paging', 'cursor,ab_cursor,ab']],
    ],
  ])('%s', async (_what, reaction, settings) => {
    expect(await listed(reaction, settings)).toMatchObject({ code: 0, stdout: ids });
  });

  test('the first answer is the whole list where that is declared', async () => {
    const first = answer(200, { data: all, total: 99, next: '?page=2', has_more: true, success: true });
    const { code, stdout, requests } = await listed(first, [['dialect.paging', 'none']]);
    expect([code, stdout, requests.length]).toEqual([0, ids, 1]);
  });

  test('a list by page ends where a page does not exist, and fails where it is refused', async () => {
    const beyond =
      (status: number): Reaction =>
      (socket, request) =>
        (request.path.includes('page=') ? answer(status, { message: 'no such page' }) : answer(200, all))(socket, request);
    expect(await listed(beyond(404), [['dialect.paging', 'page']])).toMatchObject({ code: 0, stdout: ids });
    expect((await listed(beyond(422), [['dialect.paging', 'page']])).code).toBe(7);
  });

  test.each(['page', 'offset'])('the proctors of an exam are one array, although the other lists have pages by %s', async (paging) => {
    const { code, stdout, requests } = await listed(answer(200, [{ id: 5 }]), [['dialect.paging', paging]], 'proctors list --exam 1 -o id');
    expect([code, stdout, requests]).toEqual([0, '5\n', ['GET /exams/1/proctor_pool']]);
  });

  test('a declared parameter that the service does not know fails the list', async () => {
    const outcome = await listed(pagesOf(bare), [['dialect.paging', 'page,p']], 'sessions list -o json');
    expect(outcome).toMatchObject({ code: 8, stdout: '' });
    expect(failureOf(outcome).message).toContain('its next page (/student_sessions?p=2) has only items already read');
  });

  test('and asks for as many items on a page as it says', async () => {
    const { requests } = await listed(pagesOf(total), [
      ['dialect.listQuery', 'limit=500'],
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

describe('a page that does not say whether it is the last one', () => {
  const twenty = Array.from({ length: 20 }, (_, at) => ({ id: at + 1, email: `a${at}@example.org`, status: 'registered' }));
  const forty = Array.from({ length: 40 }, (_, at) => ({ id: at + 1, email: `a${at}@example.org`, status: 'registered' }));
  const byTwenty = (items: unknown[], base = 1): Reaction => {
    return (socket, request) => {
      const page = Number(new URL(request.path, 'http://x').searchParams.get('page') ?? base) - base;
      answer(200, items.slice(page * 20, page * 20 + 20))(socket, request);
    };
  };
  const refusing =
    (status: number): Reaction =>
    (socket, request) =>
      (request.path.includes('page=') ? answer(status, { message: 'no' }) : answer(200, twenty))(socket, request);

  test('is the whole list where page 2 is the same again, which is asked once', async () => {
    const { code, stdout, stderr, requests } = await listed(answer(200, twenty), [], 'sessions list -o json');
    expect([code, JSON.parse(stdout).length, stderr]).toEqual([0, 20, '']);
    expect(requests).toEqual(['GET /student_sessions', 'GET /student_sessions?page=2&offset=20']);
  });

  test('costs no request where a name says that it ends, or the way is declared', async () => {
    for (const body of [
      { data: twenty, total: 20 },
      { data: twenty, next: null },
      { data: twenty, has_more: false },
      { data: twenty, page: 1, total_pages: 1 },
    ])
      expect((await listed(answer(200, body))).requests).toHaveLength(1);
    expect((await listed(answer(200, twenty), [['dialect.paging', 'none']])).requests).toHaveLength(1);
    expect((await listed(answer(200, twenty.slice(11)))).requests).toHaveLength(1);
  });

  test.each([1, 0])('is the whole list where the pages that follow are empty and count from %i', async (base) => {
    const { code, stdout, stderr } = await listed(byTwenty(twenty, base), [], 'sessions list -o json');
    expect([code, JSON.parse(stdout).length, stderr]).toEqual([0, 20, '']);
  });

  test('is the whole list where it is full by its own word, and comes again as page 2', async () => {
    const body = { page: 1, per_page: 20, data: twenty };
    const { code, stdout, requests } = await listed(answer(200, body), [], 'sessions list -o json');
    expect([code, JSON.parse(stdout).length, requests.length]).toEqual([0, 20, 2]);
  });

  const others: [string, Reaction, string, string, number][] = [
    ['has other items', byTwenty(forty), 'page 2 has other items', 'dialect.paging page', 40],
    [
      'is empty, like any other',
      (socket, request) => answer(200, request.path.includes('page=') ? [] : twenty)(socket, request),
      'page 2 is empty',
      'dialect.paging none',
      20,
    ],
    [
      'has other items, because pages count from 0',
      byTwenty([...forty, ...forty.map((item) => ({ ...item, id: item.id + 40 }))], 0),
      'page 2 has other items',
      'dialect.paging page,page,0',
      80,
    ],
    ['is refused', refusing(404), 'page 2 was refused (404)', 'dialect.paging none', 20],
    ['is refused as invalid', refusing(422), 'page 2 was refused (422)', 'dialect.paging none', 20],
  ];

  test.each(others)(
    'is warned about where page 2 %s, and the warning names the setting that helps',
    async (_what, reaction, words, set, whole) => {
      const { code, stdout, stderr } = await listed(reaction, [], 'sessions list -o id');
      expect([code, stdout.trim().split('\n').length]).toEqual([0, 20]);
      expect(stderr).toContain(`may not be the whole list: it has 20 items and does not say whether there are more, and ${words}.`);
      const [, key = '', value = ''] = /config set (dialect\.paging) (\S+?)\.?( |\n|$)/.exec(stderr) ?? [];
      expect(`${key} ${value}`).toBe(set);
      const told = await listed(reaction, [[key, value]], 'sessions list -o id');
      expect([told.code, told.stdout.trim().split('\n').length, told.stderr]).toEqual([0, whole, '']);
    },
  );

  test('warns who reads several exams, and refuses to look for students in two of them', async () => {
    const exam = (at: number) => ({ id: at, name: `Exam ${at}`, start_time: '2127-02-01T08:00:00Z', end_time: '2127-02-01T10:00:00Z' });
    const react: Reaction = (socket, request) => {
      const path = request.path.replace('/api/v1', '');
      if (path === '/exams?page=2') return answer(400, { message: 'no' })(socket, request);
      answer(200, path === '/exams' ? Array.from({ length: 20 }, (_, at) => exam(at)) : /^.exams.\d+$/.test(path) ? exam(3) : [])(
        socket,
        request,
      );
    };
    const run = async (line: string) => {
      const server = await faultServer(Array.from({ length: 90 }, () => react));
      return attempt(`${line} --name Exam -o json`, server.origin);
    };
    const read = await run('exams status');
    expect([read.code, JSON.parse(read.stdout).length]).toEqual([0, 20]);
    expect(read.stderr).toContain('the request to list the exams may not be the whole list');
    expect((await run('preflight')).code).toBe(8);
  });

  test.each(others)('stops what decides by it where page 2 %s', async (_what, reaction, words, set) => {
    const react: Reaction = (socket, request) =>
      (request.path.startsWith('/api/v1/exams/1?') || request.path === '/api/v1/exams/1' ? answer(200, { id: 1 }) : reaction)(
        socket,
        request,
      );
    const server = await faultServer(Array.from({ length: 20 }, () => react));
    const outcome = await attempt('sessions import - --exam 1 --yes -o json', server.origin, { stdin: 'email\nnew@example.org\n' });
    expect(outcome).toMatchObject({ code: 8, stdout: '' });
    expect(failureOf(outcome)).toMatchObject({
      message: expect.stringContaining(words),
      hint: expect.stringContaining(`config set ${set}`),
    });
    expect(server.requests().every((line) => line.startsWith('GET'))).toBe(true);
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

  test.each(['id', 'json'])('is printed as it was read at last with -o %s', async (format) => {
    const withTotal = (data: unknown, list: unknown[]) => ({ data, total: list.length });
    const changed = [all[1], ...all.slice(3), { id: 99, email: 'new@example.org', status: 'registered' }].filter(
      (item) => item !== undefined,
    );
    const outcome = await listed(changing(all, changed, withTotal), [], `sessions list -o ${format} --columns id`);
    const printed = (outcome.stdout.match(/\d+/g) ?? []).map(Number);
    expect([outcome.code, printed, outcome.stderr]).toEqual([0, changed.map(({ id }) => id), '']);
  });

  test.each(['ndjson', 'csv'])('breaks off with -o %s, which has printed items already', async (format) => {
    const always: Reaction = (socket, request) => {
      const later = request.path.includes('page=');
      answer(200, { data: later ? all.slice(4, 7) : all.slice(0, 3), total: later ? 7 : 8 })(socket, request);
    };
    const { code, stderr, requests } = await listed(always, [], `sessions list -o ${format}`);
    expect([code, requests.length]).toEqual([8, 2]);
    expect(stderr).toContain('the list changed while its pages were read');
    expect(stderr).toContain('with --output json, which prints a list that was read as a whole');
  });

  test('says that the list broke off where a later page gets no answer', async () => {
    let requests = 0;
    const server: Reaction = (socket, request) => {
      requests += 1;
      (requests > 1 ? reset : answer(200, { data: all.slice(0, 3), total: 8 }))(socket, request);
    };
    const { code, stdout, stderr } = await listed(server, [], 'sessions list -o ndjson');
    expect([code, stdout.trim().split('\n').length]).toEqual([8, 3]);
    expect(stderr).toContain('The list broke off after 3 items. Could not list the student sessions');
    expect(stderr).toContain('The list printed so far is incomplete. Check the address');
  });

  const [a, b, c, d] = all.map(({ id }) => ({ id }));
  test.each([[[d, a]], [[a, d]], [[c, b, d]]])('fails where items of an earlier page come again as they do in %j', async (second) => {
    const shuffled: Reaction = (socket, request) =>
      (request.path.includes('page=2') ? answer(200, second) : answer(200, [a, b, c], { 'x-next-page': '2' }))(socket, request);
    for (const format of ['id', 'json', 'ndjson']) {
      const { code, stderr } = await listed(shuffled, [], `sessions list -o ${format}`);
      expect([code, stderr]).toEqual([8, expect.stringContaining('the list changed while its pages were read')]);
    }
  });

  test('by as many items in front as a page has is read to its end: page 2 shows its number, so it is no page 1', async () => {
    const added = [11, 12, 13].map((id) => ({ ...all[0], id }));
    let requests = 0;
    const pushed: Reaction = (socket, request) => {
      requests += 1;
      const page = Number(new URL(request.path, 'http://x').searchParams.get('page') ?? 1);
      const now = requests === 1 ? all : [...added, ...all];
      answer(200, { data: now.slice((page - 1) * size, page * size), page, per_page: size })(socket, request);
    };
    expect(await listed(pushed)).toMatchObject({ code: 0, stdout: ids });
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

  test('and whose next page has only the item that was pushed there is whole', async () => {
    const pushed: Reaction = (socket, request) =>
      answer(200, request.path.includes('page=2') ? [all[2]] : request.path.includes('page=') ? [] : all.slice(0, 3))(socket, request);
    const { code, stdout } = await listed(pushed, [['dialect.paging', 'page']]);
    expect([code, stdout]).toEqual([0, '1\n2\n3\n']);
  });

  test('and has another page than the one that was requested fails', async () => {
    const first: Family = ({ items }) => ({ body: { data: items, page: 1, total: all.length } });
    const outcome = await listed(pagesOf(first), [], 'sessions list -o json');
    expect(failureOf(outcome).message).toContain('page 2 was requested, but page 1 came');
  });

  test.each([2, pageCount])('and has an empty page among those that are counted fails: page %i', async (empty) => {
    const gap: Family = ({ items, number }) => ({ body: { data: number === empty ? [] : items, page: number, total_pages: pageCount } });
    expect((await listed(pagesOf(gap))).code).toBe(8);
  });
});

describe('an answer beside whose list something else is said fails', () => {
  test.each<[string, unknown, string]>([
    ['errors', { data: all, errors: [{ message: 'shard 2 timed out' }] }, 'shard 2 timed out'],
    ['an error', { data: all, error: 'shard 2 timed out' }, 'shard 2 timed out'],
    ['no success', { success: false, data: [] }, 'a list and a failure'],
    ['no success, as a number', { success: 0, data: [] }, 'a list and a failure'],
    ['no success, as a text', { ok: 'false', data: [] }, 'a list and a failure'],
    ['another list', { items: [{ id: 'x' }], data: all }, '2 lists, under "data" and "items"'],
    ['the list by its name', { data: [{ id: 'x' }], student_sessions: all }, '2 lists, under "student_sessions" and "data"'],
  ])('%s', async (_what, body, words) => {
    const outcome = await listed(answer(200, body), [], 'sessions list -o json');
    expect(outcome).toMatchObject({ code: 8, stdout: '' });
    expect(failureOf(outcome).message).toContain(words);
  });

  test.each([202, 206, 207])('the status %i', async (status) => {
    expect((await listed(answer(status, all))).code).toBe(8);
  });

  test('but not where it says nothing, or the field of the list is declared', async () => {
    expect(await listed(answer(200, { data: all, error: null, errors: [], success: true }))).toMatchObject({ code: 0, stdout: ids });
    const exam = { id: 42, name: 'Algebra', code: '401', status: 'aborted', deleted: false };
    expect(await listed(answer(200, { ...exam, data: all }))).toMatchObject({ code: 0, stdout: ids });
    expect(await listed(answer(200, { items: [], student_sessions: all, data: [] }))).toMatchObject({ code: 0, stdout: ids });
    const sideloaded = answer(200, { students: [{ id: 'x' }], student_sessions: all });
    expect(await listed(sideloaded, [['dialect.listKey', 'student_sessions']])).toMatchObject({
      code: 0,
      stdout: ids,
    });
  });
});

test('api prints one page as it is, and warns where it is not the whole list', async () => {
  const first = all.slice(0, size);
  const warned = async (body: unknown, headers: Record<string, string> = {}, line = 'api GET /student_sessions') => {
    const { code, stdout, stderr, requests } = await listed(answer(200, body, headers), [], line);
    expect([code, JSON.parse(stdout), requests.length]).toEqual([0, body, 1]);
    return stderr.includes('warning: the answer may be only one page of the list');
  };
  expect(await warned(first, { 'x-total-count': '8' })).toBe(true);
  expect(await warned({ data: first, has_more: true })).toBe(true);
  expect(await warned(first, { link: '<?page=2>; rel="next"' })).toBe(true);
  expect(await warned(all, { 'x-total-count': '8' })).toBe(false);
  expect(await warned({ data: all })).toBe(false);
  expect(await warned({ data: first, student_sessions: all })).toBe(false);
  expect(await warned({ id: 1, total: 8 }, {}, 'api GET /exams/1')).toBe(false);
  expect(await warned(first, { 'x-total-count': '8' }, 'api GET /student_sessions?page=1')).toBe(false);
});

test('preflight fails for a list of proctors or exams that is not whole, rather than skip what needs it', async () => {
  for (const part of ['/exams/1/proctor_pool', '/exams']) {
    const react: Reaction = (socket, request) => {
      const path = request.path.replace('/api/v1', '');
      const exam = { id: 1, start_time: '2027-02-01T08:00:00Z', end_time: '2027-02-01T10:00:00Z' };
      const items = path === '/exams' ? [exam] : path === '/exams/1' ? exam : [{ id: 5 }];
      answer(200, items, path === part ? { 'x-total-count': '8' } : {})(socket, request);
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
    expect(message).toContain('its next page (/student_sessions?page=2) has only items already read');
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
    expect(message).toMatch(/only items already read|changed while its pages were read/);
  });

  test('where three pages in a row are empty', async () => {
    expect((await failing((request) => numbered(request, []))).requests).toBe(3);
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
