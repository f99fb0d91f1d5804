/** How a list continues: followed if that is safe, an error if it cannot be followed, never a shorter list. */
import { describe, expect, test } from 'vitest';
import { defaultDialect } from '../../src/api/dialect.ts';
import { firstPage, type ListPage, pageAfter } from '../../src/api/paging.ts';
import { CliError } from '../../src/errors.ts';
import type { JsonObject } from '../../src/model/json.ts';

const where = { dialect: defaultDialect, origin: 'https://proctor.example', basePath: '/api/v1', does: 'list the exams' };

type Came = { path?: string; headers?: Record<string, string>; siblings?: JsonObject; count?: number };

function next({ path = '/exams', headers = {}, siblings, count = 1 }: Came): ListPage | undefined {
  return pageAfter({ ...firstPage(path, defaultDialect), headers, siblings }, count, where);
}

function refusal(came: Came): string {
  try {
    next(came);
  } catch (error) {
    expect(error).toBeInstanceOf(CliError);
    expect((error as CliError).code).toBe('bad_answer');
    expect((error as CliError).message).toContain('not the whole list');
    return (error as CliError).message;
  }
  throw new Error('the list was taken for whole');
}

describe('Link: rel="next"', () => {
  test.each([
    ['<https://proctor.example/api/v1/exams?page=2>; rel="next"', '/exams?page=2'],
    ['<https://proctor.example:443/api/v1/exams?page=2>; rel="next"', '/exams?page=2'],
    ['</api/v1/exams?page=2>; rel="next"', '/exams?page=2'],
    ['<?page=2>; rel="next"', '/exams?page=2'],
    ['<exams?page=2>; rel="next"', '/exams?page=2'],
    ['<//proctor.example/api/v1/exams?page=2>; rel="next"', '/exams?page=2'],
    ['</api/v1/exams?page=2>;rel=next', '/exams?page=2'],
    ['</api/v1/exams?page=2> ; REL = "NEXT"', '/exams?page=2'],
    ['</api/v1/exams?page=2>; rel="last next"', '/exams?page=2'],
    ['</api/v1/exams?page=2>; rel="next last"; title="x"', '/exams?page=2'],
    ['</api/v1/exams?page=2>; title="a, b"; rel="next"', '/exams?page=2'],
    ['</api/v1/exams?page=2>; title="<x>; rel=prev"; rel="next"', '/exams?page=2'],
    ['</api/v1/exams>; rel="first", </api/v1/exams?page=2>; rel="next", </api/v1/exams?page=9>; rel="last"', '/exams?page=2'],
    ['</api/v1/exams?ids=1,2&page=2>; rel="next"', '/exams?ids=1,2&page=2'],
    ['</api/v1/exams?next=1>; rel="prev", </api/v1/exams?page=2>; rel="next"', '/exams?page=2'],
  ])('%s leads to %s', (link, path) => {
    expect(next({ headers: { link } })?.path).toBe(path);
  });

  test.each([
    '',
    '</api/v1/exams?page=1>; rel="last"',
    '</api/v1/exams?offset=0&limit=50>; rel="last"',
    '</api/v1/exams>; rel="first", </api/v1/exams>; rel="last"',
    '</api/v1/exams?page=2>; rel="prev"; title="next"',
    '</api/v1/exams?page=2>; rel="next-archive"',
    '</api/v1/exams?page=2>; rel=prev; anchor="rel=next"',
    '</api/v1/exams?page=2>; title="; rel=next"',
    '</api/v1/exams?rel="next">',
    'nonsense',
  ])('%j is the last page', (link) => {
    expect(next({ headers: { link } })).toBeUndefined();
  });

  test('the address of a last page is followed by its number, and refused if that is not to be found', () => {
    expect(next({ headers: { link: '</api/v1/exams?page=9>; rel="last"' } })?.path).toBe('/exams?page=2');
    expect(next({ siblings: { links: { last: '/api/v1/exams?page=9' } } })?.path).toBe('/exams?page=2');
    expect(refusal({ headers: { link: '</api/v1/exams?offset=40>; rel="last"' } })).toContain('"link" may mean');
    expect(refusal({ siblings: { _links: { last: { href: '/api/v1/exams?cursor=z' } } } })).toContain('"_links.last" may mean');
  });

  test('in another form is an error', () => {
    expect(refusal({ headers: { link: '/api/v1/exams?page=2; rel="next"' } })).toContain('"link" may mean');
    expect(next({ headers: { link: '<?page=2>; rel="https://example.org/rels/next"' } })?.path).toBe('/exams?page=2');
    expect(next({ headers: { link: '<?page=2>; rel=nextPage' } })?.path).toBe('/exams?page=2');
  });

  test.each([
    ['<https://elsewhere.example/api/v1/exams?page=2>; rel="next"', 'https://elsewhere.example'],
    ['<//elsewhere.example/api/v1/exams?page=2>; rel="next"', 'https://elsewhere.example'],
    ['<http://proctor.example/api/v1/exams?page=2>; rel="next"', 'http://proctor.example'],
    ['<https://proctor.example:8443/api/v1/exams?page=2>; rel="next"', 'https://proctor.example:8443'],
    ['<https://proctor.example@elsewhere.example/api/v1/exams>; rel="next"', 'https://elsewhere.example'],
    ['<\\\\elsewhere.example/api/v1/exams>; rel="next"', 'https://elsewhere.example'],
  ])('%s is on another origin, where the token must not be sent', (link, other) => {
    expect(refusal({ headers: { link } })).toContain(`another origin (${other})`);
  });

  test.each([
    '</admin>; rel="next"',
    '</api/v1/../admin>; rel="next"',
    '</api/v1/%2e%2e/admin>; rel="next"',
    '</api/v10/exams>; rel="next"',
    '</exams?page=2>; rel="next"',
  ])('%s is outside the API', (link) => {
    expect(refusal({ headers: { link } })).toContain('outside /api/v1');
  });

  test('an address that cannot be read is an error', () => {
    expect(refusal({ headers: { link: '<https://[>; rel="next"' } })).toContain('cannot be read');
  });

  test('a circle is an error, however long it is', () => {
    expect(refusal({ path: '/exams?page=2', headers: { link: '</api/v1/exams?page=2>; rel="next"' } })).toContain('was read before');
    let page: ListPage | undefined = firstPage('/exams', defaultDialect);
    const goOn = (number: number) => {
      page = page && pageAfter({ ...page, headers: { link: `</api/v1/exams?page=${number}>; rel="next"` } }, 1, where);
    };
    goOn(2);
    goOn(3);
    expect(() => goOn(2)).toThrow('was read before');
  });
});

