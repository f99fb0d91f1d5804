/** Differences as a person reads them. */
import { expect, test } from 'vitest';
import { differenceInWords, showsValue } from '../../src/model/as-sent.ts';

const zone = 'Europe/Vienna';

test.each([
  ['close_time', '2027-02-01T10:00:00Z', 1_801_483_200, 'close_time is 2027-02-01 11:00 +01:00, not 2027-02-01 13:00 +01:00'],
  ['close_time', null, '2027-02-01T10:00:00Z', 'close_time is null, not 2027-02-01 11:00 +01:00'],
  ['close_time', 'soon', '2027-02-01T10:00:00Z', 'close_time is "soon", not 2027-02-01 11:00 +01:00'],
  // A difference below the displayed precision would show two equal texts.
  [
    'close_time',
    '2027-02-01T10:00:00.200Z',
    '2027-02-01T10:00:00Z',
    'close_time is "2027-02-01T10:00:00.200Z", not "2027-02-01T10:00:00Z"',
  ],
  ['name', '2027-02-01T10:00:00Z', 'Ada', 'name is "2027-02-01T10:00:00Z", not "Ada"'],
])('%s %j in place of %j', (field, is, wanted, words) => {
  expect(differenceInWords('session', field, { is, wanted, zone })).toBe(words);
});

test('A time shows another spelling of its instant, and itself where nobody can read it', () => {
  const shows = (sent: string | null, shown: string | number) => showsValue('session', 'close_time', sent, shown);
  expect([shows('2027-02-01T10:00:00Z', 1_801_476_000), shows('soon', 'soon'), shows('soon', 'late'), shows(null, 'soon')]).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
