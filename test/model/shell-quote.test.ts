/** A quoted word comes out of a real shell as it went in. */
import { execFileSync, spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { quoteForShellOf, shellQuoted, typedCommand, typedOption } from '../../src/model/shell-quote.ts';
import { anyCharacters } from '../support/any-characters.ts';

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

const shells = ['sh', 'bash', 'zsh', 'fish'].filter((name) => spawnSync(name, ['-c', 'true']).error === undefined);

test.each(shells)('%s reads back any words', (name) => {
  const word = anyCharacters.filter((text) => !text.includes('\0'));
  const words = fc.sample(fc.oneof(word, fc.string({ unit: fc.constantFrom(...'\'"\\$`!*?;&|<>(){}[]#~ \n\t=a') })), 300);
  const script = words.map((each) => `printf '%s\\0' ${shellQuoted(each)}`).join('\n');
  expect(execFileSync(name, ['-c', script], { encoding: 'utf8' })).toBe(words.map((each) => `${each}\0`).join(''));
});

test.each([
  ['42', '42'],
  ['Linear Algebra', "'Linear Algebra'"],
  ["Ada's", "'Ada''s'"],
  ['Ada’s', "'Ada’’s'"],
  ['a,b', "'a,b'"],
  ['@exam', "'@exam'"],
  ['9;touch x', "'9;touch x'"],
  ['$(touch x)', "'$(touch x)'"],
  ['C:\\exams\\', "'C:\\exams\\'"],
])('for PowerShell, %j is written %s', (word, written) => {
  quoteForShellOf('win32');
  try {
    expect(shellQuoted(word)).toBe(written);
  } finally {
    quoteForShellOf('linux');
  }
});

test.each([
  ['as they are typed', ['4', '5'], 'sessions delete 4 5 --exam 2 --yes'],
  ['behind -- where one begins with a dash', ['4', '--yes'], 'sessions delete --exam 2 --yes -- 4 --yes'],
  ['quoted in both places', ['-x y', '5'], "sessions delete --exam 2 --yes -- '-x y' 5"],
])('arguments of a command are written %s', (_how, operands, written) => {
  expect(typedCommand('sessions delete', operands, '--exam 2', '', ' --yes')).toBe(written);
});

test('the value of an option never reads as another option', () => {
  expect(typedOption('--exam', '5')).toBe('--exam 5');
  expect(typedOption('--exam', '--yes')).toBe('--exam=--yes');
  expect(typedOption('--name', '-a b')).toBe("'--name=-a b'");
});