describe('X-Pagination headers', () => {
  const pages = (current: string, count: string, total?: string) => ({
    'x-pagination-current-page': current,
    'x-pagination-page-count': count,
    ...(total === undefined ? {} : { 'x-pagination-total-count': total }),
  });

  test('ask for the next page by number, and keep the rest of the query', () => {
    expect(next({ headers: pages('1', '3') })).toMatchObject({ path: '/exams?page=2', number: 2 });
    expect(next({ path: '/exams?a=1&page=1&b=x%20y', headers: pages('1', '3') })?.path).toMatch(/^\/exams\?a=1&page=2&b=x(\+|%20)y$/);
  });

  test('end with the last page', () => {
    expect(next({ headers: pages('3', '3') })).toBeUndefined();
    expect(next({ headers: pages('1', '0', '0'), count: 0 })).toBeUndefined();
  });

  test('another page than was asked for is an error: the parameter is not understood', () => {
    const second: ListPage = { path: '/exams?page=2', number: 2, seen: new Set(['/exams', '/exams?page=2']), headers: pages('1', '3') };
    expect(() => pageAfter(second, 2, where)).toThrow(
      /page 2 was requested, but page 1 came; the service does not seem to know the parameter "page"/,
    );
  });

  test('in other words, as the profile has them', () => {
    const dialect = { ...defaultDialect, pageKeys: 'x-blatt', pageCountKeys: 'x-blätter', pageParameter: 'p' };
    expect(
      pageAfter({ ...firstPage('/exams', defaultDialect), headers: { 'x-blatt': '1', 'x-blätter': '2' } }, 1, { ...where, dialect })?.path,
    ).toBe('/exams?p=2');
  });

  test('a Link comes first', () => {
    expect(next({ headers: { ...pages('1', '3'), link: '<?cursor=x>; rel="next"' } })?.path).toBe('/exams?cursor=x');
  });

  test('a total count that has not come is an error', () => {
    expect(refusal({ headers: { 'x-pagination-total-count': '5' }, count: 4 })).toContain(
      'x-pagination-total-count says 5 items, but there were 4',
    );
    expect(next({ headers: { 'x-pagination-total-count': '5' }, count: 5 })).toBeUndefined();
    expect(refusal({ headers: { 'x-pagination-total-count': 'many' }, count: 5 })).toContain('"x-pagination-total-count" may mean');
    expect(next({ headers: pages('1', '2', '5'), count: 3 })?.path).toBe('/exams?page=2');
  });
});

