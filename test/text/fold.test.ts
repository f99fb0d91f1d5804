/** Text as it is compared: one fold for what is searched, for patterns of names, and for names of fields and columns. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hasWords, lettersAndDigits, matchesGlob, soughtWords, spellings } from '../../src/text/fold.ts';
import { anyCharacters } from '../support/any-characters.ts';

test.each([
  ['muller anna', 'Anna Müller', true],
  ['Müller', 'anna.mueller@example.org Anna Mu\u0308ller', true],
  ['mueller', 'Anna Müller', true],
  ['MÜLLER', 'Mueller, Anna', true],
  ['muller', 'Mueller', false],
  ['soeren groessl', 'Søren Größl', true],
  ['noel', 'Noël', true],
  ['strasse', 'Straße 1', true],
  ['lodz soren', 'Søren Łódź', true],
  ['ＡＤＡ', 'ada@example.org', true],
  ['schmidt, ann', 'Annika Schmidt', true],
  ['zoe', 'Z\u200boë', true],
  ['anna schmidt', 'Anna Müller', false],
  ['annaschmidt', 'Anna Schmidt', false],
])('the words %s are found in %s: %s', (typed, text, found) => expect(hasWords(spellings(text), soughtWords(typed))).toBe(found));

test.each([
  ['Linear*', 'Linear Algebra', true],
  ['linear algebra', 'Linear Algebra', true],
  ['*algebra', 'Lineare Álgebra', true],
  ['L*A*a', 'Linear Algebra', true],
  ['?inear*', 'Linear Algebra', true],
  ['*', '', true],
  ['Prüfung*', 'prufung 3', true],
  ['pruefung*', 'Prüfung 3', true],
  ['統計*', '統計学入門', true],
  ['Linear', 'Linear Algebra', false],
  ['*Linear', 'Linear Algebra', false],
  ['?', '', false],
  ['a?', 'a', false],
  ['L[a-z]near*', 'Linear Algebra', false],
  ['', 'Linear Algebra', false],
])('the pattern %s fits %s: %s', (pattern, name, fitting) => expect(matchesGlob(pattern, name)).toBe(fitting));

test('a pattern of many stars takes no time without end', () => {
  expect(matchesGlob('*a'.repeat(300), 'a'.repeat(299))).toBe(false);
  expect(matchesGlob('*a'.repeat(300), 'a'.repeat(300))).toBe(true);
});

test('of a name, letters and digits of any writing are kept, in small letters, and nothing else', () => {
  expect(['X-Total_Count', 'Größe (m²)', '名前', 'Hasło'].map(lettersAndDigits)).toEqual(['xtotalcount', 'grossem2', '名前', 'haslo']);
  fc.assert(fc.property(anyCharacters, (text) => /^[\p{L}\p{N}]*$/u.test(lettersAndDigits(text))));
});
