/** How a list continues: as the profile declares it, or by the names that are known. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkListQuery, firstPath, nextPath, type Page, pagingOf, signalsIn, whatFollows } from '../../src/api/paging.ts';
import { CliError } from '../../src/errors.ts';
import { InvalidValue } from '../../src/model/invalid-value.ts';
import type { JsonObject } from '../../src/model/json.ts';

const origin = 'https://proctor.example';
const where = { baseUrl: `${origin}/api/v1`, does: 'list the exams' };

function page(shown: Partial<Page>): Page {
  return { path: '/exams', status: 200, headers: {}, beside: {}, items: 3, number: 1, before: 0, ...shown };
}

/** The path of the next page, `unsure`, `counted`, `end`, or the message of the error. */
function next(shown: Partial<Page>, paging = 'auto'): string {
  const shownPage = page(shown);
  const { is, way, missing } = whatFollows(signalsIn(shownPage), shownPage, shownPage.items);
  if (paging === 'auto' && ['unsure', 'counted', 'end'].includes(is)) return is;
  if (paging === 'auto' && way === undefined) return `unknown: ${missing}`;
  try {
    return nextPath(pagingOf(paging === 'auto' ? (way ?? '') : paging), shownPage, where) ?? 'end';
  } catch (error) {
    if (error instanceof CliError) return `${error.code}: ${error.message}`;
    throw error;
  }
}