describe('headers of other families', () => {
  test.each<[Record<string, string>, string]>([
    [
      { 'x-pagination-page': '1', 'x-pagination-page-count': '2', 'x-pagination-item-count': '2', 'x-pagination-limit': '1' },
      '/exams?page=2',
    ],
    [{ 'x-pagination-page-count': '2' }, '/exams?page=2'],
    [{ 'x-page': '1', 'x-total-pages': '2' }, '/exams?page=2'],
    [{ 'x-total-pages': '2' }, '/exams?page=2'],
    [{ 'x-next-page': '2', 'x-page': '1' }, '/exams?page=2'],
    [{ 'x-total-count': '2', 'x-per-page': '1' }, '/exams?page=2'],
    [{ 'content-range': 'items 0-0/2' }, '/exams?offset=1'],
    [{ 'content-range': '0-0/2' }, '/exams?offset=1'],
    [{ 'content-range': 'items 0-0/*' }, '/exams?offset=1'],
    [{ 'x-pagination': '{"total":2,"total_pages":2,"page":1,"next_page":2}' }, '/exams?page=2'],
    [{ 'x-next-cursor': 'abc' }, '/exams?cursor=abc'],
    [{ 'x-continuation': 'abc' }, '/exams?continuation=abc'],
    [{ 'x-wp-total': '2', 'x-wp-totalpages': '2' }, '/exams?page=2'],
    [{ 'x-max-page': '2' }, '/exams?page=2'],
    [{ pagination: '{"total":2,"page":1}' }, '/exams?page=2'],
    [{ 'x-page': '{"total":2,"number":0}' }, '/exams?page=1'],
    [{ 'x-total-count': '2, 2', 'x-per-page': '1' }, '/exams?page=2'],
  ])('%j leads to %s', (headers, path) => {
    expect(next({ headers })?.path).toBe(path);
  });

  test.each<Record<string, string>>([
    { 'x-next-page': '', 'x-page': '1', 'x-total': '1' },
    { 'x-total-count': '1' },
    { 'content-range': 'items 0-0/1' },
    { 'x-pagination': '{"total":1,"total_pages":1,"page":1,"next_page":null}' },
    {
      'x-ratelimit-limit': '5000',
      'x-ratelimit-remaining': '4999',
      'x-runtime': '0.1',
      'accept-ranges': 'bytes',
      'x-db-query-count': '12',
    },
    { 'x-request-count': '8', vary: 'Range', 'x-powered-by': 'Next.js', 'x-nextjs-cache': 'HIT', 'x-page-speed': '1.2' },
    { 'x-limit-remaining': '99', 'x-api-limit-remaining': '900', 'x-credits-remaining': '12', 'x-token-remaining': '7' },
    { 'x-throttle-limit': '100', 'x-throttle-remaining': '99', 'x-calls-remaining': '5', 'x-monthly-remaining': '88' },
    { 'x-total-time': '12', 'x-total-cost': '3', 'x-usage-total': '44', 'x-trace-count': '9', 'x-more-info': 'https://docs.example/' },
  ])('%j is the last page', (headers) => {
    expect(next({ headers })).toBeUndefined();
  });

  test.each<[Record<string, string>, string]>([
    [{ 'x-total-count': '9' }, 'x-total-count says 9 items, but there were 1'],
    [{ 'x-total': '9' }, 'x-total says 9 items'],
    [{ 'content-range': 'some of them' }, '"content-range" may mean'],
    [{ 'x-list-range': '1-1/9' }, '"x-list-range" may mean'],
    [{ 'x-items-total': '9' }, 'x-items-total says 9 items'],
    [{ 'x-total-count': '9, 9' }, 'x-total-count says 9 items'],
    [{ 'x-total-count': '"9"' }, 'x-total-count says 9 items'],
    [{ 'x-total-count': '8, 9' }, '"x-total-count" may mean'],
    [{ 'x-total-count': '9 items' }, '"x-total-count" may mean'],
    [{ 'x-total-count': '1,009' }, '"x-total-count" may mean'],
    [{ 'x-total-count': '9.5' }, '"x-total-count" may mean'],
    [{ 'x-page': '1 of 9' }, '"x-page" may mean'],
    [{ 'x-pagination': '{"page":1,' }, '"x-pagination" may mean'],
    [{ 'x-sessionstotal': '9' }, '"x-sessionstotal" may mean'],
    [{ 'x-records': '9' }, '"x-records" may mean'],
    [{ 'x-remaining': '8' }, '"x-remaining" says that there are more items'],
    [{ 'x-incomplete': 'true' }, '"x-incomplete" says that there are more items'],
  ])('%j is an error that names it', (headers, words) => {
    expect(refusal({ headers })).toContain(words);
  });

  test('a meaningless field can be named in the profile, and is then ignored', () => {
    const dialect = { ...defaultDialect, ignoredKeys: 'x-items-total' };
    expect(pageAfter({ ...firstPage('/exams', dialect), headers: { 'x-items-total': '9' } }, 1, { ...where, dialect })).toBeUndefined();
  });
});

