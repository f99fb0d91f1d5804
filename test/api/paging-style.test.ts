/** What `dialect.paging` and `dialect.listQuery` may be. */
import { expect, test } from 'vitest';
import { checkListQuery, pagingStyle } from '../../src/api/paging-style.ts';
import { InvalidValue } from '../../src/model/invalid-value.ts';

test.each([
  ['auto', { style: 'auto' }],
  ['none', { style: 'none' }],
  ['next', { style: 'next', field: 'next' }],
  ['next, @odata.nextLink', { style: 'next', field: '@odata.nextLink' }],
  ['cursor', { style: 'cursor', field: 'next_cursor', parameter: 'cursor' }],
  ['cursor,meta.after,after', { style: 'cursor', field: 'meta.after', parameter: 'after' }],
  ['page', { style: 'page', parameter: 'page', first: 1 }],
  ['page,p,0', { style: 'page', parameter: 'p', first: 0 }],
  ['offset,$skip', { style: 'offset', parameter: '$skip' }],
])('%s', (setting, style) => {
  expect(pagingStyle(setting)).toEqual(style);
});

test.each(['', 'pages', 'link,x', 'none,', 'next,', 'next,a,b', 'page,p,2', 'offset,skip,0', 'cursor,a,b,c'])(
  '%j is no way of paging.',
  (setting) => {
    expect(() => pagingStyle(setting)).toThrow(InvalidValue);
  },
);

test.each(['', 'per_page=100', 'page[size]=50&sort=id', 'q='])('%j is a query.', (query) => expect(checkListQuery(query)).toBeUndefined());
test.each(['?per_page=100', 'per_page', 'a=b#c', 'a=b c', '=b', 'a=b&'])('%j is no query.', (query) =>
  expect(() => checkListQuery(query)).toThrow(InvalidValue),
);