describe('auto', () => {
  test.each<[string, Partial<Page>, string]>([
    ['Link', { headers: { link: '</api/v1/exams?after=3>; rel="next", </api/v1/exams>; rel=first' } }, '/exams?after=3'],
    ['Link with several relations', { headers: { link: '<?c=x>; title="a, <b>"; rel="last next"' } }, '/exams?c=x'],
    ['an address in next', { beside: { next: `${origin}/api/v1/exams?page=2` } }, '/exams?page=2'],
    ['an address in links.next', { beside: { links: { next: '?page[number]=2' } } }, '/exams?page[number]=2'],
    ['a link object in links.next', { beside: { links: { next: { href: '/api/v1/exams?page=2', title: 'x' } } } }, '/exams?page=2'],
    ['a number in next_page', { beside: { meta: { next_page: 2 } } }, '/exams?page=2'],
    ['X-Next-Page', { headers: { 'x-next-page': '2' } }, '/exams?page=2'],
    ['a cursor', { beside: { pagination: { next_cursor: 'a/b==' } } }, '/exams?cursor=a%2Fb%3D%3D'],
    ['a total', { beside: { total: 4 } }, '/exams?page=2'],
    ['X-Total-Count', { headers: { 'x-total-count': '4' } }, '/exams?page=2'],
    ['X-Total-Pages', { headers: { 'x-total-pages': '2' } }, '/exams?page=2'],
    ['total_pages of pages from 0', { beside: { page: 0, total_pages: 2 } }, '/exams?page=1'],
    ['Content-Range', { headers: { 'content-range': 'items 0-2/4' } }, '/exams?page=2'],
    ['Content-Range that stands twice', { headers: { 'content-range': 'items 0-2/4, items 0-2/4' } }, '/exams?page=2'],
    ['X-Total-Count that stands twice', { headers: { 'x-total-count': '4, 4' } }, '/exams?page=2'],
    ['a total with spaces', { beside: { total: ' 4 ' } }, '/exams?page=2'],
    ['item_count', { beside: { meta: { item_count: 4 } } }, '/exams?page=2'],
    ['X-Page-Count', { headers: { 'x-page-count': '2' } }, '/exams?page=2'],
    ['the greatest of several totals', { beside: { total: 3 }, headers: { 'content-range': '0-2/4' } }, '/exams?page=2'],
    ['X-Pagination', { headers: { 'x-pagination-total-count': '5', 'x-pagination-page': '1' } }, '/exams?page=2'],
    ['page and a full per_page', { beside: { page: 1, per_page: 3 } }, '/exams?page=2'],
    ['has_more beside a page', { beside: { page: 1, has_more: true } }, '/exams?page=2'],
  ])('follows %s.', (_what, shown, path) => {
    expect(next(shown)).toBe(path);
  });

  test.each<[string, Partial<Page>]>([
    ['nothing, and it is not full', {}],
    ['has_more is neither true nor false', { beside: { has_more: { toString: '' } } }],
    ['a part by its status has all of the total', { status: 206, beside: { total: 3 } }],
    ['Link without a next page', { headers: { link: '</api/v1/exams?page=1>; rel="prev"' }, items: 20 }],
    ['next is null', { beside: { next: null }, items: 20 }],
    ['X-Next-Page is empty', { headers: { 'x-next-page': '' }, items: 20 }],
    ['has_more is false, whatever the cursor', { beside: { has_more: false, next_cursor: 'x' }, items: 20 }],
    ['the total is there, and no page is so small', { beside: { total: 9 }, items: 9 }],
    ['the total of all pages is there', { beside: { total: 20 }, items: 20, number: 2 }],
    ['a total is there beside a number of pages', { beside: { total: 20, total_pages: 1 }, items: 20 }],
    ['it is the last of the pages', { beside: { total_pages: 1 }, items: 20 }],
    ['per_page allows more, and it is short', { beside: { page: 1, per_page: 50 }, items: 9 }],
  ])('ends a list where %s.', (_what, shown) => {
    expect(next(shown)).toBe('end');
  });

  test.each<[string, Partial<Page>]>([
    ['a total', { beside: { total: 20 }, items: 20 }],
    ['Content-Range', { headers: { 'content-range': 'items 0-19/20' }, items: 20 }],
  ])('looks behind a page that %s alone calls the whole list: it may count the page.', (_what, shown) => {
    expect(next(shown)).toBe('counted');
  });

  test.each<[string, Partial<Page>, string]>([
    ['has_more alone', { beside: { has_more: true } }, 'has_more says that there are more items'],
    [
      'a number that is not that of the next page',
      { beside: { next: 20 } },
      '"next" shows that there is a next page, but not how to request it',
    ],
    ['a cursor of an unknown form', { beside: { next: 'abc' } }, '"next" shows that there is a next page, but not how to request it'],
    ['an object that is no link', { beside: { next: { id: 7 } } }, '"next" shows that there is a next page, but not how to request it'],
    ['a part by its status', { status: 206 }, '(206) says that it is only a part'],
    [
      'a next page elsewhere',
      { beside: { next: 'https://evil.example/api/v1/exams' } },
      'outside https://proctor.example/api/v1 (https://evil.example/api/v1/exams)',
    ],
    [
      'a next page beside the service',
      { headers: { link: '</admin>; rel=next' } },
      'outside https://proctor.example/api/v1 (https://proctor.example/admin)',
    ],
    [
      'a next page whose path a server may decode',
      { headers: { link: '</api/v1/..%2f..%2fadmin>; rel=next' } },
      'outside https://proctor.example/api/v1 (https://proctor.example/api/v1/..%2f..%2fadmin)',
    ],
  ])('refuses %s.', (_what, shown, message) => {
    expect(next(shown)).toMatch(/^(list_in_doubt|unknown): /);
    expect(next(shown)).toContain(message);
  });

  test.each<[string, Partial<Page>]>([
    ['ten items without a word', { items: 10 }],
    ['any number of items above', { items: 347 }],
    ['the number of the page, which says nothing about an end', { beside: { page: 1 }, items: 15 }],
    ['the size of a page, which says nothing about an end', { beside: { per_page: 50 }, items: 20 }],
    ['both in meta', { beside: { meta: { page: 1, per_page: 50 } }, items: 20 }],
    ['a page that is full by its own word', { items: 7, headers: { 'x-pagination-per-page': '7' } }],
    ['a range of an unknown total', { headers: { 'content-range': 'items 0-14/*' }, items: 15 }],
    ['a range of bytes', { headers: { 'content-range': 'bytes 0-14/15' }, items: 15 }],
    ['a total that is no number', { headers: { 'x-total-count': '25+' }, items: 5 }],
    ['one that is an object', { beside: { total: { value: 25 } }, items: 5 }],
    ['has_more in another word', { beside: { has_more: 'yes' }, items: 5 }],
    ['a total that is not that of the items', { beside: { total: 5 }, items: 15 }],
  ])('is unsure of %s.', (_what, shown) => {
    expect(next(shown)).toBe('unsure');
    expect(next({ ...shown, number: 2 })).toBe('end');
  });
});