describe('a field beside the list', () => {
  test.each(['has_more', 'has_next', 'hasMore', 'more', 'truncated'])(
    '%s that says there is more is an error where nothing shows how to go on',
    (key) => {
      for (const value of [true, 'yes', 1])
        expect(refusal({ siblings: { [key]: value } })).toContain(`"${key}" says that there are more items`);
      for (const value of [false, null, '', 0, 'false']) expect(next({ siblings: { [key]: value } })).toBeUndefined();
    },
  );

  test.each<[JsonObject, string]>([
    [{ next: '/api/v1/exams?page=2' }, '/exams?page=2'],
    [{ next: 'exams?page=2' }, '/exams?page=2'],
    [{ next: '?page=2' }, '/exams?page=2'],
    [{ next_page_url: 'https://proctor.example/api/v1/exams?page=2' }, '/exams?page=2'],
    [{ links: { next: { href: '/api/v1/exams?page=2' } } }, '/exams?page=2'],
    [
      {
        links: [
          { rel: 'self', href: '/x' },
          { rel: 'next', href: '/api/v1/exams?page=2' },
        ],
      },
      '/exams?page=2',
    ],
    [{ '@odata.nextLink': '/api/v1/exams?$skip=2' }, '/exams?$skip=2'],
    [{ next_page: 2 }, '/exams?page=2'],
    [{ meta: { nextPage: '2' } }, '/exams?page=2'],
    [{ next_cursor: 'a/b=' }, '/exams?cursor=a%2Fb%3D'],
    [{ meta: { nextPageToken: 'x' } }, '/exams?pageToken=x'],
    [{ paging: { cursors: { before: 'y', after: 'x' } } }, '/exams?after=x'],
    [{ page_info: { has_next_page: true, end_cursor: 'x' } }, '/exams?after=x'],
    [{ next_offset: 3 }, '/exams?offset=3'],
    [{ offset: 0, limit: 1, total: 3 }, '/exams?offset=1'],
    [{ skip: 0, take: 1, total: 3 }, '/exams?skip=1'],
    [{ page: 1, pages: 2 }, '/exams?page=2'],
    [{ pages: 2 }, '/exams?page=2'],
    [{ page: { number: 0, size: 1, totalPages: 2, totalElements: 2 } }, '/exams?page=1'],
    [{ meta: { pagination: { current_page: 1, last_page: 2 } } }, '/exams?page=2'],
    [{ page: 1, per_page: 1, total: 2 }, '/exams?page=2'],
    [{ page: 1, has_more: true }, '/exams?page=2'],
    [{ next: { page: 2, starting_after: 'x' } }, '/exams?page=2'],
    [{ pages: { next: { starting_after: 'x' } } }, '/exams?starting_after=x'],
    [{ next: { cursor: 'x' } }, '/exams?cursor=x'],
    [{ more: '/api/v1/exams?page=2' }, '/exams?page=2'],
    [{ _links: [{ rel: ['next'], href: '?page=2' }] }, '/exams?page=2'],
    [{ paging: { cursors: { after: 'x' }, next: '?after=x&limit=1' } }, '/exams?after=x&limit=1'],
    [{ page: 0, last: false }, '/exams?page=1'],
    [{ number: 0, size: 1, last: false }, '/exams?page=1'],
    [{ startAt: 0, maxResults: 1, isLast: false }, '/exams?startAt=1'],
    [{ page: { current: 1, total: 2 } }, '/exams?page=2'],
    [{ pages: { current: 1, total: 2 } }, '/exams?page=2'],
    [{ pages: { first: 1, last: 2 } }, '/exams?page=2'],
    [{ meta: { listing: { pages: 2 } } }, '/exams?page=2'],
    [{ envelope: { pageCount: 2 } }, '/exams?page=2'],
    [{ response: { numFound: 2, start: 0 } }, '/exams?start=1'],
    [{ offset: 0, pages: 2 }, '/exams?offset=1'],
  ])('%j leads to %s', (siblings, path) => {
    const asked = next({ siblings })?.path;
    expect(decodeURIComponent(asked ?? '')).toBe(decodeURIComponent(path));
  });

  test.each<JsonObject>([
    { page_info: { has_next_page: false, end_cursor: 'x' } },
    { page: { number: 0, size: 20, totalPages: 1, totalElements: 1 } },
    { meta: { pagination: { current_page: 1, last_page: 1, next_page_url: null, total: 1 } } },
    { count: 1, next: null, previous: null },
    { page_title: 'Exams', request_count: 99, ratelimit_remaining: 4999, view_count: 7 },
    { count_shown: 1 },
    { total: -1 },
    { counts: { registered: 1, exam_started: 0 } },
    { last: true, number: 0, size: 20, first: true, numberOfElements: 1 },
    { done: true, totalSize: 1 },
    { start_at: '2027-02-01T08:00:00Z', total_time: 90, total_points: 100, next_update: '2027-02-01T09:00:00Z', more_info: 'see docs' },
    { remaining_time: 3600, minutes_remaining: 60, remaining_seats: 12, total_duration: 5400 },
    { start: '2027-02-01T08:00:00Z', number: 'A-17', exam: { pages: 9, size: 9, complete: false } },
  ])('%j is the last page', (siblings) => {
    expect(next({ siblings })).toBeUndefined();
  });

  test.each<[JsonObject, string]>([
    [{ total: 9 }, 'total says 9 items, but there were 1'],
    [{ meta: { counts: { total: 9 } } }, 'meta.counts.total says 9 items'],
    [{ count: 1, total: 9 }, 'total says 9 items'],
    [{ batch_range: '1-1/9' }, 'batch_range says 9 items, but there were 1'],
    [{ batch_range: '4-6/9' }, '"batch_range" may mean that there are more items, but proctor-cli does not know this field'],
    [{ meta: { marker: 'xyz' } }, '"meta.marker" may mean'],
    [{ total: { value: 9 } }, 'total.value says 9 items'],
    [{ total: '9 students' }, '"total" may mean'],
    [{ total: [9] }, '"total" may mean'],
    [{ total: 9.5 }, '"total" may mean'],
    [{ total: 1e20 }, '"total" may mean'],
    [{ totals: { students: 9 } }, '"totals.students" may mean'],
    [{ counts: [{ status: 'registered', students: 9 }] }, '"counts[0].students" may mean'],
    [{ found: 9 }, '"found" may mean'],
    [{ page: '1 of 9' }, '"page" may mean'],
    [{ range: [0, 0] }, '"range" may mean'],
    [{ next: [2] }, '"next" may mean'],
    [{ next: { id: { n: 5 } } }, '"next" may mean'],
    [{ LastEvaluatedKey: { id: { N: '5' } } }, '"LastEvaluatedKey" may mean'],
    [{ scroll_id: 'x' }, '"scroll_id" may mean'],
    [{ limited: true }, '"limited" may mean'],
    [{ limit_reached: true }, '"limit_reached" says that there are more items'],
    [{ done: false }, '"done" says that there are more items'],
    [{ isLastPage: false }, '"isLastPage" says that there are more items'],
    [{ last_page: false }, '"last_page" says that there are more items'],
    [{ remainingItemCount: 8 }, '"remainingItemCount" says that there are more items'],
    [{ list_total: 300 }, '"list_total" may mean'],
  ])('%j is an error that names it', (siblings, words) => {
    expect(refusal({ siblings })).toContain(words);
  });

  test('other fields say nothing', () => {
    expect(next({ siblings: { exams: [], total: 1, prev: '/x', previous_page: 3, meta: { page: 1, next: null } } })).toBeUndefined();
  });

  test('a Link that can be followed is followed all the same', () => {
    expect(next({ headers: { link: '<?page=2>; rel="next"' }, siblings: { next: '/exams?page=2' } })?.path).toBe('/exams?page=2');
  });
});
