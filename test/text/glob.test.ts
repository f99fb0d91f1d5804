/** Patterns for names: the whole name, blind to case and accents, in a bounded number of steps. */
import { expect, test } from 'vitest';
import { fits } from '../../src/text/glob.ts';

test.each([
  ['Linear*', 'Linear Algebra'],
  ['linear algebra', 'Linear Algebra'],
  ['*algebra', 'Lineare Álgebra'],
  ['L*A*a', 'Linear Algebra'],
  ['?inear*', 'Linear Algebra'],
  ['*', ''],
  ['Prüfung*', 'prufung 3'],
  ['統計*', '統計学入門'],
])('%s fits %s', (pattern, name) => {
  expect(fits(pattern, name)).toBe(true);
});

test.each([
  ['Linear', 'Linear Algebra'],
  ['*Linear', 'Linear Algebra'],
  ['?', ''],
  ['a?', 'a'],
  ['L[a-z]near*', 'Linear Algebra'],
  ['', 'Linear Algebra'],
])('%s does not fit %s', (pattern, name) => {
  expect(fits(pattern, name)).toBe(false);
});

test('a pattern of many stars takes no time without end', () => {
  expect(fits('*a'.repeat(300), 'a'.repeat(299))).toBe(false);
  expect(fits('*a'.repeat(300), 'a'.repeat(300))).toBe(true);
});
