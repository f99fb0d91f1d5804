/** A quoted word comes out of a real shell as it went in. */
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shellQuoted } from '../../src/model/shell-quote.ts';

test.each([
  ['42', '42'],
  ['--start=2027-02-01T09:00+01:00', '--start=2027-02-01T09:00+01:00'],
  ['ada@example.org', 'ada@example.org'],
  ['', "''"],
  ['Linear Algebra', "'Linear Algebra'"],
  ["Ada's", String.raw`'Ada'\''s'`],
  ['=ls', "'=ls'"],
  ['~', "'~'"],
])('%j is written %s', (word, written) => {
  expect(shellQuoted(word)).toBe(written);
});

test('sh reads back any words', () => {
  const word = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0') && text.isWellFormed());
  const words = fc.sample(fc.oneof(word, fc.string({ unit: fc.constantFrom(...'\'"\\$`!*?;&|<>(){}[]#~ \n\t=a') })), 300);
  const script = words.map((each) => `printf '%s\\0' ${shellQuoted(each)}`).join('\n');
  expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' })).toBe(words.map((each) => `${each}\0`).join(''));
});
