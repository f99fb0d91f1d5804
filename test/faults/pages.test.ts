/** Services that spread a list over pages, each in its own way: the list comes whole, or it fails and names what it is about. */
import { describe, expect, test } from 'vitest';
import { homeWith } from '../features/doctor/examined.ts';
import { attempt, failureOf } from './outcome.ts';
import { answer, faultServer, type Reaction, reset } from './server.ts';

const all = Array.from({ length: 8 }, (_, index) => ({ id: index + 1, email: `a${index}@example.org`, status: 'registered' }));
const size = 3;
const ids = `${all.map(({ id }) => id).join('\n')}\n`;

type Family = (page: { items: typeof all; number: number }) => unknown;

/** A service that shows each page as the family does. */
function pagesOf(family: Family): Reaction {
  return (socket, request) => {
    const number = Number(new URL(request.path, 'http://x').searchParams.get('page') ?? 1);
    answer(200, family({ items: all.slice((number - 1) * size, number * size), number }))(socket, request);
  };
}

const listed = async (reaction: Reaction, settings: [string, string][] = [], line = 'sessions list -o id') => {
  const server = await faultServer(Array.from({ length: 20 }, () => reaction));
  const outcome = await attempt(line, server.origin, { home: await homeWith(...settings) });
  return { ...outcome, requests: server.requests() };
};

const pageCount = Math.ceil(all.length / size);

describe('a list whose pages are declared', () => {
  test.each(['page', 'offset'])('the proctors of an exam are one array, although the other lists have pages by %s', async (paging) => {
    const { code, stdout, requests } = await listed(answer(200, [{ id: 5 }]), [['dialect.paging', paging]], 'proctors list --exam 1 -o id');
    expect([code, stdout, requests]).toEqual([0, '5\n', ['GET /exams/1/proctor_pool']]);
  });

  test('a declared parameter that the service does not know fails the list', async () => {
    const outcome = await listed(
      pagesOf(({ items }) => items),
      [['dialect.paging', 'page,p']],
      'sessions list -o json',
    );
    expect(outcome).toMatchObject({ code: 8, stdout: '' });
    expect(failureOf(outcome).message).toContain('its next page (/student_sessions?p=2) has only items already read');
  });
});

describe('a page that does not say whether it is the last one', () => {
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
    const read = await run('exams report');
    expect([read.code, JSON.parse(read.stdout).length]).toEqual([0, 20]);
    expect(read.stderr).toContain('the request to list the exams may not be the whole list');
    expect((await run('preflight')).code).toBe(8);
  });
});

describe('a list that changes while its pages are read', () => {
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

  test('whose cursor is that of the last item has each item once', async () => {
    const inclusive: Reaction = (socket, request) => {
      const after = Number(new URL(request.path, 'http://x').searchParams.get('cursor') ?? 1);
      const items = all.filter(({ id }) => id >= after).slice(0, size);
      const last = items.at(-1)?.id ?? 0;
      answer(200, { data: items, next_cursor: last < all.length ? `${last}` : null })(socket, request);
    };
    expect(await listed(inclusive)).toMatchObject({ code: 0, stdout: ids });
  });

  test('and has another page than the one that was requested fails', async () => {
    const first: Family = ({ items }) => ({ data: items, page: 1, total: all.length });
    const outcome = await listed(pagesOf(first), [], 'sessions list -o json');
    expect(failureOf(outcome).message).toContain('page 2 was requested, but page 1 came');
  });

  test.each([2, pageCount])('and has an empty page among those that are counted fails: page %i', async (empty) => {
    const gap: Family = ({ items, number }) => ({ data: number === empty ? [] : items, page: number, total_pages: pageCount });
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
