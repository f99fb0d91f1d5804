/** Headers of proxies, caches, hosts and frameworks, and fields beside a list: whatever their names resemble, none says anything about its pages. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextPath, pagingOf, signalsIn, whatFollows } from '../../src/api/paging.ts';
import { CliError } from '../../src/errors.ts';
import type { JsonObject } from '../../src/model/json.ts';

const where = { baseUrl: 'https://proctor.example/api/v1', does: 'list the exams' };
const endOf = (items: number, headers: Record<string, string>, beside: JsonObject = {}) => {
  const page = { path: '/exams', status: 200, headers, beside, items, number: 1, before: 0 };
  const { is, way } = whatFollows(signalsIn(page), page, items);
  return way === undefined ? is : nextPath(pagingOf(way), page, where);
};

const pagingNames = ['next', 'next_page', 'next_cursor', 'has_more', 'total', 'total_count', 'total_pages', 'page', 'per_page'];

const headers: Record<string, string> = {
  'accept-ranges': 'items',
  'content-range': 'items 0-1/57',
  link: '</app.css>; rel=preload; as=style, <https://cdn.example>; rel=preconnect',
  'ratelimit-remaining': '99',
  'x-count': '57',
  'x-items-total': '57',
  'x-page-cache': 'miss',
  'x-wp-total': '57',
};

const siblings: JsonObject = {
  '@odata.nextLink': 'https://proctor.example/api/v1/exams?$skip=2',
  count: 57,
  current_page: 1,
  hasMore: true,
  last_page: 9,
  message: 'Showing 2 of 57 entries',
  nextPage: 2,
  totals: { total: 57 },
  Total: 57,
};

test('All of them say nothing, beside a list or in meta, and settle nothing; nor does a known name in another object, or deeper.', () => {
  expect([endOf(2, headers, siblings), endOf(2, {}, { meta: siblings })]).toEqual(['end', 'end']);
  expect([endOf(20, headers, siblings), endOf(20, {}, { meta: siblings })]).toEqual(['unsure', 'unsure']);
  expect(endOf(2, {}, { exam: { total: 57 }, data: { next: '?page=2' }, meta: { pagination: { total: 57 } } })).toBe('end');
});

const known = [
  'link',
  ...pagingNames.map((name) => `x-${name.replaceAll('_', '-')}`),
  ...pagingNames.map((name) => `x-pagination-${name.replaceAll('_', '-')}`),
];
const value = fc.oneof(
  fc.string({ unit: 'binary-ascii' }),
  fc.constantFrom('2', '0', '-1', '1e9', 'null', '</api/v1/exams?page=2>; rel="next"', '<//x>;rel=next', '?page=2'),
);

test('Whatever a known header or field holds, a list is whole, goes on within the service, or fails with one error.', () => {
  const header = fc.tuple(fc.constantFrom(...known), value);
  const field = fc.tuple(fc.constantFrom(...pagingNames), fc.oneof(value, fc.jsonValue()));
  fc.assert(
    fc.property(fc.array(header), fc.array(field), fc.nat(60), (headers, fields, items) => {
      try {
        const next = endOf(items, Object.fromEntries(headers), Object.fromEntries(fields) as JsonObject);
        if (next !== undefined) expect(next).toMatch(/^(unsure|end|more|\/exams|\/)/);
      } catch (error) {
        expect(error).toBeInstanceOf(CliError);
      }
    }),
    { numRuns: 2000 },
  );
});

test('Whatever another header is called and holds, it changes nothing.', () => {
  const name = fc.stringMatching(/^[a-z][a-z-]{0,20}$/).filter((each) => !known.includes(each));
  fc.assert(
    fc.property(name, value, (header, text) => {
      expect([endOf(2, { [header]: text }), endOf(20, { [header]: text })]).toEqual(['end', 'unsure']);
    }),
  );
});