describe('What is declared', () => {
  const full = { items: 20, beside: { total: 999, next: '/api/v1/exams?page=2', has_more: true, meta: { after: 'x', url: '?c=2' } } };

  test.each<[string, Partial<Page>, string]>([
    ['none', full, 'end'],
    ['link', full, 'end'],
    ['link', { headers: { link: '<?c=2>; rel=next' } }, '/exams?c=2'],
    ['next,meta.url', full, '/exams?c=2'],
    ['next,x-more', { headers: { 'x-more': '?c=2' } }, '/exams?c=2'],
    ['next,links.next', { beside: { links: { next: { href: '?c=2' } } } }, '/exams?c=2'],
    ['next', { beside: {} }, 'end'],
    ['cursor,meta.after,after', full, '/exams?after=x'],
    ['cursor', { beside: { next_cursor: null } }, 'end'],
    ['page', full, '/exams?page=2'],
    ['page,p,0', full, '/exams?p=1'],
    ['page', { ...full, items: 0 }, 'end'],
    ['offset', full, '/exams?offset=20'],
    ['offset,skip', { items: 5, before: 40 }, '/exams?skip=45'],
  ])('%s is followed, and nothing else matters.', (paging, shown, path) => {
    expect(next(shown, paging)).toBe(path);
  });

  test.each([
    ['next,meta', full, '"meta" is neither empty nor an address'],
    ['cursor,meta', full, '"meta" is neither empty nor a cursor'],
    ['next', { beside: { next: 'https://evil.example/' } }, 'is outside https://proctor.example/api/v1'],
  ])('%s fails for what it cannot be.', (paging, shown, message) => {
    expect(next(shown, paging)).toContain(message);
  });
});

test('The pages after the first one may show the number of the next one.', () => {
  const second = page({ number: 2, beside: { next_page: 3 } });
  expect(whatFollows(signalsIn(second), second, 6)).toEqual({ is: 'more' });
});

test('The query of each list is that of its first page, and pages by number keep it.', () => {
  const path = firstPath('/exams', 'per_page=100&sort=id');
  expect(path).toBe('/exams?per_page=100&sort=id');
  expect(next({ path }, 'page')).toBe('/exams?per_page=100&sort=id&page=2');
});

const noWays = ['', 'pages', 'link,x', 'none,', 'next,', 'next,a,b', 'page,p,2', 'offset,skip,0', 'cursor,a,b,c'];
test.each(noWays)('%j is no way of paging.', (setting) => {
  expect(() => pagingOf(setting)).toThrow(InvalidValue);
});

test.each(['', 'per_page=100', 'page[size]=50&sort=id', 'q='])('%j is a query.', (query) => expect(checkListQuery(query)).toBeUndefined());
test.each(['?per_page=100', 'per_page', 'a=b#c', 'a=b c', '=b', 'a=b&'])('%j is no query.', (query) =>
  expect(() => checkListQuery(query)).toThrow(InvalidValue),
);

const pagingNames = [
  ...['next', 'next_page', 'next_cursor', 'has_more', 'total', 'total_count', 'item_count'],
  ...['total_pages', 'page_count', 'page', 'per_page'],
];

const said = (items: number, headers: Record<string, string>, beside: JsonObject = {}) => next({ items, headers, beside });

test('A known name deeper inside, or in another object, says nothing.', () => {
  expect(said(2, {}, { exam: { total: 57 }, data: { next: '?page=2' }, meta: { pagination: { total: 57 } } })).toBe('end');
});

const known = [
  'link',
  'content-range',
  ...pagingNames.flatMap((name) => ['x-', 'x-pagination-', 'x-wp-'].map((prefix) => prefix + name.replaceAll('_', '-'))),
];
const value = fc.oneof(
  fc.string({ unit: 'binary-ascii' }),
  fc.constantFrom('2', '0', '-1', '1e9', 'null', '</api/v1/exams?page=2>; rel="next"', '<//x>;rel=next', '?page=2', 'items 0-9/25'),
);

test('Whatever a known header or field holds, a list is whole, goes on within the service, or fails with one error.', () => {
  const header = fc.tuple(fc.constantFrom(...known), value);
  const field = fc.tuple(fc.constantFrom(...pagingNames), fc.oneof(value, fc.jsonValue()));
  fc.assert(
    fc.property(fc.array(header), fc.array(field), fc.nat(60), (headers, fields, items) => {
      const follows = said(items, Object.fromEntries(headers), Object.fromEntries(fields) as JsonObject);
      expect(follows).toMatch(/^(unsure$|counted$|end$|unknown: |list_in_doubt: |\/)/);
    }),
    { numRuns: 2000 },
  );
});

test('Whatever another header or field is called and holds, it changes nothing.', () => {
  const isForeign = (each: string) => !known.includes(each) && !pagingNames.includes(each);
  const name = fc.oneof(
    fc.stringMatching(/^[a-z][a-z-]{0,20}$/).filter(isForeign),
    fc.constantFrom('range', 'x-content-range', 'x-items-total', 'count', 'current_page', 'hasMore', 'last_page', 'nextPage', 'Total'),
  );
  fc.assert(
    fc.property(name, fc.oneof(value, fc.jsonValue()), (foreign, shown) => {
      const fields = { [foreign]: shown, meta: { [foreign]: shown } } as JsonObject;
      for (const items of [2, 20]) expect(said(items, { [foreign]: JSON.stringify(shown) }, fields)).toBe(items === 2 ? 'end' : 'unsure');
    }),
  );
});
