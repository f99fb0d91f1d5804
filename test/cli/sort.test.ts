/** The order of rows: what a person expects of numbers, times and texts, and the same whatever the order before. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJson } from '../../src/model/json.ts';
import { type SortKey, sortedBy } from '../../src/output/choose-columns.ts';

const by = (key: string, more: Partial<SortKey> = {}): SortKey => ({ key, descending: false, ...more });
const order = (values: unknown[], more: Partial<SortKey> = {}) =>
  sortedBy(
    values.map((value) => ({ value })),
    [by('value', more)],
  ).map(({ value }) => value);

describe('values are sorted', () => {
  test.each<[what: string, values: unknown[], sorted: unknown[], more?: Partial<SortKey>]>([
    [
      'numbers as numbers, whatever their size',
      [10, 9, 2n ** 70n, -1, 2n ** 53n + 1n, 2 ** 53],
      [-1, 9, 10, 2 ** 53, 2n ** 53n + 1n, 2n ** 70n],
    ],
    ['numbers in texts as numbers', ['exam 10', 'exam 9', '10', '9'], ['9', '10', 'exam 9', 'exam 10']],
    ['texts without case and accents', ['Zoe', 'émile', 'Øystein', 'Eva', 'ada'], ['ada', 'émile', 'Eva', 'Øystein', 'Zoe']],
    [
      'times as times, whatever their offset',
      ['2027-02-01T10:00:00+02:00', '2027-02-01T09:00:00Z', '2027-02-01T08:30:00.000Z'],
      ['2027-02-01T10:00:00+02:00', '2027-02-01T08:30:00.000Z', '2027-02-01T09:00:00Z'],
    ],
    ['no before yes', [true, false], [false, true]],
    ['values that are missing last', [null, 'b', undefined, 'a', ''], ['a', 'b', null, undefined, '']],
    ['in reverse, with the missing ones still last', [null, 1, 3, 2], [3, 2, 1, null], { descending: true }],
    ['by huge numbers', ['1e400', '5', '-1e400'].map((text) => parseJson(text)), ['-1e400', '5', '1e400'].map((text) => parseJson(text))],
  ])('%s', (_what, values, sorted, more = {}) => {
    expect(order(values, more)).toEqual(sorted);
  });

  test('by the next field where the first is equal, and by a field in another', () => {
    const rows = [
      { id: 1, status: 'b', exam: { id: 2 } },
      { id: 2, status: 'a', exam: { id: 1 } },
      { id: 3, status: 'B', exam: { id: 1 } },
    ];
    expect(sortedBy(rows, [by('status'), by('exam.id')]).map(({ id }) => id)).toEqual([2, 3, 1]);
  });
});

test('sorting is stable, loses nothing, and does not depend on the order before', () => {
  const value = fc.oneof(
    fc.constantFrom(null, undefined, '', true, false),
    fc.integer({ min: -3, max: 3 }),
    fc.bigInt({ min: -3n, max: 3n }),
    fc.constantFrom('a', 'A', 'á', 'b', '9', '10', '2027-02-01T08:00:00Z', '2027-02-01T09:00:00+01:00'),
  );
  fc.assert(
    fc.property(fc.array(value, { maxLength: 30 }), fc.boolean(), (values, descending) => {
      const rows = values.map((each, index) => ({ each, index }));
      const keys = [by('each', { descending })];
      const sorted = sortedBy(rows, keys);
      expect(sortedBy(sorted, keys)).toEqual(sorted);
      expect(new Set(sorted)).toEqual(new Set(rows));
      const alike = Map.groupBy(sorted, ({ each }) => JSON.stringify([typeof each, String(each)]));
      for (const group of alike.values())
        expect(group.map(({ index }) => index)).toEqual(group.map(({ index }) => index).sort((a, b) => a - b));
      const classes = (list: typeof rows) => sortedBy(list, [...keys, by('index')]).map(({ index }) => index);
      expect(classes(rows.toReversed())).toEqual(classes(rows));
    }),
    { numRuns: 200 },
  );
});
