/** Differences as a person reads them. */
import { expect, test } from 'vitest';
import { differenceInWords, showsValue, unexpected } from '../../src/model/compare.ts';

const zone = 'Europe/Vienna';

test.each([
  ['close_time', '2027-02-01T10:00:00Z', 1_801_483_200, 'close_time is 2027-02-01 11:00 +01:00, not 2027-02-01 13:00 +01:00'],
  ['close_time', null, '2027-02-01T10:00:00Z', 'close_time is empty, not 2027-02-01 11:00 +01:00'],
  ['close_time', 'soon', '2027-02-01T10:00:00Z', 'close_time is "soon", not 2027-02-01 11:00 +01:00'],
  // A difference below the displayed precision would show two equal texts.
  ['close_time', '2027-02-01T10:00:00.2Z', '2027-02-01T10:00:00Z', 'close_time is "2027-02-01T10:00:00.2Z", not "2027-02-01T10:00:00Z"'],
  ['name', '2027-02-01T10:00:00Z', 'Ada', 'name is "2027-02-01T10:00:00Z", not "Ada"'],
])('%s %j in place of %j', (field, from, to, words) => {
  expect(differenceInWords('session', { field, from, to }, zone)).toBe(words);
});

test('a status that nobody knows is the same while it stays', () => {
  expect(unexpected('session', { status: null }, { status: 3 }, zone)).toBeUndefined();
});

test.each([
  ['2027-02-01T10:00:00Z', 1_801_476_000, true],
  ['soon', 'soon', true],
  ['soon', 'late', false],
  [null, 'soon', false],
])('A time shows another spelling of its instant, and itself where nobody can read it: %j and %j', (sent, shown, shows) => {
  expect(showsValue('session', 'close_time', sent, shown)).toBe(shows);
});

test.each([
  ['name', 'Ju\u0308rgen', 'J\u00fcrgen', true],
  ['name', 'Jurgen', 'J\u00fcrgen', false],
  ['email', 'zoe\u0308@example.org', 'Zo\u00eb@example.org', true],
  ['email', 'zoe@m\u00fcnchen.example', 'zoe@xn--mnchen-3ya.example', true],
  ['email', 'zoe@munchen.example', 'zoe@xn--mnchen-3ya.example', false],
])('A text shows itself however its accents are composed, and a domain in either spelling: %s %j and %j', (field, sent, shown, shows) => {
  expect(showsValue('session', field, sent, shown)).toBe(shows);
});
