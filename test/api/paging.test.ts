/** How a list goes on: followed where that is safe, an error where it cannot be followed, never a shorter list. */
import { describe, expect, test } from 'vitest';
import { defaultDialect } from '../../src/api/dialect.ts';
import { firstPage, type Page, pageAfter } from '../../src/api/paging.ts';
import { CliError } from '../../src/errors.ts';
import type { JsonObject } from '../../src/model/json.ts';

const where = { dialect: defaultDialect, origin: 'https://proctor.example', basePath: '/api/v1', does: 'list the exams' };

type Came = { path?: string; headers?: Record<string, string>; siblings?: JsonObject; count?: number };

function next({ path = '/exams', headers = {}, siblings, count = 1 }: Came): Page | undefined {
  return pageAfter({ ...firstPage(path), headers, siblings }, count, where);
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
    '</api/v1/exams?page=9>; rel="last"',
    '</api/v1/exams?page=2>; rel="prev"; title="next"',
    '</api/v1/exams?page=2>; rel="next-archive"',
    '</api/v1/exams?page=2>; rel=prev; anchor="rel=next"',
    '</api/v1/exams?page=2>; title="; rel=next"',
    '</api/v1/exams?rel="next">',
    'nonsense',
  ])('%j is the last page', (link) => {
    expect(next({ headers: { link } })).toBeUndefined();
  });

  test.each([
    ['<https://elsewhere.example/api/v1/exams?page=2>; rel="next"', 'https://elsewhere.example'],
    ['<//elsewhere.example/api/v1/exams?page=2>; rel="next"', 'https://elsewhere.example'],
    ['<http://proctor.example/api/v1/exams?page=2>; rel="next"', 'http://proctor.example'],
    ['<https://proctor.example:8443/api/v1/exams?page=2>; rel="next"', 'https://proctor.example:8443'],
    ['<https://proctor.example@elsewhere.example/api/v1/exams>; rel="next"', 'https://elsewhere.example'],
    ['<\\\\elsewhere.example/api/v1/exams>; rel="next"', 'https://elsewhere.example'],
  ])('%s is on another origin, where the token must not go', (link, other) => {
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
    expect(refusal({ path: '/exams?page=2', headers: { link: '</api/v1/exams?page=2>; rel="next"' } })).toContain('already read');
    let page: Page | undefined = firstPage('/exams');
    const goOn = (number: number) => {
      page = page && pageAfter({ ...page, headers: { link: `</api/v1/exams?page=${number}>; rel="next"` } }, 1, where);
    };
    goOn(2);
    goOn(3);
    expect(() => goOn(2)).toThrow('already read');
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
    const second: Page = { path: '/exams?page=2', number: 2, seen: new Set(['/exams', '/exams?page=2']), headers: pages('1', '3') };
    expect(() => pageAfter(second, 2, where)).toThrow(/page 2 was asked for and page 1 came; the parameter "page"/);
  });

  test('in other words, as the profile has them', () => {
    const dialect = { ...defaultDialect, currentPageHeader: 'x-page', pageCountHeader: 'x-pages', pageParameter: 'p' };
    expect(pageAfter({ ...firstPage('/exams'), headers: { 'x-page': '1', 'x-pages': '2' } }, 1, { ...where, dialect })?.path).toBe(
      '/exams?p=2',
    );
  });

  test('a Link comes first', () => {
    expect(next({ headers: { ...pages('1', '3'), link: '<?cursor=x>; rel="next"' } })?.path).toBe('/exams?cursor=x');
  });

  test('a total count that has not come is an error', () => {
    expect(refusal({ headers: { 'x-pagination-total-count': '5' }, count: 4 })).toContain(
      'x-pagination-total-count says 5 items, and 4 came',
    );
    expect(next({ headers: { 'x-pagination-total-count': '5' }, count: 5 })).toBeUndefined();
    expect(next({ headers: { 'x-pagination-total-count': 'many' }, count: 5 })).toBeUndefined();
    expect(next({ headers: pages('1', '2', '5'), count: 3 })?.path).toBe('/exams?page=2');
  });
});

describe('a field beside the list that says there is more', () => {
  test.each(['next', 'next_page', 'next_page_url', 'next_cursor', 'has_more', 'has_next'])(
    '%s is an error, because nothing shows how to go on',
    (key) => {
      for (const value of [true, 'abc', 2, { href: '/x' }]) expect(refusal({ siblings: { [key]: value } })).toContain(`"${key}"`);
      for (const value of [false, null, '', 0]) expect(next({ siblings: { [key]: value } })).toBeUndefined();
    },
  );

  test.each([{ meta: { next_page: 2 } }, { links: { next: '/x' } }, { paging: { cursors: { next_cursor: 'x' } } }])(
    'also within %j',
    (siblings) => {
      expect(refusal({ siblings })).toContain('says that there is more');
    },
  );

  test('other fields say nothing', () => {
    expect(next({ siblings: { exams: [], total: 1, prev: '/x', meta: { page: 1, next: null } } })).toBeUndefined();
  });

  test('a Link that can be followed is followed all the same', () => {
    expect(next({ headers: { link: '<?page=2>; rel="next"' }, siblings: { next: '/exams?page=2' } })?.path).toBe('/exams?page=2');
  });
});
